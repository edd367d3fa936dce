"""Training from beginning to end, on a dozen abstracts and for a few steps."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc

from nlp.pipeline import load_language
from nlp.tagger import tagger_of
from nlp.term_finder import CANDIDATES, finder_of
from nlp.training.annotated import BadAnnotation, held_apart, is_held_out
from nlp.training.evaluation import evaluate
from nlp.training.production import own_annotated, train_from_files
from nlp.training.recipe import Recipe, train, train_finder

SMALL = Recipe(seed=3, tagged=10, folds=2, pos_steps=3, span_steps=12, kind_steps=3)


class Quiet:
    """A step, and who is told of it."""

    outcome = ""

    def __init__(self) -> None:
        self.said: list[str] = []

    def reach(self, done: int, total: int | None = None) -> None:
        assert done >= 0

    @contextmanager
    def step(self, title: str, total: int | None = None) -> Iterator[Quiet]:
        yield self
        self.said.append(f"{title}: {self.outcome}")


def by_looks(docs: Iterable[Doc]) -> Iterator[list[str]]:
    """A teacher that knows little."""
    for doc in docs:
        yield ["PUNCT" if token.is_punct else "NUM" if token.like_num else "NOUN" for token in doc]


ANNOTATED = own_annotated()[:12]
CORPUS = [(each.identifier, each.abstract) for each in own_annotated()[12:40]]
TEXT = CORPUS[0][1]


def scores_in(language: Language) -> list[float]:
    scores: list[float] = language(TEXT).spans[CANDIDATES].attrs["scores"]
    return scores


def test_the_same_material_and_seed_give_the_same_pipeline(tmp_path: Path) -> None:
    for name, corpus in (("one", CORPUS), ("other", CORPUS[::-1])):
        progress = Quiet()
        train(ANNOTATED, corpus, by_looks, SMALL, progress).to_disk(tmp_path / name)
        assert len(progress.said) == 4 + 2 * SMALL.folds + 1
    folder = tmp_path / "one"
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert Path("peer_revenue_term_finder/phrases.npz") in files
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes(), file
    doc = load_language(tmp_path / "one")(TEXT)
    assert {token.pos_ for token in doc} <= {"PUNCT", "NUM", "NOUN"}


def test_a_finder_is_trained_for_annotations_of_another_kind() -> None:
    language = load_language()
    corpus = list(tagger_of(language).pipe([language.make_doc(text) for _, text in CORPUS]))
    parts = train_finder(language, ANNOTATED, corpus, SMALL, Quiet())
    before = scores_in(language)
    finder_of(language).use(parts)
    assert scores_in(language) != before
    assert evaluate(language, ANNOTATED)["any type"].f1 > 0.2


def test_a_corpus_of_nothing_tells_nothing() -> None:
    language = load_language()
    parts = train_finder(language, ANNOTATED, [], SMALL, Quiet())
    assert len(parts.phrases.keys) == 0
    assert np.isfinite(parts.weigher.mean).all()


def written(path: Path, rows: Iterable[object]) -> Path:
    path.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Abstracts of which some are held out."""
    rows = [
        {"id": each.identifier, "title": each.title, "abstract": each.abstract, "spans": each.spans}
        for each in own_annotated()[:24]
    ]
    assert 0 < sum(is_held_out(str(row["id"])) for row in rows) < 18
    return written(tmp_path / "gold.jsonl.gz", rows)


def test_files_become_a_folder_that_says_what_it_is_made_from(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = own_annotated()
    monkeypatch.setattr("nlp.training.production.own_annotated", lambda: own[:26])
    corpus = written(tmp_path / "corpus", [{"id": name, "abstract": text} for name, text in CORPUS[2:]])
    train_from_files(gold, corpus, tmp_path / "out", SMALL, Quiet(), by_looks)
    meta = json.loads((tmp_path / "out" / "meta.json").read_text())
    seen, kept = held_apart(own[:24])
    assert meta["training"]["seed"] == 3
    assert meta["training"]["abstracts"] == len(seen) + 2
    assert meta["sources"][0]["held out"] == len(kept)
    assert all(len(source["sha256"]) == 64 for source in meta["sources"][:3])
    assert 0 <= meta["performance"]["any type"]["f1"] <= 1
    assert load_language(tmp_path / "out").meta["name"] == "peer_revenue"


def test_too_few_abstracts_are_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlp.training.production.own_annotated", list)
    gold = written(tmp_path / "gold", [{"id": "1", "title": "", "abstract": "x", "spans": []}])
    corpus = written(tmp_path / "corpus", [{"id": "2", "abstract": "x"}])
    with pytest.raises(BadAnnotation, match=r"gold: \d abstracts to train on; 8 are needed"):
        train_from_files(gold, corpus, tmp_path / "out", SMALL, Quiet(), by_looks)
    assert not (tmp_path / "out").exists()
