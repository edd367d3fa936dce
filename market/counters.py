"""Decayed sums of each term's papers, kept up with the activity so that a forecast reads one row a term.

The sums are whole numbers and linear in the activity (see `decay.py`), so a change of some days is added as
the difference that it makes, in any order, and the result is that of a `rebuild`, bit by bit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.decay import LONG, MIDDLE, number_of, weight
from market.inserts import insert_new
from market.periods import period_of
from market.tables import Activity, Board, TermCounter

ROWS_AT_ONCE = 500  # terms that are looked up together: far below what a statement takes
ROWS_INSERTED = 5000

Papers = dict[int, dict[date, int]]  # of each term, on each day
Sums = tuple[int, int]  # long, middle


@contextmanager
def kept(session: Session, board_id: int, days: Collection[date]) -> Iterator[None]:
    """Keep the counters right while the activity of the board on these days is written.

    Reads as many rows as those days have, before and after. The caller's transaction holds what keeps two
    from counting the same board at once.
    """
    before = _papers(session, board_id, days)
    yield
    after = _papers(session, board_id, days)
    kind = _kind(session, board_id)
    changes: dict[int, Sums] = {}
    for term in before.keys() | after.keys():
        was, now = before.get(term, {}), after.get(term, {})
        if was != now:
            gone, come = sums(kind, was), sums(kind, now)
            changes[term] = come[0] - gone[0], come[1] - gone[1]
    _add(session, board_id, changes)


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
        if total != (0, 0):
            rows.append(_row(board_id, term, total))
    for start in range(0, len(rows), ROWS_INSERTED):
        insert_new(session, TermCounter, rows[start : start + ROWS_INSERTED])


def sums(kind: str, papers: Mapping[date, int]) -> Sums:
    """The long and the middle sum of a term with so many papers on each day, by periods of this kind."""
    of_period: Counter[int] = Counter()
    for day, count in papers.items():
        of_period[number_of(period_of(kind, day))] += count
    return (
        sum(count * weight(LONG, number) for number, count in of_period.items()),
        sum(count * weight(MIDDLE, number) for number, count in of_period.items()),
    )


def _papers(session: Session, board_id: int, days: Collection[date]) -> Papers:
    found: Papers = defaultdict(dict)
    rows = session.execute(
        sa.select(col(Activity.term_id), col(Activity.day), col(Activity.paper_count)).where(
            col(Activity.board_id) == board_id, col(Activity.day).in_(days)
        )
    )
    for term, day, count in rows:
        found[term][day] = count
    return found


def _kind(session: Session, board_id: int) -> str:
    return session.execute(sa.select(col(Board.period)).where(col(Board.id) == board_id)).scalar_one()


def _add(session: Session, board_id: int, changes: Mapping[int, Sums]) -> None:
    terms = sorted(changes)
    for start in range(0, len(terms), ROWS_AT_ONCE):
        group = terms[start : start + ROWS_AT_ONCE]
        stored = _stored(session, board_id, group)
        after = {term: _sum(stored.get(term, (0, 0)), changes[term]) for term in group}
        _delete(session, board_id, [term for term in group if term in stored and after[term] == (0, 0)])
        kept_terms = [term for term in group if after[term] != (0, 0)]
        new = [_row(board_id, term, after[term]) for term in kept_terms if term not in stored]
        insert_new(session, TermCounter, new)
        _update(session, board_id, {term: after[term] for term in kept_terms if term in stored})


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
