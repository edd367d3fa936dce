"""What an order does to a contract, and every reason to refuse it that lies in the order. Pure.

The quote page, the order and the tests all come through `priced`, so none can say something else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from market.errors import (
    Insolvent,
    InsufficientFunds,
    InsufficientShares,
    InvalidAmount,
    PositionLimit,
    PriceMoved,
)
from market.maker import Maker, Side, cost_of, fee_for, moved, shares_for_spend
from market.money import LIMIT_UNITS, credits_text
from market.orders import Action, OrderRequest, Quote, total_of


@dataclass(frozen=True, slots=True)
class ContractState:
    """A contract as it stands: its maker, the shares that traders hold, and how often it has traded.

    ``id`` is None for a contract that its first trade has yet to open.
    """

    id: int | None
    maker: Maker
    subsidy_units: int
    long: int
    short: int
    version: int
    is_settled: bool
    resting_count: int = 0  # of limit orders
    is_halted: bool = False  # no orders are taken or filled

    @property
    def lead(self) -> int:
        """LONG shares less SHORT shares."""
        return self.long - self.short


@dataclass(frozen=True, slots=True)
class Trade:
    """``change`` shares of ``side`` (negative: sold) that go to a trader for ``cost_units`` and the fee."""

    side: Side
    change: int
    cost_units: int
    fee_units: int
    before: ContractState
    after: ContractState


def traded(contract: ContractState, side: Side, change: int) -> Trade:
    """The trade of so many shares at the contract's state."""
    cost = cost_of(contract.maker, contract.long, contract.short, side, change)
    return Trade(side, change, cost, fee_for(cost), contract, state_after(contract, side, change))


def state_after(contract: ContractState, side: Side, change: int) -> ContractState:
    """The contract after a trade of so many shares."""
    long, short = moved(contract.long, contract.short, side, change)
    return replace(contract, long=long, short=short, version=contract.version + 1)


def priced(
    request: OrderRequest,
    term_label: str,
    contract: ContractState,
    held_shares: int,
    cash_units: int | None,
    reserved_shares: int = 0,
) -> Quote:
    """The order's effect on the contract for somebody with these shares of its side and this cash.

    ``cash_units`` None: whoever asks has no account, and cash is not looked at. ``reserved_shares`` are those
    of the side that resting orders of theirs may still buy or hold for sale; they count for the position
    limit. Raises `InvalidAmount`, `InsufficientShares`, `InsufficientFunds`, `PositionLimit`, `PriceMoved`.
    """
    maker, long, short = contract.maker, contract.long, contract.short
    count = asked_shares(request, contract)
    limit = maker.position_limit()
    check_position(request.side, request.action, count, held_shares, reserved_shares, limit)
    change = count if request.action is Action.BUY else -count
    cost = cost_of(maker, long, short, request.side, change)
    fee = fee_for(cost)
    total = total_of(request.action, cost, fee)
    _check_total(request, cost, total, cash_units)
    after = moved(long, short, request.side, change)
    return Quote(
        request=request,
        term_label=term_label,
        share_count=count,
        cost_units=cost,
        fee_units=fee,
        total_units=total,
        price_before_units=maker.price_units(long, short),
        price_after_units=maker.price_units(*after),
        forecast_before_milli=maker.forecast_milli(long, short),
        forecast_after_milli=maker.forecast_milli(*after),
        cap=maker.cap,
        state_version=contract.version,
        held_shares=held_shares,
        position_limit=limit,
        cash_units=cash_units,
    )


def check_pool(contract: ContractState, side: Side, pool_units: int, issued_shares: int) -> None:
    """Raise `Insolvent` unless the pool is what the state says (L4) and can pay whatever is counted (L5).

    ``pool_units`` and ``issued_shares`` (of ``side``) are what the accounts hold at ``contract``'s state.
    """
    maker, long, short = contract.maker, contract.long, contract.short
    least = maker.solvent_units(long, short)
    if pool_units < least:
        raise Insolvent(f"The pool of contract {contract.id} would hold {pool_units}, and could owe {least}.")
    stated = contract.subsidy_units + maker.potential(long, short)
    if pool_units != stated:
        raise Insolvent(f"The pool of contract {contract.id} would hold {pool_units} instead of {stated}.")
    counted = long if side is Side.LONG else short
    if issued_shares != counted:
        raise Insolvent(f"Contract {contract.id} would count {counted} {side} shares; {issued_shares} exist.")


def asked_shares(request: OrderRequest, contract: ContractState) -> int:
    """How many shares the order is for at the contract's state; raises `InvalidAmount` for none."""
    if request.share_count is not None:
        return request.share_count
    assert request.spend_units is not None
    count = shares_for_spend(contract.maker, contract.long, contract.short, request.side, request.spend_units)
    if count == 0:
        spend = credits_text(request.spend_units)
        raise InvalidAmount(f"{spend} credits do not pay for one share and its fee.")
    return count


def check_position(
    side: Side, action: Action, count: int, held_shares: int, reserved_shares: int, limit: int
) -> None:
    """Raise `PositionLimit` for a buy past the limit, `InsufficientShares` for a sale of too many."""
    if action is Action.BUY and held_shares + reserved_shares + count > limit:
        raise PositionLimit(limit, held_shares, reserved_shares)
    if action is Action.SELL and count > held_shares:
        held = f"{held_shares:,} {side} shares of this contract"
        if reserved_shares:
            held += " that no open order holds"
        sentence = f"You hold {held} and cannot sell {count:,}."
        raise InsufficientShares("position", held_shares, count, sentence)


def _check_total(request: OrderRequest, cost: int, total: int, cash_units: int | None) -> None:
    if request.action is Action.BUY:
        if cost < 1:
            raise InvalidAmount("So few shares would cost less than the smallest unit of money; buy more.")
        if total >= LIMIT_UNITS:
            raise InvalidAmount("No account can hold what these shares cost.")
        if request.limit_units is not None and total > request.limit_units:
            raise PriceMoved(request.limit_units, total)
        if cash_units is not None and total > cash_units:
            cash, needed = credits_text(cash_units), credits_text(total)
            sentence = f"You have {cash} credits, and this order takes {needed}."
            raise InsufficientFunds("cash", cash_units, total, sentence)
        return
    if total < 1:
        raise InvalidAmount("The fee would take all that these shares bring; sell more of them at once.")
    if request.limit_units is not None and total < request.limit_units:
        raise PriceMoved(request.limit_units, total)
