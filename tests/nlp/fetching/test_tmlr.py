"""OpenReview's notes: what changed last first, so that nothing is passed over while they change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.fetching.client import Client
from nlp.fetching.errors import Unsteady, WrongContent
from nlp.fetching.pages import FetchedPage
from nlp.fetching.tmlr import STEP_BACK, note_pages
from nlp.records import RawPaper, Section
from tests.nlp.fetching.clocks import NOON, Clock, client_on
from tests.nlp.fetching.documents import note, notes
from tests.nlp.fetching.misbehaving import Asked, Reply, Server, serving

KIND = "application/json; charset=utf-8"
SINCE = NOON - timedelta(days=30)


class Venue:
    """OpenReview as it answers for TMLR."""

    def __init__(self, submissions: Sequence[dict[str, Any]], counts: bool = True) -> None:
        self.submissions, self.counts = list(submissions), counts

    def __call__(self, asked: Asked) -> Reply:
        assert asked.path == "/notes"
        assert (asked.query["invitation"], asked.query["sort"]) == ("TMLR/-/Submission", "tmdate:desc")
        offset, limit = int(asked.query["offset"]), int(asked.query["limit"])
        found = sorted(self.submissions, key=lambda made: -made["tmdate"])
        body = notes(found[offset : offset + limit], len(found) if self.counts else None)
        return Reply(body, kind=KIND)


def made(count: int) -> list[dict[str, Any]]:
    """Submissions under review, one a day back from `NOON`."""
    moments = [NOON - timedelta(days=number) for number in range(count)]
    return [note(f"Kettle{number:04d}", moment, moment) for number, moment in enumerate(moments)]


def pages(
    client: Client, server: Server, cursor: str = "", since: datetime | None = SINCE, now: datetime = NOON,
    size: int = 20,
) -> Iterator[FetchedPage]:  # fmt: skip
    return note_pages(client, server.address, cursor, since, now, size)


def papers_of(found: Sequence[FetchedPage]) -> list[RawPaper]:
    return [paper for page in found for paper in page.papers if isinstance(paper, RawPaper)]


def announced(found: Sequence[FetchedPage]) -> set[str]:
    return {paper.identifier for paper in papers_of(found) if paper.section is not Section.REPLACED}


def names(first: int, last: int) -> set[str]:
    return {f"openreview:Kettle{number:04d}" for number in range(first, last)}


@pytest.mark.parametrize("counts", [True, False])
def test_what_changed_since_a_day(client: Client, server: Server, counts: bool) -> None:
    server.answer = Venue(made(100), counts)
    found = list(pages(client, server))
    assert announced(found) == names(0, 31)
    assert found[-1].is_last
    assert len(found) < 5  # the list ends where the changes are older


@pytest.mark.parametrize("counts", [True, False])
def test_the_end_of_the_list(client: Client, server: Server, counts: bool) -> None:
    server.answer = Venue(made(25), counts)
    found = list(pages(client, server))
    assert announced(found) == names(0, 25)
    assert [page.is_last for page in found] == [False, True]
    server.answer = Venue([], counts)
    [page] = pages(client, server)
    assert (page.papers, page.is_last) == ((), True)


def test_accepted_papers_stand_on_the_day_they_were_published(client: Client, server: Server) -> None:
    long_ago = NOON - timedelta(days=200)
    accepted = note("Accepted01", long_ago, NOON, state="", published_at=NOON - timedelta(days=1))
    reviewed = note("Reviewed01", long_ago, NOON)
    withdrawn = note("Withdrawn1", NOON, NOON, state="/Withdrawn_Submission")
    server.answer = Venue([accepted, reviewed, withdrawn])
    found = {paper.identifier: paper for paper in papers_of(list(pages(client, server)))}
    assert found["openreview:Accepted01"].section is Section.ACCEPTED
    assert found["openreview:Accepted01"].day == (NOON - timedelta(days=1)).date()
    assert found["openreview:Reviewed01"].section is Section.REPLACED  # of a day before the beginning
    assert found["openreview:Withdrawn1"].is_withdrawn


def test_every_cursor_is_a_place_to_go_on_from(client: Client, server: Server) -> None:
    venue = Venue(made(100))
    server.answer = venue
    found = pages(client, server)
    first = next(found)
    venue.submissions += [
        note(f"Later{number:05d}", NOON, NOON + timedelta(minutes=number)) for number in range(7)
    ]
    del venue.submissions[3]  # read already
    server.asked.clear()
    rest = list(pages(client, server, first.cursor))
    assert server.asked[0].query["offset"] == str(20 - STEP_BACK)
    assert names(0, 31) <= announced([first, *rest])
    *_, last = rest
    later = list(pages(client, server, last.cursor, None, NOON + timedelta(days=1)))
    assert {f"openreview:Later{number:05d}" for number in range(7)} <= announced(later)


def test_an_empty_page_where_notes_follow_is_asked_for_again(
    client: Client, clock: Clock, server: Server
) -> None:
    venue, left = Venue(made(100)), [Reply(notes([], 100), kind=KIND)]
    server.answer = lambda asked: left.pop() if asked.query["offset"] == "10" and left else venue(asked)
    assert announced(list(pages(client, server))) == names(0, 31)
    assert clock.slept == [5]
    server.answer_in_turn(Reply(notes([], 100), kind=KIND))
    with pytest.raises(Unsteady, match="an empty page, where 100 notes follow"):
        list(pages(client, server))


def test_an_error_in_json_is_none_of_notes(client: Client, server: Server) -> None:
    server.answer_in_turn(Reply(b'{"name": "ForbiddenError", "message": "no"}', kind=KIND))
    with pytest.raises(WrongContent, match="JSON without a list of notes"):
        list(pages(client, server))


@settings(max_examples=50)
@given(
    st.integers(1, 60),
    st.lists(st.tuples(st.lists(st.integers(0, 99), max_size=6), st.integers(0, 2)), max_size=5),
    st.booleans(),
)
def test_a_note_is_never_passed_over(
    count: int, happens: list[tuple[list[int], int]], is_stopped: bool
) -> None:
    """Between two pages some notes change and some go; the next fetch at the latest finds what changed."""
    venue, left, minutes = Venue(made(count)), list(happens), 1
    beginning = NOON - timedelta(days=365)
    with serving(venue) as server, client_on(Clock()) as client:
        found: list[FetchedPage] = []
        cursor, is_over = "", False
        while not is_over:
            for page in pages(client, server, cursor, beginning):
                found.append(page)
                cursor, is_over = page.cursor, page.is_last
                if left and venue.submissions:
                    changing, going = left.pop()
                    for index in changing:
                        minutes += 1
                        changed = venue.submissions[index % len(venue.submissions)]
                        changed["tmdate"] = int((NOON + timedelta(minutes=minutes)).timestamp() * 1000)
                    del venue.submissions[: min(going, len(venue.submissions) - 1)]
                    if is_stopped:
                        break
        found += pages(client, server, cursor, None, NOON + timedelta(days=1))
    assert {f"openreview:{made['id']}" for made in venue.submissions} <= announced(found)
