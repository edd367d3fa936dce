"""From files to a pipeline in a folder, which says in its meta.json what it was made from."""

from __future__ import annotations

import gzip
import hashlib
import platform
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from spacy.language import Language

from nlp.training.annotated import Annotated, BadAnnotation, held_apart, read_annotated, rows_of, text_of
from nlp.training.evaluation import Score, evaluate
from nlp.training.recipe import Progress, Recipe, Teach, train
from nlp.training.teacher import TEACHER, VERSION, teach

NAME = "peer_revenue_en"
LICENSE = "MIT"
SPACY = ">=3.8.7,<4"  # as in pyproject.toml: the weights are read by this package, not by spaCy
LEAST_ANNOTATED = 8  # abstracts; with fewer, some parts would have none to learn from

_VERSIONED = ("spacy", "numpy", "scipy")


def train_from_files(
    gold: Path, corpus: Path, out: Path, recipe: Recipe, progress: Progress, teach: Teach = teach
) -> Language:
    """Trains a pipeline and writes it; raises BadAnnotation and NoTeacher before anything is written."""
    given = read_annotated(gold)
    seen, kept = held_apart(given)
    own = own_annotated()
    held = {abstract.identifier for abstract in kept}
    known = {abstract.identifier for abstract in given}
    annotated = [*seen, *(each for each in own if each.identifier not in known | held)]
    if len(annotated) < LEAST_ANNOTATED:
        raise BadAnnotation(f"{gold}: {len(annotated)} abstracts to train on; {LEAST_ANNOTATED} are needed")
    others = read_corpus(corpus, known | {each.identifier for each in own})
    language = train(annotated, others, teach, recipe, progress)
    language.meta.update(_meta(gold, corpus, recipe, language, (annotated, kept)))
    language.to_disk(out)
    return language


def own_annotated() -> list[Annotated]:
    """The abstracts that were annotated for this project and come with it."""
    with as_file(files("nlp.training") / "abstracts.jsonl.gz") as path:
        return read_annotated(path)


def read_corpus(path: Path, without: set[str]) -> list[tuple[str, str]]:
    """(identifier, abstract) of each line of a file, but for these identifiers.

    Raises BadAnnotation with the file and the line, and for a file without any abstract.
    """
    pairs = []
    for number, row in rows_of(path):
        where = f"{path}:{number}"
        identifier = text_of(row, "id", where)
        if identifier not in without:
            pairs.append((identifier, text_of(row, "abstract", where)))
    if not pairs:
        raise BadAnnotation(f"{path}: there is no abstract in it beyond the annotated ones")
    return pairs


def _meta(
    gold: Path,
    corpus: Path,
    recipe: Recipe,
    language: Language,
    abstracts: tuple[Sequence[Annotated], Sequence[Annotated]],
) -> dict[str, Any]:
    annotated, kept = abstracts
    own = (files("nlp.training") / "abstracts.jsonl.gz").read_bytes()
    return {
        "name": NAME.removesuffix("_en"),
        "version": version("peer-revenue"),
        "description": "Parts of speech and terms of research abstracts",
        "license": LICENSE,
        "spacy_version": SPACY,
        "sources": [
            {"name": "annotated abstracts", "sha256": _content_hash(gold), "held out": len(kept)},
            {"name": "own annotated abstracts", "sha256": hashlib.sha256(gzip.decompress(own)).hexdigest()},
            {"name": "corpus", "sha256": _content_hash(corpus)},
            {"name": f"{TEACHER} {VERSION}", "license": "MIT"},
        ],
        "training": {
            "seed": recipe.seed,
            "abstracts": len(annotated),
            "python": platform.python_version(),
            **{name: version(name) for name in _VERSIONED},
        },
        "performance": {name: _figures(score) for name, score in evaluate(language, kept).items()},
    }


def _figures(score: Score) -> dict[str, float]:
    figures = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {name: round(value, 4) for name, value in figures.items()}


def _content_hash(path: Path) -> str:
    """Of what is in the file, packed or not: packing the same anew changes nothing."""
    data = path.read_bytes()
    return hashlib.sha256(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).hexdigest()
