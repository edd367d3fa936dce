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

from market.db import transact
from market.tables import Activity, BoardDay
from tests.market.factories import add_board, add_term
from tests.web.visitor import make_app

See = Callable[[str], html.HtmlElement]

TODAY = date(2026, 5, 17)
PAGE = "/cs.LG/trending"


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def section(page: html.HtmlElement, name: str) -> html.HtmlElement:
    [found] = page.xpath(f"//section[@aria-labelledby = '{name}']")
    return found


def labels(page: html.HtmlElement, name: str) -> list[str]:
    return [words(link) for link in section(page, name).xpath(".//tbody//a")]


@pytest.fixture
def trends(engine: Engine, tmp_path: Path) -> See:
    """A board with eight weeks of counts: one term rises, one falls, one is new, one stays."""

    def work(session: Session) -> None:
        board = add_board(session)
        rising, falling, new, steady = (
            add_term(session, label, board) for label in ("rising", "falling", "new here", "steady")
        )
        for back in range(63):
            is_recent = back < 7
            session.add(BoardDay(board_id=board.id, day=TODAY - timedelta(days=back), paper_count=40))
            for term, before, now in ((rising, 1, 9), (falling, 8, 1), (new, 0, 2), (steady, 5, 5)):
                count = now if is_recent else before
                if count:
                    session.add(
                        Activity(
                            board_id=board.id, term_id=term.id, day=TODAY - timedelta(days=back),
                            paper_count=count, mention_count=count,
                        )
                    )  # fmt: skip
        session.flush()

    transact(engine, work)
    client = make_app(engine, tmp_path).test_client()
    return lambda address: html.fromstring(client.get(address).get_data(as_text=True))


def test_what_rises_falls_and_is_new(trends: See) -> None:
    page = trends(PAGE)
    assert labels(page, "rising") == ["rising"]
    assert labels(page, "falling") == ["falling"]
    assert labels(page, "new") == ["new here"]
    assert labels(page, "most") == ["rising", "steady", "new here", "falling"]
    [row] = section(page, "rising").xpath(".//tbody/tr")
    assert [words(cell) for cell in row[:4]] == ["1", "rising", "63", "7.0"]
    assert re.fullmatch(r"× ?\d\.\d \(\d\.\d to \d\.\d\)", words(row[4]))  # the ratio and its interval
    assert row.xpath(".//a/@href") == ["/cs.LG/terms/rising"]


def test_nothing_beyond_chance_is_said(trends: See) -> None:
    page = trends(f"{PAGE}?window=30")
    for name in ("rising", "falling"):
        if not labels(page, name):
            assert "beyond chance" in words(section(page, name))


def test_one_day_is_not_called_a_trend(trends: See) -> None:
    page = trends(f"{PAGE}?window=today")
    assert words(page.xpath("//h1")[0]) == "Today against usual"
    assert "One day says too little to be called a trend" in words(page)
    assert labels(page, "counts")[0] == "rising"


def test_a_board_in_its_first_week_claims_nothing(see: See) -> None:
    page = see(PAGE)
    assert "Nothing can be said to rise yet" in words(section(page, "rising"))
    assert len(labels(page, "most")) == 20
    assert not page.xpath("//section[@aria-labelledby = 'falling']")


def test_a_window_without_papers_leads_to_the_newest(see: See) -> None:
    page = see("/tmlr/trending")
    assert "No papers were listed from Monday 11 May 2026 to Sunday 17 May 2026." in words(page)
    assert "/tmlr/" in section(page, "most").xpath(".//a/@href")
    assert "lists no papers on Sunday 17 May 2026" in words(see("/tmlr/trending?window=today"))


def test_how_it_is_computed_is_told(see: See) -> None:
    told = words(see(PAGE).find_class("how")[0])
    assert "56 days" in told
    assert "expected to be there by chance" in told


@pytest.mark.parametrize("window", ["8", "", "7.0", "week", "-7"])
def test_other_windows_are_refused(client: FlaskClient, window: str) -> None:
    response = client.get(f"{PAGE}?window={window}")
    assert response.status_code == 400
    assert "must be one of 7, 30, today" in response.get_data(as_text=True)
