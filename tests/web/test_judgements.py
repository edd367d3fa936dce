"""What a reader says of terms below an abstract, and the operators' page of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine
from sqlmodel import select

from market.db import read_session, transact
from market.operators import set_operator
from market.remarks import Remark
from market.tables import Judgement, JudgementDecision, JudgementEvent
from tests.market.factories import NOW
from tests.market.test_judgements import PAPER, TEXT, add_site
from tests.web.conftest import statements
from tests.web.visitor import Page, Visitor, cheap_hashing, make_app

DAY = "/cs.LG/2026-05-17"
SAY, TAKE_BACK, DECIDE = "/judgements/say", "/judgements/take-back", "/judgements/decide"


@pytest.fixture(autouse=True)
def hashing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def site(engine: Engine, tmp_path: Path) -> Flask:
    transact(engine, add_site)
    return make_app(engine, tmp_path)


@pytest.fixture
def reader(site: Flask) -> Visitor:
    visitor = Visitor(site)
    visitor.sign_up("Cyd")
    return visitor


def say(visitor: Visitor, **typed: str) -> Page:
    """Send the form below the paper, and see what comes of it."""
    fields = {"board": "cs.LG", "paper": PAPER, "next": f"{DAY}#x", **typed}
    sent = visitor.post(SAY, **fields)
    assert (sent.status, sent.location) == (303, f"{DAY}#x")
    return visitor.get(DAY)


def kept(engine: Engine) -> list[tuple[str, str]]:
    with read_session(engine) as session:
        return [
            (event.verdict, event.quote)
            for event in session.exec(select(JudgementEvent).join(Judgement))
        ]


def test_below_each_abstract_is_a_form_that_comes_back_to_it(reader: Visitor) -> None:
    page = reader.get(DAY)
    forms = [form for form in page.tree.forms if form.get("action") == SAY]
    assert len(forms) == 2
    [form] = [form for form in forms if form.fields["paper"] == PAPER]
    assert form.fields["next"] == f"{DAY}#arxiv-2605.00001"
    assert [button.get("value") for button in form.xpath(".//button")] == ["", "diffusion-model", "attention"]
    # What Enter in the field sends is the first button: never a "not a term".
    assert form.xpath(".//button")[0].text_content() == "Send"


def test_not_a_term_is_said_shown_and_taken_back(reader: Visitor, engine: Engine) -> None:
    page = say(reader, term="attention")
    assert "Thank you: “attention” is not a term here. An operator looks at it" in page.words
    assert "You said: attention is not a term here. An operator will look at it." in page.words
    assert kept(engine) == [("not_a_term", "attention")]
    assert "You said so before" in say(reader, term="attention").words
    [button] = page.tree.xpath("//button[@name = 'event']")
    assert page.tree.xpath(f"//*[@id = '{button.get('form')}']/@action") == [TAKE_BACK]
    back = reader.post(TAKE_BACK, event=button.get("value"), next=DAY)
    assert back.status == 303
    assert "Taken back: what you said of “attention”." in reader.get(DAY).words
    assert kept(engine) == []
    reader.post(TAKE_BACK, event=button.get("value"), next=DAY)
    assert "nothing of yours to take back" in reader.get(DAY).words


def test_should_be_a_term_must_stand_in_the_abstract(reader: Visitor, engine: Engine) -> None:
    assert "should be a term. An operator looks at it" in say(reader, term="", exact="flow map").words
    assert "does not stand in this abstract" in say(reader, term="", exact="stochastic kettle").words
    assert kept(engine) == [("term", "flow map")]


def test_a_selection_is_found_by_what_stands_around_it(reader: Visitor, engine: Engine) -> None:
    second = TEXT.index("flow map", 40)
    say(reader, term="", verdict="term", exact="flow map", prefix="; a ", suffix=" again")
    say(reader, term="", verdict="not_a_term", exact="diffusion model", prefix="", suffix=", att")
    assert "not highlighted there" in say(reader, term="", verdict="not_a_term", exact="again").words
    with read_session(engine) as session:
        found = {row.verdict: row.start_offset for row in session.exec(select(Judgement))}
    assert found == {"term": second, "not_a_term": 0}


def test_a_guest_is_sent_to_sign_in_and_sees_no_form(site: Flask, engine: Engine) -> None:
    guest = Visitor(site)
    assert SAY not in guest.get(DAY).text
    sent = guest.post(SAY, board="cs.LG", paper=PAPER, term="attention", next=DAY)
    assert sent.location.startswith("/sign-in")
    assert kept(engine) == []


def test_the_page_of_a_past_moment_takes_nothing(reader: Visitor) -> None:
    assert SAY not in reader.get(f"{DAY}?known=2026-05-17").text


@pytest.mark.parametrize(
    "fields",
    [
        {"paper": "\0"}, {"paper": ""}, {"exact": "\0" * 9}, {"exact": "x" * 5000}, {"term": "%00"},
        {"verdict": "maybe", "exact": "\ud7ff\u202e"}, {"prefix": "\ufffc" * 500, "exact": "("},
    ],
)  # fmt: skip
def test_hostile_words_are_refused_in_words(reader: Visitor, engine: Engine, fields: dict[str, str]) -> None:
    page = say(reader, **fields)
    assert page.tree.xpath("//p[contains(@class, 'error')]")
    assert kept(engine) == []


@pytest.mark.parametrize("event", ["", "-1", "1e3", "٣", "9" * 19])
def test_what_is_no_number_is_a_bad_request(reader: Visitor, event: str) -> None:
    assert reader.post(TAKE_BACK, event=event, next=DAY).status == 400


def test_who_says_very_much_waits(reader: Visitor) -> None:
    token = reader.token()
    fields = {"csrf_token": token, "board": "cs.LG", "paper": PAPER, "term": "attention", "next": DAY}
    answers = [reader.post(SAY, **fields).status for _ in range(61)]
    assert answers == [303] * 60 + [429]
    refused = reader.post(SAY, **fields)
    assert "You said a lot in a short time." in refused.words
    assert int(refused.response.headers["Retry-After"]) > 0


def test_only_operators_have_the_page(reader: Visitor, site: Flask, engine: Engine) -> None:
    say(reader, term="attention")
    assert reader.get("/judgements").status == 404
    assert reader.post(DECIDE, event="1", accept="1", reason="Because.").status == 404
    assert Visitor(site).get("/judgements").status == 404
    transact(engine, lambda session: set_operator(session, "Cyd", True, Remark("Asked.", "Ana Kettle"), NOW))
    page = reader.get("/judgements")
    assert "attention not a term, cs.LG" in page.words
    assert "1 reader since" in page.words
    assert "peer-revenue terms delist attention --board cs.LG" in page.words
    assert page.tree.xpath("//mark")[0].text_content() == "attention"
    with statements(engine) as sent:
        reader.get("/judgements")
    assert len(sent) <= 4, sent


def test_a_decision_needs_a_reason_and_is_shown_to_the_reader(reader: Visitor, engine: Engine) -> None:
    say(reader, term="attention")
    transact(engine, lambda session: set_operator(session, "Cyd", True, Remark("Asked.", "Ana Kettle"), NOW))
    number = reader.get("/judgements").tree.xpath("//input[@name = 'event']/@value")[0]
    assert reader.post(DECIDE, event=number, accept="2", reason="Why").status == 400
    reader.post(DECIDE, event=number, accept="1", reason=" ")
    assert "A reason is missing" in reader.get("/judgements").words
    reader.post(DECIDE, event=number, accept="0", reason="It is one.")
    page = reader.get("/judgements")
    assert "Kept: you do not agree with 1 of 'attention'." in page.words
    assert "Nothing waits." in page.words
    assert "An operator did not agree: It is one." in reader.get(DAY).words
    with read_session(engine) as session:
        [decision] = session.exec(select(JudgementDecision)).all()
    assert (decision.operator, decision.is_accepted) == ("Cyd", False)
