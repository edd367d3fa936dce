"""What stands beside a term: price, change since the day before, watchers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Engine
from sqlmodel import Session

from market.activity import count_days
from market.contracts import find_contract
from market.db import read_session, transact
from market.forecasts import opening_forecast
from market.maker import Side, maker_for
from market.orders import Action
from market.reads.quotes import TermQuote, change_began, quotes_of_board, quotes_of_slugs
from market.tables import Board
from market.trading import place_order
from market.watching import set_watch
from tests.market.factories import NOW, PERIOD, add_board, add_paper, add_term, add_trader, order

SLUG = "diffusion-model"


@pytest.fixture
def board(engine: Engine) -> Board:
    """A board with two papers of last week, two terms, and noise on another board."""

    def work(session: Session) -> Board:
        other = add_board(session, "cs.CV", position=2)
        board = add_board(session)
        term = add_term(session, "diffusion model", board, other)
        add_term(session, "attention", board)
        add_paper(session, board, date(2026, 5, 16), [term])
        return board

    return transact(engine, work)


def quote(engine: Engine, board: Board, trader_id: int | None = None, now: datetime = NOW) -> TermQuote:
    with read_session(engine) as session:
        [found] = quotes_of_slugs(session, board, [SLUG], trader_id, now)
        return found


def buy(engine: Engine, name: str, shares: int, at: datetime, side: Side = Side.LONG) -> None:
    def work(session: Session) -> None:
        trader = add_trader(session, name)
        assert trader.id is not None
        asked = order(side, Action.BUY, shares)
        assert place_order(session, trader.id, asked, f"{name}-{at:%Y%m%d%H%M%S}", at).is_filled

    transact(engine, work)


def test_before_the_first_trade_the_price_is_the_plain_forecast(engine: Engine, board: Board) -> None:
    with read_session(engine) as session:
        [found] = quotes_of_slugs(session, board, [SLUG], None, NOW)
        forecast = opening_forecast(session, board, found.term_id, date(2026, 5, 17))
    assert found.price_units == maker_for(forecast).price_units(0, 0)
    assert found.change_units is None
    assert found.period == PERIOD


def test_a_forecast_below_the_least_prior_is_priced_as_the_maker_would(engine: Engine, board: Board) -> None:
    with read_session(engine) as session:
        prices = {quote.slug: quote.price_units for quote in quotes_of_board(session, board, None, NOW)}
    assert prices["attention"] >= maker_for(Decimal("0.05")).price_units(0, 0) > 5


def test_a_young_contract_counts_from_its_opening(engine: Engine, board: Board) -> None:
    opening = quote(engine, board).price_units
    buy(engine, "Ada", 200, NOW - timedelta(hours=1))
    found = quote(engine, board)
    assert found.price_units > opening
    assert found.change_units == found.price_units - opening


def test_an_older_one_from_the_start_of_the_day_before(engine: Engine, board: Board) -> None:
    started = datetime(2026, 5, 16, tzinfo=UTC)
    assert change_began(board, NOW) == started
    buy(engine, "Ada", 200, started - timedelta(seconds=1))
    before = quote(engine, board, now=started).price_units
    buy(engine, "Bea", 100, started)
    buy(engine, "Cyd", 300, NOW - timedelta(hours=2), Side.SHORT)
    found = quote(engine, board)
    assert found.change_units == found.price_units - before
    with read_session(engine) as session:
        assert board.id is not None
        state = find_contract(session, board.id, found.term_id, PERIOD)
    assert state is not None
    assert found.price_units == state.maker.price_units(300, 300)


def test_the_day_before_is_the_board_s_own(engine: Engine) -> None:
    board = transact(engine, lambda session: add_board(session, "far", time_zone="America/New_York"))
    began = change_began(board, datetime(2026, 5, 17, 2, 0, tzinfo=UTC))  # still the 16th there
    assert began.isoformat() == "2026-05-15T00:00:00-04:00"


def test_watchers_are_counted_per_board(engine: Engine, board: Board) -> None:
    term_id = quote(engine, board).term_id

    def work(session: Session) -> int:
        assert board.id is not None
        ada, bea = (add_trader(session, name) for name in ("Ada", "Bea"))
        assert ada.id is not None
        assert bea.id is not None
        for trader_id, term in ((ada.id, term_id), (bea.id, term_id), (ada.id, None)):
            set_watch(session, trader_id, board.id, term, True, NOW)
        set_watch(session, bea.id, board.id - 1, term_id, True, NOW)
        set_watch(session, bea.id, board.id, term_id, False, NOW)
        return ada.id

    ada_id = transact(engine, work)
    assert (quote(engine, board).watcher_count, quote(engine, board).is_watched) == (1, False)
    assert quote(engine, board, ada_id).is_watched


def test_only_listed_terms_have_quotes(engine: Engine, board: Board) -> None:
    with read_session(engine) as session:
        assert quotes_of_slugs(session, board, ["no-such-term"], None, NOW) == ()
        assert {quote.slug for quote in quotes_of_board(session, board, None, NOW)} == {SLUG, "attention"}


def test_a_past_moment_shows_what_a_page_showed_then(engine: Engine, board: Board) -> None:
    """Prices, changes and watchers of every hour, asked for then and asked for at the end."""
    assert board.id is not None
    board_id = board.id
    term_id = quote(engine, board).term_id
    start = NOW - timedelta(hours=40)  # before the day that changes are counted from

    def watch(trader_id: int, on: bool, at: datetime) -> None:
        transact(engine, lambda session: set_watch(session, trader_id, board_id, term_id, on, at))

    transact(engine, lambda session: count_days(session, board_id, [date(2026, 5, 16)], start))
    moments = [start + timedelta(hours=10 * step) for step in range(5)]
    seen = []
    for number, at in enumerate(moments):
        if number in (1, 3):
            buy(engine, f"Trader-{number}", 100 * number, at, Side.LONG if number == 1 else Side.SHORT)
            watch(number // 2 + 1, True, at)
        seen.append(quote(engine, board, now=at))
    watch(1, False, NOW + timedelta(hours=1))
    with read_session(engine) as session:
        again = [
            quotes_of_slugs(session, board, [SLUG], None, NOW + timedelta(days=9), known_at=at)[0]
            for at in moments
        ]
    assert again == seen
    assert len({found.price_units for found in seen}) == 3
    assert [found.watcher_count for found in seen] == [0, 1, 1, 2, 2]
