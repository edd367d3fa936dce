"""Terms that papers carry and no board lists yet: counted by day, and forgotten when they stay rare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.committee import THRESHOLDS, Candidate, Thresholds
from market.inserts import insert_new
from market.naming import stored_names
from market.tables import Board, BoardDay, BoardPaper, CandidateCount, Listing
from nlp.generic_words import is_generic
from nlp.records import ReadingText
from nlp.tables import Paper
from nlp.typeset import runs_from_json

DAYS_KEPT = 56  # of a candidate that stays rare
LATELY = 7
LONGEST = 200  # characters of a key or label that the table holds
KEYS_AT_ONCE = 500

# From title and abstract: each term's key and label, a score (0 to 1), whether the paper coins it.
Extract = Callable[[ReadingText, ReadingText], Iterable[tuple[str, str, float, bool]]]


@dataclass(frozen=True, slots=True)
class DayCandidate:
    """A term on a day of a board: papers that carry it, those that coin it, the best of its scores."""

    key: str
    label: str
    paper_count: int
    coined_count: int
    score: float


def candidates_on(
    session: Session, board: Board, day: date, extract: Extract
) -> tuple[DayCandidate, ...]:
    """What is extracted of the papers that the board lists on the day, by key; the withdrawn are left out."""
    rows = session.execute(
        sa.select(
            col(Paper.title_text), col(Paper.title_runs), col(Paper.abstract_text), col(Paper.abstract_runs)
        )
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(
            col(BoardPaper.board_id) == board.id, col(BoardPaper.day) == day,
            col(Paper.withdrawn_at).is_(None),
        )
        .order_by(col(BoardPaper.position), col(Paper.id))
    )  # fmt: skip
    found: dict[str, DayCandidate] = {}
    for row in rows:
        title = runs_from_json(row.title_text, row.title_runs)
        abstract = runs_from_json(row.abstract_text, row.abstract_runs)
        of_paper: dict[str, tuple[str, float, bool]] = {}
        for key, label, score, is_coined in extract(title, abstract):
            if key and label.isprintable() and max(len(key), len(label)) <= LONGEST:
                before = of_paper.get(key, (label, 0.0, False))
                of_paper[key] = (before[0], max(before[1], score), before[2] or is_coined)
        for key, (label, score, is_coined) in of_paper.items():
            so_far = found.get(key, DayCandidate(key, label, 0, 0, 0.0))
            found[key] = DayCandidate(
                key, so_far.label, so_far.paper_count + 1, so_far.coined_count + is_coined,
                max(so_far.score, score),
            )  # fmt: skip
    return tuple(found[key] for key in sorted(found))


def keep_candidates(session: Session, board: Board, day: date, found: Iterable[DayCandidate]) -> None:
    """Let this be what the day has of candidates; what the board lists, or listed, is none. The same again
    changes nothing."""
    assert board.id is not None
    on_day = (col(CandidateCount.board_id) == board.id, col(CandidateCount.day) == day)
    session.execute(sa.delete(CandidateCount).where(*on_day))
    decided = _decided_keys(session, board)
    rows = [
        {
            "board_id": board.id, "key": each.key, "day": day, "label": each.label,
            "paper_count": each.paper_count, "coined_count": each.coined_count, "score": each.score,
        }
        for each in found
        if each.key not in decided
    ]  # fmt: skip
    insert_new(session, CandidateCount, rows)


def forget_candidates(
    session: Session, board: Board, today: date, thresholds: Thresholds = THRESHOLDS
) -> None:
    """Drop the candidates that were in too few papers and in none of the last days."""
    rare = (
        sa.select(col(CandidateCount.key))
        .where(col(CandidateCount.board_id) == board.id)
        .group_by(col(CandidateCount.key))
        .having(
            sa.func.max(CandidateCount.day) < today - timedelta(days=DAYS_KEPT),
            sa.func.sum(CandidateCount.paper_count) < thresholds.papers,
        )
    )
    session.execute(
        sa.delete(CandidateCount).where(
            col(CandidateCount.board_id) == board.id, col(CandidateCount.key).in_(rare)
        )
    )


def drop_candidates(session: Session, board: Board, keys: Collection[str]) -> None:
    """Forget candidates that have been listed: from now on their activity is counted."""
    in_order = sorted(keys)
    for start in range(0, len(in_order), KEYS_AT_ONCE):
        session.execute(
            sa.delete(CandidateCount).where(
                col(CandidateCount.board_id) == board.id,
                col(CandidateCount.key).in_(in_order[start : start + KEYS_AT_ONCE]),
            )
        )


def candidates_of(session: Session, board: Board, day: date) -> tuple[Candidate, ...]:
    """What is known of each candidate that the day has, over all days until it; by key."""
    of_day = sa.select(col(CandidateCount.key)).where(
        col(CandidateCount.board_id) == board.id, col(CandidateCount.day) == day
    )
    rows = session.execute(
        sa.select(
            col(CandidateCount.key), col(CandidateCount.label), col(CandidateCount.day),
            col(CandidateCount.paper_count), col(CandidateCount.coined_count), col(CandidateCount.score),
        )
        .where(
            col(CandidateCount.board_id) == board.id, col(CandidateCount.day) <= day,
            col(CandidateCount.key).in_(of_day),
        )
        .order_by(col(CandidateCount.key), col(CandidateCount.day))
    )  # fmt: skip
    days: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        days[row.key].append(row)
    listed = _listed(session, board, day)
    return tuple(_candidate(of_key, day, listed) for of_key in days.values())


def _candidate(rows: list[Any], day: date, listed: Mapping[date, int]) -> Candidate:
    first = rows[0].day
    looked = {each: count for each, count in listed.items() if each >= first}
    since = day - timedelta(days=LATELY - 1)
    lately = sum(row.paper_count for row in rows if row.day >= since)
    before = sum(row.paper_count for row in rows if row.day < since)
    days_before = (since - first).days
    labels: dict[str, int] = defaultdict(int)
    for row in rows:
        labels[row.label] += row.paper_count
    return Candidate(
        key=rows[0].key,
        label=max(labels, key=lambda label: (labels[label], label)),
        paper_count=lately + before,
        day_count=len(rows),
        listed_count=sum(looked.values()),
        days_looked=len(looked),
        score=max(row.score for row in rows),
        coined_count=sum(row.coined_count for row in rows),
        is_generic=is_generic(rows[0].key),
        growth=(lately / LATELY) / (before / days_before) if before else None,
    )


def _listed(session: Session, board: Board, until: date) -> dict[date, int]:
    first = sa.select(sa.func.min(CandidateCount.day)).where(col(CandidateCount.board_id) == board.id)
    rows = session.execute(
        sa.select(col(BoardDay.day), col(BoardDay.paper_count)).where(
            col(BoardDay.board_id) == board.id, col(BoardDay.paper_count) > 0, col(BoardDay.day) <= until,
            col(BoardDay.day) >= first.scalar_subquery(),
        )
    )  # fmt: skip
    return {row.day: row.paper_count for row in rows}


def _decided_keys(session: Session, board: Board) -> set[str]:
    """The keys of terms that the board lists or has listed, by all their names."""
    names = stored_names(session)
    listed = set(session.scalars(sa.select(col(Listing.term_id)).where(col(Listing.board_id) == board.id)))
    return {key for key, term_id in names.ids.items() if term_id in listed}
