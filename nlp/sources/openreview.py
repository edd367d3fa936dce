"""Notes of OpenReview's interface, versions 1 and 2: TMLR's submissions and accepted papers.

In version 1 `content.title` is a plain value, in version 2 it is {"value": ...}; times are milliseconds. A
paper of TMLR says what became of it in `content.venueid`. Authors are missing under double-blind review, a
list of names, or a list of {fullname, username}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters
from nlp.sources.bylines import split_names, tidy_names
from nlp.sources.json_objects import Unfit, json_object, shown, sound
from nlp.sources.source import Page, Source
from nlp.sources.tmlr_digest import ADDRESS, BOARD

NAME = "openreview"
VENUE = "TMLR"
_LATEST = 32_503_680_000_000  # milliseconds: the year 3000
_NOBODY = "Anonymous"  # how some notes under double-blind review fill the list
_FORUM = re.compile(r"[A-Za-z0-9_-]{1,60}")
_LIST = re.compile(r'"notes"\s*:\s*\[')
_GONE = frozenset({"Withdrawn_Submission", "Retracted_Acceptance", "Desk_Rejected"})


@dataclass(frozen=True, slots=True)
class NotesPage:
    """One answer: its papers, and how many notes the whole query has, or None where it does not say."""

    papers: tuple[RawPaper | Refusal, ...]
    count: int | None


def recognises(head: str, name: str) -> bool:
    """Whether it is JSON with a note's own keys."""
    return head.startswith(("{", "[")) and '"forum"' in head and '"content"' in head and '"invitation' in head


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of a document of notes, in its order; the line of each is that of its identifier."""
    return iter(_notes_page(text, page).papers)


def read_page(data: bytes, page: Page) -> NotesPage:
    """The same of an answer's bytes; raises `UnknownSource` for what is no document of notes."""
    return _notes_page(characters.decode(data, page.origin), page)


def _notes_page(text: str, page: Page) -> NotesPage:
    if page.board not in (None, BOARD):
        raise UnknownSource(page.origin, f'notes belong on the board "{BOARD}", not on "{page.board}"')
    if _is_note_a_line(text):
        return NotesPage(tuple(_of_lines(text, page)), None)
    document = _document(text, page.origin)
    notes = document.get("notes") if isinstance(document, dict) else document
    if not isinstance(notes, list):
        raise UnknownSource(page.origin, f"JSON without a list of notes: {shown(text.strip())}")
    count = document.get("count") if isinstance(document, dict) else None
    numbered = zip(_lines_of(notes, text), enumerate(notes, start=1), strict=True)
    papers = tuple(_item(note, number, line, page) for line, (number, note) in numbered)
    return NotesPage(papers, count if type(count) is int else None)


def _is_note_a_line(text: str) -> bool:
    """Whether most lines hold an object and nothing else: a note, and no list of them."""
    rows = [line.strip() for _, line in characters.lines(text) if line.strip()]
    objects = [row for row in rows if row.startswith("{") and row.endswith("}")]
    return 2 * len(objects) > len(rows) and '"content"' in objects[0] and not _LIST.search(objects[0])


def _of_lines(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    for number, line in characters.lines(text):
        if line.strip():
            try:
                yield _paper(json_object(line), number, page)
            except Unfit as unfit:
                yield Refusal(page.origin, number, str(unfit))


def _lines_of(notes: list[Any], text: str) -> Iterator[int]:
    """The line of each note: that on which its identifier stands next. One that is spelled otherwise ends
    the search, so that it takes no longer than the document."""
    line, at = 1, 0
    for note in notes:
        named = note.get("id") if isinstance(note, dict) else None
        found = text.find(f'"{named}"', at) if at >= 0 and named else at
        if found > at:
            line += text.count("\n", at, found)
        at = found
        yield line


def _document(text: str, origin: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UnknownSource(origin, f"not JSON: {error.msg} at line {error.lineno}") from None
    except (ValueError, RecursionError):
        raise UnknownSource(origin, "not JSON that can be read: nested too deeply") from None


def _item(note: Any, number: int, line: int, page: Page) -> RawPaper | Refusal:
    try:
        return _paper(note, line, page)
    except Unfit as unfit:
        return Refusal(page.origin, line, f"note {number}: {unfit}")


def _paper(note: Any, line: int, page: Page) -> RawPaper:
    if not isinstance(note, dict) or not isinstance(note.get("content"), dict):
        raise Unfit("an object with a content is wanted")
    forum = sound(note.get("forum") or note.get("id"), "forum")
    if not _FORUM.fullmatch(forum):
        raise Unfit(f"forum: {shown(forum)} is no identifier")
    if note.get("id") not in (None, forum):
        raise Unfit(f"{shown(str(note['id']))} is a reply in the forum {forum}, not a paper")
    content = note["content"]
    abstract = sound(_value(content, "abstract"), "abstract").strip()
    if not abstract:
        raise Unfit("no abstract")
    venue, _, state = str(_value(content, "venueid") or "").partition("/")
    if venue != VENUE:
        raise Unfit(f"venueid: {shown(venue)} is not {VENUE}")
    return RawPaper(
        identifier=f"openreview:{forum}",
        title=characters.squeeze(sound(_value(content, "title") or "", "title")),
        abstract=abstract,
        authors=_authors(_value(content, "authors")),
        categories=(BOARD,),
        day=_day(note, is_accepted=not state) or page.day,
        section=Section.SUBMITTED if state else Section.ACCEPTED,
        url=ADDRESS + forum,
        source=NAME,
        line=line,
        submitted_at=_moment(note, "cdate") or _moment(note, "tcdate"),
        is_withdrawn=state in _GONE,
    )


def _value(content: dict[str, Any], key: str) -> Any:
    value = content.get(key)
    return value.get("value") if isinstance(value, dict) and "value" in value else value


def _authors(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return split_names(sound(value, "authors"))
    if not isinstance(value, list):
        raise Unfit("authors: a list is wanted")
    names = (author.get("fullname", "") if isinstance(author, dict) else author for author in value)
    return tuple(name for name in tidy_names(sound(name, "authors") for name in names) if name != _NOBODY)


def _day(note: dict[str, Any], *, is_accepted: bool) -> date | None:
    """The day on which it went public as what it is: accepted, or online as a submission; in UTC. When it was
    made (`cdate`) is long before."""
    moment = _moment(note, "pdate" if is_accepted else "odate")
    return moment.date() if moment else None


def _moment(note: dict[str, Any], key: str) -> datetime | None:
    value = note.get(key)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < _LATEST:
        raise Unfit(f"{key}: {shown(str(value))} is no time in milliseconds")
    return datetime.fromtimestamp(value / 1000, UTC)


SOURCE = Source(NAME, "OpenReview notes as JSON", recognises, parse)
