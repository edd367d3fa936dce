"""`peer-revenue replay` on an honest database, and on one that somebody changed by hand."""

from __future__ import annotations

from click.testing import CliRunner, Result
from sqlalchemy import Engine

from market.db import engine_for, transact
from tests.market.histories import alter, some_history
from web.cli import main


def replay(url: str) -> Result:
    return CliRunner().invoke(main, ["replay", "--database", url])


def history(url: str) -> Engine:
    engine = engine_for(url)
    transact(engine, some_history)
    return engine


def test_an_honest_log_comes_out_the_same(database_url: str) -> None:
    history(database_url).dispose()
    result = replay(database_url)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("2 contracts\nEverything comes out the same.\n")


def test_a_changed_fill_is_named(sqlite_url: str) -> None:
    engine = history(sqlite_url)
    dearer = "UPDATE fill SET fee_units = fee_units + 1 WHERE version_after = 1"
    alter(engine, "DROP TRIGGER fill_no_update", dearer)
    engine.dispose()
    result = replay(sqlite_url)
    assert result.exit_code == 1
    assert "2 things come out otherwise." in result.stdout
    assert result.stderr.splitlines()[0].startswith("entry ")
    assert "fee of order" in result.stderr
