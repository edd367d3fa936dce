"""New terms of a day's papers, put before the listing committee."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import click

from web.cli.settings import settings

if TYPE_CHECKING:
    from spacy.language import Language
    from sqlalchemy import Engine

    from nlp.records import ReadingText


@dataclass(frozen=True)
class Extractor:
    """What the pipeline finds in a paper, as `market.candidates` counts it: of the abstract alone, as terms
    are counted everywhere."""

    language: Language

    def __call__(
        self, _title: ReadingText, abstract: ReadingText
    ) -> Iterator[tuple[str, str, float, bool]]:
        from nlp.discovery import ReadPaper, found_in, tally

        found = found_in(self.language(abstract.text))
        for key, each in tally([ReadPaper("", date.min, abstract, found)]).items():
            yield key, next(iter(each.surfaces)), each.score, bool(each.coined)


def load_extractor() -> Extractor:
    """The pipeline that comes with this program."""
    from nlp.pipeline import load_language

    return Extractor(load_language())


def discover_on(engine: Engine, code: str, day: date, extractor: Extractor) -> None:
    """Find, count and consider the new terms of a board's day; a line for each decision."""
    from market.discovery import discover

    for found in discover(engine, code, day, extractor, settings().now()):
        click.echo(f"{code} {day}: {found.label}: {found.decision.verdict}, {found.decision.reason}")
