"""From the form over the quote to the receipt: nothing is booked that was not confirmed, nor twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.audit import verify
from market.db import engine_for, read_session, transact
from market.maker import Side
from market.money import credits_text
from market.orders import Action, Quote
from market.tables import Entry, Fill, Order
from market.trading import place_order, quote
from tests.market.factories import NOW, PERIOD, add_market, order
from tests.web.visitor import Page, Visitor, cheap_hashing, make_app
from web.orders import limit_units, refusal_status
from web.pages_trading import payouts

TERM = "/cs.LG/terms/diffusion-model"
PLACE = f"{TERM}/orders"


def quote_address(**values: str) -> str:
    fields = {"period": PERIOD, "side": "LONG", "action": "buy", "by": "shares", "amount": "25", **values}
    return f"{TERM}/quote?" + "&".join(f"{name}={value}" for name, value in fields.items())


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def app(engine: Engine, tmp_path: Path) -> Flask:
    """On both databases, with one board, one opened contract and a trader called Zed."""
    transact(engine, lambda session: add_market(session, "Zed"))
    return make_app(engine, tmp_path)


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path) -> Iterator[Flask]:
    """On SQLite, for what does not depend on the database."""
    engine = engine_for(sqlite_url)
    transact(engine, lambda session: add_market(session, "Zed"))
    yield make_app(engine, tmp_path)
    engine.dispose()


@pytest.fixture
def ada(app: Flask) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_up("Ada")
    return visitor


def counts(engine: Engine) -> tuple[int, int, int]:
    """Orders, fills and entries there are."""
    with Session(engine) as session:
        orders, fills, entries = (
            session.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for table in (Order, Fill, Entry)
        )
    return orders, fills, entries


def zed_buys(engine: Engine, shares: int, key: str = "zed") -> None:
    receipt = transact(engine, lambda session: place_order(session, 1, order(shares=shares), key, NOW))
    assert receipt.is_filled, receipt.message


def test_quote_is_what_the_order_then_does(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address(amount="25"))
    assert page.status == 200
    assert "Buy 25\xa0LONG shares" in page.text
    assert "Play money" in page.words
    with read_session(engine) as session:
        expected = quote(session, 2, order(shares=25), NOW)
    assert f"You pay {credits_text(expected.total_units)} credits" in page.spaced_words
    answer = ada.submit(page, PLACE)
    assert (answer.status, answer.location) == (303, "/orders/1")
    receipt = ada.get(answer.location)
    assert "Bought 25\xa0LONG shares" in receipt.text
    assert f"Paid {credits_text(expected.total_units)} credits" in receipt.spaced_words
    with read_session(engine) as session:
        fill = session.exec(select(Fill).where(Fill.order_id == 1)).one()
        assert fill.cost_units + fill.fee_units == expected.total_units
        assert verify(session).findings == ()


def test_quoting_changes_nothing(ada: Visitor, engine: Engine) -> None:
    before = counts(engine)
    in_credits = {"by": "credits", "amount": "12.5"}
    for values in ({"side": "SHORT"}, in_credits, {"period": "2026-W24"}, {"amount": "-5"}):
        ada.get(quote_address(**values))
    assert counts(engine) == before


def test_double_click_is_one_trade_and_one_receipt(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    _, fills, entries = counts(engine)
    answers = [ada.submit(page, PLACE) for _ in range(3)]
    assert {(answer.status, answer.location) for answer in answers} == {(303, "/orders/1")}
    assert counts(engine) == (1, fills + 1, entries + 1)


def test_double_click_at_the_same_moment(app: Flask, ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    fields = page.fields(PLACE)
    cookie = ada.client.get_cookie("session", domain="localhost")
    assert cookie is not None
    together, answers = Barrier(4), []

    def press() -> None:
        client = app.test_client()
        client.set_cookie("session", cookie.value)
        together.wait()
        answers.append(client.post(PLACE, data=fields))

    threads = [Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [303] * 4
    assert {answer.headers["Location"] for answer in answers} == {"/orders/1"}
    assert counts(engine)[:2] == (1, 1)


def test_somebody_else_trades_before_confirming(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    zed_buys(engine, 60)
    answer = ada.submit(page, PLACE)
    assert answer.status == 409
    assert "price moved past your limit" in answer.words
    assert counts(engine)[1] == 1
    fresh = answer.fields(PLACE)
    assert fresh["key"] != page.fields(PLACE)["key"]
    assert float(fresh["limit"]) > float(page.fields(PLACE)["limit"])
    assert ada.submit(answer, PLACE).status == 303
    assert ada.submit(page, PLACE).status == 409  # the refused key stays refused


def test_somebody_else_trades_within_the_limit(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    zed_buys(engine, 2)
    assert ada.submit(page, PLACE).status == 303
    with read_session(engine) as session:
        fill = session.exec(select(Fill).where(Fill.order_id == 2)).one()
        assert fill.cost_units + fill.fee_units <= float(page.fields(PLACE)["limit"]) * 10_000


def test_same_key_with_another_order(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    ada.submit(page, PLACE)
    answer = ada.submit(page, PLACE, shares="26")
    assert answer.status == 409
    assert "sent before with other values" in answer.words
    assert answer.fields(PLACE)["key"] != page.fields(PLACE)["key"]
    assert counts(engine)[:2] == (1, 1)


@pytest.mark.parametrize("key", ["", "a b", "x" * 65, "é"])
def test_improper_key(ada: Visitor, engine: Engine, key: str) -> None:
    assert ada.submit(ada.get(quote_address()), PLACE, key=key).status == 400
    assert counts(engine)[0] == 0


def test_bad_limit_keeps_quote_key_and_text(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    answer = ada.submit(page, PLACE, limit="1e3")
    assert answer.status == 400
    before, after = page.fields(PLACE), answer.fields(PLACE)
    assert after == {**before, "limit": "1e3", "csrf_token": after["csrf_token"]}
    [field] = answer.tree.xpath("//input[@id='limit']")
    assert (field.get("aria-invalid"), "limit-fault" in field.get("aria-describedby")) == ("true", True)
    assert ada.submit(answer, PLACE, limit="5").status == 303


def test_order_without_shares_in_it(ada: Visitor) -> None:
    page = ada.get(quote_address())
    answer = ada.submit(page, PLACE, shares="１", side="UP")
    assert answer.status == 400
    assert "Choose LONG or SHORT." in answer.words


@pytest.mark.parametrize("amount", ["-5", "1e3", "１", "", str(10**30), "0", "0.5", "x" * 500])
def test_bad_amount_is_said_beside_the_field(site: Flask, amount: str) -> None:
    page = Visitor(site).get(quote_address(amount=amount))
    assert page.status == 400
    [field] = page.tree.xpath("//input[@id='order-amount']")
    assert field.get("value") == amount[:60]
    assert field.get("aria-invalid") == "true"
    [fault] = page.tree.xpath(f"//*[@id='{field.get('aria-describedby')}']")
    assert fault.text_content().strip()
    assert page.tree.xpath("//*[@class='fault-summary']//a/@href") == ["#order-amount"]
    assert page.fields(f"{TERM}/quote") == {
        "period": PERIOD, "side": "LONG", "action": "buy", "by": "shares", "amount": amount[:60],
        "kind": "market", "forecast": "", "stands": "until_cancelled", "until": "",
    }


@pytest.mark.parametrize(
    ("values", "status", "words"),
    [
        ({"amount": "1000000000"}, 409, "at most"),
        ({"by": "credits", "amount": "0.0001"}, 400, "do not pay for one share"),
        ({"action": "sell"}, 409, "cannot sell 25"),
        ({"period": "2026-W20"}, 409, "closed before"),
        ({"period": "2026-W40"}, 400, "not open"),
        ({"period": "2026-06"}, 400, "not open"),
        ({"side": "DROP TABLE", "amount": "<script>"}, 400, "Choose LONG or SHORT"),
    ],
)  # fmt: skip
def test_quote_that_is_refused_says_why(site: Flask, values: dict[str, str], status: int, words: str) -> None:
    visitor = Visitor(site)
    visitor.sign_up("Ada")
    page = visitor.get(quote_address(**values))
    assert page.status == status
    assert words in page.words
    assert "<script>" not in page.text
    assert not [form for form in page.tree.forms if form.get("action") == PLACE]


def test_too_little_cash(sqlite_url: str, tmp_path: Path) -> None:
    engine = engine_for(sqlite_url)
    transact(engine, lambda session: add_market(session, "Zed", f0="60"))
    visitor = Visitor(make_app(engine, tmp_path))
    visitor.sign_up("Ada")
    page = visitor.get(quote_address(side="SHORT", by="credits", amount="1000.50"))
    assert page.status == 409
    assert "You have 1,000.00 credits, and this order takes" in page.words
    engine.dispose()


@pytest.mark.parametrize(
    "path",
    [
        "/cs.XX/terms/diffusion-model/quote", "/cs.LG/terms/nothing/quote", "/cs.LG/terms/a%00b/quote",
        "/orders/0", "/orders/9223372036854775807", "/orders/99999999999999999999", "/orders/-1", "/orders/x",
    ],
)
def test_what_is_not_there(ada: Visitor, path: str) -> None:
    assert ada.get(path).status == 404


def test_quote_page_without_a_question_is_the_form(site: Flask) -> None:
    page = Visitor(site).get(f"{TERM}/quote")
    assert page.status == 200
    assert page.fields(f"{TERM}/quote")["period"] == PERIOD
    assert page.tree.xpath("//*[@role='alert']") == []


def test_guest_sees_the_quote_and_signs_in_for_it(app: Flask, engine: Engine) -> None:
    Visitor(app).sign_up("Ada")
    guest = Visitor(app)
    page = guest.get(quote_address(amount="7"))
    assert page.status == 200
    assert "Sign in to place this order" in page.words
    assert not [form for form in page.tree.forms if form.get("action") == PLACE]
    [link] = page.tree.xpath("//main//a[contains(., 'Sign in to place')]/@href")
    sign_in = guest.get(link)
    assert "quote" in sign_in.words
    back = guest.submit(sign_in, "/sign-in", name="Ada", password="seven green kettles")
    assert back.location == quote_address(amount="7")
    assert guest.submit(guest.get(back.location), PLACE).status == 303


def test_guest_who_places_an_order_comes_back_to_the_quote(app: Flask, engine: Engine) -> None:
    ada = Visitor(app)
    ada.sign_up("Ada")
    fields = ada.get(quote_address()).fields(PLACE)
    guest = Visitor(app)
    answer = guest.post(PLACE, **{name: value for name, value in fields.items() if name != "csrf_token"})
    assert answer.status == 302
    assert counts(engine)[0] == 0
    back = guest.submit(guest.get(answer.location), "/sign-in", name="Ada", password="seven green kettles")
    assert back.location == quote_address()
    assert guest.get(back.location).status == 200


def test_receipts_are_their_owners(app: Flask, ada: Visitor) -> None:
    ada.submit(ada.get(quote_address()), PLACE)
    bob = Visitor(app)
    assert bob.get("/orders/1").location.startswith("/sign-in")
    bob.sign_up("Bob")
    assert bob.get("/orders/1").status == 404


def test_refused_order_has_a_receipt(ada: Visitor, engine: Engine) -> None:
    page = ada.get(quote_address())
    zed_buys(engine, 60)
    ada.submit(page, PLACE)
    receipt = ada.get("/orders/2")
    assert "Order refused" in receipt.words
    assert "Nothing was booked" in receipt.words


def test_limit_and_payouts_of_a_quote(engine: Engine) -> None:
    transact(engine, lambda session: add_market(session, "Zed"))
    zed_buys(engine, 50)
    with read_session(engine) as session:
        sale = order(action=Action.SELL, shares=50)
        for request in (order(shares=9), order(Side.SHORT, shares=9), order(spend=50_000), sale):
            made = quote(session, 1, request, NOW)
            check_limit(made)
            rows = payouts(made)
            assert [row.papers for row in rows] == sorted({row.papers for row in rows})
            assert (rows[0].papers, rows[-1].papers) == (0, made.cap)
            for row in rows:
                counted = row.papers if request.side is Side.LONG else made.cap - row.papers
                assert row.pays_units == 100 * counted * made.share_count


def check_limit(made: Quote) -> None:
    if made.request.spend_units:
        assert limit_units(made) == made.request.spend_units >= made.total_units
    elif made.request.action == "buy":
        assert made.total_units <= limit_units(made) <= made.total_units * 1.02
    else:
        assert made.total_units * 0.98 - 1 <= limit_units(made) <= made.total_units


@pytest.mark.parametrize(
    ("reason", "status"),
    [("PriceMoved", 409), ("InsufficientShares", 409), ("InsufficientFunds", 409), ("PositionLimit", 409),
     ("ContractClosed", 409), ("InvalidAmount", 400), ("UnknownPeriod", 400), ("Unheard", 409)],
)  # fmt: skip
def test_status_of_a_refusal(reason: str, status: int) -> None:
    assert refusal_status(reason) == status


def test_whole_story(app: Flask, ada: Visitor, engine: Engine) -> None:
    """Sign up, watch, quote, buy, look at the portfolio, sell, and find the entries adding up."""
    watched = ada.post("/watching/change", board="cs.LG", term="diffusion-model", on="1", next="/watching")
    assert watched.status == 303
    assert "diffusion model" in ada.get("/watching").words
    assert ada.submit(ada.get(quote_address(by="credits", amount="5")), PLACE).status == 303
    portfolio = ada.get("/portfolio")
    [sell] = portfolio.tree.xpath("//main//a[starts-with(., 'Sell')]/@href")
    zed_buys(engine, 10)
    sale = ada.get(sell)
    assert ada.submit(sale, PLACE).status == 303
    assert "You hold no shares" in ada.get("/portfolio").words
    assert "sold" in ada.get("/portfolio").words
    rows = ada.get("/portfolio/entries").tree.xpath("//table[contains(@class, 'entries')]/tbody/tr")
    changes = [units(row.xpath("td[3]")[0].text_content()) for row in rows]
    after = [units(row.xpath("td[4]")[0].text_content()) for row in rows]
    assert len(rows) == 3
    assert sum(changes) == after[0]
    assert f"Cash {rows[0].xpath('td[4]')[0].text_content()}" in ada.get("/portfolio").spaced_words
    lines = [line.split(",") for line in ada.get("/portfolio/entries.csv").text.splitlines()[1:]]
    cash = [int(line[9]) for line in lines if line[8] == "credits"]
    assert sum(cash) == after[0]
    with read_session(engine) as session:
        assert verify(session).findings == ()


def units(text: str) -> int:
    """Units of an amount as the pages write it."""
    whole, _, decimals = text.strip().replace("−", "-").replace("+", "").replace(",", "").partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 10_000 + sign * int(decimals.ljust(4, "0"))


def test_pages_do_not_ask_more_for_more(ada: Visitor, engine: Engine) -> None:
    asked = {}
    for at, path in enumerate(["/orders/1", quote_address(), "/portfolio", "/portfolio/entries"]):
        if at == 0:
            ada.submit(ada.get(quote_address()), PLACE)
            ada.submit(ada.get(quote_address(side="SHORT", period="2026-W23")), PLACE)
        asked[path] = questions(engine, ada, path)
    # Of each, one question is who is signed in, and one is the boards of the header; of the middle two one
    # is what is halted.
    assert asked == {"/orders/1": 3, quote_address(): 7, "/portfolio": 7, "/portfolio/entries": 3}


def questions(engine: Engine, visitor: Visitor, path: str) -> int:
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            statements.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    page: Page = visitor.get(path)
    sa.event.remove(engine, "before_cursor_execute", note)
    assert page.status == 200
    return len(statements)
