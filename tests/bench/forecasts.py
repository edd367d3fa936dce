"""What a forecast costs on a big board: python -m tests.bench.forecasts [--terms 100000] [--days 780]

A board of its own in a temporary SQLite file: listing days with some hundred papers, terms of which few are
common and most are rare. Milliseconds for one term and for the terms of a day's page; the peer, measured in
the same run, sums the same terms' activity of all days in the database, which is what has to be read where
there are no counters.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col

from market.counters import rebuild
from market.db import engine_for, read_session, transact, upgrade
from market.forecasts import forecasts, opening_forecasts
from market.tables import Activity, Board, BoardDay
from nlp.tables import Term

LAST_DAY = date(2026, 5, 29)  # a Friday
TODAY = LAST_DAY + timedelta(days=1)
PAPERS_A_DAY = 400
TERMS_A_PAPER = 8


def build(session: Session, term_count: int, day_count: int) -> None:
    """A board with so many terms, and activity on so many weekdays."""
    draw = np.random.default_rng(5)
    session.add(
        Board(
            id=1, code="cs.LG", name="Machine Learning", field="Computer Science", period="week",
            day_rule="announced", time_zone="UTC", grace_days=3, position=1,
        )
    )  # fmt: skip
    session.flush()
    names = [f"term {number}" for number in range(1, term_count + 1)]
    terms = [
        {"id": at, "key": name, "slug": name.replace(" ", "-"), "label": name, "current_version": 1}
        for at, name in enumerate(names, 1)
    ]
    session.execute(sa.insert(Term), terms)
    shares = 1 / np.arange(5, term_count + 5)
    days = [LAST_DAY - timedelta(days=ago) for ago in range(day_count * 7 // 5)]
    for day in (day for day in days if day.weekday() < 5):
        listed = int(draw.poisson(PAPERS_A_DAY))
        session.add(BoardDay(board_id=1, day=day, paper_count=listed))
        counts = draw.poisson(shares * (listed * TERMS_A_PAPER / shares.sum()))
        rows = [
            {
                "board_id": 1, "term_id": int(at) + 1, "day": day, "paper_count": int(counts[at]),
                "mention_count": int(counts[at]),
            }
            for at in np.flatnonzero(counts)
        ]  # fmt: skip
        session.execute(sa.insert(Activity), rows)
    session.flush()
    rebuild(session, 1)


def totals(session: Session, terms: list[int]) -> None:
    """The peer: papers of each term over all days."""
    session.execute(
        sa.select(col(Activity.term_id), sa.func.sum(Activity.paper_count))
        .where(col(Activity.board_id) == 1, col(Activity.term_id).in_(terms))
        .group_by(col(Activity.term_id))
    ).all()


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=780)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_for(f"sqlite:///{folder}/forecasts.sqlite")
        upgrade(engine)
        transact(engine, lambda session: build(session, given.terms, given.days))
        with read_session(engine) as session:
            board = session.get_one(Board, 1)
            page = sorted({*range(1, 101), *range(500, given.terms, given.terms // 50)})[:150]
            rows = session.scalar(sa.select(sa.func.count()).select_from(Activity))
            print(f"{given.terms:,} terms, {given.days} days, {rows:,} rows of activity")
            peer = _median(lambda: totals(session, page), given.rounds)
            _line("one term", lambda: forecasts(session, board, [1], TODAY), given.rounds, peer)
            _line(f"{len(page)} terms", lambda: forecasts(session, board, page, TODAY), given.rounds, peer)
            everything = list(range(1, given.terms + 1))
            _line("all terms, means", lambda: opening_forecasts(session, board, everything, TODAY), 3, peer)
            print(f"{f'sums of {len(page)} terms, all days':28} {peer:8.1f} ms {1:8.2f}")
        engine.dispose()


def _line(what: str, work: Callable[[], object], rounds: int, peer: float) -> None:
    took = _median(work, rounds)
    print(f"{what:28} {took:8.1f} ms {took / peer:8.2f}")


def _median(work: Callable[[], object], rounds: int) -> float:
    """Milliseconds, after one round that is not counted."""
    work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
