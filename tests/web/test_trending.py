"""Trends: what is claimed, what is not, and in which words."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.activity import count_days
from market.db import transact
from market.tables import Board
from nlp.tables import Term
from tests.market import nine_weeks
from tests.web.conftest import statements
from tests.web.visitor import CLOCK, SECRET, make_app
from web import create_app
from web.config import Settings

See = Callable[[str], html.HtmlElement]

TODAY = date(2026, 5, 17)
PAGE = "/cs.LG/trending"


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def section(page: html.HtmlElement, name: str) -> html.HtmlElement:
    [found] = page.xpath(f"//section[@aria-labelledby = '{name}']")
    return found


def labels(page: html.HtmlElement, name: str) -> list[str]:
    return [words(link) for link in section(page, name).xpath(".//tbody/tr/th/a")]


@pytest.fixture
def market(engine: Engine) -> Engine:
    """A board on which one term rises, one falls, one is new, one stays; two people traded what rises."""
    transact(engine, nine_weeks.fill)
    transact(engine, nine_weeks.trade_and_watch)
    return engine


@pytest.fixture
def trends(market: Engine, tmp_path: Path) -> See:
    """That board's pages."""
    client = make_app(market, tmp_path).test_client()

    def parse(address: str) -> html.HtmlElement:
        response = client.get(address)
        assert response.status_code == 200, response.get_data(as_text=True)
        return html.fromstring(response.get_data(as_text=True))

    return parse


def test_what_rises_falls_and_is_new(trends: See) -> None:
    page = trends(PAGE)
    assert labels(page, "rising-papers") == ["rising"]
    assert labels(page, "falling-papers") == ["falling"]
    assert labels(page, "new") == ["new here"]
    assert labels(page, "most") == ["rising", "steady", "new here", "falling"]
    row = section(page, "rising-papers").xpath(".//tbody/tr")[0]
    cells = {cell.get("data-label"): words(cell) for cell in row}
    assert cells["Papers"] == "63 90.0 %"
    assert cells["Usual"] == "7.0 10.0 %"
    assert re.fullmatch(r"× ?\d\.\d \(\d\.\d to \d\.\d\)", cells["Against usual"])
    assert row.xpath("./th/a/@href") == ["/cs.LG/terms/rising"]


def test_a_row_explains_itself_with_its_papers(trends: See) -> None:
    [why] = section(trends(PAGE), "rising-papers").xpath(".//details")
    assert words(why).startswith(
        "Why rising is here 63 of the 70 papers listed from 11 May 2026 to 17 May 2026 carry it, 90.0 %. In "
        "the 56 days before it was 56 of 560, 10.0 %, so that 7.0 would be usual."
    )
    assert "would be here by chance alone" in words(why)
    behind = why.xpath(".//ol/li/a/@href")
    assert len(behind) == 10
    for link in behind:
        address, _, anchor = link.partition("#")
        [paper] = trends(address).xpath(f"//article[@id = '{anchor}']")
        assert "rising" in words(paper)
    assert "The newest 10 of 63 papers" in words(why)


def test_a_place_says_how_it_changed(trends: See) -> None:
    first, second, *_ = section(trends(PAGE), "most").xpath(".//tbody/tr/td[@data-label = 'Place']")
    assert words(first) == "1 =, the same place as on Sat 16 May 2026"
    assert words(second) == "2 =, the same place as on Sat 16 May 2026"


def test_papers_and_the_market_are_two_lists(trends: See) -> None:
    market = section(trends(PAGE), "rising-market")
    traded, watched = market.xpath(".//table")
    assert words(traded.xpath(".//tbody/tr")[0]).startswith("rising 2 trades by 2 traders")
    assert re.search(r"up \+\d", words(traded.xpath(".//tbody/tr/td")[1]))
    assert words(watched.xpath(".//tbody/tr")[0]) == "rising +2 watchers in the window"
    assert "No forecast fell" in words(section(trends(PAGE), "falling-market"))


def test_every_cell_of_the_days_is_a_number(trends: See) -> None:
    [table] = section(trends(PAGE), "days").xpath(".//table")
    days = table.xpath("./thead//time/@datetime")
    assert days == [(TODAY - timedelta(days=back)).isoformat() for back in reversed(range(14))]
    rows = {words(row[0]): [words(cell) for cell in row[1:]] for row in table.xpath("./tbody/tr")}
    assert rows["rising"] == ["1"] * 7 + ["9"] * 7
    assert rows["new here"] == ["0"] * 7 + ["2"] * 7
    assert [words(cell) for cell in table.xpath("./tfoot/tr/td")] == ["10"] * 14
    levels = [cell.get("class") for cell in table.xpath("./tbody/tr[1]/td")]
    assert levels == ["number heat-2"] * 7 + ["number heat-5"] * 7


def test_nothing_beyond_chance_is_said(engine: Engine, tmp_path: Path) -> None:
    transact(engine, lambda session: nine_weeks.fill(session, per_day={"steady": (5, 5)}))
    page = html.fromstring(make_app(engine, tmp_path).test_client().get(PAGE).get_data(as_text=True))
    said = words(section(page, "rising-papers"))
    assert "Nothing is rising beyond chance in the 7 days to 17 May 2026. 1 term was looked at" in said
    assert labels(page, "most") == ["steady"]
    assert "Nothing is falling beyond chance in the 7 days" in words(section(page, "falling-papers"))


