"""Which papers a day lists now, and which it was known to list at a moment."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sqlalchemy import Engine
from sqlmodel import Session

from market.activity import count_days
from market.db import write_session
from market.reads.papers import DayOfPapers, day_of_papers
from market.tables import Board, BoardPaper, PlacementEvent
from nlp.tables import Paper
from tests.market.factories import NOW, add_board, add_paper

FRIDAY, SATURDAY, SUNDAY = date(2026, 5, 15), date(2026, 5, 16), date(2026, 5, 17)
HOUR = timedelta(hours=1)


def place(
    session: Session, board: Board, paper: Paper, day: date, at: datetime, section: str = "new"
) -> None:
    """Put the paper on this day of the board, or move it there, as an intake does."""
    row = session.get_one(BoardPaper, (board.id, paper.id))
    row.day, row.section = day, section
    session.add(row)
    session.add(
        PlacementEvent(
            board_id=board.id, paper_id=paper.id, day=day, section=section, position=row.position,
            recorded_at=at,
        )
    )  # fmt: skip
    session.flush()
    count_days(session, board.id or 0, [FRIDAY, SATURDAY, SUNDAY], at)


def listed(found: DayOfPapers) -> list[tuple[str, str]]:
    return [(paper.identifier, paper.section) for paper in found.papers]


def test_a_day_is_shown_as_it_was_known_to_be(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        early, late, moved = (
            add_paper(session, board, SATURDAY, identifier=name) for name in ("1", "2", "3")
        )
        place(session, board, early, SATURDAY, NOW)
        place(session, board, moved, SATURDAY, NOW)
        place(session, board, late, SATURDAY, NOW + HOUR, "cross")
        place(session, board, moved, FRIDAY, NOW + 2 * HOUR)
        session.add(
            PlacementEvent(
                board_id=other.id, paper_id=early.id, day=FRIDAY, section="cross", position=1,
                recorded_at=NOW + HOUR,
            )
        )  # fmt: skip
        session.flush()

        def seen(day: date, at: datetime | None) -> DayOfPapers:
            return day_of_papers(session, board, day, None, NOW + 3 * HOUR, known_at=at)

        assert listed(seen(SATURDAY, None)) == [("1", "new"), ("2", "cross")]
        assert listed(seen(SATURDAY, NOW + 2 * HOUR)) == [("1", "new"), ("2", "cross")]
        assert listed(seen(SATURDAY, NOW + HOUR)) == [("1", "new"), ("2", "cross"), ("3", "new")]
        assert listed(seen(SATURDAY, NOW)) == [("1", "new"), ("3", "new")]
        assert listed(seen(SATURDAY, NOW - HOUR)) == []
        assert listed(seen(FRIDAY, NOW + HOUR)) == []
        assert listed(seen(FRIDAY, NOW + 2 * HOUR)) == [("3", "new")]


def test_the_days_around_are_those_that_were_known(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        for late, day in enumerate((SATURDAY, SUNDAY, FRIDAY)):
            place(session, board, add_paper(session, board, day, identifier=f"{day}"), day, NOW + late * HOUR)
        around = [
            (found.previous_day, found.next_day)
            for at in (NOW, NOW + HOUR, NOW + 2 * HOUR, None)
            for found in [day_of_papers(session, board, SATURDAY, None, NOW, known_at=at)]
        ]
    assert around == [(None, None), (None, SUNDAY), (FRIDAY, SUNDAY), (FRIDAY, SUNDAY)]
