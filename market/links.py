"""Accounts of one person, linked by the operator: events that are never changed, and who belongs together.

For each pair the last event says whether it is linked. Whoever is linked with somebody who is linked with a
third belongs together with the third too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.entries import HOUSE_MINT
from market.errors import MarketError, UnknownTrader
from market.ledger import lock_accounts
from market.remarks import Remark
from market.tables import LinkEvent, Trader
from market.traders import find_trader


class SameAccount(MarketError):
    """An account is to be linked with itself."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} was given twice; a link is between two accounts.")
        self.name = name


@dataclass(frozen=True, slots=True)
class Link:
    """Two accounts are linked since a moment, for a reason; ``first_id`` is the lesser."""

    first_id: int
    second_id: int
    reason: str
    operator: str
    since: datetime

    def concerns(self, trader_id: int) -> bool:
        return trader_id in (self.first_id, self.second_id)


@dataclass(frozen=True, slots=True)
class LinkChange:
    """What came of a request: whether it changed anything, the accounts' names, and the link that it made,
    ended or found; None when there was none to end."""

    is_changed: bool
    names: tuple[str, str]
    link: Link | None


def link_accounts(session: Session, first: str, second: str, remark: Remark, now: datetime) -> LinkChange:
    """Link the accounts of these names; linking what is linked changes nothing, and says why it is.

    Raises `UnknownTrader` and `SameAccount`; the caller commits.
    """
    return _change(session, first, second, remark, now, on=True)


def unlink_accounts(session: Session, first: str, second: str, remark: Remark, now: datetime) -> LinkChange:
    """End the link between exactly these two; raises as `link_accounts`."""
    return _change(session, first, second, remark, now, on=False)


def links_now(session: Session) -> tuple[Link, ...]:
    """Every link that stands, the oldest first; one query."""
    standing: dict[tuple[int, int], Link] = {}
    for row in session.connection().execute(sa.select(LinkEvent).order_by(col(LinkEvent.id))):
        pair = (row.first_id, row.second_id)
        standing.pop(pair, None)
        if row.is_on:
            standing[pair] = Link(*pair, row.reason, row.operator, row.recorded_at)
    return tuple(standing.values())


def owners(links: Iterable[Link]) -> Mapping[int, int]:
    """For each linked account the least id of those that it belongs together with; others are not named."""
    owner: dict[int, int] = {}

    def found(trader_id: int) -> int:
        while owner.setdefault(trader_id, trader_id) != trader_id:
            trader_id = owner[trader_id]
        return trader_id

    for link in links:
        one, other = sorted((found(link.first_id), found(link.second_id)))
        owner[other] = one
    return {trader_id: found(trader_id) for trader_id in owner}


def _change(
    session: Session, first: str, second: str, remark: Remark, now: datetime, *, on: bool
) -> LinkChange:
    traders = sorted((_trader(session, name) for name in (first, second)), key=_id)
    names = (traders[0].name, traders[1].name)
    pair = (_id(traders[0]), _id(traders[1]))
    if pair[0] == pair[1]:
        raise SameAccount(names[0])
    lock_accounts(session, (HOUSE_MINT,))  # one change of links at a time
    standing = next((link for link in links_now(session) if (link.first_id, link.second_id) == pair), None)
    if on is (standing is not None):
        return LinkChange(False, names, standing)
    session.add(
        LinkEvent(
            first_id=pair[0], second_id=pair[1], is_on=on, reason=remark.reason, operator=remark.operator,
            recorded_at=now,
        )
    )  # fmt: skip
    session.flush()
    return LinkChange(True, names, standing or Link(*pair, remark.reason, remark.operator, now))


def _trader(session: Session, name: str) -> Trader:
    trader = find_trader(session, name)
    if trader is None:
        raise UnknownTrader(f"There is no trader {name!r}.")
    return trader


def _id(trader: Trader) -> int:
    assert trader.id is not None
    return trader.id
