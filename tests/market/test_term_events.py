"""What was decided about terms is kept, found when altered, and given to terms that were there before."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from market.audit import verify
from market.db import alembic_config, read_session, transact, upgrade, write_session
from market.merging import merge_terms
from market.proposals import propose_term
from market.renaming import rename_term
from market.splitting import split_term
from market.tables import Board, TermEvent
from market.term_events import rebuild
from market.term_state import root_of
from tests.market.factories import NOW, add_board, add_term, add_trader
from tests.market.terms import LATER, begin, by, check, term


@pytest.fixture
def changed(engine: Engine) -> Engine:
    """A board whose terms were merged, split and renamed."""

    def work(session: Session) -> None:
        begin(session)
        merge_terms(session, term(session, "ddpm"), term(session, "diffusion-model"), by(now=LATER))
        model = term(session, "diffusion-model")
        split_term(session, model, ["score model"], "score model", by("two", LATER))
        rename_term(session, term(session, "flow-matching"), "flow", by("shorter", LATER))

    transact(engine, work)
    return engine


def said(session: Session) -> list[str]:
    findings = verify(session).findings
    assert {finding.invariant for finding in findings} <= {"L21"}
    return [finding.message for finding in findings]


def test_decisions_cannot_be_taken_back(changed: Engine) -> None:
    def propose(session: Session) -> None:
        trader = add_trader(session, "Bob Lid").id
        assert trader is not None
        propose_term(session, trader, session.exec(select(Board)).one(), "kettle", "", NOW)

    transact(changed, propose)
    for table in ("term_event", "term_proposal"):
        for statement in (f"UPDATE {table} SET label = 'x'", f"DELETE FROM {table}"):
            with changed.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
                connection.exec_driver_sql(statement)


ALTERED = {
    "UPDATE term SET label = 'x' WHERE slug = 'flow'": "term 3 is",
    "UPDATE term SET merged_into_id = NULL WHERE slug = 'ddpm'": "share a form",
    "UPDATE term SET merged_into_id = id WHERE slug = 'flow'": "merged in a circle",
    "UPDATE listing SET status = 'listed'": "listing (1, 1) is",
    "DELETE FROM listing WHERE term_id = 3": "is None, and the events say",
    "UPDATE listing SET reason = 'another'": "listing (1, 1) is",
    "UPDATE term_version SET is_counted = true": "of term 1 is counted",
    "UPDATE term_version SET forms = '[\"flow\", \"DDPM\"]' WHERE term_id = 3 AND version = 2": "share a",
    "UPDATE term_name SET term_id = 1": "name ('slug', 'flow-matching')",
    "DELETE FROM term_name": "name ('slug', 'flow-matching') is None",
}


def test_what_was_altered_by_hand_is_found(changed: Engine) -> None:
    with read_session(changed) as session:
        assert said(session) == []
    for statement, words in ALTERED.items():
        with write_session(changed) as session:
            session.execute(sa.text(statement))
            assert any(words in message for message in said(session)), (statement, said(session))
            if "forms" not in statement:  # versions are frozen: nothing else says what their forms were
                rebuild(session)
                assert said(session) == [], statement


def test_terms_from_before_get_the_events_they_would_have_had(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        add_term(session, "flow map", board)
        add_term(session, "kettle")
        session.commit()
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0009")
        assert "term_event" not in sa.inspect(connection).get_table_names()
        connection.exec_driver_sql("UPDATE listing SET status = 'delisted'")
    upgrade(engine)
    with read_session(engine) as session:
        events = session.exec(select(TermEvent).order_by(col(TermEvent.id))).all()
        assert [(event.kind, event.label, event.reason) for event in events] == [
            ("installed", "flow map", "kept before decisions were recorded"),
            ("installed", "kettle", "kept before decisions were recorded"),
            ("delisted", "flow map", "a test"),
        ]  # fmt: skip
        assert [event.recorded_at for event in events] == [NOW, NOW, datetime(2026, 5, 17, tzinfo=UTC)]
        assert events[-1].details == {"listed_on": str(date(2026, 5, 17))}
    check(engine)


def test_merged_terms_are_not_lost_to_older_tables(changed: Engine) -> None:
    with pytest.raises(Exception, match="the older tables cannot keep that"), changed.begin() as connection:
        command.downgrade(alembic_config(connection), "0009")
    check(changed)


def test_a_circle_of_merges_has_no_root() -> None:
    assert root_of(1, {1: 2, 2: 3}) == 3
    assert root_of(3, {1: 2, 2: 3}) == 3
    assert root_of(1, {1: 2, 2: 3, 3: 1}) is None
