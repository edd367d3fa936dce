"""Killed in the middle: python -m tests.bench.kills [--database sqlite postgresql] [--times 50]

Two processes trade on ten terms and report every answer; at a random moment both get SIGKILL. On PostgreSQL
every second time one of its own processes is killed too, upon which it recovers from its log. Then `verify`
and `replay` have to find nothing, and every answer that was reported has to be stored as it was given.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import time
from random import Random

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from market.audit import replay, verify
from market.db import engine_for, read_session
from tests.bench import load
from tests.bench.people import Answer, Person, faults

TERMS, WORKERS, TRADERS = 10, 2, 20


def kill_often(url: str, times: int, *, server_too: bool, seed: int = 1) -> tuple[int, int]:
    """Load, kill and look, so often; how many answers were reported, and how many entries there are.

    ``server_too``: every second time a process of PostgreSQL as well, which ends every connection to it.
    Raises `AssertionError` where something was lost or is wrong.
    """
    engine = engine_for(url)
    load.build(engine, TERMS, TRADERS)
    chance = Random(seed)
    answers: list[Answer] = []
    entries = 0
    for number in range(times):
        answers += load_and_kill(engine, url, chance, number, kill_server=bool(server_too and number % 2))
        _wait_for(engine)
        entries = check(engine, answers)
    engine.dispose()
    return len(answers), entries


def load_and_kill(
    engine: Engine, url: str, chance: Random, number: int, *, kill_server: bool
) -> list[Answer]:
    """Start the workers, kill them; what they had been told."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.bench.kills", "--work", url]
    workers = [
        subprocess.Popen(
            [*command, str(WORKERS * number + each)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for each in range(WORKERS)
    ]  # fmt: skip
    told: list[str] = []
    for worker in workers:  # both have begun
        assert worker.stdout is not None
        told.append(worker.stdout.readline())
    time.sleep(chance.uniform(0, 1))
    if kill_server:
        _kill_backend(engine, chance)
    for worker in workers:
        worker.send_signal(signal.SIGKILL)
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stderr is not None
        told.extend(worker.stdout)
        # One that lost its server may have ended by itself; nobody else does.
        assert worker.wait() == -signal.SIGKILL or kill_server, worker.stderr.read()
        worker.stdout.close()
        worker.stderr.close()
    return [Answer.read(line) for line in told if line.endswith("\n")]  # the last one may be half a line


def _kill_backend(engine: Engine, chance: Random) -> None:
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND datname = current_database()"
        )
        os.kill(chance.choice(found.scalars().all()), signal.SIGKILL)
        connection.invalidate()
    engine.dispose()


def _wait_for(engine: Engine) -> None:
    """Until the server has recovered, half a minute at most."""
    for _ in range(60):
        try:
            with engine.connect() as connection:
                connection.execute(sa.text("SELECT 1"))
            return
        except OperationalError:
            time.sleep(0.5)
    raise AssertionError("the server does not come back")


def check(engine: Engine, answers: list[Answer]) -> int:
    """Nothing acknowledged is lost, and nothing is half there; how many entries there are."""
    lost = faults(engine, answers, is_all=False)
    assert not lost, lost[0]
    with read_session(engine) as session:
        verified = verify(session)
    with read_session(engine) as session:
        findings = (*verified.findings, *replay(session).findings)
    assert not findings, findings[0]
    return verified.entry_count


def work(url: str, number: int) -> None:
    """Trade until killed, and say every answer."""
    engine = engine_for(url)
    slugs = [f"term-{each}" for each in range(1, TERMS + 1)]
    mine = range(1 + number % WORKERS, TRADERS + 1, WORKERS)
    people = [Person(engine, trader, slugs, load.PERIOD, seed=1000 * number + trader) for trader in mine]
    for person in itertools.cycle(people):
        print(person.act().line(), flush=True)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], int(given.work[1]))
    for kind in given.database:
        with load.database(kind) as url:
            answers, entries = kill_often(url, given.times, server_too=kind == "postgresql")
            print(f"{kind}: killed {given.times} times; {answers:,} answers are stored as they were given, "
                  f"{entries:,} entries, verify and replay found nothing each time")  # fmt: skip


if __name__ == "__main__":
    main()
