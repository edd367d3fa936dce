"""Watching: events that only grow, and a projection that is their fold."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import read_session, transact, write_session
from market.errors import UnknownBoard, UnknownTerm
from market.tables import Listing, Watch, WatchEvent
from market.watching import rebuild, set_watch, watcher_count_at, watcher_counts
from tests.market.factories import NOW, add_board, add_term, add_trader


def add_two_of_each(session: Session) -> tuple[int, int, int, int, int]:
    """Ids of a board, two terms listed on it, and two traders."""
    board = add_board(session)
    terms = [add_term(session, label, board) for label in ("first", "second")]
    traders = [add_trader(session, name) for name in ("Ada", "Bob")]
    ids = [row.id for row in (board, *terms, *traders)]
    assert None not in ids
    return tuple(ids)  # type: ignore[return-value]


def events(session: Session) -> int:
    return session.execute(sa.select(sa.func.count()).select_from(WatchEvent)).scalar_one()


def projection(session: Session) -> list[tuple[object, ...]]:
    watches = session.exec(select(Watch)).all()
    return sorted(((w.trader_id, w.board_id, w.term_id, w.since) for w in watches), key=repr)


def test_watching_twice_writes_one_event(engine: Engine) -> None:
    with write_session(engine) as session:
        board, first, second, ada, bob = add_two_of_each(session)
        for term in (first, None):
            assert set_watch(session, ada, board, term, True, NOW)
            assert not set_watch(session, ada, board, term, True, NOW + timedelta(hours=1))
            assert set_watch(session, bob, board, term, True, NOW)
        assert events(session) == 4
        assert watcher_counts(session, board, [first, second, None]) == {first: 2, second: 0, None: 2}
        assert watcher_counts(session, board, [first]) == {first: 2}
        assert watcher_counts(session, board, []) == {}
        assert set_watch(session, ada, board, first, False, NOW)
        assert not set_watch(session, ada, board, first, False, NOW)
        assert events(session) == 5
        assert watcher_counts(session, board, [first, None]) == {first: 1, None: 2}


def test_the_count_at_any_moment_is_that_of_the_events(engine: Engine) -> None:
    hour = timedelta(hours=1)
    with write_session(engine) as session:
        board, first, second, ada, bob = add_two_of_each(session)
        set_watch(session, ada, board, first, True, NOW)
        set_watch(session, bob, board, first, True, NOW + hour)
        set_watch(session, bob, board, None, True, NOW + hour)
        set_watch(session, ada, board, first, False, NOW + 2 * hour)
        set_watch(session, ada, board, first, True, NOW + 3 * hour)
        moments = [NOW - hour, NOW, NOW + hour, NOW + 2 * hour, NOW + 3 * hour]
        assert [watcher_count_at(session, board, first, moment) for moment in moments] == [0, 1, 2, 1, 2]
        assert [watcher_count_at(session, board, None, moment) for moment in moments] == [0, 0, 1, 1, 1]
        assert watcher_count_at(session, board, second, NOW + 3 * hour) == 0


def test_the_projection_is_the_fold_of_the_events(engine: Engine) -> None:
    with write_session(engine) as session:
        board, first, second, ada, bob = add_two_of_each(session)
        for step, (trader, term, on) in enumerate(
            [(ada, first, True), (bob, first, True), (ada, None, True), (ada, first, False),
             (bob, second, True), (ada, None, False), (ada, first, True), (bob, None, True)]
        ):  # fmt: skip
            set_watch(session, trader, board, term, on, NOW + timedelta(minutes=step))
        before = projection(session)
        assert len(before) == 4
        for _ in range(2):
            rebuild(session)
            assert projection(session) == before
        assert events(session) == 8


def test_only_what_is_listed_can_be_watched(engine: Engine) -> None:
    with write_session(engine) as session:
        board, first, _, ada, _ = add_two_of_each(session)
        other = add_board(session, "stat.ML").id
        assert other is not None
        with pytest.raises(UnknownTerm, match=r"'first'.*stat\.ML"):
            set_watch(session, ada, other, first, True, NOW)
        with pytest.raises(UnknownBoard):
            set_watch(session, ada, 999, None, True, NOW)
        set_watch(session, ada, board, first, True, NOW)
        session.execute(sa.update(Listing).values(status="delisted"))
        with pytest.raises(UnknownTerm):
            set_watch(session, ada, board, first, True, NOW)
        assert set_watch(session, ada, board, first, False, NOW)  # leaving is always possible
        assert events(session) == 2


@pytest.mark.parametrize("by_term", [True, False])
def test_two_browsers_at_once_write_one_event(engine: Engine, by_term: bool) -> None:
    with write_session(engine) as session:
        board, first, _, ada, _ = add_two_of_each(session)
        session.commit()
    barrier = threading.Barrier(4)
    changes: list[bool] = []

    watched = first if by_term else None

    def work() -> None:
        barrier.wait()
        changes.append(transact(engine, lambda session: set_watch(session, ada, board, watched, True, NOW)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(changes) == [False, False, False, True]
    with read_session(engine) as session:
        assert events(session) == 1
