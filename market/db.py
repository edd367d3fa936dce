"""Engines, sessions and migrations: how the database is opened, on SQLite and on PostgreSQL.

A session never commits by itself: the caller of a use case commits, or everything is undone.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

Result = TypeVar("Result")

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=30000",
    "PRAGMA cache_size=-32768",  # kB, at most: what an intake touches of the indexes of 100,000 papers
)
RETRIED_STATES = frozenset({"40001", "40P01"})  # serialization failure, deadlock detected
ATTEMPTS = 8


def engine_for(url: str) -> Engine:
    """The engine of a database address: ``sqlite:///FILE`` or ``postgresql://...`` (psycopg 3).

    ``cockroachdb://...`` is for who has the extra of that name; see this package's README.
    """
    address = sa.make_url(url)
    if address.drivername in ("postgres", "postgresql", "cockroachdb"):
        backend = "cockroachdb" if address.drivername == "cockroachdb" else "postgresql"
        address = address.set(drivername=f"{backend}+psycopg")
    if address.get_backend_name() != "sqlite":
        return sa.create_engine(address, pool_pre_ping=True)
    engine = sa.create_engine(address)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves, and which kind
    for pragma in SQLITE_PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: sa.Connection) -> None:
    # A deferred transaction that reads and then writes can lose against another one; a write
    # session therefore takes the write lock before its first read.
    writes = connection.get_execution_options().get("writes", False)
    driver = connection.connection.dbapi_connection
    assert isinstance(driver, sqlite3.Connection)
    try:
        driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")  # straight: every transaction comes by
    except sqlite3.Error as error:
        raise DBAPIError.instance("BEGIN", None, error, sqlite3.Error, dialect=connection.dialect) from error


@contextmanager
def read_session(engine: Engine) -> Iterator[Session]:
    """A session for reading: whatever happens in it is rolled back."""
    with Session(engine) as session:
        yield session


@contextmanager
def write_session(engine: Engine) -> Iterator[Session]:
    """A session for one write: the caller commits, anything else is rolled back."""
    with Session(_writing(engine), expire_on_commit=False) as session:
        yield session


@lru_cache(maxsize=8)  # a process writes to one database, a test run to a few at a time
def _writing(engine: Engine) -> Engine:
    return engine.execution_options(writes=True)


def transact(engine: Engine, work: Callable[[Session], Result], *, attempts: int = ATTEMPTS) -> Result:
    """Run ``work`` in one transaction and commit; run it again when the database says to.

    Serialization failures, deadlocks and a file that stayed locked repeat the whole transaction, what it
    read included, at most ``attempts`` times with a random pause. Side effects outside the database belong
    after this call.
    """
    for attempt in range(1, attempts + 1):
        try:
            with _turn(engine), write_session(engine) as session:
                result = work(session)
                session.commit()
                return result
        except DBAPIError as error:
            if attempt == attempts or not is_retried(error):
                raise
            pause(attempt)
    raise AssertionError("unreachable")


def is_retried(error: DBAPIError) -> bool:
    """Whether the database asked for the transaction to be run again."""
    if getattr(error.orig, "sqlite_errorname", None) == "SQLITE_BUSY":  # nothing was written yet
        return True
    return getattr(error.orig, "sqlstate", None) in RETRIED_STATES


def _turn(engine: Engine) -> AbstractContextManager[object]:
    """On SQLite the turn of this thread to write.

    Who waits for SQLite's own lock asks for it again and again, at random: of many, some never get it. So the
    threads of a process queue up here, and only processes meet there.
    """
    if engine.dialect.name != "sqlite":
        return nullcontext()
    return _turns(str(engine.url.database))


@lru_cache(maxsize=64)
def _turns(_path: str) -> AbstractContextManager[object]:
    return threading.RLock()


def pause(attempt: int) -> None:
    """Wait before the next attempt: a random while, longer each time, so that rivals do not meet again."""
    time.sleep(random.uniform(0, 0.01 * 2**attempt))


def upgrade(engine: Engine) -> None:
    """Bring the database's tables and triggers to the newest revision; safe to call again."""
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: sa.Connection) -> Config:
    """The migrations of this package, bound to an open connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
