"""Counting days: by paper, anew each time, and closed once."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import ClosedDay, close_day, count_days, rebuild
from market.boards import board_by_code
from market.db import read_session, transact, write_session
from market.errors import DayNotReady
from market.tables import Activity, Board, BoardDay, BoardPaper
from nlp.tables import StoredMention, Term, TermVersion
from tests.market.factories import NOW, add_board, add_paper, add_term

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)


def activity(session: Session, board: Board) -> list[tuple[int, str, int, int]]:
    of_board = select(Activity).where(Activity.board_id == board.id)
    rows = session.exec(of_board.order_by(col(Activity.day), col(Activity.term_id)))
    return [(row.term_id, row.day.isoformat(), row.paper_count, row.mention_count) for row in rows]


def days(session: Session, board: Board) -> dict[date, int]:
    rows = session.exec(select(BoardDay).where(BoardDay.board_id == board.id))
    return {row.day: row.paper_count for row in rows}


def mention_again(session: Session, paper_id: int | None, version_id: int | None, start: int = 300) -> None:
    session.add(
        StoredMention(
            paper_id=paper_id, term_version_id=version_id, start_offset=start, end_offset=start + 4,
            quote="term",
        )
    )  # fmt: skip
    session.flush()


def version_of(session: Session, term: Term) -> int | None:
    return session.exec(select(TermVersion.id).where(TermVersion.term_id == term.id)).first()


def test_a_paper_counts_once_for_each_term_it_carries(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        one, two = add_term(session, "one"), add_term(session, "two")
        paper = add_paper(session, board, SATURDAY, [one, two])
        mention_again(session, paper.id, version_of(session, one))
        add_paper(session, board, SATURDAY, [one])
        add_paper(session, board, SATURDAY)
        add_paper(session, board, SUNDAY, [two])
        add_paper(session, other, SUNDAY, [one])
        assert board.id is not None
        for _ in range(2):
            count_days(session, board.id, [SATURDAY, SUNDAY, SATURDAY, date(2026, 5, 18)], NOW)
            assert activity(session, board) == [
                (one.id, "2026-05-16", 2, 3), (two.id, "2026-05-16", 1, 1), (two.id, "2026-05-17", 1, 1),
            ]  # fmt: skip
            assert days(session, board) == {SATURDAY: 3, SUNDAY: 1}
        assert activity(session, other) == []


def test_a_rebuild_gives_the_counts_of_the_days(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        terms = [add_term(session, f"term {number}") for number in range(5)]
        assert board.id is not None
        for number in range(40):
            day = SATURDAY - timedelta(days=number % 9)
            carried = [term for at, term in enumerate(terms) if (number * 7 + at) % 3 == 0]
            add_paper(session, board, day, carried)
            count_days(session, board.id, [day], NOW)
        counted, listed = activity(session, board), days(session, board)
        # What should not be there goes, what is missing comes back.
        session.execute(sa.delete(Activity).where(col(Activity.day) == SATURDAY))
        session.execute(sa.update(BoardDay).values(paper_count=0))
        wrong = Activity(board_id=board.id, term_id=terms[0].id, day=SUNDAY, paper_count=1, mention_count=1)
        session.add(wrong)
        for _ in range(2):
            rebuild(session, board.id, NOW)
            session.expire_all()
            assert activity(session, board) == counted
            assert days(session, board) == listed


def test_a_paper_highlighted_with_two_versions_counts_by_the_newer(engine: Engine) -> None:
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term")
        older = add_paper(session, board, SATURDAY, [term])
        newer = TermVersion(term_id=term.id, version=2, forms=["term"], highlighter_version=1, created_at=NOW)
        session.add(newer)
        session.flush()
        both = add_paper(session, board, SATURDAY, [term])
        for start in (100, 200):
            mention_again(session, both.id, newer.id, start)
        assert older.id != both.id
        assert board.id is not None
        count_days(session, board.id, [SATURDAY], NOW)
        assert activity(session, board) == [(term.id, "2026-05-16", 2, 3)]


def test_a_day_that_loses_its_papers_counts_none(engine: Engine) -> None:
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term")
        add_paper(session, board, SATURDAY, [term])
        assert board.id is not None
        count_days(session, board.id, [SATURDAY], NOW)
        session.execute(sa.delete(BoardPaper))
        count_days(session, board.id, [SATURDAY], NOW)
        session.expire_all()
        assert activity(session, board) == []
        assert days(session, board) == {SATURDAY: 0}


def test_a_day_is_closed_once_and_late_papers_still_count(engine: Engine) -> None:
    with write_session(engine) as session:
        board, term = add_board(session), add_term(session, "term")
        add_paper(session, board, SATURDAY, [term])
        assert board.id is not None
        count_days(session, board.id, [SATURDAY], NOW)
        first = close_day(session, board, SATURDAY, NOW)
        assert first == ClosedDay("cs.LG", SATURDAY, 1, 1, NOW, was_closed=False)
        add_paper(session, board, SATURDAY, [term])
        count_days(session, board.id, [SATURDAY], NOW)
        session.expire_all()
        again = close_day(session, board, SATURDAY, NOW + timedelta(days=1))
        assert again == ClosedDay("cs.LG", SATURDAY, 2, 1, NOW, was_closed=True)
        assert activity(session, board) == [(term.id, "2026-05-16", 2, 2)]


def test_a_day_that_has_not_come_is_not_closed(engine: Engine) -> None:
    evening = datetime(2026, 5, 17, 3, 0, tzinfo=UTC)  # still Saturday in New York
    with write_session(engine) as session:
        board = add_board(session, time_zone="America/New_York")
        add_paper(session, board, SUNDAY)
        with pytest.raises(DayNotReady, match="Sunday 17 May 2026 has not come yet"):
            close_day(session, board, SUNDAY, evening)
        assert close_day(session, board, SUNDAY, evening + timedelta(hours=1)).paper_count == 1


def test_an_ingest_that_brought_nothing_freezes_no_day(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_paper(session, board, SATURDAY)
        session.add(BoardDay(board_id=board.id, day=date(2026, 5, 15), paper_count=0))
        session.flush()
        for day in (SUNDAY, date(2026, 5, 15)):
            with pytest.raises(DayNotReady, match=r"lists no papers .* ingest FILE"):
                close_day(session, board, day, NOW)
        assert all(row.closed_at is None for row in session.exec(select(BoardDay)))


def test_four_workers_close_a_day_once(engine: Engine) -> None:
    with write_session(engine) as session:
        add_paper(session, add_board(session), SATURDAY)
        session.commit()
    barrier = threading.Barrier(4)
    closed: list[ClosedDay] = []

    def work(number: int) -> None:
        def close(session: Session) -> ClosedDay:
            board = board_by_code(session, "cs.LG")
            return close_day(session, board, SATURDAY, NOW + timedelta(minutes=number))

        barrier.wait()
        closed.append(transact(engine, close))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(day.was_closed for day in closed) == [False, True, True, True]
    assert len({day.closed_at for day in closed}) == 1
    with read_session(engine) as session:
        assert session.exec(select(BoardDay)).one().closed_at == closed[0].closed_at
