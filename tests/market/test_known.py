"""What was known at a moment stays readable, whatever is counted afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import close_day, count_days, rebuild
from market.db import read_session, write_session
from market.known import activity_known, days_known
from market.tables import Activity, Board, BoardPaper, DayCount, PastActivity
from nlp.tables import Paper, Term
from tests.market.factories import NOW, add_board, add_paper, add_term

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)
DAYS = (date(2026, 5, 15), SATURDAY, SUNDAY)
HOUR = timedelta(hours=1)

Known = tuple[list[tuple[object, ...]], list[tuple[object, ...]]]


def known(session: Session, board: Board, at: datetime | None, **days: date) -> Known:
    """Activity and listed papers, without days that list none, in order."""
    activity, listed = activity_known(board.id, at, **days), days_known(board.id, at, **days)
    counts = sa.select(activity.c.day, activity.c.term_id, activity.c.paper_count, activity.c.mention_count)
    papers = sa.select(listed.c.day, listed.c.paper_count).where(listed.c.paper_count > 0)
    return tuple(sorted(tuple(row) for row in session.execute(query)) for query in (counts, papers))  # type: ignore[return-value]


def numbers(session: Session) -> list[tuple[date, int]]:
    rows = session.exec(select(DayCount).order_by(col(DayCount.id)))
    return [(row.day, row.number) for row in rows]


def test_a_late_paper_adds_to_the_present_and_leaves_the_past(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        one, two = add_term(session, "one", board), add_term(session, "two", board)
        add_paper(session, board, SATURDAY, [one])
        count_days(session, board.id or 0, [SATURDAY], NOW)
        before = known(session, board, NOW)
        assert before == ([(SATURDAY, one.id, 1, 1)], [(SATURDAY, 1)])
        add_paper(session, board, SATURDAY, [one, two])
        count_days(session, board.id or 0, [SATURDAY], NOW + HOUR)
        after = ([(SATURDAY, one.id, 2, 2), (SATURDAY, two.id, 1, 1)], [(SATURDAY, 2)])
        assert known(session, board, None) == known(session, board, NOW + HOUR) == after
        assert known(session, board, NOW + HOUR - timedelta(microseconds=1)) == before
        assert known(session, board, NOW - timedelta(microseconds=1)) == ([], [])
        assert numbers(session) == [(SATURDAY, 1), (SATURDAY, 2)]


def test_what_did_not_change_is_not_written_again(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        one, two = add_term(session, "one", board), add_term(session, "two", board)
        add_paper(session, board, SATURDAY, [one])
        add_paper(session, board, SUNDAY, [one, two])
        for later in range(3):
            count_days(session, board.id or 0, [SATURDAY, SUNDAY], NOW + later * HOUR)
        rebuild(session, board.id or 0, NOW + 3 * HOUR)
        assert numbers(session) == [(SATURDAY, 1), (SUNDAY, 1)]
        add_paper(session, board, SUNDAY, [two])
        count_days(session, board.id or 0, [SATURDAY, SUNDAY], NOW + 4 * HOUR)
        assert numbers(session) == [(SATURDAY, 1), (SUNDAY, 1), (SUNDAY, 2)]
        [past] = session.exec(select(PastActivity)).all()
        assert (past.term_id, past.day, past.paper_count, past.since, past.until) == (two.id, SUNDAY, 1, 1, 2)


def test_what_is_known_never_gets_older(engine: Engine) -> None:
    # A clock that was set back must not put new knowledge before old.
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term")
        add_paper(session, board, SATURDAY, [term])
        count_days(session, board.id or 0, [SATURDAY], NOW)
        add_paper(session, board, SUNDAY, [term])
        count_days(session, board.id or 0, [SUNDAY], NOW - HOUR)
        assert [row.recorded_at for row in session.exec(select(DayCount))] == [NOW, NOW]


def test_a_withdrawn_paper_was_listed_and_carries_nothing(engine: Engine) -> None:
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term")
        add_paper(session, board, SATURDAY, [term])
        gone = add_paper(session, board, SATURDAY, [term])
        count_days(session, board.id or 0, [SATURDAY], NOW)
        gone.withdrawn_at = NOW + HOUR
        session.add(gone)
        session.flush()
        count_days(session, board.id or 0, [SATURDAY], NOW + HOUR)
        assert known(session, board, None) == ([(SATURDAY, term.id, 1, 1)], [(SATURDAY, 2)])
        assert known(session, board, NOW) == ([(SATURDAY, term.id, 2, 2)], [(SATURDAY, 2)])


def test_a_day_is_open_until_it_was_closed(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_paper(session, board, SATURDAY)
        count_days(session, board.id or 0, [SATURDAY], NOW)
        close_day(session, board, SATURDAY, NOW + HOUR)
        for at, closed_at in ((NOW, None), (NOW + HOUR, NOW + HOUR), (None, NOW + HOUR)):
            days = days_known(board.id, at)
            assert session.execute(sa.select(days.c.closed_at)).scalars().all() == [closed_at]


def test_the_past_is_never_changed(engine: Engine) -> None:
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term", add_board(session, "stat.ML"))
        for late in range(2):
            add_paper(session, board, SATURDAY, [term])
            count_days(session, board.id or 0, [SATURDAY], NOW + late * HOUR)
        session.commit()
    for table in ("day_count", "past_activity"):
        for statement in (f"UPDATE {table} SET paper_count = 9", f"DELETE FROM {table}"):
            with engine.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="append-only"):
                connection.exec_driver_sql(statement)


def add(session: Session, board: Board, terms: list[Term], day: date, which: int) -> None:
    add_paper(session, board, day, [term for at, term in enumerate(terms) if which >> at & 1])


def move(session: Session, board: Board, terms: list[Term], day: date, which: int) -> None:
    if papers := session.exec(select(BoardPaper).where(BoardPaper.board_id == board.id)).all():
        paper = papers[which % len(papers)]
        paper.day = day
        session.add(paper)


def withdraw(session: Session, board: Board, terms: list[Term], day: date, which: int) -> None:
    if papers := session.exec(select(Paper)).all():
        paper = papers[which % len(papers)]
        paper.withdrawn_at = None if paper.withdrawn_at else NOW
        session.add(paper)


STEPS = st.lists(
    st.tuples(st.sampled_from([add, add, move, withdraw]), st.sampled_from(DAYS), st.integers(0, 7)),
    min_size=1, max_size=8,
)  # fmt: skip
Step = tuple[Callable[[Session, Board, list[Term], date, int], None], date, int]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=1, max_size=5))
def test_every_moment_is_found_again_as_it_was(engine: Engine, counts: list[list[Step]]) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        terms = [add_term(session, label, board) for label in ("one", "two", "three")]
        add_paper(session, other, SATURDAY, terms)
        count_days(session, other.id or 0, [SATURDAY], NOW)
        seen: list[Known] = [([], [])]
        for number, steps in enumerate(counts, 1):
            for step, day, which in steps:
                step(session, board, terms, day, which)
            session.flush()
            count_days(session, board.id or 0, DAYS, NOW + number * HOUR)
            seen.append(known(session, board, None))
        for number, then in enumerate(seen):
            for at in (NOW + number * HOUR, NOW + (number + 0.9) * HOUR):
                assert known(session, board, at) == then
                on_day = known(session, board, at, first=SATURDAY, last=SATURDAY)
                assert on_day == tuple([row for row in part if row[0] == SATURDAY] for part in then)
        # A rebuild from nothing but the stored highlights gives the same, and has nothing to say.
        stored = len(numbers(session))
        rebuild(session, board.id or 0, NOW + 9 * HOUR)
        assert len(numbers(session)) == stored
        session.execute(sa.delete(Activity).where(col(Activity.board_id) == board.id))
        rebuild(session, board.id or 0, NOW + 9 * HOUR)
        assert known(session, board, None) == seen[-1]
        session.rollback()
    with read_session(engine) as session:
        assert session.exec(select(Board)).all() == []
