"""Orders with a limit on the pages: quoted, placed, shown while they wait, cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine

from market.audit import replay, verify
from market.db import read_session, transact
from market.limit_trading import quote_limit
from market.maker import Side
from market.money import credits_text
from market.trading import place_order
from tests.market.factories import NOW, PERIOD, add_market, limit_order, order
from tests.web.visitor import Page, Visitor, cheap_hashing, make_app
from web.forms import read_order
from web.pages_trading import account_words

TERM = "/cs.LG/terms/diffusion-model"
PLACE = f"{TERM}/limit-orders"


def quote_address(**values: str) -> str:
    fields = {
        "period": PERIOD, "side": "LONG", "action": "buy", "by": "shares", "amount": "300",
        "kind": "limit", "forecast": "2.3", "stands": "until_cancelled", "until": "", **values,
    }  # fmt: skip
    return f"{TERM}/quote?" + "&".join(f"{name}={value}" for name, value in fields.items())


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def app(engine: Engine, tmp_path: Path) -> Flask:
    transact(engine, lambda session: add_market(session, "Zed"))
    return make_app(engine, tmp_path)


@pytest.fixture
def ada(app: Flask) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_up("Ada")
    return visitor


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def placed(ada: Visitor, **values: str) -> Page:
    """The receipt of an order that was quoted and confirmed."""
    answer = ada.submit(ada.get(quote_address(**values)), PLACE)
    assert answer.status == 303, answer.words
    return ada.get(answer.location)


def test_the_quote_says_what_fills_what_waits_and_what_is_set_aside(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    with read_session(engine) as session:
        made = quote_limit(session, 2, limit_order(shares=300, milli=2300), NOW)
    assert made.trade is not None
    assert page.status == 200
    words = page.spaced_words.replace("\xa0", " ")
    assert "while the market’s forecast is at most 2.3 papers; it is 2.00 now" in words
    assert f"Bought now {made.filled_shares} shares" in words
    assert f"You pay now {credits_text(made.total_units)} credits" in words
    assert f"Waiting for the forecast to be at most 2.3 {made.rested_shares} shares" in words
    assert f"Set aside for them {credits_text(made.hold_units)} credits" in words
    receipt = placed(ada)
    words = receipt.spaced_words.replace("\xa0", " ")
    assert f"Still waiting {made.rested_shares} shares" in words
    assert f"Set aside {credits_text(made.hold_units)} credits" in words
    check(engine)


def test_the_portfolio_lists_what_waits_and_cancels_it(ada: Visitor, engine: Engine) -> None:
    assert "No order of yours is waiting." in ada.get("/portfolio").words
    placed(ada, forecast="1.9")
    page = ada.get("/portfolio")
    assert "Buy 300 LONG" in page.words
    assert "at most 1.9" in page.words
    answer = ada.submit(page, "/orders/1/cancel")
    assert (answer.status, answer.location) == (303, "/orders/1")
    words = ada.get("/orders/1").spaced_words.replace("\xa0", " ")
    assert "cancelled by you" in words
    assert "what was set aside is back 300 shares" in words
    again = ada.submit(page, "/orders/1/cancel")
    assert (again.status, again.location) == (303, "/orders/1")
    assert "1,000.00" in ada.get("/portfolio").words
    entries = ada.get("/portfolio/entries").words
    assert "Set aside for an order" in entries
    assert "Returned from an order" in entries
    check(engine)


def test_shares_that_wait_to_be_sold_are_not_offered_again(ada: Visitor) -> None:
    placed(ada, amount="20")
    placed(ada, action="sell", amount="15", forecast="3")
    [link] = ada.get("/portfolio").tree.xpath("//td[@data-label='Order']/a[starts-with(., 'Sell 5')]/@href")
    assert link.endswith("amount=5")
    placed(ada, action="sell", amount="5", forecast="3")
    assert "all wait to be sold" in ada.get("/portfolio").words


def test_equity_keeps_what_is_set_aside(ada: Visitor) -> None:
    placed(ada, side="SHORT", amount="25", forecast="2.5")
    words = ada.get("/portfolio").spaced_words
    assert "Equity 1,000.00 credits" in words
    assert "Set aside for open orders" in words


def test_a_fill_shows_on_the_receipt(ada: Visitor, engine: Engine) -> None:
    placed(ada, amount="8", forecast="1.9")
    transact(engine, lambda session: place_order(session, 1, order(Side.SHORT, shares=200), "zed", NOW))
    words = ada.get("/orders/1").spaced_words.replace("\xa0", " ")
    assert "Bought 8 shares" in words
    assert "the order is filled" in words
    assert "No order of yours is waiting." in ada.get("/portfolio").words
    assert "Bought 8 LONG" in ada.get("/portfolio/entries").words


def test_a_double_click_places_one_order(ada: Visitor) -> None:
    page = ada.get(quote_address())
    answers = [ada.submit(page, PLACE) for _ in range(3)]
    assert {(answer.status, answer.location) for answer in answers} == {(303, "/orders/1")}


@pytest.mark.parametrize(
    ("values", "status", "words"),
    [
        ({"forecast": ""}, 400, "Say the forecast that is your limit"),
        ({"forecast": "1e3"}, 400, "is not a number of papers"),
        ({"forecast": "16"}, 400, "A limit on this contract lies between 0.05 and 15.95 papers."),
        ({"stands": "for ever"}, 400, "Choose how long the order stands."),
        ({"stands": "until_date"}, 400, "Choose the last day"),
        ({"stands": "until_date", "until": "tomorrow"}, 400, "is not a day"),
        ({"stands": "until_date", "until": "2026-05-01"}, 400, "1 May 2026 is past"),
        ({"by": "credits"}, 400, "says how many shares"),
        ({"kind": "best"}, 400, "Choose an order at the market’s price"),
        ({"stands": "at_once"}, 409, "shares can be had at once within your limit"),
        ({"action": "sell"}, 409, "You hold 0 LONG shares"),
        ({"amount": "99999"}, 409, "A trader may hold at most"),
    ],
)
def test_what_is_refused_is_said(ada: Visitor, values: dict[str, str], status: int, words: str) -> None:
    page = ada.get(quote_address(**values))
    assert page.status == status
    assert words in page.words
    assert not [form for form in page.tree.forms if form.get("action") == PLACE]


def test_what_is_refused_when_placed_comes_back_with_a_fresh_quote(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address(amount="50", stands="at_once"))
    assert page.status == 200
    transact(engine, lambda session: place_order(session, 1, order(shares=120), "zed", NOW))
    answer = ada.submit(page, PLACE)
    assert answer.status == 409
    assert "can be had at once within your limit" in answer.words
    receipt = ada.get("/orders/2").words
    assert "Order refused" in receipt
    assert "while the forecast is at most 2.3 papers" in receipt


def test_the_same_form_with_other_values_is_refused(ada: Visitor) -> None:
    page = ada.get(quote_address())
    ada.submit(page, PLACE)
    assert ada.submit(page, PLACE, amount="4").status == 409
    assert ada.submit(page, PLACE, key="not a key").status == 400


def test_a_guest_is_sent_to_sign_in_and_back_to_the_quote(app: Flask) -> None:
    guest = Visitor(app)
    page = guest.get(quote_address())
    assert "Sign in to place this order" in page.words
    answer = guest.post(PLACE, period=PERIOD, side="LONG", action="buy", amount="5", forecast="2.3",
                        stands="until_cancelled")  # fmt: skip
    assert answer.status == 302
    assert "kind%253Dlimit" in answer.location or "kind%3Dlimit" in answer.location


def test_nobody_cancels_the_order_of_somebody_else(app: Flask, ada: Visitor) -> None:
    placed(ada, forecast="1.9")
    other = Visitor(app)
    other.sign_up("Bob")
    assert other.post("/orders/1/cancel", key="key").status == 404
    guest = Visitor(app)
    assert guest.post("/orders/1/cancel", key="key").status == 302
    assert ada.post("/orders/1/cancel").status == 400
    assert "Buy 300 LONG" in ada.get("/portfolio").words


def test_a_position_is_rolled_on_and_stopped(ada: Visitor) -> None:
    assert "Roll on" not in ada.get("/portfolio").words
    placed(ada, amount="5")
    page = ada.get("/portfolio")
    answer = ada.submit(page, "/portfolio/rolls")
    assert (answer.status, answer.location) == (303, "/portfolio#rolls")
    page = ada.get("/portfolio")
    assert "not yet" in page.words
    assert page.fields("/portfolio/rolls")["on"] == "0"
    ada.submit(page, "/portfolio/rolls")
    assert "not yet" not in ada.get("/portfolio").words


@pytest.mark.parametrize("values", [{"on": "2"}, {"side": "BOTH"}, {"term": "none"}, {"board": "none"}])
def test_nothing_else_is_rolled_on(ada: Visitor, values: dict[str, str]) -> None:
    fields = {"board": "cs.LG", "term": "diffusion-model", "side": "LONG", "on": "1", **values}
    assert ada.post("/portfolio/rolls", **fields).status in (400, 404)
    assert "Rolled on" not in ada.get("/portfolio").words


def test_a_guest_rolls_nothing(app: Flask) -> None:
    assert Visitor(app).post("/portfolio/rolls", on="1").status == 302


def test_a_form_keeps_what_was_typed_into_it() -> None:
    typed = {"kind": "limit", "forecast": "x", "stands": "until_date", "until": "y", "amount": "5"}
    form = read_order("cs.LG", "term", {"period": PERIOD, "side": "LONG", "action": "buy", **typed})
    assert {name: getattr(form, name) for name in typed} == typed
    assert set(form.faults) == {"forecast", "until"}


def test_accounts_of_orders_have_names() -> None:
    assert account_words("pool:3:fees") == account_words("fees") == "Fees"
    assert account_words("trader:7:hold") == "Set aside for your orders"
    assert account_words("trader:7:hold:3:LONG") == "Your LONG shares, set aside"
