"""Settlement statements: whole, in JSON and back, and counted again from the papers' texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.activity import close_day
from market.db import engine_for, read_session, transact, write_session
from market.intake import install_lexicon, take_in
from market.orders import Action, OrderRequest
from market.recounting import PaperText, Recounted, recount
from market.settlement import settle_due
from market.statement_documents import Statement, canonical, papers_hash
from market.statement_json import BadStatement, as_json, statement_from_json
from market.stored_statements import (
    NoStatement,
    UnknownContract,
    contract_named,
    recount_stored,
    statement_of,
)
from market.tables import Board, StatementPart
from market.trading import Side, place_order
from nlp.lexicon import load_lexicon
from nlp.records import Section
from nlp.typeset import typeset
from tests.market.settlements import (
    BEFORE,
    DUE,
    LEXICON,
    MONDAY,
    PERIOD,
    TEXTS,
    WITH_TERM,
    begin,
    raw,
    settle,
    settled,
)


@contextmanager
def undone(engine: Engine) -> Iterator[Session]:
    """A session of which nothing stays, for one example after the other."""
    with write_session(engine) as session:
        yield session
        session.rollback()


def from_json(statement: Statement) -> Statement:
    return statement_from_json(json.loads(json.dumps(as_json(statement))))


def by_json_alone(session: Session, statement: Statement) -> Recounted:
    """Counted as a stranger would: from the document, and for each paper it names its source text."""
    document = from_json(statement)
    rows = session.execute(sa.text("SELECT identifier, abstract_source FROM paper")).all()
    sources = {row.identifier: row.abstract_source for row in rows}
    assert document.listed is not None
    texts = [
        PaperText(each.identifier, each.day, typeset(sources[each.identifier])) for each in document.listed
    ]
    return recount(document, texts)


def test_a_statement_says_all_that_its_count_rests_on(engine: Engine) -> None:
    number = transact(engine, settled)
    with read_session(engine) as session:
        statement = statement_of(session, number)
    assert (statement.number, statement.board, statement.period) == (1, "cs.LG", PERIOD)
    assert (statement.day_rule, statement.time_zone, statement.grace_days) == ("announced", "UTC", 3)
    assert statement.counted == len(WITH_TERM)
    assert statement.papers == tuple(raw(each).identifier for each in sorted(WITH_TERM))
    assert statement.listed is not None
    assert [paper.identifier for paper in statement.listed] == [raw(each).identifier for each in range(6)]
    assert {paper.day for paper in statement.listed} == {MONDAY}
    assert statement.lexicon is not None
    keys = ["diffusion model", "flow matching", "latent diffusion model"]
    assert [term.key for term in statement.lexicon] == keys
    assert statement.forms == ("DM", "diffusion model")
    assert statement.entry_hash


def test_a_statement_comes_back_from_json_and_is_recounted_by_it_alone(engine: Engine) -> None:
    number = transact(engine, settled)
    with read_session(engine) as session:
        statement = statement_of(session, number)
        assert from_json(statement) == statement
        for recounted in (by_json_alone(session, statement), recount_stored(session, statement)):
            assert recounted.is_equal
            assert recounted.papers == statement.papers
            assert recounted.notes == ()


def test_contracts_of_one_period_share_their_papers_and_lexicon(engine: Engine) -> None:
    def work(session: Session) -> list[int]:
        first = begin(session)
        buy = OrderRequest("cs.LG", "flow-matching", PERIOD, Side.LONG, Action.BUY, 5, None, None)
        assert place_order(session, 1, buy, "other", BEFORE).is_filled
        take_in(session, [raw(1)], now=DUE)
        board = session.exec(select(Board)).one()
        for day in (date(2026, 5, 15), MONDAY):
            close_day(session, board, day, DUE)
        assert len(settle_due(session, DUE)) == 2
        return [first, first + 1]

    transact(engine, work)
    with read_session(engine) as session:
        assert sorted(session.exec(select(StatementPart.kind)).all()) == ["lexicon", "listed"]


def test_what_changes_after_the_settlement_is_named_and_only_what_changes_the_count_differs(
    engine: Engine,
) -> None:
    number = transact(engine, settled)

    def later(session: Session) -> None:
        changes = [
            raw(0, 5, version=2, section=Section.REPLACED),  # loses the term
            raw(1, 0, version=2, section=Section.REPLACED),  # gets it
            raw(2, 5, version=2, section=Section.REPLACED),  # never had it
            raw(3, 3, day=date(2026, 5, 11)),  # moves to the week before
            raw(7, 0),  # late
            raw(8, 5),  # late, without the term
            raw(4, 4, section=Section.REPLACED, is_withdrawn=True),  # still counts
        ]
        take_in(session, changes, now=DUE + timedelta(days=1))

    transact(engine, later)
    with read_session(engine) as session:
        found = recount_stored(session, statement_of(session, number))
    assert {(each.identifier[-1], each.is_in_statement, each.reason) for each in found.differences} == {
        ("0", True, "its text was replaced since and does not carry the term"),
        ("1", False, "its text was replaced since and carries the term now"),
        ("3", True, "does not stand on the board in this period any more"),
        ("7", False, "was listed in this period after the settlement"),
    }
    assert set(found.notes) == {
        "1 paper listed in this period after the settlement, without the term",
        "1 paper whose text was replaced since, with no effect on the count",
    }
    assert not found.is_equal


SIGHTINGS = st.tuples(
    st.integers(1, 5),  # the paper
    st.integers(0, len(TEXTS) - 1),
    st.integers(-3, 8),  # days after Monday
    st.sampled_from(["new", "cross", "replaced", "withdrawn"]),
    st.integers(1, 3),  # version
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(SIGHTINGS, min_size=1, max_size=12))
def test_a_recount_equals_the_statement_whatever_came_before_it(
    engine: Engine, history: list[tuple[int, int, int, str, int]]
) -> None:
    with undone(engine) as session:
        number = begin(session)
        take_in(session, [raw(80, 5)], now=DUE)  # so that some day of the period lists a paper
        for at, (paper, text, days, kind, version) in enumerate(history):
            is_new = kind in ("new", "cross")
            sighting = raw(
                paper, text, day=MONDAY + timedelta(days=days) if is_new else None, version=version,
                section=Section(kind) if is_new else Section.REPLACED, is_withdrawn=kind == "withdrawn",
            )  # fmt: skip
            take_in(session, [sighting], now=DUE - timedelta(minutes=20 - at))
        settle(session)
        statement = statement_of(session, number)
        for recounted in (recount_stored(session, statement), by_json_alone(session, statement)):
            assert recounted.differences == ()
            assert recounted.faults == ()
            assert recounted.papers == statement.papers
        assert from_json(statement) == statement


def test_an_older_version_of_the_term_counts_and_is_recounted(engine: Engine) -> None:
    def work(session: Session) -> int:
        number = begin(session)
        # From now on "DM" is no form of the term, but for the contract.
        newer = LEXICON.replace('abbreviations = ["DM"]\n', "")
        install_lexicon(session, load_lexicon(newer), BEFORE + timedelta(hours=1))
        take_in(session, [raw(1, 3, abstract="We pour with a DM."), raw(2, 1), raw(3, 5)], now=DUE)
        settle(session)
        return number

    number = transact(engine, work)
    with read_session(engine) as session:
        statement = statement_of(session, number)
        assert statement.papers == (raw(1).identifier,)
        assert statement.forms == ("DM", "diffusion model")
        assert recount_stored(session, statement).is_equal
        assert by_json_alone(session, statement).is_equal


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"papers": ("arxiv:1",)}, "it counts 3 and lists 1 papers"),
        ({"counted": 4}, "it counts 4 and lists 3 papers"),
        ({"forms": ("diffusion model",)}, "the hash of its forms is not the one it states"),
        ({"listed": ()}, "the hash of its listed papers is not the one it states"),
        ({"lexicon": ()}, "the hash of its lexicon is not the one it states"),
        ({"papers_hash": "0" * 64}, "the hash of its papers is not the one it states"),
        ({"last_day": date(2026, 5, 17)}, "it lists arxiv:2605.00000 on a day outside the period"),
    ],
)
def test_a_statement_that_contradicts_itself_is_not_equal(
    sqlite_url: str, change: dict[str, Any], fault: str
) -> None:
    engine = engine_for(sqlite_url)
    number = transact(engine, settled)
    with read_session(engine) as session:
        altered = replace(statement_of(session, number), **change)
        found = recount_stored(session, altered)
    engine.dispose()
    assert fault in found.faults
    assert not found.is_equal


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it.pop("papers"), "papers is missing or not what it should be."),
        (lambda it: it.update(counted="3"), "counted is missing or not what it should be."),
        (lambda it: it.update(counted=True), "counted is missing or not what it should be."),
        (lambda it: it["board"].update(code=7), "board.code is missing or not what it should be."),
        (lambda it: it.update(period=None), "period is not an object of JSON."),
        (lambda it: it["period"].update(first_day="May"), "period.first_day is missing"),
        (lambda it: it["listed"][0].pop("text_sha256"), r"listed\[0\].text_sha256 is missing"),
        (lambda it: it["lexicon"].append(["key", []]), r"lexicon\[3\] is not a term and its forms"),
        (lambda it: it.update(format_version=9), "It is not a peer-revenue settlement statement"),
    ],
)
def test_what_is_no_statement_is_refused_with_the_field(sqlite_url: str, change: Any, message: str) -> None:
    engine = engine_for(sqlite_url)
    number = transact(engine, settled)
    with read_session(engine) as session:
        value = json.loads(json.dumps(as_json(statement_of(session, number))))
    engine.dispose()
    change(value)
    with pytest.raises(BadStatement, match=message):
        statement_from_json(value)


def test_contracts_are_named_by_number_or_by_board_term_and_period(engine: Engine) -> None:
    number = transact(engine, begin)
    with read_session(engine) as session:
        assert contract_named(session, str(number)) == number
        assert contract_named(session, f"cs.LG/diffusion-model/{PERIOD}") == number
        for unknown in ("12", "cs.LG/diffusion-model", f"cs.CV/diffusion-model/{PERIOD}", "a/b/\0", "٣"):
            with pytest.raises(UnknownContract):
                contract_named(session, unknown)
        with pytest.raises(NoStatement, match=r"diffusion model of 2026-W21 on cs\.LG is not settled yet"):
            statement_of(session, number)


def test_the_hash_of_papers_is_that_of_their_lines() -> None:
    assert papers_hash(["b", "a"]) == papers_hash(["a", "b"])
    assert canonical({"a": ["é"]}) == '{"a":["\\u00e9"]}'
