"""Databases that hold a past: one as it came about, and files that somebody may alter."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from market.db import engine_for, transact
from tests.market.histories import alter, some_history


@pytest.fixture
def history(engine: Engine) -> Engine:
    transact(engine, some_history)
    return engine


@pytest.fixture(scope="module")
def opened_file(sqlite_template: Path) -> Path:
    """A history in an SQLite file whose triggers somebody has taken off."""
    path = sqlite_template.with_name("opened.sqlite")
    shutil.copy(sqlite_template, path)
    engine = engine_for(f"sqlite:///{path}")
    transact(engine, some_history)
    for table in ("entry", "posting", "fill", "settlement_statement", "watch_event"):
        alter(engine, f"DROP TRIGGER {table}_no_update", f"DROP TRIGGER {table}_no_delete")
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture
def opened(opened_file: Path, tmp_path: Path) -> Iterator[Engine]:
    """A copy of that file, for one test to alter."""
    path = tmp_path / "opened.sqlite"
    shutil.copy(opened_file, path)
    engine = engine_for(f"sqlite:///{path}")
    yield engine
    engine.dispose()
