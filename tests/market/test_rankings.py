"""Rankings that are kept: the same as computed, not shown once they are untrue, found again later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, event
from sqlmodel import Session, col, select

from market.activity import close_day, count_days
from market.boards import board_by_code
from market.db import read_session, transact, write_session
from market.tables import Activity, Board, BoardPaper, Listing, Ranking, RankingRow
from market.trends import DayAgainstUsual, Trending, keep_rankings, today_against_usual, trending
from nlp.tables import Paper, StoredMention, Term, TermVersion
from tests.market.factories import NOW, add_board, add_paper, add_term

TODAY = date(2026, 5, 17)
HOUR = timedelta(hours=1)

Seen = tuple[Trending, Trending, DayAgainstUsual]


def seen(session: Session, board: Board, at: datetime | None = None, day: date = TODAY) -> Seen:
    return (
        trending(session, board, day, 7, known_at=at), trending(session, board, day, 30, known_at=at),
        today_against_usual(session, board, day, known_at=at),
    )  # fmt: skip


def kept(session: Session, window: int = 7) -> list[tuple[date, datetime]]:
    rows = session.exec(select(Ranking).where(Ranking.window_days == window).order_by(col(Ranking.id)))
    return [(row.day, row.recorded_at) for row in rows]


def fill(session: Session, counts: dict[str, Callable[[int], int]], days: int = 70) -> Board:
    """A board with so many days to TODAY, and papers with each term so many days ago; all counted."""
    board = add_board(session)
    terms = {label: add_term(session, label, board).id for label in counts}
    versions = dict(session.execute(sa.select(col(TermVersion.term_id), col(TermVersion.id))).all())
    papers = [(TODAY - timedelta(days=ago), ago, number) for ago in range(days) for number in range(6)]
    first = _insert(session, [_paper(f"{day}:{number}") for day, _, number in papers])
    places = [
        {"board_id": board.id, "paper_id": first + at, "day": day, "section": "new", "position": number}
        for at, (day, _, number) in enumerate(papers)
    ]
    session.execute(sa.insert(BoardPaper), places)
    mentions = [
        {
            "paper_id": first + at, "term_version_id": versions[terms[label]], "start_offset": 10 * place,
            "end_offset": 10 * place + 4, "quote": "term",
        }
        for at, (_, ago, number) in enumerate(papers)
        for place, (label, count) in enumerate(counts.items())
        if number < count(ago)
    ]  # fmt: skip
    session.execute(sa.insert(StoredMention), mentions)
    count_days(session, board.id or 0, {day for day, _, _ in papers}, NOW - HOUR)
    return board


def _insert(session: Session, rows: list[dict[str, object]]) -> int:
    """Insert the papers; the first one's id, which the others' follow."""
    ids = sa.insert(Paper).returning(col(Paper.id), sort_by_parameter_order=True)
    return min(session.execute(ids, rows).scalars())


def _paper(identifier: str) -> dict[str, object]:
    texts = dict.fromkeys(("title_source", "title_text", "abstract_source", "abstract_text"), "")
    lists = {name: [] for name in ("title_runs", "abstract_runs", "authors", "categories")}
    return {
        **texts, **lists, "identifier": identifier, "source": "arxiv", "text_hash": "0" * 64,
        "typesetter_version": 1, "taken_in_at": NOW,
    }  # fmt: skip


def busy_board(session: Session) -> Board:
    return fill(
        session,
        {
            "rising": lambda ago: 5 if ago < 7 else ago % 8 == 0,
            "rising too": lambda ago: 4 if ago < 8 else ago % 9 == 0,
            "falling": lambda ago: 0 if ago < 7 else 4,
            "new": lambda ago: ago < 3,
            "steady": lambda ago: 2,
        },
    )


def test_a_kept_ranking_is_the_one_that_would_be_computed(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        computed = seen(session, board)
        assert kept(session) == []
        keep_rankings(session, board, NOW)
        assert [len(kept(session, window)) for window in (1, 7, 30)] == [1, 1, 1]
        assert seen(session, board) == computed
    assert [row.label for row in computed[0].rising] == ["rising", "rising too"]
    assert [row.label for row in computed[0].falling] == ["falling"]
    assert [row.label for row in computed[0].new_terms] == ["new"]
    assert computed[2].rows[0].label == "rising"


def test_a_kept_ranking_is_read_and_not_computed(engine: Engine) -> None:
    statements: list[str] = []
    with write_session(engine) as session:
        board = busy_board(session)
        keep_rankings(session, board, NOW)
        session.commit()
    with read_session(engine) as session:
        board = board_by_code(session, "cs.LG")
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        trending(session, board, TODAY, 7)
    assert len(statements) == 4
    assert not any("activity" in statement for statement in statements)


def test_ranks_are_compared_with_the_listing_day_before(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        # The day before, one day with "falling" was still in the window, and one with "new" was not yet.
        before = trending(session, board, TODAY - timedelta(days=1), 7)
        today = trending(session, board, TODAY, 7)
    ranks = {row.label: row.rank for row in before.most_papers}
    for row in today.most_papers:
        assert row.rank_before == ranks.get(row.label)
    assert [row.rank for row in today.most_papers] == list(range(1, len(today.most_papers) + 1))
    assert today.previous_day == before.last_day == TODAY - timedelta(days=1)
    assert [(row.label, row.rank, row.rank_before) for row in today.most_papers][3:] == [("new", 4, 5)]


def test_a_term_that_was_in_no_list_before_has_no_rank_before(engine: Engine) -> None:
    with write_session(engine) as session:
        board = fill(session, {"steady": lambda ago: 2, "sudden": lambda ago: 3 * (ago == 0)})
        shown = trending(session, board, TODAY, 7)
        assert [(row.label, row.rank, row.rank_before) for row in shown.new_terms] == [("sudden", 1, None)]
        assert [(row.label, row.rank, row.rank_before) for row in shown.most_papers] == [
            ("steady", 1, 1), ("sudden", 2, None),
        ]  # fmt: skip


def test_late_papers_are_never_missing_from_a_ranking(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        keep_rankings(session, board, NOW)
        first = seen(session, board)
        term = session.exec(select(Term).where(Term.label == "new")).one()
        late = TODAY - timedelta(days=2)
        add_paper(session, board, late, [term], "late")
        count_days(session, board.id or 0, [late], NOW + HOUR)
        # Not kept anew, and yet what is shown has the late paper ...
        assert kept(session) == [(TODAY, NOW)]
        shown = seen(session, board)
        assert (shown[0].new_terms[0].papers, first[0].new_terms[0].papers) == (4, 3)
        assert (shown[0].exposure, first[0].exposure) == (43, 42)
        # ... until it is, and what was known before stays as it was.
        keep_rankings(session, board, NOW + 2 * HOUR)
        assert kept(session) == [(TODAY, NOW), (TODAY, NOW + 2 * HOUR)]
        assert seen(session, board) == shown
        assert seen(session, board, NOW) == first
        assert seen(session, board, NOW + HOUR) == shown
        assert (first[0].counted_at, shown[0].counted_at) == (NOW - HOUR, NOW + HOUR)


def test_what_was_never_kept_is_known_at_its_moment_too(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        first = seen(session, board)
        term = session.exec(select(Term).where(Term.label == "steady")).one()
        for ago in (0, 9, 40, 62):
            add_paper(session, board, TODAY - timedelta(days=ago), [term], f"late {ago}")
        count_days(session, board.id or 0, (TODAY - timedelta(days=ago) for ago in range(63)), NOW + HOUR)
        assert seen(session, board) != first
        assert seen(session, board, NOW) == first
        nothing = seen(session, board, NOW - 2 * HOUR)
    assert (nothing[0].exposure, nothing[0].checked_count, nothing[0].counted_at) == (0, 0, None)


def test_a_count_outside_the_days_of_a_ranking_leaves_it_true(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        keep_rankings(session, board, NOW)
        early = TODAY - timedelta(days=69)
        add_paper(session, board, early, [], "late")
        count_days(session, board.id or 0, [early], NOW + HOUR)
        keep_rankings(session, board, NOW + HOUR)
        # 7 + 56 days and one before end 63 days ago; 30 + 56 and one go further back.
        assert (len(kept(session, 7)), len(kept(session, 30))) == (1, 2)


def test_closing_keeps_the_ranking_of_the_day_and_of_the_newest(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        early = TODAY - timedelta(days=3)
        for _ in range(2):
            close_day(session, board, early, NOW)
            assert kept(session) == [(early, NOW), (TODAY, NOW)]
        add_paper(session, board, early, [], "late")
        count_days(session, board.id or 0, [early], NOW + HOUR)
        close_day(session, board, early, NOW + HOUR)
        assert kept(session)[2:] == [(early, NOW + HOUR), (TODAY, NOW + HOUR)]


def test_a_term_that_is_delisted_leaves_kept_rankings(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        keep_rankings(session, board, NOW)
        term = session.exec(select(Term).where(Term.label == "rising")).one()
        session.execute(sa.update(Listing).where(col(Listing.term_id) == term.id).values(status="delisted"))
        shown = trending(session, board, TODAY, 7)
        assert [(row.label, row.rank) for row in shown.rising] == [("rising too", 1)]
        assert [row.rank for row in shown.most_papers] == [1, 2, 3]


def test_a_ranking_by_other_formulas_is_not_shown(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        keep_rankings(session, board, NOW)
        before = trending(session, board, TODAY, 7)
        # Only for the test: as if the activity had been other when the ranking was kept.
        session.execute(sa.delete(Activity))
        assert trending(session, board, TODAY, 7) == before
        monkeypatch.setattr("market.rankings.METHOD", 99)
        assert trending(session, board, TODAY, 7).checked_count == 0


def test_weekends_and_holidays_are_no_signal(engine: Engine) -> None:
    with write_session(engine) as session:
        board = busy_board(session)
        shown = trending(session, board, TODAY, 7)
        for idle in range(1, 7):
            assert trending(session, board, TODAY + timedelta(days=idle), 7) == shown
        # A week without papers is one of which nothing can be said.
        empty = trending(session, board, TODAY + timedelta(days=7), 7)
        assert (empty.exposure, empty.rising, empty.falling, empty.new_terms) == (0, (), (), ())
        assert (empty.first_day, empty.last_day) == (
            TODAY + timedelta(days=1), TODAY + timedelta(days=7),
        )  # fmt: skip
        month = trending(session, board, TODAY, 30)
        assert trending(session, board, TODAY + timedelta(days=7), 30) == month


def test_a_day_that_is_being_read_in_does_not_look_like_a_fall(engine: Engine) -> None:
    with write_session(engine) as session:
        board = fill(session, {"steady": lambda ago: 3 if ago else 0, "other": lambda ago: 2 if ago else 0})
        for ago in range(1, 30):
            close_day(session, board, TODAY - timedelta(days=ago), NOW)
        for window in (7, 30):
            shown = trending(session, board, TODAY, window)
            assert shown.falling == ()
            assert shown.open_days == (TODAY,)
        # Six papers of the day are in, none with the terms: a part of a day says nothing yet.
        day = today_against_usual(session, board, TODAY)
        assert (day.is_open, day.exposure, day.rows) == (True, 6, ())
        close_day(session, board, TODAY, NOW + HOUR)
        assert trending(session, board, TODAY, 7).open_days == ()
        assert trending(session, board, TODAY, 7, known_at=NOW).open_days == (TODAY,)


def test_a_ranking_waits_for_a_count_that_is_being_made(engine: Engine) -> None:
    with write_session(engine) as session:
        busy_board(session)
        session.commit()
    waiting = threading.Event()

    def close(session: Session) -> None:
        waiting.set()
        close_day(session, board_by_code(session, "cs.LG"), TODAY, NOW)

    with write_session(engine) as session:
        board = board_by_code(session, "cs.LG")
        term = session.exec(select(Term).where(Term.label == "new")).one()
        late = TODAY - timedelta(days=2)
        add_paper(session, board, late, [term], "late")
        count_days(session, board.id or 0, [late], NOW)
        closing = threading.Thread(target=transact, args=(engine, close))
        closing.start()
        # SQLite lets nobody begin to write; elsewhere the close has begun and must wait at the board.
        waiting.wait(0.5)
        time.sleep(0.1)
        session.commit()
    closing.join()
    statements: list[str] = []
    with read_session(engine) as session:
        board = board_by_code(session, "cs.LG")
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        [row] = trending(session, board, TODAY, 7).new_terms
    assert row.papers == 4
    assert not any("activity" in statement for statement in statements)  # the ranking that was kept has it


@pytest.mark.parametrize("table", ["ranking", "ranking_row"])
def test_rankings_are_kept_for_good(engine: Engine, table: str) -> None:
    with write_session(engine) as session:
        keep_rankings(session, busy_board(session), NOW)
        assert session.exec(select(RankingRow)).first() is not None
        session.commit()
    with engine.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="append-only"):
        connection.exec_driver_sql(f"DELETE FROM {table}")
