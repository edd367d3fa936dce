"""How many papers a term is expected to have in a period, from the counts alone: the opening forecast f0.

A term's count is its share of the papers listed, so both are smoothed over the periods (weeks or months),
and the share is drawn towards the term's long-run share with the weight of six papers:

    m   = (A + .3) / (B + .3/p0)          long-run share; p0 = the board's median over its listed terms
    f0  = (a + 6) / (b + 6/m) * Nhat      the same for every horizon
    Var = f0 + f0^2 * (1/(a + 6) + .005 + .003 h + s2)

a, A and b, B sum the term's papers and the papers listed, decayed by .8 and .98 a period; Nhat is the
board's volume smoothed by one half; h is the horizon in periods; s2 is the variance of the logarithm of
volume over Nhat. Measured against other forecasts on 53 weeks of listings (see `trends.md` of the design).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from scipy import stats
from sqlmodel import Session, col

from market.listing import LISTED
from market.periods import period_of
from market.tables import Activity, Board, BoardDay, Listing

SHORT_DECAY, LONG_DECAY, VOLUME_DECAY = 0.8, 0.98, 0.5
PRIOR_PAPERS = 6.0  # how many papers the long-run share weighs in the forecast
LONG_PRIOR_PAPERS = 0.3  # the same of the board's median share in the long-run share
BAND = (0.10, 0.90)  # the interval, as quantiles
THOUSANDTH = Decimal("0.001")
LEAST = Decimal("0.050")  # papers; a contract needs a forecast above nothing
USUAL_VOLUME_VARIANCE = 0.05  # of the logarithm, before the board has shown its own
USUAL_VOLUME_WEIGHT = 2  # observations that this is worth


@dataclass(frozen=True, slots=True)
class Forecast:
    """Papers expected in a period: ``mean``, to three decimals and at least 0.05, and the whole numbers
    ``low`` to ``high`` that hold the count with a probability of about 80 %."""

    mean: Decimal
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class BoardSeries:
    """Papers with each term, ``papers[term, period]``, and papers listed, ``listed[period]``, oldest first.

    ``share`` is the median long-run share of the board's listed terms, above 0 and at most 1.
    """

    papers: NDArray[np.float64]
    listed: NDArray[np.float64]
    share: float


def forecast_from_series(
    papers: Sequence[int], listed: Sequence[int], p0: float, *, horizon: int = 1
) -> Forecast:
    """The forecast of a term with ``papers[i]`` of the ``listed[i]`` papers of period i, oldest first.

    Periods in which nothing was listed carry no information and are skipped. ``p0`` is the share, above 0,
    that a term without history is taken to have; ``horizon`` is 1 for the period after the last, and widens
    the interval only. Without any paper listed the forecast is the least one.
    """
    if len(papers) != len(listed):
        raise ValueError(f"{len(papers)} counts for {len(listed)} periods")
    series = _series(np.array([papers], dtype=np.float64), np.array(listed, dtype=np.float64), p0)
    return _forecasts(series, horizon)[0]


def opening_forecasts(
    session: Session, board: Board, term_ids: Iterable[int], today: date
) -> dict[int, Decimal]:
    """Papers expected per period of the board for each of the terms (f0), from the days until ``today``.

    Only periods that are over count; where there is none yet, as in a board's first week, the running one is
    taken as it stands. Three queries, however many terms.
    """
    ids = sorted(set(term_ids))
    means, _ = _mean_and_variance(board_series(session, board, ids, today), 1)
    return {term: _thousandths(mean) for term, mean in zip(ids, means.tolist(), strict=True)}


def opening_forecast(session: Session, board: Board, term_id: int, today: date) -> Decimal:
    """`opening_forecasts` of one term."""
    return opening_forecasts(session, board, [term_id], today)[term_id]


def forecasts(
    session: Session, board: Board, term_ids: Iterable[int], today: date, *, horizon: int = 1
) -> dict[int, Forecast]:
    """`opening_forecasts` with their intervals."""
    ids = sorted(set(term_ids))
    series = board_series(session, board, ids, today)
    return dict(zip(ids, _forecasts(series, horizon), strict=True))


def board_series(session: Session, board: Board, term_ids: Sequence[int], today: date) -> BoardSeries:
    """The counts per period that a forecast for these terms, in this order, is made from."""
    days = _listed_per_day(session, board, today)
    periods = _per_period(board.period, days, today)
    listed = np.array([sum(days[day] for day in period) for period in periods], dtype=np.float64)
    column = {day: index for index, period in enumerate(periods) for day in period}
    row = {term: index for index, term in enumerate(term_ids)}
    papers = np.zeros((len(row), len(periods)))
    for term, day, count in _papers_per_day(session, board, term_ids, today):
        if day in column:
            papers[row[term], column[day]] += count
    return _series(papers, listed, _median_share(session, board, today, sum(days.values())))


def _series(papers: NDArray[np.float64], listed: NDArray[np.float64], share: float) -> BoardSeries:
    if not 0 < share <= 1:
        raise ValueError(f"a share lies above 0 and at most at 1, not at {share}")
    exposed = listed > 0
    return BoardSeries(papers[:, exposed], listed[exposed], share)


def _mean_and_variance(
    series: BoardSeries, horizon: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    papers, listed = series.papers, series.listed
    short, long = _weights(len(listed), SHORT_DECAY), _weights(len(listed), LONG_DECAY)
    near_papers = papers @ short + PRIOR_PAPERS
    share = (papers @ long + LONG_PRIOR_PAPERS) / (listed @ long + LONG_PRIOR_PAPERS / series.share)
    volume, volume_variance = _volume(listed)
    mean = near_papers / (listed @ short + PRIOR_PAPERS / share) * volume
    mean = np.maximum(mean, float(LEAST))
    spread = 1 / near_papers + 0.005 + 0.003 * horizon + volume_variance
    return mean, mean + mean**2 * spread


def _weights(count: int, decay: float) -> NDArray[np.float64]:
    """The weight of each of ``count`` periods, oldest first; the last one's is 1."""
    return np.power(decay, np.arange(count - 1, -1, -1, dtype=np.float64))


