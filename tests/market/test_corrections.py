"""Corrections: what can be taken back and what cannot, and that everything holds afterwards."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.cancelling import cancel_order
from market.corrections import CannotCorrect, Correction, correct_entry
from market.db import engine_for, read_session, transact, write_session
from market.entries import FEES, HOUSE_SUBSIDY, Kind, Line, pool_cash, trader_cash, trader_hold
from market.errors import MarketError
from market.intake import take_in
from market.ledger import balances, post
from market.limit_trading import place_limit
from market.maker import Side
from market.money import GRANT_UNITS
from market.orders import Action, OrderRequest
from market.reads.portfolio import portfolio
from market.reads.term_trades import contracts_of
from market.rolling import rolls_due, set_roll
from market.settlement import settle_due
from market.stored_statements import NoStatement, recount_stored, statement_of
from market.tables import Account, Board, Contract, Entry, Order, Posting, SettlementStatement, Trader
from market.trading import place_order
from market.voiding import void_contract
from nlp.tables import Term
from tests.market.factories import (
    DAY,
    NOW,
    PERIOD,
    add_market,
    add_paper,
    add_trader,
    close_board_day,
    limit_order,
    order,
)
from tests.market.histories import alter
from tests.market.settlements import DUE, begin, raw, settle

REASON = "The listing of Monday came late."
LATER = DUE + timedelta(days=1)


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def check_session(session: Session) -> None:
    session.flush()
    assert verify(session).findings == ()
    assert replay(session).findings == ()


def entry_of(session: Session, kind: str) -> int:
    of_kind = select(Entry.id).where(Entry.kind == kind)
    return session.exec(of_kind.order_by(col(Entry.id).desc())).first() or 0


def traded_and_settled(session: Session) -> tuple[int, int, int]:
    """A settled contract on which Ana is LONG and Bob SHORT; its id, and theirs."""
    number = begin(session)
    bob = add_trader(session, "Bob Lid")
    assert bob.id is not None
    sell = OrderRequest("cs.LG", "diffusion-model", PERIOD, Side.SHORT, Action.BUY, 30, None, None)
    assert place_order(session, bob.id, sell, "bob", NOW).is_filled
    take_in(session, [raw(1), raw(2, 3), raw(3, 5)], now=DUE)
    settle(session)
    return number, 1, bob.id


def late(session: Session) -> None:
    """Two more papers with the term."""
    take_in(session, [raw(11), raw(12)], now=LATER)


def correct(engine: Engine, entry_id: int) -> Correction:
    return transact(engine, lambda session: correct_entry(session, entry_id, REASON, LATER))


# Settlements


def test_a_wrong_settlement_is_reversed_and_paid_anew_on_a_new_statement(engine: Engine) -> None:
    number, ana, bob = transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
        before = balances(session, [trader_cash(ana), trader_cash(bob), FEES])
        cap = session.get_one(Contract, number).cap
    made = correct(engine, wrong)
    assert (made.corrects_id, made.contract_id, made.counted_before, made.counted) == (wrong, number, 2, 4)
    with read_session(engine) as session:
        after = balances(session, [trader_cash(ana), trader_cash(bob), FEES])
        statement = statement_of(session, number)
        first = statement_of(session, number, 1)
        assert recount_stored(session, statement).is_equal
    assert after[trader_cash(ana)] - before[trader_cash(ana)] == 5 * 2 * 100
    assert after[trader_cash(bob)] - before[trader_cash(bob)] == -30 * 2 * 100
    assert after[FEES] == before[FEES]
    assert cap > 4
    assert (statement.number, statement.counted, statement.reason) == (2, 4, REASON)
    assert (first.number, first.counted, first.reason) == (1, 2, "")
    assert (statement.lexicon_hash, statement.forms_hash) == (first.lexicon_hash, first.forms_hash)
    assert statement.listed_hash != first.listed_hash
    check(engine)


def test_a_correction_and_what_it_takes_back_sum_to_zero(engine: Engine) -> None:
    transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
    made = correct(engine, wrong)
    with read_session(engine) as session:
        rows = session.execute(
            sa.select(col(Posting.account_id), sa.func.sum(Posting.amount))
            .where(col(Posting.entry_id).in_([wrong, made.entry_id]))
            .group_by(col(Posting.account_id))
        ).all()
        assert len(rows) > 4
        assert all(total == 0 for _, total in rows)


def test_a_settlement_is_corrected_once_at_most(engine: Engine) -> None:
    number, _, _ = transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
    made = correct(engine, wrong)
    with pytest.raises(CannotCorrect, match=f"Entry {wrong} was corrected before, by entry {made.entry_id}"):
        correct(engine, wrong)
    with read_session(engine) as session:
        anew = entry_of(session, "settle")
    assert anew != wrong
    with pytest.raises(CannotCorrect, match=f"settlement of contract {number} was corrected before"):
        correct(engine, anew)
    with pytest.raises(CannotCorrect, match=f"Entry {made.entry_id} is a correction itself"):
        correct(engine, made.entry_id)
    check(engine)


def test_a_settlement_whose_recount_is_equal_is_not_corrected(engine: Engine) -> None:
    transact(engine, traded_and_settled)
    with read_session(engine) as session:
        entry = entry_of(session, "settle")
    with pytest.raises(CannotCorrect, match="A recount finds the same 2 papers: there is nothing to correct"):
        correct(engine, entry)
    check(engine)


def set_aside_all_but(session: Session, trader: int, left: int) -> None:
    """Bring what the trader has at hand down to so many units; no order says so, so nothing of it is kept."""
    cash = balances(session, [trader_cash(trader)])[trader_cash(trader)]
    lines = (Line(trader_cash(trader), left - cash), Line(trader_hold(trader), cash - left))
    post(session, Kind.HOLD, lines, LATER)


def test_who_has_spent_what_was_paid_is_charged_the_difference_alone(engine: Engine) -> None:
    """Bob's payout falls by 0.60 credits: he needs that much, not the whole payout back."""
    number, _, bob = transact(engine, traded_and_settled)
    transact(engine, late)
    with write_session(engine) as session:
        set_aside_all_but(session, bob, 6000)
        correct_entry(session, entry_of(session, "settle"), REASON, LATER)
        assert balances(session, [trader_cash(bob)]) == {trader_cash(bob): 0}
        assert statement_of(session, number).counted == 4
        session.rollback()


