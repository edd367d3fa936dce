"""What is halted says so wherever it could be traded: with the reason, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import transact
from market.halts import halt, resume
from market.remarks import Remark
from market.tables import Board
from nlp.tables import Term
from tests.market.factories import add_board, add_market, add_paper, add_term
from tests.web.conftest import statements
from tests.web.visitor import CLOCK, PASSWORD, Visitor, cheap_hashing, make_app

TERM = "/cs.LG/terms/diffusion-model"
QUOTE = f"{TERM}/quote?action=buy&side=LONG&by=shares&amount=10"
MARKET = "/cs.LG/2026-05-17?view=market"
SINCE = "since 17 May 2026, 18:00 UTC: Friday’s counts are in doubt."
SAID = f"Trading of diffusion model on cs.LG is halted {SINCE}"
WHY = Remark("Friday’s counts are in doubt.", "Ana Kettle")


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def market(engine: Engine) -> Engine:
    """Two boards that list papers with one term today; on the one another term is listed too."""

    def work(session: Session) -> None:
        add_market(session, "Zed")
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        other = add_board(session, "cs.CL", position=2)
        add_term(session, "kettle", board, other)
        add_paper(session, board, CLOCK.date(), [term])
        add_paper(session, other, CLOCK.date(), session.exec(select(Term).where(Term.slug == "kettle")).all())

    transact(engine, work)
    return engine


@pytest.fixture
def ada(market: Engine, tmp_path: Path) -> Visitor:
    """Somebody who has bought ten shares of the term and waits to buy ten more."""
    visitor = Visitor(make_app(market, tmp_path))  # at 20:00
    visitor.sign_up("Ada", PASSWORD)
    page = visitor.get(f"{QUOTE}&period=2026-W21")
    assert visitor.submit(page, f"{TERM}/orders").status == 303
    waits = visitor.get(f"{QUOTE}&period=2026-W21&kind=limit&forecast=1&stands=until_cancelled")
    assert visitor.submit(waits, f"{TERM}/limit-orders").status == 303
    return visitor


def change(
    engine: Engine, on: bool, term: str | None = "diffusion-model", period: str | None = None
) -> None:
    work, at = halt if on else resume, CLOCK - timedelta(hours=2)
    assert transact(engine, lambda session: work(session, "cs.LG", term, period, WHY, at)).is_changed


def test_the_term_page_says_it_and_offers_no_order(ada: Visitor, market: Engine) -> None:
    assert "halted" not in ada.get(TERM).words
    change(market, True)
    page = ada.get(TERM)
    assert page.words.count(SAID) == 1
    assert "Trading is halted; why, and since when." in page.words
    assert not [form for form in page.tree.forms if "quote" in (form.get("action") or "")]
    assert page.words.count("halted") >= 2 + 4  # and each open period
    assert "halted" not in ada.get("/cs.LG/terms/kettle").words
    assert "halted" not in ada.get(f"{TERM}?known=2026-05-16").words
    change(market, False)
    assert "halted" not in ada.get(TERM).words


def test_one_halted_period_is_marked_where_it_is_chosen(ada: Visitor, market: Engine) -> None:
    change(market, True, period="2026-W22")
    page = ada.get(TERM)
    [form] = [form for form in page.tree.forms if "quote" in (form.get("action") or "")]
    options = [option.text_content() for option in form.xpath(".//option[starts-with(@value, '2026-W')]")]
    assert [option.endswith(", halted") for option in options] == [False, True, False, False]
    what = "diffusion model on cs.LG, the week of 25 May 2026,"
    assert f"Trading of {what} is halted {SINCE}" in page.words
    assert ada.get(f"{QUOTE}&period=2026-W21").status == 200
    assert ada.get(f"{QUOTE}&period=2026-W22").status == 409


def test_quotes_and_orders_are_refused_with_the_reason(ada: Visitor, market: Engine) -> None:
    quoted = ada.get(f"{QUOTE}&period=2026-W21")
    limit = ada.get(f"{QUOTE}&period=2026-W21&kind=limit&forecast=1&stands=until_cancelled")
    change(market, True, None)
    for answer in (
        ada.get(f"{QUOTE}&period=2026-W21"),
        ada.get(f"{QUOTE}&period=2026-W21&kind=limit&forecast=1&stands=until_cancelled"),
        ada.submit(quoted, f"{TERM}/orders"),
        ada.submit(limit, f"{TERM}/limit-orders"),
    ):
        assert answer.status == 409
        assert answer.words.count(f"cs.LG is halted {SINCE}") == 1
        assert "Orders and quotes are taken again when trading is resumed." in answer.words
    change(market, False, None)
    # The refused order's key is spent: sent again, the same form gets the same answer.
    assert ada.submit(quoted, f"{TERM}/orders").status == 409
    assert ada.submit(ada.get(f"{QUOTE}&period=2026-W21"), f"{TERM}/orders").status == 303


def test_the_portfolio_says_what_cannot_be_sold_and_lets_cancel(ada: Visitor, market: Engine) -> None:
    assert "Sell 10 LONG" in ada.get("/portfolio").words
    change(market, True, "kettle")
    assert "halted" not in ada.get("/portfolio").words
    change(market, True)
    page = ada.get("/portfolio")
    assert page.words.count(SAID) == 1
    assert "Sell 10 LONG" not in page.words
    [action] = [form.get("action") for form in page.tree.forms if "cancel" in (form.get("action") or "")]
    assert ada.submit(page, action).status == 303
    assert "No order of yours is waiting." in ada.get("/portfolio").words


def test_the_market_view_of_a_day_says_it_of_the_board_and_of_its_terms(
    ada: Visitor, market: Engine
) -> None:
    change(market, True)
    assert SAID in ada.get(MARKET).words
    change(market, True, None, "2026-W23")  # whose prices are not shown
    assert ada.get(MARKET).words.count("is halted") == 1
    change(market, True, None)
    assert f"Trading of cs.LG is halted {SINCE}" in ada.get(MARKET).words
    for other in (
        MARKET.replace("market", "reading"), MARKET.replace("market", "plain"),
        MARKET.replace("05-17", "05-16"), "/cs.CL/2026-05-17?view=market",
    ):  # fmt: skip
        assert "is halted" not in ada.get(other).words, other


def test_it_costs_a_page_one_question(ada: Visitor, market: Engine) -> None:
    def asked(address: str) -> int:
        with statements(market) as sent:
            ada.get(address)
        return sum("halt_event" in statement for statement in sent)

    for address in (TERM, MARKET, "/portfolio", f"{QUOTE}&period=2026-W21"):
        assert asked(address) == 1, address
    assert asked(MARKET.replace("market", "reading")) == 0
    change(market, True)
    for address in (TERM, MARKET, "/portfolio"):
        assert asked(address) == 1, address
