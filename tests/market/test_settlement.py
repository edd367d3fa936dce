"""Settlement: on the right papers, at the right time, once, and to the last unit."""

from __future__ import annotations

import hashlib
from datetime import date, datetime, timedelta

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import verify
from market.db import read_session, transact
from market.entries import FEES, HOUSE_MINT, HOUSE_SUBSIDY, Line, pool_cash, pool_fees, trader_cash
from market.errors import MarketError
from market.ledger import balances
from market.maker import Maker, Side
from market.settlement import (
    SettlementOutcome,
    settle_contract,
    settle_due,
    settle_in_steps,
    settled_lines,
)
from market.tables import Board, Contract, Entry, SettlementStatement
from market.trading import Action, place_order
from nlp.tables import Term
from tests.market.factories import NOW, add_board, add_market, add_paper, add_term, close_board_day, order

MAKER = Maker(16, 128, 875)
MONDAY, SUNDAY = date(2026, 5, 18), date(2026, 5, 24)
MUCH_LATER = NOW + timedelta(days=40)
DUE = datetime.combine(SUNDAY + timedelta(days=4), NOW.timetz())  # the day after the three grace days


def traded(session: Session) -> tuple[int, int, int]:
    """Ada holds 50 LONG and 20 SHORT, Bob 30 SHORT; the contract and their ids."""
    number, (ada, bob) = add_market(session, "Ada", "Bob")
    place_order(session, ada, order(Side.LONG, shares=50), "1", NOW)
    place_order(session, ada, order(Side.SHORT, shares=20), "2", NOW)
    place_order(session, bob, order(Side.SHORT, shares=30), "3", NOW)
    return number, ada, bob


def listed(session: Session, day: date, count: int = 1, *, carries: bool = True, closed: bool = True) -> None:
    board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
    for _ in range(count):
        add_paper(session, board, day, [term] if carries else [])
    if closed:
        close_board_day(session, board, day)


def settle(engine: Engine, now: datetime = DUE) -> tuple[SettlementOutcome, ...]:
    return transact(engine, lambda session: settle_due(session, now))


def check(engine: Engine) -> None:
    with read_session(engine) as session:
        assert verify(session).findings == ()


@pytest.mark.parametrize("counted", [0, 3, 16, 40])
def test_every_holder_is_paid_and_the_rest_goes_home(engine: Engine, counted: int) -> None:
    number, ada, bob = transact(engine, traded)
    with read_session(engine) as session:
        before = balances(session, [trader_cash(ada), trader_cash(bob), HOUSE_MINT, pool_cash(number)])
        gathered = balances(session, [pool_fees(number)])[pool_fees(number)]
    transact(engine, lambda session: listed(session, MONDAY, counted))
    transact(engine, lambda session: listed(session, SUNDAY, 1, carries=False))
    (outcome,) = settle(engine)
    assert (outcome.is_settled, outcome.was_settled) == (True, False)
    assert (outcome.counted, outcome.reason) == (counted, "")
    long, short = 100 * min(counted, 16), 100 * (16 - min(counted, 16))
    with read_session(engine) as session:
        after = balances(session, [*before, HOUSE_SUBSIDY])
        fees = balances(session, [FEES, pool_fees(number)])
        entries = session.exec(select(Entry).where(Entry.kind == "settle")).all()
        assert session.get_one(Contract, number).settled_at == DUE
    assert after[trader_cash(ada)] - before[trader_cash(ada)] == 50 * long + 20 * short
    assert after[trader_cash(bob)] - before[trader_cash(bob)] == 30 * short
    assert after[pool_cash(number)] == 0
    assert gathered > 0
    assert fees == {FEES: gathered, pool_fees(number): 0}
    assert after[HOUSE_MINT] == before[HOUSE_MINT]
    assert after[HOUSE_SUBSIDY] == before[pool_cash(number)] - 50 * long - 50 * short
    assert len(entries) == 1
    check(engine)


def test_only_the_board_s_papers_of_the_period_with_the_frozen_term_count(engine: Engine) -> None:
    def work(session: Session) -> int:
        number, _, _ = traded(session)
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        other_board = add_board(session, "stat.ML", position=2)
        other_term = add_term(session, "dropout", board)
        for day in (MONDAY - timedelta(days=1), MONDAY, SUNDAY, SUNDAY + timedelta(days=1)):
            add_paper(session, board, day, [term], f"arxiv:{day}")
            close_board_day(session, board, day)
        add_paper(session, board, MONDAY, [other_term], "arxiv:other-term")
        add_paper(session, other_board, MONDAY, [term], "arxiv:other-board")
        return number

    number = transact(engine, work)
    assert [outcome.counted for outcome in settle(engine)] == [2]
    with read_session(engine) as session:
        statement = session.get_one(SettlementStatement, (number, 1))
    assert statement.papers == ["arxiv:2026-05-18", "arxiv:2026-05-24"]
    published = hashlib.sha256(b"arxiv:2026-05-18\narxiv:2026-05-24\n").hexdigest()
    assert (statement.counted, statement.papers_hash) == (2, published)
    check(engine)


