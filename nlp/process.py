"""The recipe for many records: one line, one text, its mentions; streaming, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher
from nlp.matcher import Matcher
from nlp.records import Refusal
from nlp.typeset import typeset


def highlight_records(
    lines: Iterable[str | bytes], lexicon: Lexicon, origin: str
) -> Iterator[dict[str, Any] | Refusal]:
    """For each JSON line {"id", "title", "abstract"}: {"id", "text", "mentions"}, or why it was refused.

    "text" is the abstract's reading text; each mention is {"start", "end", "quote", "term"} with offsets in
    code points of it. Blank lines are passed over; `origin` and the line, from 1, stand in a refusal.
    """
    matcher = compile_matcher(lexicon)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = _record(line)
        yield Refusal(origin, number, record) if isinstance(record, str) else _highlighted(record, matcher)


def _highlighted(record: dict[str, Any], matcher: Matcher) -> dict[str, Any]:
    reading = typeset(record["abstract"])
    mentions = [mention._asdict() for mention in find_mentions(reading, matcher)]
    return {"id": record["id"], "text": reading.text, "mentions": mentions}


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
    return record
