"""Pages as they were known on the evening of a day: they say so, and lead back to now."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine

from tests.web.conftest import statements

See = Callable[[str], html.HtmlElement]

SATURDAY, SUNDAY = "/cs.LG/2026-05-16", "/cs.LG/2026-05-17"
THEN = "known=2026-05-16"


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def prices(page: html.HtmlElement) -> dict[str, str]:
    """The price of each term in the strips of a day."""
    items = page.xpath("//div[contains(@class, 'strip')]/ul/li")
    return {words(item.xpath("./a")[0]): words(item.find_class("figure")[0]) for item in items}


@pytest.mark.parametrize(
    "page",
    [SATURDAY, "/cs.LG/terms/large-language-model", "/cs.LG/compare?term=LLM"],
)
def test_a_past_page_says_so_and_leads_back(see: See, page: str) -> None:
    [banner] = see(f"{page}{'&' if '?' in page else '?'}{THEN}").find_class("past")
    assert words(banner).startswith("As known on the evening of Saturday 16 May 2026.")
    [back] = banner.xpath(".//a/@href")
    assert back == page
    assert not see(back).find_class("past")


def test_a_past_day_offers_its_evening(see: See) -> None:
    links = see(SATURDAY).xpath("//nav[@aria-label = 'Days']/a")
    assert links[-1].get("href") == f"{SATURDAY}?{THEN}"
    assert words(links[-1]) == "As known that evening"
    assert "As known that evening" not in words(see(SUNDAY))
    assert "As known that evening" not in words(see(f"{SATURDAY}?{THEN}"))


def test_prices_on_a_past_page_are_those_of_then(see: See) -> None:
    then, now = prices(see(f"{SATURDAY}?{THEN}")), prices(see(SATURDAY))
    assert then.keys() == now.keys()
    assert then != now
    term = see(f"/cs.LG/terms/large-language-model?{THEN}")
    assert words(term.find_class("price")[0]).startswith(then["large language model"])


def test_a_day_that_was_not_known_is_empty(see: See) -> None:
    page = see(f"{SUNDAY}?{THEN}")
    assert "was not known then to list any papers on Sunday 17 May 2026." in words(page)
    assert page.xpath("//div[@class = 'empty']//a/@href") == [f"{SATURDAY}?{THEN}"]


def test_going_through_the_days_stays_at_the_moment(see: See) -> None:
    page = see(f"{SATURDAY}?known=2026-05-17")
    assert page.xpath("//nav[@aria-label = 'Days']/a/@href") == [f"{SUNDAY}?known=2026-05-17"]
    assert all("known=2026-05-17" in link for link in page.xpath("//nav[@class = 'choices']//a/@href"))


@pytest.mark.parametrize("page", [SATURDAY, "/cs.LG/terms/large-language-model", "/cs.LG/trending"])
def test_links_between_past_pages_keep_to_the_moment(see: See, page: str) -> None:
    links = see(f"{page}?{THEN}").xpath("//main//a[starts-with(@href, '/cs.LG/')]/@href")
    kept = [link for link in links if THEN in link]
    assert len(kept) > 5
    to_now = {page, f"{page}?day=2026-05-16", f"{page}#trade", "/cs.LG/trending", "/cs.LG/terms/"}
    assert set(links) - set(kept) <= to_now


@pytest.mark.parametrize(
    ("page", "most"), [(SATURDAY, 8), ("/cs.LG/terms/large-language-model", 21), ("/cs.LG/trending", 17)]
)
def test_the_questions_that_a_past_page_asks(
    client: FlaskClient, seeded_engine: Engine, page: str, most: int
) -> None:
    for address in (page, f"{page}?{THEN}"):
        with statements(seeded_engine) as sent:
            client.get(address)
        assert len(sent) <= most, (address, len(sent), sent)


@pytest.mark.parametrize("value", ["2026-05-18", "tomorrow", "2026-13-01", ""])
@pytest.mark.parametrize("page", [SATURDAY, "/cs.LG/terms/large-language-model", "/cs.LG/compare", "/"])
def test_other_moments_are_refused(client: FlaskClient, page: str, value: str) -> None:
    response = client.get(f"{page}?known={value}")
    assert response.status_code == 400
    assert "must be a day until today, 2026-05-17" in response.get_data(as_text=True)
