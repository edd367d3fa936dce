"""One paper, one day, one count, whatever order the days come in: python -m tests.bench.sightings

The corpus' papers with all their sightings are taken in day by day; newest first; shuffled; shuffled and
every day twice; and as one file. Each line says what is stored then; the last two columns are
hashes of all papers with their days, and of the activity. Beside it: what counting rows would have given.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.boards import ensure_board
from market.db import engine_for, read_session, transact, upgrade
from market.intake import IntakeReport, install_lexicon, take_in
from market.tables import Activity, BoardPaper
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper
from nlp.sources import read_source
from nlp.tables import Paper, Term

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "corpus"
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)

Days = list[tuple[date, list[str]]]  # a day's crawl: the lines of its papers, a paper as often as it has rows


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is stored after a feed; the hashes are of everything that must not depend on the order."""

    read_count: int
    new_count: int
    paper_count: int
    day_count: int
    places: str
    activity: str


def crawled_days(folder: Path, every: int = 1) -> Days:
    """The days of the corpus with each ``every``-th paper on all the days on which it was seen."""
    papers = {}
    for line in _lines(folder / "cs_lg_2026_jan_may.jsonl.gz"):
        paper = json.loads(line)
        papers[paper["id"]] = paper
    chosen = set(sorted(papers)[::every])
    days: dict[str, list[str]] = defaultdict(list)
    seen = [(identifier, papers[identifier]["date"], 1) for identifier in sorted(chosen)]
    seen += [json.loads(line) for line in _lines(folder / "sightings_2026_jan_may.jsonl.gz")]
    for identifier, day, row_count in seen:
        if identifier in chosen:
            days[day] += [json.dumps({**papers[identifier], "date": day})] * row_count
    return [(date.fromisoformat(day), rows) for day, rows in sorted(days.items())]


def feed(engine: Engine, files: Sequence[Sequence[str]]) -> Outcome:
    """Take the files in, each in its own transaction."""
    transact(engine, _begin)
    reports = [transact(engine, partial(_take, rows=rows)) for rows in files]
    with read_session(engine) as session:
        places = sorted(
            f"{identifier} {day} {section}"
            for identifier, day, section in session.execute(
                sa.select(col(Paper.identifier), col(BoardPaper.day), col(BoardPaper.section)).join(
                    BoardPaper, col(BoardPaper.paper_id) == Paper.id
                )
            )
        )
        activity = sorted(
            f"{key} {day} {papers} {mentions}"
            for key, day, papers, mentions in session.execute(
                sa.select(
                    col(Term.key), col(Activity.day), col(Activity.paper_count), col(Activity.mention_count)
                ).join(Activity, col(Activity.term_id) == Term.id)
            )
        )
    return Outcome(
        sum(report.read_count for report in reports),
        sum(report.new_count for report in reports),
        len(places),
        len({place.split()[1] for place in places}),
        _hash(places),
        _hash(activity),
    )


def orders(days: Days, seed: int = 1) -> Iterator[tuple[str, list[list[str]]]]:
    """The name of each order, and its files."""
    files = [rows for _, rows in days]
    shuffled, twice = list(files), files + files
    random.Random(seed).shuffle(shuffled)
    random.Random(seed).shuffle(twice)
    yield "day by day", files
    yield "newest first", files[::-1]
    yield "shuffled", shuffled
    yield "shuffled, each twice", twice
    yield "one file", [[row for rows in shuffled for row in rows]]


def _begin(session: Session) -> None:
    ensure_board(session, "cs.LG", "Machine Learning", "Computer Science", "week", "announced", "UTC", 3)
    lexicon = load_lexicon((ROOT / "seeds" / "lexicon.toml").read_text(encoding="utf-8"))
    install_lexicon(session, lexicon, NOW)


def _take(session: Session, rows: Sequence[str]) -> IntakeReport:
    data = "\n".join(rows).encode()
    papers: list[RawPaper] = list(read_source(data, "crawl.jsonl", source="json-lines"))  # type: ignore[arg-type]
    return take_in(session, papers, now=NOW)


def _lines(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def _hash(rows: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:12]


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--every", type=int, default=1, help="take every n-th paper only")
    given = parser.parse_args()
    days = crawled_days(CORPUS, given.every)
    rows = sum(len(lines) for _, lines in days)
    pairs = sum(len(set(lines)) for _, lines in days)
    heads = (f"{head:>7}" for head in ("files", "read", "new", "papers", "days", "seconds"))
    print(f"{'order':20}", *heads, " hashes")
    outcomes = []
    for name, files in orders(days):
        with tempfile.TemporaryDirectory() as folder:
            engine = engine_for(f"sqlite:///{folder}/papers.sqlite")
            upgrade(engine)
            began = time.perf_counter()
            outcome = feed(engine, files)
            seconds = time.perf_counter() - began
            engine.dispose()
        outcomes.append(outcome)
        print(
            f"{name:20} {len(files):7} {outcome.read_count:7,} {outcome.new_count:7,} "
            f"{outcome.paper_count:7,} {outcome.day_count:7} {seconds:7.1f}",
            f" {outcome.places} {outcome.activity}", flush=True,
        )  # fmt: skip
    same = len({(one.paper_count, one.places, one.activity) for one in outcomes}) == 1
    papers = outcomes[0].paper_count
    print(f"the same papers, days and activity in every order: {'yes' if same else 'NO'}")
    print(f"rows counted: {rows:,} ({rows / papers:.2f} times the papers); by paper and day: {pairs:,} "
          f"({pairs / papers:.2f})")  # fmt: skip


if __name__ == "__main__":
    main()
