"""Migrations that move what is stored: nothing of it is lost on the way up, nor on the way down."""

from __future__ import annotations

from datetime import UTC, date, datetime

import sqlalchemy as sa
from alembic import command
from sqlalchemy import Engine

from market.db import alembic_config
from nlp.content import content_hash

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
