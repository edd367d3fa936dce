"""A session that sees one moment, whatever is traded meanwhile."""

from __future__ import annotations

from sqlmodel import Session


def see_one_moment(session: Session) -> None:
    """Let everything that the session will read be of one moment; nothing may have been read yet."""
    # SQLite's transactions see one moment anyway.
    if session.get_bind().dialect.name == "postgresql" and not session.in_transaction():
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
