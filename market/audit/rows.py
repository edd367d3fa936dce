"""Reading many rows one after the other, without holding them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

ROWS_AT_ONCE = 1000


def rows(session: Session, statement: sa.Select[Any]) -> Iterator[Any]:
    """The rows of the statement, fetched by the thousand."""
    yield from session.connection().execute(statement.execution_options(yield_per=ROWS_AT_ONCE))
