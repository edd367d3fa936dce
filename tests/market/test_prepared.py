"""Statements that go to the driver as they are: values converted, errors as everywhere, one transaction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError, PendingRollbackError
from sqlmodel import Session, SQLModel

from market.db import engine_for, read_session, write_session
from market.prepared import Prepared
from market.tables import Trader

TRADER = SQLModel.metadata.tables["trader"]
ADD = Prepared(
    sa.insert(TRADER).returning(TRADER.c.id),
    ("name", "name_key", "password_hash", "session_key", "is_simulated", "joined_at"),
)
NAMED = Prepared(sa.select(TRADER.c.name).where(TRADER.c.name_key == sa.bindparam("key")).limit(1))
RENAME = Prepared(
    sa.update(TRADER).where(TRADER.c.name_key == sa.bindparam("key")).values(name=sa.bindparam("to"))
)
ACCOUNT = SQLModel.metadata.tables["account"]
ACCOUNT_ROWS = sa.select(ACCOUNT.c.id, ACCOUNT.c.balance).where(ACCOUNT.c.name.in_(["fees", "house:mint"]))
LOCKED = ACCOUNT_ROWS.order_by(ACCOUNT.c.id).with_for_update()
MOMENT = datetime(2026, 5, 17, 22, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))


def ada(session: Session, key: str = "ada") -> int:
    values = {
        "name": "Ada", "name_key": key, "password_hash": None, "session_key": key, "is_simulated": True,
        "joined_at": MOMENT,
    }  # fmt: skip
    ((number,),) = ADD.rows(session, values)
    return int(number)


def test_values_are_stored_as_the_object_layer_reads_them(engine: Engine) -> None:
    with write_session(engine) as session:
        trader = session.get_one(Trader, ada(session))
        assert trader.joined_at == datetime(2026, 5, 17, 20, 0, 0, 5, tzinfo=UTC)
        assert trader.is_simulated is True
        assert trader.password_hash is None


def test_rows_and_counts(engine: Engine) -> None:
    with write_session(engine) as session:
        ada(session)
        assert NAMED.first(session, {"key": "ada"}) == ("Ada",)
        assert NAMED.first(session, {"key": "eve"}) is None
        assert RENAME.run(session, {"key": "ada", "to": "Eve"}) == 1
        assert RENAME.run_many(session, [{"key": key, "to": "Bob"} for key in ("ada", "nobody")]) == 1
        assert NAMED.rows(session, {"key": "ada"}) == [("Bob",)]


def test_it_belongs_to_the_session_s_transaction(engine: Engine) -> None:
    with write_session(engine) as session:
        ada(session)  # and no commit
    with read_session(engine) as session:
        assert NAMED.first(session, {"key": "ada"}) is None


def test_the_driver_s_errors_are_the_usual_ones(engine: Engine) -> None:
    with write_session(engine) as session:
        ada(session)
        with pytest.raises(IntegrityError):
            ada(session)


def test_cockroachdb_is_asked_as_postgresql_is() -> None:
    """No server of its could be run here; what is sent is the same text."""
    pytest.importorskip("sqlalchemy_cockroachdb")
    cockroach, postgresql = (
        engine_for(f"{name}://ana@localhost/papers").dialect for name in ("cockroachdb", "postgresql")
    )
    assert (cockroach.name, cockroach.driver) == ("cockroachdb", "psycopg")
    for statement in (ACCOUNT_ROWS, LOCKED, ADD._statement, RENAME._statement):
        assert str(statement.compile(dialect=cockroach)) == str(statement.compile(dialect=postgresql))


def test_a_session_s_next_transaction_is_another_one(engine: Engine) -> None:
    with write_session(engine) as session:
        ada(session)
        session.commit()
        assert RENAME.run(session, {"key": "ada", "to": "Eve"}) == 1
        session.rollback()
        assert NAMED.first(session, {"key": "ada"}) == ("Ada",)


def test_nothing_runs_in_a_transaction_that_has_failed(engine: Engine) -> None:
    """A flush that fails ends it; SQLite would run what comes next outside of any."""
    with write_session(engine) as session:
        ada(session)
        session.add(Trader(name="Ada", name_key="ada", session_key="x", is_simulated=True, joined_at=MOMENT))
        with pytest.raises(IntegrityError):
            session.flush()
        with pytest.raises(PendingRollbackError):
            ada(session, "eve")
    with read_session(engine) as session:
        assert NAMED.first(session, {"key": "eve"}) is None
