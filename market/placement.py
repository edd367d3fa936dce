"""Where papers stand: on which boards, on which day of each, in which section and order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.inserts import insert_new
from market.tables import Board, BoardPaper
from nlp.records import RawPaper, Section


class Placement:
    """Puts papers on boards for as long as one intake goes on.

    Holds a lock on the boards until the transaction ends, so that two intakes follow each other; it does not
    stop orders and watches, which only refer to a board.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        locked = select(Board).order_by(col(Board.id)).with_for_update(key_share=True)
        self.boards = {board.code: board for board in session.exec(locked)}
        self._ends: dict[tuple[int, date], int] = {}  # the last position taken on each day placed on

    def boards_of(self, raw: RawPaper) -> list[Board]:
        """The boards whose code is among the paper's categories."""
        return [self.boards[code] for code in dict.fromkeys(raw.categories) if code in self.boards]

    def place(self, sightings: Sequence[tuple[RawPaper, int]], known_ids: Collection[int]) -> None:
        """Put each sighted paper, given with its id, on its boards in this order, unless it is there already.

        Only the papers of ``known_ids`` can be on a board already.
        """
        taken = self._places_of(known_ids)
        wanted: dict[tuple[int, int], tuple[Board, RawPaper]] = {}
        for raw, paper_id in sightings:
            for board in self.boards_of(raw):
                place = (_id(board), paper_id)
                if place not in taken:
                    wanted.setdefault(place, (board, raw))
        self._find_ends({(_id(board), _day(raw)) for board, raw in wanted.values()})
        insert_new(
            self._session,
            BoardPaper,
            [self._row(board, raw, paper_id) for (_, paper_id), (board, raw) in wanted.items()],
        )

    def days(self, board: Board) -> list[date]:
        """The days of the board that papers were placed on, in order."""
        return sorted(day for board_id, day in self._ends if board_id == board.id)

    def _row(self, board: Board, raw: RawPaper, paper_id: int) -> dict[str, Any]:
        place = (_id(board), _day(raw))
        self._ends[place] += 1
        return {
            "board_id": place[0], "paper_id": paper_id, "day": place[1],
            "section": section_on(board.code, raw), "position": self._ends[place],
        }  # fmt: skip

    def _places_of(self, paper_ids: Collection[int]) -> set[tuple[int, int]]:
        if not paper_ids:
            return set()
        places = self._session.execute(
            sa.select(col(BoardPaper.board_id), col(BoardPaper.paper_id)).where(
                col(BoardPaper.paper_id).in_(paper_ids)
            )
        )
        return {(board_id, paper_id) for board_id, paper_id in places}

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


def section_on(code: str, raw: RawPaper) -> Section:
    """The section in which board ``code`` shows the paper: cross-listed unless it is the primary category.

    A page of one board calls a paper cross-listed that is new on the board it comes from.
    """
    if code != raw.categories[0]:
        return Section.CROSS
    return Section.NEW if raw.section is Section.CROSS else raw.section


def _id(board: Board) -> int:
    assert board.id is not None
    return board.id


def _day(raw: RawPaper) -> date:
    assert raw.day is not None
    return raw.day
