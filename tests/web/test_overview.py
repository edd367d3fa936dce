"""All boards at once: every row with its board, nothing added up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import transact
from tests.market import nine_weeks
from tests.market.factories import add_board
from tests.web.conftest import statements
from tests.web.visitor import make_app

See = Callable[[str], html.HtmlElement]


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def section(page: html.HtmlElement, name: str) -> html.HtmlElement:
    [found] = page.xpath(f"//section[@aria-labelledby = '{name}']")
    return found


@pytest.fixture
def client_of_two(engine: Engine, tmp_path: Path) -> FlaskClient:
    """A board on which a term rises and is traded, and one without papers."""

    def second(session: Session) -> None:
        add_board(session, "cs.CV", position=2)

    transact(engine, nine_weeks.fill)
    transact(engine, nine_weeks.trade_and_watch)
    transact(engine, second)
    return make_app(engine, tmp_path).test_client()


def test_rows_of_all_boards(client_of_two: FlaskClient, engine: Engine) -> None:
    with statements(engine) as sent:
        page = html.fromstring(client_of_two.get("/trending").get_data(as_text=True))
    assert len(sent) <= 18, sent
    [row] = section(page, "rising-papers").xpath(".//tbody/tr")
    assert row.xpath(".//a/@href") == ["/cs.LG/terms/rising", "/cs.LG/trending?window=7"]
    assert "63 90.0 %" in words(row)
    traded, watched = section(page, "rising-market").xpath(".//table")
    assert words(traded.xpath(".//tbody/tr/th")[0]) == "rising cs.LG · 2 trades by 2 traders"
    assert words(watched.xpath(".//tbody/tr")[0]).startswith("rising cs.LG")
    first, second = (words(item) for item in section(page, "boards").xpath(".//li"))
    assert re.search("1 rising, 1 falling, 1 new in 70 papers from 11 May 2026 to 17 May 2026", first)
    assert "no papers from 11 May 2026 to 17 May 2026" in second


def test_nothing_is_said_to_rise_where_nothing_does(see: See) -> None:
    page = see("/trending?window=30")
    assert "Nothing is rising beyond chance on any board in the last 30 days." in words(page)
    assert len(section(page, "boards").xpath(".//li")) == 2


def test_the_page_is_in_the_navigation(see: See) -> None:
    [link] = see("/trending").xpath("//nav[@aria-label = 'Boards']//a[@href = '/trending']")
    assert link.get("aria-current") == "page"
    assert see("/cs.LG/2026-05-16").xpath("//nav[@aria-label = 'Boards']//a[@href = '/trending']")


@pytest.mark.parametrize("window", ["today", "8", ""])
def test_other_windows_are_refused(client: FlaskClient, window: str) -> None:
    assert client.get(f"/trending?window={window}").status_code == 400
