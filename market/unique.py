"""A row that only one may make: the first gets its id, whoever comes later learns that it is taken."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session


def insert_unless_taken(session: Session, table: sa.Table, values: Mapping[str, Any]) -> int | None:
    """Insert the row and return its id; None when a UNIQUE constraint of ``table`` has it taken.

    Of two at once the later one waits for the earlier one's transaction. The caller's own transaction stays
    usable either way.
    """
    statement = _statement(table, session.get_bind().dialect.name)
    inserted = session.connection().execute(statement, dict(values))
    number: int | None = inserted.scalar_one_or_none()
    return number


@cache
def _statement(table: sa.Table, dialect: str) -> sa.Executable:
    insert = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).on_conflict_do_nothing().returning(table.c.id)
