"""A trader's watch list: the boards and terms on it, and the newest papers that carry one of those terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.reads.quotes import TermQuote, quotes_of_slugs
from market.tables import Activity, Board, BoardDay, BoardPaper, Watch
from nlp.records import ReadingText
from nlp.tables import Paper, StoredMention, Term, TermVersion
from nlp.typeset import runs_from_json

NEWEST_PAPERS = 50


@dataclass(frozen=True, slots=True)
class WatchedBoard:
    """A board with its newest day that lists papers (None before the first) and how many it lists."""

    code: str
    name: str
    newest_day: date | None
    paper_count: int


@dataclass(frozen=True, slots=True)
class WatchedTerm:
    """A term of a board, its quote, and how many papers of the board's newest day carry it."""

    board: WatchedBoard
    quote: TermQuote
    paper_count: int


@dataclass(frozen=True, slots=True)
class CarriedTerm:
    """A watched term that a paper carries."""

    slug: str
    label: str


@dataclass(frozen=True, slots=True)
class NewPaper:
    """A paper on a board's day, and the watched terms that it carries there, by label."""

    board_code: str
    board_name: str
    day: date
    identifier: str
    title: ReadingText
    authors: tuple[str, ...]
    terms: tuple[CarriedTerm, ...]


@dataclass(frozen=True, slots=True)
class WatchList:
    """What one trader watches. ``papers`` are at most `NEWEST_PAPERS`, newest first, each paper once."""

    boards: tuple[WatchedBoard, ...]
    terms: tuple[WatchedTerm, ...]
    papers: tuple[NewPaper, ...]


def watch_list(session: Session, trader_id: int, now: datetime) -> WatchList:
    """The trader's watch list: two queries, and at most four for each board that terms are watched on."""
    rows = session.execute(_watches(trader_id)).all()
    boards = tuple(_board(row) for row in rows if row.slug is None)
    terms: list[WatchedTerm] = []
    for board, of_board in groupby((row for row in rows if row.slug is not None), key=lambda row: row[0]):
        terms.extend(_terms(session, board, list(of_board), trader_id, now))
    papers = _new_papers(session, trader_id) if terms else ()
    return WatchList(boards, tuple(terms), papers)


def _watches(trader_id: int) -> sa.Select[Any]:
    newest = (
        sa.select(col(BoardDay.board_id), sa.func.max(BoardDay.day).label("day"))
        .where(col(BoardDay.paper_count) > 0)
        .group_by(col(BoardDay.board_id))
        .subquery()
    )
    return (
        sa.select(
            Board, newest.c.day.label("newest_day"), col(BoardDay.paper_count).label("listed_count"),
            col(Term.slug), col(Activity.paper_count).label("carrying_count"),
        )
        .select_from(Watch)
        .join(Board, col(Board.id) == Watch.board_id)
        .outerjoin(Term, col(Term.id) == Watch.term_id)
        .outerjoin(newest, newest.c.board_id == Board.id)
        .outerjoin(BoardDay, sa.and_(col(BoardDay.board_id) == Board.id, col(BoardDay.day) == newest.c.day))
        .outerjoin(
            Activity,
            sa.and_(
                col(Activity.board_id) == Board.id,
                col(Activity.term_id) == Watch.term_id,
                col(Activity.day) == newest.c.day,
            ),
        )
        .where(col(Watch.trader_id) == trader_id)
        .order_by(col(Board.position), col(Board.id), col(Term.label))
    )  # fmt: skip


def _board(row: Any) -> WatchedBoard:
    return WatchedBoard(row.Board.code, row.Board.name, row.newest_day, row.listed_count or 0)


def _terms(
    session: Session, board: Board, rows: Sequence[Any], trader_id: int, now: datetime
) -> list[WatchedTerm]:
    found = quotes_of_slugs(session, board, [row.slug for row in rows], trader_id, now)
    quotes = {quote.slug: quote for quote in found}
    return [WatchedTerm(_board(row), quotes[row.slug], row.carrying_count or 0) for row in rows]


def _new_papers(session: Session, trader_id: int) -> tuple[NewPaper, ...]:
    rows = session.execute(_carrying_papers(trader_id)).all()
    return tuple(_paper(list(group)) for _, group in groupby(rows, key=lambda row: row.paper_id))


def _carrying_papers(trader_id: int) -> sa.Select[Any]:
    """One row for each newest paper, board and watched term of the board that the paper carries there."""
    carried = (
        sa.select(col(BoardPaper.paper_id), col(BoardPaper.board_id), col(BoardPaper.day), col(Watch.term_id))
        .select_from(Watch)
        .join(TermVersion, col(TermVersion.term_id) == Watch.term_id)
        .join(StoredMention, col(StoredMention.term_version_id) == TermVersion.id)
        .join(
            BoardPaper,
            sa.and_(
                col(BoardPaper.paper_id) == StoredMention.paper_id,
                col(BoardPaper.board_id) == Watch.board_id,
            ),
        )
        .where(col(Watch.trader_id) == trader_id, col(TermVersion.is_counted))
        .distinct()
        .cte("carried")
    )
    newest = (
        sa.select(carried.c.paper_id, sa.func.max(carried.c.day).label("day"))
        .group_by(carried.c.paper_id)
        .order_by(sa.desc("day"), carried.c.paper_id.desc())
        .limit(NEWEST_PAPERS)
        .subquery()
    )
    return (
        sa.select(
            newest.c.paper_id, carried.c.day, col(Board.code), col(Board.name),
            col(Term.slug), col(Term.label),
            col(Paper.identifier), col(Paper.title_text), col(Paper.title_runs), col(Paper.authors),
        )
        .join(carried, carried.c.paper_id == newest.c.paper_id)
        .join(Board, col(Board.id) == carried.c.board_id)
        .join(Term, col(Term.id) == carried.c.term_id)
        .join(Paper, col(Paper.id) == newest.c.paper_id)
        .order_by(
            newest.c.day.desc(), newest.c.paper_id.desc(), carried.c.day.desc(),
            col(Board.position), col(Term.label),
        )
    )  # fmt: skip


def _paper(rows: Sequence[Any]) -> NewPaper:
    first = rows[0]
    terms = dict.fromkeys(CarriedTerm(row.slug, row.label) for row in rows)
    return NewPaper(
        board_code=first.code,
        board_name=first.name,
        day=first.day,
        identifier=first.identifier,
        title=runs_from_json(first.title_text, first.title_runs),
        authors=tuple(first.authors),
        terms=tuple(terms),
    )
