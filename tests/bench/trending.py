"""What the trending page costs on a big board: python -m tests.bench.trending [--terms 100000] [--days 1000]

Milliseconds of the page through the whole application (no network), on a SQLite file with every day's papers,
mentions and activity, the last days closed by the application itself. "Stale" is the page when late papers
have come since the ranking was kept: it is computed for whoever asks. The peer, in turn with the pages, is
the window's sums as one plain SQL statement, without a page around it. "cpu" is the processor's time alone,
which other processes on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import sqlalchemy as sa
from flask.testing import FlaskClient
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.activity import count_days
from market.db import engine_for, read_session, transact, upgrade
from nlp.tables import Paper
from tests.bench.day_close import close, sum_window
from tests.bench.synthetic_board import Size, build, evening
from web import create_app
from web.config import load_settings

CLOSED = 3  # days that are closed before the pages are asked for
PEER = "plain SQL, 7 days"
Took = tuple[float, float]  # milliseconds: elapsed, and of the processor
PAGES = ("/cs.LG/trending", "/cs.LG/trending?window=30", "/cs.LG/trending?window=today")


def application(engine: Engine, day: date, folder: Path) -> FlaskClient:
    """A browser without network, on the evening of the day."""
    settings = load_settings(market_clock=evening(day) + timedelta(minutes=5), instance_folder=folder)
    return create_app(settings, engine).test_client()


def measure(engine: Engine, client: FlaskClient, day: date, rounds: int) -> dict[str, list[Took]]:
    """What each page and the peer took, in turn, after one round that is not counted."""
    times: dict[str, list[Took]] = {name: [] for name in (*PAGES, PEER)}
    for _ in range(1 + rounds):
        for page in PAGES:
            times[page].append(_took(_ask, client, page))
        with read_session(engine) as session:
            times[PEER].append(_took(sum_window, session, day, 7))
    return {name: some[1:] for name, some in times.items()}


def withdraw_one(engine: Engine, day: date) -> None:
    """Change a count of the day after its ranking was kept."""

    def work(session: Session) -> None:
        newest = sa.select(sa.func.max(Paper.id)).scalar_subquery()
        now = evening(day) + timedelta(minutes=1)
        session.execute(sa.update(Paper).where(col(Paper.id) == newest).values(withdrawn_at=now))
        count_days(session, 1, [day], now)

    transact(engine, work)


def _ask(client: FlaskClient, page: str) -> None:
    response = client.get(page, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200, f"{page}: {response.status}"


def _took(work: Callable[..., None], *given: object) -> Took:
    began, cpu_began = time.perf_counter(), time.process_time()
    work(*given)
    return (time.perf_counter() - began) * 1000, (time.process_time() - cpu_began) * 1000


def _print(times: dict[str, list[Took]], peer: float) -> None:
    for name, some in times.items():
        elapsed, cpu = (sorted(column) for column in zip(*some, strict=True))
        late, median = int(len(some) * 0.95), statistics.median(elapsed)
        print(f"{name:36} {median:8.1f} {elapsed[late]:8.1f} {cpu[late]:12.1f} {median / peer:13.2f}")


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_for(f"sqlite:///{folder}/trending.sqlite")
        upgrade(engine)
        days = build(engine, Size(given.terms, given.days, CLOSED))
        for day in days:
            close(engine, day)
        client = application(engine, days[-1], Path(folder))
        times = measure(engine, client, days[-1], given.rounds)
        peer = statistics.median(elapsed for elapsed, _ in times[PEER])
        print(f"{'':36} {'p50 ms':>8} {'p95 ms':>8} {'p95 cpu ms':>12} {'to plain SQL':>13}")
        _print(times, peer)
        withdraw_one(engine, days[-1])
        stale = {page: [_took(_ask, client, page) for _ in range(5)] for page in PAGES}
        _print({f"stale {page}": some for page, some in stale.items()}, peer)
        engine.dispose()


if __name__ == "__main__":
    main()