def _volume(listed: NDArray[np.float64]) -> tuple[float, float]:
    """The volume expected of the next period, and the variance of the logarithm of volume over expected."""
    if len(listed) == 0:
        return 0.0, USUAL_VOLUME_VARIANCE
    expected = float(listed[0])
    squares = [USUAL_VOLUME_VARIANCE] * USUAL_VOLUME_WEIGHT
    for volume in listed[1:]:
        squares.append(float(np.log(volume / expected)) ** 2)
        expected = VOLUME_DECAY * expected + (1 - VOLUME_DECAY) * float(volume)
    return expected, sum(squares) / len(squares)


def _forecasts(series: BoardSeries, horizon: int) -> list[Forecast]:
    """A forecast for each term; the interval is that of a negative binomial with its mean and variance."""
    mean, variance = _mean_and_variance(series, horizon)
    chance = mean / variance  # of a success, and below the number of successes, in scipy's terms
    size = mean * chance / (1 - chance)
    low, high = (np.asarray(stats.nbinom.ppf(quantile, size, chance)).tolist() for quantile in BAND)
    return [
        Forecast(_thousandths(mean), int(low), int(high))
        for mean, low, high in zip(mean.tolist(), low, high, strict=True)
    ]


def _thousandths(mean: float) -> Decimal:
    return Decimal(mean).quantize(THOUSANDTH)


def _listed_per_day(session: Session, board: Board, today: date) -> dict[date, int]:
    """Papers listed on each day until ``today`` that has any, in order."""
    days = session.execute(
        sa.select(col(BoardDay.day), col(BoardDay.paper_count))
        .where(col(BoardDay.board_id) == board.id, col(BoardDay.day) <= today, col(BoardDay.paper_count) > 0)
        .order_by(col(BoardDay.day))
    )
    return {row.day: row.paper_count for row in days}


def _per_period(kind: str, days: Iterable[date], today: date) -> list[list[date]]:
    """The days of each period that is over, oldest first; where none is, of the running one."""
    over: dict[str, list[date]] = {}
    running: dict[str, list[date]] = {}
    for day in days:
        period = period_of(kind, day)
        periods = over if period.last_day < today else running
        periods.setdefault(period.name, []).append(day)
    return list((over or running).values())


def _papers_per_day(
    session: Session, board: Board, term_ids: Sequence[int], today: date
) -> Iterable[sa.Row[int, date, int]]:
    of_board = sa.select(col(Activity.term_id), col(Activity.day), col(Activity.paper_count)).where(
        col(Activity.board_id) == board.id, col(Activity.day) <= today
    )
    if len(term_ids) <= 1000:  # more would not fit into one statement everywhere
        return session.execute(of_board.where(col(Activity.term_id).in_(term_ids)))
    wanted = set(term_ids)
    return (row for row in session.execute(of_board) if row[0] in wanted)


def _median_share(session: Session, board: Board, today: date, listed_count: int) -> float:
    """The median over the board's listed terms of papers with the term among the ``listed_count`` papers.

    Half a paper where no listed term has any yet.
    """
    listed = sa.select(col(Listing.term_id)).where(
        col(Listing.board_id) == board.id, col(Listing.status) == LISTED
    )
    papers = session.execute(
        sa.select(sa.func.sum(col(Activity.paper_count)))
        .where(
            col(Activity.board_id) == board.id, col(Activity.day) <= today, col(Activity.term_id).in_(listed)
        )
        .group_by(col(Activity.term_id))
    )
    counts = [float(count) for count in papers.scalars()]
    return float(np.median(counts or [0.5])) / max(listed_count, 1)
