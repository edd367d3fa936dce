"""Papers with the same text under another identifier: they are shown as such, and never made one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.tables import Board, BoardPaper
from nlp.tables import Paper


@dataclass(frozen=True, slots=True)
class Twin:
    """A paper with the same text, and where it stands: on ``day`` of ``board``, or both are None."""

    identifier: str
    url: str | None
    board: str | None
    day: date | None


def has_twin() -> sa.Label[bool]:
    """For a select of papers: whether another announced paper has the text of this one."""
    other = aliased(Paper)
    found = sa.exists().where(
        col(other.content_hash) == Paper.content_hash,
        col(other.id) != Paper.id,
        col(other.announced_as).is_not(None),
    )
    return found.label("has_twin")


def twins_of(session: Session, board_id: int, paper_ids: Iterable[int]) -> dict[int, tuple[Twin, ...]]:
    """The papers with the text of each paper, by identifier; where one stands on several boards, it is given
    with this board, else with the first."""
    other = aliased(Paper)
    rows = session.execute(
        sa.select(col(Paper.id), col(other.identifier), col(other.url), col(Board.code), col(BoardPaper.day))
        .join(other, sa.and_(col(other.content_hash) == Paper.content_hash, col(other.id) != Paper.id))
        .outerjoin(BoardPaper, col(BoardPaper.paper_id) == other.id)
        .outerjoin(Board, col(Board.id) == BoardPaper.board_id)
        .where(col(Paper.id).in_(sorted(paper_ids)), col(other.announced_as).is_not(None))
        .order_by(col(other.identifier), col(Board.id) != board_id, col(Board.position), col(Board.id))
    )
    found: dict[int, dict[str, Twin]] = defaultdict(dict)
    for paper_id, identifier, url, board, day in rows:
        found[paper_id].setdefault(identifier, Twin(identifier, url, board, day))
    return {paper_id: tuple(twins.values()) for paper_id, twins in found.items()}
