"""What the stored papers and mentions say of some days of a board, counted anew each time.

Counting is by paper: a paper counts once for each term it carries, however often it names it. A withdrawn
paper was listed on its day, and carries no term any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import BoardPaper
from nlp.tables import Paper, StoredMention, TermVersion


class Carried(NamedTuple):
    """Papers with a term on a day, and how often they mention it."""

    paper_count: int
    mention_count: int


def papers_listed(session: Session, board_id: int, days: Sequence[date]) -> dict[date, int]:
    """Papers that the board lists on each of the days, for those that list any."""
    rows = session.execute(
        sa.select(col(BoardPaper.day), sa.func.count().label("papers"))
        .where(col(BoardPaper.board_id) == board_id, col(BoardPaper.day).in_(days))
        .group_by(col(BoardPaper.day))
    )
    return {row.day: row.papers for row in rows}


def papers_carrying(
    session: Session, board_id: int, days: Sequence[date], term_ids: Collection[int] | None = None
) -> dict[tuple[date, int], Carried]:
    """What each term (by its id), or each of ``term_ids``, does on each of the days, by the newest version it
    was found with."""
    which = () if term_ids is None else (col(TermVersion.term_id).in_(term_ids),)
    version = col(TermVersion.version)
    paper_and_term = (col(StoredMention.paper_id), col(TermVersion.term_id))
    # A paper may be highlighted with an older version too, for a contract that is bound to it.
    found = (
        sa.select(
            col(BoardPaper.day), *paper_and_term, version,
            sa.func.max(version).over(partition_by=paper_and_term).label("newest"),
        )
        .join(StoredMention, col(StoredMention.paper_id) == BoardPaper.paper_id)
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .join(Paper, col(Paper.id) == BoardPaper.paper_id)
        .where(
            col(BoardPaper.board_id) == board_id, col(BoardPaper.day).in_(days),
            col(Paper.withdrawn_at).is_(None), col(TermVersion.is_counted), *which,
        )
        .subquery()
    )  # fmt: skip
    counted = (
        sa.select(found.c.day, found.c.term_id, sa.func.count(sa.distinct(found.c.paper_id)), sa.func.count())
        .where(found.c.version == found.c.newest)
        .group_by(found.c.day, found.c.term_id)
    )
    rows = session.execute(counted)
    return {(day, term_id): Carried(papers, mentions) for day, term_id, papers, mentions in rows}
