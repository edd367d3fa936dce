"""Migrations, triggers and write sessions, on both databases."""

from __future__ import annotations

import sqlite3
import threading

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlmodel import Session, SQLModel, select

from market.db import alembic_config, engine_for, read_session, transact, write_session
from market.tables import Account, Board


def account(name: str, **values: object) -> Account:
    return Account(**{"name": name, "asset": "credits", "may_be_negative": False, "balance": 0, **values})


def test_the_migrations_make_the_tables_that_the_code_describes(engine: Engine) -> None:
    with engine.connect() as connection:
        differences = compare_metadata(
            MigrationContext.configure(connection, opts={"compare_type": True}), SQLModel.metadata
        )
    assert differences == []


def test_migrations_go_down_and_up_again(engine: Engine) -> None:
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "base")
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
        command.upgrade(alembic_config(connection), "head")
        assert "posting" in sa.inspect(connection).get_table_names()


@pytest.mark.parametrize(
    "table", ["entry", "posting", "fill", "settlement_statement", "watch_event", "placement_event"]
)
def test_append_only_tables_refuse_changes(engine: Engine, table: str) -> None:
    # PostgreSQL's trigger is per statement; SQLite's needs a row, so the trigger itself is looked up.
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            found = connection.execute(
                sa.text("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table"),
                {"table": table},
            ).scalar_one()
        assert found == 2
        return
    for statement in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
        with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.exec_driver_sql(statement)


def test_a_watch_event_cannot_be_taken_back(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO board (id, code, name, field, period, day_rule, time_zone, grace_days, position) "
            "VALUES (1, 'x', 'X', 'F', 'week', 'announced', 'UTC', 3, 1)"
        )
        connection.exec_driver_sql(
            "INSERT INTO trader (id, name, name_key, session_key, is_simulated, joined_at) "
            "VALUES (1, 'a', 'a', 'k', true, '2026-05-17 20:00:00')"
        )
        connection.exec_driver_sql(
            "INSERT INTO watch_event (id, trader_id, board_id, is_on, recorded_at) "
            "VALUES (1, 1, 1, true, '2026-05-17 20:00:00')"
        )
    for statement in ("UPDATE watch_event SET is_on = false", "DELETE FROM watch_event"):
        with engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.exec_driver_sql(statement)


def test_a_fraction_of_a_unit_and_a_negative_balance_are_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(Account).values(account("a", balance=5).model_dump(exclude={"id"})))
    # PostgreSQL rounds 1.5 into its BIGINT column; it cannot hold the fraction.
    statements = ["UPDATE account SET balance = -1"]
    if engine.dialect.name == "sqlite":
        statements.append("UPDATE account SET balance = 1.5")
    for statement in statements:
        with engine.connect() as connection, pytest.raises(IntegrityError):
            connection.exec_driver_sql(statement)


def test_foreign_keys_are_checked(engine: Engine) -> None:
    with engine.connect() as connection, pytest.raises(IntegrityError):
        connection.execute(sa.insert(Account).values(account("a", trader_id=7).model_dump(exclude={"id"})))


def test_a_write_session_commits_nothing_by_itself(engine: Engine) -> None:
    with write_session(engine) as session:
        session.add(account("a"))
        session.flush()
    with read_session(engine) as session:
        assert session.exec(select(Account)).all() == []


def test_two_read_then_write_transactions_lose_no_update(engine: Engine) -> None:
    transact(engine, lambda session: session.add(account("a")))

    def add_one(session: Session) -> None:
        row = session.exec(select(Account).with_for_update()).one()
        row.balance += 1
        session.add(row)

    def add_twenty() -> None:
        for _ in range(20):
            transact(engine, add_one)

    threads = [threading.Thread(target=add_twenty) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with read_session(engine) as session:
        assert session.exec(select(Account.balance)).one() == 80


def test_moments_come_back_in_utc(engine: Engine) -> None:
    from datetime import UTC, datetime, timedelta, timezone

    from market.tables import Trader

    tokyo = datetime(2026, 5, 18, 5, 0, tzinfo=timezone(timedelta(hours=9)))
    transact(
        engine,
        lambda session: session.add(
            Trader(name="a", name_key="a", session_key="k", is_simulated=True, joined_at=tokyo)
        ),
    )
    with read_session(engine) as session:
        stored = session.exec(select(Trader)).one().joined_at
    assert stored == tokyo
    assert stored.tzinfo is UTC
    with pytest.raises(Exception, match="needs its time zone"):
        transact(
            engine,
            lambda session: session.add(
                Trader(
                    name="b", name_key="b", session_key="l", is_simulated=True, joined_at=datetime(2026, 1, 1)
                )
            ),
        )


def test_a_board_code_is_unique(engine: Engine) -> None:
    values = {
        "code": "cs.LG", "name": "Machine Learning", "field": "Computer Science", "period": "week",
        "day_rule": "announced", "time_zone": "UTC", "grace_days": 3, "position": 1,
    }  # fmt: skip
    transact(engine, lambda session: session.add(Board(**values)))
    with pytest.raises(IntegrityError):
        transact(engine, lambda session: session.add(Board(**values)))


def test_a_file_that_another_process_keeps_locked_is_tried_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_for(sqlite_url)
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout=10"))
    other = sqlite3.connect(sa.make_url(sqlite_url).database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"):
        transact(engine, lambda session: session.add(account("a")), attempts=2)
    pauses = []

    def pause(attempt: int) -> None:
        pauses.append(attempt)
        if attempt == 2:
            other.execute("ROLLBACK")

    monkeypatch.setattr("market.db.pause", pause)
    transact(engine, lambda session: session.add(account("a")))
    assert pauses == [1, 2]
    with read_session(engine) as session:
        assert session.exec(select(Account.balance)).one() == 0
    other.close()
    engine.dispose()
