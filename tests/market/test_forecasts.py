"""Forecasts from the counters: which days they are made from, and what was known when."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Engine, event
from sqlmodel import Session

from market.activity import count_days
from market.counters import add
from market.db import engine_for, write_session
from market.expected import forecast_from_series
from market.forecasts import forecasts, forecasts_ahead, opening_forecast, opening_forecasts
from market.tables import Activity, Board, BoardDay
from tests.market.factories import NOW, add_board, add_paper, add_term

SUNDAY = date(2026, 5, 17)  # the last day of 2026-W20
MONDAY = SUNDAY + timedelta(days=1)


def add_day(session: Session, board: Board, day: date, listed: int, papers: dict[int, int]) -> None:
    session.add(BoardDay(board_id=board.id, day=day, paper_count=listed))
    for term, count in papers.items():
        if count:
            session.add(
                Activity(board_id=board.id, term_id=term, day=day, paper_count=count, mention_count=count)
            )
    session.flush()
    assert board.id is not None
    add(session, board.id, {(day, term): count for term, count in papers.items()})


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
    assert running[first] == forecast_from_series([15, 25], [100, 100]).mean
    assert running[second] == forecast_from_series([5, 5], [100, 100]).mean
    assert over[first] == forecast_from_series([15, 25, 40], [100, 100, 40]).mean
    assert over[second] == forecast_from_series([5, 5, 0], [100, 100, 40]).mean


def test_a_week_without_papers_passes_too(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        for weeks in (3, 6):
            add_day(session, board, SUNDAY - timedelta(days=7 * weeks), 100, {first: 10, second: 1})
        found = opening_forecasts(session, board, [first], MONDAY)
    assert found[first] == forecast_from_series([10, 0, 0, 10, 0, 0, 0], [100, 0, 0, 100, 0, 0, 0]).mean


def test_a_board_in_its_first_week_uses_it_as_it_stands(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        add_day(session, board, SUNDAY - timedelta(days=1), 30, {first: 4, second: 1})
        add_day(session, board, SUNDAY, 30, {first: 6, second: 1})
        found = opening_forecasts(session, board, [first, second], SUNDAY)
        saturday = opening_forecast(session, board, first, SUNDAY - timedelta(days=1))
        assert found[first] == forecast_from_series([10], [60]).mean
        assert saturday == forecast_from_series([4], [30]).mean
        assert opening_forecast(session, board, second, SUNDAY) == found[second] < found[first]


def test_later_days_and_other_boards_are_not_known(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        first, second = two_terms(session, board)
        add_day(session, board, SUNDAY - timedelta(days=9), 30, {first: 4, second: 2})
        alone = forecasts(session, board, [first], SUNDAY)
        add_day(session, board, SUNDAY + timedelta(days=1), 500, {first: 400})
        add_day(session, board, SUNDAY + timedelta(days=90), 500, {first: 400})
        add_day(session, other, SUNDAY - timedelta(days=8), 500, {first: 400})
        assert forecasts(session, board, [first], SUNDAY) == alone


def test_any_past_day_has_the_forecast_that_it_had(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        on_the_day = {}
        for week in range(30):
            day = date(2025, 11, 3) + timedelta(days=7 * week)
            on_the_day[day] = forecasts(session, board, [first, second], day)
            add_day(session, board, day, 40 + week % 7, {first: week % 5, second: week % 2})
        for day, before in list(on_the_day.items())[1:]:
            # The day's own papers came after the forecast and count from the next week on.
            assert forecasts(session, board, [first, second], day) == before


def test_months_are_kept_by_month(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session, "tmlr", period="month")
        first, second = two_terms(session, board)
        add_day(session, board, date(2026, 2, 22), 32, {first: 5, second: 1})
        add_day(session, board, date(2026, 3, 1), 20, {first: 2})
        add_day(session, board, date(2026, 3, 31), 20, {first: 2})
        found = opening_forecasts(session, board, [first], date(2026, 4, 1))
    assert found[first] == forecast_from_series([5, 4], [32, 40]).mean


def test_a_board_without_papers_gives_the_least_forecast(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, _ = two_terms(session, board)
        assert opening_forecasts(session, board, [first], SUNDAY) == {first: Decimal("0.050")}
        assert opening_forecasts(session, board, [], SUNDAY) == {}


def test_the_open_periods_have_a_forecast_each(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        for weeks in range(1, 9):
            papers = {first: 30 + weeks, second: 1}
            add_day(session, board, SUNDAY - timedelta(days=7 * weeks), 200 + 30 * (weeks % 3), papers)
        ahead = forecasts_ahead(session, board, [first, second], SUNDAY)
        one_by_one = [forecasts(session, board, [first], SUNDAY, horizon=horizon) for horizon in range(1, 5)]
    assert ahead[first] == tuple(found[first] for found in one_by_one)
    assert len({forecast.mean for forecast in ahead[first]}) == 1
    widths = [forecast.high - forecast.low for forecast in ahead[first]]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_a_late_paper_is_known_from_its_moment_on(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term = add_term(session, "first", board)
        assert board.id is not None
        assert term.id is not None
        moments: list[datetime] = []
        for number, day in enumerate([8, 15, 8, 9, 15], 1):
            moments.append(NOW + timedelta(hours=number))
            add_paper(session, board, SUNDAY - timedelta(days=day), [term] if number % 2 else [])
            count_days(session, board.id, [SUNDAY - timedelta(days=day)], moments[-1])
        known = [
            forecasts(session, board, [term.id], SUNDAY, known_at=moment)[term.id] for moment in moments
        ]
        now = forecasts(session, board, [term.id], SUNDAY)[term.id]
        before = forecasts(session, board, [term.id], SUNDAY, known_at=NOW)[term.id]
    series = [([1], [1]), ([0, 1], [1, 1]), ([0, 2], [1, 2]), ([0, 2], [1, 3]), ([1, 2], [2, 3])]
    assert known == [forecast_from_series(papers, listed) for papers, listed in series]
    assert now == known[-1]
    assert before == forecast_from_series([], [])


@pytest.mark.parametrize("count", [1, 20])
def test_many_terms_take_three_queries(engine: Engine, count: int) -> None:
    statements: list[str] = []
    with write_session(engine) as session:
        board = add_board(session)
        ids = [add_term(session, f"term {number}", board).id for number in range(count)]
        terms = [term for term in ids if term is not None]
        add_day(session, board, SUNDAY - timedelta(days=7), 30, dict.fromkeys(terms, 1))
        session.get_one(Board, board.id)
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        opening_forecasts(session, board, terms, SUNDAY)
    assert len(statements) == 3


def test_more_terms_than_a_statement_takes(sqlite_url: str) -> None:
    engine = engine_for(sqlite_url)
    with write_session(engine) as session:
        board = add_board(session)
        first, second = two_terms(session, board)
        add_day(session, board, SUNDAY - timedelta(days=7), 30, {first: 3, second: 1})
        many = opening_forecasts(session, board, [first, second, *range(10_000, 50_000)], SUNDAY)
        few = opening_forecasts(session, board, [first, second, 10_000], SUNDAY)
    engine.dispose()
    assert {term: many[term] for term in few} == few
