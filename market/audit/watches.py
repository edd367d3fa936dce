"""Who watches what now, against the events that led there (L19)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.findings import Finding
from market.audit.rows import rows

WATCH = SQLModel.metadata.tables["watch"]
EVENT = SQLModel.metadata.tables["watch_event"]


def check_watches(session: Session) -> Iterator[Finding]:
    """Somebody watches exactly when the last event about it says so."""
    ranked = sa.select(
        EVENT,
        sa.func.row_number()
        .over(partition_by=(EVENT.c.trader_id, EVENT.c.board_id, EVENT.c.term_id), order_by=EVENT.c.id.desc())
        .label("place"),
    ).subquery()
    latest = sa.select(ranked).where(ranked.c.place == 1, ranked.c.is_on).subquery()
    same = sa.and_(
        WATCH.c.trader_id == latest.c.trader_id,
        WATCH.c.board_id == latest.c.board_id,
        WATCH.c.term_id.is_not_distinct_from(latest.c.term_id),
    )
    kept = sa.select(WATCH.c.trader_id, WATCH.c.board_id, WATCH.c.term_id)
    said = sa.select(latest.c.trader_id, latest.c.board_id, latest.c.term_id)
    without_event = kept.where(~sa.exists().where(same).correlate(WATCH)).order_by(WATCH.c.id)
    without_watch = said.where(~sa.exists().where(same).correlate(latest)).order_by(latest.c.id)
    for row in rows(session, without_event):
        yield Finding("L19", None, f"{_watch(row)} is kept, and no event says so")
    for row in rows(session, without_watch):
        yield Finding("L19", None, f"{_watch(row)} is missing, and its last event says on")


def _watch(row: Any) -> str:
    trader_id, board_id, term_id = row
    what = f"board {board_id}" if term_id is None else f"term {term_id} of board {board_id}"
    return f"the watch of trader {trader_id} on {what}"
