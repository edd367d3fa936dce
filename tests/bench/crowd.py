"""A crowd on one contract: python -m tests.bench.crowd [--database sqlite postgresql] [--orders 10000]

64 clients in 8 processes, each a trader of their own, send orders, limit orders, cancellations, repetitions
and used keys at once. Every answer has to be in the database as it was given and once; the state has to be
the one that the recorded orders give when they are played one after the other (`replay`), and `verify` finds
nothing. What is refused is counted by its reason.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from market.db import engine_for, transact
from market.trading import place_order
from tests.bench import load
from tests.bench.people import Answer, Person, counted, faults


@dataclass(frozen=True, slots=True)
class Crowd:
    """So many processes of so many threads each, so many requests of each thread."""

    processes: int
    threads: int
    requests: int


def gather(url: str, crowd: Crowd) -> list[Answer]:
    """Let the crowd loose on a market with one term; every answer that anybody was given."""
    engine = engine_for(url)
    traders = load.build(engine, 1, crowd.processes * crowd.threads)
    first = load.buying("term-1", load.PERIOD, 1)
    transact(engine, lambda session: place_order(session, traders[0], first, "open-1", load.NOW))
    engine.dispose()
    shares = [traders[number :: crowd.processes] for number in range(crowd.processes)]
    context = multiprocessing.get_context("spawn")
    with context.Pool(crowd.processes) as pool:
        told = pool.starmap(_process, [(url, some, crowd.requests) for some in shares], chunksize=1)
    return [answer for each in told for answer in each]


def _process(url: str, traders: list[int], requests: int) -> list[Answer]:
    engine = engine_for(url)
    people = [Person(engine, trader, ["term-1"], load.PERIOD, seed=trader) for trader in traders]
    with ThreadPoolExecutor(len(people)) as pool:
        told = pool.map(lambda person: [person.act() for _ in range(requests)], people)
        answers = [answer for each in told for answer in each]
    engine.dispose()
    return answers


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--orders", type=int, default=10_000)
    given = parser.parse_args()
    crowd = Crowd(processes=8, threads=8, requests=-(-given.orders // 64))
    for kind in given.database:
        with load.database(kind) as url:
            began = time.perf_counter()
            answers = gather(url, crowd)
            seconds = time.perf_counter() - began
            engine = engine_for(url)
            if found := faults(engine, answers, is_all=True):
                raise SystemExit(f"{kind}: {len(found)} answers are not stored as given: {found[0]}")
            taken = f"{len(answers):,} requests of 64 clients in {seconds:.0f} s"
            print(f"{kind}: {taken}, each answer is stored once")
            print(", ".join(f"{count:,} {what}" for what, count in counted(answers).most_common()))
            load.audit(engine)
            engine.dispose()


if __name__ == "__main__":
    main()
