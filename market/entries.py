"""What is posted when: the names of the accounts, and the lines of each kind of entry. Pure.

An entry is a list of lines, each an amount added to an account; per asset the amounts sum to zero. The asset
of an account is "credits", or "contract:<id>:LONG" and "contract:<id>:SHORT" for shares. Shares come out of
``pool:<id>:issued:<side>``, which goes negative by as many as traders hold. The fees of a contract's trades
gather in ``pool:<id>:fees``, so that trades of different contracts wait for no common account, and go to
``fees`` when it is settled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from market.errors import UnbalancedEntry
from market.maker import Side
from market.money import LIMIT_UNITS

CREDITS = "credits"
_KEPT = 16_384  # keys of a kind that are made once and remembered


class Kind(StrEnum):
    """Why an entry was posted."""

    GRANT = "grant"  # a trader signed up
    SUBSIDY = "subsidy"  # credits made for the house, which holds too little to open a contract
    OPEN = "open"  # a contract's subsidy moved into its pool
    TRADE = "trade"
    HOLD = "hold"  # what a resting order may need, set aside
    RELEASE = "release"  # what is left of it, returned
    SETTLE = "settle"
    CORRECT = "correct"  # an entry, or a contract from its opening on, taken back


@dataclass(frozen=True, slots=True)
class AccountKey:
    """What an account is, apart from its balance; ``name`` says all the rest."""

    name: str
    asset: str = CREDITS
    trader_id: int | None = None
    contract_id: int | None = None
    may_be_negative: bool = False

    def __hash__(self) -> int:
        return hash(self.name)  # which says all; a trade looks its accounts up some fifty times


@dataclass(frozen=True, slots=True)
class Line:
    """``amount`` units or shares added to ``account``; negative: taken from it."""

    account: AccountKey
    amount: int


@dataclass(frozen=True, slots=True)
class Holder:
    """What a trader holds of a contract when it settles."""

    trader_id: int
    long_shares: int
    short_shares: int


HOUSE_MINT = AccountKey("house:mint", may_be_negative=True)
HOUSE_SUBSIDY = AccountKey("house:subsidy")
FEES = AccountKey("fees")


@lru_cache(_KEPT)
def trader_cash(trader_id: int) -> AccountKey:
    return AccountKey(f"trader:{trader_id}:cash", trader_id=trader_id)


@lru_cache(_KEPT)
def trader_position(trader_id: int, contract_id: int, side: Side) -> AccountKey:
    name = f"trader:{trader_id}:pos:{contract_id}:{side}"
    return AccountKey(name, share_asset(contract_id, side), trader_id, contract_id)


def trader_hold(trader_id: int) -> AccountKey:
    """The credits set aside for the trader's resting buys."""
    return AccountKey(f"trader:{trader_id}:hold", trader_id=trader_id)


def share_hold(trader_id: int, contract_id: int, side: Side) -> AccountKey:
    """The shares set aside for the trader's resting sales."""
    name = f"trader:{trader_id}:hold:{contract_id}:{side}"
    return AccountKey(name, share_asset(contract_id, side), trader_id, contract_id)


@lru_cache(_KEPT)
def pool_cash(contract_id: int) -> AccountKey:
    return AccountKey(f"pool:{contract_id}:cash", contract_id=contract_id)


@lru_cache(_KEPT)
def pool_fees(contract_id: int) -> AccountKey:
    """The fees of the contract's trades, until it is settled."""
    return AccountKey(f"pool:{contract_id}:fees", contract_id=contract_id)


@lru_cache(_KEPT)
def pool_issued(contract_id: int, side: Side) -> AccountKey:
    name = f"pool:{contract_id}:issued:{side}"
    return AccountKey(name, share_asset(contract_id, side), None, contract_id, may_be_negative=True)


def share_asset(contract_id: int, side: Side) -> str:
    return f"contract:{contract_id}:{side}"


_NAMES = re.compile(
    r"trader:(?P<cash>[0-9]+):cash|trader:(?P<trader>[0-9]+):pos:(?P<contract>[0-9]+):(?P<side>LONG|SHORT)"
    r"|trader:(?P<hold>[0-9]+):hold(?::(?P<held_of>[0-9]+):(?P<held>LONG|SHORT))?"
    r"|pool:(?P<pool>[0-9]+):cash|pool:(?P<earner>[0-9]+):fees"
    r"|pool:(?P<issuer>[0-9]+):issued:(?P<issued>LONG|SHORT)"
)


def account_named(name: str) -> AccountKey | None:
    """The account that the name stands for; None when no account is called so."""
    for house in (HOUSE_MINT, HOUSE_SUBSIDY, FEES):
        if name == house.name:
            return house
    found = _NAMES.fullmatch(name)
    if found is None:
        return None
    part = found.groupdict()
    if part["cash"]:
        return trader_cash(int(part["cash"]))
    if part["trader"]:
        return trader_position(int(part["trader"]), int(part["contract"]), Side(part["side"]))
    if part["hold"]:
        trader_id = int(part["hold"])
        if part["held_of"] is None:
            return trader_hold(trader_id)
        return share_hold(trader_id, int(part["held_of"]), Side(part["held"]))
    if part["pool"]:
        return pool_cash(int(part["pool"]))
    if part["earner"]:
        return pool_fees(int(part["earner"]))
    return pool_issued(int(part["issuer"]), Side(part["issued"]))


