"""Statements of the hot path: compiled once for each database, then handed to the driver as they are.

A trade runs a dozen small statements, and building each anew costs more than running it. Here a statement is
still written with the tables' own columns; only its text and the order of its parameters are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlmodel import Session

Values = Mapping[str, Any]
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Text:
    """A statement in one database's words; ``fixed`` are the values that it holds itself."""

    sql: str
    names: tuple[str, ...] | None  # of the parameters in order; None where they go by name
    fixed: Mapping[str, Any]
    converts: Mapping[str, Convert]

    def parameters(self, values: Values) -> Any:
        given = {**self.fixed, **values}
        for name, convert in self.converts.items():
            given[name] = convert(given[name])
        return given if self.names is None else tuple([given[name] for name in self.names])


class Prepared:
    """One statement, run in the session's transaction; nothing is flushed before it.

    Values are bound by name, and ``columns`` are those that an insert names. Rows come as the driver gives
    them, so it is for columns of numbers and text. The driver's errors are raised as SQLAlchemy's.
    """

    def __init__(self, statement: sa.Executable, columns: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._columns = columns
        self._texts: dict[str, _Text] = {}

    def rows(self, session: Session, values: Values) -> list[tuple[Any, ...]]:
        """Every row that it selects or returns."""
        cursor = self._executed(session, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        cursor.close()
        return found

    def first(self, session: Session, values: Values) -> tuple[Any, ...] | None:
        """The first row, or None."""
        found = self.rows(session, values)
        return found[0] if found else None

    def run(self, session: Session, values: Values) -> int:
        """Run a statement that returns nothing; how many rows it changed."""
        return self._changed(self._executed(session, values))

    def run_many(self, session: Session, many: Sequence[Values]) -> int:
        """The same once for each of the values; how many rows all of them changed."""
        return self._changed(self._executed(session, many, many=True))

    def _executed(self, session: Session, values: Any, *, many: bool = False) -> Any:
        connection = session.connection()
        dialect = connection.dialect
        text = self._texts.get(dialect.name)
        if text is None:
            text = self._texts[dialect.name] = _compiled(self._statement, dialect, self._columns)
        cursor = connection.connection.cursor()
        parameters = [text.parameters(each) for each in values] if many else text.parameters(values)
        for listener in connection.dispatch.before_cursor_execute:  # who counts statements counts these
            listener(connection, cursor, text.sql, parameters, None, many)
        try:
            if many:
                cursor.executemany(text.sql, parameters)
            else:
                cursor.execute(text.sql, parameters)
        except dialect.loaded_dbapi.Error as error:
            base = dialect.loaded_dbapi.Error
            raise DBAPIError.instance(text.sql, None, error, base, dialect=dialect) from error
        return cursor

    @staticmethod
    def _changed(cursor: Any) -> int:
        changed: int = cursor.rowcount
        cursor.close()
        return changed


def _compiled(statement: Any, dialect: sa.Dialect, columns: Sequence[str] | None) -> _Text:
    compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=columns)
    converts = {
        name: convert
        for name, bind in compiled.binds.items()
        if (convert := bind.type.dialect_impl(dialect).bind_processor(dialect)) is not None
    }
    names = tuple(compiled.positiontup) if compiled.positiontup is not None else None
    fixed = {name: bind.value for bind, name in compiled.bind_names.items() if not bind.required}
    return _Text(compiled.string, names, fixed, converts)
