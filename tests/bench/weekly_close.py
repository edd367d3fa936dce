"""Closing a week: python -m tests.bench.weekly_close [--database sqlite postgresql] [--terms 100000]

A board lists 100,000 terms with four open periods each: listing and quoting them writes no row of a contract,
account or entry. Then 2,000 contracts of a week are opened and traded, its papers come in, and all of them
are settled, in steps. A second market of the same kind is settled by a process that is killed (-9) after
ever longer moments and started again, until it comes to its end. `verify` and `replay` follow.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from datetime import timedelta
from random import Random

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from market.db import engine_for, read_session, transact
from market.orders import OrderRequest
from market.settlement import settle_in_steps
from market.tables import Account, Contract, Entry
from market.trading import place_order, quote
from tests.bench import load

DUE = load.NOW + timedelta(days=11)  # 2026-05-28: the grace days of PERIOD are over
MONDAY = load.LISTED_ON + timedelta(days=1)  # the first day of PERIOD
PAPERS, TERMS_OF_A_PAPER, TRADERS, TRADES_EACH = 2_500, 12, 200, 3


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--opened", type=int, default=2_000)
    parser.add_argument("--settle", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.settle:
        engine = engine_for(given.settle)
        print(len(settle_in_steps(engine, DUE)))
        return
    for kind in given.database:
        with load.database(kind) as url:
            close(kind, url, given.terms, given.opened)
        with load.database(kind) as url:
            close_killed(kind, url, given.opened)


def close(kind: str, url: str, terms: int, opened: int) -> None:
    """The whole, timed."""
    engine = engine_for(url)
    began = time.perf_counter()
    traders = load.build(engine, terms, TRADERS)
    print(f"{kind}: {terms:,} terms listed in {time.perf_counter() - began:.1f} s; {rows(engine)}")
    quoted = quote_some(engine, terms, 100)
    print(f"{kind}: {quoted} of them quoted in four periods each; {rows(engine)}")
    trade(engine, traders, opened)
    read_in(engine, opened)
    print(f"{kind}: {opened:,} contracts opened and traded; {rows(engine)}")
    began, worked = time.perf_counter(), time.process_time()
    outcomes = settle_in_steps(engine, DUE)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    settled = sum(each.is_settled for each in outcomes)
    print(f"{kind}: {settled:,} contracts settled in {seconds:.1f} s, of which {worked:.1f} s at work here")
    load.audit(engine)
    engine.dispose()


def close_killed(kind: str, url: str, opened: int) -> None:
    """Settled by processes that are killed, each after a longer while than the one before."""
    engine = engine_for(url)
    trade(engine, load.build(engine, opened, TRADERS), opened)
    read_in(engine, opened)
    kills = 0
    while True:
        settling = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.weekly_close", "--settle", url], stdout=subprocess.DEVNULL
        )
        try:
            status = settling.wait(timeout=2 + 0.37 * kills)
        except subprocess.TimeoutExpired:
            settling.send_signal(signal.SIGKILL)
            settling.wait()
            kills += 1
            print(f"{kind}: killed, {left(engine):,} contracts are left to settle")
            continue
        if status:
            raise SystemExit(f"settling ended with {status}")
        break
    if left(engine):
        raise SystemExit(f"{left(engine)} contracts were not settled")
    print(f"{kind}: settled after {kills} kills")
    load.audit(engine)
    engine.dispose()


def rows(engine: Engine) -> str:
    """How many rows there are of what a contract costs."""
    with read_session(engine) as session:
        counts = {
            "contracts": session.scalar(sa.select(sa.func.count()).select_from(Contract)),
            "accounts of contracts": session.scalar(
                sa.select(sa.func.count()).select_from(Account).where(Account.contract_id.is_not(None))  # type: ignore[union-attr]
            ),
            "entries besides grants": session.scalar(
                sa.select(sa.func.count()).select_from(Entry).where(Entry.kind != "grant")  # type: ignore[arg-type]
            ),
        }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


def quote_some(engine: Engine, terms: int, count: int) -> int:
    """Quote a guest's order on so many terms in every open period."""
    with read_session(engine) as session:
        for number in range(1, terms + 1, terms // count):
            for period in load.PERIODS:
                quote(session, None, load.buying(f"term-{number}", period, 3), load.NOW)
    return len(range(1, terms + 1, terms // count))


def trade(engine: Engine, traders: list[int], opened: int) -> None:
    """Open the contracts of the first terms, each with a few trades."""
    chance = Random(1)

    def work(session: Session, numbers: range) -> None:
        for number in numbers:
            for turn in range(TRADES_EACH):
                request: OrderRequest = load.buying(f"term-{number}", load.PERIOD, chance.randint(1, 5))
                place_order(session, chance.choice(traders), request, f"week-{number}-{turn}", load.NOW)

    for start in range(1, opened + 1, 500):
        numbers = range(start, min(start + 500, opened + 1))
        transact(engine, lambda session, numbers=numbers: work(session, numbers))


def read_in(engine: Engine, terms: int) -> None:
    """The week's papers, on its Monday, with their mentions; the day is closed."""
    chance = Random(2)
    paper, board_paper, mention, board_day = (
        SQLModel.metadata.tables[name] for name in ("paper", "board_paper", "mention", "board_day")
    )

    def work(session: Session) -> None:
        run = session.connection().execute
        run(sa.insert(paper), [load.paper_row(number, MONDAY) for number in range(1, PAPERS + 1)])
        placed = {"board_id": 1, "day": MONDAY, "section": "new"}
        run(sa.insert(board_paper), [{**placed, "paper_id": n, "position": n} for n in range(1, PAPERS + 1)])
        run(sa.insert(mention), [
            {"paper_id": n, "term_version_id": term, "start_offset": 9 * at, "end_offset": 9 * at + 5,
             "quote": "a term"}
            for n in range(1, PAPERS + 1)
            for at, term in enumerate(sorted(chance.sample(range(1, terms + 1), TERMS_OF_A_PAPER)))
        ])  # fmt: skip
        run(sa.insert(board_day), {
            "board_id": 1, "day": MONDAY, "paper_count": PAPERS, "closed_at": load.NOW + timedelta(days=2)
        })  # fmt: skip

    transact(engine, work)


def left(engine: Engine) -> int:
    """Contracts that are not settled."""
    with read_session(engine) as session:
        unsettled = sa.select(sa.func.count()).select_from(Contract).where(Contract.settled_at.is_(None))  # type: ignore[union-attr]
        return session.scalar(unsettled) or 0


if __name__ == "__main__":
    main()
