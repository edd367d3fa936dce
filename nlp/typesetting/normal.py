"""Unicode normalisation form C of a reading text, without losing where each piece came from.

Composed after the text is whole, because characters compose across the borders of runs; only
the clusters that change become runs of their own (Unicode Standard Annex 15).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import combining, is_normalized, normalize

from nlp.records import FORMULA, ReadingText, Run


def compose(reading: ReadingText) -> ReadingText:
    """The same reading text in NFC; the very same object where it is so already."""
    text = reading.text
    if text.isascii() or is_normalized("NFC", text):
        return reading
    pieces: list[str] = []
    runs: list[Run] = []
    done = length = at = 0
    for start, end, composed in _changes(text):
        at = _copy(reading.runs, at, done, start, length - done, runs)
        length += start - done
        runs.append(_one_run(reading.runs, at, start, end, length, composed))
        pieces += (text[done:start], composed)
        length += len(composed)
        done = end
    _copy(reading.runs, at, done, len(text), length - done, runs)
    pieces.append(text[done:])
    return ReadingText("".join(pieces), tuple(runs))


def _one_run(runs: tuple[Run, ...], at: int, start: int, end: int, new_start: int, composed: str) -> Run:
    """The run of a cluster that was [start, end), beginning in ``runs[at]``, and is ``composed`` now."""
    first = last = runs[at]
    while last.end < end:
        at += 1
        last = runs[at]
    source_start = first.source_start + (start - first.start if first.identity else 0)
    source_end = last.source_end - (last.end - end if last.identity else 0)
    new_end = new_start + len(composed)
    return Run(first.kind, new_start, new_end, source_start, source_end, False, first.content)


def source_range(reading: ReadingText, start: int, end: int) -> tuple[int, int]:
    """The source [start, end) that the stretch [start, end) of the reading text came from.

    Exact inside an identity run; a border inside any other run takes that run whole. An empty
    stretch gives the place where it stands. Raises ValueError for a stretch outside the text.
    """
    if not 0 <= start <= end <= len(reading.text):
        raise ValueError(f"[{start}, {end}) is not inside a reading text of {len(reading.text)} characters")
    if not reading.runs:
        return 0, 0
    first = reading.runs[_run_at(reading.runs, start)]
    source_start = first.source_start + (start - first.start if first.identity else 0)
    if start == end:
        return source_start, source_start
    last = reading.runs[_run_at(reading.runs, end - 1)]
    return source_start, last.source_end - (last.end - end if last.identity else 0)


def _run_at(runs: tuple[Run, ...], at: int) -> int:
    return bisect_right(runs, at, key=lambda run: run.start) - 1


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Each cluster that normalisation changes: where it stands and what it becomes."""
    start = 0
    for at in range(1, len(text) + 1):
        if at < len(text) and _joins(text[at - 1], text[at]):
            continue
        cluster = text[start:at]
        composed = normalize("NFC", cluster)
        if composed != cluster:
            yield start, at, composed
        start = at


@lru_cache(maxsize=4096)
def _joins(before: str, char: str) -> bool:
    """Whether ``char`` may compose with, or change places with, what stands before it."""
    if char < "\u0300" or before == FORMULA:
        return False
    if combining(char) or "\u1160" <= char <= "\u11ff":  # marks, and the later parts of a Hangul syllable
        return True
    return normalize("NFC", before + char) != normalize("NFC", before) + normalize("NFC", char)


def _copy(runs: tuple[Run, ...], at: int, start: int, end: int, shift: int, copied: list[Run]) -> int:
    """Append the runs of [start, end), cut to it and moved by ``shift``; ``at`` is a run at or before it.

    Gives the run that ``end`` stands in.
    """
    while at < len(runs) and runs[at].end <= start:
        at += 1
    while start < end and at < len(runs) and runs[at].start < end:
        run = runs[at]
        left, right = max(0, start - run.start), max(0, run.end - end)
        source_start, source_end = run.source_start, run.source_end
        if run.identity:
            source_start, source_end = source_start + left, source_end - right
        new_start, new_end = run.start + left + shift, run.end - right + shift
        copied.append(Run(run.kind, new_start, new_end, source_start, source_end, run.identity, run.content))
        if right:
            break
        at += 1
    return at
