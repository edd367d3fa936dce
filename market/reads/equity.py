"""What traders were worth at two moments of the past, from the postings until then: cash, what was set aside,
and positions at what selling all of them to the maker would have brought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.entries import CREDITS, Kind
from market.maker import Maker, Side
from market.seasons import Standing
from market.tables import Account, Contract, Entry, Posting
from market.valuation import liquidation_units

_AT_ONCE = 500  # numbers in one statement; databases limit the parameters
_amount, _recorded = col(Posting.amount), col(Entry.recorded_at)


@dataclass
class _Had:
    """What a trader had at a moment: credits in units, and shares of each contract."""

    credit_units: int = 0
    shares: dict[int, dict[Side, int]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(frozen=True, slots=True)
class _Traded:
    """A contract that somebody had shares of: its maker, and the shares that existed at either moment."""

    maker: Maker
    states: tuple[dict[Side, int], dict[Side, int]]

    def value(self, which: int, held: Mapping[Side, int]) -> int:
        """What selling those shares would have brought at one of the moments."""
        state = self.states[which]
        return liquidation_units(self.maker, state[Side.LONG], state[Side.SHORT], held)


def standings(
    session: Session, traders: sa.Select[Any], begin: datetime, end: datetime
) -> tuple[Standing, ...]:
    """The equity of each of the traders at two moments, with what they were given between them.

    What was recorded before a moment counts. ``traders`` selects their ids; one whose first posting is not
    before ``end`` is left out. A query, and one for each five hundred contracts that they held.
    """
    had: dict[int, tuple[_Had, _Had]] = defaultdict(lambda: (_Had(), _Had()))
    granted: dict[int, int] = defaultdict(int)
    for row in session.execute(_accounts(traders, begin, end)):
        granted[row.trader_id] += int(row.granted)
        for had_then, balance in zip(had[row.trader_id], (row.before, row.after), strict=True):
            if row.asset == CREDITS:
                had_then.credit_units += int(balance)
            elif balance:
                side = _side_of(row.asset)
                sides = had_then.shares[row.contract_id]
                sides[side] = sides.get(side, 0) + int(balance)  # at hand, and set aside for a sale
    held = {number for both in had.values() for had_then in both for number in had_then.shares}
    contracts = _contracts(session, sorted(held), begin, end)
    return tuple(
        Standing(
            trader_id, _equity(both[0], contracts, 0), granted[trader_id], _equity(both[1], contracts, 1)
        )
        for trader_id, both in sorted(had.items())
    )


def _accounts(
    traders: sa.Select[Any], begin: datetime, end: datetime
) -> sa.Select[*tuple[Any, ...]]:
    """Each account of the traders at both moments; those whose first posting came later are not there."""
    corrected = aliased(Entry)
    is_grant = sa.or_(col(Entry.kind) == Kind.GRANT.value, col(corrected.kind) == Kind.GRANT.value)
    return (
        sa.select(
            col(Account.trader_id), col(Account.contract_id), col(Account.asset),
            _sum_where(_recorded < begin).label("before"), sa.func.sum(_amount).label("after"),
            _sum_where(sa.and_(is_grant, _recorded >= begin)).label("granted"),
        )
        .join(Posting, col(Posting.account_id) == Account.id)
        .join(Entry, col(Entry.id) == Posting.entry_id)
        .outerjoin(corrected, col(corrected.id) == col(Entry.corrects_id))
        .where(col(Account.trader_id).in_(traders), _recorded < end)
        .group_by(col(Account.id), col(Account.trader_id), col(Account.contract_id), col(Account.asset))
    )  # fmt: skip


def _contracts(
    session: Session, numbers: Sequence[int], begin: datetime, end: datetime
) -> dict[int, _Traded]:
    """The contracts of these numbers, with the shares that existed at both moments."""
    found: dict[int, _Traded] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        for row in session.execute(_issued(numbers[start : start + _AT_ONCE], begin, end)):
            if row.id not in found:
                maker = Maker(row.cap, row.prior_1024, row.depth_shares)
                found[row.id] = _Traded(maker, (dict.fromkeys(Side, 0), dict.fromkeys(Side, 0)))
            # Shares come out of an account that goes negative by as many as there are.
            for state, issued in zip(found[row.id].states, (row.before, row.after), strict=True):
                state[_side_of(row.asset)] = -int(issued)
    return found


def _issued(numbers: Iterable[int], begin: datetime, end: datetime) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            col(Contract.id), col(Contract.cap), col(Contract.prior_1024), col(Contract.depth_shares),
            col(Account.asset), _sum_where(_recorded < begin).label("before"),
            sa.func.sum(_amount).label("after"),
        )
        .join(Account, col(Account.contract_id) == Contract.id)
        .join(Posting, col(Posting.account_id) == Account.id)
        .join(Entry, col(Entry.id) == Posting.entry_id)
        .where(
            col(Contract.id).in_(numbers), col(Account.trader_id).is_(None), col(Account.asset) != CREDITS,
            _recorded < end,
        )
        .group_by(
            col(Contract.id), col(Contract.cap), col(Contract.prior_1024), col(Contract.depth_shares),
            col(Account.asset),
        )
    )  # fmt: skip


def _sum_where(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[Any]:
    return sa.func.sum(sa.case((condition, _amount), else_=0))


def _equity(had: _Had, contracts: Mapping[int, _Traded], which: int) -> int:
    positions = (contracts[number].value(which, held) for number, held in had.shares.items())
    return had.credit_units + sum(positions)


def _side_of(asset: str) -> Side:
    """The side of an asset that is shares, as `entries.share_asset` names it."""
    return Side(asset.rpartition(":")[2])
