"""Fetched pages are stored with their place, or not at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session

from market.boards import board_by_code
from market.db import read_session, transact, write_session
from market.fetches import FetchedMeanwhile, FetchState, beginning, fetch_state, note_failure, store_page
from market.intake import IntakeReport
from market.tables import Fetch
from nlp.errors import NlpError
from nlp.fetching.answers import Validators
from nlp.fetching.errors import Unreachable
from nlp.fetching.pages import FetchedPage
from nlp.records import RawPaper, Refusal, Section
from nlp.tables import Paper
from tests.market.factories import NOW, add_board

FEED, API = "arxiv-feed", "arxiv-api"


def raw(number: int) -> RawPaper:
    return RawPaper(
        f"arxiv:2605.{number:05d}", "Kettles", f"Kettle {number} boils.", ("Ana Kettle",), ("cs.LG",),
        date(2026, 5, 15), Section.NEW, None, "arxiv-feed", 1,
    )  # fmt: skip


def page(cursor: str, *papers: RawPaper | Refusal, is_last: bool = False, etag: str = "") -> FetchedPage:
    validators = Validators(etag, None) if etag else None
    return FetchedPage("http://arxiv.test/", papers, cursor, len(papers), None, is_last, validators)


def store(
    engine: Engine, fetched: FetchedPage, before: str, source: str = FEED, now: datetime = NOW
) -> IntakeReport:
    def work(session: Session) -> IntakeReport:
        return store_page(session, board_by_code(session, "cs.LG"), source, fetched, before, now)

    return transact(engine, work)


def state(engine: Engine, source: str = FEED, code: str = "cs.LG") -> FetchState:
    with read_session(engine) as session:
        return fetch_state(session, board_by_code(session, code), source)


def outcome(engine: Engine) -> tuple[datetime | None, datetime | None, str]:
    """When the feed was last fetched, when that last failed, and why."""
    with read_session(engine) as session:
        [row] = session.scalars(sa.select(Fetch)).all()
        return row.succeeded_at, row.failed_at, row.error


def paper_count(engine: Engine) -> int:
    with read_session(engine) as session:
        return session.scalar(sa.select(sa.func.count()).select_from(Paper)) or 0


@pytest.fixture(autouse=True)
def boards(engine: Engine) -> None:
    def add(session: Session) -> None:
        add_board(session)
        add_board(session, "cs.CL", position=2)

    transact(engine, add)


def test_a_page_and_its_place_are_stored_together(engine: Engine) -> None:
    assert state(engine) == FetchState("", Validators())
    report = store(engine, page("one", raw(1), raw(2), Refusal("http://arxiv.test/", 7, "no abstract")), "")
    assert (report.new_count, len(report.refusals)) == (2, 1)
    assert state(engine) == FetchState("one", Validators())
    assert outcome(engine) == (None, None, "")
    store(engine, page("two", raw(3), is_last=True, etag='"tea"'), "one", now=NOW + timedelta(hours=1))
    assert state(engine) == FetchState("two", Validators('"tea"', None))
    assert outcome(engine) == (NOW + timedelta(hours=1), None, "")
    assert paper_count(engine) == 3
    assert state(engine, API).cursor == state(engine, FEED, "cs.CL").cursor == ""


def test_what_is_undone_is_undone_whole(engine: Engine) -> None:
    with write_session(engine) as session:
        store_page(session, board_by_code(session, "cs.LG"), FEED, page("one", raw(1)), "", NOW)
    assert state(engine).cursor == ""
    assert paper_count(engine) == 0


def test_of_two_fetches_at_the_same_time_one_stores_a_page(engine: Engine) -> None:
    store(engine, page("one", raw(1)), "")
    with pytest.raises(FetchedMeanwhile, match="being fetched from arxiv-feed by another command"):
        store(engine, page("other", raw(2)), "")
    assert (state(engine).cursor, paper_count(engine)) == ("one", 1)
    store(engine, page("other", raw(2)), "", API)


def test_a_failure_leaves_the_place_and_a_success_leaves_the_failure(engine: Engine) -> None:
    def fail(session: Session, error: NlpError) -> None:
        note_failure(session, board_by_code(session, "cs.LG"), FEED, error, NOW)

    store(engine, page("one", raw(1)), "")
    error = Unreachable("https://rss.arxiv.org/rss/cs.LG?q=1", "no answer in time")
    transact(engine, lambda session: fail(session, error))
    assert state(engine).cursor == "one"
    assert outcome(engine) == (None, NOW, "rss.arxiv.org: no answer in time")
    store(engine, page("two", is_last=True), "one", now=NOW + timedelta(hours=1))
    assert outcome(engine) == (NOW + timedelta(hours=1), NOW, "rss.arxiv.org: no answer in time")
    transact(engine, lambda session: fail(session, NlpError("something else")))
    assert outcome(engine)[2] == "something else"


@pytest.mark.parametrize(
    ("values", "moment"),
    [
        ({}, datetime(2026, 5, 14, 18, tzinfo=UTC)),  # Thursday 14:00 in New York
        ({"day_rule": "submitted"}, datetime(2026, 5, 18, tzinfo=UTC)),
        ({"day_rule": "submitted", "time_zone": "Asia/Tokyo"}, datetime(2026, 5, 17, 15, tzinfo=UTC)),
        ({"code": "tmlr", "time_zone": "Asia/Tokyo"}, datetime(2026, 5, 18, tzinfo=UTC)),  # dated in UTC
    ],
)
def test_a_day_begins_where_its_papers_may_come_from(
    engine: Engine, values: dict[str, object], moment: datetime
) -> None:
    with write_session(engine) as session:
        board = add_board(session, **{"code": "cs.AI", "position": 3, **values})
        assert beginning(board, date(2026, 5, 18)) == moment
