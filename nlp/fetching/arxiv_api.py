"""arXiv's query interface: the papers of a category by the moment of their first submission, oldest first.

New papers therefore come at the end of a list that is being read, and a place in it stays where it is. A
query may have 30,000 results, so a longer stretch is read in parts; a page may have 2,000.
https://info.arxiv.org/help/api/user-manual.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from nlp.fetching.client import Answer, Client, Wanted
from nlp.fetching.errors import Unsteady
from nlp.fetching.pages import FetchedPage, as_text, place_in, read
from nlp.fetching.stretches import Stretch, done, stretch_to_read
from nlp.fetching.waiting import ATTEMPTS
from nlp.sources.arxiv_api import NAME, ApiPage, read_page

__all__ = ["NAME", "api_pages"]

PAGE_SIZE = 1000  # 2,000 are allowed; large pages are the ones that time out
MOST_RESULTS = 30_000
# A paper that moderators hold is announced long after it was submitted, and found only then.
OVERLAP = timedelta(days=14)
A_PART = timedelta(minutes=2)  # the shortest that is split, since minutes are what the query knows
WANTED = Wanted(("xml",), (b"</feed>",))


@dataclass(frozen=True, slots=True)
class ApiPlace:
    """A place in a stretch: the part being read begins at ``begin`` and ends at ``end``, ``offset`` of its
    results are read; it had ``total`` when last asked, None before."""

    stretch: Stretch
    begin: datetime
    end: datetime
    offset: int = 0
    total: int | None = None


def api_pages(
    client: Client,
    address: str,
    category: str,
    cursor: str,
    since: datetime | None,
    now: datetime,
    page_size: int = PAGE_SIZE,
    most_results: int = MOST_RESULTS,
) -> Iterator[FetchedPage]:
    """The pages from a cursor, or from the moment ``since``, to the moment ``now``. Raises `FetchError`."""
    place = _start(place_in(ApiPlace, cursor), since, now)
    times_shrunk = 0
    while not place.stretch.is_done:
        answer, page = _steady(client, address, category, place, page_size)
        if page.total_count > most_results and place.offset == 0 and place.end - place.begin > A_PART:
            place = replace(place, end=place.begin + (place.end - place.begin) / 2, total=None)
            continue
        times_shrunk += _shrunk(place, page) > 0
        if times_shrunk > ATTEMPTS:
            raise Unsteady(answer.address, f"{page.total_count:,} results, and there were more each time")
        reached = place.offset + len(page.papers)
        place = _after(place, page)
        text, is_last = as_text(place), place.stretch.is_done and place.stretch.until >= now
        if place.stretch.is_done and not is_last:
            place = _start(place, None, now)
        yield FetchedPage(answer.address, page.papers, text, reached, page.total_count, is_last)


def _start(last: ApiPlace | None, since: datetime | None, now: datetime) -> ApiPlace:
    stretch = stretch_to_read(last.stretch if last else None, since, now, OVERLAP)
    if last is not None and stretch == last.stretch:
        return last
    return ApiPlace(stretch, stretch.first, stretch.until)


def _after(place: ApiPlace, page: ApiPage) -> ApiPlace:
    """The place after a page. Where results have gone, those behind them moved up by as many."""
    offset = max(0, place.offset + len(page.papers) - _shrunk(place, page))
    if offset < page.total_count:
        return replace(place, offset=offset, total=page.total_count)
    if place.end < place.stretch.until:
        return ApiPlace(place.stretch, place.end, place.stretch.until)
    return ApiPlace(done(place.stretch), place.end, place.end)


def _shrunk(place: ApiPlace, page: ApiPage) -> int:
    return max(0, (place.total or 0) - page.total_count)


def _steady(
    client: Client, address: str, category: str, place: ApiPlace, page_size: int
) -> tuple[Answer, ApiPage]:
    """The page at a place; asked for again where it contradicts the one before."""
    for attempt in range(1, ATTEMPTS + 1):
        answer = client.get(address, _query(category, place, page_size), WANTED)
        assert answer is not None
        page = read(answer, read_page, category)
        flaw = _flaw(place, page)
        if not flaw:
            return answer, page
        error = Unsteady(answer.address, flaw)
        if attempt < ATTEMPTS:
            client.pause(attempt, error)
    raise error


def _query(category: str, place: ApiPlace, page_size: int) -> dict[str, str]:
    begin, end = (f"{moment.astimezone(UTC):%Y%m%d%H%M}" for moment in (place.begin, place.end))
    return {
        "search_query": f"cat:{category} AND submittedDate:[{begin} TO {end}]",
        "sortBy": "submittedDate",
        "sortOrder": "ascending",
        "start": str(place.offset),
        "max_results": str(page_size),
    }


def _flaw(place: ApiPlace, page: ApiPage) -> str:
    """What is wrong with a page at this place, "" where nothing is; fewer papers than asked for are well."""
    if page.start != place.offset:
        return f"the page begins at result {page.start:,}, and {place.offset:,} was asked for"
    if not page.papers and page.total_count > place.offset:
        return f"an empty page, where {page.total_count - place.offset:,} results follow"
    if place.total and not page.total_count:
        return f"no results, and there were {place.total:,} on the page before"
    return ""