def grant_lines(trader_id: int, units: int) -> tuple[Line, ...]:
    """A new trader's first cash."""
    return _lines((HOUSE_MINT, -units), (trader_cash(trader_id), units))


def subsidy_lines(units: int) -> tuple[Line, ...]:
    """Credits made for the house."""
    return _lines((HOUSE_MINT, -units), (HOUSE_SUBSIDY, units))


def open_lines(contract_id: int, subsidy_units: int) -> tuple[Line, ...]:
    """A contract's subsidy, from the house into its pool."""
    return _lines((HOUSE_SUBSIDY, -subsidy_units), (pool_cash(contract_id), subsidy_units))


def trade_lines(
    trader_id: int, contract_id: int, side: Side, change: int, cost_units: int, fee_units: int
) -> tuple[Line, ...]:
    """``change`` shares (negative: sold) for ``cost_units`` (negative: proceeds), and the fee."""
    return _lines(
        (trader_cash(trader_id), -cost_units - fee_units),
        (pool_cash(contract_id), cost_units),
        (pool_fees(contract_id), fee_units),
        (pool_issued(contract_id, side), -change),
        (trader_position(trader_id, contract_id, side), change),
    )


def resting_trade_lines(
    trader_id: int,
    contract_id: int,
    side: Side,
    change: int,
    cost_units: int,
    fee_units: int,
    hold_each_units: int,
) -> tuple[Line, ...]:
    """The same for a resting order: what it needs comes out of its hold.

    A buy frees ``hold_each_units`` for each share; what the trade does not take of them is cash again.
    """
    if change > 0:
        freed = change * hold_each_units
        payer, position = (trader_hold(trader_id), -freed), trader_position(trader_id, contract_id, side)
    else:
        freed, payer = 0, (share_hold(trader_id, contract_id, side), change)
    return _lines(
        payer,
        (trader_cash(trader_id), freed - cost_units - fee_units),
        (pool_cash(contract_id), cost_units),
        (pool_fees(contract_id), fee_units),
        (pool_issued(contract_id, side), -change),
        *([(position, change)] if change > 0 else []),
    )


def hold_lines(
    trader_id: int, contract_id: int, side: Side, share_count: int, hold_each_units: int | None
) -> tuple[Line, ...]:
    """So many shares of a resting order provided for; negative: returned.

    A buy sets aside ``hold_each_units`` for each of them; None: a sale, which sets aside the shares.
    """
    if hold_each_units is not None:
        units = share_count * hold_each_units
        return _lines((trader_cash(trader_id), -units), (trader_hold(trader_id), units))
    position = trader_position(trader_id, contract_id, side)
    return _lines((position, -share_count), (share_hold(trader_id, contract_id, side), share_count))


def settle_lines(
    contract_id: int,
    pool_units: int,
    holders: Iterable[Holder],
    long_pays: int,
    short_pays: int,
    fee_units: int = 0,
) -> tuple[Line, ...]:
    """Every holder paid, every share taken back, and what is left of the pool returned to the house.

    ``long_pays`` and ``short_pays`` are units a share, ``pool_units`` all that the pool holds, ``fee_units``
    all the fees that it has gathered.
    """
    paid = long_count = short_count = 0
    lines: list[tuple[AccountKey, int]] = []
    for holder in holders:
        payout = holder.long_shares * long_pays + holder.short_shares * short_pays
        paid += payout
        long_count += holder.long_shares
        short_count += holder.short_shares
        lines.append((trader_cash(holder.trader_id), payout))
        lines.append((trader_position(holder.trader_id, contract_id, Side.LONG), -holder.long_shares))
        lines.append((trader_position(holder.trader_id, contract_id, Side.SHORT), -holder.short_shares))
    return _lines(
        (pool_cash(contract_id), -pool_units),
        *lines,
        (pool_issued(contract_id, Side.LONG), long_count),
        (pool_issued(contract_id, Side.SHORT), short_count),
        (HOUSE_SUBSIDY, pool_units - paid),
        (pool_fees(contract_id), -fee_units),
        (FEES, fee_units),
    )


def reversed_lines(lines: Iterable[Line]) -> tuple[Line, ...]:
    """What takes all of that back."""
    return tuple(Line(line.account, -line.amount) for line in lines)


def check_lines(lines: Sequence[Line]) -> None:
    """Raise `UnbalancedEntry` unless these are the lines of an entry.

    That is: at least two, each a whole number other than zero within +-`LIMIT_UNITS`, no account twice, and
    zero in sum for each asset.
    """
    sums: Counter[str] = Counter()
    for line in lines:
        if type(line.amount) is not int or line.amount == 0 or abs(line.amount) >= LIMIT_UNITS:
            raise UnbalancedEntry(f"{line.account.name} cannot be posted {line.amount!r}.")
        sums[line.account.asset] += line.amount
    if len(lines) < 2 or len({line.account.name for line in lines}) < len(lines):
        raise UnbalancedEntry("An entry has at least two lines, each for another account.")
    for asset, total in sums.items():
        if total != 0:
            raise UnbalancedEntry(f"The lines sum to {total} in {asset}, not to 0.")


def _lines(*amounts: tuple[AccountKey, int]) -> tuple[Line, ...]:
    return tuple(Line(account, amount) for account, amount in amounts if amount != 0)
