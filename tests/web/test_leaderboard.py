"""The page of the leaderboard, and taking part in it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import transact
from market.links import link_accounts
from market.membership import set_membership
from market.remarks import Remark
from market.tables import Board
from market.traders import open_trader
from market.trading import place_order
from tests.market.factories import add_market, close_board_day, order
from tests.web.conftest import statements
from tests.web.visitor import CLOCK, Page, Visitor, cheap_hashing, make_app

PAGE = "/leaderboard"
JANUARY = CLOCK - timedelta(days=130)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def app(engine: Engine, tmp_path: Path) -> Flask:
    """Three traders of this spring, one of them simulated. Nobody has asked to be shown, no day is closed."""

    def work(session: Session) -> None:
        add_market(session, "Bob", "Cyd")
        open_trader(session, "Momentum", None, CLOCK - timedelta(hours=9), is_simulated=True)

    transact(engine, work)
    return make_app(engine, tmp_path)


@pytest.fixture
def ada(app: Flask) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_up("Ada")
    return visitor


def close(engine: Engine) -> None:
    """The day is closed after everything that the tests have done at the page's clock."""
    at = CLOCK + timedelta(hours=1)
    transact(
        engine, lambda session: close_board_day(session, session.exec(select(Board)).one(), at.date(), at)
    )


def later(engine: Engine, tmp_path: Path) -> Visitor:
    """A guest two hours after that."""
    return Visitor(make_app(engine, tmp_path, clock=CLOCK + timedelta(hours=2)))


def places(page: Page) -> list[str]:
    rows = page.tree.xpath("//section[@aria-labelledby = 'places']//tbody/tr")
    return [" ".join(" ".join(row.itertext()).split()) for row in rows]


def test_before_a_day_is_closed_the_page_says_why_it_is_empty(app: Flask) -> None:
    page = Visitor(app).get(PAGE)
    assert page.status == 200
    assert "There are no places yet" in page.words
    assert "April to June 2026" in page.words
    assert "Sign in to take part" in page.words


def test_taking_part_and_leaving(ada: Visitor, engine: Engine, tmp_path: Path) -> None:
    close(engine)
    page = ada.get(PAGE)
    assert "Your name is not on the leaderboard" in page.words
    assert ada.submit(page, PAGE, on="1").location.endswith("/leaderboard#taking-part")
    assert "Your name is on the leaderboard; your place comes with the next close" in ada.get(PAGE).words
    guest = later(engine, tmp_path)
    shown = guest.get(PAGE)
    assert "as of the last close of a day, 17 May 2026, 21:00 UTC" in shown.words
    assert places(shown) == [
        "Ada 1 0.00 1,000.00 0.00 1,000.00", "Momentum simulated 1 0.00 1,000.00 0.00 1,000.00",
    ] or places(shown) == [
        "Momentum simulated 1 0.00 1,000.00 0.00 1,000.00", "Ada 1 0.00 1,000.00 0.00 1,000.00",
    ]  # fmt: skip
    assert ada.submit(ada.get(PAGE), PAGE, on="0").status == 303
    assert not [row for row in places(guest.get(PAGE)) if row.startswith("Ada")]
    assert "Ada" not in guest.get(PAGE).text


def test_nobody_is_shown_who_has_not_asked(engine: Engine, app: Flask, tmp_path: Path) -> None:
    close(engine)
    page = later(engine, tmp_path).get(f"{PAGE}?simulated=hide")
    assert places(page) == []
    assert "Nobody is on the leaderboard of April to June 2026." in page.words
    assert not {"Bob", "Cyd", "Momentum"} & set(page.text.split())


def test_places_by_gain_with_simulated_traders_or_without(
    engine: Engine, app: Flask, tmp_path: Path
) -> None:
    def work(session: Session) -> None:
        for trader in (1, 2):
            set_membership(session, trader, True, CLOCK)
            place_order(session, trader, order(shares=200), "key", CLOCK)

    transact(engine, work)
    close(engine)
    guest = later(engine, tmp_path)
    page = guest.get(PAGE)
    first, second, third = places(page)
    assert first.startswith("Bob 1 +")
    assert second.startswith("Momentum simulated 2 0.00")
    assert third.startswith("Cyd 3 −")
    [hide] = page.tree.xpath("//nav[@aria-label = 'Simulated traders']/a/@href")
    assert [row.split()[:2] for row in places(guest.get(hide))] == [["Bob", "1"], ["Cyd", "2"]]


def test_seasons_that_are_over_can_be_looked_at(engine: Engine, tmp_path: Path) -> None:
    def work(session: Session) -> None:
        eve = open_trader(session, "Eve", "not a hash", JANUARY)
        add_market(session, "Bob")
        for trader in (eve.id, 2):
            assert trader is not None
            set_membership(session, trader, True, CLOCK)

    transact(engine, work)
    close(engine)
    guest = later(engine, tmp_path)
    page = guest.get(PAGE)
    assert {row.split()[0] for row in places(page)} == {"Eve", "Bob"}
    [winter] = page.tree.xpath("//nav[@aria-label = 'Season']/a/@href")
    over = guest.get(winter)
    assert "Who gained most in January to March 2026, a season that is over." in over.words
    assert places(over) == ["Eve 1 0.00 1,000.00 0.00 1,000.00"]
    assert "Eve 1 0.00 1,000.00 1,000.00 0.00" in places(page)  # what she was given then is no grant of now


def test_linked_accounts_have_no_place_and_are_told_why(ada: Visitor, engine: Engine, tmp_path: Path) -> None:
    ada.submit(ada.get(PAGE), PAGE, on="1")
    close(engine)
    why = Remark("One address, in turns.", "Ana Kettle")
    transact(engine, lambda session: link_accounts(session, "Ada", "Bob", why, CLOCK))
    page = ada.get(PAGE)
    told = "Your account is linked with another since 17 May 2026, 20:00 UTC: One address, in turns."
    assert told in page.words
    assert "Bob" not in page.text
    assert "Ada" not in later(engine, tmp_path).get(PAGE).text


@pytest.mark.parametrize("query", ["season=spring", "season=2031-Q1", "season=", "simulated=maybe"])
def test_what_the_address_cannot_mean_is_refused(app: Flask, query: str) -> None:
    assert Visitor(app).get(f"{PAGE}?{query}").status == 400


def test_a_guest_is_asked_to_sign_in_and_nonsense_is_refused(app: Flask, ada: Visitor) -> None:
    sent = Visitor(app).post(PAGE, on="1")
    assert sent.status in (302, 303)
    assert "/sign-in" in sent.location
    assert ada.post(PAGE, on="2").status == 400
    assert ada.post(PAGE).status == 400


def test_the_page_asks_a_fixed_number_of_questions(ada: Visitor, engine: Engine, tmp_path: Path) -> None:
    ada.submit(ada.get(PAGE), PAGE, on="1")
    transact(engine, lambda session: place_order(session, 4, order(shares=9), "key", CLOCK))
    close(engine)
    guest = later(engine, tmp_path)
    with statements(engine) as sent:
        assert len(places(guest.get(PAGE))) == 2
    few = len(sent)

    def more(session: Session) -> None:
        for trader in (1, 2):
            set_membership(session, trader, True, CLOCK)
            place_order(session, trader, order(shares=20, period="2026-W22"), "key", CLOCK)

    transact(engine, more)
    with statements(engine) as sent:
        assert len(places(guest.get(PAGE))) == 4
    assert len(sent) == few == 7
    with statements(engine) as sent:
        assert len(places(guest.get(PAGE))) == 4
    assert len(sent) == few - 2  # what was computed is kept
