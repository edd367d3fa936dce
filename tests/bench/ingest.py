"""What a paper costs from file to database as the database grows: python -m tests.bench.ingest [--papers N]

Papers are made from the corpus under new identifiers, with a sentence of their own, on ever later days, and
come in files of 1,000, each read, typeset, highlighted, stored, placed, counted and committed into one SQLite
file. Beside it, in the same run and on the same papers: reading the file and one bare row a paper by
executemany, committed likewise.

Milliseconds a paper, by the clock and of the processor, are medians of the files since the size before; the
first line's are of the first file in five fresh databases. Growth is against that line.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as day_time
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Session

from market.boards import ensure_board
from market.db import engine_for, transact, upgrade
from market.intake import IntakeReport, install_lexicon, take_in
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper
from nlp.sources import read_source

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "corpus" / "cs_lg_2026_jan_may.jsonl.gz"
FILE = 1_000
SIZES = (2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PEER = """
CREATE TABLE paper (id INTEGER PRIMARY KEY, identifier TEXT UNIQUE, title TEXT, abstract TEXT, day TEXT)
"""
INSERT = "INSERT INTO paper (identifier, title, abstract, day) VALUES (?, ?, ?, ?)"


class Cost(NamedTuple):
    """Milliseconds a paper: by the clock, and of the processor."""

    clock: float
    processor: float


def files(paper_count: int) -> Iterator[tuple[bytes, datetime]]:
    """Files of JSON lines with 1,000 new papers each, and when they come: the evening of their last day."""
    corpus = [json.loads(line) for line in gzip.decompress(CORPUS.read_bytes()).splitlines()]
    corpus.sort(key=lambda paper: (paper["date"], paper["id"]))
    span = date.fromisoformat(corpus[-1]["date"]) - date.fromisoformat(corpus[0]["date"]) + timedelta(days=2)
    for start in range(0, paper_count, FILE):
        lines = []
        for number in range(start, start + FILE):
            paper = corpus[number % len(corpus)]
            turn = number // len(corpus)
            day = date.fromisoformat(paper["date"]) + turn * span
            words = f" It is number {number} of its kind."
            made = {
                "id": f"local:{number}", "date": day.isoformat(), "abstract": paper["abstract"] + words,
                "title": paper["title"], "authors": paper["authors"], "categories": paper["categories"],
            }  # fmt: skip
            lines.append(json.dumps(made))
        yield "\n".join(lines).encode(), datetime.combine(day, day_time(20), UTC)


def papers_of(data: bytes) -> list[RawPaper]:
    """What a file holds; nothing of it is refused."""
    found = read_source(data, "made.jsonl", source="json-lines")
    return [paper for paper in found if isinstance(paper, RawPaper)]


class Store:
    """A fresh database of ours and one of the peer's, with what each file cost in them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "papers.sqlite"
        self._engine = engine_for(f"sqlite:///{self._path}")
        upgrade(self._engine)
        transact(self._engine, _begin)
        self._peer = sqlite3.connect(folder / "peer.sqlite")
        self._peer.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {PEER}")
        self.ours: list[Cost] = []
        self.bare: list[Cost] = []

    def take(self, data: bytes, now: datetime) -> None:
        """One file into both."""
        self.ours.append(cost_of(lambda: transact(self._engine, lambda session: _take(session, data, now))))
        self.bare.append(cost_of(lambda: _insert(self._peer, data)))

    def close(self) -> float:
        """Close both; the size of ours in megabytes."""
        self._peer.close()
        self._engine.dispose()
        return self.size()

    def size(self) -> float:
        """Megabytes of ours."""
        return self._path.stat().st_size / 1e6


def measure(folder: Path, paper_count: int) -> None:
    """Print one line for each size as it is reached."""
    heads = ("papers", "ms", "CPU ms", "papers/s", "growth", "of CPU", "bare ms", "times", "MB")
    print(" ".join(f"{head:>9}" for head in heads))
    first = _first_file(folder)
    store = Store(folder)
    for number, (data, now) in enumerate(files(paper_count), start=1):
        store.take(data, now)
        if number > 1 and (number * FILE in SIZES or number * FILE == paper_count):
            _print(number * FILE, median(store.ours), median(store.bare), first, store.size())
            store.ours, store.bare = [], []
    store.close()


def _first_file(folder: Path) -> Cost:
    """The cost of the first thousand papers, when whatever is made once a process has been made."""
    data, now = next(files(FILE))
    ours, bare, size = [], [], 0.0
    for turn in range(6):
        place = folder / str(turn)
        place.mkdir()
        store = Store(place)
        store.take(data, now)
        if turn:
            ours += store.ours
            bare += store.bare
        size = store.close()
    _print(FILE, median(ours), median(bare), median(ours), size)
    return median(ours)


def _print(papers: int, ours: Cost, bare: Cost, first: Cost, size: float) -> None:
    print(
        f"{papers:9,} {ours.clock:9.3f} {ours.processor:9.3f} {1000 / ours.clock:9,.0f} "
        f"{ours.clock / first.clock:9.2f} {ours.processor / first.processor:9.2f} {bare.clock:9.3f} "
        f"{ours.clock / bare.clock:9.1f} {size:9,.0f}",
        flush=True,
    )


def cost_of(work: Callable[[], object]) -> Cost:
    """What it costs to do this to one file."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Cost(
        (time.perf_counter() - clock) * 1000 / FILE, (time.process_time() - processor) * 1000 / FILE
    )


def median(costs: Sequence[Cost]) -> Cost:
    """The medians of both."""
    return Cost(
        statistics.median(cost.clock for cost in costs), statistics.median(cost.processor for cost in costs)
    )


def _begin(session: Session) -> None:
    ensure_board(session, "cs.LG", "Machine Learning", "Computer Science", "week", "announced", "UTC", 3)
    lexicon = load_lexicon((ROOT / "seeds" / "lexicon.toml").read_text(encoding="utf-8"))
    install_lexicon(session, lexicon, BEGAN)


def _take(session: Session, data: bytes, now: datetime) -> IntakeReport:
    report = take_in(session, papers_of(data), now=now)
    assert (report.new_count, report.refusals) == (FILE, ()), report
    return report


def _insert(connection: sqlite3.Connection, data: bytes) -> None:
    rows = [(paper.identifier, paper.title, paper.abstract, str(paper.day)) for paper in papers_of(data)]
    with connection:
        connection.executemany(INSERT, rows)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--papers", type=int, default=SIZES[-1], help="how many, in thousands")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), given.papers)


if __name__ == "__main__":
    main()
