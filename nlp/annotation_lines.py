"""Annotated abstracts as JSON lines: "id", "title", "abstract", and "spans" of [start, end, label]. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from nlp.annotations import AnnotatedText
from nlp.json_values import Faults
from nlp.records import Refusal
from nlp.sources.json_objects import Unfit, json_object

LONGEST_LINE = 2**24  # bytes


def text_line(text: AnnotatedText) -> str:
    """The line of a text, without its end. `read_text_lines` gives the same text back."""
    return json.dumps(
        {"id": text.identifier, "title": text.title, "abstract": text.abstract, "spans": text.spans},
        ensure_ascii=False,
    )


def read_text_lines(lines: Iterable[bytes], origin: str) -> Iterator[AnnotatedText | Refusal]:
    """For each line its text, or a refusal for each of its faults; blank lines are passed over."""
    for number, record in objects(lines, origin):
        if isinstance(record, Refusal):
            yield record
            continue
        faults = Faults()
        text = _text(record, faults)
        if faults:
            yield from (Refusal(origin, number, fault) for fault in faults)
        else:
            yield text


def objects(lines: Iterable[bytes], origin: str) -> Iterator[tuple[int, dict[str, Any] | Refusal]]:
    """For each line that is not blank its number, from 1, and its object, or why there is none."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if len(line) > LONGEST_LINE:
                raise Unfit(f"a line of more than {LONGEST_LINE:,} bytes")
            yield number, json_object(line.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            yield number, Refusal(origin, number, f"not UTF-8 at byte {error.start}")
        except Unfit as error:
            yield number, Refusal(origin, number, str(error))


def _text(record: dict[str, Any], faults: Faults) -> AnnotatedText:
    identifier = faults.text(record.get("id"), "id")
    title = faults.text(record.get("title", ""), "title", may_be_empty=True)
    abstract = faults.text(record.get("abstract"), "abstract", may_be_empty=True)
    found = record.get("spans", [])
    if not isinstance(found, list):
        faults.append("spans must be a list")
        found = []
    spans = [faults.span(each, abstract, f"span {at}") for at, each in enumerate(found, start=1)]
    return AnnotatedText(identifier, title, abstract, tuple(span for span in spans if span is not None))
