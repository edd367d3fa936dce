"""How fast terms are found, beside other ways to: python -m tests.bench.highlight [--terms 1000,10000,100000]

On the abstracts of the corpus, typeset beforehand, or of the seed documents where the corpus is not here; on
one core, in processor time. All take turns over the same few hundred abstracts, so that a busy machine is
unfair to none, and of several rounds the best turn counts. In the first round nothing is remembered yet.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from nlp.manifest import load_manifest
from nlp.records import RawPaper, ReadingText
from nlp.sources import read_source
from nlp.typeset import typeset
from tests.bench.abstracts import CORPUS, abstracts
from tests.bench.dictionaries import BUILDERS, Cost, Finder, cost, spellings_of
from tests.bench.lexicons import SEEDS, lexicon_of

TURN = 1_000  # abstracts before it is the next one's turn
WARM = 200  # of them looked at before the clock runs: the processor's cache still is the last one's


def seed_abstracts() -> list[str]:
    """Every abstract of the seed documents, as its source has it."""
    found = []
    for document in load_manifest(SEEDS / "manifest.toml").documents:
        data = (SEEDS / document.file).read_bytes()
        papers = read_source(
            data, document.file, source=document.kind, board=document.board, day=document.day
        )
        found += [paper.abstract for paper in papers if isinstance(paper, RawPaper)]
    return found


class Row:
    """One finder's times for each turn, and what it found."""

    def __init__(self, find: Finder) -> None:
        self.find = find
        self.count = 0
        self.first: list[float] = []
        self.best: list[float] = []

    def run(self, readings: Sequence[ReadingText], turn: int) -> None:
        is_first = turn == len(self.first)
        if not is_first:
            sum(map(self.find, readings[:WARM]))
        began = time.process_time()
        count = sum(map(self.find, readings))
        seconds = time.process_time() - began
        if is_first:
            self.count += count
            self.first.append(seconds)
            self.best.append(seconds)
        else:
            self.best[turn] = min(self.best[turn], seconds)


def measure(size: int, readings: Sequence[ReadingText], rounds: int) -> None:
    """Prints the table for a lexicon of so many terms."""
    lexicon = lexicon_of(size, [reading.text for reading in readings])
    sample = readings[:: max(1, len(readings) // 3_000)][:3_000]
    costs: dict[str, Cost] = {}
    rows: dict[str, Row] = {}
    spellings = spellings_of(lexicon)
    for name, builder in BUILDERS.items():
        try:
            costs[name] = cost(builder, lexicon, spellings)
        except ImportError as error:
            print(f"{name} is left out: {error}; pip install -e '.[bench]' brings it")
        else:
            rows[name] = Row(builder(lexicon, spellings))
    turns = [sample[at : at + TURN] for at in range(0, len(sample), TURN)]
    for _ in range(rounds):
        for number, turn in enumerate(turns):
            for row in rows.values():
                row.run(turn, number)
    print(f"\n{size:,} terms, {len(sample):,} abstracts, the best of {rounds} rounds; ratio to PhraseMatcher")
    print(f"{'':18} abstracts/s   ratio  found each  build s  keeps MB  peak MB")
    peer = sum(rows["PhraseMatcher"].best)
    first = sum(rows["find_mentions"].first)
    print(f"{'  first round':18}{len(sample) / first:12,.0f}")
    for name, row in rows.items():
        best = sum(row.best)
        speed = f"{len(sample) / best:12,.0f}{peer / best:8.2f}{row.count / len(sample):12.1f}"
        print(f"{name:18}{speed}{costs[name].seconds:9.2f}{costs[name].kept_mb:10.0f}{costs[name].peak_mb:9.0f}")


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--terms", default="", help="sizes of lexicons, parted by commas")
    given = parser.parse_args()
    sources = [abstract for _, abstract in abstracts()] if CORPUS.exists() else seed_abstracts()
    readings = [typeset(source) for source in sources]
    sizes = given.terms or ("1000,10000,100000" if CORPUS.exists() else "1000")
    for size in map(int, sizes.split(",")):
        measure(size, readings, given.rounds)


if __name__ == "__main__":
    main()
