"""Halts: orders are refused and say why, what rests stays and waits, and nothing is traded meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, select

from market.audit import replay, verify
from market.cancelling import cancel_order
from market.contracts import find_contract
from market.db import alembic_config, engine_for, read_session, transact, write_session
from market.entries import trader_hold
from market.errors import ContractClosed, TradingHalted, UnknownBoard, UnknownPeriod, UnknownTerm
from market.halts import HaltChange, all_halts, covering, halt, halts_of_board, halts_of_term, resume
from market.ledger import balances
from market.limit_trading import place_limit, quote_limit
from market.maker import Side
from market.matching import MOST_STEPS
from market.orders import LimitReceipt, OrderRequest, Receipt
from market.remarks import InvalidRemark, Remark
from market.settlement import settle_due
from market.sweeping import contracts_to_sweep, sweep, sweep_contract
from market.tables import Board, Contract, HaltEvent, LimitOrder
from market.trading import Action, place_order, quote
from tests.market.factories import (
    NOW,
    PERIOD,
    add_board,
    add_market,
    add_term,
    close_board_day,
    limit_order,
    order,
)
from tests.market.histories import alter

WHY = Remark("Two feeds  disagree.", "Ana Kettle")
TERM = "diffusion-model"
NEXT = "2026-W22"


def change(
    engine: Engine, on: bool, term: str | None = TERM, period: str | None = None, now: Any = NOW,
    board: str = "cs.LG", remark: Remark = WHY,
) -> HaltChange:  # fmt: skip
    work = halt if on else resume
    return transact(engine, lambda session: work(session, board, term, period, remark, now))


def place(engine: Engine, trader: int, request: OrderRequest, key: str, now: Any = NOW) -> Receipt:
    return transact(engine, lambda session: place_order(session, trader, request, key, now))


def put(engine: Engine, trader: int, key: str, now: Any = NOW, **limit: Any) -> LimitReceipt:
    return transact(engine, lambda session: place_limit(session, trader, limit_order(**limit), key, now))


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def market(engine: Engine, *names: str) -> list[int]:
    return transact(engine, lambda session: add_market(session, *names))[1]


def test_orders_and_quotes_are_refused_with_the_reason_and_the_key_is_spent(engine: Engine) -> None:
    (ada,) = market(engine, "Ada")
    changed = change(engine, True)
    assert changed.is_changed
    assert changed.what == "diffusion model on cs.LG"
    said = "Trading of diffusion model on cs.LG is halted since 17 May 2026, 20:00 UTC: Two feeds disagree."
    refused = place(engine, ada, order(), "key")
    assert (refused.is_filled, refused.reason, refused.message) == (False, "TradingHalted", said)
    assert put(engine, ada, "limit").message == said
    for period in (PERIOD, NEXT):  # the other one has not been opened
        with read_session(engine) as session, pytest.raises(TradingHalted) as caught:
            quote(session, ada, order(period=period), NOW)
        assert str(caught.value) == said
        with read_session(engine) as session, pytest.raises(TradingHalted):
            quote_limit(session, None, limit_order(period=period), NOW)
    change(engine, False)
    assert place(engine, ada, order(), "key").is_repeat
    assert not place(engine, ada, order(), "key").is_filled
    assert place(engine, ada, order(), "another").is_filled
    check(engine)


@pytest.mark.parametrize(
    ("term", "period", "halted"),
    [
        (None, None, {("diffusion-model", PERIOD), ("diffusion-model", NEXT), ("kettle", PERIOD)}),
        (TERM, None, {("diffusion-model", PERIOD), ("diffusion-model", NEXT)}),
        (TERM, NEXT, {("diffusion-model", NEXT)}),
        (None, PERIOD, {("diffusion-model", PERIOD), ("kettle", PERIOD)}),
    ],
)
def test_a_halt_covers_what_it_names_opened_or_not(
    engine: Engine, term: str | None, period: str | None, halted: set[tuple[str, str]]
) -> None:
    (ada,) = market(engine, "Ada")

    def more(session: Any) -> None:
        add_term(session, "kettle", session.exec(select(Board)).one())
        other = add_board(session, "cs.CL")
        add_term(session, "teapot", other)

    transact(engine, more)
    change(engine, True, term, period)
    found = set()
    for slug, each in (("diffusion-model", PERIOD), ("diffusion-model", NEXT), ("kettle", PERIOD)):
        receipt = place(engine, ada, order(term=slug, period=each), f"{slug}{each}")
        if not receipt.is_filled:
            assert receipt.reason == "TradingHalted"
            found.add((slug, each))
    assert found == halted
    elsewhere = OrderRequest("cs.CL", "teapot", PERIOD, Side.LONG, Action.BUY, 1, None, None)
    assert place(engine, ada, elsewhere, "elsewhere").is_filled
    check(engine)
    change(engine, False, term, period)
    for slug, each in halted:
        assert place(engine, ada, order(term=slug, period=each), f"again{slug}{each}").is_filled
    check(engine)


def test_a_contract_stays_halted_until_the_last_halt_that_covers_it_ends(engine: Engine) -> None:
    (ada,) = market(engine, "Ada")
    change(engine, True, None)
    again = change(engine, True, TERM, PERIOD, remark=Remark("A count is late.", "Bob Lid"))
    assert [each.what for each in again.others] == ["cs.LG"]
    ended = change(engine, False, None)
    assert ended.halt is not None
    assert [each.what for each in ended.others] == ["diffusion model on cs.LG, 2026-W21"]
    assert "A count is late." in place(engine, ada, order(), "one").message
    assert place(engine, ada, order(period=NEXT), "two").is_filled
    check(engine)


def test_repeats_change_nothing_and_say_what_stands(engine: Engine) -> None:
    market(engine, "Ada")
    nothing = change(engine, False)
    assert (nothing.is_changed, nothing.halt) == (False, None)
    change(engine, True)
    again = change(engine, True, now=NOW + timedelta(hours=1), remark=Remark("Another reason.", "Bob Lid"))
    assert not again.is_changed
    assert again.halt is not None
    assert (again.halt.reason, again.halt.operator, again.halt.since) == (
        "Two feeds disagree.", "Ana Kettle", NOW,
    )  # fmt: skip
    assert change(engine, False).is_changed
    assert not change(engine, False).is_changed
    with read_session(engine) as session:
        events = session.exec(select(HaltEvent).order_by(sa.text("id"))).all()
        assert [(each.is_on, each.operator) for each in events] == [
            (True, "Ana Kettle"), (False, "Ana Kettle"),
        ]  # fmt: skip
        assert all_halts(session) == ()


def left_over(engine: Engine) -> tuple[list[int], list[LimitReceipt]]:
    """Bob reached more orders of Ada's than one transaction fills: the last three of them are left."""
    ada, bob = market(engine, "Ada", "Bob")

    def many(session: Session) -> list[LimitReceipt]:
        return [
            place_limit(session, ada, limit_order(shares=1, milli=1900), f"{number}", NOW)
            for number in range(MOST_STEPS + 3)
        ]

    placed = transact(engine, many)
    place(engine, bob, order(Side.SHORT, shares=250), "reaches")
    return [ada, bob], placed


