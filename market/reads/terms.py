"""A term's page: its forecast, its days, its contracts and trades, and the papers that carry it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import date_on, today_of
from market.errors import UnknownTerm
from market.expected import Forecast
from market.forecasts import forecasts_ahead
from market.known import FIRST, LAST, activity_known, days_known
from market.listing import LISTED, listed_term
from market.maker import maker_for
from market.mentioned import MANY, mentioned
from market.naming import root_term
from market.periods import front_periods
from market.reads.highlights import shown_mentions
from market.reads.placed import was_listed
from market.reads.quotes import TermQuote, quotes_of_slugs
from market.reads.related import RelatedOnBoard, related_on_board
from market.reads.term_changes import Part, TermChange, last_change, parts_on_board
from market.reads.term_trades import TapeTrade, TermContract, contracts_of, tape_of, trace_of
from market.tables import Activity, Board, BoardPaper
from nlp.records import Mention, ReadingText
from nlp.tables import Paper, Term, TermVersion
from nlp.typeset import runs_from_json

DAYS_SHOWN = 60  # listed days of the board
PAPERS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class TermDay:
    """Papers with the term among the papers listed on a day."""

    day: date
    paper_count: int
    listed_count: int


@dataclass(frozen=True, slots=True)
class PaperInContext:
    """A paper that carries the term; ``mentions`` are of that term alone and in the abstract."""

    identifier: str
    day: date
    title: ReadingText
    abstract: ReadingText
    mentions: tuple[Mention, ...]
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True)
class TermOnBoard:
    """Everything that a term's page shows. ``trace`` is the LONG price after each trade of the next period's
    contract, oldest first, begun by its opening; empty before the first trade. ``ahead`` is the plain
    forecast of each of the next periods by its name, ``plain`` that of the first. ``delisted`` is the
    decision by which it is no longer listed, None while it is; ``parts`` are terms that have become part of
    it, and ``into`` the address of the one that it is part of, "" while it stands for itself."""

    slug: str
    label: str
    forms: tuple[str, ...]
    is_listed: bool
    delisted: TermChange | None
    parts: tuple[Part, ...]
    into: str
    first_seen: date | None
    paper_count: int
    quote: TermQuote
    plain: Forecast
    ahead: Mapping[str, Forecast]
    related: RelatedOnBoard
    days: tuple[TermDay, ...]
    papers: tuple[PaperInContext, ...]
    contracts: tuple[TermContract, ...]
    tape: tuple[TapeTrade, ...]
    trace: tuple[tuple[datetime, int], ...]


def term_on_board(
    session: Session,
    board: Board,
    slug: str,
    trader_id: int | None,
    now: datetime,
    *,
    known_at: datetime | None = None,
) -> TermOnBoard:
    """The term at this address, or at one that leads there; raises `UnknownTerm`. A fixed number of queries.

    With ``known_at`` as all of it was known at that moment, but for the term's own name and forms.
    """
    listing, term = listed_term(session, board, slug)
    if term.id is None or board.id is None:
        raise UnknownTerm(slug, board.code)
    (quote,) = quotes_of_slugs(session, board, [term.slug], trader_id, now, known_at=known_at)
    today = today_of(board, known_at or now)
    ahead = forecasts_ahead(session, board, [term.id], today, known_at=known_at)[term.id]
    opening_units = maker_for(ahead[0].mean).price_units(0, 0)
    first_seen, paper_count = _sum(session, board.id, term.id, known_at)
    periods = front_periods(board.period, today, len(ahead))
    return TermOnBoard(
        slug=term.slug,
        label=term.label,
        forms=_other_forms(session, term),
        is_listed=listing.status == LISTED,
        delisted=None if listing.status == LISTED else last_change(session, board, term.id),
        parts=parts_on_board(session, board, term.id),
        into="" if term.merged_into_id is None else root_term(session, term).slug,
        first_seen=first_seen,
        paper_count=paper_count,
        quote=quote,
        plain=ahead[0],
        ahead={period.name: forecast for period, forecast in zip(periods, ahead, strict=True)},
        related=related_on_board(session, board, term.id, trader_id, known_at),
        days=_days(session, board.id, term.id, known_at),
        papers=_papers(session, board, term.id, paper_count, known_at),
        contracts=contracts_of(session, board, term.id, today, opening_units, known_at),
        tape=tape_of(session, board.id, term.id, trader_id, known_at),
        trace=trace_of(session, board.id, term.id, quote.period, known_at),
    )


def paper_counts(session: Session, board: Board) -> dict[int, int]:
    """Papers of the board so far with each term that any carries."""
    rows = session.execute(
        sa.select(col(Activity.term_id), sa.func.sum(Activity.paper_count))
        .where(col(Activity.board_id) == board.id)
        .group_by(col(Activity.term_id))
    )
    return {term_id: int(count) for term_id, count in rows}


def _other_forms(session: Session, term: Term) -> tuple[str, ...]:
    forms = session.execute(
        sa.select(col(TermVersion.forms)).where(
            col(TermVersion.term_id) == term.id, col(TermVersion.version) == term.current_version
        )
    ).scalar_one()
    return tuple(form for form in forms if form != term.label)


def _sum(
    session: Session, board_id: int, term_id: int, known_at: datetime | None
) -> tuple[date | None, int]:
    activity = activity_known(board_id, known_at)
    row = session.execute(
        sa.select(
            sa.func.min(activity.c.day), sa.func.coalesce(sa.func.sum(activity.c.paper_count), 0)
        ).where(activity.c.term_id == term_id)
    ).one()
    return row[0], int(row[1])


def _days(
    session: Session, board_id: int, term_id: int, known_at: datetime | None
) -> tuple[TermDay, ...]:
    """The board's last listed days, oldest first, those without the term too."""
    days = days_known(board_id, known_at)
    last = (
        sa.select(days.c.day, days.c.paper_count.label("listed_count"))
        .where(days.c.paper_count > 0)
        .order_by(days.c.day.desc())
        .limit(DAYS_SHOWN)
        .subquery()
    )
    activity = activity_known(board_id, known_at)
    rows = session.execute(
        sa.select(last.c.day, sa.func.coalesce(activity.c.paper_count, 0), last.c.listed_count)
        .outerjoin(activity, sa.and_(activity.c.day == last.c.day, activity.c.term_id == term_id))
        .order_by(last.c.day)
    )
    return tuple(TermDay(*row) for row in rows)


