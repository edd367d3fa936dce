"""Stored papers read again after a term has changed, only those that can carry it, and its days counted anew.

What was found with other versions stays stored: contracts are bound to them. The counts before the change
stay readable as what was known then (see `known`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.activity import count_days
from market.boards import all_boards
from market.highlighter import stored_highlighter
from market.inserts import insert_new
from market.tables import BoardPaper
from market.trends import keep_rankings
from nlp.highlight import find_mentions
from nlp.surfaces import patterns
from nlp.tables import Paper, StoredMention, TermVersion
from nlp.typeset import runs_from_json

PAPERS_AT_ONCE = 500
WORDS_AT_ONCE = 100  # that a text is searched for in one statement

Progress = Callable[[str, int, int], None]  # what is done, how many of them, of how many


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change of terms touched: papers that were read again, watches that began."""

    paper_count: int
    watch_count: int


def ignore(_step: str, _done: int, _total: int) -> None:
    """No progress is shown."""


def papers_with(session: Session, term_id: int) -> tuple[int, ...]:
    """The papers in which the term was found, by any version that counts."""
    found = (
        sa.select(col(StoredMention.paper_id))
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .where(col(TermVersion.term_id) == term_id, col(TermVersion.is_counted))
        .distinct()
        .order_by(col(StoredMention.paper_id))
    )
    return tuple(session.scalars(found))


def papers_that_may_have(session: Session, forms: Iterable[str]) -> tuple[int, ...]:
    """The papers whose text has what one of these forms needs; the highlighter decides which carry it."""
    text = sa.func.lower(col(Paper.abstract_text))
    # A word that a line's end has broken ("cross- entropy") is found by its hyphen alone.
    tests = [text.contains("- ", autoescape=True)]
    tests += [text.contains(word, autoescape=True) for word in _needed(forms)]
    found: set[int] = set()
    for start in range(0, len(tests), WORDS_AT_ONCE):
        some = sa.or_(*tests[start : start + WORDS_AT_ONCE])
        found.update(session.scalars(sa.select(col(Paper.id)).where(some)))
    return tuple(sorted(found))


def read_again(
    session: Session,
    paper_ids: Collection[int],
    term_ids: Collection[int],
    now: datetime,
    progress: Progress = ignore,
) -> None:
    """Look for the current versions of these terms in the papers, and count the terms anew on every day on
    which a paper carries one of them, or did by an older version."""
    matcher, versions = stored_highlighter(session).layers[0]
    wanted = set(
        session.scalars(sa.select(col(TermVersion.id)).where(col(TermVersion.term_id).in_(term_ids)))
    )
    terms = {key: version for key, version in versions.items() if version in wanted}
    in_order = sorted(paper_ids)
    for start in range(0, len(in_order), PAPERS_AT_ONCE):
        some = in_order[start : start + PAPERS_AT_ONCE]
        rows = session.execute(
            sa.select(col(Paper.id), col(Paper.abstract_text), col(Paper.abstract_runs)).where(
                col(Paper.id).in_(some)
            )
        )
        mentions = [
            {
                "paper_id": row.id, "term_version_id": terms[mention.term], "start_offset": mention.start,
                "end_offset": mention.end, "quote": mention.quote,
            }
            for row in rows
            for mention in find_mentions(runs_from_json(row.abstract_text, row.abstract_runs), matcher)
            if mention.term in terms
        ]  # fmt: skip
        insert_new(session, StoredMention, mentions)
        progress("papers read", start + len(some), len(in_order))
    _count(session, term_ids, now, progress)


def _count(session: Session, term_ids: Collection[int], now: datetime, progress: Progress) -> None:
    boards = {board.id: board for board in all_boards(session)}
    for board_id, places in groupby(_days(session, term_ids), key=lambda place: place.board_id):
        board, days = boards[board_id], [place.day for place in places]
        step = partial(_said, progress, f"days of {board.code} counted", len(days))
        count_days(session, board_id, days, now, term_ids=term_ids, progress=step)
        keep_rankings(session, board, now)


def _said(progress: Progress, step: str, total: int, done: int) -> None:
    progress(step, done, total)


def _days(session: Session, term_ids: Collection[int]) -> Sequence[Any]:
    found = (
        sa.select(col(BoardPaper.board_id), col(BoardPaper.day))
        .join(StoredMention, col(StoredMention.paper_id) == BoardPaper.paper_id)
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .where(col(TermVersion.term_id).in_(term_ids))
        .distinct()
        .order_by(col(BoardPaper.board_id), col(BoardPaper.day))
    )
    return session.execute(found).all()


def _needed(forms: Iterable[str]) -> tuple[str, ...]:
    """For each spelling of each form its longest word; a text without any of them has none of the forms."""
    words: dict[str, None] = {}
    for form in forms:
        for pattern in patterns(form):
            # The database's lower() may know ASCII letters only, so a word is looked for by those.
            parts = "".join(ch if ch.isascii() else " " for ch in pattern.folded).split()
            words[max(parts, key=len, default="")] = None
    return tuple(words)
