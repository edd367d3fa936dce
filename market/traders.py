"""Traders: signing up, being found, ending every session."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from market.entries import Kind, grant_lines
from market.errors import MarketError, NameTaken, UnknownTrader
from market.inserts import insert_unless_taken
from market.ledger import post
from market.money import GRANT_UNITS
from market.tables import Trader

TRADER = SQLModel.metadata.tables["trader"]

SHORTEST_NAME, LONGEST_NAME = 2, 40
_LONGEST_KEY = 80
_PUNCTUATION = " ._-'"


class InvalidName(MarketError):
    """A name that is too short or long, or has characters that names do not have."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A name has {SHORTEST_NAME} to {LONGEST_NAME} letters and digits, begins with one of them, "
            f"and may have single spaces, dots, hyphens, underscores and apostrophes between."
        )
        self.name = name


def open_trader(
    session: Session, name: str, password_hash: str | None, now: datetime, *, is_simulated: bool = False
) -> Trader:
    """Sign a trader up and pay the grant.

    Raises `InvalidName`, and `NameTaken` when another trader's name reads the same.
    """
    shown, key = _checked_name(name)
    values = {
        "name": shown, "name_key": key, "password_hash": password_hash,
        "session_key": secrets.token_urlsafe(32), "is_simulated": is_simulated, "joined_at": now,
    }  # fmt: skip
    trader_id = insert_unless_taken(session, TRADER, values)
    if trader_id is None:
        raise NameTaken(shown)
    post(session, Kind.GRANT, grant_lines(trader_id, GRANT_UNITS), now)
    return session.get_one(Trader, trader_id)


def find_trader(session: Session, name: str) -> Trader | None:
    """The trader whose name reads like ``name``: case, width and outer spaces aside."""
    key = name_key(_tidy(name))
    if "\0" in key:  # which PostgreSQL cannot even look for
        return None
    return session.exec(select(Trader).where(Trader.name_key == key)).one_or_none()


def names_of(session: Session, trader_ids: Collection[int]) -> dict[int, str]:
    """What the traders are called, by id."""
    found = sa.select(col(Trader.id), col(Trader.name)).where(col(Trader.id).in_(trader_ids))
    return {row.id: row.name for row in session.execute(found)}


def trader_by_session_key(session: Session, key: str) -> Trader | None:
    """The trader whose sessions carry ``key``."""
    return session.exec(select(Trader).where(Trader.session_key == key)).one_or_none()


def change_session_key(session: Session, trader_id: int) -> str:
    """End every session of the trader; returns the key of the next one. Raises `UnknownTrader`."""
    key = secrets.token_urlsafe(32)
    changed = session.execute(
        sa.update(Trader).where(col(Trader.id) == trader_id).values(session_key=key).returning(col(Trader.id))
    )
    if changed.scalar_one_or_none() is None:
        raise UnknownTrader(f"There is no trader {trader_id}.")
    return key


def _checked_name(name: str) -> tuple[str, str]:
    shown = _tidy(name)
    key = name_key(shown)
    if not SHORTEST_NAME <= len(shown) <= LONGEST_NAME or len(key) > _LONGEST_KEY:
        raise InvalidName(name)
    if not shown[0].isalnum() or not all(_belongs(character) for character in shown):
        raise InvalidName(name)
    return shown, key


def _belongs(character: str) -> bool:
    # A combining mark is part of a letter in many scripts; invisible characters are neither.
    return character.isalnum() or character in _PUNCTUATION or unicodedata.category(character) in ("Mn", "Mc")


def _tidy(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())


def name_key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
