"""A bulk snapshot of arXiv's metadata, read in constant memory: python -m tests.bench.snapshot [--lines N]

The snapshot is made from the corpus: its papers again and again under other numbers, in the form of Kaggle's
file. Each row is a process of its own, which reads the first so many lines and tells its peak memory; beside
ours stands `json.loads` of the same lines.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from nlp.records import Refusal
from nlp.sources import read_source
from tests.bench.abstracts import add_corpus

ROOT = Path(__file__).parents[2]
MOST_MB = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What one process found: lines, those of them refused, seconds of processor time, peak memory."""

    line_count: int
    refused_count: int
    seconds: float
    peak_mb: float

    @property
    def per_second(self) -> float:
        return self.line_count / self.seconds


def snapshot_lines(corpus: Path) -> Iterator[str]:
    """Without an end: the corpus' papers as lines of a snapshot, each under a number of its own."""
    numbers = count()
    while True:
        with gzip.open(corpus, "rt", encoding="utf-8") as papers:
            for line in papers:
                yield json.dumps(_record(json.loads(line), next(numbers)))


def _record(paper: dict[str, Any], number: int) -> dict[str, Any]:
    names = [name.rpartition(" ") for name in paper["authors"]]
    return {
        "id": f"{2100 + number // 100_000:04d}.{number % 100_000:05d}",
        "submitter": paper["authors"][0] if paper["authors"] else None,
        "authors": ", ".join(paper["authors"]),
        "title": paper["title"],
        "comments": paper.get("comment"),
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "categories": " ".join(paper["categories"]),
        "license": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
        "abstract": f"  {paper['abstract']}\n",
        "versions": [{"version": "v1", "created": "Wed, 13 May 2026 18:00:01 GMT"}],
        "update_date": paper["date"],
        "authors_parsed": [[last, first, ""] for first, _, last in names],
    }


def write_snapshot(corpus: Path, path: Path, line_count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in islice(snapshot_lines(corpus), line_count))


def read_with(reader: str, path: Path, line_count: int) -> Reading:
    """This process reads: "ours" or "json"."""
    began = time.process_time()
    with path.open("rb") as stream:
        if reader == "ours":
            items = islice(read_source(stream, path.name, source="arxiv-snapshot"), line_count)
            kinds = Counter(map(type, items))
            read, refused = kinds.total(), kinds[Refusal]
        else:
            read, refused = sum(1 for line in islice(stream, line_count) if json.loads(line)), 0
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux
    return Reading(read, refused, seconds, peak)


def in_a_process(reader: str, path: Path, line_count: int) -> Reading:
    """Another process reads, so that nothing of this one counts as its memory."""
    command = [sys.executable, "-m", "tests.bench.snapshot", "--read", reader, str(path), str(line_count)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return Reading(*json.loads(said))


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    add_corpus(parser)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--read", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        reader, path, line_count = given.read
        found = read_with(reader, Path(path), int(line_count))
        print(json.dumps([found.line_count, found.refused_count, found.seconds, found.peak_mb]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.json"
        write_snapshot(given.corpus, path, given.lines)
        print(f"{given.lines:,} lines, {path.stat().st_size / 2**20:,.0f} MB")
        print(f"{'lines':>12} {'reader':12} {'lines/s':>10} {'ratio':>6} {'peak MB':>8} {'refused':>8}")
        peaks = [_row(path, line_count) for line_count in (given.lines // 10, given.lines)]
    grown = peaks[1] / peaks[0]
    print(f"peak {peaks[1]:.0f} MB (at most {MOST_MB}), {grown:.2f} times that of the first row")


def _row(path: Path, line_count: int) -> float:
    """Prints both readings of so many lines; our peak memory in megabytes."""
    ours, theirs = in_a_process("ours", path, line_count), in_a_process("json", path, line_count)
    for name, found in (("read_source", ours), ("json.loads", theirs)):
        ratio = found.per_second / theirs.per_second
        print(
            f"{found.line_count:12,} {name:12} {found.per_second:10,.0f} {ratio:6.2f} {found.peak_mb:8.1f} "
            f"{found.refused_count:8,}"
        )
    return ours.peak_mb


if __name__ == "__main__":
    main()
