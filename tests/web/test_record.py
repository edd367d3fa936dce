"""The forecast record, the statement of a settlement, and what pages say of corrections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.corrections import correct_entry
from market.db import engine_for, transact
from market.forecast_records import record_settled
from market.intake import take_in
from market.reads.record import Verdict
from market.statement_json import statement_from_json
from market.tables import Entry, Order, Trader
from market.voiding import void_contract
from tests.market.settlements import DUE, begin, raw, settle
from tests.market.test_forecast_records import many_terms
from tests.web.conftest import statements
from tests.web.visitor import PASSWORD, SECRET, Visitor, cheap_hashing
from web import create_app
from web.config import Settings
from web.passwords import hash_password
from web.verdicts import verdict_sentence

LATER = DUE + timedelta(days=1)
STATEMENT = "/cs.LG/terms/diffusion-model/2026-W21/statement"
REASON = "The listing of Monday came <late>."


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


def settled(session: Session) -> None:
    """Ana Kettle holds five LONG shares of a contract that is settled on two papers of three."""
    begin(session)
    ana = session.exec(select(Trader)).one()
    ana.name, ana.name_key, ana.password_hash = "Ana-Kettle", "ana-kettle", hash_password(PASSWORD)
    session.add(ana)
    take_in(session, [raw(1), raw(2, 3, title="A lid $x$"), raw(3, 5)], now=DUE)
    settle(session)


def corrected(session: Session) -> None:
    take_in(session, [raw(9)], now=LATER)
    wrong = session.exec(select(Entry.id).where(Entry.kind == "settle")).one()
    correct_entry(session, wrong or 0, REASON, LATER)


def visitor(engine: Engine, folder: Path, *, sign_in: bool = False) -> Visitor:
    settings = Settings(secret_key=SECRET, market_clock=LATER, instance_folder=folder)
    found = Visitor(create_app(settings, engine))
    if sign_in:
        assert found.sign_in("Ana-Kettle").status == 302
    return found


def test_a_statement_names_its_papers_and_what_it_rests_on(engine: Engine, tmp_path: Path) -> None:
    transact(engine, settled)
    guest = visitor(engine, tmp_path)
    page = guest.get(STATEMENT)
    assert page.status == 200
    assert "2 papers carry the term, of 3 that were listed." in page.words.replace("\xa0", " ")
    assert "DM, diffusion model" in page.words
    assert page.tree.xpath("//ol[@class='counted']/li/a/@href") == [
        "/cs.LG/2026-05-18#arxiv-2605.00001", "/cs.LG/2026-05-18#arxiv-2605.00002"
    ]  # fmt: skip
    response = guest.client.get(f"{STATEMENT}.json")
    assert response.mimetype == "application/json"
    named = "filename=cs.LG-diffusion-model-2026-W21-statement-1.json"
    assert named in response.headers["Content-Disposition"]
    document = statement_from_json(json.loads(response.data))
    assert document.counted == 2
    assert document.papers_hash in page.words


def test_the_term_s_page_the_receipt_and_the_portfolio_lead_to_it(engine: Engine, tmp_path: Path) -> None:
    transact(engine, settled)
    ana = visitor(engine, tmp_path, sign_in=True)
    order = transact(engine, lambda session: session.exec(select(Order.id)).one())
    for address in ("/cs.LG/terms/diffusion-model", f"/orders/{order}", "/portfolio"):
        page = ana.get(address)
        assert page.status == 200, address
        assert STATEMENT in page.tree.xpath("//main//a/@href"), address


def test_a_correction_is_shown_with_reason_and_date_to_all_it_touches(engine: Engine, tmp_path: Path) -> None:
    transact(engine, settled)
    transact(engine, corrected)
    ana = visitor(engine, tmp_path, sign_in=True)
    for address in (STATEMENT, "/cs.LG/terms/diffusion-model", "/portfolio", "/portfolio/entries"):
        page = ana.get(address)
        assert REASON in page.words, address
        assert "29 May 2026" in page.words, address
    first = ana.get(f"{STATEMENT}?number=1")
    assert "This statement was corrected and is no longer in force." in first.words
    assert json.loads(ana.client.get(f"{STATEMENT}.json").data)["counted"] == 3
    assert json.loads(ana.client.get(f"{STATEMENT}.json?number=1").data)["counted"] == 2
    assert "Correction" in ana.get("/portfolio/entries").words


def test_a_void_contract_says_so_everywhere(engine: Engine, tmp_path: Path) -> None:
    transact(engine, settled)
    transact(engine, lambda session: void_contract(session, 1, REASON, LATER))
    ana = visitor(engine, tmp_path, sign_in=True)
    order = transact(engine, lambda session: session.exec(select(Order.id)).one())
    page = ana.get(STATEMENT)
    assert "This contract is void since 29 May 2026" in page.words
    assert REASON in page.words
    assert "Statements before it was void" in page.words
    assert ana.get(f"{STATEMENT}?number=1").status == 200
    assert ana.get(f"{STATEMENT}.json").status == 404
    for address in ("/cs.LG/terms/diffusion-model", "/portfolio"):
        assert "void" in ana.get(address).words, address
        assert REASON in ana.get(address).words, address
    assert "This contract is void." in ana.get(f"/orders/{order}").words
    assert "Equity 1,000.00 credits" in ana.get("/portfolio").spaced_words


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (STATEMENT, 404, "is not settled yet"),
        (f"{STATEMENT}.json", 404, "is not settled yet"),
        ("/cs.LG/terms/diffusion-model/2026-W22/statement", 404, "There is no contract"),
        ("/cs.LG/terms/nothing/2026-W21/statement", 404, "nothing"),
        (f"{STATEMENT}?number=3", 400, "which must be 1, or 2"),
        ("/cs.LG/record/2026-W21", 404, "No contract for the week of 18 May 2026 is settled"),
        ("/cs.LG/record/May", 404, "is not a period"),
        ("/cs.LG/record/2026-W21?page=0", 400, "a whole number from 1"),
        ("/cs.XX/record", 404, "cs.XX"),
    ],
)
def test_what_is_not_there_is_said(
    sqlite_url: str, tmp_path: Path, address: str, status: int, words: str
) -> None:
    engine = engine_for(sqlite_url)
    transact(engine, begin)
    page = visitor(engine, tmp_path).get(address)
    engine.dispose()
    assert page.status == status
    assert words in page.text


def test_the_record_lists_periods_and_says_what_it_claims(engine: Engine, tmp_path: Path) -> None:
    transact(engine, lambda session: many_terms(session, 3))
    record_settled(engine, DUE)
    guest = visitor(engine, tmp_path)
    page = guest.get("/cs.LG/record")
    assert page.status == 200
    links = page.tree.xpath("//tbody//th/a/@href")
    assert links == [f"/cs.LG/record/2026-W{week}" for week in (23, 22, 21)] * 2
    assert "Over 3 weeks and 9 contracts the market lay" in page.words.replace("\xa0", " ")
    assert "that could be chance" in page.words
    assert page.tree.xpath("//svg[@role='img']")
    week = guest.get("/cs.LG/record/2026-W22")
    assert week.status == 200
    assert len(week.tree.xpath("//tbody/tr")) == 3
    assert "/cs.LG/terms/diffusion-model/2026-W22/statement" in week.tree.xpath("//main//a/@href")
    [current] = page.tree.xpath("//nav[@class='sections']//a[@aria-current='page']")
    assert current.text == "Record"


def test_an_empty_record_says_when_the_first_period_settles(engine: Engine, tmp_path: Path) -> None:
    transact(engine, begin)
    words = visitor(engine, tmp_path).get("/cs.LG/record").words
    assert "The first contracts that were traded are for the week of 18 May 2026:" in words
    assert "its papers are counted until 24 May 2026" in words
    assert "late ones until 27 May 2026" in words


def test_pages_do_not_ask_more_for_more(engine: Engine, tmp_path: Path) -> None:
    transact(engine, lambda session: many_terms(session, 1))
    guest = visitor(engine, tmp_path)
    record_settled(engine, DUE)
    counts = []
    for address in ("/cs.LG/record", "/cs.LG/record/2026-W21", STATEMENT):
        with statements(engine) as asked:
            assert guest.get(address).status == 200
        counts.append(len(asked))
    assert max(counts) <= 10, counts


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (
            Verdict(12, 340, -0.25, 0.05),
            "Over 12 weeks and 340 contracts the market beats the plain forecast: "
            "its prices lay 0.25 papers nearer to the count.",
        ),
        (
            Verdict(12, 340, 0.25, 0.05),
            "Over 12 weeks and 340 contracts the market does worse than the plain forecast: "
            "its prices lay 0.25 papers farther from the count.",
        ),
        (
            Verdict(1, 1, -0.5, None),
            "Over 1 week and 1 contract the market lay 0.50 papers nearer to the count than the plain "
            "forecast; that is too little to tell it.",
        ),
    ],
)
def test_the_verdict_is_one_honest_sentence(verdict: Verdict, said: str) -> None:
    assert verdict_sentence(verdict, "week").replace("\xa0", " ") == said
