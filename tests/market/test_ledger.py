"""Posting entries, and a machine of random trades that the ledger must come through whole."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import verify
from market.db import engine_for, read_session, transact, write_session
from market.entries import FEES, HOUSE_MINT, HOUSE_SUBSIDY, AccountKey, Kind, Line, trader_cash
from market.errors import InsufficientFunds, UnbalancedEntry
from market.ledger import balances, lock_accounts, post
from market.tables import Account, Entry, Posting
from market.trading import place_order
from tests.market.databases import recreate
from tests.market.factories import NOW, add_market, add_trader, order
from tests.market.machine import RandomMarket


def counts(session: Session) -> tuple[int, int, int]:
    tables = (Account, Entry, Posting)
    accounts, entries, postings = (
        session.exec(select(sa.func.count()).select_from(table)).one() for table in tables
    )
    return accounts, entries, postings


def test_an_entry_moves_its_amounts_and_makes_the_accounts(engine: Engine) -> None:
    minted = _moved(HOUSE_MINT, HOUSE_SUBSIDY, 70)
    entry_id = transact(engine, lambda session: post(session, Kind.SUBSIDY, minted, NOW, memo="why"))
    transact(engine, lambda session: post(session, Kind.SUBSIDY, _moved(HOUSE_SUBSIDY, FEES, 30), NOW))
    with read_session(engine) as session:
        found = balances(session, [HOUSE_MINT, HOUSE_SUBSIDY, FEES, trader_cash(99)])
        entry = session.get_one(Entry, entry_id)
        of_entry = select(Posting).where(Posting.entry_id == entry_id).order_by(col(Posting.line))
        lines = session.exec(of_entry).all()
    assert found == {HOUSE_MINT: -70, HOUSE_SUBSIDY: 40, FEES: 30, trader_cash(99): 0}
    assert (entry.kind, entry.memo, entry.recorded_at) == ("subsidy", "why", NOW)
    assert [(line.line, line.amount) for line in lines] == [(1, -70), (2, 70)]


def test_an_account_cannot_pay_more_than_it_holds(engine: Engine) -> None:
    transact(engine, lambda session: post(session, Kind.SUBSIDY, _moved(HOUSE_MINT, FEES, 10), NOW))
    with write_session(engine) as session, pytest.raises(InsufficientFunds) as caught:
        post(session, Kind.SUBSIDY, _moved(FEES, HOUSE_SUBSIDY, 11), NOW)
    assert (caught.value.account, caught.value.balance, caught.value.needed) == ("fees", 10, 11)
    transact(engine, lambda session: post(session, Kind.SUBSIDY, _moved(FEES, HOUSE_SUBSIDY, 10), NOW))
    with read_session(engine) as session:
        assert balances(session, [FEES]) == {FEES: 0}
        assert verify(session).entry_count == 2


def test_an_entry_that_does_not_balance_writes_nothing(engine: Engine) -> None:
    def unbalanced(session: Session) -> None:
        with pytest.raises(UnbalancedEntry):
            post(session, Kind.SUBSIDY, [Line(HOUSE_MINT, -2), Line(FEES, 1)], NOW)

    transact(engine, unbalanced)
    with read_session(engine) as session:
        assert counts(session) == (0, 0, 0)


def test_locking_makes_no_accounts(engine: Engine) -> None:
    held = transact(engine, lambda session: lock_accounts(session, [FEES, trader_cash(1)]))
    assert [account.id for account in held.values()] == [None, None]
    with read_session(engine) as session:
        assert counts(session) == (0, 0, 0)


def test_more_accounts_than_fit_into_one_statement(engine: Engine) -> None:
    pools = [AccountKey(f"pool:{number}:cash") for number in range(1, 1203)]
    lines = [Line(HOUSE_MINT, -len(pools)), *(Line(pool, 1) for pool in pools)]
    transact(engine, lambda session: post(session, Kind.SUBSIDY, lines, NOW))
    held = transact(engine, lambda session: lock_accounts(session, pools))
    assert {account.balance for account in held.values()} == {1}
    assert len({account.id for account in held.values()}) == len(pools)


def test_a_grant_comes_from_the_mint(engine: Engine) -> None:
    trader = transact(engine, lambda session: add_trader(session).id)
    assert trader is not None
    with read_session(engine) as session:
        assert balances(session, [HOUSE_MINT, trader_cash(trader)]) == {
            HOUSE_MINT: -10_000_000,
            trader_cash(trader): 10_000_000,
        }


def test_a_trade_takes_few_statements(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    transact(engine, lambda session: place_order(session, ada, order(), "first", NOW))
    statements: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    transact(engine, lambda session: place_order(session, ada, order(), "second", NOW))
    written = [each for each in statements if not each.startswith(("BEGIN", "SELECT"))]
    assert len(written) == 6, written  # order, balances, entry, postings, contract, fill
    read = [each for each in statements if each.startswith("SELECT")]
    assert len(read) == 5, read  # instrument, cancellations, contract, accounts, head of the chain


MACHINE = settings(
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_whatever_happens_leaves_the_ledger_whole(sqlite_template: Path) -> None:
    path = sqlite_template.with_name("machine.sqlite")

    def empty() -> None:
        for file in path.parent.glob("machine.sqlite*"):
            file.unlink()
        shutil.copy(sqlite_template, path)

    RandomMarket.engine, RandomMarket.empty = engine_for(f"sqlite:///{path}"), staticmethod(empty)
    run_state_machine_as_test(RandomMarket, settings=settings(MACHINE, max_examples=30))


def test_whatever_happens_on_postgresql(postgres_url: str, postgres_template: str) -> None:
    url = sa.make_url(postgres_url).set(database="machine")
    RandomMarket.engine = engine_for(url.render_as_string(hide_password=False))
    RandomMarket.empty = staticmethod(partial(recreate, postgres_url, "machine", postgres_template))
    run_state_machine_as_test(RandomMarket, settings=settings(MACHINE, max_examples=5))
    RandomMarket.engine.dispose()


def _moved(source: AccountKey, target: AccountKey, units: int) -> list[Line]:
    return [Line(source, -units), Line(target, units)]
