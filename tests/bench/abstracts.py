"""The abstracts that the benchmarks of typesetting run over."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "corpus" / "cs_lg_2026_jan_may.jsonl.gz"


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """The option `--corpus` of a benchmark's command line."""
    told = "JSON lines with id and abstract, packed with gzip or not"
    parser.add_argument("--corpus", type=Path, default=CORPUS, help=told)


def abstracts(path: Path = CORPUS) -> list[tuple[str, str]]:
    """(identifier, abstract as its source has it) of every paper in the file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        papers = map(json.loads, lines)
        return [(paper["id"], paper["abstract"]) for paper in papers]
