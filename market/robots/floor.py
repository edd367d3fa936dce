"""What the simulated traders look at: the contracts of the busiest terms, as they are public at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from sqlmodel import Session

from market.boards import all_boards, today_of
from market.forecasts import opening_forecasts
from market.maker import maker_for
from market.periods import front_periods
from market.reads.busiest import BusyTerm, busiest_terms, open_contracts
from market.robots.strategy import MarketView
from market.tables import Board

TERMS_PER_BOARD = {"week": 50, "month": 10}
PERIOD_WEIGHTS = (75, 15, 6, 4)  # the nearest period is what most people talk about


@dataclass(frozen=True, slots=True)
class Floor:
    """Every market in view, and how likely each is to be looked at."""

    markets: tuple[MarketView, ...]
    weights: tuple[float, ...]

    def glance(self, chance: Random, count: int) -> list[MarketView]:
        """A few markets, busy ones more often; one may come twice."""
        return chance.choices(self.markets, self.weights, k=count) if self.markets else []


def floor_at(session: Session, now: datetime) -> Floor:
    """What can be seen of all boards at the moment `now` (aware)."""
    markets: list[MarketView] = []
    weights: list[float] = []
    for board in all_boards(session):
        terms = busiest_terms(session, board, now, TERMS_PER_BOARD[board.period])
        seen = _markets(session, board, terms, now)
        markets += seen
        weights += [
            sum(market.paper_counts) * weight
            for market, weight in zip(seen, PERIOD_WEIGHTS * len(terms), strict=True)
        ]
    return Floor(tuple(markets), tuple(weights))


def _markets(session: Session, board: Board, terms: Sequence[BusyTerm], now: datetime) -> list[MarketView]:
    """Each term's front periods in turn."""
    today = today_of(board, now)
    periods = [period.name for period in front_periods(board.period, today, len(PERIOD_WEIGHTS))]
    term_ids = [term.term_id for term in terms]
    forecasts = opening_forecasts(session, board, term_ids, today)
    traded = open_contracts(session, board, term_ids, periods)
    markets = []
    for term in terms:
        plain = maker_for(forecasts[term.term_id])
        for period in periods:
            contract = traded.get((term.term_id, period))
            markets.append(
                MarketView(
                    contract_id=contract.contract_id if contract else None,
                    board=board.code,
                    term=term.slug,
                    period=period,
                    opening_units=contract.opening_milli // 10 if contract else plain.price_units(0, 0),
                    plain_units=plain.price_units(0, 0),
                    recent_units=contract.recent_units if contract else (),
                    depth_shares=contract.depth_shares if contract else plain.depth_shares,
                    paper_counts=term.paper_counts,
                )
            )
    return markets
