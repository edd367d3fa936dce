"""Decayed sums of each term's papers, kept up with the activity so that a forecast reads one row a term.

The sums are whole numbers and linear in the activity (see `decay.py`), so a change of some days is added as
the difference that it makes, in any order, and the result is that of a `rebuild`, bit by bit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import date
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.decay import LONG, MIDDLE, number_of, weight
from market.inserts import insert_new
from market.tables import Activity, Board, TermCounter

ROWS_AT_ONCE = 500  # terms that are looked up together: far below what a statement takes
ROWS_INSERTED = 5000

Sums = tuple[int, int]  # long, middle
NONE: Sums = (0, 0)


def add(session: Session, board_id: int, changes: Mapping[tuple[date, int], int]) -> None:
    """Add papers, by day and term, to the counters of the board; below 0 where the activity lost some.

    Whoever writes the activity calls this once with all that it changed, in the same transaction and while
    nobody else counts the same board.
    """
    papers: dict[int, dict[date, int]] = defaultdict(dict)
    for (day, term), count in changes.items():
        if count:
            papers[term][day] = count
    kind = _kind(session, board_id)
    terms = sorted(papers)
    for start in range(0, len(terms), ROWS_AT_ONCE):
        group = terms[start : start + ROWS_AT_ONCE]
        _add(session, board_id, {term: sums(kind, papers[term]) for term in group})


def rebuild(session: Session, board_id: int) -> None:
    """Make the counters of the board anew from its activity; they are what they were if nothing was wrong."""
    session.execute(sa.delete(TermCounter).where(col(TermCounter.board_id) == board_id))
    kind = _kind(session, board_id)
    days = session.execute(
        sa.select(col(Activity.term_id), col(Activity.day), col(Activity.paper_count))
        .where(col(Activity.board_id) == board_id)
        .order_by(col(Activity.term_id))
        .execution_options(yield_per=ROWS_INSERTED)
    )
    rows = []
    for term, of_term in groupby(days, key=lambda row: row.term_id):
        total = sums(kind, {row.day: row.paper_count for row in of_term})
        if total != NONE:
            rows.append(_row(board_id, term, total))
    for start in range(0, len(rows), ROWS_INSERTED):
        insert_new(session, TermCounter, rows[start : start + ROWS_INSERTED])


def sums(kind: str, papers: Mapping[date, int]) -> Sums:
    """The long and the middle sum of a term with so many papers on each day, by periods of this kind."""
    of_period: Counter[int] = Counter()
    for day, count in papers.items():
        of_period[number_of(kind, day)] += count
    return (
        sum(count * weight(LONG, number) for number, count in of_period.items()),
        sum(count * weight(MIDDLE, number) for number, count in of_period.items()),
    )


def _kind(session: Session, board_id: int) -> str:
    kind: str = session.execute(sa.select(col(Board.period)).where(col(Board.id) == board_id)).scalar_one()
    return kind


def _add(session: Session, board_id: int, changes: Mapping[int, Sums]) -> None:
    stored = _stored(session, board_id, list(changes))
    after = {term: _sum(stored.get(term, NONE), change) for term, change in changes.items()}
    _delete(session, board_id, [term for term in stored if after[term] == NONE])
    after = {term: total for term, total in after.items() if total != NONE}
    new = [_row(board_id, term, total) for term, total in after.items() if term not in stored]
    insert_new(session, TermCounter, new)
    _update(session, board_id, {term: total for term, total in after.items() if term in stored})


def _stored(session: Session, board_id: int, terms: list[int]) -> dict[int, Sums]:
    rows = session.execute(
        sa.select(col(TermCounter.term_id), col(TermCounter.long_sum), col(TermCounter.middle_sum)).where(
            col(TermCounter.board_id) == board_id, col(TermCounter.term_id).in_(terms)
        )
    )
    return {row.term_id: (row.long_sum, row.middle_sum) for row in rows}


def _delete(session: Session, board_id: int, terms: list[int]) -> None:
    if terms:
        session.execute(
            sa.delete(TermCounter).where(
                col(TermCounter.board_id) == board_id, col(TermCounter.term_id).in_(terms)
            )
        )


def _update(session: Session, board_id: int, totals: Mapping[int, Sums]) -> None:
    if not totals:
        return
    table: sa.Table = TermCounter.__table__  # type: ignore[attr-defined]
    changed = (
        sa.update(table)
        .where(table.c.board_id == board_id, table.c.term_id == sa.bindparam("term"))
        .values(long_sum=sa.bindparam("long"), middle_sum=sa.bindparam("middle"))
    )
    session.connection().execute(
        changed,
        [{"term": term, "long": long, "middle": middle} for term, (long, middle) in totals.items()],
    )


def _row(board_id: int, term: int, total: Sums) -> dict[str, Any]:
    return {"board_id": board_id, "term_id": term, "long_sum": total[0], "middle_sum": total[1]}


def _sum(one: Sums, other: Sums) -> Sums:
    return one[0] + other[0], one[1] + other[1]
