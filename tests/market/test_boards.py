"""Boards: found by their code, made once, and each in its own day."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session

from market.boards import (
    DAY_RULES,
    BoardDiffers,
    UnknownDayRule,
    UnknownTimeZone,
    all_boards,
    board_by_code,
    ensure_board,
    today_of,
)
from market.db import read_session, transact, write_session
from market.errors import UnknownBoard, UnknownPeriod
from market.tables import Board
from nlp import manifest


def ensure(session: Session, code: str = "cs.LG", **values: object) -> Board:
    given = {
        "name": "Machine Learning", "field": "Computer Science", "period": "week", "day_rule": "announced",
        "time_zone": "America/New_York", "grace_days": 3, **values,
    }  # fmt: skip
    return ensure_board(session, code, **given)  # type: ignore[arg-type]


def test_a_board_is_made_once_and_found_by_its_code(engine: Engine) -> None:
    with write_session(engine) as session:
        first = ensure(session)
        other = ensure(session, "tmlr", period="month", time_zone="UTC")
        assert ensure(session).id == first.id
        assert board_by_code(session, "tmlr").id == other.id
        assert [board.code for board in all_boards(session)] == ["cs.LG", "tmlr"]
        assert [board.position for board in all_boards(session)] == [1, 2]


def test_an_unknown_board_is_named(engine: Engine) -> None:
    with read_session(engine) as session, pytest.raises(UnknownBoard, match=r"'cs\.XX'"):
        board_by_code(session, "cs.XX")


def test_what_is_read_of_a_board_may_change_and_what_is_counted_may_not(engine: Engine) -> None:
    with write_session(engine) as session:
        ensure(session)
        assert ensure(session, name="Learning", grace_days=5).grace_days == 5
        assert board_by_code(session, "cs.LG").name == "Learning"
        for change in ({"period": "month"}, {"day_rule": "submitted"}, {"time_zone": "UTC"}):
            with pytest.raises(BoardDiffers, match=next(iter(change.values()))):
                ensure(session, **change)


@pytest.mark.parametrize("zone", ["Europe/Nowhere", "", "../etc/passwd", "Europe"])
def test_an_unknown_time_zone_is_named(engine: Engine, zone: str) -> None:
    with write_session(engine) as session:
        with pytest.raises(UnknownTimeZone) as refusal:
            ensure(session, time_zone=zone)
        assert repr(zone) in str(refusal.value)
        assert all_boards(session) == ()


def test_a_misspelt_time_zone_is_answered_with_the_nearest(engine: Engine) -> None:
    with write_session(engine) as session, pytest.raises(UnknownTimeZone, match="'America/New_York'"):
        ensure(session, time_zone="America/New York")


def test_an_unknown_day_rule_makes_no_board_and_names_those_there_are(engine: Engine) -> None:
    with write_session(engine) as session:
        with pytest.raises(UnknownDayRule, match=r"'guessed' .* it is 'announced' or 'submitted'"):
            ensure(session, day_rule="guessed")
        assert all_boards(session) == ()


def test_an_unknown_period_makes_no_board(engine: Engine) -> None:
    with write_session(engine) as session:
        with pytest.raises(UnknownPeriod, match="'year'"):
            ensure(session, period="year")
        assert all_boards(session) == ()


def test_a_manifest_can_ask_for_every_day_rule() -> None:
    assert manifest.DAY_RULES == DAY_RULES


def test_several_processes_make_one_board(engine: Engine) -> None:
    barrier = threading.Barrier(4)

    def work() -> None:
        barrier.wait()
        transact(engine, ensure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with read_session(engine) as session:
        assert session.execute(sa.select(sa.func.count()).select_from(Board)).scalar_one() == 1


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 5, 17, 3, 59, tzinfo=UTC), date(2026, 5, 16)),
        (datetime(2026, 5, 17, 4, 0, tzinfo=UTC), date(2026, 5, 17)),
        # 8 March 2026 has 23 hours in New York, 1 November has 25.
        (datetime(2026, 3, 8, 4, 59, tzinfo=UTC), date(2026, 3, 7)),
        (datetime(2026, 3, 9, 3, 59, tzinfo=UTC), date(2026, 3, 8)),
        (datetime(2026, 3, 9, 4, 0, tzinfo=UTC), date(2026, 3, 9)),
        (datetime(2026, 11, 1, 4, 0, tzinfo=UTC), date(2026, 11, 1)),
        (datetime(2026, 11, 2, 4, 59, tzinfo=UTC), date(2026, 11, 1)),
        (datetime(2026, 11, 2, 5, 0, tzinfo=UTC), date(2026, 11, 2)),
    ],
)
def test_a_board_has_the_day_of_its_time_zone(moment: datetime, day: date) -> None:
    assert today_of(Board(code="cs.LG", time_zone="America/New_York"), moment) == day


def test_a_moment_without_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        today_of(Board(code="cs.LG", time_zone="UTC"), datetime(2026, 5, 17, 3, 59))
