"""The market in memory: the orders that were filled, played again through the same rules. Pure.

Nothing is read but what people and the operator did: sign-ups, openings, orders, cancellations, sweeps,
settlements, corrections. Every cost, balance, version and hold follows from them, and so does which resting
orders are filled when; a database that says something else has been changed (L15).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from market.entries import (
    HOUSE_SUBSIDY,
    Holder,
    Line,
    grant_lines,
    hold_lines,
    open_lines,
    pool_cash,
    pool_fees,
    resting_trade_lines,
    reversed_lines,
    settle_lines,
    subsidy_lines,
    trade_lines,
    trader_cash,
    trader_position,
)
from market.errors import MarketError
from market.limit_pricing import LimitQuote, limit_priced
from market.limits import LimitRequest, raises_forecast
from market.maker import Side, maker_for
from market.matching import (
    Ended,
    EndedAs,
    Resting,
    Step,
    crossed_by_own,
    next_steps,
    reserved_shares,
    without,
)
from market.money import GRANT_UNITS
from market.orders import Action, OrderRequest, Quote
from market.pricing import ContractState, Trade, check_pool, priced, state_after


class ImpossibleEvent(MarketError):
    """Something that is recorded could not have happened at this point."""


@dataclass(frozen=True, slots=True)
class Played:
    """What an order did: its quote at that state, the version after it, and what followed from it."""

    quote: Quote
    version_after: int
    following: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedLimit:
    """What a limit order did: its quote at that state, and what followed from it."""

    quote: LimitQuote
    following: tuple[Step, ...]


class Replay:
    """A market that begins empty. ``balances`` are by account name; ``contracts`` by their id, settled ones
    with ``is_settled``; ``resting`` are the orders that rest on each, by their id."""

    def __init__(self) -> None:
        self.balances: Counter[str] = Counter()
        self.contracts: dict[int, ContractState] = {}
        self.resting: dict[int, dict[int, Resting]] = {}
        self._holders: dict[int, set[int]] = {}
        self._moved: dict[int, Counter[str]] = {}  # what the entries of each contract come to, by account
        self._settled_by: dict[int, tuple[Line, ...]] = {}

    def grant(self, trader_id: int) -> None:
        """A trader signs up."""
        if trader_cash(trader_id).name in self.balances:
            raise ImpossibleEvent(f"trader {trader_id} signed up before")
        self._post(grant_lines(trader_id, GRANT_UNITS))

    def take_back_grant(self, trader_id: int) -> None:
        """What a trader was granted is taken back."""
        cash = trader_cash(trader_id).name
        self._post(reversed_lines(grant_lines(trader_id, GRANT_UNITS)))
        if self.balances[cash] < 0:
            raise ImpossibleEvent(f"{cash} had less than was granted")

    def open(self, contract_id: int, forecast_milli: int) -> ContractState:
        """A contract is opened on a forecast, in thousandths of a paper; its subsidy is made if need be."""
        if contract_id in self.contracts:
            raise ImpossibleEvent(f"contract {contract_id} was opened before")
        maker = maker_for(Decimal(f"{forecast_milli}e-3"))
        subsidy = maker.subsidy_units()
        shortfall = subsidy - self.balances[HOUSE_SUBSIDY.name]
        if shortfall > 0:
            self._post(subsidy_lines(shortfall))
        self._moved[contract_id] = Counter()
        self._post(open_lines(contract_id, subsidy), contract_id)
        self.contracts[contract_id] = ContractState(contract_id, maker, subsidy, 0, 0, 0, False)
        self.resting[contract_id] = {}
        self._holders[contract_id] = set()
        return self.contracts[contract_id]

    def trade(
        self, trader_id: int, contract_id: int, request: OrderRequest, now: datetime | None = None
    ) -> Played:
        """An order is filled at ``now``, which matters where orders rest. Raises what would refuse it, and
        `ImpossibleEvent` on no open contract."""
        before = self._open(contract_id)
        held, cash, reserved = self._means(trader_id, contract_id, request.side)
        made = priced(request, "", before, held, cash, reserved)
        change = made.share_count if request.action is Action.BUY else -made.share_count
        after = state_after(before, request.side, change)
        trade = Trade(request.side, change, made.cost_units, made.fee_units, before, after)
        self._trade_at_once(trader_id, contract_id, trade)
        is_upward = raises_forecast(request.side, request.action)
        following = self._follow(contract_id, trader_id, is_upward, after.lead, now)
        return Played(made, after.version, following)

    def place_limit(
        self, order: Resting, contract_id: int, request: LimitRequest, now: datetime
    ) -> PlayedLimit:
        """A limit order is taken; ``order`` says whose it is and when it is over. Raises as `trade`."""
        before = self._open(contract_id)
        held, cash, reserved = self._means(order.trader_id, contract_id, request.side)
        made = limit_priced(request, "", before, held, cash, reserved)
        if made.trade:
            self._trade_at_once(order.trader_id, contract_id, made.trade)
        if made.rested_shares:
            self._hold(contract_id, made.placed(order), made.rested_shares)
            self.resting[contract_id][order.order_id] = made.placed(order)
        following = self._follow(contract_id, order.trader_id, request.is_upward, made.reach, now)
        return PlayedLimit(made, following)

    def end(self, contract_id: int, order_id: int, why: EndedAs, now: datetime) -> Ended:
        """What rests of an order is given up: its owner cancels it, or it is over."""
        order = self.resting.get(contract_id, {}).get(order_id)
        if order is None:
            raise ImpossibleEvent(f"order {order_id} does not rest")
        if why is not EndedAs.CANCELLED and (order.ends_at > now or why is not order.ends_as):
            raise ImpossibleEvent(f"order {order_id} cannot have {why.value} by then")
        step = Ended(order, why)
        self._carry_out(contract_id, step)
        return step

    def step(self, contract_id: int, now: datetime) -> Step:
        """The next thing that a sweep does: an order that was left over is filled, or ended."""
        steps = next_steps(self._open(contract_id), self.resting[contract_id].values(), now, most=1)
        if not steps:
            raise ImpossibleEvent(f"no order that rests on contract {contract_id} is reached")
        self._carry_out(contract_id, steps[0])
        return steps[0]

    def settle(self, contract_id: int, counted: int) -> None:
        """A contract is settled on so many papers."""
        state = self._open(contract_id)
        if self.resting[contract_id]:
            raise ImpossibleEvent(f"orders rest on contract {contract_id} while it is settled")
        long_pays, short_pays = (state.maker.payout_units(side, counted) for side in Side)
        holders = [self._holder(trader_id, contract_id) for trader_id in sorted(self._holders[contract_id])]
        holding = [holder for holder in holders if holder.long_shares or holder.short_shares]
        pool, fees = (self.balances[each(contract_id).name] for each in (pool_cash, pool_fees))
        lines = settle_lines(contract_id, pool, holding, long_pays, short_pays, fees)
        self._post(lines, contract_id)
        self._settled_by[contract_id] = lines
        self.contracts[contract_id] = replace(state, is_settled=True)

    def take_back_settlement(self, contract_id: int) -> None:
        """A settlement is taken back; the contract is to be settled anew."""
        lines = self._settled_by.pop(contract_id, None)
        if lines is None:
            raise ImpossibleEvent(f"contract {contract_id} was not settled")
        self._post(reversed_lines(lines), contract_id)
        self.contracts[contract_id] = replace(self.contracts[contract_id], is_settled=False)

    def void(self, contract_id: int) -> None:
        """All that a contract's entries come to is taken back; it takes no orders any more."""
        if contract_id not in self.contracts:
            raise ImpossibleEvent(f"contract {contract_id} was never opened")
        if self.resting.get(contract_id, {}):
            raise ImpossibleEvent(f"orders rest on contract {contract_id} while it is made void")
        lines = [(name, -amount) for name, amount in self._moved[contract_id].items()]
        for name, amount in lines:
            self.balances[name] += amount
        self._moved[contract_id].clear()
        self._settled_by.pop(contract_id, None)
        self.contracts[contract_id] = replace(self.contracts[contract_id], is_settled=True)

    def _open(self, contract_id: int) -> ContractState:
        state = self.contracts.get(contract_id)
        if state is None or state.is_settled:
            raise ImpossibleEvent(f"contract {contract_id} is not open")
        return state

    def _means(self, trader_id: int, contract_id: int, side: Side) -> tuple[int, int, int]:
        """The trader's shares of the side, cash, and shares that their resting orders count for."""
        shares = self.balances[trader_position(trader_id, contract_id, side).name]
        cash = self.balances[trader_cash(trader_id).name]
        return shares, cash, reserved_shares(self.resting[contract_id].values(), trader_id, side)

    def _trade_at_once(self, trader_id: int, contract_id: int, trade: Trade) -> None:
        lines = trade_lines(
            trader_id, contract_id, trade.side, trade.change, trade.cost_units, trade.fee_units
        )
        self._trade(trader_id, contract_id, trade, lines)

    def _trade(self, trader_id: int, contract_id: int, trade: Trade, lines: Iterable[Line]) -> None:
        after = trade.after
        self._post(lines, contract_id)
        issued = after.long if trade.side is Side.LONG else after.short
        check_pool(after, trade.side, self.balances[pool_cash(contract_id).name], issued)
        self.contracts[contract_id] = after
        self._holders[contract_id].add(trader_id)

    def _follow(
        self, contract_id: int, trader_id: int, is_upward: bool, reach: int, now: datetime | None
    ) -> tuple[Step, ...]:
        resting = self.resting[contract_id].values()
        if not resting:
            return ()
        assert now is not None
        crossed = crossed_by_own(resting, trader_id, is_upward, reach)
        steps = (*crossed, *next_steps(self.contracts[contract_id], without(resting, crossed), now))
        for step in steps:
            self._carry_out(contract_id, step)
        return steps

    def _carry_out(self, contract_id: int, step: Step) -> None:
        order, resting = step.order, self.resting[contract_id]
        if isinstance(step, Ended):
            self._hold(contract_id, order, -order.open_shares)
            del resting[order.order_id]
            return
        trade = step.trade
        lines = resting_trade_lines(
            order.trader_id, contract_id, order.side, trade.change, trade.cost_units, trade.fee_units,
            order.hold_each_units or 0,
        )  # fmt: skip
        self._trade(order.trader_id, contract_id, trade, lines)
        left = order.open_shares - abs(trade.change)
        if left:
            resting[order.order_id] = replace(order, open_shares=left)
        else:
            del resting[order.order_id]

    def _hold(self, contract_id: int, order: Resting, share_count: int) -> None:
        lines = hold_lines(order.trader_id, contract_id, order.side, share_count, order.hold_each_units)
        self._post(lines, contract_id)

    def _holder(self, trader_id: int, contract_id: int) -> Holder:
        long, short = (self.balances[trader_position(trader_id, contract_id, side).name] for side in Side)
        return Holder(trader_id, long, short)

    def _post(self, lines: Iterable[Line], contract_id: int | None = None) -> None:
        for line in lines:
            self.balances[line.account.name] += line.amount
            if contract_id is not None:
                self._moved[contract_id][line.account.name] += line.amount
