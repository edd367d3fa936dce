"""arXiv's query interface: the papers of a category by the moment of their first submission, oldest first.

Each page is asked for from the moment of the last paper of the page before, so that papers that come and go
meanwhile cannot push others past the reader. A query may have 30,000 results, so a longer stretch is read in
parts; a page may have 2,000. https://info.arxiv.org/help/api/user-manual.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from nlp.fetching.answers import Answer, Wanted
from nlp.fetching.client import Client
from nlp.fetching.errors import Unsteady
from nlp.fetching.pages import FetchedPage, as_text, place_in, read
from nlp.fetching.stretches import Stretch, done, stretch_to_read
from nlp.fetching.waiting import ATTEMPTS
from nlp.records import RawPaper, Refusal
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
    """A place in a stretch: the part being read goes on at ``begin`` and ends at ``end``.

    ``offset`` of the results from ``begin`` are read, which is 0 but for more papers of one minute than fit
    into a page; ``total`` results are expected there, None before anything was asked.
    """

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
    read_count = times_shrunk = 0
    last: frozenset[str] = frozenset()
    while not place.stretch.is_done:
        answer, page = _steady(client, address, category, place, page_size)
        if page.total_count > most_results and place.offset == 0 and place.end - place.begin > A_PART:
            place = replace(place, end=place.begin + (place.end - place.begin) / 2)
            continue
        times_shrunk += _shrunk(place, page) > 0
        if times_shrunk > ATTEMPTS:
            raise Unsteady(answer.address, f"{page.total_count:,} results, and there were more each time")
        papers = tuple(paper for paper in page.papers if _name(paper) not in last)
        last = frozenset(map(_name, page.papers)) - {""}
        read_count += len(papers)
        total = read_count + max(0, page.total_count - place.offset - len(page.papers))
        place = _after(place, page)
        text, is_last = as_text(place), place.stretch.is_done and place.stretch.until >= now
        if place.stretch.is_done and not is_last:
            place = _start(place, None, now)
        yield FetchedPage(answer.address, papers, text, read_count, total, is_last)


def _start(last: ApiPlace | None, since: datetime | None, now: datetime) -> ApiPlace:
    stretch = stretch_to_read(last.stretch if last else None, since, now, OVERLAP)
    if last is not None and stretch == last.stretch:
        return last
    return ApiPlace(stretch, stretch.first, stretch.until)


def _after(place: ApiPlace, page: ApiPage) -> ApiPlace:
    """The place after a page: from its last paper on."""
    left = page.total_count - place.offset - len(page.papers)
    if left <= 0 and not _shrunk(place, page):
        if place.end < place.stretch.until:
            return ApiPlace(place.stretch, place.end, place.stretch.until)
        return ApiPlace(done(place.stretch), place.end, place.end)
    reached = _reached(place, page)
    if reached is not None:
        return replace(place, begin=reached, offset=0, total=max(1, left))
    # Where results have gone, as many of those behind them have moved to before this page.
    shrunk = _shrunk(place, page)
    offset = max(0, place.offset - shrunk) if shrunk else place.offset + len(page.papers)
    return replace(place, offset=offset, total=page.total_count)


def _reached(place: ApiPlace, page: ApiPage) -> datetime | None:
    """The minute of the last paper, if everything before it has been read; None where the papers are not in
    their order, or all of one minute."""
    moments = [paper.submitted_at for paper in page.papers if isinstance(paper, RawPaper)]
    minutes = [moment.replace(second=0, microsecond=0) for moment in moments if moment is not None]
    in_order = len(minutes) == len(page.papers) and minutes == sorted(minutes)
    begin = place.begin.replace(second=0, microsecond=0)
    return minutes[-1] if in_order and minutes and minutes[0] >= begin < minutes[-1] else None


def _shrunk(place: ApiPlace, page: ApiPage) -> int:
    return max(0, (place.total or 0) - page.total_count) if place.offset else 0


def _name(paper: RawPaper | Refusal) -> str:
    return paper.identifier if isinstance(paper, RawPaper) else ""


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
        return f"no results, and {place.total:,} or so were expected"
    return ""
