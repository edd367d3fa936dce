r"""arXiv's daily listing mail: new papers, cross-lists and replacements of one mailing.

An item stands between lines of `\\`: its number and dates, its fields, its abstract, and a last line with
its address. `\\` alone on a line may also be TeX of an abstract, so only the line with the address ends one.
Replacements have no abstract. The form is as arXiv's own parsers read it (arxiv-base, arxiv-browse).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from itertools import pairwise

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.arxiv_ids import arxiv_id
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.moments import moment
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-mail"

_MARK = "\\\\"
_ITEM = re.compile(r"(?:arXiv|Paper): ?(?:arXiv:)?(\S+)(?: \((\*cross-listing\*)\))?\s*\Z")
_END = re.compile(r"\\\\ \( *https?://\S+ *,\s*[0-9]+kb *\)\s*\Z")
_RULE = re.compile(r"-{40,}|%{1,3}-{1,3}%[%-]{10,}")
_COUNTS = re.compile(r"Subject: .*?([0-9]{1,5}) new \+ +([0-9]{0,5}) *cross")
_SENT = re.compile(r"Date: (.+)\Z")
_SUBMITTED = re.compile(r"Date(?: \(original\))?: (.+? GMT)")
_REPLACED = re.compile(r"replaced with revised version|Date \(revised", re.IGNORECASE)
_HEAD_LINES = 10
_FIELD = re.compile(r"([A-Z][A-Za-z-]+): *(.*)\Z")

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Item:
    """The lines of an item after its first mark; ``is_whole`` where the line with the address ends it."""

    lines: tuple[Line, ...]
    is_whole: bool


def recognises(head: str, name: str) -> bool:
    """Whether an item begins here, or the head of a mailing with its rules."""
    lines = [line for _, line in characters.lines(head)]
    items = any(mark == _MARK and _ITEM.match(line) for mark, line in pairwise(lines))
    return items or any(line.startswith(" received from ") for line in lines)


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of a mailing, in its order. Its day is that of the mail, sent as they are announced."""
    lines = list(characters.lines(text))
    day = _day(lines, page)
    return _papers(lines, page, day)


def _papers(lines: list[Line], page: Page, day: date) -> Iterator[RawPaper | Refusal]:
    """The papers, and at the end a refusal where fewer are announced than the subject speaks of."""
    found_count = 0
    for item in _items(lines):
        paper = _paper(item, page, day)
        found_count += isinstance(paper, Refusal) or paper.section is not Section.REPLACED
        yield paper
    for number, line in lines[:_HEAD_LINES]:
        if (stated := _COUNTS.match(line)) and (count := sum(map(int, filter(None, stated.groups())))):
            if found_count < count:
                reason = f"the subject speaks of {count} new and cross-listed papers"
                yield Refusal(page.origin, number, f"{reason}, and {found_count} are here")
            break


def _day(lines: list[Line], page: Page) -> date:
    """The day of the mail, which is sent in the evening of New York, in universal time."""
    for number, line in lines:
        if line.rstrip() == _MARK:
            break
        if found := _SENT.match(line.strip()):
            try:
                sent = parsedate_to_datetime(found[1])
                stated = (sent.astimezone(UTC) if sent.tzinfo else sent).date()
            except (ValueError, IndexError, OverflowError):
                raise UnknownSource(page.origin, f"line {number}: no date: {line.strip()[:60]!a}") from None
            if page.day not in (None, stated):
                raise UnknownSource(page.origin, f"the mail is of {stated}, but the day given is {page.day}")
            return stated
    if page.day is None:
        raise UnknownSource(page.origin, "the mail does not state its day; give it with --day YYYY-MM-DD")
    return page.day


def _items(lines: list[Line]) -> Iterator[_Item]:
    current: list[Line] | None = None
    for index, (number, line) in enumerate(lines):
        text = line.rstrip()
        if current is None:
            if text == _MARK and _begins_item(lines, index + 1):
                current = []
        elif _END.match(text):
            yield _Item(tuple(current), True)
            current = None
        elif _RULE.fullmatch(text):
            yield _Item(tuple(current), False)
            current = None
        else:
            current.append((number, line))
    if current:
        yield _Item(tuple(current), False)


def _begins_item(lines: list[Line], index: int) -> bool:
    return index < len(lines) and _ITEM.match(lines[index][1]) is not None


def _paper(item: _Item, page: Page, day: date) -> RawPaper | Refusal:
    first, head = item.lines[0]
    found = _ITEM.match(head)
    identity = arxiv_id(found[1]) if found else None
    if identity is None or found is None:
        return Refusal(page.origin, first, f"no arXiv identifier: {head.strip()[:60]!a}")
    if not item.is_whole:
        return Refusal(page.origin, first, f"{identity.number} breaks off before the line with its address")
    if reason := characters.flaw_in_lines(item.lines):
        return Refusal(page.origin, first, reason)
    above, abstract = _parts(item.lines[1:])
    fields = _fields(above)
    is_replaced = any(_REPLACED.match(line) for _, line in above)
    categories = tuple(dict.fromkeys(fields.get("Categories", "").split()))
    if not categories:
        return Refusal(page.origin, first, f"{identity.number} has no line “Categories:”")
    if not abstract and not is_replaced:
        return Refusal(page.origin, first, f"{identity.number} has no abstract")
    section = Section.REPLACED if is_replaced else Section.CROSS if found[2] else Section.NEW
    return RawPaper(
        identifier=identity.identifier,
        title=characters.squeeze(fields.get("Title", "")),
        abstract=abstract,
        authors=arxiv_names(fields.get("Authors", "")),
        categories=categories,
        day=day,
        section=section,
        url=None,
        source=NAME,
        line=first,
        version=1 if section is Section.NEW else None,
        submitted_at=None if is_replaced else _submitted(above),
        is_withdrawn=says_withdrawn(fields.get("Comments", ""), abstract),
    )


def _parts(lines: tuple[Line, ...]) -> tuple[list[Line], str]:
    """What stands above the second mark, and the abstract below it."""
    for index, (_, line) in enumerate(lines):
        if line.rstrip() == _MARK:
            return list(lines[:index]), "\n".join(text for _, text in lines[index + 1 :]).strip()
    return list(lines), ""


def _fields(lines: list[Line]) -> dict[str, str]:
    """The fields by name; lines that are indented go on with the one before."""
    fields: dict[str, str] = {}
    name = ""
    for _, line in lines:
        if name and line.startswith("  "):
            fields[name] += f" {line.strip()}"
        elif found := _FIELD.match(line):
            name = found[1]
            fields[name] = found[2]
    return fields


def _submitted(lines: list[Line]) -> datetime | None:
    stated = (found[1] for _, line in lines if (found := _SUBMITTED.match(line)))
    return moment(next(stated, ""))


SOURCE = Source(NAME, "arXiv's daily listing mail", recognises, parse)
