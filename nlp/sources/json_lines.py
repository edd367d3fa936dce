"""Plain JSON lines: one paper a line, {id, date, title, authors, abstract, categories}.

`authors` may be a list of names, one string, or missing; `categories` a list or one string parted by
blanks. Other keys are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.bylines import split_names, tidy_names
from nlp.sources.source import Page, Source

NAME = "json-lines"

_ARXIV = re.compile(
    r"(?:arxiv:|https?://arxiv\.org/abs/)?"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]+)?",
    re.IGNORECASE,
)
_SCHEMED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):([^\s:]\S*)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_KINDS = {list: "a list", dict: "an object", bool: "true or false", type(None): "null"}
_LONGEST_IDENTIFIER = 200  # characters, as the paper's table holds


class _Unfit(Exception):
    """Why a line is refused."""


def recognises(head: str, name: str) -> bool:
    """Whether lines open an object and go on: most of them, or one in a file that is named so."""
    rows = [row for _, line in characters.lines(head) if (row := line.strip())]
    object_count = sum(row.startswith("{") and row != "{" for row in rows)
    if name.endswith((".jsonl", ".ndjson")):
        return object_count > 0
    return object_count * 2 >= len(rows) > 0 and not rows[0].startswith("[")


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers in the order of their lines, read one by one as they are asked for."""
    for number, line in characters.lines(text):
        if not line.strip(" \t\r"):
            continue
        try:
            yield _paper(line, number, page)
        except _Unfit as unfit:
            yield Refusal(page.origin, number, str(unfit))


def _paper(line: str, number: int, page: Page) -> RawPaper:
    if reason := characters.flaw(line):
        raise _Unfit(f"{reason} at line {number}")
    record = _object(line)
    abstract = _text(record, "abstract").strip()
    if not abstract:
        raise _Unfit("no abstract")
    categories = _categories(record, page.board)
    return RawPaper(
        identifier=_identifier(_text(record, "id")),
        title=characters.squeeze(_text(record, "title")),
        abstract=abstract,
        authors=_authors(record),
        categories=categories,
        day=_day(record, page.day),
        section=Section.CROSS if page.board not in (None, categories[0]) else Section.NEW,
        url=None,
        source=NAME,
        line=number,
    )


def _object(line: str) -> dict[str, Any]:
    try:
        record = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise _Unfit(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise _Unfit("not JSON that can be read: nested too deeply, or a number too long") from None
    if not isinstance(record, dict):
        raise _Unfit("not a JSON object")
    return record


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        if key in record:
            raise _Unfit(f"the key {_shown(key)} stands twice")
        record[key] = value
    return record


def _refuse_constant(name: str) -> None:
    raise _Unfit(f"not JSON: {name}")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)


def _shown(value: str) -> str:
    return ascii(value if len(value) <= 60 else value[:60] + "...")


def _text(record: dict[str, Any], key: str) -> str:
    if key not in record:
        raise _Unfit(f"no {key}")
    return _sound(record[key], key)


def _sound(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise _Unfit(f"{key}: text is wanted, not {_KINDS.get(type(value), 'a number')}")
    value = value.replace("\r\n", "\n")
    if reason := characters.flaw(value):
        raise _Unfit(f"{key}: {reason}")
    return value


def _strings(record: dict[str, Any], key: str) -> tuple[str, ...] | None:
    """The value where it is a list of strings; None where it is not a list."""
    value = record.get(key)
    return tuple(_sound(item, key) for item in value) if isinstance(value, list) else None


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    names = _strings(record, "authors")
    if names is not None:
        return tidy_names(names)
    return split_names(_text(record, "authors")) if record.get("authors") is not None else ()


def _categories(record: dict[str, Any], board: str | None) -> tuple[str, ...]:
    """The primary one first, the board given last where it is not among them."""
    names = _strings(record, "categories")
    if names is None:
        missing_is_fine = board is not None and record.get("categories") is None
        names = () if missing_is_fine else tuple(_text(record, "categories").split())
    if any(not name or name.split() != [name] for name in names):
        raise _Unfit("categories: each is one word, such as cs.LG")
    names = tuple(dict.fromkeys((*names, board) if board else names))
    if not names:
        raise _Unfit("no categories; give the board with --board")
    return names


def _day(record: dict[str, Any], given: date | None) -> date:
    if record.get("date") is None and given is not None:
        return given
    stated = _text(record, "date").strip()
    try:
        day = date.fromisoformat(stated) if _DAY.fullmatch(stated) else None
    except ValueError:
        day = None
    if day is None:
        raise _Unfit(f"date: a day such as 2026-05-16 is wanted, not {_shown(stated)}")
    if given not in (None, day):
        raise _Unfit(f"date: the record is of {day}, but the day given is {given}")
    return day


def _identifier(value: str) -> str:
    """An arXiv number gets its scheme and loses its version; an id without any scheme is "local:"."""
    value = characters.squeeze(value)
    if not value:
        raise _Unfit("no id")
    if found := _ARXIV.fullmatch(value):
        identifier = f"arxiv:{found[1]}"
    elif found := _SCHEMED.fullmatch(value):
        identifier = f"{found[1].lower()}:{found[2]}"
    else:
        identifier = f"local:{value}"
    if len(identifier) > _LONGEST_IDENTIFIER:
        raise _Unfit(f"id: longer than {_LONGEST_IDENTIFIER} characters")
    return identifier


_DESCRIPTION = "papers as JSON lines, {id, date, title, authors, abstract, categories}"
SOURCE = Source(NAME, _DESCRIPTION, recognises, parse)
