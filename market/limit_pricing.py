"""What a limit order does: what is filled at once, what rests, what is set aside for it. Pure.

As with `pricing`, the quote page, the order and the replay all come through `limit_priced`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from market.errors import InsufficientFunds, InvalidAmount, NotFilledAtOnce
from market.limits import LimitRequest, Stands, check_limit, hold_each_units, limit_lead, shares_to_limit
from market.matching import Resting
from market.money import LIMIT_UNITS, credits_text
from market.orders import Action, total_of
from market.pricing import ContractState, Trade, check_position, traded


@dataclass(frozen=True, slots=True)
class LimitQuote:
    """What a limit order would do at the contract's state. Amounts in units.

    ``trade`` is what is filled at once, None when nothing is; ``total_units`` the cash that it takes (buy) or
    brings (sale). ``rested_shares`` rest at the lead ``limit``, each with ``hold_each_units`` set aside; None
    for a sale, which sets aside the shares. ``held_shares`` are of the order's side, before it, without those
    set aside; ``cash_units`` is None for a guest.
    """

    request: LimitRequest
    term_label: str
    trade: Trade | None
    total_units: int
    rested_shares: int
    limit: int
    hold_each_units: int | None
    contract: ContractState
    held_shares: int
    reserved_shares: int
    position_limit: int
    cash_units: int | None

    @property
    def filled_shares(self) -> int:
        """The shares that are bought or sold at once."""
        return abs(self.trade.change) if self.trade else 0

    @property
    def hold_units(self) -> int:
        """The credits set aside for what rests; 0 for a sale."""
        return self.rested_shares * (self.hold_each_units or 0)

    @property
    def after(self) -> ContractState:
        """The contract once the order is placed, before anything follows from it."""
        return self.trade.after if self.trade else self.contract

    @property
    def reach(self) -> int:
        """The lead up to which the order plays: where it brings the contract, or its limit if it rests."""
        return self.limit if self.rested_shares else self.after.lead

    def placed(self, order: Resting) -> Resting:
        """``order``, which says whose it is and when it is over, as it rests once it is placed."""
        return replace(
            order, limit=self.limit, open_shares=self.rested_shares, hold_each_units=self.hold_each_units
        )


def limit_priced(
    request: LimitRequest,
    term_label: str,
    contract: ContractState,
    held_shares: int,
    cash_units: int | None,
    reserved_shares: int = 0,
) -> LimitQuote:
    """The order's effect for somebody with these shares of its side and this cash (None: not looked at).

    ``reserved_shares`` as for `priced`. Raises `InvalidLimit`, `InvalidAmount`, `InsufficientShares`,
    `InsufficientFunds`, `PositionLimit` and `NotFilledAtOnce`.
    """
    check_limit(contract.maker, request.forecast_milli)
    most = contract.maker.position_limit()
    check_position(request.side, request.action, request.share_count, held_shares, reserved_shares, most)
    quote = replace(
        drafted(request, term_label, contract),
        held_shares=held_shares,
        reserved_shares=reserved_shares,
        cash_units=cash_units,
    )
    _check_amounts(quote)
    return quote


def drafted(request: LimitRequest, term_label: str, contract: ContractState) -> LimitQuote:
    """The same, whoever asks: without a look at shares and cash. Raises `InvalidLimit`, `NotFilledAtOnce`.

    A sale is for no more shares of its side than there are.
    """
    maker, is_buy = contract.maker, request.action is Action.BUY
    check_limit(maker, request.forecast_milli)
    limit = limit_lead(maker, request.forecast_milli, request.is_upward)
    count = min(request.share_count, shares_to_limit(contract.lead, limit, request.is_upward))
    rest = request.share_count - count
    if rest and request.stands is Stands.AT_ONCE:
        raise NotFilledAtOnce(request.share_count, count)
    trade = traded(contract, request.side, count if is_buy else -count) if count else None
    return LimitQuote(
        request=request,
        term_label=term_label,
        trade=trade,
        total_units=total_of(request.action, trade.cost_units, trade.fee_units) if trade else 0,
        rested_shares=rest,
        limit=limit,
        hold_each_units=hold_each_units(maker, request.side, limit) if is_buy else None,
        contract=contract,
        held_shares=0,
        reserved_shares=0,
        position_limit=maker.position_limit(),
        cash_units=None,
    )


def _check_amounts(quote: LimitQuote) -> None:
    """What would refuse the trade at once, and whether the cash is enough for it and for what rests."""
    if quote.request.action is Action.SELL:
        if quote.trade and quote.total_units < 1:
            raise InvalidAmount("The fee would take all that these shares bring; sell more of them at once.")
        return
    if quote.trade and quote.trade.cost_units < 1:
        raise InvalidAmount("So few shares would cost less than the smallest unit of money; buy more.")
    needed = quote.total_units + quote.hold_units
    if needed >= LIMIT_UNITS:
        raise InvalidAmount("No account can hold what these shares cost.")
    if quote.cash_units is not None and needed > quote.cash_units:
        cash, wanted = credits_text(quote.cash_units), credits_text(needed)
        held = f", {credits_text(quote.hold_units)} of them set aside" if quote.hold_units else ""
        sentence = f"You have {cash} credits, and this order takes {wanted}{held}."
        raise InsufficientFunds("cash", quote.cash_units, needed, sentence)
