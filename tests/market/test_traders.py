"""Signing up, and being found again under a name that reads the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine
from sqlmodel import select

from market.audit import verify
from market.db import engine_for, read_session, transact, write_session
from market.entries import trader_cash
from market.errors import NameTaken, UnknownTrader
from market.ledger import balances
from market.money import GRANT_UNITS
from market.tables import Trader
from market.traders import InvalidName, change_session_key, find_trader, open_trader, trader_by_session_key
from tests.market.factories import NOW, add_trader


@pytest.fixture
def sqlite_engine(sqlite_url: str) -> Iterator[Engine]:
    engine = engine_for(sqlite_url)
    yield engine
    engine.dispose()


def test_a_new_trader_has_the_grant(engine: Engine) -> None:
    trader = transact(engine, lambda session: open_trader(session, " Ada  Byron ", "hash", NOW))
    assert trader.id is not None
    assert (trader.name, trader.is_simulated, trader.joined_at) == ("Ada Byron", False, NOW)
    with read_session(engine) as session:
        assert balances(session, [trader_cash(trader.id)]) == {trader_cash(trader.id): GRANT_UNITS}
        assert verify(session).findings == ()


@pytest.mark.parametrize("again", ["Ada", "ADA", "  ada ", "Ａｄａ", "ａｄａ"])
def test_a_name_that_reads_the_same_is_taken(engine: Engine, again: str) -> None:
    ada = transact(engine, add_trader)
    with write_session(engine) as session, pytest.raises(NameTaken):
        open_trader(session, again, "hash", NOW)
    with read_session(engine) as session:
        found = find_trader(session, again)
        assert found is not None
        assert found.id == ada.id
        assert len(session.exec(select(Trader)).all()) == 1
        assert verify(session).entry_count == 1


def test_a_taken_name_leaves_the_transaction_usable(engine: Engine) -> None:
    transact(engine, add_trader)
    with write_session(engine) as session:
        with pytest.raises(NameTaken):
            open_trader(session, "ada", "hash", NOW)
        open_trader(session, "Bob", "hash", NOW)
        session.commit()
    with read_session(engine) as session:
        assert find_trader(session, "bob") is not None
        assert find_trader(session, "bob\0") is None


@pytest.mark.parametrize("name", ["Ω-3", "नमस्ते", "李雷", "o'Neil", "a.b_c", "Jürgen", "x" * 40])
def test_names_of_many_scripts_are_taken(sqlite_engine: Engine, name: str) -> None:
    assert transact(sqlite_engine, lambda session: open_trader(session, name, "hash", NOW)).name == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "a", "x" * 41, "-ada", "a\u200bda", "a\x00b", "<b>", "ada@home", "a/b", "ﷺ" * 30, "🙂🙂"],
)
def test_what_is_no_name_is_refused(sqlite_engine: Engine, name: str) -> None:
    with write_session(sqlite_engine) as session, pytest.raises(InvalidName):
        open_trader(session, name, "hash", NOW)


def test_a_person_needs_a_password_and_a_robot_none(engine: Engine) -> None:
    robot = transact(engine, lambda session: open_trader(session, "Momentum", None, NOW, is_simulated=True))
    assert robot.password_hash is None


def test_a_changed_session_key_ends_the_old_sessions(engine: Engine) -> None:
    trader = transact(engine, add_trader)
    assert trader.id is not None
    old, number = trader.session_key, trader.id
    new = transact(engine, lambda session: change_session_key(session, number))
    with read_session(engine) as session:
        assert trader_by_session_key(session, old) is None
        found = trader_by_session_key(session, new)
        assert found is not None
        assert found.id == number
    with write_session(engine) as session, pytest.raises(UnknownTrader):
        change_session_key(session, number + 1)
