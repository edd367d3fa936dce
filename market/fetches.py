"""Fetched papers in, page by page: a page and the place it was read to are stored in one transaction.

Whatever ends a fetch between two pages, the next one begins with the page that was not stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from market.boards import SUBMITTED
from market.errors import MarketError
from market.inserts import insert_one
from market.intake import IntakeReport, take_in
from market.tables import Board, Fetch
from nlp.arxiv_calendar import first_submission
from nlp.arxiv_categories import is_arxiv_category
from nlp.errors import NlpError
from nlp.fetching.answers import Validators
from nlp.fetching.errors import FetchError
from nlp.fetching.pages import FetchedPage


class FetchedMeanwhile(MarketError):
    """Another fetch of the same papers from the same source has stored a page since this one began."""

    def __init__(self, board: str, source: str) -> None:
        super().__init__(
            f"The papers of {board} are being fetched from {source} by another command; nothing of this page "
            f"was stored."
        )
        self.board = board
        self.source = source


@dataclass(frozen=True, slots=True)
class FetchState:
    """How far a board's papers have been fetched from a source; ``cursor`` is "" before the first page, and
    ``validators`` are of the last answer."""

    cursor: str
    validators: Validators


def fetch_state(session: Session, board: Board, source: str) -> FetchState:
    """As the last fetch left it."""
    row = session.exec(_rows(board, source)).one_or_none()
    if row is None:
        return FetchState("", Validators())
    return FetchState(row.cursor, Validators(row.etag, row.last_modified))


def store_page(
    session: Session, board: Board, source: str, page: FetchedPage, before: str, now: datetime
) -> IntakeReport:
    """Take a page's papers in and write down how far that was, in the caller's transaction.

    ``before`` is the cursor that the page was read from; raises `FetchedMeanwhile` where another is stored.
    """
    row = _row(session, board, source)
    if row.cursor != before:
        raise FetchedMeanwhile(board.code, source)
    report = take_in(session, page.papers, now=now, origin=page.origin)
    row.cursor = page.cursor
    if page.validators is not None:
        row.etag, row.last_modified = page.validators.etag, page.validators.last_modified
    if page.is_last:
        row.succeeded_at = now
    session.add(row)
    session.flush()
    return report


def note_failure(session: Session, board: Board, source: str, error: NlpError, now: datetime) -> None:
    """Write down that a fetch failed, and why, for the pages of days whose papers are missing."""
    row = _row(session, board, source)
    row.failed_at = now
    row.error = error.brief if isinstance(error, FetchError) else str(error)
    session.add(row)
    session.flush()


def beginning(board: Board, day: date) -> datetime:
    """The moment from which a source's papers may belong to this day of the board, or to a later one."""
    if board.day_rule != SUBMITTED and is_arxiv_category(board.code):
        return first_submission(day).astimezone(UTC)
    return datetime.combine(day, time(), UTC if board.day_rule != SUBMITTED else ZoneInfo(board.time_zone))


def _rows(board: Board, source: str) -> SelectOfScalar[Fetch]:
    return select(Fetch).where(col(Fetch.board_id) == board.id, col(Fetch.source) == source)


def _row(session: Session, board: Board, source: str) -> Fetch:
    """The row, locked until the transaction ends, made if there is none."""
    values = {"board_id": board.id, "source": source, "cursor": "", "error": ""}
    insert_one(session, Fetch, values)
    found: Fetch = session.exec(_rows(board, source).with_for_update()).one()
    return found
