"""From files to the ranker in the folder of its pipeline."""

from __future__ import annotations

from pathlib import Path

from nlp.pipeline import load_language
from nlp.ranker import Ranker, write_ranker
from nlp.training.annotated import BadAnnotation, held_apart, read_annotated, rows_of, text_of
from nlp.training.keyphrases import read_tokenised
from nlp.training.production import own_annotated
from nlp.training.ranking import train_shipped_ranker
from nlp.training.recipe import Progress

ONE_IN = 2  # papers of the corpus that are counted: more of them change little


def rank_from_files(
    model: Path, gold: Path, corpus: Path, wide: Path, seed: int, progress: Progress
) -> Ranker:
    """Trains the ranker of the pipeline in this folder, on the abstracts that it learnt from, and writes it.

    ``wide`` has texts with phrases after another guide, as tokens. Raises BadAnnotation and NoModel before
    anything is written.
    """
    given, own, others = read_annotated(gold), own_annotated(), read_tokenised(wide)
    seen, _ = held_apart(given)
    known = {abstract.identifier for abstract in given}
    annotated = [*seen, *(each for each in own if each.identifier not in known)]
    without = known | {each.identifier for each in own}
    papers = _papers(corpus, without)
    if not annotated or not others or not papers:
        raise BadAnnotation(f"{gold}, {wide}, {corpus}: each needs abstracts to learn from")
    ranker = train_shipped_ranker(load_language(model), annotated, papers, others, seed, progress)
    write_ranker(model, ranker)
    return ranker


def _papers(corpus: Path, without: set[str]) -> list[tuple[str, str]]:
    """(title, abstract) of one paper in ONE_IN, but for these identifiers."""
    pairs = []
    for number, row in rows_of(corpus):
        where = f"{corpus}:{number}"
        if text_of(row, "id", where) not in without:
            pairs.append((text_of(row, "title", where), text_of(row, "abstract", where)))
    return pairs[::ONE_IN]
