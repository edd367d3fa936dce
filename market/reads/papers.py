"""The papers of one day of a board, with their mentions and the quotes of their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.known import days_known
from market.reads.highlights import shown_mentions
from market.reads.quotes import TermQuote, quotes_of_keys
from market.reads.twins import Twin, has_twin, twins_of
from market.tables import Board, BoardPaper, PlacementEvent
from nlp.records import Mention, ReadingText, Section
from nlp.tables import Paper
from nlp.typeset import runs_from_json


@dataclass(frozen=True, slots=True)
class DayPaper:
    """A paper as a day lists it. ``title`` has no text where the source gave none; ``mentions`` are of the
    abstract; ``withdrawn_at`` is when it became known that it was withdrawn; ``twins`` have the same text."""

    identifier: str
    section: Section
    title: ReadingText
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    url: str | None
    abstract: ReadingText
    mentions: tuple[Mention, ...]
    withdrawn_at: datetime | None
    twins: tuple[Twin, ...]


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
    session: Session,
    board: Board,
    day: date,
    trader_id: int | None,
    now: datetime,
    *,
    known_at: datetime | None = None,
) -> DayOfPapers:
    """What the board lists on ``day``, nothing at all for most days of a century. At most seven queries.

    With ``known_at`` the papers that it was known to list at that moment, in their places and with the
    quotes of then; their texts are those of now.
    """
    assert board.id is not None
    rows = session.execute(_papers(board, day, known_at)).all()
    previous_day, next_day = _around(session, board, day, known_at, rows)
    mentions = shown_mentions(session, board.id, [row.id for row in rows]) if rows else {}
    keys = {mention.term for found in mentions.values() for mention in found}
    quotes = quotes_of_keys(session, board, keys, trader_id, now, known_at=known_at) if keys else ()
    twins = twins_of(session, board.id, alike) if (alike := [row.id for row in rows if row.has_twin]) else {}
    papers = tuple(_paper(row, mentions.get(row.id, ()), twins.get(row.id, ()), known_at) for row in rows)
    return DayOfPapers(day, previous_day, next_day, papers, {quote.key: quote for quote in quotes})


def _papers(board: Board, day: date, known_at: datetime | None) -> sa.Select[Any]:
    place = _places(board, day, known_at)
    # The days around it ride along, so that a page costs no question more for them.
    return (
        sa.select(
            col(Paper.id), col(Paper.identifier), col(Paper.title_text), col(Paper.title_runs),
            col(Paper.authors), col(Paper.categories), col(Paper.url), col(Paper.abstract_text),
            col(Paper.abstract_runs), col(Paper.withdrawn_at), has_twin(), place.c.section,
            *_days_around(board, day, known_at),
        )
        .join(place, place.c.paper_id == Paper.id)
        .order_by(place.c.position, col(Paper.id))
    )  # fmt: skip


def _places(board: Board, day: date, known_at: datetime | None) -> sa.Subquery:
    """The papers of the day with their sections and positions."""
    if known_at is None:
        return (
            sa.select(col(BoardPaper.paper_id), col(BoardPaper.section), col(BoardPaper.position))
            .where(col(BoardPaper.board_id) == board.id, col(BoardPaper.day) == day)
            .subquery()
        )
    later = aliased(PlacementEvent)
    moved = sa.exists().where(
        col(later.paper_id) == PlacementEvent.paper_id, col(later.board_id) == board.id,
        col(later.id) > PlacementEvent.id, col(later.recorded_at) <= known_at,
    )  # fmt: skip
    return (
        sa.select(col(PlacementEvent.paper_id), col(PlacementEvent.section), col(PlacementEvent.position))
        .where(
            col(PlacementEvent.board_id) == board.id, col(PlacementEvent.day) == day,
            col(PlacementEvent.recorded_at) <= known_at, ~moved,
        )
        .subquery()
    )  # fmt: skip


def _days_around(
    board: Board, day: date, known_at: datetime | None
) -> tuple[sa.Label[date | None], sa.Label[date | None]]:
    known = days_known(board.id, known_at)
    listed = known.c.paper_count > 0
    previous = sa.select(sa.func.max(known.c.day)).where(listed, known.c.day < day)
    following = sa.select(sa.func.min(known.c.day)).where(listed, known.c.day > day)
    return (
        previous.scalar_subquery().label("previous_day"), following.scalar_subquery().label("next_day"),
    )  # fmt: skip


def _around(
    session: Session, board: Board, day: date, known_at: datetime | None, rows: Sequence[Any]
) -> tuple[date | None, date | None]:
    row = rows[0] if rows else session.execute(sa.select(*_days_around(board, day, known_at))).one()
    return row.previous_day, row.next_day


def _paper(
    row: Any, mentions: tuple[Mention, ...], twins: tuple[Twin, ...], known_at: datetime | None
) -> DayPaper:
    is_marked = row.withdrawn_at is not None and (known_at is None or row.withdrawn_at <= known_at)
    return DayPaper(
        identifier=row.identifier,
        section=Section(row.section),
        title=runs_from_json(row.title_text, row.title_runs),
        authors=tuple(row.authors),
        categories=tuple(row.categories),
        url=row.url,
        abstract=runs_from_json(row.abstract_text, row.abstract_runs),
        mentions=mentions,
        withdrawn_at=row.withdrawn_at if is_marked else None,
        twins=twins,
    )