def still_rest(engine: Engine) -> int:
    with read_session(engine) as session:
        return session.exec(select(sa.func.sum(LimitOrder.open_shares))).one()


def test_what_is_reached_waits_is_cancelled_and_is_swept_after_it(engine: Engine) -> None:
    (ada, _), placed = left_over(engine)
    assert still_rest(engine) == 3
    change(engine, True)
    with read_session(engine) as session:
        assert contracts_to_sweep(session, NOW) == ()
    assert sweep(engine, NOW) == 0
    last = placed[-1].order_id
    receipt = transact(engine, lambda session: cancel_order(session, ada, last, "cancel", NOW))
    assert receipt.ended_shares == 1
    assert still_rest(engine) == 2
    check(engine)
    change(engine, False)
    assert sweep(engine, NOW) == 2
    assert still_rest(engine) == 0
    check(engine)


def test_what_is_reached_is_filled_by_the_next_trade_after_it(engine: Engine) -> None:
    (_, bob), _ = left_over(engine)
    change(engine, True)
    assert not place(engine, bob, order(Side.SHORT), "halted").is_filled
    assert still_rest(engine) == 3
    change(engine, False)
    assert place(engine, bob, order(Side.SHORT), "next").is_filled
    assert still_rest(engine) == 0
    check(engine)


