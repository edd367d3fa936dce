"""What an audit takes: python -m tests.bench.verify_speed [--database sqlite] [--entries 100000 1000000]

Ledgers of so many entries, filled in bulk (see `long_ledger`); verify and replay each run in a process of
their own, whose greatest memory is printed beside its speed. It should be the same, however long the ledger.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from market.audit import replay, verify
from market.db import engine_for, read_session
from tests.bench import load, long_ledger

POSTINGS_AN_ENTRY = 5


def audit(url: str, what: str) -> None:
    """Run one of them here, and print a row of the table."""
    engine = engine_for(url)
    began = time.perf_counter()
    with read_session(engine) as session:
        result = verify(session) if what == "verify" else replay(session)
    seconds = time.perf_counter() - began
    engine.dispose()
    if result.findings:
        raise SystemExit(f"{what} finds {result.findings[0]}")
    speed = f"{seconds:.1f} s | {result.entry_count / seconds:,.0f}"
    print(f"| {what} | {result.entry_count:,} | {speed} | {memory():.0f} MB |", flush=True)


def memory() -> float:
    """The most that this process has held, in megabytes, as Linux says it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", nargs="+", default=["sqlite"])
    parser.add_argument("--entries", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--audit", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.audit:
        audit(*given.audit)
        return
    for kind in given.database:
        print(f"| {kind} | entries | took | entries a second | memory |\n|---|---|---|---|---|", flush=True)
        for entries in given.entries:
            with load.database(kind) as url:
                engine = engine_for(url)
                traders = long_ledger.begin(engine)
                long_ledger.LongLedger(engine, traders).write(POSTINGS_AN_ENTRY * entries)
                engine.dispose()
                for what in ("verify", "replay"):
                    command = [sys.executable, "-W", "ignore", "-m", "tests.bench.verify_speed", "--audit"]
                    subprocess.run([*command, url, what], check=True)


if __name__ == "__main__":
    main()
