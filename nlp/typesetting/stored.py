"""Runs as they are kept in the database, and the hash that says which text their offsets belong to."""

from __future__ import annotations

import hashlib
from typing import Any

from nlp.records import ReadingText, Run, RunKind

_CODES: dict[RunKind, str] = {
    RunKind.TEXT: "t", RunKind.EMPHASIS: "e", RunKind.STRONG: "s", RunKind.CODE: "c", RunKind.MATH: "m",
    RunKind.DISPLAY: "d", RunKind.LINK: "l", RunKind.CITE: "r",
}  # fmt: skip
_KINDS = {code: kind for kind, code in _CODES.items()}


def runs_to_json(reading: ReadingText) -> list[Any]:
    """One array a run: code of the kind, length, source characters skipped before it.

    A run that is not an identity adds its length in the source, and a run with content its content.
    """
    rows: list[Any] = []
    at = 0
    for run in reading.runs:
        row: list[Any] = [_CODES[run.kind], run.end - run.start, run.source_start - at]
        if not run.identity:
            row.append(run.source_end - run.source_start)
        if run.content:
            row.append(run.content)
        rows.append(row)
        at = run.source_end
    return rows


def runs_from_json(text: str, rows: list[Any]) -> ReadingText:
    """The reading text that ``runs_to_json`` took apart.

    Raises ValueError where the rows are no runs of ``text``.
    """
    runs: list[Run] = []
    start = source_start = 0
    for number, row in enumerate(rows):
        try:
            run = _read_row(row, start, source_start)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"run {number} cannot be read: {row!r}") from error
        runs.append(run)
        start, source_start = run.end, run.source_end
    if start != len(text):
        raise ValueError(f"the runs cover {start} of {len(text)} characters")
    return ReadingText(text, tuple(runs))


def _read_row(row: Any, start: int, source_start: int) -> Run:
    code, length, skipped, *rest = row
    identity = not (rest and isinstance(rest[0], int))
    source_length = length if identity else rest.pop(0)
    content = rest.pop(0) if rest else ""
    if rest or not isinstance(content, str) or length < 1:
        raise ValueError
    source_start += skipped
    return Run(
        _KINDS[code], start, start + length, source_start, source_start + source_length, identity, content
    )


def text_hash(text: str) -> str:
    """SHA-256 of the text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
