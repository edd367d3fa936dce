"""arXiv's archive by OAI-PMH: the records of a category whose metadata changed since some day, new ones among
them.

A part of a list names the next one by a token that ends within a day; then the list is begun anew. The order
of its records is not promised, so that lists of a week are asked for, of which little is read twice.
https://info.arxiv.org/help/oa/index.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial

from nlp.arxiv_categories import oai_set
from nlp.fetching.answers import Wanted
from nlp.fetching.client import Client
from nlp.fetching.errors import Unsteady, WrongContent
from nlp.fetching.pages import FetchedPage, announcing, as_text, place_in, read
from nlp.fetching.stretches import Stretch, done, stretch_to_read
from nlp.records import RawPaper
from nlp.sources.arxiv_oai import NAME, BadToken, OaiPage, read_page

__all__ = ["NAME", "oai_pages"]

ONE_DAY = timedelta(days=1)
OVERLAP = ONE_DAY  # days are all that the archive knows, and they are its own
MOST_RESTARTS = 3
AT_ONCE = timedelta(days=7)
WANTED = Wanted(("xml",), (b"</OAI-PMH>",))


@dataclass(frozen=True, slots=True)
class OaiPlace:
    """A place in a stretch: whatever changed before the day ``begin`` has been read; ``token`` names the next
    part of the list from there on, None where it begins."""

    stretch: Stretch
    begin: date
    token: str | None = None


def oai_pages(
    client: Client, address: str, category: str, cursor: str, since: datetime | None, now: datetime
) -> Iterator[FetchedPage]:
    """The parts from a cursor, or from the moment ``since``, to now. Raises `FetchError`."""
    place = _start(place_in(OaiPlace, cursor), since, now)
    restarts = read_count = 0
    while not place.stretch.is_done:
        answer = client.get(address, _query(category, place), WANTED)
        assert answer is not None
        try:
            page = read(answer, read_page, category)
        except WrongContent as error:
            if not isinstance(error.__cause__, BadToken) or place.token is None:
                raise
            if restarts == MOST_RESTARTS:
                raise Unsteady(answer.address, "no token of its is known when it is used") from error
            restarts += 1
            place = replace(place, token=None)
            continue
        read_count += len(page.papers)
        stretch = place.stretch
        place = _after(place, page)
        text, is_last = as_text(place), place.stretch.is_done and stretch.until >= now
        if place.stretch.is_done and not is_last:
            place = _start(place, None, now)
        papers = announcing(page.papers, partial(_is_of_before, stretch.since))
        yield FetchedPage(answer.address, papers, text, read_count, None, is_last)


def _start(last: OaiPlace | None, since: datetime | None, now: datetime) -> OaiPlace:
    stretch = stretch_to_read(last.stretch if last else None, since, now, OVERLAP)
    if last is not None and stretch == last.stretch:
        return last
    return OaiPlace(stretch, stretch.first.astimezone(UTC).date())


def _is_of_before(since: datetime, paper: RawPaper) -> bool:
    return paper.submitted_at is not None and paper.submitted_at < since


def _query(category: str, place: OaiPlace) -> dict[str, str]:
    if place.token is not None:
        return {"verb": "ListRecords", "resumptionToken": place.token}
    return {
        "verb": "ListRecords",
        "metadataPrefix": "arXivRaw",
        "set": oai_set(category),
        "from": place.begin.isoformat(),
    } | ({} if _is_open(place) else {"until": (place.begin + AT_ONCE - ONE_DAY).isoformat()})


def _is_open(place: OaiPlace) -> bool:
    """Whether the list from this day on reaches the present: then it is asked for without an end."""
    return place.begin + AT_ONCE > place.stretch.until.astimezone(UTC).date()


def _after(place: OaiPlace, page: OaiPage) -> OaiPlace:
    if page.resumption_token:
        return replace(place, token=page.resumption_token)
    if _is_open(place):
        return OaiPlace(done(place.stretch), place.begin)
    return OaiPlace(place.stretch, place.begin + AT_ONCE)
