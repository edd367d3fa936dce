"""Plain JSON lines: one paper a line, {id, date, title, authors, abstract, categories}.

`authors` may be a list of names, one string, or missing; `categories` a list or one string parted by
blanks. Other keys are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Any

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.arxiv_ids import arxiv_id
from nlp.sources.bylines import split_names, tidy_names
from nlp.sources.json_objects import Unfit, json_object, shown, sound, text_of
from nlp.sources.source import Page, Source

NAME = "json-lines"

_SCHEMED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):([^\s:]\S*)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_IDENTIFIER = 200  # characters, as the paper's table holds


def recognises(head: str, name: str) -> bool:
    """Whether lines open an object and go on: most of them, or one in a file that is named so."""
    rows = [row for _, line in characters.lines(head) if (row := line.strip())]
    object_count = sum(row.startswith("{") and row != "{" for row in rows)
    if name.endswith((".jsonl", ".ndjson")):
        return object_count > 0
    return object_count * 2 >= len(rows) > 0 and not rows[0].startswith("[")


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers in the order of their lines, read one by one as they are asked for."""
    return parse_lines(characters.lines(text), page)


def parse_lines(lines: Iterable[tuple[int, str]], page: Page) -> Iterator[RawPaper | Refusal]:
    """The same of lines that are still being read."""
    return one_a_line(lines, page, _paper)


def one_a_line(
    lines: Iterable[tuple[int, str]], page: Page, read: Callable[[str, int, Page], RawPaper]
) -> Iterator[RawPaper | Refusal]:
    """What ``read`` makes of each line that is not blank, or why it is `Unfit`."""
    for number, line in lines:
        if not line.strip(" \t\r"):
            continue
        try:
            yield read(line, number, page)
        except Unfit as unfit:
            yield Refusal(page.origin, number, str(unfit))


def _paper(line: str, number: int, page: Page) -> RawPaper:
    if reason := characters.flaw(line):
        raise Unfit(f"{reason} at line {number}")
    record = json_object(line)
    abstract = text_of(record, "abstract").strip()
    if not abstract:
        raise Unfit("no abstract")
    categories = _categories(record, page.board)
    return RawPaper(
        identifier=_identifier(text_of(record, "id")),
        title=characters.squeeze(text_of(record, "title")),
        abstract=abstract,
        authors=_authors(record),
        categories=categories,
        day=_day(record, page.day),
        section=Section.CROSS if page.board not in (None, categories[0]) else Section.NEW,
        url=None,
        source=NAME,
        line=number,
    )


def _strings(record: dict[str, Any], key: str) -> tuple[str, ...] | None:
    """The value where it is a list of strings; None where it is not a list."""
    value = record.get(key)
    return tuple(sound(item, key) for item in value) if isinstance(value, list) else None


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    names = _strings(record, "authors")
    if names is not None:
        return tidy_names(names)
    return split_names(text_of(record, "authors")) if record.get("authors") is not None else ()


def _categories(record: dict[str, Any], board: str | None) -> tuple[str, ...]:
    """The primary one first, the board given last where it is not among them."""
    names = _strings(record, "categories")
    if names is None:
        missing_is_fine = board is not None and record.get("categories") is None
        names = () if missing_is_fine else tuple(text_of(record, "categories").split())
    if any(not name or name.split() != [name] for name in names):
        raise Unfit("categories: each is one word, such as cs.LG")
    names = tuple(dict.fromkeys((*names, board) if board else names))
    if not names:
        raise Unfit("no categories; give the board with --board")
    return names


def _day(record: dict[str, Any], given: date | None) -> date:
    if record.get("date") is None and given is not None:
        return given
    stated = text_of(record, "date").strip()
    try:
        day = date.fromisoformat(stated) if _DAY.fullmatch(stated) else None
    except ValueError:
        day = None
    if day is None:
        raise Unfit(f"date: a day such as 2026-05-16 is wanted, not {shown(stated)}")
    if given not in (None, day):
        raise Unfit(f"date: the record is of {day}, but the day given is {given}")
    return day


def _identifier(value: str) -> str:
    """An arXiv number gets its scheme and loses its version; an id without any scheme is "local:"."""
    value = characters.squeeze(value)
    if not value:
        raise Unfit("no id")
    if found := arxiv_id(value):
        identifier = found.identifier
    elif schemed := _SCHEMED.fullmatch(value):
        identifier = f"{schemed[1].lower()}:{schemed[2]}"
    else:
        identifier = f"local:{value}"
    if len(identifier) > _LONGEST_IDENTIFIER:
        raise Unfit(f"id: longer than {_LONGEST_IDENTIFIER} characters")
    return identifier


_DESCRIPTION = "papers as JSON lines, {id, date, title, authors, abstract, categories}"
SOURCE = Source(NAME, _DESCRIPTION, recognises, parse, parse_lines)
