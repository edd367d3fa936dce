"""Alembic's entry point. The connection is given by `market.db`; there is no ini file."""

from __future__ import annotations

from typing import Any, Literal, cast

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import String
from sqlmodel import AutoString, SQLModel

import market.tables  # noqa: F401  (both modules register their tables in one metadata)
import nlp.tables  # noqa: F401
from nlp.columns import BIGINT, Moment


def render_plain(kind: str, item: Any, _autogen_context: AutogenContext) -> str | Literal[False]:
    """Write our column types into revisions as plain ones, so that an old revision never changes."""
    if kind != "type":
        return False
    if isinstance(item, Moment):
        return "sa.DateTime(timezone=True)"
    if isinstance(item, AutoString):
        return f"sa.String({cast(String, item.impl).length})"
    return "BIGINT" if item is BIGINT else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    render_item=render_plain,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
