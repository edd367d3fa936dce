"""What closing a day costs: python -m tests.bench.day_close [--terms 100000] [--days 100 1000] [--rounds 7]

For each length of history a board of its own in a SQLite file, with every day's papers and mentions. A round
counts and closes the next day of each board, committed: activity, counters of the forecasts, rankings of all
windows. Lengths and the peer take turns, so that all meet the same machine. The peer, on the longest history,
is the day's counts and the two windows' sums as plain SQL, computed and thrown away.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from sqlalchemy import Engine, text
from sqlmodel import Session

from market.activity import close_day, count_days
from market.boards import board_by_code
from market.db import engine_for, read_session, transact, upgrade
from market.trends import BASE_DAYS, WINDOWS
from tests.bench.synthetic_board import Size, build, evening

WARM_UP = 1  # rounds that are not counted: the first one has no ranking of the day before yet
DAY_SUM = """
SELECT term_version.term_id, COUNT(DISTINCT mention.paper_id), COUNT(*)
FROM board_paper JOIN mention ON mention.paper_id = board_paper.paper_id
JOIN term_version ON term_version.id = mention.term_version_id
WHERE board_paper.board_id = 1 AND board_paper.day = :day GROUP BY term_version.term_id
"""
WINDOW_SUM = """
SELECT term_id, SUM(CASE WHEN day >= :first THEN paper_count ELSE 0 END),
    SUM(CASE WHEN day < :first THEN paper_count ELSE 0 END)
FROM activity WHERE board_id = 1 AND day BETWEEN :base_first AND :day GROUP BY term_id
"""


def close(engine: Engine, day: date) -> None:
    """Count and close one day, as an intake and the nightly run do."""

    def work(session: Session) -> None:
        count_days(session, 1, [day], evening(day))
        close_day(session, board_by_code(session, "cs.LG"), day, evening(day))

    transact(engine, work)


def plain_sums(engine: Engine, day: date) -> None:
    """The peer."""
    with read_session(engine) as session:
        session.connection().execute(text(DAY_SUM), {"day": day.isoformat()}).all()
        for window in WINDOWS:
            sum_window(session, day, window)


def sum_window(session: Session, day: date, window: int) -> None:
    """Papers of each term in the window and its base."""
    first = day - timedelta(days=window - 1)
    given = {"first": first, "base_first": first - timedelta(days=BASE_DAYS), "day": day}
    bound = {name: value.isoformat() for name, value in given.items()}
    session.connection().execute(text(WINDOW_SUM), bound).all()


def seconds(work: Callable[[Engine, date], None], engine: Engine, day: date) -> float:
    """What the work takes."""
    began = time.perf_counter()
    work(engine, day)
    return time.perf_counter() - began


def measure(folder: Path, terms: int, lengths: list[int], rounds: int) -> dict[str, list[float]]:
    """Seconds of each round, for each history and for the peer."""
    boards = {}
    for length in lengths:
        engine = engine_for(f"sqlite:///{folder}/{length}.sqlite")
        upgrade(engine)
        began = time.perf_counter()
        boards[length] = engine, build(engine, Size(terms, length, WARM_UP + rounds))
        size = (folder / f"{length}.sqlite").stat().st_size / 1e6
        print(f"built {length:,} days in {time.perf_counter() - began:.0f} s, {size:,.0f} MB", flush=True)
    times: dict[str, list[float]] = {f"close, {length:,} days": [] for length in lengths} | {"plain SQL": []}
    for number in range(WARM_UP + rounds):
        for length in lengths if number % 2 else lengths[::-1]:
            engine, waiting = boards[length]
            times[f"close, {length:,} days"].append(seconds(close, engine, waiting[number]))
        engine, waiting = boards[max(lengths)]
        times["plain SQL"].append(seconds(plain_sums, engine, waiting[number]))
    for engine, _ in boards.values():
        engine.dispose()
    return {name: some[WARM_UP:] for name, some in times.items()}


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--days", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = measure(Path(folder), given.terms, sorted(given.days), given.rounds)
    least = statistics.median(times[f"close, {min(given.days):,} days"])
    peer = statistics.median(times["plain SQL"])
    print(f"\n{'':20} {'median s':>9} {'worst s':>9} {'to shortest':>12} {'to plain SQL':>13}")
    for name, some in times.items():
        median = statistics.median(some)
        print(f"{name:20} {median:9.3f} {max(some):9.3f} {median / least:12.2f} {median / peer:13.2f}")


if __name__ == "__main__":
    main()
