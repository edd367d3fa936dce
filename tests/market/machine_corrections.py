"""What the operator puts right in the random market: settlements paid anew, contracts made void."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import partial

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.corrections import CannotCorrect, correct_entry
from market.db import read_session, transact
from market.tables import Board, Contract, SettlementStatement
from market.voiding import void_contract
from nlp.tables import Term
from tests.market.factories import add_paper

REASON = "The listing came late."


class Corrections:
    """Rules for `RandomMarket`: each is done whole or refused whole, and done once."""

    engine: Engine
    now: datetime

    def entry_count(self) -> int:
        raise NotImplementedError

    @rule(which=st.integers(0, 20), papers=st.integers(0, 3))
    def settle_anew(self, which: int, papers: int) -> None:
        """Papers of a settled week come late, and its settlement is corrected."""
        with read_session(self.engine) as session:
            statements = session.exec(
                select(SettlementStatement).order_by(col(SettlementStatement.entry_id))
            ).all()
        if not statements:
            return
        statement = statements[which % len(statements)]
        transact(self.engine, lambda session: self._come_late(session, statement.contract_id, papers))
        assert statement.entry_id is not None
        work = partial(correct_entry, entry_id=statement.entry_id, reason=REASON, now=self.now)
        self._once(work)

    @rule(which=st.integers(0, 20), is_meant=st.integers(0, 2))
    def void(self, which: int, is_meant: int) -> None:
        """Of contracts that are closed; most are let be."""
        with read_session(self.engine) as session:
            closed = col(Contract.first_day) <= self.now.date()
            ids = session.exec(select(Contract.id).where(closed).order_by(col(Contract.id))).all()
        if not ids or is_meant:
            return
        number = ids[which % len(ids)]
        assert number is not None
        self._once(partial(void_contract, contract_id=number, reason=REASON, now=self.now))

    def _once(self, work: partial[object]) -> None:
        """Whether it is done or refused: a second time is refused, and what is refused books nothing."""
        with suppress(CannotCorrect):
            transact(self.engine, work)
        before = self.entry_count()
        with pytest.raises(CannotCorrect):
            transact(self.engine, work)
        assert self.entry_count() == before

    def _come_late(self, session: Session, contract_id: int, papers: int) -> None:
        contract = session.get_one(Contract, contract_id)
        board, term = session.get_one(Board, contract.board_id), session.get_one(Term, contract.term_id)
        for _ in range(papers):
            add_paper(session, board, contract.first_day, [term])
