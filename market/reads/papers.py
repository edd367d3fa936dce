"""The papers of one day of a board, with their mentions and the quotes of their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.reads.highlights import shown_mentions
from market.reads.quotes import TermQuote, quotes_of_keys
from market.tables import Board, BoardDay, BoardPaper
from nlp.records import Mention, ReadingText, Section
from nlp.tables import Paper
from nlp.typeset import runs_from_json


@dataclass(frozen=True, slots=True)
class DayPaper:
    """A paper as a day lists it. ``title`` has no text where the source gave none; ``mentions`` are of the
    abstract."""

    identifier: str
    section: Section
    title: ReadingText
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    url: str | None
    abstract: ReadingText
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class DayOfPapers:
    """The papers of ``day`` in the order of the listing; the listed days around it, None at either end.

    ``quotes`` has every term that a mention names, by its key.
    """

    day: date
    previous_day: date | None
    next_day: date | None
    papers: tuple[DayPaper, ...]
    quotes: Mapping[str, TermQuote]


def day_of_papers(
    session: Session, board: Board, day: date, trader_id: int | None, now: datetime
) -> DayOfPapers:
    """What the board lists on ``day``, nothing at all for most days of a century. At most six queries."""
    assert board.id is not None
    rows = session.execute(_papers(board, day)).all()
    previous_day, next_day = _around(session, board, day, rows)
    mentions = shown_mentions(session, board.id, [row.id for row in rows]) if rows else {}
    keys = {mention.term for found in mentions.values() for mention in found}
    quotes = quotes_of_keys(session, board, keys, trader_id, now) if keys else ()
    papers = tuple(_paper(row, mentions.get(row.id, ())) for row in rows)
    return DayOfPapers(day, previous_day, next_day, papers, {quote.key: quote for quote in quotes})


def _papers(board: Board, day: date) -> sa.Select[Any]:
    # The days around it ride along, so that a page costs no question more for them.
    return (
        sa.select(
            col(Paper.id), col(Paper.identifier), col(Paper.title_text), col(Paper.title_runs),
            col(Paper.authors), col(Paper.categories), col(Paper.url), col(Paper.abstract_text),
            col(Paper.abstract_runs), col(BoardPaper.section),
            _previous_day(board, day), _next_day(board, day),
        )
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(col(BoardPaper.board_id) == board.id, col(BoardPaper.day) == day)
        .order_by(col(BoardPaper.position), col(Paper.id))
    )  # fmt: skip


def _previous_day(board: Board, day: date) -> sa.Label[date | None]:
    return _listed_day(board, sa.func.max(BoardDay.day), col(BoardDay.day) < day).label("previous_day")


def _next_day(board: Board, day: date) -> sa.Label[date | None]:
    return _listed_day(board, sa.func.min(BoardDay.day), col(BoardDay.day) > day).label("next_day")


def _listed_day(
    board: Board, which: sa.ColumnElement[Any], side: sa.ColumnElement[bool]
) -> sa.ScalarSelect[Any]:
    return (
        sa.select(which)
        .where(col(BoardDay.board_id) == board.id, col(BoardDay.paper_count) > 0, side)
        .scalar_subquery()
    )


def _around(
    session: Session, board: Board, day: date, rows: Sequence[Any]
) -> tuple[date | None, date | None]:
    alone = sa.select(_previous_day(board, day), _next_day(board, day))
    row = rows[0] if rows else session.execute(alone).one()
    return row.previous_day, row.next_day


def _paper(row: Any, mentions: tuple[Mention, ...]) -> DayPaper:
    return DayPaper(
        identifier=row.identifier,
        section=Section(row.section),
        title=runs_from_json(row.title_text, row.title_runs),
        authors=tuple(row.authors),
        categories=tuple(row.categories),
        url=row.url,
        abstract=runs_from_json(row.abstract_text, row.abstract_runs),
        mentions=mentions,
    )
