"""The query interface: whatever happens between two pages, every paper is fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.fetching.arxiv_api import api_pages
from nlp.fetching.client import Client
from nlp.fetching.errors import ServerFailed, Unsteady, WrongContent
from nlp.fetching.pages import FetchedPage
from nlp.records import RawPaper
from tests.nlp.fetching.archives import Queried
from tests.nlp.fetching.clocks import NOON, Clock, client_on
from tests.nlp.fetching.documents import ATOM_ERROR, Made, atom
from tests.nlp.fetching.misbehaving import Asked, Reply, Server, serving

SINCE = NOON - timedelta(days=10)


def made(count: int, first: int = 0) -> list[Made]:
    """Papers that were submitted one after the other from `SINCE` on."""
    return [
        Made(f"2605.{number:05d}", SINCE + timedelta(hours=number)) for number in range(first, first + count)
    ]


def pages(
    client: Client, server: Server, cursor: str = "", since: datetime | None = SINCE, now: datetime = NOON,
    **sizes: int,
) -> Iterator[FetchedPage]:  # fmt: skip
    return api_pages(client, f"{server.address}/api/query", "cs.LG", cursor, since, now, **sizes)


def identifiers(found: Sequence[FetchedPage]) -> list[str]:
    return [paper.identifier for page in found for paper in page.papers if isinstance(paper, RawPaper)]


def test_all_pages_of_a_stretch(client: Client, server: Server) -> None:
    papers = made(25)
    server.answer = Queried(papers)
    found = list(pages(client, server, page_size=10))
    assert identifiers(found) == [paper.identifier for paper in papers]
    assert [(page.done, page.total, page.is_last) for page in found] == [
        (10, 25, False), (19, 25, False), (25, 25, True),
    ]  # fmt: skip
    assert [asked.query["max_results"] for asked in server.asked] == ["10"] * 3
    assert [asked.query["search_query"].partition(":[")[2] for asked in server.asked] == [
        "202605051200 TO 202605151200]", "202605052100 TO 202605151200]", "202605060600 TO 202605151200]",
    ]  # fmt: skip
    assert {asked.query["start"] for asked in server.asked} == {"0"}


def test_nothing_new_is_a_page_without_papers(client: Client, server: Server) -> None:
    server.answer = Queried([])
    [page] = pages(client, server)
    assert (page.papers, page.is_last) == ((), True)


def test_a_first_fetch_without_a_beginning_takes_a_week(client: Client, server: Server) -> None:
    server.answer = Queried(made(240))
    found = list(pages(client, server, since=None))
    assert len(identifiers(found)) == 7 * 24


def test_every_cursor_is_a_place_to_go_on_from(client: Client, server: Server) -> None:
    server.answer = Queried(made(25))
    whole = list(pages(client, server, page_size=10))
    for number, page in enumerate(whole):
        rest = list(pages(client, server, page.cursor, page_size=10))
        if page.is_last:
            assert identifiers(rest) == identifiers(whole)  # asked for from that day once more
        else:
            assert identifiers(rest)[1:] == identifiers(whole[number + 1 :])
            assert identifiers(rest)[0] == identifiers([page])[-1]


def test_the_next_fetch_looks_back_for_papers_that_were_held(client: Client, server: Server) -> None:
    archive = Queried(made(240))
    server.answer = archive
    *_, last = pages(client, server)
    later = NOON + timedelta(days=20)
    held = Made("2605.90000", NOON - timedelta(days=9, minutes=30))
    new = Made("2606.00001", NOON + timedelta(days=19))
    archive.papers = sorted([*archive.papers, held, new], key=lambda paper: paper.submitted_at)
    found = identifiers(list(pages(client, server, last.cursor, None, later)))
    assert {held.identifier, new.identifier} <= set(found)
    assert server.asked[-1].query["search_query"].endswith("[202605051200 TO 202606041200]")
    *_, last = pages(client, server, last.cursor, None, later)
    server.asked.clear()
    list(pages(client, server, last.cursor, None, later))
    assert server.asked[0].query["search_query"].endswith("[202605211200 TO 202606041200]")


def test_a_stretch_that_was_stopped_is_read_to_its_end_and_to_now(client: Client, server: Server) -> None:
    archive = Queried(made(25))
    server.answer = archive
    first = next(pages(client, server, page_size=10))
    archive.papers.append(Made("2605.90000", NOON + timedelta(hours=5)))
    found = list(pages(client, server, first.cursor, None, NOON + timedelta(days=1), page_size=10))
    assert [page.is_last for page in found] == [False] * (len(found) - 1) + [True]
    assert {paper.identifier for paper in archive.papers[10:]} <= set(identifiers(found))


def test_an_earlier_beginning_is_read_from_there(client: Client, server: Server) -> None:
    server.answer = Queried(made(25))
    first = next(pages(client, server, page_size=10))
    earlier = SINCE - timedelta(days=3)
    list(pages(client, server, first.cursor, earlier, page_size=10))
    assert server.asked[1].query["start"] == "0"
    assert "202605021200 TO" in server.asked[1].query["search_query"]


@pytest.mark.parametrize("retry_after", [{}, {"Retry-After": "9"}])
def test_429_on_page_2(client: Client, clock: Clock, server: Server, retry_after: dict[str, str]) -> None:
    archive, left = Queried(made(25)), [Reply(status=429, headers=retry_after)]

    def answer(asked: Asked) -> Reply:
        return left.pop() if len(server.asked) == 2 and left else archive(asked)

    server.answer = answer
    assert len(set(identifiers(list(pages(client, server, page_size=10))))) == 25
    assert clock.slept == [9 if retry_after else 5]


def test_a_server_that_fails_on_page_2_leaves_page_1_to_go_on_from(client: Client, server: Server) -> None:
    archive = Queried(made(25))
    server.answer = lambda asked: Reply(status=500) if len(server.asked) > 1 else archive(asked)
    found: list[FetchedPage] = []
    with pytest.raises(ServerFailed):
        found.extend(_kept(pages(client, server, page_size=10), found))
    server.answer = archive
    found += pages(client, server, found[-1].cursor, page_size=10)
    assert list(dict.fromkeys(identifiers(found))) == [paper.identifier for paper in archive.papers]


def _kept(pages: Iterator[FetchedPage], kept: list[FetchedPage]) -> Iterator[FetchedPage]:
    for page in pages:
        kept.append(page)
    yield from ()


def test_pages_may_be_shorter_than_asked_for(client: Client, server: Server) -> None:
    server.answer = Queried(made(25), capped=7)
    found = list(pages(client, server, page_size=10))
    assert len(found) == 4
    assert [asked.query["max_results"] for asked in server.asked] == ["10"] * 4
    assert len(identifiers(found)) == len(set(identifiers(found))) == 25


def test_an_empty_page_where_results_follow_is_asked_for_again(
    client: Client, clock: Clock, server: Server
) -> None:
    archive, left = Queried(made(25)), [Reply(atom([], 16, 0)), Reply(atom([], 0, 0))]

    def answer(asked: Asked) -> Reply:
        return left.pop() if len(server.asked) > 1 and left else archive(asked)

    server.answer = answer
    assert len(identifiers(list(pages(client, server, page_size=10)))) == 25
    assert clock.slept == [5, 10]
    server.answer = lambda asked: Reply(atom([], 25, int(asked.query["start"])))
    with pytest.raises(Unsteady, match="an empty page, where 25 results follow"):
        list(pages(client, server))


def test_a_page_of_another_place_is_not_taken(client: Client, server: Server) -> None:
    server.answer = lambda _asked: Reply(atom(made(10), 25, 10))
    with pytest.raises(Unsteady, match="begins at result 10, and 0 was asked for"):
        list(pages(client, server, page_size=10))


def test_more_papers_of_one_minute_than_fit_into_a_page(client: Client, server: Server) -> None:
    minute = SINCE + timedelta(hours=1)
    together = [Made(f"2605.1{number:04d}", minute + timedelta(seconds=number)) for number in range(40)]
    server.answer = Queried([*made(1), *together, *made(20, first=2)])
    found = list(pages(client, server, page_size=10))
    assert set(identifiers(found)) == {paper.identifier for paper in server.answer.papers}
    assert len(identifiers(found)) <= 61 + len(found)


def test_papers_in_no_order_are_counted_off(client: Client, server: Server) -> None:
    archive = Queried(made(25))
    archive.papers.reverse()
    server.answer = archive
    found = list(pages(client, server, page_size=10))
    assert identifiers(found) == [paper.identifier for paper in archive.papers]
    assert [asked.query["start"] for asked in server.asked] == ["0", "10", "20"]


def test_a_paper_that_goes_meanwhile_hides_none(client: Client, server: Server) -> None:
    archive = Queried(made(25))
    archive.papers.reverse()
    server.answer = archive
    found = pages(client, server, page_size=10)
    first = next(found)
    del archive.papers[3]
    assert set(identifiers([first, *found])) == {paper.identifier for paper in made(25)}


def test_a_number_of_results_that_keeps_falling_is_given_up(client: Client, server: Server) -> None:
    papers = [Made(f"2605.{number:05d}", SINCE) for number in range(30)]
    totals = iter(range(1000, 0, -5))
    server.answer = lambda asked: Reply(
        atom(papers[: int(asked.query["max_results"])], next(totals), int(asked.query["start"]))
    )
    with pytest.raises(Unsteady, match="there were more each time"):
        list(pages(client, server, page_size=10))


def test_more_results_than_a_query_may_have_are_read_in_parts(client: Client, server: Server) -> None:
    papers = made(200)
    server.answer = Queried(papers)
    found = list(pages(client, server, page_size=20, most_results=60))
    assert set(identifiers(found)) == {paper.identifier for paper in papers}
    queries = [asked.query["search_query"] for asked in server.asked]
    assert len(set(queries)) > 4
    assert [page.is_last for page in found] == [False] * (len(found) - 1) + [True]
    for page in found[:-1]:
        rest = set(identifiers(list(pages(client, server, page.cursor, page_size=20, most_results=60))))
        read = set(identifiers(found[: found.index(page) + 1]))
        assert read | rest == {paper.identifier for paper in papers}


def test_an_error_that_looks_like_a_feed_is_none(client: Client, server: Server) -> None:
    server.answer_in_turn(Reply(ATOM_ERROR))
    with pytest.raises(WrongContent, match=r"start=0.*arXiv answers with an error: incorrect id format"):
        list(pages(client, server))


def test_a_cursor_of_another_kind_is_begun_anew(client: Client, server: Server) -> None:
    server.answer = Queried(made(5))
    for cursor in ("", "{}", "not json", json.dumps({"stretch": None})):
        assert len(identifiers(list(pages(client, server, cursor)))) == 5


Change = Callable[[Queried], None]


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """What happens to the archive between two pages: papers come at the end, or go from anywhere."""
    coming, going = draw(st.integers(0, 6)), draw(st.lists(st.integers(0, 200), max_size=3))

    def change(archive: Queried) -> None:
        last = archive.papers[-1] if archive.papers else None
        for _ in range(coming if last is not None else 0):
            assert last is not None
            archive.count += 1
            moment = archive.papers[-1].submitted_at + timedelta(minutes=5)
            archive.papers.append(Made(f"2605.{archive.count:05d}", moment))
        for index in going:
            if len(archive.papers) > 1:
                del archive.papers[index % len(archive.papers)]

    return change


@settings(max_examples=60)
@given(st.integers(1, 60), st.lists(changes(), max_size=4), st.integers(5, 20), st.booleans())
def test_a_paper_that_was_there_all_the_time_is_never_passed_over(
    count: int, happens: list[Change], page_size: int, is_stopped: bool
) -> None:
    archive = Queried(made(count))
    left = list(happens)
    with serving(archive) as server, client_on(Clock()) as client:
        found: list[FetchedPage] = []
        cursor, is_over = "", False
        while not is_over:
            for page in pages(client, server, cursor, page_size=page_size):
                found.append(page)
                cursor, is_over = page.cursor, page.is_last
                if left:
                    left.pop()(archive)
                    if is_stopped:
                        break
    there = {paper.identifier for paper in made(count)} & {paper.identifier for paper in archive.papers}
    assert there <= set(identifiers(found))
