"""A trade's cost as the ledger grows: python -m tests.bench.growth [--database sqlite postgresql]

Two markets of 2,000 contracts side by side, one with 10,000 postings and one with 5,000,000, filled in bulk
with trades that are valid to the last hash (see `long_ledger`). Rounds of trades take turns on them, so that
both meet the same machine. `verify` and `replay` look at the short one, and with `--verify` at the long one
too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack

from sqlalchemy import Engine

from market.db import engine_for
from tests.bench import load, long_ledger
from tests.bench.trades import Trading

ROUND = 50  # trades


def measure(kind: str, sizes: Sequence[int], rounds: int, *, is_verified: bool) -> None:
    """Fill the markets, trade on them in turn, print what a trade takes."""
    with ExitStack() as stack:
        clients: dict[int, Trading] = {}
        engines: dict[int, Engine] = {}
        for size in sizes:
            engine = engines[size] = engine_for(stack.enter_context(load.database(kind)))
            stack.callback(engine.dispose)
            began = time.perf_counter()
            traders = long_ledger.begin(engine)
            long_ledger.LongLedger(engine, traders).write(size)
            print(f"{kind}: {size:,} postings in {time.perf_counter() - began:.0f} s", flush=True)
            clients[size] = Trading(engine, traders, long_ledger.TERMS, seed=2)
        took: dict[int, list[float]] = {size: [] for size in sizes}
        for number in range(rounds + 2):
            for size, client in clients.items():
                began = time.perf_counter()
                for _ in range(ROUND):
                    client.trade()
                if number >= 2:  # the first ones warm up
                    took[size].append(1000 * (time.perf_counter() - began) / ROUND)
        show(kind, took)
        load.audit(engines[min(sizes)])
        if is_verified:
            load.audit(engines[max(sizes)])


def show(kind: str, took: dict[int, list[float]]) -> None:
    """Medians, and each beside the shortest ledger's round of the same turn."""
    first = min(took)
    print(f"| {kind}: postings | a trade, median of {len(took[first])} rounds | times the shortest |")
    print("|---|---|---|")
    for size, values in took.items():
        ratio = statistics.median(mine / theirs for mine, theirs in zip(values, took[first], strict=True))
        print(f"| {size:,} | {statistics.median(values):.2f} ms | {ratio:.2f} |", flush=True)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--postings", nargs="+", type=int, default=[10_000, 5_000_000])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--verify", action="store_true", help="look at the long ledger too")
    given = parser.parse_args()
    for kind in given.database:
        measure(kind, given.postings, given.rounds, is_verified=given.verify)


if __name__ == "__main__":
    main()