def test_a_correction_that_an_account_cannot_pay_is_refused_whole(engine: Engine) -> None:
    number, _, bob = transact(engine, traded_and_settled)
    transact(engine, late)
    with write_session(engine) as session:
        set_aside_all_but(session, bob, 5000)
        wrong = entry_of(session, "settle")
        count = session.exec(select(sa.func.count()).select_from(Entry)).one()
        said = rf"trader:{bob}:cash holds 0\.50 of the 0\.60 credits that would be taken back. Nothing was"
        with pytest.raises(CannotCorrect, match=said), session.begin_nested():
            correct_entry(session, wrong, REASON, LATER)
        assert session.exec(select(sa.func.count()).select_from(Entry)).one() == count
        assert statement_of(session, number).number == 1
        session.rollback()


def test_readers_see_the_statement_in_force(engine: Engine) -> None:
    number, ana, _ = transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
    correct(engine, wrong)
    with read_session(engine) as session:
        board, term = session.exec(select(Board)).one(), session.get_one(Contract, number).term_id
        (position,) = portfolio(session, ana, LATER).past
        assert position.counted == 4
        assert position.correction is not None
        assert (position.correction.reason, position.correction.recorded_at) == (REASON, LATER)
        today = LATER.date()
        (now,) = [each for each in contracts_of(session, board, term, today, 1) if each.period == PERIOD]
        assert (now.counted, len(now.papers)) == (4, 4)
        assert now.correction == position.correction
        known = contracts_of(session, board, term, today, 1, known_at=DUE)
        (then,) = [each for each in known if each.period == PERIOD]
        assert (then.counted, then.correction) == (2, None)
        found = portfolio(session, ana, LATER)
        assert found.equity_units == (
            found.granted_units + found.realised_units + found.unrealised_units - found.fee_units
        )


