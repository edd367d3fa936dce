"""Where papers stand: on which boards, on which day of each, in which section and order.

Board, day and section follow from what is known of a paper and from nothing else. When a sighting changes
that, the paper moves; the order within a day is that in which its papers came.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.boards import SUBMITTED, date_on
from market.inserts import insert_new
from market.sightings import Facts
from market.tables import Board, BoardPaper, PlacementEvent
from nlp.arxiv_calendar import listing_day
from nlp.records import Section

_PLACES: sa.Table = BoardPaper.__table__  # type: ignore[attr-defined]
_EVENTS: sa.Table = PlacementEvent.__table__  # type: ignore[attr-defined]
_CHANGING = ("day", "section", "position")


class Placement:
    """Puts papers on boards for as long as one intake goes on.

    Holds a lock on the boards until the transaction ends, so that two intakes follow each other; it does not
    stop orders and watches, which only refer to a board.
    """

    def __init__(self, session: Session, now: datetime) -> None:
        self._session, self._now = session, now
        locked = select(Board).order_by(col(Board.id)).with_for_update(key_share=True)
        self.boards = {board.code: board for board in session.exec(locked)}
        self._ends: dict[tuple[int, date], int] = {}  # the last position taken on each day placed on
        self._touched: set[tuple[int, date]] = set()

    def boards_of(self, categories: Collection[str]) -> list[Board]:
        """The boards whose code is among the categories."""
        return [board for code, board in self.boards.items() if code in categories]

    def place(
        self, papers: Mapping[int, tuple[str, Facts]], known_ids: Collection[int], reread: Collection[int]
    ) -> None:
        """Put each paper, given by its id with identifier and facts, where it belongs on its boards.

        Only those of ``known_ids`` can be on a board already. The days of the papers in ``reread`` are
        touched too, though they stay: their terms, or what counts of them, have changed.
        """
        before = self._places_of(known_ids)
        new: list[tuple[int, int, date, Section]] = []
        moved: list[tuple[int, int, date, Section]] = []
        for paper_id, (identifier, facts) in papers.items():
            if facts.announced is None:
                continue
            for board in self.boards_of(facts.categories):
                day, section = day_on(board, identifier, facts), section_on(board.code, facts)
                place = (_id(board), paper_id, day, section)
                if (stood := before.get(place[:2])) is None:
                    new.append(place)
                elif (stood.day, stood.section) != (day, section):
                    moved.append(place)
                if paper_id in reread:
                    self._touched.add((_id(board), day))
        self._move(moved, before)
        self._add(new)

    def days(self, board: Board) -> list[date]:
        """The days of the board on which something changed that is counted, in order."""
        return sorted(day for board_id, day in self._touched if board_id == board.id)

    def _add(self, places: list[tuple[int, int, date, Section]]) -> None:
        rows = self._rows(places, {})
        insert_new(self._session, BoardPaper, rows)
        self._record(rows)

    def _move(
        self, places: list[tuple[int, int, date, Section]], before: Mapping[tuple[int, int], Any]
    ) -> None:
        if not places:
            return
        rows = self._rows(places, before)
        changes: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in _CHANGING}
        moving = (
            sa.update(_PLACES)
            .where(
                _PLACES.c.board_id == sa.bindparam("on_board"), _PLACES.c.paper_id == sa.bindparam("of_paper")
            )
            .values(changes)
        )
        values = [
            {"on_board": row["board_id"], "of_paper": row["paper_id"]}
            | {f"new_{name}": row[name] for name in _CHANGING}
            for row in rows
        ]
        self._session.connection().execute(moving, values)
        self._record(rows)

    def _rows(
        self, places: list[tuple[int, int, date, Section]], before: Mapping[tuple[int, int], Any]
    ) -> list[dict[str, Any]]:
        """Rows for places: at the end of their day, unless the paper stands on it already."""
        self._find_ends({(board_id, day) for board_id, _, day, _ in places})
        rows = []
        for board_id, paper_id, day, section in places:
            stood = before.get((board_id, paper_id))
            if stood is not None and stood.day == day:
                position = stood.position
            else:
                self._ends[board_id, day] += 1
                position = self._ends[board_id, day]
                self._touched |= {(board_id, day)} | ({(board_id, stood.day)} if stood else set())
            rows.append(
                {
                    "board_id": board_id, "paper_id": paper_id, "day": day, "section": section,
                    "position": position,
                }
            )  # fmt: skip
        return rows

    def _record(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            events = [{**row, "recorded_at": self._now} for row in rows]
            self._session.connection().execute(sa.insert(_EVENTS), events)

    def _places_of(self, paper_ids: Collection[int]) -> dict[tuple[int, int], Any]:
        if not paper_ids:
            return {}
        places = self._session.execute(
            sa.select(
                col(BoardPaper.board_id), col(BoardPaper.paper_id), col(BoardPaper.day),
                col(BoardPaper.section), col(BoardPaper.position),
            ).where(col(BoardPaper.paper_id).in_(paper_ids))
        )  # fmt: skip
        return {(row.board_id, row.paper_id): row for row in places}

    def _find_ends(self, places: set[tuple[int, date]]) -> None:
        unseen = places - self._ends.keys()
        if not unseen:
            return
        self._ends.update(dict.fromkeys(unseen, 0))
        ends = self._session.execute(
            sa.select(col(BoardPaper.board_id), col(BoardPaper.day), sa.func.max(col(BoardPaper.position)))
            .where(
                col(BoardPaper.board_id).in_({board_id for board_id, _ in unseen}),
                col(BoardPaper.day).in_({day for _, day in unseen}),
            )
            .group_by(col(BoardPaper.board_id), col(BoardPaper.day))
        )
        self._ends.update({(board, day): end for board, day, end in ends if (board, day) in unseen})


def day_on(board: Board, identifier: str, facts: Facts) -> date:
    """The day of an announced paper on a board, by the board's day rule.

    Where that rests on the announcement and no source has stated its day, it is the day on which arXiv should
    list what was submitted then; elsewhere, and by the rule "submitted", the date of the submission.
    """
    stated = facts.announced.day if facts.announced else None
    if facts.submitted_at is None or (stated and board.day_rule != SUBMITTED):
        assert stated is not None
        return stated
    if board.day_rule != SUBMITTED and identifier.startswith("arxiv:"):
        return listing_day(facts.submitted_at)
    return date_on(board, facts.submitted_at)


def section_on(code: str, facts: Facts) -> Section:
    """The section in which board ``code`` shows an announced paper: cross-listed unless it is the primary
    category.

    A page of one board calls a paper cross-listed that is new on the board it comes from.
    """
    assert facts.announced is not None
    if code != facts.wording.primary:
        return Section.CROSS
    return Section.NEW if facts.announced.section is Section.CROSS else facts.announced.section


def _id(board: Board) -> int:
    assert board.id is not None
    return board.id