def test_a_sweep_that_began_before_the_halt_fills_nothing_of_it(engine: Engine) -> None:
    left_over(engine)
    with read_session(engine) as session:
        (contract_id,) = contracts_to_sweep(session, NOW)
    change(engine, True)
    assert transact(engine, lambda session: sweep_contract(session, contract_id, NOW)) == 0
    check(engine)


def test_what_is_over_is_returned_while_trading_is_halted(engine: Engine) -> None:
    (ada,) = market(engine, "Ada")
    assert put(engine, ada, "waits", milli=1700, shares=20).rested_shares == 20
    change(engine, True)
    assert sweep(engine, NOW + timedelta(days=1)) == 1
    with read_session(engine) as session:
        assert balances(session, [trader_hold(ada)])[trader_hold(ada)] == 0
    check(engine)


def test_settlement_goes_on(engine: Engine) -> None:
    (ada,) = market(engine, "Ada")
    assert place(engine, ada, order(shares=10), "key").is_filled
    change(engine, True)

    def settle(session: Any) -> None:
        board = session.exec(select(Board)).one()
        close_board_day(session, board, session.exec(select(Contract)).one().first_day)
        (outcome,) = settle_due(session, NOW + timedelta(days=12))
        assert outcome.is_settled

    transact(engine, settle)
    check(engine)
    change(engine, False)
    check(engine)


def test_what_cannot_be_halted_says_why(engine: Engine) -> None:
    market(engine, "Ada")
    for board, term, period, refusal in (
        ("cs.XX", None, None, UnknownBoard), ("cs.LG", "no-such-term", None, UnknownTerm),
        ("cs.LG", TERM, "2026-05", UnknownPeriod), ("cs.LG", None, "2026-W99", UnknownPeriod),
        ("cs.LG", TERM, "2026-W20", ContractClosed), ("cs.LG", "\0", None, UnknownTerm),
    ):  # fmt: skip
        with pytest.raises(refusal):
            change(engine, True, term, period, board=board)
    for reason, operator in (("", "Ana"), (" \n", "Ana"), ("x" * 401, "Ana"), ("a\0b", "Ana"), ("Why", " ")):
        with pytest.raises(InvalidRemark):
            Remark(reason, operator)
    with read_session(engine) as session:
        assert session.exec(select(HaltEvent)).all() == []


def test_who_asks_for_a_board_a_term_or_a_contract_is_told_what_concerns_it(engine: Engine) -> None:
    market(engine, "Ada")
    transact(engine, lambda session: add_term(session, "kettle", session.exec(select(Board)).one()))
    change(engine, True, TERM, NEXT)
    change(engine, True, "kettle")
    change(engine, True, None, PERIOD)
    with read_session(engine) as session:
        board = session.exec(select(Board)).one()
        contract = session.exec(select(Contract)).one()
        whole = halts_of_board(session, board.id or 0)
        of_term = halts_of_term(session, board.id or 0, contract.term_id)
    assert [each.what for each in whole] == [
        "diffusion model on cs.LG, 2026-W22", "kettle on cs.LG", "cs.LG, 2026-W21",
    ]  # fmt: skip
    assert of_term == (whole[0], whole[2])
    assert covering(whole, "cs.LG", "diffusion-model", PERIOD) == (whole[2],)
    assert covering(whole, "cs.LG", "kettle", PERIOD) == (whole[1], whole[2])
    assert covering(whole, "cs.CL", "kettle", PERIOD) == ()


def test_a_halt_between_two_trades_is_seen_by_whoever_waited_for_the_contract(postgresql_url: str) -> None:
    """The trade has read that nothing is halted, and waits for the row that the halt holds."""
    engine = engine_for(postgresql_url)
    (ada,) = market(engine, "Ada")
    receipts: list[Receipt] = []
    thread = threading.Thread(target=lambda: receipts.append(place(engine, ada, order(), "key")))
    with write_session(engine) as session:
        halt(session, "cs.LG", TERM, None, WHY, NOW)
        thread.start()
        _wait_for_a_lock(engine)
        session.commit()
    thread.join(timeout=30)
    assert [receipt.reason for receipt in receipts] == ["TradingHalted"]
    check(engine)
    engine.dispose()


