"""Whole texts against files: text, runs, and where each run came from. `--update-golden` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlp.records import ReadingText
from nlp.typeset import typeset

GOLDEN = Path(__file__).parent.parent / "golden" / "typeset"
SOURCES = sorted(GOLDEN.glob("*.txt"))


def described(source: str, reading: ReadingText) -> dict[str, object]:
    runs = []
    for run in reading.runs:
        shown, spelled = reading.text[run.start : run.end], source[run.source_start : run.source_end]
        runs.append([run.kind.value, shown, spelled, run.content])
    return {"text": reading.text, "runs": runs}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_typeset_text_is_the_golden_one(path: Path, request: pytest.FixtureRequest) -> None:
    source = path.read_text(encoding="utf-8")
    got = described(source, typeset(source))
    expected = path.with_suffix(".json")
    if request.config.getoption("--update-golden", default=False):
        expected.write_text(json.dumps(got, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert got == json.loads(expected.read_text(encoding="utf-8"))


def test_golden_files_are_there() -> None:
    assert len(SOURCES) >= 4