def test_what_is_rolled_on_after_a_correction_is_what_the_new_settlement_paid(engine: Engine) -> None:
    def work(session: Session) -> None:
        board, term = session.exec(select(Board)).one(), session.exec(select(Term).where(Term.id == 1)).one()
        assert term.id is not None
        set_roll(session, 1, board, term.id, Side.LONG, True, NOW)
        late(session)

    transact(engine, traded_and_settled)
    transact(engine, work)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
        assert [due.proceeds_units for due in rolls_due(session)] == [5 * 2 * 100]
    correct(engine, wrong)
    with read_session(engine) as session:
        assert [due.proceeds_units for due in rolls_due(session)] == [5 * 4 * 100]


# Grants


def test_a_grant_is_taken_back_once_while_its_owner_has_it(engine: Engine) -> None:
    ana = transact(engine, lambda session: add_trader(session, "Ana Kettle").id or 0)
    with read_session(engine) as session:
        grant = entry_of(session, "grant")
    made = correct(engine, grant)
    assert (made.contract_id, made.counted) == (None, None)
    with read_session(engine) as session:
        assert balances(session, [trader_cash(ana)]) == {trader_cash(ana): 0}
        assert portfolio(session, ana, NOW).granted_units == 0
    with pytest.raises(CannotCorrect, match="was corrected before"):
        correct(engine, grant)
    check(engine)


def test_a_grant_that_was_spent_is_not_taken_back(engine: Engine) -> None:
    def work(session: Session) -> int:
        _, (ana,) = add_market(session, "Ana Kettle")
        place_order(session, ana, order(shares=10), "key", NOW)
        return entry_of(session, "grant")

    grant = transact(engine, work)
    with pytest.raises(CannotCorrect, match=r"trader:1:cash holds 999\.[0-9]+ of the 1,000\.00 credits"):
        correct(engine, grant)
    check(engine)


def test_an_entry_is_never_taken_back_twice_even_past_the_check(engine: Engine) -> None:
    transact(engine, lambda session: add_trader(session, "Ana Kettle").id)
    with read_session(engine) as session:
        grant = entry_of(session, "grant")
    correct(engine, grant)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO entry (kind, corrects_id, memo, recorded_at, chain, sequence, hash) "
            f"VALUES ('correct', {grant}, '', '2026-05-17', 0, 9, 'x')"
        )


# What is no entry to correct


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("open", r"opened a contract, which is void or stands as a whole\. To void it: peer-revenue void 1"),
        ("trade", r"is a trade by which later ones were priced; a contract is void .* peer-revenue void 1"),
        ("hold", "sets something aside for an order; its owner can cancel that"),
        ("release", "returned what an order had set aside"),
        ("subsidy", "made credits for the house"),
    ],
)
def test_other_entries_are_not_corrected_and_why_is_said(engine: Engine, kind: str, message: str) -> None:
    def work(session: Session) -> int:
        _, (ana,) = add_market(session, "Ana Kettle")
        place_order(session, ana, order(shares=10), "key", NOW)
        placed = place_limit(session, ana, limit_order(milli=1000), "limit", NOW)
        cancel_order(session, ana, placed.order_id, "cancel", NOW)
        return entry_of(session, kind)

    entry = transact(engine, work)
    with pytest.raises(CannotCorrect, match=f"Entry {entry} {message}"):
        correct(engine, entry)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 401])
def test_a_correction_needs_a_reason(engine: Engine, reason: str) -> None:
    transact(engine, lambda session: add_trader(session, "Ana Kettle").id)
    with pytest.raises(CannotCorrect, match="needs a reason"):
        transact(engine, lambda session: correct_entry(session, 1, reason, NOW))


def test_what_is_not_there_cannot_be_corrected(engine: Engine) -> None:
    with pytest.raises(CannotCorrect, match="There is no entry 9"):
        correct(engine, 9)
    with pytest.raises(MarketError, match="There is no contract 9"):
        transact(engine, lambda session: void_contract(session, 9, REASON, NOW))


# Void contracts


def bought_and_sold(session: Session, seed: int = 7) -> int:
    """A contract with trades of two people, limit orders that rest and were filled, one cancelled."""
    number, (ana, bob) = add_market(session, "Ana Kettle", "Bob Lid")
    chance = random.Random(seed)
    for at in range(25):
        action = chance.choice([Action.BUY, Action.BUY, Action.SELL])
        request = order(chance.choice(list(Side)), action, chance.randint(1, 40))
        place_order(session, chance.choice([ana, bob]), request, f"key-{at}", NOW)
        if at % 6 == 0:
            limit = limit_order(shares=9, milli=chance.randint(800, 4000))
            place_limit(session, chance.choice([ana, bob]), limit, f"l-{at}", NOW)
    return number


