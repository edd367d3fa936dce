"""The papers behind a trend: those of a window that carry each of its terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.mentioned import mentioned
from market.reads.placed import not_withdrawn, was_listed
from market.tables import Board, BoardPaper
from nlp.records import ReadingText
from nlp.tables import Paper
from nlp.typeset import runs_from_json

PAPERS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class TrendPaper:
    """A paper on its day; ``title`` has no text where the source gave none."""

    identifier: str
    day: date
    title: ReadingText


def papers_behind(
    session: Session,
    board: Board,
    term_ids: Iterable[int],
    first: date,
    last: date,
    known_at: datetime | None = None,
) -> dict[int, tuple[TrendPaper, ...]]:
    """The first papers, newest day first, that the board lists from ``first`` to ``last`` with each term.

    With ``known_at`` those that the board was known to list by then, where they stand now. One query.
    """
    asked = sorted(set(term_ids))
    papers: dict[int, tuple[TrendPaper, ...]] = dict.fromkeys(asked, ())
    if not asked:
        return papers
    found: dict[int, list[TrendPaper]] = defaultdict(list)
    for row in session.execute(_statement(board, asked, first, last, known_at)):
        title = runs_from_json(row.title_text, row.title_runs)
        found[row.term_id].append(TrendPaper(row.identifier, row.day, title))
    return papers | {term_id: tuple(of_term) for term_id, of_term in found.items()}


def _statement(
    board: Board, term_ids: list[int], first: date, last: date, known_at: datetime | None
) -> sa.Select[*tuple[Any, ...]]:
    carrying = _carrying(board, term_ids, first, last, known_at)
    place = (carrying.c.day.desc(), carrying.c.position, carrying.c.paper_id)
    rank = sa.func.row_number().over(partition_by=carrying.c.term_id, order_by=place).label("rank")
    ranked = sa.select(carrying, rank).subquery()
    return (
        sa.select(
            ranked.c.term_id, ranked.c.day, col(Paper.identifier), col(Paper.title_text),
            col(Paper.title_runs),
        )
        .join(ranked, ranked.c.paper_id == Paper.id)
        .where(ranked.c.rank <= PAPERS_SHOWN)
        .order_by(ranked.c.term_id, ranked.c.rank)
    )  # fmt: skip


def _carrying(
    board: Board, term_ids: list[int], first: date, last: date, known_at: datetime | None
) -> sa.Subquery:
    """Each term with each paper of the window that carries it."""
    found = mentioned(board, term_ids, first, last)
    return (
        sa.select(found.c.term_id, found.c.paper_id, col(BoardPaper.day), col(BoardPaper.position))
        .join(BoardPaper, col(BoardPaper.paper_id) == found.c.paper_id)
        .join(Paper, col(Paper.id) == found.c.paper_id)
        .where(
            col(BoardPaper.board_id) == board.id, col(BoardPaper.day).between(first, last),
            *was_listed(known_at), not_withdrawn(known_at),
        )
        .subquery()
    )  # fmt: skip
