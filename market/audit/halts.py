"""Halts (L20): no trade lies within one, and each contract's row says what the events come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.entries import CONTRACT, FILL
from market.audit.findings import Finding
from market.audit.rows import rows
from market.halts import Scope

EVENT = SQLModel.metadata.tables["halt_event"]

_EVENTS = sa.select(
    EVENT.c.id, EVENT.c.board_id, EVENT.c.term_id, EVENT.c.period, EVENT.c.is_on, EVENT.c.after_entry
).order_by(EVENT.c.id)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A scope was halted by event ``begun_by`` after one entry of the ledger, and until another (None: still
    is)."""

    scope: Scope
    begun_by: int
    after_entry: int
    last_entry: int | None = None


def check_halts(session: Session) -> Iterator[Finding]:
    """Halts and resumptions alternate, nothing was traded in between, and halted contracts say that they
    are."""
    stretches: list[_Stretch] = []
    halted: dict[Scope, _Stretch] = {}
    for row in rows(session, _EVENTS):
        scope = Scope(row.board_id, row.term_id, row.period)
        if row.is_on is (scope in halted):
            yield Finding("L20", None, f"halt event {row.id} repeats what was so before")
        begun = halted.pop(scope, None)
        if begun is not None:
            stretches.append(_Stretch(scope, begun.begun_by, begun.after_entry, row.after_entry))
        if row.is_on:
            halted[scope] = _Stretch(scope, row.id, row.after_entry)
    for stretch in (*stretches, *halted.values()):
        yield from _trades_within(session, stretch)
    yield from _wrong_marks(session, tuple(halted))


def _trades_within(session: Session, stretch: _Stretch) -> Iterator[Finding]:
    statement = (
        sa.select(FILL.c.entry_id, FILL.c.contract_id)
        .join_from(FILL, CONTRACT, CONTRACT.c.id == FILL.c.contract_id)
        .where(_covered(stretch.scope), FILL.c.entry_id > stretch.after_entry)
        .order_by(FILL.c.entry_id)
    )
    if stretch.last_entry is not None:
        statement = statement.where(FILL.c.entry_id <= stretch.last_entry)
    for entry_id, contract_id in rows(session, statement):
        message = f"contract {contract_id} was traded while halted by event {stretch.begun_by}"
        yield Finding("L20", entry_id, message)


def _wrong_marks(session: Session, halted: tuple[Scope, ...]) -> Iterator[Finding]:
    should_be = sa.or_(sa.false(), *(_covered(scope) for scope in halted))
    wrong = sa.select(CONTRACT.c.id, CONTRACT.c.is_halted).where(
        CONTRACT.c.settled_at.is_(None), CONTRACT.c.is_halted != sa.case((should_be, True), else_=False)
    )
    for contract_id, is_halted in rows(session, wrong.order_by(CONTRACT.c.id)):
        said = "halted" if is_halted else "open to orders"
        yield Finding("L20", None, f"contract {contract_id} is {said}, and the events say otherwise")


def _covered(scope: Scope) -> sa.ColumnElement[bool]:
    term = sa.true() if scope.term_id is None else CONTRACT.c.term_id == scope.term_id
    period = sa.true() if scope.period is None else CONTRACT.c.period == scope.period
    return sa.and_(CONTRACT.c.board_id == scope.board_id, term, period)