def _since(session: Session, board_id: int, term_id: int, known_at: datetime | None) -> date:
    """The day from which on there are enough papers with the term; the first of all days if there are few."""
    activity = activity_known(board_id, known_at)
    rows = session.execute(
        sa.select(activity.c.day, activity.c.paper_count)
        .where(activity.c.term_id == term_id)
        .order_by(activity.c.day.desc())
        .limit(PAPERS_SHOWN)
    ).all()
    so_far = accumulate(row.paper_count for row in rows)
    days: list[date] = [row.day for row, papers in zip(rows, so_far, strict=True) if papers >= PAPERS_SHOWN]
    return days[0] if days else FIRST


def _papers(
    session: Session, board: Board, term_id: int, paper_count: int, known_at: datetime | None
) -> tuple[PaperInContext, ...]:
    """The newest papers that carry the term, of which there are ``paper_count``."""
    assert board.id is not None
    since = _since(session, board.id, term_id, known_at)
    last = LAST if known_at is None else date_on(board, known_at)
    found = mentioned(board, [term_id], since, last, over_days=paper_count > MANY)
    rows = session.execute(
        sa.select(
            col(Paper.id), col(Paper.identifier), col(BoardPaper.day), col(Paper.title_text),
            col(Paper.title_runs), col(Paper.abstract_text), col(Paper.abstract_runs),
            col(Paper.withdrawn_at),
        )
        .join(found, found.c.paper_id == Paper.id)
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(
            col(BoardPaper.board_id) == board.id, col(BoardPaper.day).between(since, last),
            *was_listed(known_at),
        )
        .order_by(col(BoardPaper.day).desc(), col(BoardPaper.position), col(Paper.id))
        .limit(PAPERS_SHOWN)
    ).all()  # fmt: skip
    mentions = shown_mentions(session, board.id, [row.id for row in rows], term_id)
    return tuple(
        PaperInContext(
            row.identifier,
            row.day,
            runs_from_json(row.title_text, row.title_runs),
            runs_from_json(row.abstract_text, row.abstract_runs),
            mentions[row.id],
            row.withdrawn_at,
        )
        for row in rows
        if row.id in mentions
    )
