"""Terms change while people trade, papers come in, and somebody else changes them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.db import read_session, transact
from market.listing import TermChangeRefused
from market.merging import merge_terms
from market.settlement import settle_due
from market.splitting import split_term
from market.tables import Board, Contract, SettlementStatement
from market.trading import place_order
from nlp.tables import Term
from tests.market.factories import DAY, PERIOD, add_trader, close_board_day, order
from tests.market.terms import LATER, begin, by, check, counts, read_in, term
from tests.market.test_term_changes import IN_PERIOD, OVER

Work = Callable[[Session], object]


@pytest.fixture
def board(engine: Engine) -> Engine:
    transact(engine, begin)
    return engine


def at_once(engine: Engine, *works: Work) -> list[object]:
    """What each of the works, begun together, returned or was refused with."""
    barrier, results = threading.Barrier(len(works)), [None] * len(works)

    def run(number: int, work: Work) -> None:
        barrier.wait()
        try:
            results[number] = transact(engine, work)
        except TermChangeRefused as refusal:
            results[number] = refusal

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return list(results)


def merge(session: Session, old: str, into: str) -> object:
    return merge_terms(session, term(session, old), term(session, into), by(now=LATER))


def test_two_merges_of_each_other_make_one(board: Engine) -> None:
    results = at_once(
        board,
        partial(merge, old="ddpm", into="diffusion-model"),
        partial(merge, old="diffusion-model", into="ddpm"),
        partial(merge, old="ddpm", into="diffusion-model"),
    )
    assert sum(isinstance(result, TermChangeRefused) for result in results) == 2
    with read_session(board) as session:
        assert sorted(counts(session).values()) == [1, 4]
    check(board)


def test_papers_that_come_in_meanwhile_are_counted_once(board: Engine) -> None:
    texts = ["A DDPM.", "A score model.", "A diffusion model."]
    at_once(
        board,
        partial(merge, old="ddpm", into="diffusion-model"),
        lambda session: read_in(session, texts, DAY, LATER),
        lambda session: split_term(
            session, term(session, "diffusion-model"), ["score model"], "score model", by("two", LATER)
        ),
    )
    with read_session(board) as session:
        assert counts(session) == {"diffusion-model": 5, "score-model": 3, "flow-matching": 1}
    check(board)


def test_an_order_beside_a_merge_is_taken_or_refused_and_settled_right(board: Engine) -> None:
    def traders(session: Session) -> list[int]:
        found = [add_trader(session, name).id for name in ("Ana Kettle", "Bob Lid", "Eve")]
        return [each for each in found if each is not None]

    ids = transact(board, traders)
    results = at_once(
        board,
        partial(merge, old="ddpm", into="diffusion-model"),
        *(
            partial(place_order, trader_id=each, request=order(term="ddpm"), key="one", now=LATER)
            for each in ids
        ),
    )
    filled = [getattr(result, "is_filled", None) for result in results[1:]]
    assert set(filled) <= {True, False}

    def settle(session: Session) -> None:
        read_in(session, ["A DDPM.", "A diffusion model."], IN_PERIOD, LATER)
        close_board_day(session, session.exec(select(Board)).one(), IN_PERIOD)
        settle_due(session, OVER)

    transact(board, settle)
    with read_session(board) as session:
        settled = session.execute(
            sa.select(col(Term.slug), col(SettlementStatement.counted))
            .join(Contract, col(Contract.term_id) == Term.id)
            .join(SettlementStatement, col(SettlementStatement.contract_id) == Contract.id)
            .where(col(Contract.period) == PERIOD)
        ).all()
    assert [tuple(row) for row in settled] == ([("ddpm", 1)] if any(filled) else [])
    check(board)
