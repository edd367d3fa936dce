"""What the operator does to the random market: trading is halted and resumed, whatever else happens."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import rule
from sqlalchemy import Engine

from market.db import read_session, transact
from market.errors import TradingHalted
from market.halts import all_halts, halt, resume
from market.limits import LimitRequest
from market.maker import Side
from market.orders import LimitReceipt, OrderRequest, Receipt
from market.periods import front_periods
from market.remarks import Remark
from market.sweeping import sweep
from tests.market.factories import order

TERM = "diffusion-model"
REMARK = Remark("The feed repeats itself.", "Ana Kettle")


class Halts:
    """Rules for `RandomMarket`. What is halted takes no order and fills none that rests."""

    engine: Engine
    now: datetime

    def send(self, who: int, request: OrderRequest | LimitRequest, key: str) -> Receipt | LimitReceipt:
        raise NotImplementedError

    def new_key(self) -> str:
        raise NotImplementedError

    def entry_count(self) -> int:
        raise NotImplementedError

    @rule(
        week=st.none() | st.integers(0, 1), is_term=st.booleans(), who=st.integers(0, 2),
        stays=st.integers(0, 3),
    )  # fmt: skip
    def halt(self, week: int | None, is_term: bool, who: int, stays: int) -> None:
        """Twice, which is as good as once; then an order is refused. Some halts stay: most of the time is for
        trading."""
        period = None if week is None else self._period(week)
        work = partial(
            halt, board="cs.LG", term=TERM if is_term else None, period=period, remark=REMARK, now=self.now
        )
        before = self.entry_count()
        transact(self.engine, work)
        again = transact(self.engine, work)
        assert not again.is_changed
        assert again.halt is not None
        refused = self.send(who, order(Side.LONG, period=period or self._period(0)), self.new_key())
        assert refused.reason == TradingHalted.__name__
        assert self.entry_count() == before
        if stays:
            self.resume(is_swept=False)

    @rule(is_swept=st.booleans())
    def resume(self, is_swept: bool) -> None:
        """Everything that is halted; what was reached meanwhile is filled by the sweep or the next trade."""
        with read_session(self.engine) as session:
            halts = all_halts(session)
        for each in halts:
            work = partial(
                resume, board=each.board, term=each.slug, period=each.scope.period, remark=REMARK,
                now=self.now,
            )  # fmt: skip
            assert transact(self.engine, work).is_changed
            assert not transact(self.engine, work).is_changed
        if is_swept:
            sweep(self.engine, self.now)

    def _period(self, week: int) -> str:
        return front_periods("week", self.now.date())[week].name
