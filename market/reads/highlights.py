"""The mentions that papers are shown with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import Listing
from nlp.records import Mention
from nlp.tables import StoredMention, Term, TermVersion


def shown_mentions(
    session: Session, board_id: int, paper_ids: Iterable[int], term_id: int | None = None
) -> dict[int, tuple[Mention, ...]]:
    """For each paper the mentions of terms that the board has listed, in order, none overlapping another;
    with ``term_id`` those of that term alone. Papers without any are left out.

    A paper may have mentions by several versions of a term, since open contracts keep their own: those of the
    newest are shown, and what then still overlaps is decided by who begins first and reaches further.
    """
    which = [] if term_id is None else [col(Term.id) == term_id]
    rows = session.execute(
        sa.select(
            col(StoredMention.paper_id), col(StoredMention.start_offset), col(StoredMention.end_offset),
            col(StoredMention.quote), col(Term.key), col(TermVersion.version),
        )
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .join(Term, col(Term.id) == TermVersion.term_id)
        .join(Listing, col(Listing.term_id) == Term.id)
        .where(
            col(StoredMention.paper_id).in_(sorted(paper_ids)), col(Listing.board_id) == board_id,
            col(TermVersion.is_counted), *which,
        )
    )  # fmt: skip
    newest: dict[tuple[int, str], int] = {}
    versions: dict[tuple[int, str, int], list[Mention]] = defaultdict(list)
    for paper_id, start, end, quote, key, version in rows:
        versions[paper_id, key, version].append(Mention(start, end, quote, key))
        newest[paper_id, key] = max(version, newest.get((paper_id, key), version))
    by_paper: dict[int, list[Mention]] = defaultdict(list)
    for (paper_id, key), version in newest.items():
        by_paper[paper_id] += versions[paper_id, key, version]
    return {paper_id: without_overlaps(mentions) for paper_id, mentions in by_paper.items()}


def without_overlaps(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The mentions in order, leftmost and longest first, without what overlaps an earlier one."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end, mention.term)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return tuple(kept)
