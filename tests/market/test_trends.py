"""What a board's trends show: a rise that is there, nothing where there is none, no filled-up list."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, event
from sqlmodel import Session

from market.db import engine_for, write_session
from market.tables import Activity, Board, BoardDay, Listing
from market.trends import BASE_DAYS, today_against_usual, trending
from tests.market.factories import add_board, add_term

TODAY = date(2026, 5, 17)
PER_DAY = 60


def fill(session: Session, board: Board, term_id: int | None, counts: dict[int, int]) -> None:
    """Papers with the term so many days ago."""
    for ago, count in counts.items():
        day = TODAY - timedelta(days=ago)
        if count:
            session.add(
                Activity(board_id=board.id, term_id=term_id, day=day, paper_count=count, mention_count=count)
            )
    session.flush()


def add_days(session: Session, board: Board, days: int, papers: int = PER_DAY) -> None:
    for ago in range(days):
        day = TODAY - timedelta(days=ago)
        session.add(BoardDay(board_id=board.id, day=day, paper_count=papers))
    session.flush()


def steady(days: int, count: int = 2) -> dict[int, int]:
    return dict.fromkeys(range(days), count)


@pytest.mark.parametrize("window", [7, 30])
def test_a_rise_a_fall_and_a_newcomer_are_told_apart(engine: Engine, window: int) -> None:
    whole = window + BASE_DAYS
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, whole)
        patterns = {
            "rising": steady(whole, 1) | steady(window, 6),
            "falling": steady(whole, 6) | dict.fromkeys(range(window), 0) | {0: 1},
            "brand new": steady(5, 1),
            "busy": steady(whole, 9),
        }
        for label, counts in patterns.items():
            fill(session, board, add_term(session, label, board).id, counts)
        shown = trending(session, board, TODAY, window)
    assert [row.slug for row in shown.rising] == ["rising"]
    assert [row.slug for row in shown.falling] == ["falling"]
    assert [row.slug for row in shown.new_terms] == ["brand-new"]
    assert [row.slug for row in shown.most_papers] == ["busy", "rising", "brand-new", "falling"]
    row = shown.rising[0]
    assert (row.papers, row.base_papers) == (6 * window, BASE_DAYS)
    assert (row.listed, row.base_listed) == (shown.exposure, shown.base_exposure)
    assert (shown.exposure, shown.base_exposure) == (PER_DAY * window, PER_DAY * BASE_DAYS)
    assert row.usual == pytest.approx(window)
    assert 1.2 <= row.score == row.low < row.ratio < row.high
    assert shown.falling[0].score == pytest.approx(1 / shown.falling[0].high)
    assert shown.checked_count == 4
    assert shown.first_day == TODAY - timedelta(days=window - 1)
    assert (shown.base_first, shown.base_last) == (
        shown.first_day - timedelta(days=56), shown.first_day - timedelta(days=1),
    )  # fmt: skip


def test_days_outside_window_and_base_and_other_boards_do_not_count(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        add_days(session, board, 70)
        term = add_term(session, "term", board, other)
        fill(session, board, term.id, {0: 1, 6: 2, 7: 4, 62: 8, 63: 16, -1: 32})
        fill(session, other, term.id, {0: 64})
        row = trending(session, board, TODAY, 7).most_papers[0]
    assert (row.papers, row.base_papers) == (3, 12)
    assert (row.listed, row.base_listed) == (7 * PER_DAY, 56 * PER_DAY)


def test_a_quiet_board_shows_no_trend(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, 63)
        for number in range(30):
            fill(session, board, add_term(session, f"term {number}", board).id, steady(63, 1 + number % 5))
        shown = trending(session, board, TODAY, 7)
    assert shown.rising == shown.falling == shown.new_terms == ()
    assert len(shown.most_papers) == 20
    assert shown.checked_count == 30


def test_a_jump_of_two_papers_is_too_little(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, 63)
        fill(session, board, add_term(session, "jump", board).id, {0: 2, 40: 1})
        assert trending(session, board, TODAY, 7).rising == ()


def test_without_days_before_the_window_there_is_no_trend(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        empty = trending(session, board, TODAY, 7)
        assert (empty.most_papers, empty.checked_count, empty.exposure) == ((), 0, 0)
        add_days(session, board, 2)
        fill(session, board, add_term(session, "term", board).id, steady(2, 9))
        shown = trending(session, board, TODAY, 7)
    assert shown.rising == shown.falling == shown.new_terms == ()
    assert shown.most_papers[0].q_value == 1


def test_a_delisted_term_is_left_out(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, 63)
        fill(session, board, add_term(session, "term", board).id, steady(7, 9))
        session.execute(sa.update(Listing).values(status="delisted"))
        assert trending(session, board, TODAY, 7).checked_count == 0


def test_another_window_is_refused(engine: Engine) -> None:
    with write_session(engine) as session, pytest.raises(ValueError, match=r"\[7, 30\]"):
        trending(session, add_board(session), TODAY, 14)


def test_one_day_is_shown_against_the_days_before_it(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, 3)
        for label, counts in {"more": {0: 6, 1: 2, 2: 2}, "same": {0: 2, 1: 2}, "gone": {1: 5}}.items():
            fill(session, board, add_term(session, label, board).id, counts)
        shown = today_against_usual(session, board, TODAY)
    assert [(row.slug, row.papers, row.usual) for row in shown.rows] == [("more", 6, 2.0), ("same", 2, 1.0)]
    assert (shown.exposure, shown.base_exposure) == (PER_DAY, 2 * PER_DAY)
    assert shown.rows[0].low < shown.rows[0].ratio < shown.rows[0].high


def test_trends_take_as_many_queries_for_many_terms_as_for_few(engine: Engine) -> None:
    statements: list[str] = []
    counts: list[int] = []
    with write_session(engine) as session:
        board = add_board(session)
        add_days(session, board, 63)
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        for first in (0, 12):
            for number in range(first, 2 * first + 12):
                fill(session, board, add_term(session, f"term {number}", board).id, steady(9, 1))
            session.get_one(Board, board.id)
            statements.clear()
            trending(session, board, TODAY, 30)
            counts.append(len(statements))
    assert counts == [10, 10]


def test_shuffled_days_show_next_to_nothing(sqlite_url: str) -> None:
    # Terms of constant shares on days of uneven volume: whatever is shown is a false discovery.
    draw = np.random.default_rng(11)
    shown = 0
    engine = engine_for(sqlite_url)
    for _ in range(5):
        with write_session(engine) as session:
            board = add_board(session)
            volumes = draw.integers(0, 150, 63)
            for ago, volume in enumerate(volumes):
                day = TODAY - timedelta(days=ago)
                session.add(BoardDay(board_id=board.id, day=day, paper_count=int(volume)))
            for number in range(60):
                carried = draw.binomial(volumes, draw.beta(0.5, 30))
                term = add_term(session, f"t{number}", board)
                fill(session, board, term.id, dict(enumerate(carried.tolist())))
            found = trending(session, board, TODAY, 7)
            shown += len(found.rising) + len(found.falling)
            session.rollback()
    engine.dispose()
    assert shown <= 3  # of 600 chances
