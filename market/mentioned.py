"""Which papers mention which terms: the part of a statement that has to be found over the right index.

A common term is mentioned in hundreds of thousands of papers, of which a page wants those of some days; a
rare one in few, over all the days there are.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import sqlalchemy as sa
from sqlmodel import col

from market.tables import Board, BoardPaper
from nlp.tables import StoredMention, TermVersion

MANY = 10_000  # papers with a term, of which some days' are found over the days


def mentioned(
    board: Board, term_ids: Collection[int], first: date, last: date, *, over_days: bool = True
) -> sa.CTE:
    """`term_id` and `paper_id`, each pair once: papers that mention one of these terms, by any version
    that counts.

    ``over_days`` leaves out most of the papers that the board does not list from ``first`` to ``last``, which
    pays where that is a small part of the papers with the terms; the statement itself has to leave out the
    others, and the withdrawn.
    """
    those = [col(TermVersion.term_id).in_(term_ids), col(TermVersion.is_counted)]
    if over_days:
        of_days = (col(BoardPaper.board_id) == board.id, col(BoardPaper.day).between(first, last))
        # Papers come in by the day, so those of some days lie together in the index of a term's mentions.
        # By "+ 0" SQLite finds them over the days instead of walking all papers of the board for the least.
        number = col(BoardPaper.paper_id) + 0
        lowest, highest = (
            sa.select(end).where(*of_days).scalar_subquery()
            for end in (sa.func.min(number), sa.func.max(number))
        )
        those.append(col(StoredMention.paper_id).between(lowest, highest))
    # Materialized, or else SQLite goes through every mention of the days' papers.
    return (
        sa.select(col(TermVersion.term_id), col(StoredMention.paper_id))
        .join(StoredMention, col(StoredMention.term_version_id) == TermVersion.id)
        .where(*those)
        .distinct()
        .cte("mentioned")
        .prefix_with("MATERIALIZED")
    )
