"""Pages of terms that were changed: what leads where, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.boards import all_boards, board_by_code
from market.db import read_session, transact
from market.listing import delist_term
from market.merging import merge_terms
from market.proposals import open_proposals
from market.renaming import rename_term
from market.splitting import split_term
from market.term_events import Decided
from market.trading import place_order
from tests.market.factories import NOW, add_trader, order
from tests.market.terms import begin, term
from tests.web.visitor import Visitor, make_app

LOG = "/cs.LG/terms/changes"


def by(reason: str) -> Decided:
    return Decided("Ana Kettle", reason, NOW)


def changed(session: Session) -> None:
    begin(session)
    trader = add_trader(session, "Bob Lid").id
    assert trader is not None
    assert place_order(session, trader, order(term="ddpm"), "open", NOW).is_filled
    merge_terms(session, term(session, "ddpm"), term(session, "diffusion-model"), by("One <thing>."))
    split_term(session, term(session, "diffusion-model"), ["score model"], "score model", by("Two things"))
    rename_term(session, term(session, "flow-matching"), "matching of flows", by("What it is called"))
    delist_term(session, board_by_code(session, "cs.LG"), term(session, "score-model"), by("Too rare"))


@pytest.fixture
def visitor(engine: Engine, tmp_path: Path) -> FlaskClient:
    transact(engine, changed)
    return make_app(engine, tmp_path).test_client()


def said(client: FlaskClient, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    page = html.fromstring(response.get_data(as_text=True))
    return " ".join(page.xpath("//main")[0].text_content().split())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ddpm", "diffusion-model"),
        ("ddpm?known=2026-05-16&period=2026-W21", "diffusion-model?known=2026-05-16&period=2026-W21"),
        ("flow-matching", "matching-of-flow"),
    ],
)
def test_an_address_of_before_leads_on(visitor: FlaskClient, old: str, new: str) -> None:
    response = visitor.get(f"/cs.LG/terms/{old}")
    assert (response.status_code, response.location) == (301, f"/cs.LG/terms/{new}")
    assert "no-cache" in response.headers["Cache-Control"]  # a split may take it back
    assert visitor.get(f"/cs.LG/terms/{old}", follow_redirects=True).status_code == 200


def test_a_term_says_what_it_includes(visitor: FlaskClient) -> None:
    text = said(visitor, "/cs.LG/terms/diffusion-model")
    assert "DDPM, merged on 17 May 2026, 20:00 UTC: One <thing>. Its contracts that were open then" in text
    assert "the week of 18 May 2026" in text
    quote = said(visitor, "/cs.LG/terms/ddpm/quote")  # its shares can be sold
    assert "DDPM" in quote
    assert "Includes" not in said(visitor, "/cs.LG/terms/matching-of-flow")


def test_a_delisted_term_says_since_when_and_why(visitor: FlaskClient) -> None:
    text = said(visitor, "/cs.LG/terms/score-model")
    since = "No longer listed since 17 May 2026, 20:00 UTC. Too rare. No new contracts are opened"
    assert since in text


def test_the_log_has_every_decision(visitor: FlaskClient) -> None:
    text = said(visitor, LOG)
    parts = (
        "score model was delisted Too rare", "flow matching is called matching of flows",
        "score model was split off diffusion model, with score model Two things",
        "DDPM became part of diffusion model One <thing>.",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "4 decisions, newest first" in text
    assert "diffusion model was listed" in said(visitor, f"{LOG}?kind=listed")
    assert "Nothing of this kind" in said(visitor, f"{LOG}?kind=refused")
    assert visitor.get(f"{LOG}?kind=lost").status_code == 400
    assert visitor.get(f"{LOG}?page=2").status_code == 404


def test_pages_of_papers_name_the_terms_of_today(visitor: FlaskClient) -> None:
    page = html.fromstring(visitor.get("/cs.LG/2026-05-17").get_data(as_text=True))
    links = set(page.xpath("//main//a[contains(@href, '/terms/')]/@href"))
    assert "/cs.LG/terms/ddpm" not in links
    assert "/cs.LG/terms/diffusion-model" in links


def test_a_reader_proposes_a_term(engine: Engine, tmp_path: Path) -> None:
    transact(engine, changed)
    visitor = Visitor(make_app(engine, tmp_path))
    form = "/cs.LG/terms/propose"
    assert "Sign in to propose a term" in visitor.get(form).words
    visitor.sign_up("Eve")
    refused = visitor.post(form, label="diffusion models", note="")
    assert refused.status == 400
    assert "'diffusion models' is listed on cs.LG already" in refused.words
    assert "at most 1,000 characters" in visitor.post(form, label="x", note="y" * 1001).words
    kept = visitor.post(form, label=" flow  maps ", note="Seen <twice>.")
    assert (kept.status, kept.location) == (303, "/cs.LG/terms/")
    assert "“flow maps” is proposed. An operator decides." in visitor.get(kept.location).text
    again = visitor.post(form, label="flow map", note="")
    assert "was proposed by you before" in visitor.get(again.location).text
    with read_session(engine) as session:
        (waiting,) = open_proposals(session, all_boards(session))
    assert (waiting.label, waiting.note, waiting.proposed_count) == ("flow maps", "Seen <twice>.", 1)
