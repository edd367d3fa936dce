"""A machine of random things that happen to a market, which the ledger must come through whole.

Three traders place orders at the market and with limits, cancel, repeat what they sent, lose replies; the
process is killed between two statements; time passes, orders expire, contracts close and are settled; trading
is halted and resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.cancelling import cancel_order
from market.db import read_session, transact
from market.entries import trader_position
from market.errors import KeyReused, UnknownOrder
from market.ledger import balances
from market.limit_trading import place_limit
from market.limits import LEAST_FORECAST_MILLI, LimitRequest, Stands
from market.maker import Maker, Side
from market.orders import Action, LimitReceipt, OrderRequest, Receipt
from market.periods import front_periods
from market.rolling import roll_settled, set_roll
from market.settlement import settle_due
from market.sweeping import sweep
from market.tables import Account, Board, Contract, Entry
from market.trading import place_order
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, close_board_day, limit_order, order
from tests.market.machine_corrections import Corrections
from tests.market.machine_halts import Halts
from tests.market.machine_terms import TermChanges

BALANCES = sa.text("SELECT id, balance FROM account ORDER BY id")
FOLDED = sa.text("SELECT account_id, sum(amount) FROM posting GROUP BY account_id ORDER BY account_id")
SUMS = sa.text(
    "SELECT sum(amount) FROM posting JOIN account ON account.id = account_id GROUP BY entry_id, asset"
)
ON_HOLD = sa.text(
    r"SELECT COALESCE(SUM(balance), 0) FROM account WHERE name LIKE 'trader\:%\:hold' "
    r"UNION ALL SELECT COALESCE(SUM(balance), 0) FROM account WHERE name LIKE 'trader\:%\:hold\:%'"
)
WANTED = sa.text(
    "SELECT COALESCE(SUM(open_shares * hold_each_units), 0) FROM limit_order "
    "UNION ALL SELECT COALESCE(SUM(open_shares), 0) FROM limit_order WHERE hold_each_units IS NULL"
)

people = st.integers(0, 2)
sides = st.sampled_from(Side)
actions = st.sampled_from(Action)
weeks = st.integers(0, 1)  # of the open periods


class Killed(Exception):
    """The process ended here."""


class RandomMarket(Halts, TermChanges, Corrections, RuleBasedStateMachine):
    """After every step the entries balance, the balances are their fold and the holds what the resting orders
    need; at the end everything is audited, settled, and audited again."""

    engine: Engine  # one for all runs, since it remembers the compiled statements
    empty: Callable[[], None]  # makes its database anew
    run_count = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).run_count += 1
        type(self).empty()
        _, self.traders = transact(self.engine, lambda session: add_market(session, "Ada", "Bob", "Eve"))
        self.now: datetime = NOW
        self.sent: list[tuple[int, OrderRequest | LimitRequest, str, Receipt | LimitReceipt]] = []
        self.keys = 0

    # --- orders

    @rule(who=people, side=sides, week=weeks, shares=st.integers(1, 400))
    def buy(self, who: int, side: Side, week: int, shares: int) -> None:
        self.place(who, order(side, Action.BUY, shares, period=self.period(week)))

    @rule(who=people, side=sides, units=st.integers(1, 1_000_000), is_spend=st.booleans())
    def buy_for(self, who: int, side: Side, units: int, is_spend: bool) -> None:
        """By credits, or some shares within a price."""
        request = order(side, spend=units) if is_spend else order(side, shares=units % 50 + 1, limit=units)
        self.place(who, replace(request, period=self.period(0)))

    @rule(who=people, side=sides, week=weeks, quarters=st.integers(1, 5))
    def sell(self, who: int, side: Side, week: int, quarters: int) -> None:
        """Some of what is held, or more than that."""
        held = self.held(who, side, week)
        if not held:
            return
        shares = max(1, held * quarters // 4)
        self.place(who, order(side, Action.SELL, shares, period=self.period(week)))

    @rule(
        who=people, side=sides, action=actions, week=weeks, shares=st.integers(1, 150),
        away=st.integers(-400, 400), days=st.integers(0, 4),
        stands=st.sampled_from(Stands),
    )  # fmt: skip
    def put(
        self, who: int, side: Side, action: Action, week: int, shares: int, away: int, stands: Stands,
        days: int,
    ) -> None:  # fmt: skip
        """An order with a limit not far from where the market stands, so that it may rest and be reached."""
        period = self.period(week)
        if action is Action.SELL:
            shares = min(shares, max(1, self.held(who, side, week)))
        milli = max(LEAST_FORECAST_MILLI, self.forecast(period) + away)
        until = self.now.date() + timedelta(days=days) if stands is Stands.UNTIL_DATE else None
        self.place(who, limit_order(side, action, shares, milli, stands=stands, until=until, period=period))

    @rule(who=people, side=sides, shares=st.integers(1, 60), away=st.integers(1, 60), week=weeks,
          days=st.none() | st.integers(0, 3))  # fmt: skip
    def rest(self, who: int, side: Side, shares: int, away: int, week: int, days: int | None) -> None:
        """A buy that waits for the market to come a little its way."""
        period = self.period(week)
        milli = max(LEAST_FORECAST_MILLI, self.forecast(period) - (away if side is Side.LONG else -away))
        until = None if days is None else self.now.date() + timedelta(days=days)
        stands = Stands.UNTIL_CANCELLED if until is None else Stands.UNTIL_DATE
        request = limit_order(side, Action.BUY, shares, milli, stands=stands, until=until, period=period)
        self.place(who, request)

    @rule(who=people, side=sides, shares=st.integers(50, 300), week=weeks)
    def push(self, who: int, side: Side, shares: int, week: int) -> None:
        """Trades one way and the other, which reach what rests nearby."""
        for each in (side, Side.SHORT if side is Side.LONG else Side.LONG):
            self.place(who, order(each, Action.BUY, shares, period=self.period(week)))

    @rule(which=st.integers(0, 30), is_owner=st.integers(0, 3).map(bool))
    def cancel(self, which: int, is_owner: bool) -> None:
        """Only its owner cancels an order. The same request again changes nothing."""
        limits = [each for each in self.sent if isinstance(each[3], LimitReceipt)]
        if not limits:
            return
        owner, _, _, placed = limits[which % len(limits)]
        trader_id = self.traders[owner if is_owner else (owner + 1) % 3]
        number, key = placed.order_id, self.new_key()
        work = partial(cancel_order, trader_id=trader_id, order_id=number, key=key, now=self.now)
        try:
            receipt = transact(self.engine, work)
        except UnknownOrder:
            assert not is_owner
            return
        assert is_owner
        before = self.entry_count()
        again = transact(self.engine, work)
        assert (again.ended_shares, again.returned_units) == (receipt.ended_shares, receipt.returned_units)
        assert again.is_repeat
        assert self.entry_count() == before

    # --- what goes wrong

    @rule(which=st.integers(0, 30))
    def repeat(self, which: int) -> None:
        """Somebody sends again what they sent some time ago: the same answer, and nothing is done."""
        if not self.sent:
            return
        who, request, key, receipt = self.sent[which % len(self.sent)]
        before = self.entry_count()
        again = self.send(who, request, key)
        assert again.is_repeat
        assert again.order_id == receipt.order_id
        assert _answer(again) == _answer(receipt)
        assert self.entry_count() == before

    @rule(which=st.integers(0, 30), who=people)
    def reuse(self, which: int, who: int) -> None:
        """A key with another order is refused."""
        if not self.sent:
            return
        owner, request, key, _ = self.sent[which % len(self.sent)]
        other = order(shares=399, period=request.period)
        if other == request:
            return
        try:
            self.send(owner, other, key)
        except KeyReused:
            return
        raise AssertionError(f"{key} was taken twice")

    @rule(
        who=people, side=sides, shares=st.integers(1, 100), away=st.integers(-300, 300),
        statements=st.integers(0, 40), is_limit=st.booleans(),
    )  # fmt: skip
    def kill(
        self, who: int, side: Side, shares: int, away: int, statements: int, is_limit: bool
    ) -> None:
        """The process ends before some statement, or after the last; then the order is sent again."""
        period = self.period(0)
        milli = max(LEAST_FORECAST_MILLI, self.forecast(period) + away)
        request = limit_order(side, shares=shares, milli=milli, period=period) if is_limit else order(
            side, shares=shares, period=period
        )  # fmt: skip
        key, before = self.new_key(), self.entry_count()
        was_killed = self._killed(statements, lambda: self.send(who, request, key))
        if was_killed:
            assert self.entry_count() == before
        receipt = self.send(who, request, key)
        assert receipt.is_repeat is not was_killed
        self.sent.append((who, request, key, receipt))

    def _killed(self, statements: int, work: Callable[[], object]) -> bool:
        left = statements

        def count(*_: Any) -> None:
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1

        sa.event.listen(self.engine, "before_cursor_execute", count)
        try:
            work()
        except Killed:
            return True
        finally:
            sa.event.remove(self.engine, "before_cursor_execute", count)
        return False

    # --- time

    @rule(hours=st.integers(1, 40))
    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def sweep(self) -> None:
        sweep(self.engine, self.now)
        assert sweep(self.engine, self.now) == 0

    @rule(papers=st.integers(0, 3), days=st.integers(0, 14))
    def settle(self, papers: int, days: int) -> None:
        """Some days on, the weeks that are over are settled; a second time changes nothing."""
        self.now += timedelta(days=days)
        transact(self.engine, lambda session: self._settle(session, papers))
        roll_settled(self.engine, self.now)
        before = self.entry_count()
        transact(self.engine, lambda session: settle_due(session, self.now))
        assert roll_settled(self.engine, self.now) == ()
        assert self.entry_count() == before

    @rule(who=people, side=sides, on=st.booleans())
    def roll(self, who: int, side: Side, on: bool) -> None:
        def work(session: Session) -> None:
            board, term = session.exec(select(Board)).one(), session.get_one(Term, 1)
            assert term.id is not None
            set_roll(session, self.traders[who], board, term.id, side, on, self.now)

        transact(self.engine, work)

    def _settle(self, session: Session, papers: int) -> None:
        board, term = session.exec(select(Board)).one(), session.get_one(Term, 1)
        over = select(Contract).where(col(Contract.settled_at).is_(None), Contract.last_day < self.now.date())
        for contract in session.exec(over).all():
            for _ in range(papers):
                add_paper(session, board, contract.first_day, [term])
            close_board_day(session, board, contract.first_day)
        for outcome in settle_due(session, self.now):
            assert outcome.is_settled, outcome.reason

    # --- what holds

    @invariant()
    def the_ledger_is_whole(self) -> None:
        with read_session(self.engine) as session:
            stored = session.execute(BALANCES).all()
            folded = session.execute(FOLDED).all()
            sums = session.execute(SUMS).all()
            held, wanted = session.execute(ON_HOLD).all(), session.execute(WANTED).all()
        # An account that was made for a posting has one.
        assert [tuple(row) for row in stored] == [(number, int(total)) for number, total in folded]
        assert {total for (total,) in sums} == {0}
        assert held == wanted

    def teardown(self) -> None:
        self.check()
        self.now = max(self.now, NOW) + timedelta(days=60)
        transact(self.engine, lambda session: self._settle(session, 2))
        self.check()
        with read_session(self.engine) as session:
            names = ("pool:%", "%:pos:%", "%:hold%")
            for name in names:
                found = session.exec(select(Account.balance).where(col(Account.name).like(name))).all()
                assert set(found) <= {0}, name
        self.engine.dispose()

    def check(self) -> None:
        """The ledger holds together, and the orders played again make the same of it."""
        for audit in (verify, replay):
            with read_session(self.engine) as session:
                assert audit(session).findings == ()

    # --- how it is done

    def place(self, who: int, request: OrderRequest | LimitRequest) -> None:
        """Sent twice, since the first reply is lost."""
        key = self.new_key()
        receipt = self.send(who, request, key)
        again = self.send(who, request, key)
        assert again.is_repeat
        assert _answer(again) == _answer(receipt)
        self.sent.append((who, request, key, receipt))

    def send(self, who: int, request: OrderRequest | LimitRequest, key: str) -> Receipt | LimitReceipt:
        trader = self.traders[who]
        if isinstance(request, LimitRequest):
            limit = partial(place_limit, trader_id=trader, request=request, key=key, now=self.now)
            return transact(self.engine, limit)
        market = partial(place_order, trader_id=trader, request=request, key=key, now=self.now)
        return transact(self.engine, market)

    def new_key(self) -> str:
        self.keys += 1
        return f"key-{self.keys}"

    def period(self, week: int) -> str:
        today: date = self.now.date()
        return front_periods("week", today)[week].name

    def forecast(self, period: str) -> int:
        """The market's forecast, in thousandths of a paper."""
        with read_session(self.engine) as session:
            contract = select(Contract).where(Contract.period == period, Contract.term_id == 1)
            found = session.exec(contract).one_or_none()
        if found is None:
            return 500
        maker = Maker(found.cap, found.prior_1024, found.depth_shares)
        return maker.forecast_milli(found.long_shares, found.short_shares)

    def held(self, who: int, side: Side, week: int) -> int:
        """The shares at hand."""
        with read_session(self.engine) as session:
            contract = select(Contract.id).where(Contract.period == self.period(week), Contract.term_id == 1)
            number = session.exec(contract).first()
            account = None if number is None else trader_position(self.traders[who], number, side)
            return balances(session, [account])[account] if account else 0

    def entry_count(self) -> int:
        with read_session(self.engine) as session:
            return session.exec(select(sa.func.count()).select_from(Entry)).one()


def _answer(receipt: Receipt | LimitReceipt) -> dict[str, object]:
    fields = {name: getattr(receipt, name) for name in receipt.__slots__}
    return {name: value for name, value in fields.items() if name != "is_repeat"}
