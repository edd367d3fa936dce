"""How many papers a term is expected to have in each of the next periods of a board, read from its counters.

The formula is in `expected.py`. Only periods that are over count; the days of the running one, and any later
ones, are taken out of the counters again, so that every day of the past has the forecast it would have had.
As known at an earlier moment, a forecast is made from the activity as it was known then.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col

from market.counters import NONE, Sums, sums
from market.decay import LONG, MIDDLE, number_of, value_at
from market.expected import (
    RECENT_PERIODS,
    Evidence,
    Forecast,
    Outlook,
    exposure,
    forecasts_of,
    outlook,
    thousandths,
    volume_of,
)
from market.known import FIRST, LAST, activity_known, days_known
from market.periods import Period, period_of
from market.tables import Board, TermCounter

TERMS_ASKED_FOR = 1000  # more would not fit into one statement everywhere
PERIODS_AHEAD = 4  # that are open to orders
ONE_DAY = timedelta(days=1)

Papers = dict[int, dict[date, int]]  # of each term that has any, on each day


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a forecast is asked for: terms of a board, on the day ``today``, as known at a moment."""

    session: Session
    board: Board
    ids: Sequence[int]
    today: date
    known_at: datetime | None

    @property
    def running(self) -> Period:
        return period_of(self.board.period, self.today)


@dataclass(frozen=True, slots=True)
class _Past:
    """Papers listed in each period that is over, oldest first and none left out (or in the running one, where
    none is over), and the terms' papers in them."""

    listed: tuple[int, ...]
    evidence: Evidence


def opening_forecasts(
    session: Session, board: Board, term_ids: Iterable[int], today: date
) -> dict[int, Decimal]:
    """Papers expected per period of the board for each of the terms (f0), from the days until ``today``.

    Only periods that are over count; where there is none yet, as in a board's first week, the running one is
    taken as it stands. Three queries, however many terms.
    """
    ids = sorted(set(term_ids))
    past = _past(_Asked(session, board, ids, today, None))
    means = outlook(past.evidence, volume_of(past.listed)).mean
    return {term: thousandths(mean) for term, mean in zip(ids, means.tolist(), strict=True)}


def opening_forecast(session: Session, board: Board, term_id: int, today: date) -> Decimal:
    """`opening_forecasts` of one term."""
    return opening_forecasts(session, board, [term_id], today)[term_id]


def forecasts(
    session: Session,
    board: Board,
    term_ids: Iterable[int],
    today: date,
    *,
    horizon: int = 1,
    known_at: datetime | None = None,
) -> dict[int, Forecast]:
    """`opening_forecasts` with their intervals, ``horizon`` periods ahead; 1 is the next to begin.

    ``known_at`` is the moment whose knowledge they are made from; None is now. For an earlier one the whole
    activity of the terms is read.
    """
    ids = sorted(set(term_ids))
    past = _past(_Asked(session, board, ids, today, known_at))
    return dict(zip(ids, _ahead(past, horizon), strict=True))


def forecasts_ahead(
    session: Session, board: Board, term_ids: Iterable[int], today: date, *, known_at: datetime | None = None
) -> dict[int, tuple[Forecast, ...]]:
    """`forecasts` of the periods that are open to orders, soonest first: one mean, less and less sure."""
    ids = sorted(set(term_ids))
    past = _past(_Asked(session, board, ids, today, known_at))
    by_period = [_ahead(past, horizon) for horizon in range(1, PERIODS_AHEAD + 1)]
    return dict(zip(ids, zip(*by_period, strict=True), strict=True))


def outlook_known(
    session: Session, board: Board, term_ids: Sequence[int], today: date, known_at: datetime
) -> Outlook:
    """What was expected of each of the terms, in this order, in the period after those that are over on
    ``today``, by what was known at that moment."""
    past = _past(_Asked(session, board, term_ids, today, known_at))
    return outlook(past.evidence, volume_of(past.listed))


def _ahead(past: _Past, horizon: int) -> list[Forecast]:
    return forecasts_of(outlook(past.evidence, volume_of(past.listed, horizon), horizon))


