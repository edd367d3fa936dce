"""The archive: parts by tokens, tokens that end, and what of it announces a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from nlp.arxiv_categories import is_arxiv_category, oai_set
from nlp.fetching.arxiv_oai import oai_pages
from nlp.fetching.client import Client
from nlp.fetching.errors import Unsteady, WrongContent
from nlp.fetching.pages import FetchedPage
from nlp.records import RawPaper, Section
from tests.nlp.fetching.archives import Harvested
from tests.nlp.fetching.clocks import NOON, Clock
from tests.nlp.fetching.documents import Made, oai_error
from tests.nlp.fetching.misbehaving import Reply, Server

SINCE = NOON - timedelta(days=4)
KIND = "text/xml"


def made(count: int) -> list[tuple[Made, date]]:
    """Papers, ten a day from `SINCE` on, each with the day it came."""
    moments = [SINCE + timedelta(hours=2.4 * number) for number in range(count)]
    return [(Made(f"2605.{number:05d}", moment), moment.date()) for number, moment in enumerate(moments)]


def pages(
    client: Client, server: Server, cursor: str = "", since: datetime | None = SINCE, now: datetime = NOON
) -> Iterator[FetchedPage]:
    return oai_pages(client, f"{server.address}/oai", "cs.LG", cursor, since, now)


def papers_of(found: Sequence[FetchedPage]) -> list[RawPaper]:
    return [paper for page in found for paper in page.papers if isinstance(paper, RawPaper)]


def identifiers(found: Sequence[FetchedPage]) -> list[str]:
    return [paper.identifier for paper in papers_of(found)]


def test_all_parts_of_a_list(client: Client, server: Server) -> None:
    papers = made(25)
    server.answer = Harvested(papers)
    found = list(pages(client, server))
    assert identifiers(found) == [paper.identifier for paper, _ in papers]
    assert [page.is_last for page in found] == [False, False, True]
    assert server.asked[0].query["from"] == "2026-05-11"
    assert "until" not in server.asked[0].query
    assert {paper.submitted_at for paper in papers_of(found)} == {
        paper.submitted_at.replace(microsecond=0) for paper, _ in papers
    }


def test_nothing_new_is_no_error(client: Client, server: Server) -> None:
    server.answer = Harvested([])
    [page] = pages(client, server)
    assert (page.papers, page.is_last) == ((), True)


def test_every_cursor_is_a_place_to_go_on_from(client: Client, server: Server) -> None:
    server.answer = Harvested(made(25))
    whole = list(pages(client, server))
    for number, page in enumerate(whole[:-1]):
        assert identifiers(list(pages(client, server, page.cursor))) == identifiers(whole[number + 1 :])


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_token_that_has_ended_leads_back_to_the_list_it_was_of(
    client: Client, server: Server, is_sorted: bool
) -> None:
    papers = made(140)
    archive = Harvested(papers if is_sorted else papers[::-1])
    server.answer = archive
    now = NOON + timedelta(days=10)
    found = [page for page, _ in zip(pages(client, server, now=now), range(9), strict=False)]
    archive.forgets = 1
    server.asked.clear()
    rest = list(pages(client, server, found[-1].cursor, now=now))
    assert [asked.query.get("from") for asked in server.asked[:2]] == [None, "2026-05-18"]
    assert set(identifiers(found + rest)) == {paper.identifier for paper, _ in papers}
    assert len(identifiers(found + rest)) < 170


def test_a_long_stretch_is_read_by_weeks(client: Client, server: Server) -> None:
    papers = made(300)
    server.answer = Harvested(papers)
    found = list(pages(client, server, now=NOON + timedelta(days=27)))
    assert identifiers(found) == [paper.identifier for paper, _ in papers]
    lists = [asked.query for asked in server.asked if "from" in asked.query]
    assert [(query["from"], query.get("until")) for query in lists] == [
        ("2026-05-11", "2026-05-17"), ("2026-05-18", "2026-05-24"), ("2026-05-25", "2026-05-31"),
        ("2026-06-01", "2026-06-07"), ("2026-06-08", None),
    ]  # fmt: skip


def test_tokens_that_never_hold_are_given_up(client: Client, server: Server) -> None:
    server.answer = Harvested(made(25), forgets=99)
    with pytest.raises(Unsteady, match="no token of its is known"):
        list(pages(client, server))


@pytest.mark.parametrize("code", ["badArgument", "cannotDisseminateFormat", "badResumptionToken"])
def test_an_error_of_the_protocol_is_said(client: Client, server: Server, code: str) -> None:
    server.answer_in_turn(Reply(oai_error(code), kind=KIND))
    with pytest.raises(WrongContent, match=f"the archive answers with an error: {code}"):
        list(pages(client, server))


def test_a_server_that_asks_for_a_pause_gets_it(client: Client, clock: Clock, server: Server) -> None:
    archive, left = Harvested(made(25)), [Reply(status=503, headers={"Retry-After": "20"})]
    server.answer = lambda asked: left.pop() if "resumptionToken" in asked.query and left else archive(asked)
    assert len(identifiers(list(pages(client, server)))) == 25
    assert clock.slept == [20]


def test_papers_of_before_announce_nothing(client: Client, server: Server) -> None:
    old = Made("2301.00001", datetime(2023, 1, 1, 12, tzinfo=UTC), version=3)
    server.answer = Harvested([(old, NOON.date()), *made(2)])
    found = papers_of(list(pages(client, server)))
    assert [(paper.identifier, paper.section) for paper in found] == [
        ("arxiv:2301.00001", Section.REPLACED),
        ("arxiv:2605.00000", Section.NEW),
        ("arxiv:2605.00001", Section.NEW),
    ]
    assert found[0].version == 3


def test_the_next_fetch_begins_a_day_before_the_last_one_ended(client: Client, server: Server) -> None:
    archive = Harvested(made(25))
    server.answer = archive
    *_, last = pages(client, server)
    server.asked.clear()
    new = Made("2605.90000", NOON + timedelta(days=1))
    archive.papers.append((new, NOON.date() + timedelta(days=2)))
    found = list(pages(client, server, last.cursor, None, NOON + timedelta(days=3)))
    assert server.asked[0].query["from"] == "2026-05-14"
    assert identifiers(found)[-1] == new.identifier
    assert all(paper.section is Section.NEW for paper in papers_of(found))


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("cs.LG", "cs:cs:LG"),
        ("stat.ML", "stat:stat:ML"),
        ("hep-ex", "physics:hep-ex"),
        ("quant-ph", "physics:quant-ph"),
        ("astro-ph.IM", "physics:astro-ph:IM"),
        ("cond-mat.soft", "physics:cond-mat:soft"),
        ("physics.ao-ph", "physics:physics:ao-ph"),
        ("q-bio.BM", "q-bio:q-bio:BM"),
    ],
)
def test_the_sets_of_categories(category: str, name: str) -> None:
    assert is_arxiv_category(category)
    assert oai_set(category) == name


@pytest.mark.parametrize("name", ["tmlr", "LG", "cs", "cs.LG v2", "../cs.LG", "", "CS.LG"])
def test_other_names_are_no_categories(name: str) -> None:
    assert not is_arxiv_category(name)