def test_a_contract_that_is_opened_while_its_board_is_halted_takes_no_order(postgresql_url: str) -> None:
    engine = engine_for(postgresql_url)
    (ada,) = market(engine, "Ada")
    receipts: list[Receipt] = []
    thread = threading.Thread(target=lambda: receipts.append(place(engine, ada, order(period=NEXT), "key")))
    with write_session(engine) as session:
        halt(session, "cs.LG", None, None, WHY, NOW)
        thread.start()
        _wait_for_a_lock(engine)
        session.commit()
    thread.join(timeout=30)
    assert [receipt.reason for receipt in receipts] == ["TradingHalted"]
    with read_session(engine) as session:
        board, contract = session.exec(select(Board)).one(), session.exec(select(Contract)).one()
        assert find_contract(session, board.id or 0, contract.term_id, NEXT) is None
    check(engine)
    engine.dispose()


def test_trades_of_many_and_halts_at_the_same_time_never_mix(engine: Engine) -> None:
    """What verify looks for (L20), while contracts are opened, traded, halted and resumed by six at once."""
    traders = market(engine, "Ada", "Bob", "Cyd", "Dan")
    reasons: set[str] = set()

    def trade(number: int) -> None:
        for step in range(12):
            period = (PERIOD, NEXT, "2026-W23")[step % 3]
            receipt = place(engine, traders[number], order(period=period, shares=step + 1), f"{step}")
            reasons.add(receipt.reason)

    def halt_and_resume(term: str | None) -> None:
        for _ in range(6):
            for on in (True, False):
                change(engine, on, term)

    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(trade, number) for number in range(4)]
        done += [pool.submit(halt_and_resume, term) for term in (TERM, None)]
        for each in done:
            each.result(timeout=300)
    assert reasons <= {"", "TradingHalted"}
    check(engine)


def _wait_for_a_lock(engine: Engine) -> None:
    """Until somebody waits for one."""
    waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                      "AND datname = current_database()")  # fmt: skip
    for _ in range(3000):
        with engine.connect() as connection:
            if connection.execute(waiting).scalar_one():
                return
            connection.execute(sa.text("SELECT pg_sleep(0.01)"))
    raise AssertionError("nobody waited")


def test_a_trade_takes_no_statement_more_for_it(engine: Engine) -> None:
    (ada,) = market(engine, "Ada")
    place(engine, ada, order(), "first")

    def count(key: str) -> int:
        sent: list[str] = []

        def note(*given: Any) -> None:
            sent.append(given[2])

        sa.event.listen(engine, "before_cursor_execute", note)
        place(engine, ada, order(), key)
        sa.event.remove(engine, "before_cursor_execute", note)
        assert not any("halt_event" in statement for statement in sent)
        return len(sent)

    before = count("one")
    change(engine, True, TERM, NEXT)
    assert count("two") == before


def test_the_migration_keeps_what_was_traded(history: Engine) -> None:
    with history.begin() as connection:
        command.downgrade(alembic_config(connection), "0011")
    with history.begin() as connection:
        command.upgrade(alembic_config(connection), "head")
    check(history)
    assert change(history, True, None).is_changed
    check(history)


def test_halts_are_never_changed(engine: Engine) -> None:
    market(engine, "Ada")
    change(engine, True)
    for statement in ("UPDATE halt_event SET reason = 'none'", "DELETE FROM halt_event"):
        with pytest.raises(DatabaseError, match="append-only"), engine.begin() as connection:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE halt_event SET after_entry = 0 WHERE is_on", "was traded while halted by event 1"),
        ("UPDATE contract SET is_halted = 1", "is halted, and the events say otherwise"),
        ("DELETE FROM halt_event WHERE NOT is_on", "is open to orders, and the events say otherwise"),
        ("UPDATE halt_event SET is_on = 1", "halt event 2 repeats what was so before"),
    ],
)
def test_verify_finds_what_somebody_altered(opened: Engine, statement: str, said: str) -> None:
    for on in (True, False):
        change(opened, on, TERM, NEXT, NOW)
    check(opened)
    alter(opened, "DROP TRIGGER halt_event_no_update", "DROP TRIGGER halt_event_no_delete", statement)
    with read_session(opened) as session:
        findings = verify(session).findings
    assert findings
    assert {finding.invariant for finding in findings} == {"L20"}
    assert any(said in finding.message for finding in findings), findings
