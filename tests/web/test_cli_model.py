"""`peer-revenue model`: what it prints, and errors that name file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nlp.training.annotated import is_held_out
from nlp.training.production import own_annotated
from web.cli import main


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ("model", *map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    rows = [
        {"id": each.identifier, "title": each.title, "abstract": each.abstract, "spans": each.spans}
        for each in own_annotated()[:20]
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_evaluate_prints_scores_by_type_and_what_it_costs(gold: Path) -> None:
    result = run("evaluate", "--gold", gold)
    assert result.exit_code == 0, result.output
    kept = sum(is_held_out(each.identifier) for each in own_annotated()[:20])
    assert f"{kept} abstracts (held-out)" in result.output
    for name in ("any type", "TERM", "NAME", "COINED"):
        assert f"\n{name} " in result.output
    for figure in ("parts of speech", "size ", "loaded in", "abstracts/s on one core"):
        assert figure in result.output


def test_a_bad_line_is_named(gold: Path) -> None:
    gold.write_text(gold.read_text() + "{\n")
    for command in (("evaluate",), ("train", "--corpus", gold, "--out", gold.parent / "out")):
        result = run(*command, "--gold", gold)
        assert result.exit_code == 1
        assert f"{gold}:21: not JSON" in result.output
    assert not (gold.parent / "out").exists()


def test_a_corpus_line_without_an_abstract_is_named(gold: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.write_text('{"id": "1", "abstract": "x"}\n{"id": "2"}\n')
    result = run("train", "--gold", gold, "--corpus", corpus, "--out", tmp_path / "out")
    assert (result.exit_code, f'{corpus}:2: no "abstract"' in result.output) == (1, True)


def test_a_folder_with_something_in_it_is_not_written_over(gold: Path, tmp_path: Path) -> None:
    result = run("train", "--gold", gold, "--corpus", gold, "--out", tmp_path)
    assert (result.exit_code, "not empty" in result.output) == (1, True)


def test_a_folder_without_a_pipeline_is_named(gold: Path, tmp_path: Path) -> None:
    result = run("evaluate", "--gold", gold, "--model", tmp_path)
    assert (result.exit_code, "holds no pipeline" in result.output) == (1, True)
