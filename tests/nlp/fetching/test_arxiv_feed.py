"""The daily feed: the papers of today, and no quiet day that was none."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from nlp.fetching.answers import Validators
from nlp.fetching.arxiv_feed import feed_page
from nlp.fetching.client import Client
from nlp.fetching.errors import NotWhole, OldBatch, WrongContent
from nlp.fetching.pages import FetchedPage
from nlp.records import RawPaper, Section
from tests.nlp.fetching.clocks import NOON
from tests.nlp.fetching.documents import RSS_ERROR, Made, rss
from tests.nlp.fetching.misbehaving import Asked, Reply, Server

THURSDAY, FRIDAY = date(2026, 5, 14), date(2026, 5, 15)
SATURDAY, MONDAY, WEDNESDAY = date(2026, 5, 16), date(2026, 5, 18), date(2026, 5, 20)
KIND = "application/rss+xml; charset=utf-8"


def made(*numbers: int, kind: str = "new") -> list[Made]:
    return [Made(f"2605.{number:05d}", NOON - timedelta(days=2), kind) for number in numbers]


def reply(papers: list[Made], day: date | None, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(rss(papers, day, NOON), kind=KIND, headers=named)


def fetch(client: Client, server: Server, before: FetchedPage | None = None) -> FetchedPage:
    cursor, validators = (before.cursor, before.validators) if before else ("", None)
    return feed_page(client, f"{server.address}/rss", "cs.LG", cursor, validators)


def test_the_papers_of_a_day(client: Client, server: Server) -> None:
    papers = [*made(1, 2), *made(3, kind="cross"), *made(4, kind="replace"), *made(5, kind="replace-cross")]
    server.answer_in_turn(reply(papers, FRIDAY))
    page = fetch(client, server)
    assert server.asked[0].path == "/rss/cs.LG"
    assert page.is_last
    assert [(paper.day, paper.section) for paper in page.papers if isinstance(paper, RawPaper)] == [
        (FRIDAY, Section.NEW), (FRIDAY, Section.NEW), (FRIDAY, Section.CROSS),
        (FRIDAY, Section.REPLACED), (FRIDAY, Section.REPLACED),
    ]  # fmt: skip
    assert json.loads(page.cursor) == {
        "day": "2026-05-15", "batch": ["arxiv:2605.00001", "arxiv:2605.00002", "arxiv:2605.00003"],
    }  # fmt: skip


def test_the_same_feed_is_not_read_twice(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1, 2), FRIDAY, ETag='"tea"'))
    first = fetch(client, server)
    server.answer = lambda asked: Reply(status=304 if asked.headers.get("if-none-match") == '"tea"' else 500)
    second = fetch(client, server, first)
    assert (second.papers, second.is_last, second.remark) == ((), True, "nothing new since the last time")
    assert (second.cursor, second.validators) == (first.cursor, first.validators)


def test_without_a_cursor_the_whole_feed_is_asked_for(client: Client, server: Server) -> None:
    server.answer = lambda asked: (
        Reply(status=304) if "if-none-match" in asked.headers else reply(made(1), FRIDAY)
    )
    assert feed_page(client, f"{server.address}/rss", "cs.LG", "", Validators('"tea"')).papers


def test_the_same_day_again_is_taken_again(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1, 2), FRIDAY), reply(made(1, 2, 3), FRIDAY))
    again = fetch(client, server, fetch(client, server))
    assert len(again.papers) == 3


@pytest.mark.parametrize(
    "batch", [made(1, 2, 3), made(1, 2), made(1, 2, 3, 4), made(1, 2, 3) + made(9, kind="replace")]
)
def test_yesterdays_batch_under_a_new_date_is_refused(
    client: Client, server: Server, batch: list[Made]
) -> None:
    server.answer_in_turn(reply(made(1, 2, 3), THURSDAY), reply(batch, FRIDAY))
    first = fetch(client, server)
    with pytest.raises(OldBatch, match=r"of 2026-05-15 still has the papers of 2026-05-14\. Nothing"):
        fetch(client, server, first)


def test_a_batch_of_its_own_is_none_of_yesterdays(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1, 2, 3), THURSDAY), reply(made(3, 4, 5), FRIDAY))
    page = fetch(client, server, fetch(client, server))
    assert len(page.papers) == 3
    assert json.loads(page.cursor)["day"] == "2026-05-15"


def test_the_old_batch_on_a_day_without_a_listing_is_nothing_new(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1, 2), FRIDAY), reply(made(1, 2), SATURDAY))
    first = fetch(client, server)
    page = fetch(client, server, first)
    assert (page.papers, page.cursor, page.remark) == ((), first.cursor, "still the papers of 2026-05-15")


def test_papers_under_a_saturday_are_of_another_day(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1, 2), SATURDAY))
    with pytest.raises(OldBatch, match=r"Saturday 16 May 2026, when nothing is .*--since 2026-05-13"):
        fetch(client, server)


@pytest.mark.parametrize("papers", [[], made(7, kind="replace")])
def test_a_feed_that_announces_nothing_leaves_the_last_day(
    client: Client, server: Server, papers: list[Made]
) -> None:
    server.answer_in_turn(reply(made(1, 2), FRIDAY), reply(papers, SATURDAY))
    first = fetch(client, server)
    page = fetch(client, server, first)
    assert (page.cursor, len(page.papers)) == (first.cursor, len(papers))
    assert page.remark == "nothing is announced in it on 16 May 2026"


def test_days_that_were_missed_are_named(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1), THURSDAY), reply(made(2), WEDNESDAY))
    page = fetch(client, server, fetch(client, server))
    assert page.missed == (FRIDAY, MONDAY, MONDAY + timedelta(days=1))
    server.answer_in_turn(reply(made(1), FRIDAY), reply(made(2), MONDAY))
    assert fetch(client, server, fetch(client, server)).missed == ()


def test_an_older_feed_does_not_take_the_place_back(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(1), FRIDAY), reply(made(2), THURSDAY))
    first = fetch(client, server)
    page = fetch(client, server, first)
    assert (page.cursor, len(page.papers), page.remark) == (
        first.cursor, 1, "it is of 2026-05-14, before the last one",
    )  # fmt: skip


def test_a_full_feed_says_that_there_may_be_more(client: Client, server: Server) -> None:
    server.answer_in_turn(reply(made(*range(2000)), FRIDAY))
    assert "there may be more" in fetch(client, server).remark


def test_what_looks_like_a_feed_and_is_none(client: Client, server: Server) -> None:
    server.answer_in_turn(Reply(RSS_ERROR, kind=KIND))
    with pytest.raises(WrongContent, match=r"Feed error for query: cs\.XX"):
        fetch(client, server)
    server.answer_in_turn(reply(made(1), None))
    with pytest.raises(WrongContent, match="does not say of which day it is"):
        fetch(client, server)
    server.answer_in_turn(Reply(b"", kind=KIND))
    with pytest.raises(NotWhole, match="an empty answer"):
        fetch(client, server)


def test_a_server_with_html_for_all(client: Client, server: Server) -> None:
    def answer(_asked: Asked) -> Reply:
        return Reply(b"<html><body>Down for maintenance</body></html>", kind="text/html")

    server.answer = answer
    with pytest.raises(WrongContent, match="content type 'text/html'"):
        fetch(client, server)
