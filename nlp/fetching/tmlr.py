"""TMLR's papers at OpenReview: every submission that is public, what changed last first.

Whatever changes while the list is read moves to its front, so that what was not read yet only moves on: no
note is passed over, and what changed meanwhile is found the next time. Submissions of every fate are in one
list; asked for by their state, a paper that changes it meanwhile would be passed over.
https://docs.openreview.net/reference/api-v2
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from nlp.fetching.answers import Answer, Wanted
from nlp.fetching.client import Client
from nlp.fetching.errors import Unsteady
from nlp.fetching.pages import FetchedPage, announcing, as_text, place_in, read
from nlp.fetching.stretches import Stretch, done, stretch_to_read
from nlp.fetching.waiting import ATTEMPTS
from nlp.records import RawPaper
from nlp.sources.openreview import NAME, NotesPage, read_page
from nlp.sources.tmlr_digest import BOARD

__all__ = ["NAME", "note_pages"]

INVITATION = "TMLR/-/Submission"
PAGE_SIZE = 1000  # the most that are given
OVERLAP = timedelta(days=1)  # the clocks there and here may differ
STEP_BACK = 10  # a note that is taken back lets those behind it move up by one
WANTED = Wanted(("json",), (b"}", b"]"))


@dataclass(frozen=True, slots=True)
class NotesPlace:
    """A place in a stretch: so many notes, counted from the newest change, have been read."""

    stretch: Stretch
    offset: int = 0


def note_pages(
    client: Client,
    address: str,
    cursor: str,
    since: datetime | None,
    now: datetime,
    page_size: int = PAGE_SIZE,
) -> Iterator[FetchedPage]:
    """The pages from a cursor, or of all that changed from the moment ``since`` on. Raises `FetchError`."""
    place = _start(place_in(NotesPlace, cursor), since, now)
    while not place.stretch.is_done:
        begin = max(0, place.offset - STEP_BACK)
        answer, page = _steady(client, f"{address.rstrip('/')}/notes", begin, page_size)
        reached = begin + len(page.papers)
        stretch = place.stretch
        ends = _is_the_end(page, reached, page_size) or _reaches_before(stretch.first, answer)
        place = replace(place, stretch=done(stretch), offset=0) if ends else replace(place, offset=reached)
        text, is_last = as_text(place), ends and stretch.until >= now
        if ends and not is_last:
            place = _start(place, None, now)
        papers = announcing(page.papers, partial(_is_of_before, stretch.since.date()))
        yield FetchedPage(answer.address, papers, text, reached, page.count, is_last)


def _start(last: NotesPlace | None, since: datetime | None, now: datetime) -> NotesPlace:
    stretch = stretch_to_read(last.stretch if last else None, since, now, OVERLAP)
    return last if last is not None and stretch == last.stretch else NotesPlace(stretch)


def _steady(client: Client, address: str, begin: int, page_size: int) -> tuple[Answer, NotesPage]:
    """The page at an offset; asked for again where it is empty and should not be."""
    query = {
        "invitation": INVITATION, "sort": "tmdate:desc", "offset": str(begin), "limit": str(page_size),
    }  # fmt: skip
    for attempt in range(1, ATTEMPTS + 1):
        answer = client.get(address, query, WANTED)
        assert answer is not None
        page = read(answer, read_page, BOARD)
        if page.papers or begin >= (page.count or 0):
            return answer, page
        error = Unsteady(answer.address, f"an empty page, where {(page.count or 0) - begin:,} notes follow")
        if attempt < ATTEMPTS:
            client.pause(attempt, error)
    raise error


def _is_of_before(since: date, paper: RawPaper) -> bool:
    day = paper.day or (paper.submitted_at.date() if paper.submitted_at else None)
    return day is not None and day < since


def _is_the_end(page: NotesPage, reached: int, page_size: int) -> bool:
    return len(page.papers) < page_size if page.count is None else reached >= page.count


def _reaches_before(first: datetime, answer: Answer) -> bool:
    """Whether a note of the page was last changed before the stretch; times are in milliseconds."""
    document = json.loads(answer.data)
    notes = document["notes"] if isinstance(document, dict) else document
    times = [note.get("tmdate") for note in notes if isinstance(note, dict)]
    return any(type(time) is int and time < first.timestamp() * 1000 for time in times)