def _past(asked: _Asked) -> _Past:
    kind, running = asked.board.period, asked.running.first_day
    days = _listed_per_day(asked)
    over: Counter[int] = Counter()
    for day, count in days.items():
        if day < running:
            over[number_of(kind, day)] += count
    if not over:
        return _first_period(asked, sum(days.values()))
    end = number_of(kind, running)
    listed = tuple(over[number] for number in range(min(over), end))
    totals, recent = _from_counters(asked) if asked.known_at is None else _from_activity(asked)
    evidence = Evidence(
        np.array([value_at(totals.get(term, NONE)[0], LONG, end - 1) for term in asked.ids]),
        np.array([value_at(totals.get(term, NONE)[1], MIDDLE, end - 1) for term in asked.ids]),
        np.array([float(recent[term]) for term in asked.ids]),
        *exposure(listed),
    )
    return _Past(listed, evidence)


def _first_period(asked: _Asked, listed: int) -> _Past:
    """A board's first period, as it stands."""
    papers = _papers(asked, asked.running.first_day, asked.today)
    counted = np.array([float(sum(papers.get(term, {}).values())) for term in asked.ids])
    return _Past((listed,), Evidence(counted, counted, counted, *exposure((listed,))))


def _from_counters(asked: _Asked) -> tuple[dict[int, Sums], Counter[int]]:
    """Each term's sums and its papers in the last periods that are over, with what is later taken out."""
    totals = _counters(asked)
    papers = _papers(asked, _first_recent(asked), LAST)
    running = asked.running.first_day
    for term, of_term in papers.items():
        later = sums(asked.board.period, {day: count for day, count in of_term.items() if day >= running})
        long, middle = totals.get(term, NONE)
        totals[term] = long - later[0], middle - later[1]
    return totals, _recent(asked, papers)


def _from_activity(asked: _Asked) -> tuple[dict[int, Sums], Counter[int]]:
    """The same, from the activity as it was known."""
    papers = _papers(asked, FIRST, asked.running.first_day - ONE_DAY)
    totals = {term: sums(asked.board.period, of_term) for term, of_term in papers.items()}
    return totals, _recent(asked, papers)


def _recent(asked: _Asked, papers: Mapping[int, Mapping[date, int]]) -> Counter[int]:
    first, end = _first_recent(asked), asked.running.first_day
    counted: Counter[int] = Counter()
    for term, of_term in papers.items():
        counted[term] = sum(count for day, count in of_term.items() if first <= day < end)
    return counted


def _first_recent(asked: _Asked) -> date:
    """The first day of the last few periods before the running one."""
    first = asked.running.first_day
    for _ in range(RECENT_PERIODS):
        first = period_of(asked.board.period, first - ONE_DAY).first_day
    return first


def _listed_per_day(asked: _Asked) -> dict[date, int]:
    """Papers listed on each day until today that has any."""
    days = days_known(asked.board.id, asked.known_at, last=asked.today)
    rows = asked.session.execute(sa.select(days.c.day, days.c.paper_count).where(days.c.paper_count > 0))
    return {row.day: row.paper_count for row in rows}


def _counters(asked: _Asked) -> dict[int, Sums]:
    columns = col(TermCounter.term_id), col(TermCounter.long_sum), col(TermCounter.middle_sum)
    of_board = sa.select(*columns).where(col(TermCounter.board_id) == asked.board.id)
    if len(asked.ids) <= TERMS_ASKED_FOR:
        of_board = of_board.where(col(TermCounter.term_id).in_(asked.ids))
    return {row.term_id: (row.long_sum, row.middle_sum) for row in asked.session.execute(of_board)}


def _papers(asked: _Asked, first: date, last: date) -> Papers:
    """Papers with each of the terms on each of these days; where many are asked for, with others too."""
    known = activity_known(asked.board.id, asked.known_at, first=first, last=last)
    of_days = sa.select(known.c.term_id, known.c.day, known.c.paper_count)
    if len(asked.ids) <= TERMS_ASKED_FOR:
        of_days = of_days.where(known.c.term_id.in_(asked.ids))
    papers: Papers = defaultdict(dict)
    for row in asked.session.execute(of_days):
        papers[row.term_id][row.day] = row.paper_count
    return papers
