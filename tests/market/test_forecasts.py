"""The opening forecast: the recursion of its specification, and the days it is made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, event
from sqlmodel import Session

from market.db import write_session
from market.forecasts import Forecast, forecast_from_series, forecasts, opening_forecast, opening_forecasts
from market.tables import Activity, Board, BoardDay
from tests.market.factories import add_board, add_term

SUNDAY = date(2026, 5, 17)  # the last day of 2026-W20
MONDAY = SUNDAY + timedelta(days=1)

A_PERIOD = st.integers(1, 900).flatmap(lambda listed: st.tuples(st.integers(0, listed), st.just(listed)))
PERIODS = st.lists(A_PERIOD, max_size=40)


def by_recursion(papers: Sequence[int], listed: Sequence[int], p0: float) -> float:
    """f0 as its specification says it, a period at a time."""
    a = big_a = b = big_b = 0.0
    volume: float | None = None
    for y, n in zip(papers, listed, strict=True):
        a, big_a = 0.8 * a + y, 0.98 * big_a + y
        b, big_b = 0.8 * b + n, 0.98 * big_b + n
        volume = n if volume is None else 0.5 * volume + 0.5 * n
    m = (big_a + 0.3) / (big_b + 0.3 / p0)
    return (a + 6) / (b + 6 / m) * (volume or 0)


@given(PERIODS, st.floats(0.0005, 0.5))
def test_the_forecast_is_that_of_the_recursion(periods: list[tuple[int, int]], p0: float) -> None:
    papers, listed = [y for y, _ in periods], [n for _, n in periods]
    forecast = forecast_from_series(papers, listed, p0)
    expected = max(0.05, by_recursion(papers, listed, p0))
    assert float(forecast.mean) == pytest.approx(expected, abs=0.00051)
    assert forecast.mean == forecast.mean.quantize(Decimal("0.001"))
    assert 0 <= forecast.low <= math.ceil(forecast.mean) <= forecast.high + 1


@given(PERIODS, st.floats(0.0005, 0.5), st.integers(0, 40))
def test_a_period_without_listings_is_skipped(periods: list[tuple[int, int]], p0: float, at: int) -> None:
    gap = [*periods[:at], (0, 0), *periods[at:]]
    with_gap, without = (
        forecast_from_series([y for y, _ in some], [n for _, n in some], p0) for some in (gap, periods)
    )
    assert with_gap == without


def test_a_worked_example() -> None:
    # One week, 10 of 60 papers, median share 2/60: m = 10.3/69, f0 = 16/(60 + 6/m)*60.
    assert forecast_from_series([10], [60], 2 / 60).mean == Decimal("9.581")
    assert forecast_from_series([], [], 0.1) == Forecast(Decimal("0.050"), 0, 0)


def test_a_longer_horizon_is_less_sure_and_expects_the_same() -> None:
    near, far = (forecast_from_series([50] * 20, [500] * 20, 0.05, horizon=horizon) for horizon in (1, 40))
    assert near.mean == far.mean
    assert far.low < near.low < near.mean < near.high < far.high


def test_the_interval_holds_four_outcomes_in_five() -> None:
    # Terms of constant share on a board of steady volume: the band has to hold at least what it says.
    draw = np.random.default_rng(3)
    held = []
    for _ in range(400):
        share = draw.beta(0.6, 20)
        listed = draw.poisson(400, 31)
        papers = draw.binomial(listed, share)
        forecast = forecast_from_series(papers[:30].tolist(), listed[:30].tolist(), 0.02)
        held.append(forecast.low <= papers[30] <= forecast.high)
    assert 0.78 <= np.mean(held) <= 0.97


@pytest.mark.parametrize("p0", [0, -0.1, 1.1, float("nan")])
def test_an_impossible_share_is_refused(p0: float) -> None:
    with pytest.raises(ValueError, match="share"):
        forecast_from_series([1], [10], p0)


def test_counts_without_their_periods_are_refused() -> None:
    with pytest.raises(ValueError, match="2 counts for 1 periods"):
        forecast_from_series([1, 2], [10], 0.1)


def add_day(session: Session, board: Board, day: date, listed: int, papers: dict[int, int]) -> None:
    session.add(BoardDay(board_id=board.id, day=day, paper_count=listed))
    for term, count in papers.items():
        if count:
            session.add(
                Activity(board_id=board.id, term_id=term, day=day, paper_count=count, mention_count=count)
            )
    session.flush()


def two_terms(session: Session, board: Board) -> tuple[int, int]:
    first, second = (add_term(session, label, board).id for label in ("first", "second"))
    assert first is not None
    assert second is not None
    return first, second


def test_weeks_that_are_over_count_and_the_running_one_does_not(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        for weeks, day_papers in ((2, 3), (1, 5)):
            for day in range(5):
                start = SUNDAY - timedelta(days=6 + 7 * weeks)
                add_day(session, board, start + timedelta(days=day), 20, {first: day_papers, second: 1})
        add_day(session, board, SUNDAY, 40, {first: 40})
        running = opening_forecasts(session, board, [first, second], SUNDAY)
        over = opening_forecasts(session, board, [first, second], MONDAY)
    # The running week moves only the median share, which says what is usual on the board.
    share = (80 + 10) / 2 / 240
    assert running[first] == forecast_from_series([15, 25], [100, 100], share).mean
    assert over[first] == forecast_from_series([15, 25, 40], [100, 100, 40], share).mean
    assert over[second] == forecast_from_series([5, 5, 0], [100, 100, 40], share).mean


def test_a_board_in_its_first_week_uses_it_as_it_stands(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        add_day(session, board, SUNDAY - timedelta(days=1), 30, {first: 4, second: 1})
        add_day(session, board, SUNDAY, 30, {first: 6, second: 1})
        found = opening_forecasts(session, board, [first, second], SUNDAY)
        assert found[first] == forecast_from_series([10], [60], 6 / 60).mean
        assert opening_forecast(session, board, second, SUNDAY) == found[second] < found[first]


def test_later_days_and_other_boards_are_not_known(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        first, second = two_terms(session, board)
        add_day(session, board, SUNDAY - timedelta(days=9), 30, {first: 4, second: 2})
        alone = forecasts(session, board, [first], SUNDAY)
        add_day(session, board, SUNDAY + timedelta(days=1), 500, {first: 400})
        add_day(session, other, SUNDAY - timedelta(days=8), 500, {first: 400})
        assert forecasts(session, board, [first], SUNDAY) == alone


def test_months_are_kept_by_month(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session, "tmlr", period="month")
        first, second = two_terms(session, board)
        add_day(session, board, date(2026, 2, 22), 32, {first: 5, second: 1})
        add_day(session, board, date(2026, 3, 1), 20, {first: 2})
        add_day(session, board, date(2026, 3, 31), 20, {first: 2})
        found = opening_forecasts(session, board, [first], date(2026, 4, 1))
    assert found[first] == forecast_from_series([5, 4], [32, 40], 5 / 72).mean


def test_a_board_without_papers_gives_the_least_forecast(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, _ = two_terms(session, board)
        assert opening_forecasts(session, board, [first], SUNDAY) == {first: Decimal("0.050")}
        assert opening_forecasts(session, board, [], SUNDAY) == {}


def test_many_terms_take_three_queries(engine: Engine) -> None:
    statements: list[str] = []
    with write_session(engine) as session:
        board = add_board(session)
        ids = [add_term(session, f"term {number}", board).id for number in range(20)]
        add_day(session, board, SUNDAY, 30, {term: 1 for term in ids if term is not None})
        session.get_one(Board, board.id)
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        opening_forecasts(session, board, [term for term in ids if term is not None], SUNDAY)
    assert len(statements) == 3