def test_one_day_is_not_called_a_trend(trends: See) -> None:
    page = trends(f"{PAGE}?window=today")
    assert words(page.xpath("//h1")[0]) == "One day against usual"
    assert "One day says too little to be called a trend" in words(page)
    assert labels(page, "most")[0] == "rising"
    assert not page.xpath("//section[@aria-labelledby = 'rising']")


def test_days_without_papers_are_said_to_be_no_signal(market: Engine, tmp_path: Path) -> None:
    settings = Settings(
        secret_key=SECRET, market_clock=CLOCK + timedelta(days=2), instance_folder=tmp_path
    )
    client = create_app(settings, market).test_client()
    page = words(html.fromstring(client.get(PAGE).get_data(as_text=True)))
    assert "70 papers listed from 11 May 2026 to 17 May 2026" in page
    assert "Sunday 17 May 2026 is the last day that lists papers; the days after it" in page


def test_a_board_in_its_first_week_claims_nothing(see: See) -> None:
    page = see(PAGE)
    assert "Nothing can be said to rise yet" in words(section(page, "rising-papers"))
    assert len(labels(page, "most")) == 20
    assert not section(page, "falling-papers").xpath(".//table")


def test_a_window_without_papers_leads_to_the_newest(see: See) -> None:
    page = see("/tmlr/trending")
    assert "No papers were listed from 11 May 2026 to 17 May 2026." in words(page)
    assert "/tmlr/" in section(page, "most").xpath(".//a/@href")
    assert "No papers were listed on 17 May 2026." in words(see("/tmlr/trending?window=today"))


def test_how_it_is_computed_is_told(see: See) -> None:
    told = words(see(PAGE).find_class("how")[0])
    assert "56 days" in told
    assert "expected to be there by chance" in told
    assert "no number mixes the two" in told


def test_a_past_day_leads_back_and_to_what_was_known_then(trends: See) -> None:
    page = trends(f"{PAGE}?day=2026-05-16")
    links = {words(link): link.get("href") for link in page.xpath("//nav[@aria-label = 'Days']/a")}
    assert links == {
        "‹ Earlier: Fri 15 May 2026": f"{PAGE}?day=2026-05-15",
        "Today ›": PAGE,
        "As known that evening": f"{PAGE}?known=2026-05-16",
    }
    then = trends(links["As known that evening"])
    [banner] = then.find_class("past")
    assert words(banner).startswith("As known on the evening of Saturday 16 May 2026.")
    assert banner.xpath(".//a/@href") == [f"{PAGE}?day=2026-05-16"]
    assert then.xpath("//form[@action = '/cs.LG/compare']/input[@name = 'known']/@value") == ["2026-05-16"]
    assert words(section(then, "rising-market").xpath(".//p")[0]).startswith("No forecast rose")


def test_late_papers_are_not_known_before(market: Engine, tmp_path: Path, trends: See) -> None:
    before = words(section(trends(f"{PAGE}?known=2026-05-16"), "rising-papers"))

    def late(session: Session) -> None:
        board, term = session.get_one(Board, 1), session.get_one(Term, 4)
        nine_weeks.add_day(session, board, TODAY - timedelta(days=1), [(term, 20)], papers=20)
        count_days(session, 1, [TODAY - timedelta(days=1)], CLOCK)

    transact(market, late)
    assert words(section(trends(f"{PAGE}?known=2026-05-16"), "rising-papers")) == before
    assert labels(trends(f"{PAGE}?known=2026-05-16"), "most")[:2] == ["rising", "steady"]
    assert "90 papers" in words(trends(f"{PAGE}?day=2026-05-16"))


@pytest.mark.parametrize("argument", ["day", "known"])
@pytest.mark.parametrize("value", ["2026-05-18", "2026-02-30", "yesterday", "", "2026-W20", "0001-01-01"])
def test_days_that_are_none_or_ahead_are_refused(client: FlaskClient, argument: str, value: str) -> None:
    response = client.get(f"{PAGE}?{argument}={value}")
    assert response.status_code == 400
    assert "must be a day until today, 2026-05-17" in response.get_data(as_text=True)


def test_a_day_after_what_was_known_is_refused(client: FlaskClient) -> None:
    assert client.get(f"{PAGE}?known=2026-05-16&day=2026-05-17").status_code == 400


def test_the_page_asks_as_often_for_many_rows_as_for_few(market: Engine, trends: See) -> None:
    with statements(market) as sent:
        trends(PAGE)
    assert len(sent) <= 17, sent


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}?window=today"])
def test_the_weight_of_the_page(client: FlaskClient, address: str) -> None:
    """What a first visit loads: the page, its styles and its script, as they are sent."""
    assets = re.findall(r'"(/static/[^"]+\.(?:css|js)[^"]*)"', client.get(address).get_data(as_text=True))
    assert len(assets) == 3
    total = 0
    for one in (address, *assets):
        with client.get(one, headers={"Accept-Encoding": "gzip"}) as response:
            total += len(response.get_data())
    assert total < 30_000


@pytest.mark.parametrize("window", ["8", "", "7.0", "week", "-7"])
def test_other_windows_are_refused(client: FlaskClient, window: str) -> None:
    response = client.get(f"{PAGE}?window={window}")
    assert response.status_code == 400
    assert "must be one of 7, 30, today" in response.get_data(as_text=True)
