"""People who trade at the same time, and what they were told: for loads that are checked afterwards.

What is acknowledged has to be in the database as it was said, each of it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from market.cancelling import cancel_order
from market.db import read_session, transact
from market.errors import KeyReused
from market.limit_trading import place_limit
from market.limits import LimitRequest, Stands
from market.maker import Side
from market.orders import Action, OrderRequest
from market.trading import place_order
from tests.bench.load import NOW

ORDERS, FILL, CANCELLATION, ENTRY = (
    SQLModel.metadata.tables[name] for name in ("orders", "fill", "cancellation", "entry")
)
MILLI = 2_000  # the forecast, in thousandths, that a contract without papers of the past opens near


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody was told: ``reason`` "" for what was done, ``units`` and ``shares`` what it came to."""

    trader: int
    key: str
    order_id: int
    reason: str
    shares: int
    units: int
    is_cancellation: bool = False

    def line(self) -> str:
        """As one line of text; without blanks inside its parts."""
        parts = (self.trader, self.key, self.order_id, self.reason or "-", self.shares, self.units)
        return " ".join(map(str, (*parts, int(self.is_cancellation))))

    @classmethod
    def read(cls, line: str) -> Answer:
        """The answer that `line` made; raises `ValueError` for half a line."""
        trader, key, order_id, reason, shares, units, cancels = line.split()
        reason = "" if reason == "-" else reason
        return cls(int(trader), key, int(order_id), reason, int(shares), int(units), cancels == "1")


class Person:
    """One trader's requests: orders, limit orders, cancellations, and the same again with its key."""

    def __init__(self, engine: Engine, trader: int, slugs: list[str], period: str, seed: int) -> None:
        self._engine, self._trader, self._slugs, self._period = engine, trader, slugs, period
        self._name = f"person-{seed}"
        self._chance = Random(seed)
        self._sent: list[tuple[Callable[[Session], Answer], Answer]] = []
        self._limits: list[int] = []

    def act(self) -> Answer:
        """Send something; the answer. Raises `AssertionError` where a repeated request is answered anew."""
        chance = self._chance
        if self._sent and chance.random() < 0.08:
            send, before = chance.choice(self._sent)
            again = transact(self._engine, send)
            assert again == before, f"{before} was repeated and answered {again}"
            return again
        key = f"{self._name}-{len(self._sent)}"
        send = self._request(key)
        answer = transact(self._engine, send)
        self._sent.append((send, answer))
        if chance.random() < 0.02:
            self._use_again(key)
        return answer

    def _request(self, key: str) -> Callable[[Session], Answer]:
        chance, roll = self._chance, self._chance.random()
        if self._limits and roll < 0.06:
            order_id = self._limits.pop(chance.randrange(len(self._limits)))
            return partial(self._cancel, order_id=order_id, key=key)
        slug, side = chance.choice(self._slugs), chance.choice((Side.LONG, Side.SHORT))
        if roll < 0.2:
            milli = MILLI + chance.randint(-600, 600)
            limit = LimitRequest(
                "cs.LG", slug, self._period, side, Action.BUY, chance.randint(1, 20), milli,
                Stands.UNTIL_CANCELLED, None,
            )  # fmt: skip
            return partial(self._limit, request=limit, key=key)
        action = Action.SELL if roll < 0.45 else Action.BUY
        most = chance.randint(200, 40_000) if action is Action.BUY and chance.random() < 0.3 else None
        request = OrderRequest("cs.LG", slug, self._period, side, action, chance.randint(1, 20), None, most)
        return partial(self._order, request=request, key=key)

    def _order(self, session: Session, request: OrderRequest, key: str) -> Answer:
        done = place_order(session, self._trader, request, key, NOW)
        return Answer(self._trader, key, done.order_id, done.reason, done.share_count, done.total_units)

    def _limit(self, session: Session, request: LimitRequest, key: str) -> Answer:
        done = place_limit(session, self._trader, request, key, NOW)
        if done.rested_shares and not done.is_repeat:
            self._limits.append(done.order_id)
        return Answer(self._trader, key, done.order_id, done.reason, done.filled_shares, done.total_units)

    def _cancel(self, session: Session, order_id: int, key: str) -> Answer:
        done = cancel_order(session, self._trader, order_id, key, NOW)
        return Answer(self._trader, key, order_id, "", done.ended_shares, done.returned_units, True)

    def _use_again(self, key: str) -> None:
        """The key for something else, which is refused."""
        other = OrderRequest("cs.LG", self._slugs[0], self._period, Side.LONG, Action.BUY, 999, None, None)
        try:
            transact(self._engine, partial(self._order, request=other, key=key))
        except KeyReused:
            return
        raise AssertionError(f"the key {key} was taken for two things")


def faults(engine: Engine, answers: Iterable[Answer], *, is_all: bool) -> list[str]:
    """What the database does not say as it was told; with ``is_all`` also what nobody was told of."""
    told = {(each.trader, each.key): each for each in answers}
    with read_session(engine) as session:
        stored = _stored(session)
    found = [
        f"{answer} was told, and {stored.get(where)} is stored"
        for where, answer in told.items()
        if stored.get(where) != answer
    ]
    if is_all:
        found.extend(f"{stored[where]} was told to nobody" for where in stored.keys() - told.keys())
    return found


def _stored(session: Session) -> dict[tuple[int, str], Answer]:
    """Every answer as the tables have it."""
    total = sa.case((ORDERS.c.action == "buy", 1), else_=-1) * (FILL.c.cost_units + FILL.c.fee_units)
    at_once = sa.and_(FILL.c.order_id == ORDERS.c.id, ~FILL.c.from_hold)
    orders = sa.select(
        ORDERS.c.trader_id, ORDERS.c.idempotency_key, ORDERS.c.id, ORDERS.c.reason,
        sa.func.coalesce(FILL.c.share_count, 0), sa.func.coalesce(total, 0),
    ).join_from(ORDERS, FILL, at_once, isouter=True)  # fmt: skip
    cancellations = sa.select(
        CANCELLATION.c.trader_id, CANCELLATION.c.idempotency_key, CANCELLATION.c.order_id, sa.literal(""),
        CANCELLATION.c.ended_shares, CANCELLATION.c.returned_units,
    )  # fmt: skip
    run = session.connection().execute
    found = [Answer(*row) for row in run(orders)]
    found += [replace(Answer(*row), is_cancellation=True) for row in run(cancellations)]
    return {(each.trader, each.key): each for each in found if not each.key.startswith("open-")}


def counted(answers: Iterable[Answer]) -> Counter[str]:
    """How many were done, and why the others were refused."""
    return Counter(each.reason or ("cancelled" if each.is_cancellation else "done") for each in answers)
