"""Column types shared by every table: 64-bit integers, moments in UTC, JSON text.

SQLModel maps ``int`` to a 32-bit INTEGER on PostgreSQL and keeps a datetime without
its zone on SQLite, so both are spelled out here once.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Dialect, Integer, TypeDecorator
from sqlmodel import SQLModel

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
SQLModel.metadata.naming_convention = NAMING

# SQLite gives out row numbers only for a column that is spelled INTEGER.
BIGINT = BigInteger().with_variant(Integer(), "sqlite")


class Moment(TypeDecorator[datetime]):
    """An instant: aware datetimes in, UTC datetimes out, on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs its time zone: {value!r}")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        stored: datetime = value
        return stored.replace(tzinfo=UTC) if stored.tzinfo is None else stored.astimezone(UTC)


def whole_numbers(*columns: str) -> CheckConstraint:
    """A CHECK that the columns hold whole numbers: SQLite would keep 1.5 in an INTEGER column."""
    tests = " AND ".join(f"typeof({column}) IN ('integer', 'null')" for column in columns)
    return CheckConstraint(tests, name="whole_numbers").ddl_if(dialect="sqlite")
