"""Why a day lists nothing: rest, a fetch that failed, or nothing that anybody knows of."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import write_session
from market.reads.empty_days import EmptyDay, Rest, empty_day
from market.tables import Board, Fetch
from tests.market.factories import add_board

FRIDAY, SATURDAY, MONDAY = date(2026, 5, 15), date(2026, 5, 16), date(2026, 5, 18)
NOTHING = EmptyDay(None, None, "", None)


def at(day: int, hour: int = 6) -> datetime:
    return datetime(2026, 5, day, hour, tzinfo=UTC)


def add_fetch(
    session: Session, board: Board, source: str, succeeded: datetime | None, failed: datetime | None
) -> None:
    error = f"{source} is down" if failed else ""
    session.add(
        Fetch(board_id=board.id, source=source, succeeded_at=succeeded, failed_at=failed, error=error)
    )
    session.flush()


def test_arxiv_rests_on_weekends_and_holidays(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        assert empty_day(session, board, SATURDAY).rest is Rest.WEEKEND
        assert empty_day(session, board, date(2026, 6, 22)).rest is Rest.HOLIDAY
        assert empty_day(session, board, FRIDAY) == NOTHING


@pytest.mark.parametrize("values", [{"code": "tmlr"}, {"day_rule": "submitted"}])
def test_others_do_not(engine: Engine, values: dict[str, str]) -> None:
    with write_session(engine) as session:
        board = add_board(session, **values)
        assert empty_day(session, board, SATURDAY) == NOTHING


def test_a_board_that_lists_papers_on_such_a_day_keeps_other_days(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        assert empty_day(session, board, date(2026, 5, 17), (SATURDAY, None)) == NOTHING
        assert empty_day(session, board, date(2026, 5, 17), (FRIDAY, MONDAY)).rest is Rest.WEEKEND


def test_a_fetch_that_failed_is_the_reason_for_what_it_should_have_brought(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "cs.CL", position=2)
        add_fetch(session, other, "arxiv-feed", None, at(18, 23))
        assert empty_day(session, board, MONDAY) == NOTHING
        add_fetch(session, board, "arxiv-feed", at(15), at(18))
        failed = EmptyDay(None, at(18), "arxiv-feed is down", at(15))
        assert empty_day(session, board, MONDAY) == failed
        assert empty_day(session, board, FRIDAY) == failed  # it may have been read before it was complete
        before = empty_day(session, board, date(2026, 5, 14))
        assert (before.failed_at, before.fetched_at) == (None, at(15))
        add_fetch(session, board, "arxiv-api", None, at(18, 7))
        assert empty_day(session, board, MONDAY).error == "arxiv-api is down"  # the last of them


def test_a_fetch_that_went_well_afterwards_takes_the_failure_back(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_fetch(session, board, "arxiv-feed", at(15), at(18))
        add_fetch(session, board, "arxiv-api", at(18, 7), None)
        assert empty_day(session, board, MONDAY) == EmptyDay(None, None, "", at(18, 7))
