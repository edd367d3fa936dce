"""The terms related to a term, and which of them somebody watches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.related import Related, related_terms
from market.tables import Board, Watch


@dataclass(frozen=True, slots=True)
class RelatedOnBoard:
    """Related terms, None where no paper carries the term; ``watched`` are the ids of those that the trader
    watches."""

    found: Related | None
    watched: frozenset[int]


def related_on_board(
    session: Session, board: Board, term_id: int, trader_id: int | None, known_at: datetime | None = None
) -> RelatedOnBoard:
    """As `related_terms`; one query more for a trader."""
    found = related_terms(session, board, term_id, known_at=known_at)
    ids = [term.term_id for term in found.terms] if found else []
    if trader_id is None or not ids:
        return RelatedOnBoard(found, frozenset())
    watched = session.scalars(
        sa.select(col(Watch.term_id)).where(
            col(Watch.trader_id) == trader_id, col(Watch.board_id) == board.id, col(Watch.term_id).in_(ids)
        )
    )
    return RelatedOnBoard(found, frozenset(term_id for term_id in watched if term_id is not None))