def test_settlement_waits_for_the_grace_days(engine: Engine) -> None:
    number, _, _ = transact(engine, traded)
    transact(engine, lambda session: listed(session, MONDAY))
    assert settle(engine, DUE - timedelta(days=1)) == ()
    outcome = transact(engine, lambda session: settle_contract(session, number, DUE - timedelta(days=1)))
    assert not outcome.is_settled
    assert outcome.reason == "2026-W21 takes late papers until 27 May 2026."
    assert settle(engine)[0].is_settled


def test_settlement_waits_while_a_listed_day_is_open_then_runs_once(engine: Engine) -> None:
    number, ada, _ = transact(engine, traded)
    (outcome,) = settle(engine)
    assert outcome.reason == "No day of 2026-W21 was closed on cs.LG; was nothing read in?"
    transact(engine, lambda session: listed(session, MONDAY, closed=False))
    (outcome,) = settle(engine)
    assert (outcome.is_settled, outcome.counted) == (False, None)
    assert outcome.reason == "Not yet closed on cs.LG: 18 May 2026."
    with read_session(engine) as session:
        assert session.exec(select(SettlementStatement)).all() == []
    transact(engine, lambda session: listed(session, MONDAY))
    assert [outcome.counted for outcome in settle(engine)] == [2]
    with read_session(engine) as session:
        paid = balances(session, [trader_cash(ada)])
    # Late papers and second runs change nothing.
    transact(engine, lambda session: listed(session, SUNDAY, 5))
    assert settle(engine) == ()
    again = transact(engine, lambda session: settle_contract(session, number, DUE))
    assert (again.is_settled, again.was_settled, again.counted) == (True, True, 2)
    with read_session(engine) as session:
        assert balances(session, [trader_cash(ada)]) == paid
    check(engine)


def test_a_contract_whose_shares_were_all_sold_settles(engine: Engine) -> None:
    def work(session: Session) -> int:
        number, (ada,) = add_market(session, "Ada")
        place_order(session, ada, order(shares=5), "1", NOW)
        place_order(session, ada, order(action=Action.SELL, shares=5), "2", NOW)
        listed(session, MONDAY)
        return number

    transact(engine, work)
    assert settle(engine)[0].is_settled
    with read_session(engine) as session:
        assert balances(session, [HOUSE_SUBSIDY]) == {HOUSE_SUBSIDY: MAKER.subsidy_units()}
    check(engine)


def test_what_comes_back_funds_the_next_contract(engine: Engine) -> None:
    def work(session: Session) -> int:
        _, (ada,) = add_market(session, "Ada")
        listed(session, MONDAY)
        settle_due(session, DUE)
        before = balances(session, [HOUSE_MINT])[HOUSE_MINT]
        place_order(session, ada, order(shares=5, period="2026-W24"), "1", DUE)
        return before - balances(session, [HOUSE_MINT])[HOUSE_MINT]

    minted = transact(engine, work)
    with read_session(engine) as session:
        subsidies = session.exec(select(Contract.subsidy_units).order_by(Contract.period)).all()
    assert minted == max(0, subsidies[1] - subsidies[0])
    check(engine)


def test_several_contracts_settle_together(engine: Engine) -> None:
    def work(session: Session) -> None:
        _, ada, bob = traded(session)
        for trader in (ada, bob):
            place_order(session, trader, order(Side.SHORT, shares=7, period="2026-W22"), "4", NOW)
        listed(session, MONDAY)
        listed(session, date(2026, 5, 27))

    transact(engine, work)
    outcomes = settle(engine, DUE + timedelta(days=7))
    assert [(outcome.period, outcome.is_settled) for outcome in outcomes] == [
        ("2026-W21", True),
        ("2026-W22", True),
    ]
    check(engine)


def test_an_unknown_contract_is_an_error(engine: Engine) -> None:
    with pytest.raises(MarketError, match="no contract 12"):
        transact(engine, lambda session: settle_contract(session, 12, DUE))


def test_settling_in_steps_goes_on_where_it_was_stopped(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three contracts, two in a step: what a step has settled stays settled, the rest is settled later."""
    transact(engine, three_contracts)
    monkeypatch.setattr("market.settlement.CONTRACTS_AT_ONCE", 2)
    stopped_at = "2026-W23"

    def stop(contract: Contract, *given: object) -> tuple[Line, ...]:
        if contract.period == stopped_at:
            raise KeyboardInterrupt
        return settled_lines(contract, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as until_stopped:
        until_stopped.setattr("market.settlement.settled_lines", stop)
        with pytest.raises(KeyboardInterrupt):
            settle_in_steps(engine, MUCH_LATER)
    with read_session(engine) as session:
        open_ones = session.exec(select(Contract.period).where(col(Contract.settled_at).is_(None))).all()
    assert open_ones == [stopped_at]
    assert [each.period for each in settle_in_steps(engine, MUCH_LATER)] == [stopped_at]
    assert settle_in_steps(engine, MUCH_LATER) == ()
    check(engine)


def three_contracts(session: Session) -> None:
    _, (ada,) = add_market(session, "Ada")
    board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
    for week, day in enumerate((MONDAY, MONDAY + timedelta(days=7), MONDAY + timedelta(days=14)), start=1):
        place_order(session, ada, order(shares=5, period=f"2026-W2{week}"), f"{week}", NOW)
        add_paper(session, board, day, [term])
        close_board_day(session, board, day)
