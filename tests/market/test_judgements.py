"""What readers say of terms: kept once, taken back, decided about in groups; and who is an operator."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from market.db import read_session, transact
from market.errors import UnknownTrader
from market.judgements import (
    MOST_STANDING,
    JudgementRefused,
    UnknownJudgement,
    decide,
    not_a_term,
    rebuild,
    should_be_a_term,
    take_back,
)
from market.operators import is_operator, operator_names, set_operator
from market.reads.judgements import own_judgements, training_texts, waiting_judgements
from market.remarks import Remark
from market.tables import Board, Judgement, JudgementDecision, JudgementEvent
from nlp.annotations import AnnotatedText, Quote, Span, Verdict
from nlp.records import Refusal
from nlp.tables import Paper
from nlp.typeset import runs_to_json, typeset
from tests.market.factories import DAY, NOW, add_board, add_paper, add_term, add_trader

PAPER = "arxiv:2605.00001"
TEXT = "diffusion model, attention, and a flow map; a flow map again, as Flow Maps \ufffc."
SAID = Remark("Looked at it.", "Ana Kettle")


@dataclass(frozen=True)
class Site:
    board: Board
    ana: int
    bob: int


def add_site(session: Session) -> Site:
    """A board with a paper that has two terms and a phrase, another paper as noise, and two readers."""
    board = add_board(session)
    terms = [add_term(session, label, board) for label in ("diffusion model", "attention")]
    paper = add_paper(session, board, DAY, terms, PAPER)
    reading = typeset(TEXT.replace("\ufffc", "$x$"))
    assert reading.text == TEXT
    paper.abstract_text, paper.abstract_runs = TEXT, runs_to_json(reading)
    paper.text_hash = hashlib.sha256(TEXT.encode()).hexdigest()
    add_paper(session, board, DAY, terms, "arxiv:2605.00002")
    traders = [add_trader(session, name).id for name in ("Ana Kettle", "Bob Lid")]
    assert traders[0] is not None
    assert traders[1] is not None
    session.flush()
    return Site(board, traders[0], traders[1])


def rows(session: Session) -> list[tuple[object, ...]]:
    found = session.exec(select(Judgement).order_by(col(Judgement.event_id)))
    return [tuple(each.model_dump().values()) for each in found]


def test_a_word_is_kept_with_who_when_and_where(engine: Engine) -> None:
    site = transact(engine, add_site)
    said = transact(
        engine, lambda session: not_a_term(session, site.ana, site.board, PAPER, "attention", NOW)
    )
    assert (said.verdict, said.quote, said.is_new) == (Verdict.NOT_A_TERM, "attention", True)
    with read_session(engine) as session:
        [event] = session.exec(select(JudgementEvent)).all()
        assert (event.trader_id, event.key, event.start_offset, event.end_offset, event.quote) == (
            site.ana, "attention", 17, 26, "attention",
        )  # fmt: skip
        assert (event.is_on, event.recorded_at) == (True, NOW)
        assert event.text_hash == hashlib.sha256(TEXT.encode()).hexdigest()
        own = own_judgements(session, site.board.id or 0, site.ana, [PAPER, "arxiv:2605.00002"])
        assert [(each.verdict, each.quote, each.is_accepted) for each in own[PAPER]] == [
            ("not_a_term", "attention", None)
        ]
        assert own_judgements(session, site.board.id or 0, site.bob, [PAPER]) == {}


def test_the_same_word_twice_is_one(engine: Engine) -> None:
    site = transact(engine, add_site)
    for is_new in (True, False):
        said = transact(
            engine,
            lambda session: should_be_a_term(session, site.ana, site.board, PAPER, Quote("flow map"), NOW),
        )
        assert said.is_new is is_new
    with read_session(engine) as session:
        assert len(rows(session)) == len(session.exec(select(JudgementEvent)).all()) == 1


def test_from_two_browsers_at_once_it_is_one_too(engine: Engine) -> None:
    site = transact(engine, add_site)
    at_once = threading.Barrier(2)
    answers: list[bool] = []

    def say() -> None:
        at_once.wait()
        said = transact(
            engine, lambda session: not_a_term(session, site.ana, site.board, PAPER, "attention", NOW)
        )
        answers.append(said.is_new)

    threads = [threading.Thread(target=say) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False, True]
    with read_session(engine) as session:
        assert len(session.exec(select(JudgementEvent)).all()) == 1


def test_it_can_be_taken_back_once_by_its_reader_and_said_again(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        not_a_term(session, site.ana, site.board, PAPER, "attention", NOW)
        [event_id] = session.scalars(sa.select(col(Judgement.event_id)))
        with pytest.raises(UnknownJudgement):
            take_back(session, site.bob, event_id, NOW)
        assert take_back(session, site.ana, event_id, NOW) == "attention"
        with pytest.raises(UnknownJudgement):
            take_back(session, site.ana, event_id, NOW)
        assert rows(session) == []
        assert not_a_term(session, site.ana, site.board, PAPER, "attention", NOW).is_new

    transact(engine, work)
    with read_session(engine) as session:
        events = session.exec(select(JudgementEvent).order_by(col(JudgementEvent.id))).all()
        assert [event.is_on for event in events] == [True, False, True]


@pytest.mark.parametrize(
    ("quote", "start", "end"),
    [
        (Quote("flow map"), 34, 42),
        (Quote("flow map", "a ", " again"), 46, 54),
        (Quote("FLOW  maps"), 65, 74),
        (Quote(" a flow map "), 32, 42),
    ],
)
def test_a_stretch_is_found_by_its_words(engine: Engine, quote: Quote, start: int, end: int) -> None:
    site = transact(engine, add_site)
    transact(engine, lambda session: should_be_a_term(session, site.ana, site.board, PAPER, quote, NOW))
    with read_session(engine) as session:
        [row] = session.exec(select(Judgement)).all()
        assert (row.start_offset, row.end_offset) == (start, end)


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("nothing", "does not stand in this abstract"),
        ("", "Give 1 to 120 characters"),
        ("x" * 121, "Give 1 to 120 characters"),
        ("\ufffc", "can be no term"),
        (",", "can be no term"),
        ("Maps \ufffc", "can be no term"),
        ("attention", "highlighted there already"),
        ("low map", "does not stand"),
    ],
)
def test_what_can_be_no_term_is_refused(engine: Engine, quote: str, why: str) -> None:
    site = transact(engine, add_site)
    if quote == "low map":
        quote = "low  map"  # typed by hand: whole words only
    with pytest.raises(JudgementRefused, match=why):
        transact(
            engine, lambda session: should_be_a_term(session, site.ana, site.board, PAPER, Quote(quote), NOW)
        )
    with read_session(engine) as session:
        assert rows(session) == []


def test_what_is_not_there_is_refused(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        for slug in ("flow-map", "", "attention\0"):
            with pytest.raises(JudgementRefused, match="not highlighted"):
                not_a_term(session, site.ana, site.board, PAPER, slug, NOW)
        for paper in ("arxiv:0", "\0"):
            with pytest.raises(UnknownJudgement):
                not_a_term(session, site.ana, site.board, paper, "attention", NOW)
        other = add_board(session, "cs.CL", position=2)
        with pytest.raises(UnknownJudgement, match=r"on cs\.CL"):
            not_a_term(session, site.ana, other, PAPER, "attention", NOW)

    transact(engine, work)


def test_of_one_paper_a_reader_says_so_much_and_no_more(engine: Engine) -> None:
    site = transact(engine, add_site)
    words = [f"word{number}" for number in range(MOST_STANDING + 1)]

    def work(session: Session) -> None:
        paper = session.exec(select(Paper).where(Paper.identifier == PAPER)).one()
        paper.abstract_text = " ".join(words)
        paper.text_hash = hashlib.sha256(paper.abstract_text.encode()).hexdigest()
        for word in words[:-1]:
            should_be_a_term(session, site.ana, site.board, PAPER, Quote(word), NOW)
        with pytest.raises(JudgementRefused, match="take one back first"):
            should_be_a_term(session, site.ana, site.board, PAPER, Quote(words[-1]), NOW)
        assert should_be_a_term(session, site.bob, site.board, PAPER, Quote(words[-1]), NOW).is_new

    transact(engine, work)


def test_a_decision_is_about_all_that_say_so_and_what_is_said_later_waits(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        for reader in (site.ana, site.bob):
            not_a_term(session, reader, site.board, PAPER, "attention", NOW)
        should_be_a_term(session, site.bob, site.board, PAPER, Quote("flow map"), NOW)
        first, second = waiting_judgements(session)
        assert (first.verdict, first.label, first.slug, first.reader_count) == (
            "not_a_term", "attention", "attention", 2,
        )  # fmt: skip
        assert first.command.startswith("peer-revenue terms delist attention --board cs.LG")
        assert (second.label, second.slug, second.reader_count) == ("flow map", "", 1)
        assert second.command.startswith('peer-revenue terms list-term "flow map" --new --board cs.LG')
        assert second.quotes[0].quote == Quote("flow map", TEXT[2:34], TEXT[42:74])
        decision = decide(session, first.number, True, SAID, NOW)
        assert len(decision.event_ids) == 2
        with pytest.raises(UnknownJudgement):
            decide(session, first.number, True, SAID, NOW)
        assert [group.label for group in waiting_judgements(session)] == ["flow map"]
        not_a_term(session, site.ana, site.board, "arxiv:2605.00002", "attention", NOW)
        assert {group.label for group in waiting_judgements(session)} == {"flow map", "attention"}
        [own, *_] = own_judgements(session, site.board.id or 0, site.bob, [PAPER])[PAPER]
        assert (own.is_accepted, own.reason) == (True, "Looked at it.")

    transact(engine, work)


def test_decisions_are_training_rows(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        not_a_term(session, site.ana, site.board, PAPER, "attention", NOW)
        not_a_term(session, site.ana, site.board, PAPER, "diffusion-model", NOW)
        should_be_a_term(session, site.bob, site.board, PAPER, Quote("flow map"), NOW)
        assert list(training_texts(session)) == []
        for group in waiting_judgements(session):
            decide(session, group.number, group.label != "diffusion model", SAID, NOW)
        spans = (Span(0, 15, "TERM"), Span(17, 26, "NOT_A_TERM"), Span(34, 42, "TERM"))
        assert list(training_texts(session)) == [AnnotatedText(PAPER, "A title", TEXT, spans)]
        # Another text: one quote is found again, one is in two places, one is gone.
        paper = session.exec(select(Paper).where(Paper.identifier == PAPER)).one()
        paper.abstract_text = "Now attention, flow map and flow map."
        session.flush()
        found = list(training_texts(session))
        assert [each for each in found if isinstance(each, AnnotatedText)] == [
            AnnotatedText(PAPER, "A title", paper.abstract_text, (Span(4, 13, "NOT_A_TERM"),))
        ]
        refused = [str(each) for each in found if isinstance(each, Refusal)]
        assert len(refused) == 2
        assert "2 places" in "".join(refused)
        assert "does not stand in it" in "".join(refused)

    transact(engine, work)


def test_the_projection_is_the_fold_of_the_records(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        for slug in ("attention", "diffusion-model"):
            for reader in (site.ana, site.bob):
                not_a_term(session, reader, site.board, PAPER, slug, NOW)
        ids = list(session.scalars(sa.select(col(Judgement.event_id)).order_by(col(Judgement.event_id))))
        take_back(session, site.bob, ids[1], NOW)
        decide(session, ids[0], False, SAID, NOW)
        not_a_term(session, site.bob, site.board, PAPER, "attention", NOW + timedelta(hours=1))
        before = rows(session)
        assert len(before) == 4
        for _ in range(2):
            rebuild(session)
            session.expire_all()
            assert rows(session) == before

    transact(engine, work)


@pytest.mark.parametrize("table", ["judgement_event", "judgement_decision", "operator_event"])
def test_what_was_said_is_never_changed(engine: Engine, table: str) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        not_a_term(session, site.ana, site.board, PAPER, "attention", NOW)
        decide(session, waiting_judgements(session)[0].number, True, SAID, NOW)
        set_operator(session, "Ana Kettle", True, SAID, NOW)

    transact(engine, work)
    for change in (f"UPDATE {table} SET recorded_at = recorded_at", f"DELETE FROM {table}"):
        with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
            connection.exec_driver_sql(change)


def test_who_is_an_operator(engine: Engine) -> None:
    site = transact(engine, add_site)

    def work(session: Session) -> None:
        assert not is_operator(session, site.ana)
        assert set_operator(session, "ana kettle", True, SAID, NOW)
        assert not set_operator(session, "Ana Kettle", True, SAID, NOW)
        assert operator_names(session) == ("Ana Kettle",)
        assert is_operator(session, site.ana)
        assert not is_operator(session, site.bob)
        assert set_operator(session, "Ana Kettle", False, SAID, NOW)
        assert not is_operator(session, site.ana)
        assert operator_names(session) == ()
        with pytest.raises(UnknownTrader):
            set_operator(session, "Nobody", True, SAID, NOW)

    transact(engine, work)


def test_a_group_is_decided_about_once(engine: Engine) -> None:
    site = transact(engine, add_site)
    transact(engine, lambda session: not_a_term(session, site.ana, site.board, PAPER, "attention", NOW))
    at_once = threading.Barrier(2)
    refused: list[bool] = []

    def work(is_accepted: bool) -> None:
        at_once.wait()
        try:
            transact(engine, lambda session: decide(session, 1, is_accepted, SAID, NOW))
            refused.append(False)
        except UnknownJudgement:
            refused.append(True)

    threads = [threading.Thread(target=work, args=(answer,)) for answer in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(refused) == [False, True]
    with read_session(engine) as session:
        assert len(session.exec(select(JudgementDecision)).all()) == 1
