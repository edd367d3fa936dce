"""Migrations that move what is stored: nothing of it is lost on the way up, nor on the way down."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from market.audit import replay, verify
from market.db import alembic_config, read_session, transact
from market.limit_trading import place_limit
from market.orders import Action
from market.trading import place_order
from nlp.content import content_hash
from tests.market.factories import NOW, add_market, limit_order, order

LONG = "We pour $x$ kettles of tea through a diffusion model, " * 3 + "and ask how many cups are full."
TAKEN_IN_AT = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)
PAPERS = """
INSERT INTO paper (id, identifier, source, title_source, title_runs, title_text, abstract_source,
    abstract_runs, abstract_text, text_hash, typesetter_version, authors, categories, first_day, taken_in_at)
VALUES (:id, :identifier, 'a file', 'T', '[]', 'T', :text, '[]', :text, :hash, 1, '[]', '["cs.LG"]', :day,
    :at)
"""
DAY = date(2026, 5, 16)


def fill_as_before(connection: sa.Connection) -> None:
    """Two papers on a board, as they were stored before the migration; one is a submission."""
    connection.exec_driver_sql(
        "INSERT INTO board (id, code, name, field, period, day_rule, time_zone, grace_days, position) "
        "VALUES (1, 'cs.LG', 'X', 'F', 'week', 'announced', 'UTC', 3, 1)"
    )
    types = sa.bindparam("day", type_=sa.Date), sa.bindparam("at", type_=sa.DateTime(True))
    insert = sa.text(PAPERS).bindparams(*types)
    for number, text in ((1, LONG), (2, "Short.")):
        values = {"id": number, "identifier": f"arxiv:{number}", "text": text, "hash": "0" * 64}
        connection.execute(insert, {**values, "day": DAY, "at": TAKEN_IN_AT})
    for paper, section in ((1, "cross"), (2, "submitted")):
        connection.exec_driver_sql(
            "INSERT INTO board_paper (board_id, paper_id, day, section, position) "
            f"VALUES (1, {paper}, '2026-05-16', '{section}', {paper})"
        )


def test_papers_that_are_stored_keep_their_days_and_places(engine: Engine) -> None:
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0002")
        fill_as_before(connection)
        command.upgrade(alembic_config(connection), "0003")
        paper = sa.table(
            "paper", sa.column("id"), sa.column("announced_on", sa.Date), sa.column("announced_as"),
            sa.column("content_hash"), sa.column("is_notice", sa.Boolean), sa.column("version"),
        )  # fmt: skip
        papers = connection.execute(sa.select(paper).order_by(paper.c.id)).all()
        assert [tuple(row) for row in papers] == [
            (1, DAY, "new", content_hash(LONG), False, None), (2, DAY, "submitted", None, False, None),
        ]  # fmt: skip
        event = sa.table(
            "placement_event", sa.column("paper_id"), sa.column("day", sa.Date), sa.column("section"),
            sa.column("position"), sa.column("recorded_at", sa.DateTime(True)),
        )  # fmt: skip
        events = connection.execute(sa.select(event).order_by(event.c.paper_id)).all()
        assert [tuple(row)[:4] for row in events] == [(1, DAY, "cross", 1), (2, DAY, "submitted", 2)]
        assert {row.recorded_at.replace(tzinfo=UTC) for row in events} == {TAKEN_IN_AT}
        command.downgrade(alembic_config(connection), "0002")
        days = sa.table("paper", sa.column("first_day", sa.Date))
        assert connection.execute(sa.select(days.c.first_day)).scalars().all() == [DAY, DAY]
        command.upgrade(alembic_config(connection), "head")


def test_trades_that_are_stored_keep_their_entries_and_fills(engine: Engine) -> None:
    def history(session: Session) -> None:
        _, (ada, bob) = add_market(session, "Ada", "Bob")
        for number, trader in enumerate((ada, bob, ada)):
            place_order(session, trader, order(shares=5 + number), f"{number}", NOW)
        place_order(session, bob, order(action=Action.SELL, shares=50), "refused", NOW)

    transact(engine, history)
    before = _tape(engine)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0008")
        orders = connection.exec_driver_sql("SELECT order_id FROM fill ORDER BY order_id").scalars().all()
        assert len(orders) == 3
    with pytest.raises(DBAPIError), engine.begin() as connection:
        connection.exec_driver_sql("UPDATE entry SET memo = 'x'")
    with engine.begin() as connection:
        command.upgrade(alembic_config(connection), "head")
    assert _tape(engine) == before
    for table in ("entry", "fill", "posting"):
        with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
            connection.exec_driver_sql(f"DELETE FROM {table}")
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def test_limit_orders_are_not_lost_to_older_tables(engine: Engine) -> None:
    def history(session: Session) -> None:
        _, (ada,) = add_market(session, "Ada")
        place_limit(session, ada, limit_order(), "key", NOW)

    transact(engine, history)
    with pytest.raises(Exception, match="the older tables cannot keep them"), engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0008")
    with read_session(engine) as session:
        assert verify(session).findings == ()


def _tape(engine: Engine) -> list[tuple[object, ...]]:
    statement = (
        "SELECT f.order_id, f.entry_id, f.contract_id, f.share_count, f.cost_units, f.version_after, e.hash "
        "FROM fill f JOIN entry e ON e.id = f.entry_id AND e.order_id = f.order_id ORDER BY f.version_after"
    )
    with engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(statement)]
