"""Hash chains of entries: what they cover, and that tampering with them is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta, timezone

import pytest
import sqlalchemy as sa
from alembic import command
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from market.audit import verify
from market.chain import BEFORE_THE_FIRST, EntryContent, Link, next_link
from market.db import alembic_config, read_session, transact
from market.tables import Entry
from market.trading import place_order
from tests.market.factories import NOW, add_market, order

CONTENT = EntryContent("trade", "7:f3a9", "memo", None, NOW, [("trader:7:cash", -5), ("fees", 5)])


def test_a_chain_begins_at_one_and_each_hash_covers_the_one_before() -> None:
    first = next_link(3, None, CONTENT)
    second = next_link(3, first, CONTENT)
    assert (first.chain, first.sequence, second.sequence) == (3, 1, 2)
    assert first.hash != second.hash
    assert second.hash != next_link(3, replace(first, hash=BEFORE_THE_FIRST), CONTENT).hash


def test_a_hash_stays_what_it_is() -> None:
    """Hashes are stored for good: another value here means that no ledger would verify any more."""
    link = next_link(1, Link(1, 1, "a" * 64), CONTENT)
    assert link.hash == "1496a8612bc8543221a745da86e9cbcb8579754a0ac2e25323266adddfb2689a"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "settle"}, {"key": "7:f3aa"}, {"memo": ""}, {"corrects_id": 1},
        {"recorded_at": NOW + timedelta(microseconds=1)},
        {"postings": [("trader:7:cash", -6), ("fees", 6)]},
        {"postings": [("fees", 5), ("trader:7:cash", -5)]},
        {"postings": [("trader:8:cash", -5), ("fees", 5)]},
    ],
)  # fmt: skip
def test_everything_about_an_entry_is_hashed(change: dict[str, object]) -> None:
    assert next_link(1, None, replace(CONTENT, **change)).hash != next_link(1, None, CONTENT).hash


@given(st.integers(-12, 14))
def test_the_same_instant_in_another_zone_is_the_same(hours: int) -> None:
    moved = replace(CONTENT, recorded_at=NOW.astimezone(timezone(timedelta(hours=hours))))
    assert next_link(1, None, moved) == next_link(1, None, CONTENT)


def test_entries_are_linked_and_two_altered_neighbours_are_both_found(engine: Engine) -> None:
    def trade(session: Session) -> None:
        _, (ada, bob) = add_market(session, "Ada", "Bob")
        for number in range(6):
            place_order(session, (ada, bob)[number % 2], order(shares=3), f"key-{number}", NOW)

    transact(engine, trade)
    with read_session(engine) as session:
        entries = session.exec(select(Entry)).all()
    lengths = Counter(entry.chain for entry in entries)
    assert lengths == {0: 2, 1: 8}  # two grants; subsidy, opening and six trades
    assert len({entry.hash for entry in entries}) == 10
    _without_triggers(engine, "UPDATE posting SET amount = amount * 2 WHERE entry_id IN (7, 8)")
    with read_session(engine) as session:
        found = {finding.entry_id for finding in verify(session).findings if finding.invariant == "L13"}
    assert found == {7, 8}


def test_the_entries_of_an_older_database_are_linked(engine: Engine) -> None:
    def trade(session: Session) -> None:
        _, (ada,) = add_market(session, "Ada")
        place_order(session, ada, order(shares=3), "key", NOW)

    transact(engine, trade)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0006")
        assert "hash" not in {column["name"] for column in sa.inspect(connection).get_columns("entry")}
        command.upgrade(alembic_config(connection), "head")
    with read_session(engine) as session:
        assert verify(session).findings == ()
        assert session.exec(select(sa.func.count()).where(col(Entry.sequence) > 0)).one() == 4
    with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
        connection.execute(sa.text("UPDATE entry SET hash = 'x'"))


def _without_triggers(engine: Engine, statement: str) -> None:
    """Run a statement that the database would refuse."""
    off = {
        "sqlite": ["DROP TRIGGER posting_no_update"],
        "postgresql": ["ALTER TABLE posting DISABLE TRIGGER ALL"],
    }
    with engine.begin() as connection:
        for each in (*off[engine.dialect.name], statement):
            connection.exec_driver_sql(each)
