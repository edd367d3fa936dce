"""A listing page of the reference site, copied as text.

Two layouts are known. In one, blank lines part title and abstract and no line names the authors; in the
other there are no blank lines, a line of authors follows the title, and the abstract is broken before
each highlighted term. Which one it is is decided once per page, since a single title can look like
names and a single name like a title.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.bylines import is_byline, split_names
from nlp.sources.listing_head import CROSS_LISTED, Head, read_head, states_board
from nlp.sources.source import Page, Source
from nlp.sources.wrapping import Line, join, number_lines

NAME = "listing"

_END = re.compile(r"Read the full abstract(?: [^\w\s])?")
_ALL_AUTHORS = "All authors "
_CATEGORY = re.compile(r"[a-z][a-z-]*(?:\.[A-Za-z-]+)?")


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines up to "Read the full abstract", the authors after it, and whether it is there at all."""

    lines: list[Line]
    authors: Line | None
    ends: bool


@dataclass(frozen=True, slots=True)
class _Record:
    """The line with the board's name, what follows it, the full list of authors where there is one."""

    heading: Line
    body: list[Line]
    authors: Line | None
    ends: bool


def recognises(head: str, name: str) -> bool:
    """Whether a line ends an abstract as the site does, or states a board to watch."""
    lines = (line.strip() for _, line in characters.lines(head))
    return any(_END.fullmatch(line) or states_board(line) for line in lines)


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of a page in its order; each identifier is made from the abstract."""
    lines = number_lines(text)
    firsts = [block.lines[0].text for block in _blocks(lines) if block.lines and block.ends]
    head = read_head([line.text for line in lines], firsts, page)
    found = list(_records(lines[head.end :], head.name, page.origin))
    has_bylines = _vote([one.body for one in found if isinstance(one, _Record)])
    return (
        one if isinstance(one, Refusal) else _paper(one, head, has_bylines, page.origin) for one in found
    )


def _blocks(lines: list[Line]) -> Iterator[_Block]:
    start = 0
    for index, line in enumerate(lines):
        if _END.fullmatch(line.text):
            after = lines[index + 1] if index + 1 < len(lines) else None
            authors = after if after and after.text.startswith(_ALL_AUTHORS) else None
            yield _Block(lines[start:index], authors, True)
            start = index + 1 + (authors is not None)
    yield _Block(lines[start:], None, False)


def _records(lines: list[Line], name: str, origin: str) -> Iterator[_Record | Refusal]:
    for position, block in enumerate(_blocks(lines)):
        starts = [i for i in range(len(block.lines)) if _is_heading(block.lines, i, name)]
        stray = block.lines[: starts[0]] if starts else block.lines
        if stray and block.ends and (position or not starts):
            reason = _broken(stray) or f"no line “{name}” begins this record"
            yield Refusal(origin, stray[0].number, reason)
        for start, end in pairwise([*starts, len(block.lines)]):
            body, ends = block.lines[start + 1 : end], block.ends and end == len(block.lines)
            yield _Record(block.lines[start], body, block.authors if ends else None, ends)


def _is_heading(lines: list[Line], index: int, name: str) -> bool:
    """Whether a record begins here. The board's name may also be a line of a broken abstract."""
    text = lines[index].text
    if text.startswith(name + CROSS_LISTED):
        return True
    if text != name:
        return False
    after = lines[index + 1 : index + 3]
    stands_alone = lines[index].after_blank and all(line.after_blank for line in after[:1])
    return index == 0 or stands_alone or any(line.text != name and is_byline(line.text) for line in after)


def _vote(bodies: list[list[Line]]) -> bool:
    """Whether the page names authors after the titles: most records must show it."""
    parted = sum(line.after_blank for body in bodies for line in body[1:2])
    places = slice(1, 2) if 2 * parted > len(bodies) else slice(0, 2)
    votes = sum(any(is_byline(line.text) for line in body[places]) for body in bodies)
    return 2 * votes > len(bodies)


def _broken(lines: list[Line]) -> str | None:
    return characters.flaw_in_lines((line.number, line.text) for line in lines)


def _paper(record: _Record, head: Head, has_bylines: bool, origin: str) -> RawPaper | Refusal:
    _, _, other = record.heading.text.partition(CROSS_LISTED)
    everyone = split_names(record.authors.text.removeprefix(_ALL_AUTHORS)) if record.authors else ()
    title, authors, abstract = _parts(record.body, everyone, has_bylines)
    if reason := _reason_to_refuse(record, other, abstract):
        return Refusal(origin, record.heading.number, reason)
    return RawPaper(
        identifier=_identifier(abstract),
        title=characters.squeeze(title),
        abstract=abstract,
        authors=everyone or authors,
        categories=tuple(dict.fromkeys([other, head.board] if other else [head.board])),
        day=head.day,
        section=Section.CROSS if other else Section.NEW,
        url=None,
        source=NAME,
        line=record.heading.number,
    )


def _reason_to_refuse(record: _Record, other: str, abstract: str) -> str | None:
    if broken := _broken([record.heading, *record.body, *([record.authors] if record.authors else [])]):
        return broken
    if not record.ends:
        return "no line “Read the full abstract” ends this record"
    if other and not _CATEGORY.fullmatch(other):
        return f"not a category: {other[:60]!a}"
    return None if abstract else "no abstract, or nothing but an abstract"


def _parts(
    body: list[Line], everyone: tuple[str, ...], has_bylines: bool
) -> tuple[str, tuple[str, ...], str]:
    """Title ("" where the second line is not the authors' but the first is), authors, abstract."""
    place = _byline_place([line.text for line in body[:3]], everyone) if has_bylines else None
    if place is None:
        return "".join(line.text for line in body[:1]), (), join(body[1:])
    return ("" if place == 0 else body[0].text), split_names(body[place].text), join(body[place + 1 :])


def _byline_place(texts: list[str], everyone: tuple[str, ...]) -> int | None:
    """Where the authors stand among a record's first three lines: at 1, or at 0 where there is no title."""
    likely = [place for place in (1, 0) if place < len(texts)]
    named = (place for place in likely if everyone and split_names(texts[place])[:1] == everyone[:1])
    alike = (place for place in likely if is_byline(texts[place]))
    # A name such as "Shashank" is like none, but this page does have a line of authors.
    return next(named, next(alike, 1 if len(texts) == 3 else None))


def _identifier(abstract: str) -> str:
    content = characters.squeeze(unicodedata.normalize("NFC", abstract))
    return f"listing:{hashlib.sha256(content.encode()).hexdigest()[:16]}"


SOURCE = Source(NAME, "a listing page copied from the reference site", recognises, parse)
