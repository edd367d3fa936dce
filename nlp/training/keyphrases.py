"""Texts with the phrases that readers chose for them, after guides of others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlp.training.annotated import Annotated, BadAnnotation, rows_of, text_of

_PARTED_HYPHEN = re.compile(r"(?<=\w) ([-–]) (?=\w)")  # "state - of - the - art": as tokens, not as a text


@dataclass(frozen=True, slots=True)
class Keyphrases:
    """One text. ``phrases`` are the chosen strings; ``spans`` say where they stand in the abstract, apart."""

    identifier: str
    title: str
    abstract: str
    phrases: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def annotated(self) -> Annotated:
        """The same as an annotated abstract, all spans of one type."""
        spans = tuple((start, end, "TERM") for start, end in self.spans)
        return Annotated(self.identifier, self.title, self.abstract, spans)


def read_keyphrases(path: Path) -> list[Keyphrases]:
    """The texts of a file of JSON lines {"id", "title", "abstract", "gold": [text], "spans": [[start, end]]}.

    Without spans, phrases are looked for in the abstract as whole words in any case. Of spans that overlap
    the longest is kept. Raises BadAnnotation with the file, and the line from 1.
    """
    return [_read(row, f"{path}:{number}") for number, row in rows_of(path)]


def read_tokenised(path: Path) -> list[Keyphrases]:
    """The same for texts in which blanks stand around hyphens; these are taken out, and spans found anew."""
    texts = []
    for number, row in rows_of(path):
        where = f"{path}:{number}"
        joined = {**row, "abstract": _joined(text_of(row, "abstract", where))}
        joined["gold"] = [_joined(phrase) for phrase in _phrases(row, where)]
        joined.pop("spans", None)
        texts.append(_read(joined, where))
    return texts


def _joined(text: str) -> str:
    return _PARTED_HYPHEN.sub(r"\1", text)


def _read(row: dict[str, Any], where: str) -> Keyphrases:
    abstract, phrases = text_of(row, "abstract", where), _phrases(row, where)
    given = row.get("spans")
    spans = found_in(abstract, phrases) if given is None else _spans(given, abstract, where)
    title = text_of(row, "title", where)
    return Keyphrases(text_of(row, "id", where), title, abstract, phrases, longest_apart(spans))


def _phrases(row: dict[str, Any], where: str) -> tuple[str, ...]:
    given = row.get("gold")
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise BadAnnotation(f'{where}: no "gold" (a list of phrases)')
    return tuple(given)


def _spans(given: object, abstract: str, where: str) -> list[tuple[int, int]]:
    if not isinstance(given, list):
        raise BadAnnotation(f'{where}: "spans" is not a list of [start, end]')
    spans = []
    for each in given:
        match each:
            case [int(start), int(end), *_] if 0 <= start < end <= len(abstract):
                spans.append((start, end))
            case _:
                raise BadAnnotation(f"{where}: {each!r} is no span [start, end] of this abstract")
    return spans


def found_in(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """[start, end) of every place where one of the phrases stands as whole words, in any case."""
    spans = []
    for phrase in filter(str.strip, phrases):
        pattern = re.compile(rf"(?<!\w){re.escape(phrase.strip())}(?!\w)", re.IGNORECASE)
        spans += [match.span() for match in pattern.finditer(text)]
    return spans


def longest_apart(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order, without those that overlap a longer one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0] - span[1], span)):
        if all(end <= other[0] or other[1] <= start for other in kept):
            kept.append((start, end))
    return tuple(sorted(kept))
