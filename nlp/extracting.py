"""The recipe that extracts the terms of many papers (see `process`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlp.extract import BATCH, extract_many
from nlp.pipeline import SHIPPED, load_language
from nlp.process import Answers, Record
from nlp.ranker import load_ranker
from nlp.typeset import typeset

_DIGITS = 4  # of a score: what lies below is no knowledge


@dataclass(frozen=True, slots=True)
class Extracting:
    """{"id", "terms", "scores"}: the terms of title and abstract, best first, and how likely each is one.

    ``folder`` holds the model. On a cluster each worker reads its own.
    """

    folder: Path = SHIPPED

    # Papers that the pipeline reads side by side: the same ones wherever they are read, so the same answers.
    lines_at_once = BATCH

    @property
    def key(self) -> str:
        return f"extract {self.folder}"

    def prepare(self) -> Answers:
        language, ranker = load_language(self.folder), load_ranker(self.folder)

        def answers(records: Sequence[Record]) -> Iterator[Record]:
            papers = [
                (typeset(record["title"], paragraphs=False), typeset(record["abstract"]))
                for record in records
            ]
            for record, terms in zip(records, extract_many(language, ranker, papers), strict=True):
                yield {
                    "id": record["id"],
                    "terms": [term.text for term in terms],
                    "scores": [round(term.score, _DIGITS) for term in terms],
                }

        return answers
