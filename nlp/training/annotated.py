"""Abstracts with the spans that a reader marked in them, and where these stand in the reading text."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlp.errors import NlpError
from nlp.records import ReadingText
from nlp.typeset import typeset

TYPES = ("TERM", "NAME", "COINED")
HELD_OUT_IN = 3  # one abstract of so many is never trained on


class BadAnnotation(NlpError):
    """A file of annotated abstracts, or a line of it, cannot be used; the message names both."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """One abstract. Spans are (start, end, type) in code points of the source abstract, in order, apart."""

    identifier: str
    title: str
    abstract: str
    spans: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class InReading:
    """The same spans in code points of the reading text, and the types of those that have no place there."""

    reading: ReadingText
    spans: tuple[tuple[int, int, str], ...]
    lost: tuple[str, ...]


def is_held_out(identifier: str) -> bool:
    """Whether an abstract is kept for judging: decided by its identifier alone, so by everybody alike."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % HELD_OUT_IN == 0


def read_annotated(path: Path) -> list[Annotated]:
    """The abstracts of a file of JSON lines {"id", "title", "abstract", "spans": [[start, end, type], ...]}.

    Spans without a type are TERM. Raises BadAnnotation with the file, and the line from 1.
    """
    return [_annotated(row, f"{path}:{number}") for number, row in rows_of(path)]


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each JSON object of a file of lines, packed with gzip or not, with the number of its line."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _object(line, f"{path}:{number}")
    except (OSError, EOFError) as error:
        raise BadAnnotation(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadAnnotation(f"{where}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise BadAnnotation(f"{where}: not a JSON object")
    return row


def text_of(row: dict[str, Any], name: str, where: str) -> str:
    """The text of a field; raises BadAnnotation where it is missing or no text."""
    value = row.get(name)
    if not isinstance(value, str):
        raise BadAnnotation(f'{where}: no "{name}" (it must be text)')
    return value


def _annotated(row: dict[str, Any], where: str) -> Annotated:
    abstract = text_of(row, "abstract", where)
    given = row.get("spans")
    if not isinstance(given, list):
        raise BadAnnotation(f'{where}: no "spans" (a list of [start, end, type])')
    spans = sorted(_span(each, abstract, where) for each in given)
    for before, after in itertools.pairwise(spans):
        if after[0] < before[1]:
            raise BadAnnotation(f"{where}: spans {list(before)} and {list(after)} overlap")
    return Annotated(text_of(row, "id", where), text_of(row, "title", where), abstract, tuple(spans))


def _span(given: object, abstract: str, where: str) -> tuple[int, int, str]:
    match given:
        case [int(start), int(end)] if 0 <= start < end <= len(abstract):
            return start, end, "TERM"
        case [int(start), int(end), str(kind)] if 0 <= start < end <= len(abstract) and kind in TYPES:
            return start, end, kind
    raise BadAnnotation(f"{where}: {given!r} is no span [start, end, type] of this abstract")


def in_reading(abstract: Annotated) -> InReading:
    """Where the spans stand in the abstract as it is read. One in a formula or an address has no place."""
    reading = typeset(abstract.abstract)
    placed = [(_place(reading, start, end), kind) for start, end, kind in abstract.spans]
    spans = tuple((*place, kind) for place, kind in placed if place is not None)
    return InReading(reading, spans, tuple(kind for place, kind in placed if place is None))


def _place(reading: ReadingText, start: int, end: int) -> tuple[int, int] | None:
    begin = _offset(reading, start)
    last = _offset(reading, end - 1)
    return None if begin is None or last is None else (begin, last + 1)


def _offset(reading: ReadingText, place: int) -> int | None:
    """Where a character of the source stands in the reading text."""
    for run in reading.runs:
        if run.identity and run.source_start <= place < run.source_end:
            return run.start + place - run.source_start
    return None


def held_apart(abstracts: Sequence[Annotated]) -> tuple[list[Annotated], list[Annotated]]:
    """(those to train on, those to judge by)."""
    return (
        [each for each in abstracts if not is_held_out(each.identifier)],
        [each for each in abstracts if is_held_out(each.identifier)],
    )
