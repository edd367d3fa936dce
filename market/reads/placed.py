"""Papers that a board was known to list at a moment, wherever they stand on it now."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from market.tables import BoardPaper, PlacementEvent
from nlp.tables import Paper


def was_listed(known_at: datetime | None) -> tuple[sa.ColumnElement[bool], ...]:
    """What a statement over `BoardPaper` asks; nothing for what is listed now."""
    if known_at is None:
        return ()
    placed = sa.exists().where(
        col(PlacementEvent.paper_id) == BoardPaper.paper_id,
        col(PlacementEvent.board_id) == BoardPaper.board_id,
        col(PlacementEvent.recorded_at) <= known_at,
    )
    return (placed,)


def not_withdrawn(known_at: datetime | None) -> sa.ColumnElement[bool]:
    """What a statement over `Paper` asks to leave out those known to be withdrawn, at the moment or now."""
    withdrawn = col(Paper.withdrawn_at)
    return withdrawn.is_(None) if known_at is None else sa.or_(withdrawn.is_(None), withdrawn > known_at)
