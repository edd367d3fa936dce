"""Rows that may be there already: inserted where they break no UNIQUE constraint, else left as they are.

Two processes that insert the same row both succeed: the later one waits for the earlier one's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from market.prepared import Prepared


def insert_new(session: Session, table: type[SQLModel], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert those of the rows that are new."""
    if rows:
        session.execute(_insert(session, table), [dict(row) for row in rows])


def insert_one(session: Session, table: type[SQLModel], row: Mapping[str, Any]) -> bool:
    """Insert the row if it is new; returns whether it was."""
    # Asked for in words: not every driver knows how many rows were inserted.
    inserted = _insert(session, table).values(dict(row)).returning(sa.literal(1))
    return session.execute(inserted).first() is not None


def insert_unless_taken(session: Session, table: sa.Table, values: Mapping[str, Any]) -> int | None:
    """Insert the row and return its id; None when a UNIQUE constraint of ``table`` has it taken.

    The caller's own transaction stays usable either way.
    """
    claim = _claim(table, session.get_bind().dialect.name, tuple(values))
    found = claim.first(session, values)
    return None if found is None else int(found[0])


@cache  # orders come through here: built once, then only bound
def _claim(table: sa.Table, dialect: str, columns: tuple[str, ...]) -> Prepared:
    return Prepared(_unless_taken(table, dialect).returning(table.c.id), columns)


def _insert(session: Session, table: type[SQLModel]) -> postgresql.Insert | sqlite.Insert:
    # The table itself, not its class: plain rows, without the object layer's bookkeeping for each.
    plain: sa.Table = table.__table__  # type: ignore[attr-defined]
    return _unless_taken(plain, session.get_bind().dialect.name)


def _unless_taken(table: sa.Table, dialect: str) -> postgresql.Insert | sqlite.Insert:
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).on_conflict_do_nothing()
