"""The TMLR daily digest, a mail's text or a copy: "Accepted papers" and "New submissions", a record a paper.

A record is known by its `URL:` line. `---` and `Title:` prove nothing: an abstract's line may begin
with either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.bylines import split_names
from nlp.sources.dates import agreed_day, month_number
from nlp.sources.source import Page, Source

NAME = "tmlr-digest"
BOARD = "tmlr"
SECTIONS = {"Accepted papers": Section.ACCEPTED, "New submissions": Section.SUBMITTED}
ADDRESS = "https://openreview.net/forum?id="
LABELS = ("Title:", "Authors:", "Abstract:")

_HEAD = re.compile(r"(?:Daily|Weekly) TMLR digest for ([A-Z][a-z]+) ([0-9]{1,2}), ([0-9]{4})")
_RULE = re.compile(r"={3,}")
_HEADING = re.compile(r"[A-Z][a-z]+(?: [a-z]+){1,3}")
_URL = re.compile(rf"URL: *{re.escape(ADDRESS)}([A-Za-z0-9_-]+)")
_SENTENCE_ENDS = ".!?:;"

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines before a record's URL, or before where it should have been; ``end`` is that line's number."""

    section: Section | None
    lines: list[Line]
    end: int
    forum: str | None


Labelled = tuple[_Block, dict[str, list[Line]]]


def recognises(head: str, name: str) -> bool:
    """Whether one of the two sections begins here, underlined."""
    lines = [line.strip() for _, line in characters.lines(head)]
    return any(heading in SECTIONS and _RULE.fullmatch(rule) for heading, rule in pairwise(lines))


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of a digest, in its order; paragraphs of an abstract are parted by a blank line."""
    lines = [(number, line.strip(" \t")) for number, line in characters.lines(text)]
    if page.board not in (None, BOARD):
        raise UnknownSource(page.origin, f'a digest belongs on the board "{BOARD}", not on "{page.board}"')
    day = agreed_day(page, _stated_day(lines, page.origin))
    return _records(lines, page.origin, day)


def _stated_day(lines: list[Line], origin: str) -> date | None:
    for number, line in lines:
        if line in SECTIONS:
            return None
        # A list's name or "Fwd:" may stand before it in a subject.
        found = _HEAD.search(line) if line.startswith("Subject: ") else _HEAD.fullmatch(line)
        if found:
            try:
                return date(int(found[3]), month_number(found[1]) or 0, int(found[2]))
            except ValueError:
                raise UnknownSource(origin, f"line {number}: there is no such day: {found[0]}") from None
    return None


def _records(lines: list[Line], origin: str, day: date) -> Iterator[RawPaper | Refusal]:
    for block, fields in _in_sections([(block, _fields(block.lines)) for block in _blocks(lines)]):
        if block.forum is None and not fields:
            continue  # the masthead, a section's other matter, the foot of the mail
        yield _record(block, fields, origin, day)


def _in_sections(blocks: list[Labelled]) -> Iterator[Labelled]:
    """The blocks, each in the section that it belongs to: accepted papers name their authors and submissions
    do not, so where the second heading was lost, what follows the last named authors are submissions."""
    named = [index for index, (_, fields) in enumerate(blocks) if "Authors:" in fields]
    is_lost = all(block.section is not Section.SUBMITTED for block, _ in blocks)
    for index, (block, fields) in enumerate(blocks):
        if is_lost and named and index > named[-1] and block.section is Section.ACCEPTED:
            block = replace(block, section=Section.SUBMITTED)
        yield block, fields


def _blocks(lines: list[Line]) -> Iterator[_Block]:
    section: Section | None = None
    start = 0
    for index, (number, line) in enumerate(lines):
        heading = lines[index - 1][1] if index else ""
        if _RULE.fullmatch(line) and _HEADING.fullmatch(heading):
            yield _Block(section, lines[start : index - 1], number, None)
            section, start = SECTIONS.get(heading), index + 1
        elif found := _URL.fullmatch(line):
            yield _Block(section, lines[start:index], number, found[1])
            start = index + 1
        elif line == "---" and _begins_record(lines, index + 1):
            yield _Block(section, lines[start:index], number, None)
            start = index + 1
    yield _Block(section, lines[start:], len(lines), None)


def _begins_record(lines: list[Line], start: int) -> bool:
    """Whether a title and then authors or an abstract follow: two labels in a row are no prose."""
    following = [line for _, line in lines[start : start + 8] if line][:2]
    return (
        len(following) == 2
        and following[0].startswith("Title:")
        and following[1].startswith(("Authors:", "Abstract:"))
    )


def _fields(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """The lines under each label. Labels come in their order, so after "Abstract:" all is abstract."""
    fields: dict[str, list[Line]] = {}
    label, awaited = "", list(LABELS)
    for number, line in lines:
        found = next((one for one in awaited if line.startswith(one)), None)
        if found:
            label, awaited = found, awaited[awaited.index(found) + 1 :]
            line = line.removeprefix(label).lstrip(" \t")
        if label:
            fields.setdefault(label, []).append((number, line))
    return fields


def _record(block: _Block, fields: dict[str, list[Line]], origin: str, day: date) -> RawPaper | Refusal:
    first = min((lines[0][0] for lines in fields.values()), default=block.end)
    title, authors, abstract = ([line for _, line in fields.get(label, []) if line] for label in LABELS)
    if reason := characters.flaw_in_lines(block.lines):
        return Refusal(origin, first, reason)
    if block.forum is None:
        return Refusal(origin, first, "no line “URL:” with an address at openreview.net/forum")
    if block.section is None:
        return Refusal(origin, first, "neither under “Accepted papers” nor under “New submissions”")
    if "Title:" not in fields or not "".join(abstract).strip():
        return Refusal(origin, first, "no abstract" if "Title:" in fields else "no line “Title:”")
    return RawPaper(
        identifier=f"openreview:{block.forum}",
        title=characters.squeeze(" ".join(title)),
        abstract=_paragraphs(abstract),
        authors=split_names(" ".join(authors)),
        categories=(BOARD,),
        day=day,
        section=block.section,
        url=ADDRESS + block.forum,
        source=NAME,
        line=first,
    )


def _paragraphs(lines: list[str]) -> str:
    """A line of an abstract is a paragraph, unless it goes on in the middle of a sentence."""
    pieces = [lines[0]]
    for before, line in pairwise(lines):
        goes_on = line[0].islower() and before[-1] not in _SENTENCE_ENDS
        pieces += ["\n" if goes_on else "\n\n", line]
    return "".join(pieces)


SOURCE = Source(NAME, "a TMLR digest, as text or mail", recognises, parse)
