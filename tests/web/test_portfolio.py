"""The portfolio and its entries: what they say adds up to the unit, whatever was traded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import read_session, transact
from market.entries import trader_cash
from market.maker import Side
from market.money import GRANT_UNITS
from market.orders import Action, OrderRequest
from market.reads.entries import OTHERS, PAGE_SIZE, entry_page, own_postings
from market.reads.portfolio import portfolio
from market.settlement import settle_due
from market.tables import Account
from market.trading import place_order, quote
from tests.market.factories import NOW, PERIOD, add_market, add_paper, add_trader, close_board_day, order


@contextmanager
def counted_queries(engine: Engine) -> Iterator[list[str]]:
    """The questions that are asked of the database meanwhile."""
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            statements.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def trade(session: Session, trader_id: int, *requests: OrderRequest) -> None:
    for number, request in enumerate(requests):
        receipt = place_order(session, trader_id, request, f"key-{number}-{request.body_hash()[:20]}", NOW)
        assert receipt.is_filled, receipt.message


def opened(engine: Engine, *names: str) -> list[int]:
    return transact(engine, lambda session: add_market(session, *names)[1])


def test_nothing_traded_yet(engine: Engine) -> None:
    [ada] = opened(engine, "Ada")
    with read_session(engine) as session:
        found = portfolio(session, ada, NOW)
        assert (found.held, found.past) == ((), ())
        assert found.cash_units == found.equity_units == GRANT_UNITS
        assert entry_page(session, ada, 1).entry_count == 1


def test_positions_by_average_cost(engine: Engine) -> None:
    ada, bob = opened(engine, "Ada", "Bob")

    def work(session: Session) -> None:
        trade(session, ada, order(shares=100), order(Side.SHORT, shares=30))
        trade(session, bob, order(shares=77))
        trade(session, ada, order(shares=50), order(action=Action.SELL, shares=40))

    transact(engine, work)
    with read_session(engine) as session:
        found = portfolio(session, ada, NOW)
        assert [(held.side, held.share_count, held.is_open) for held in found.held] == [
            ("LONG", 110, True), ("SHORT", 30, True),
        ]
        assert found.past == ()
        assert_adds_up(session, ada)
        long = found.held[0]
        assert long.average_cost_units is not None
        assert long.basis_units > 0
        # What the page says selling would bring is what selling brings.
        sale = quote(session, ada, order(action=Action.SELL, shares=110), NOW)
        assert long.value_units == sale.total_units


def test_sold_out_position_is_past(engine: Engine) -> None:
    [ada] = opened(engine, "Ada")
    there_and_back = (order(shares=10), order(action=Action.SELL, shares=10))
    transact(engine, lambda session: trade(session, ada, *there_and_back))
    with read_session(engine) as session:
        found = portfolio(session, ada, NOW)
        assert found.held == ()
        [past] = found.past
        assert (past.realised_units, past.basis_units, past.counted) == (0, 0, None)
        assert found.equity_units == GRANT_UNITS - past.fee_units
        assert_adds_up(session, ada)


def test_both_sides_are_worth_what_selling_both_brings(engine: Engine) -> None:
    [ada] = opened(engine, "Ada")
    transact(engine, lambda session: trade(session, ada, order(shares=100), order(Side.SHORT, shares=90)))
    with read_session(engine) as session:
        value = portfolio(session, ada, NOW).equity_units
    sales = (order(action=Action.SELL, shares=100), order(Side.SHORT, Action.SELL, shares=90))
    transact(engine, lambda session: trade(session, ada, *sales))
    with read_session(engine) as session:
        assert portfolio(session, ada, NOW).cash_units == value


def test_closed_position_waits_and_is_then_settled(engine: Engine) -> None:
    ada, bob = opened(engine, "Ada", "Bob")
    transact(engine, lambda session: trade(session, ada, order(shares=60), order(Side.SHORT, shares=5)))
    transact(engine, lambda session: trade(session, bob, order(Side.SHORT, shares=9)))
    first_day = date(2026, 5, 18)
    later = NOW + timedelta(days=30)

    with read_session(engine) as session:
        tomorrow = portfolio(session, ada, NOW + timedelta(days=1))
        assert [held.is_open for held in tomorrow.held] == [False, False]

    def settle(session: Session) -> None:
        from market.boards import board_by_code
        from market.listing import listed_term

        board = board_by_code(session, "cs.LG")
        _, term = listed_term(session, board, "diffusion-model")
        for number in range(3):
            add_paper(session, board, first_day, [term], f"arxiv:2605.9{number:04d}")
        for number in range(7):
            close_board_day(session, board, first_day + timedelta(days=number), later)
        settle_due(session, later)

    transact(engine, settle)
    with read_session(engine) as session:
        found = portfolio(session, ada, later)
        assert found.held == ()
        assert [(past.side, past.counted) for past in found.past] == [("SHORT", 3), ("LONG", 3)]
        assert found.equity_units == found.cash_units
        assert_adds_up(session, ada)
        newest = entry_page(session, ada, 1).entries[0]
        assert newest.kind == "settle"
        assert OTHERS in {line.account for line in newest.lines}
        assert not any("trader:2" in line.account for line in newest.lines)
        assert_entries_add_up(session, ada)


def assert_adds_up(session: Session, trader_id: int) -> None:
    found = portfolio(session, trader_id, NOW)
    results = found.realised_units + found.unrealised_units - found.fee_units
    assert found.equity_units == GRANT_UNITS + results


def assert_entries_add_up(session: Session, trader_id: int) -> None:
    page = entry_page(session, trader_id, 1)
    balance = session.scalar(sa.select(Account.balance).where(Account.name == trader_cash(trader_id).name))
    assert page.entries[0].balance_units == balance
    for newer, older in zip(page.entries, page.entries[1:], strict=False):
        assert newer.balance_units == older.balance_units + newer.cash_units
    for entry in page.entries:
        sums: dict[str, int] = {}
        for line in entry.lines:
            sums[line.asset] = sums.get(line.asset, 0) + line.amount
        assert set(sums.values()) == {0}, entry


orders = st.lists(
    st.tuples(st.sampled_from(Side), st.sampled_from(Action), st.integers(1, 120)), min_size=1, max_size=12
)


@given(orders)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_orders_add_up(sqlite_url: str, taken: list[tuple[Side, Action, int]]) -> None:
    from market.db import engine_for

    engine = engine_for(sqlite_url)
    name = f"T{abs(hash(tuple(taken)))}"[:20]
    with Session(engine.execution_options(writes=True)) as session:  # not committed: each example is a first
        _, [trader_id] = add_market(session, name)
        for number, (side, action, shares) in enumerate(taken):
            place_order(session, trader_id, order(side, action, shares), f"key-{number}", NOW)
        assert_adds_up(session, trader_id)
        assert_entries_add_up(session, trader_id)
    engine.dispose()


def test_reads_do_not_grow_with_what_they_show(engine: Engine) -> None:
    ada, bob = opened(engine, "Ada", "Bob")

    def work(session: Session) -> None:
        for period in ("2026-W22", "2026-W23", PERIOD):
            trade(session, ada, order(shares=5, period=period), order(Side.SHORT, shares=7, period=period))
            trade(session, bob, order(shares=6, period=period))

    transact(engine, work)
    with read_session(engine) as session, counted_queries(engine) as statements:
        assert len(portfolio(session, ada, NOW).held) == 6
        assert len(statements) == 2
        entry_page(session, ada, 1)
        assert len(statements) == 3
        postings = list(own_postings(session, ada))
        assert len(statements) == 4
    assert len(postings) == 1 + 2 * 6
    assert all(type(posting.balance) is int for posting in postings)
    last = {posting.account: posting.balance for posting in postings}
    with read_session(engine) as session:
        found = portfolio(session, ada, NOW)
    assert last.pop(f"trader:{ada}:cash") == found.cash_units
    assert sorted(last.values()) == sorted(held.share_count for held in found.held)


def test_pages_of_entries(engine: Engine) -> None:
    [ada] = opened(engine, "Ada")
    transact(engine, lambda session: trade(session, ada, *[order(shares=2)] * (PAGE_SIZE + 1)))
    with read_session(engine) as session:
        first, second = entry_page(session, ada, 1), entry_page(session, ada, 2)
        assert (len(first.entries), len(second.entries), first.page_count) == (PAGE_SIZE, 2, 2)
        assert second.entries[-1].kind == "grant"
        older, newer = second.entries[0], first.entries[-1]
        assert newer.balance_units == older.balance_units + newer.cash_units
        assert entry_page(session, ada, 3) is None


def test_other_traders_entries_are_not_there(engine: Engine) -> None:
    ada, bob = opened(engine, "Ada", "Bob")
    transact(engine, lambda session: trade(session, bob, order(shares=5)))
    with read_session(engine) as session:
        assert [entry.kind for entry in entry_page(session, ada, 1).entries] == ["grant"]
        assert portfolio(session, ada, NOW).held == ()


@pytest.mark.parametrize("name", ["Ada"])
def test_a_trader_without_an_account_has_nothing(engine: Engine, name: str) -> None:
    transact(engine, lambda session: add_trader(session, name).id)
    with read_session(engine) as session:
        assert portfolio(session, 999, NOW).equity_units == 0
        assert entry_page(session, 999, 1).entry_count == 0
