"""The market in memory: the orders that were filled, played again through the same rules. Pure.

Nothing is read but what people and the operator did: sign-ups, openings, orders, settlements. Every cost,
balance and version follows from them, so a database that says something else has been changed (L15).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from market.entries import (
    HOUSE_SUBSIDY,
    Holder,
    Line,
    grant_lines,
    open_lines,
    pool_cash,
    settle_lines,
    subsidy_lines,
    trade_lines,
    trader_cash,
    trader_position,
)
from market.errors import MarketError
from market.maker import Side, maker_for, moved
from market.money import GRANT_UNITS
from market.orders import Action, OrderRequest, Quote
from market.pricing import ContractState, check_pool, priced


class ImpossibleEvent(MarketError):
    """Something that is recorded could not have happened at this point."""


@dataclass(frozen=True, slots=True)
class Played:
    """What an order did: its quote at that state, and the version after it."""

    quote: Quote
    version_after: int


class Replay:
    """A market that begins empty. ``balances`` are by account name; ``contracts`` by their id, settled ones
    with ``is_settled``."""

    def __init__(self) -> None:
        self.balances: Counter[str] = Counter()
        self.contracts: dict[int, ContractState] = {}
        self._holders: dict[int, set[int]] = {}

    def grant(self, trader_id: int) -> None:
        """A trader signs up."""
        if trader_cash(trader_id).name in self.balances:
            raise ImpossibleEvent(f"trader {trader_id} signed up before")
        self._post(grant_lines(trader_id, GRANT_UNITS))

    def open(self, contract_id: int, forecast_milli: int) -> ContractState:
        """A contract is opened on a forecast, in thousandths of a paper; its subsidy is made if need be."""
        if contract_id in self.contracts:
            raise ImpossibleEvent(f"contract {contract_id} was opened before")
        maker = maker_for(Decimal(f"{forecast_milli}e-3"))
        subsidy = maker.subsidy_units()
        shortfall = subsidy - self.balances[HOUSE_SUBSIDY.name]
        if shortfall > 0:
            self._post(subsidy_lines(shortfall))
        self._post(open_lines(contract_id, subsidy))
        self.contracts[contract_id] = ContractState(contract_id, maker, subsidy, 0, 0, 0, False)
        self._holders[contract_id] = set()
        return self.contracts[contract_id]

    def trade(self, trader_id: int, contract_id: int, request: OrderRequest) -> Played:
        """An order is filled. Raises what would refuse it, and `ImpossibleEvent` on no open contract."""
        before = self._open(contract_id)
        position = trader_position(trader_id, contract_id, request.side).name
        cash = self.balances[trader_cash(trader_id).name]
        made = priced(request, "", before, self.balances[position], cash)
        change = made.share_count if request.action is Action.BUY else -made.share_count
        long, short = moved(before.long, before.short, request.side, change)
        after = replace(before, long=long, short=short, version=before.version + 1)
        self._post(
            trade_lines(trader_id, contract_id, request.side, change, made.cost_units, made.fee_units)
        )
        issued = long if request.side is Side.LONG else short
        check_pool(after, request.side, self.balances[pool_cash(contract_id).name], issued)
        self.contracts[contract_id] = after
        self._holders[contract_id].add(trader_id)
        return Played(made, after.version)

    def settle(self, contract_id: int, counted: int) -> None:
        """A contract is settled on so many papers."""
        state = self._open(contract_id)
        pays = (state.maker.payout_units(side, counted) for side in Side)
        holders = [self._holder(trader_id, contract_id) for trader_id in sorted(self._holders[contract_id])]
        holding = [holder for holder in holders if holder.long_shares or holder.short_shares]
        self._post(settle_lines(contract_id, self.balances[pool_cash(contract_id).name], holding, *pays))
        self.contracts[contract_id] = replace(state, is_settled=True)

    def _open(self, contract_id: int) -> ContractState:
        state = self.contracts.get(contract_id)
        if state is None or state.is_settled:
            raise ImpossibleEvent(f"contract {contract_id} is not open")
        return state

    def _holder(self, trader_id: int, contract_id: int) -> Holder:
        long, short = (self.balances[trader_position(trader_id, contract_id, side).name] for side in Side)
        return Holder(trader_id, long, short)

    def _post(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.balances[line.account.name] += line.amount
