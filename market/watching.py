"""Watching a term of a board, or the board itself: events that are never changed, and who watches now.

The events are the record (`ledger.md`, L19). For one trader and one thing they alternate between on and off,
since an event is written only when the projection `Watch` changed; so the count of watchers at any moment is
the number of "on" less the number of "off" until then.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, select

from market.errors import UnknownBoard
from market.inserts import insert_new, insert_one
from market.listing import check_listed
from market.tables import Board, Watch, WatchEvent


def set_watch(
    session: Session,
    trader_id: int,
    board_id: int,
    term_id: int | None,
    on: bool,
    now: datetime,
    *,
    even_delisted: bool = False,
) -> bool:
    """Begin (``on``) or stop watching a term of a board, or with ``term_id`` None the board itself.

    Returns whether that changed anything: watching twice writes one event, from two browsers at once too.
    Raises `UnknownBoard`; `UnknownTerm` when a watch begins on a term that is not listed on the board. With
    ``even_delisted`` that is not asked, for a watch that goes over from another term.
    """
    if on:
        if not even_delisted:
            _check_watchable(session, board_id, term_id)
        row = {"trader_id": trader_id, "board_id": board_id, "term_id": term_id, "since": now}
        changed = insert_one(session, Watch, row)
    else:
        ended = sa.delete(Watch).where(
            col(Watch.trader_id) == trader_id,
            col(Watch.board_id) == board_id,
            _same_term(col(Watch.term_id), term_id),
        )
        changed = session.execute(ended.returning(col(Watch.id))).first() is not None
    if changed:
        session.add(
            WatchEvent(trader_id=trader_id, board_id=board_id, term_id=term_id, is_on=on, recorded_at=now)
        )
        session.flush()
    return changed


def watcher_counts(
    session: Session, board_id: int, term_ids: Iterable[int | None]
) -> dict[int | None, int]:
    """How many traders watch each of the terms now, 0 included; the key None is the board itself."""
    counts: dict[int | None, int] = dict.fromkeys(term_ids, 0)
    asked = sa.or_(
        col(Watch.term_id).in_([term_id for term_id in counts if term_id is not None]),
        sa.and_(col(Watch.term_id).is_(None), sa.literal(None in counts)),
    )
    found = session.execute(
        sa.select(col(Watch.term_id), sa.func.count())
        .where(col(Watch.board_id) == board_id, asked)
        .group_by(col(Watch.term_id))
    )
    counts.update((term_id, count) for term_id, count in found)
    return counts


def watcher_count_at(session: Session, board_id: int, term_id: int | None, moment: datetime) -> int:
    """How many traders watched the term (None: the board itself) at ``moment``, by the events alone."""
    step = sa.case((col(WatchEvent.is_on), 1), else_=-1)
    total = session.execute(
        sa.select(sa.func.coalesce(sa.func.sum(step), 0)).where(
            col(WatchEvent.board_id) == board_id,
            _same_term(col(WatchEvent.term_id), term_id),
            col(WatchEvent.recorded_at) <= moment,
        )
    ).scalar_one()
    return int(total)


def rebuild(session: Session) -> None:
    """Make the projection `Watch` anew from the events; doing it twice gives the same rows."""
    session.execute(sa.delete(Watch))
    latest: dict[tuple[int, int, int | None], WatchEvent] = {}
    for event in session.exec(select(WatchEvent).order_by(col(WatchEvent.id))):
        latest[event.trader_id, event.board_id, event.term_id] = event
    insert_new(
        session,
        Watch,
        [
            {"trader_id": trader, "board_id": board, "term_id": term, "since": event.recorded_at}
            for (trader, board, term), event in latest.items()
            if event.is_on
        ],
    )


def _check_watchable(session: Session, board_id: int, term_id: int | None) -> None:
    board = session.get(Board, board_id)
    if board is None:
        raise UnknownBoard(str(board_id))
    if term_id is not None:
        check_listed(session, board, term_id)


def _same_term(column: Mapped[int | None], term_id: int | None) -> sa.ColumnElement[bool]:
    return column.is_(None) if term_id is None else column == term_id
