"""Posting entries, and a machine of random trades that the ledger must come through whole."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.db import engine_for, read_session, transact, write_session
from market.entries import FEES, HOUSE_MINT, HOUSE_SUBSIDY, AccountKey, Kind, Line, trader_cash
from market.errors import InsufficientFunds, UnbalancedEntry
from market.ledger import balances, lock_accounts, post
from market.maker import Side
from market.settlement import settle_due
from market.tables import Account, Board, Entry, Posting
from market.trading import Action, OrderRequest, place_order
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, add_trader, close_board_day, order


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
    assert len(read) == 4, read  # instrument, contract, accounts, head of the chain


BALANCES = sa.text("SELECT id, balance FROM account ORDER BY id")
FOLDED = sa.text("SELECT account_id, sum(amount) FROM posting GROUP BY account_id ORDER BY account_id")
SUMS = sa.text(
    "SELECT sum(amount) FROM posting JOIN account ON account.id = account_id GROUP BY entry_id, asset"
)


class RandomTrades(RuleBasedStateMachine):
    """Three traders on two contracts. After every step the entries balance and the balances are their fold;
    at the end everything is verified, settled, and verified again."""

    template: Path
    engine: Engine  # one for all runs, since it remembers the compiled statements

    def __init__(self) -> None:
        super().__init__()
        path = self.template.with_name("machine.sqlite")
        for file in path.parent.glob("machine.sqlite*"):
            file.unlink()
        shutil.copy(self.template, path)
        _, self.traders = transact(self.engine, lambda session: add_market(session, "Ada", "Bob", "Eve"))
        self.cash = dict.fromkeys(self.traders, 10_000_000)
        self.keys = 0

    def place(self, trader: int, request: OrderRequest) -> None:
        self.keys += 1
        key = f"order-{self.keys}"
        receipt = transact(self.engine, lambda session: place_order(session, trader, request, key, NOW))
        if receipt.is_filled:
            self.cash[trader] -= receipt.cost_units + receipt.fee_units
        again = transact(self.engine, lambda session: place_order(session, trader, request, key, NOW))
        assert again.is_repeat
        assert (again.order_id, again.total_units) == (receipt.order_id, receipt.total_units)

    people = st.integers(0, 2)
    sides = st.sampled_from(Side)
    periods = st.sampled_from(["2026-W21", "2026-W22"])

    @rule(who=people, side=sides, period=periods, shares=st.integers(1, 400))
    def buy(self, who: int, side: Side, period: str, shares: int) -> None:
        self.place(self.traders[who], order(side, Action.BUY, shares, period=period))

    @rule(who=people, side=sides, period=periods, spend=st.integers(1, 5_000_000))
    def spend(self, who: int, side: Side, period: str, spend: int) -> None:
        self.place(self.traders[who], order(side, Action.BUY, spend=spend, period=period))

    @rule(who=people, side=sides, period=periods, shares=st.integers(1, 200))
    def sell(self, who: int, side: Side, period: str, shares: int) -> None:
        self.place(self.traders[who], order(side, Action.SELL, shares, period=period))

    @rule(who=people, side=sides, shares=st.integers(1, 50), limit=st.integers(1, 100_000))
    def buy_within_a_limit(self, who: int, side: Side, shares: int, limit: int) -> None:
        self.place(self.traders[who], order(side, Action.BUY, shares, limit=limit))

    @invariant()
    def the_ledger_is_whole(self) -> None:
        with read_session(self.engine) as session:
            found = balances(session, map(trader_cash, self.traders))
            stored = session.execute(BALANCES).all()
            folded = session.execute(FOLDED).all()
            sums = session.execute(SUMS).all()
        assert found == {trader_cash(trader): units for trader, units in self.cash.items()}
        assert stored == folded
        assert {total for (total,) in sums} == {0}

    def teardown(self) -> None:
        self.check()
        transact(self.engine, self.settle_all)
        self.check()
        with read_session(self.engine) as session:
            pools = session.exec(select(Account).where(col(Account.name).like("pool:%"))).all()
            positions = session.exec(select(Account).where(col(Account.name).like("%:pos:%"))).all()
        assert {account.balance for account in [*pools, *positions]} <= {0}
        self.engine.dispose()

    def check(self) -> None:
        """The ledger holds together, and the orders played again make the same of it."""
        for audit in (verify, replay):
            with read_session(self.engine) as session:
                assert audit(session).findings == ()

    @staticmethod
    def settle_all(session: Session) -> None:
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        for day in (date(2026, 5, 20), date(2026, 5, 27)):
            add_paper(session, board, day, [term])
            close_board_day(session, board, day)
        assert all(outcome.is_settled for outcome in settle_due(session, NOW + timedelta(days=30)))


def test_random_trades_leave_the_ledger_whole(sqlite_template: Path) -> None:
    RandomTrades.template = sqlite_template
    RandomTrades.engine = engine_for(f"sqlite:///{sqlite_template.with_name('machine.sqlite')}")
    run_state_machine_as_test(
        RandomTrades,
        settings=settings(
            max_examples=30,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


def _moved(source: AccountKey, target: AccountKey, units: int) -> list[Line]:
    return [Line(source, -units), Line(target, units)]
