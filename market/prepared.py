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
from sqlalchemy.orm import SessionTransaction
from sqlalchemy.sql.compiler import SQLCompiler
from sqlmodel import Session

Values = Mapping[str, Any]
Convert = Callable[[Any], Any]

_DRIVER = "driver of prepared statements"  # in a session's info


@dataclass(frozen=True, slots=True)
class _Text:
    """A statement in one database's words; ``fixed`` are the values that it holds itself."""

    sql: str
    names: tuple[str, ...] | None  # of the parameters in order; None where they go by name
    fixed: Mapping[str, Any]
    converts: Mapping[str, Convert]

    def parameters(self, values: Values) -> Any:
        if self.fixed or self.converts:
            given = {**self.fixed, **values}
            for name, convert in self.converts.items():
                given[name] = convert(given[name])
            values = given
        return values if self.names is None else tuple([values[name] for name in self.names])


@dataclass(frozen=True, slots=True)
class _Driver:
    """The driver's cursor in a session's transaction, which is looked up once and used many times."""

    transaction: SessionTransaction | None
    connection: sa.Connection
    cursor: Any
    listeners: tuple[Callable[..., Any], ...]  # of the engine, before each statement


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
        found: list[tuple[Any, ...]] = self._executed(session, values).fetchall()
        return found

    def first(self, session: Session, values: Values) -> tuple[Any, ...] | None:
        """The first row, or None."""
        found = self.rows(session, values)
        return found[0] if found else None

    def run(self, session: Session, values: Values) -> int:
        """Run a statement that returns nothing; how many rows it changed."""
        changed: int = self._executed(session, values).rowcount
        return changed

    def run_many(self, session: Session, many: Sequence[Values]) -> int:
        """The same once for each of the values; how many rows all of them changed."""
        changed: int = self._executed(session, many, many=True).rowcount
        return changed

    def _executed(self, session: Session, values: Any, *, many: bool = False) -> Any:
        driver = _driver(session)
        dialect, cursor = driver.connection.dialect, driver.cursor
        text = self._texts.get(dialect.name)
        if text is None:
            text = self._texts[dialect.name] = _compiled(self._statement, dialect, self._columns)
        parameters = [text.parameters(each) for each in values] if many else text.parameters(values)
        for listener in driver.listeners:  # who counts statements counts these
            listener(driver.connection, cursor, text.sql, parameters, None, many)
        try:
            if many:
                cursor.executemany(text.sql, parameters)
            else:
                cursor.execute(text.sql, parameters)
        except dialect.loaded_dbapi.Error as error:
            base = dialect.loaded_dbapi.Error
            raise DBAPIError.instance(text.sql, None, error, base, dialect=dialect) from error
        return cursor


def _driver(session: Session) -> _Driver:
    """The one of the session's transaction, which is begun if there is none."""
    known: _Driver | None = session.info.get(_DRIVER)
    transaction = session.get_transaction()
    if known is not None and transaction is known.transaction and transaction and transaction.is_active:
        return known
    connection = session.connection()
    found = _Driver(
        session.get_transaction(),
        connection,
        connection.connection.cursor(),
        tuple(connection.dispatch.before_cursor_execute),
    )
    session.info[_DRIVER] = found
    return found


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