def test_a_bought_then_voided_contract(engine: Engine) -> None:
    """Everybody has what they had before, to the unit, and the contract takes no orders any more."""

    def work(session: Session) -> int:
        number, (ana, bob) = add_market(session, "Ana Kettle", "Bob Lid")
        for trader, side in ((ana, Side.LONG), (bob, Side.SHORT), (ana, Side.LONG)):
            assert place_order(session, trader, order(side, shares=20), f"{trader}{side}{trader}", NOW)
        place_order(session, ana, order(shares=20), "again", NOW)
        return number

    number = transact(engine, work)
    transact(engine, lambda session: void_contract(session, number, REASON, LATER))
    with read_session(engine) as session:
        held = balances(session, [trader_cash(1), trader_cash(2), FEES, pool_cash(number), HOUSE_SUBSIDY])
        contract = session.get_one(Contract, number)
        positions = session.exec(select(Account.balance).where(Account.contract_id == number)).all()
        assert set(positions) == {0}
    assert held[trader_cash(1)] == held[trader_cash(2)] == GRANT_UNITS
    assert (held[FEES], held[pool_cash(number)]) == (0, 0)
    assert held[HOUSE_SUBSIDY] == contract.subsidy_units
    assert (contract.is_void, contract.settled_at, contract.statement_number) == (True, LATER, 0)
    check(engine)

    def after(session: Session) -> tuple[str, str]:
        answer = place_order(session, 1, order(), "after", NOW)
        return answer.reason, answer.message

    assert transact(engine, after) == (
        "ContractVoid", f"The contract for {PERIOD} is void: no orders are taken on it."
    )  # fmt: skip
    with pytest.raises(CannotCorrect, match=f"Contract {number} is void already"):
        transact(engine, lambda session: void_contract(session, number, REASON, LATER))
    with read_session(engine) as session, pytest.raises(NoStatement, match="is void: nothing was paid"):
        statement_of(session, number)
    assert transact(engine, lambda session: settle_due(session, DUE)) == ()
    check(engine)


def test_a_settled_contract_is_voided_after_its_correction_too(engine: Engine) -> None:
    number, ana, bob = transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
    correct(engine, wrong)
    transact(engine, lambda session: void_contract(session, number, REASON, LATER))
    with read_session(engine) as session:
        held = balances(session, [trader_cash(ana), trader_cash(bob), FEES])
    assert held == {trader_cash(ana): GRANT_UNITS, trader_cash(bob): GRANT_UNITS, FEES: 0}
    with read_session(engine) as session:
        assert len(session.exec(select(SettlementStatement)).all()) == 2
    check(engine)


def test_a_void_contract_is_refused_while_somebody_has_spent_their_gain(engine: Engine) -> None:
    with write_session(engine) as session:
        number, (ana, bob) = add_market(session, "Ana Kettle", "Bob Lid")
        place_order(session, ana, order(shares=300), "1", NOW)
        place_order(session, bob, order(shares=300), "2", NOW)
        place_order(session, ana, order(action=Action.SELL, shares=300), "3", NOW)
        gain = balances(session, [trader_cash(ana)])[trader_cash(ana)] - GRANT_UNITS
        assert gain > 0
        for left, is_refused in ((gain - 1, True), (gain, False)):
            with session.begin_nested() as nested:
                set_aside_all_but(session, ana, left)
                if is_refused:
                    with pytest.raises(CannotCorrect, match=f"trader:{ana}:cash holds"):
                        void_contract(session, number, REASON, LATER)
                else:
                    void_contract(session, number, REASON, LATER)
                    assert balances(session, [trader_cash(ana)]) == {trader_cash(ana): 0}
                nested.rollback()
        session.rollback()


