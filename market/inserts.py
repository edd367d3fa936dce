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
    statement = _claim(table, session.get_bind().dialect.name)
    number: int | None = session.connection().execute(statement, dict(values)).scalar_one_or_none()
    return number


@cache  # orders come through here: built once, then only bound
def _claim(table: sa.Table, dialect: str) -> sa.Executable:
    return _unless_taken(table, dialect).returning(table.c.id)


def _insert(session: Session, table: type[SQLModel]) -> postgresql.Insert | sqlite.Insert:
    # The table itself, not its class: plain rows, without the object layer's bookkeeping for each.
    plain: sa.Table = table.__table__  # type: ignore[attr-defined]
    return _unless_taken(plain, session.get_bind().dialect.name)


def _unless_taken(table: sa.Table, dialect: str) -> postgresql.Insert | sqlite.Insert:
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).on_conflict_do_nothing()
