"""Checkpoints over the hash chains: what moves them, and what they show that the chains alone do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from operator import itemgetter

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from market.audit import Finding, verify
from market.chain import EntryContent, Link, next_link
from market.checkpoints import SignedRoot, checkpoints_after, make_checkpoint
from market.db import read_session, transact
from market.tables import Account, CheckpointHead, Entry, Posting
from market.trading import place_order
from tests.market.factories import NOW, add_market, order

KEY = "a key of thirty-two characters or so"


@pytest.fixture
def signed(engine: Engine) -> tuple[Engine, list[SignedRoot]]:
    """Two checkpoints, with trades before and after each."""

    def begin(session: Session) -> SignedRoot | None:
        add_market(session, "Ada")
        place_order(session, 1, order(shares=3), "first", NOW)
        return make_checkpoint(session, KEY, NOW)

    def go_on(session: Session) -> SignedRoot | None:
        place_order(session, 1, order(shares=4), "second", NOW)
        return make_checkpoint(session, KEY, NOW + timedelta(days=1))

    made = [transact(engine, begin), transact(engine, go_on)]
    transact(engine, lambda session: place_order(session, 1, order(shares=5), "third", NOW))
    return engine, [each for each in made if each]


def audit(engine: Engine, key: str | None = KEY, written: Sequence[SignedRoot] = ()) -> list[Finding]:
    with read_session(engine) as session:
        found = verify(session, key=key, written=written).findings
    return [finding for finding in found if finding.invariant == "L13"]


def test_a_checkpoint_names_the_chains_that_grew(signed: tuple[Engine, list[SignedRoot]]) -> None:
    engine, made = signed
    with read_session(engine) as session:
        heads = session.exec(select(CheckpointHead).order_by(col(CheckpointHead.number))).all()
        places = [(head.number, head.chain, head.sequence) for head in heads]
        assert places == [(1, 0, 1), (1, 1, 3), (2, 1, 4)]
        assert list(checkpoints_after(session, 0)) == made
        assert list(checkpoints_after(session, 1)) == made[1:]
    assert audit(engine, written=made) == []


def test_without_new_entries_there_is_no_checkpoint(signed: tuple[Engine, list[SignedRoot]]) -> None:
    engine, _ = signed
    third = transact(engine, lambda session: make_checkpoint(session, KEY, NOW))
    assert third is not None
    assert third.number == 3
    assert transact(engine, lambda session: make_checkpoint(session, KEY, NOW)) is None


def test_another_key_and_an_altered_copy_outside_are_found(signed: tuple[Engine, list[SignedRoot]]) -> None:
    engine, made = signed
    assert [each.message for each in audit(engine, "another key")] == [
        "checkpoint 1 is not signed with this key",
        "checkpoint 2 is not signed with this key",
    ]
    forged = replace(made[1], root="0" * 64)
    (finding,) = audit(engine, None, [made[0], forged])
    assert finding.message == "checkpoint 2 as it was written outside the database is not the one stored"


def test_a_ledger_forged_whole_is_betrayed_by_a_checkpoint(signed: tuple[Engine, list[SignedRoot]]) -> None:
    """Somebody rewrites a memo and every hash after it: the chains hold again, the checkpoint does not."""
    engine, made = signed
    allow(engine, "entry")
    with engine.begin() as connection, Session(connection) as session:
        session.execute(sa.update(Entry).where(col(Entry.id) == 4).values(memo="forged"))
        relink(session)
        session.commit()
    assert {each.message.split(", which now")[1] for each in audit(engine)} == {" has another hash"}
    allow(engine, "checkpoint", "checkpoint_head")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM checkpoint_head")
        connection.exec_driver_sql("DELETE FROM checkpoint")
    assert audit(engine) == []  # all that the database knows fits together now
    assert len(audit(engine, written=made)) == 2


def test_checkpoints_cannot_be_changed(signed: tuple[Engine, list[SignedRoot]]) -> None:
    engine, _ = signed
    for statement in ("UPDATE checkpoint SET root = 'x'", "DELETE FROM checkpoint_head"):
        with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.exec_driver_sql(statement)


def allow(engine: Engine, *tables: str) -> None:
    with engine.begin() as connection:
        for table in tables:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql(f"DROP TRIGGER {table}_no_update")
                connection.exec_driver_sql(f"DROP TRIGGER {table}_no_delete")
            else:
                connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")


def relink(session: Session) -> None:
    """Every hash made anew, as a forger with all rights would."""
    postings = session.execute(
        sa.select(col(Posting.entry_id), col(Account.name), col(Posting.amount))
        .join_from(Posting, Account, col(Account.id) == Posting.account_id)
        .order_by(col(Posting.entry_id), col(Posting.line))
    ).all()
    by_entry = groupby(postings, itemgetter(0))
    amounts = {entry: [(name, amount) for _, name, amount in lines] for entry, lines in by_entry}
    orders = session.execute(sa.text("SELECT id, trader_id || ':' || idempotency_key FROM orders"))
    keys = {row[0]: row[1] for row in orders}
    before: Link | None = None
    for entry in session.exec(select(Entry).order_by(col(Entry.chain), col(Entry.sequence))).all():
        before = before if before and before.chain == entry.chain else None
        content = EntryContent(
            entry.kind, keys.get(entry.order_id, ""), entry.memo, entry.corrects_id, entry.recorded_at,
            amounts[entry.id],
        )  # fmt: skip
        before = next_link(entry.chain, before, content)
        entry.hash = before.hash
        session.add(entry)
    session.flush()