def test_the_portfolio_of_a_void_contract_shows_no_gain_and_no_fee(engine: Engine) -> None:
    number = transact(engine, bought_and_sold)
    transact(engine, lambda session: void_contract(session, number, REASON, LATER))
    with read_session(engine) as session:
        for trader in (1, 2):
            found = portfolio(session, trader, LATER)
            assert found.held == ()
            assert (found.cash_units, found.hold_units, found.fee_units) == (GRANT_UNITS, 0, 0)
            for position in found.past:
                assert position.is_void
                assert position.correction is not None
                assert (position.correction.reason, position.realised_units) == (REASON, 0)
        board, term = session.exec(select(Board)).one(), session.exec(select(Term.id)).one()
        assert term is not None
        (shown,) = [each for each in contracts_of(session, board, term, DAY, 1) if each.period == PERIOD]
        assert (shown.is_void, shown.is_open, shown.counted) == (True, False, None)
        (then,) = [
            each for each in contracts_of(session, board, term, DAY, 1, known_at=NOW) if each.period == PERIOD
        ]
        assert (then.is_void, then.is_open) == (False, True)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), counted=st.integers(0, 20), stage=st.sampled_from(["open", "settled"]))
def test_whatever_was_traded_a_void_leaves_every_account_as_without_it(
    engine: Engine, seed: int, counted: int, stage: str
) -> None:
    with write_session(engine) as session:
        number = bought_and_sold(session, seed)
        if stage == "settled":
            board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
            for _ in range(counted):
                add_paper(session, board, date(2026, 5, 18), [term])
            close_board_day(session, board, date(2026, 5, 18))
            assert settle_due(session, DUE)[0].counted == counted
        void_contract(session, number, REASON, LATER)
        ana, bob = (trader or 0 for trader in session.exec(select(Trader.id).order_by(col(Trader.id))))
        accounts = [trader_cash(ana), trader_cash(bob), trader_hold(ana), trader_hold(bob), FEES]
        held = balances(session, accounts)
        assert list(held.values()) == [GRANT_UNITS, GRANT_UNITS, 0, 0, 0]
        assert session.exec(select(Account.balance).where(Account.contract_id == number)).all().count(0) > 3
        check_session(session)
        session.rollback()


@pytest.mark.parametrize(
    ("statement", "invariant"),
    [
        ("UPDATE entry SET corrects_id = NULL WHERE kind = 'correct'", "L17"),
        ("UPDATE entry SET memo = '' WHERE kind = 'correct'", "L17"),
        ("UPDATE contract SET statement_number = 1", "L18"),
        ("UPDATE contract SET is_void = 1", "L18"),
        ("DELETE FROM settlement_statement WHERE number = 2", "L18"),
        ("UPDATE settlement_statement SET forms_hash = 'x'", "L18"),
        ("UPDATE settlement_statement SET papers = '[\"arxiv:1\", \"arxiv:2\"]' WHERE number = 1", "L18"),
        ("UPDATE statement_part SET content = '[]'", "L18"),
        ("UPDATE posting SET amount = amount + 1 WHERE entry_id = "
         "(SELECT max(id) FROM entry WHERE kind = 'correct') AND line = 1", "L14"),
    ],
)  # fmt: skip
def test_the_audit_finds_altered_corrections(sqlite_url: str, statement: str, invariant: str) -> None:
    engine = engine_for(sqlite_url)
    transact(engine, traded_and_settled)
    transact(engine, late)
    with read_session(engine) as session:
        wrong = entry_of(session, "settle")
    correct(engine, wrong)
    for table in ("entry", "settlement_statement", "statement_part", "posting"):
        for change in ("update", "delete"):
            alter(engine, f"DROP TRIGGER {table}_no_{change}")
    alter(engine, statement)
    with read_session(engine) as session:
        assert invariant in {finding.invariant for finding in verify(session).findings}
    engine.dispose()


def test_orders_that_rested_on_a_void_contract_are_ended(engine: Engine) -> None:
    def work(session: Session) -> int:
        number, (ana,) = add_market(session, "Ana Kettle")
        place_limit(session, ana, limit_order(milli=1000, shares=5), "limit", NOW)
        void_contract(session, number, REASON, NOW)
        return number

    number = transact(engine, work)
    with read_session(engine) as session:
        assert session.get_one(Contract, number).resting_count == 0
        assert balances(session, [trader_cash(1)]) == {trader_cash(1): GRANT_UNITS}
        assert session.exec(select(Order.status)).all() == ["placed"]
    check(engine)
