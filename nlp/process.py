"""The recipe for many papers: JSON lines in, JSON lines out, here, in worker processes or on a cluster.

Whatever the place, the answers are the same and come in the order of their lines. What is read ahead is
bounded, so input without end needs no more memory than a little of it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher
from nlp.records import Refusal
from nlp.typeset import typeset

Record = Mapping[str, Any]  # "id" and "abstract" are text that is not blank, "title" is text
Answers = Callable[[Sequence[Record]], Iterable[Record]]

_LONGEST_CHUNK = 2**20  # characters or bytes, but for a line that is longer itself


class Recipe(Protocol):
    """What is made of each record. It travels to the workers, and each of them prepares it once."""

    @property
    def key(self) -> str:
        """The same for recipes that give the same answers."""

    @property
    def lines_at_once(self) -> int:
        """How many lines are worth the journey to a worker."""

    def prepare(self) -> Answers:
        """Load what is needed; what is returned has an answer for each record, in order."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines with their numbers, from 1, of the input that is called ``origin``."""

    origin: str
    lines: tuple[tuple[int, str | bytes], ...]


Answered = list[str | Refusal]  # of a chunk, in order; an answer is JSON


class Place(Protocol):
    """Where chunks are answered: in this process, or by workers elsewhere."""

    @property
    def ahead(self) -> int:
        """How many chunks may be under way."""

    @property
    def lines_at_once(self) -> int | None:
        """How many lines make a chunk, where the recipe has not to say so."""

    def submit(self, recipe: Recipe, chunk: Chunk) -> Future[Answered]:
        """Begin to answer a chunk."""

    def result(self, future: Future[Answered]) -> Answered:
        """Wait for it. Raises `WorkersLost` (see `executors`) when nobody will answer any more."""


@dataclass(frozen=True, slots=True)
class Highlighting:
    """{"id", "text", "mentions"}: the abstract's reading text, and for each mention its start and end (in
    code points of it), quote and term."""

    lexicon: Lexicon

    lines_at_once = 200

    @property
    def key(self) -> str:
        return f"highlight {self.lexicon.version}"

    def prepare(self) -> Answers:
        matcher = compile_matcher(self.lexicon)

        def answers(records: Sequence[Record]) -> Iterator[Record]:
            for record in records:
                reading = typeset(record["abstract"])
                mentions = [mention._asdict() for mention in find_mentions(reading, matcher)]
                yield {"id": record["id"], "text": reading.text, "mentions": mentions}

        return answers


class Here:
    """In this process, one chunk after the other."""

    ahead = 1

    def __init__(self, lines_at_once: int | None = None) -> None:
        self.lines_at_once = lines_at_once

    def submit(self, recipe: Recipe, chunk: Chunk) -> Future[Answered]:
        done: Future[Answered] = Future()
        done.set_result(answer(recipe, chunk))
        return done

    def result(self, future: Future[Answered]) -> Answered:
        return future.result()


def answered(
    lines: Iterable[str | bytes], recipe: Recipe, place: Place, origin: str
) -> Iterator[str | Refusal]:
    """For each line that holds a record its answer as JSON, or why it was refused, in the order of the lines.

    Blank lines are passed over; ``origin`` and the line, from 1, stand in a refusal.
    """
    waiting: deque[Future[Answered]] = deque()
    try:
        for chunk in _chunks(lines, place.lines_at_once or recipe.lines_at_once, origin):
            waiting.append(place.submit(recipe, chunk))
            while waiting and (len(waiting) >= place.ahead or waiting[0].done()):
                yield from place.result(waiting.popleft())
        while waiting:
            yield from place.result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def answer(recipe: Recipe, chunk: Chunk) -> Answered:
    """Answer a chunk, in the process that this is called in."""
    records = [_record(line) for _, line in chunk.lines]
    with _lock:  # a pipeline is not made for several threads, which a cluster's worker may have
        sound = [record for record in records if not isinstance(record, str)]
        answers = iter(_prepared(recipe)(sound))
        return [
            Refusal(chunk.origin, number, record)
            if isinstance(record, str)
            else json.dumps(next(answers), ensure_ascii=False)
            for (number, _), record in zip(chunk.lines, records, strict=True)
        ]


_kept: dict[str, Answers] = {}
_lock = Lock()


def _prepared(recipe: Recipe) -> Answers:
    if recipe.key not in _kept:
        _kept.clear()  # one is used at a time, and may be large
        _kept[recipe.key] = recipe.prepare()
    return _kept[recipe.key]


def _chunks(lines: Iterable[str | bytes], lines_at_once: int, origin: str) -> Iterator[Chunk]:
    some: list[tuple[int, str | bytes]] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        some.append((number, line))
        size += len(line)
        if len(some) >= lines_at_once or size >= _LONGEST_CHUNK:
            yield Chunk(origin, tuple(some))
            some, size = [], 0
    if some:
        yield Chunk(origin, tuple(some))


def _record(line: str | bytes) -> dict[str, Any] | str:
    """The record of a line, or in words what is wrong with it."""
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        record = json.loads(text)
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start}"
    except UnicodeEncodeError:
        return "holds half a surrogate pair, which is no character"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(record, dict):
        return "not a JSON object"
    if not isinstance(record.get("id"), str) or not record["id"].strip():
        return 'no "id" (it must be text)'
    if not isinstance(record.get("abstract"), str) or not record["abstract"].strip():
        return f"no abstract in record {record['id']!r}"
    title = record.get("title")
    if title is not None and not isinstance(title, str):
        return f"the title of record {record['id']!r} is no text"
    return {**record, "title": title or ""}
