"""Real abstracts: the three seed documents, and the corpus where it is at hand."""

from __future__ import annotations

import gzip
import json
import re
from datetime import date
from pathlib import Path

import pytest

from nlp.mathml import formula_to_mathml
from nlp.records import RawPaper, RunKind
from nlp.sources import read_source
from nlp.typeset import typeset

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "corpus" / "cs_lg_2026_jan_may.jsonl.gz"
SEEDS = {
    "cs.LG-2026-05-16.txt": ("cs.LG", date(2026, 5, 16)),
    "cs.LG-2026-05-17.txt": ("cs.LG", date(2026, 5, 17)),
    "tmlr-digest-2026-02-22.txt": (None, None),
}
RAW = re.compile(r"\\[A-Za-z]|[\\`]|[A-Za-z]\{|\}[A-Za-z]|\$[^0-9]")


def seed_papers() -> list[RawPaper]:
    papers = []
    for name, (board, day) in SEEDS.items():
        read = read_source((ROOT / "seeds" / name).read_bytes(), name, board=board, day=day)
        papers += [each for each in read if isinstance(each, RawPaper)]
    return papers


def test_nothing_raw_is_left_in_the_seeds() -> None:
    papers = seed_papers()
    assert len(papers) == 92
    for paper in papers:
        for source in (paper.title, paper.abstract):
            assert not RAW.search(typeset(source).text)


def test_every_formula_of_the_seeds_is_typeset() -> None:
    readings = [typeset(source) for paper in seed_papers() for source in (paper.title, paper.abstract)]
    runs = [run for reading in readings for run in reading.runs]
    formulas = [run for run in runs if run.kind in (RunKind.MATH, RunKind.DISPLAY)]
    assert len(formulas) == 52
    for run in formulas:
        assert formula_to_mathml(run.content, display=run.kind is RunKind.DISPLAY)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not at hand")
def test_a_thousand_abstracts_of_the_corpus() -> None:
    raw = failed = formulas = 0
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        for _, line in zip(range(1000), lines, strict=False):
            reading = typeset(json.loads(line)["abstract"])
            raw += bool(RAW.search(reading.text))
            for run in reading.runs:
                if run.kind in (RunKind.MATH, RunKind.DISPLAY):
                    formulas += 1
                    failed += formula_to_mathml(run.content, display=False) is None
    assert raw == 0
    assert formulas > 200
    assert failed <= formulas / 200
