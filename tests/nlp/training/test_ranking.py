"""Training the shipped ranker, on a handful of abstracts; and judging it by the command."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from nlp.candidates import FoundSpan, find_candidates
from nlp.pipeline import load_language
from nlp.ranker import write_ranker
from nlp.term_finder import finder_of
from nlp.training import ranking
from nlp.training.annotated import Annotated, is_held_out
from nlp.training.frequencies import LEAST_TEXTS, count_corpus
from nlp.training.keyphrases import Keyphrases
from tests.nlp.test_candidates import part
from web.cli import main

TEXT = "We study graph neural networks for number {} and find that federated learning needs fewer rounds."


class Step:
    outcome = ""

    def reach(self, done: int, total: int | None = None) -> None:
        pass


class Quiet:
    @contextmanager
    def step(self, title: str, total: int | None = None) -> Iterator[Step]:
        yield Step()


def abstracts(count: int) -> list[Annotated]:
    texts = (TEXT.format(10 + number) for number in range(count))
    spans = ((9, 30, "TERM"), (59, 77, "TERM"))
    return [Annotated(f"a{number}", "On networks", text, spans) for number, text in enumerate(texts)]


def test_the_counted_corpus_says_what_stands_where() -> None:
    spans = (FoundSpan(0, 15, 0.9, "TERM"),)
    papers = [find_candidates([part("neural/ADJ networks/NOUN learn/VERB data/NOUN", spans)])] * LEAST_TEXTS
    table = count_corpus(papers)
    assert table.text_count == LEAST_TEXTS
    texts, shares = table.of_phrases(["neural network", "network", "data"])
    assert texts.tolist() == [LEAST_TEXTS] * 3
    assert shares[:, 0].tolist() == [1, 0, 0]
    assert shares[:, 1].tolist() == [1, 0, 1]
    texts, shares = table.of_words(["neural", "network", "data"])
    assert shares.tolist() == [[1, 1, 0], [1, 0, 1], [0, 0, 0]]


def test_what_stands_in_too_few_texts_is_not_kept() -> None:
    papers = [find_candidates([part("networks/NOUN")])] * (LEAST_TEXTS - 1)
    assert not len(count_corpus(papers).hashes)


def test_a_ranker_is_trained_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm", reason="the extra `train` is not installed")
    monkeypatch.setattr(ranking, "PARTS", 2)
    monkeypatch.setattr(ranking, "SPAN_STEPS", 2)
    language = load_language()
    parts = finder_of(language).parts
    corpus = [("On networks", TEXT.format(90 + number)) for number in range(6)]
    wide = [Keyphrases("w", "", TEXT.format(70), ("graph neural networks",), ((9, 30),))] * 10
    for name in ("one", "two"):
        ranker = ranking.train_shipped_ranker(language, abstracts(20), corpus, wide, 0, Quiet())
        write_ranker(tmp_path / name, ranker)
    assert finder_of(language).parts is parts
    for file in sorted((tmp_path / "one" / "ranker").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / "ranker" / file.name).read_bytes(), file.name


def gold(folder: Path, rows: list[Annotated]) -> Path:
    path = folder / "gold.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({"id": row.identifier, "title": row.title, "abstract": row.abstract,
                                   "spans": [list(span) for span in row.spans]}) + "\n")  # fmt: skip
    return path


def test_the_command_shows_the_table(tmp_path: Path) -> None:
    rows = abstracts(12)
    result = CliRunner().invoke(main, ["model", "reliability", "--gold", str(gold(tmp_path, rows))])
    assert result.exit_code == 0, result.output
    kept = sum(is_held_out(row.identifier) for row in rows)
    assert f"{kept} abstracts (held-out)" in result.output
    assert "0.9 to 1.0" in result.output


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    seen = [row for row in abstracts(12) if not is_held_out(row.identifier)]
    path = str(gold(tmp_path, seen))
    result = CliRunner().invoke(main, ["model", "reliability", "--gold", path])
    assert result.exit_code == 1
    assert "none of its abstracts is held out" in result.output
    result = CliRunner().invoke(main, ["model", "reliability", "--gold", path, "--model", str(tmp_path)])
    assert result.exit_code == 1
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n", "utf-8")
    asked = ["--gold", path, "--corpus", str(broken), "--wide", str(broken), "--model", str(tmp_path)]
    result = CliRunner().invoke(main, ["model", "rank", *asked])
    assert result.exit_code == 1
    assert "broken.jsonl:1" in result.output
    assert not (tmp_path / "ranker").exists()
