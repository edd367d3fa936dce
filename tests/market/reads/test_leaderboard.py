"""The leaderboard: equity by liquidation at moments of the past, only of who wants to be on it."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import read_session, transact
from market.limit_trading import place_limit
from market.links import link_accounts, unlink_accounts
from market.maker import Side
from market.membership import is_member, set_membership
from market.money import GRANT_UNITS
from market.orders import Action
from market.reads.equity import standings
from market.reads.leaderboard import (
    KeptStandings,
    Leaderboard,
    leaderboard,
    own_membership,
    seasons_so_far,
)
from market.reads.portfolio import portfolio
from market.remarks import Remark
from market.seasons import Standing, parse_season
from market.settlement import settle_due
from market.tables import Board, Trader
from market.traders import open_trader
from market.trading import place_order
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, close_board_day, limit_order, order

SEASON = parse_season("2026-Q2")
HOUR = timedelta(hours=1)
WHY = Remark("One person.", "Ana Kettle")


@pytest.fixture
def market(engine: Engine) -> Engine:
    """A board and three traders, 1 to 3, in the second quarter of 2026; nobody has said anything."""
    transact(engine, lambda session: add_market(session, "Ada", "Bob", "Cyd"))
    return engine


def trade(
    engine: Engine, trader: int, shares: int, at: datetime, side: Side = Side.LONG, period: str = "2026-W21"
) -> None:
    """Buy, or with a negative number sell."""
    asked = order(side, Action.BUY if shares > 0 else Action.SELL, abs(shares), period=period)
    key = f"{trader}-{shares}-{side}-{period}-{at:%m%d%H%M}"
    work = partial(place_order, trader_id=trader, request=asked, key=key, now=at)
    assert transact(engine, work).is_filled


def join(engine: Engine, *traders: int, on: bool = True) -> None:
    for trader in traders:
        transact(engine, partial(set_membership, trader_id=trader, on=on, now=NOW))


def close(engine: Engine, at: datetime) -> None:
    transact(
        engine, lambda session: close_board_day(session, session.exec(select(Board)).one(), at.date(), at)
    )


def seen(engine: Engine, now: datetime = NOW + 10 * HOUR, season: Any = SEASON, **how: Any) -> Leaderboard:
    with read_session(engine) as session:
        return leaderboard(session, season, now, **how)


def names(found: Leaderboard) -> list[tuple[int, str]]:
    return [(place.rank, place.name) for place in found.places]


def equity(engine: Engine, trader: int) -> int:
    with read_session(engine) as session:
        return portfolio(session, trader, NOW).equity_units


def everybody(engine: Engine, begin: datetime, end: datetime) -> dict[int, Standing]:
    with read_session(engine) as session:
        return {each.trader_id: each for each in standings(session, sa.select(Trader.id), begin, end)}


def test_nobody_is_on_it_who_has_not_said_so_and_who_leaves_is_gone_at_once(market: Engine) -> None:
    close(market, NOW + HOUR)
    assert seen(market).places == ()
    join(market, 1, 2)
    assert names(seen(market)) == [(1, "Ada"), (1, "Bob")]
    join(market, 1, on=False)
    assert names(seen(market)) == [(1, "Bob")]
    assert seen(market, NOW + timedelta(days=90)).places[0].name == "Bob"
    with read_session(market) as session:
        assert (is_member(session, 1), is_member(session, 2)) == (False, True)


def test_saying_it_twice_changes_nothing(market: Engine) -> None:
    for on, changed in ((False, False), (True, True), (True, False), (False, True), (False, False)):
        assert transact(market, partial(set_membership, trader_id=1, on=on, now=NOW)) is changed


def test_places_go_by_what_selling_everything_would_bring_at_the_last_close(market: Engine) -> None:
    join(market, 1, 2, 3)
    trade(market, 1, 200, NOW)
    trade(market, 2, 300, NOW + HOUR)  # which makes Ada's shares worth more
    close(market, NOW + 2 * HOUR)
    expected = {name: equity(market, number) for number, name in ((1, "Ada"), (2, "Bob"), (3, "Cyd"))}
    trade(market, 3, 100, NOW + 3 * HOUR)  # not closed yet
    found = seen(market)
    assert (found.is_over, found.as_of) == (False, NOW + 2 * HOUR)
    assert names(found) == [(1, "Ada"), (2, "Cyd"), (3, "Bob")]
    for place in found.places:
        standing = place.standing
        assert (standing.start_units, standing.granted_units) == (0, GRANT_UNITS)
        assert standing.end_units == expected[place.name]
    assert found.places[1].standing.gain_units == 0
    assert found.places[2].standing.gain_units < 0


def test_before_the_first_close_there_are_no_places(market: Engine) -> None:
    join(market, 1)
    assert (seen(market).as_of, seen(market).places) == (None, ())
    close(market, NOW - timedelta(days=60))  # of the season before
    assert seen(market).as_of is None
    close(market, NOW + HOUR)
    assert names(seen(market)) == [(1, "Ada")]


def test_a_season_that_is_over_stays_as_it_was_and_the_next_begins_with_it(market: Engine) -> None:
    join(market, 1, 2)
    trade(market, 1, 200, NOW)
    trade(market, 2, 100, NOW + HOUR)
    at_end = equity(market, 1)
    later = SEASON.ends + HOUR
    trade(market, 2, 300, later, period="2026-W28")
    transact(market, lambda session: open_trader(session, "Late", "not a hash", later))
    join(market, 4)
    close(market, later + HOUR)
    over = seen(market, later + 2 * HOUR)
    assert (over.is_over, over.as_of) == (True, SEASON.ends)
    assert names(over) == [(1, "Ada"), (2, "Bob")]
    assert over.places[0].standing == Standing(1, 0, GRANT_UNITS, at_end)
    begun = seen(market, later + 2 * HOUR, parse_season("2026-Q3"))
    by_name = {place.name: place.standing for place in begun.places}
    assert set(by_name) == {"Ada", "Bob", "Late"}
    assert (by_name["Ada"].start_units, by_name["Ada"].granted_units) == (at_end, 0)
    assert by_name["Ada"].gain_units == 0
    assert (by_name["Late"].start_units, by_name["Late"].gain_units) == (0, 0)
    with read_session(market) as session:
        assert [each.name for each in seasons_so_far(session, later)] == ["2026-Q3", "2026-Q2"]


def test_what_is_set_aside_and_what_was_settled_counts(market: Engine) -> None:
    trade(market, 1, 200, NOW)
    trade(market, 2, 200, NOW, Side.SHORT)

    def rest(session: Session) -> None:
        for trader, limit in (
            (1, limit_order(action=Action.SELL, shares=50, milli=2900)),
            (2, limit_order(shares=30, milli=1500)),
        ):
            assert place_limit(session, trader, limit, f"limit-{trader}", NOW).rested_shares

    transact(market, rest)
    found = everybody(market, NOW - HOUR, NOW + HOUR)
    assert {number: found[number].end_units for number in (1, 2, 3)} == {
        number: equity(market, number) for number in (1, 2, 3)
    }

    def settle(session: Session) -> None:
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        add_paper(session, board, date(2026, 5, 20), [term])
        close_board_day(session, board, date(2026, 5, 20))
        settle_due(session, NOW + timedelta(days=11))

    transact(market, settle)
    after = everybody(market, NOW + HOUR, NOW + timedelta(days=12))
    assert {number: after[number].end_units for number in (1, 2, 3)} == {
        number: equity(market, number) for number in (1, 2, 3)
    }
    assert {number: each.start_units for number, each in after.items()} == {
        number: each.end_units for number, each in found.items()
    }
    assert {each.granted_units for each in after.values()} == {0}


def test_every_moment_of_a_past_is_what_the_portfolio_said_then(market: Engine) -> None:
    chance = random.Random(3)
    said: list[tuple[datetime, dict[int, int]]] = []
    for step in range(30):
        at = NOW + step * timedelta(minutes=10)
        held = chance.choice([1, 2, 3])
        request = order(
            chance.choice(list(Side)), chance.choice([Action.BUY, Action.BUY, Action.SELL]),
            chance.randint(1, 120), period=chance.choice(["2026-W21", "2026-W22"]),
        )  # fmt: skip
        work = partial(place_order, trader_id=held, request=request, key=f"key-{step}", now=at)
        transact(market, work)
        said.append((at + timedelta(minutes=1), {number: equity(market, number) for number in (1, 2, 3)}))
    for (begin, before), (end, after) in pairwise(said):
        found = everybody(market, begin, end)
        assert {number: each.start_units for number, each in found.items()} == before
        assert {number: each.end_units for number, each in found.items()} == after


def test_simulated_traders_are_marked_and_can_be_left_out(market: Engine) -> None:
    transact(market, lambda session: open_trader(session, "Momentum", None, NOW, is_simulated=True))
    trade(market, 4, 100, NOW + HOUR)
    join(market, 1, 2)
    trade(market, 2, 150, NOW + HOUR)
    close(market, NOW + 2 * HOUR)
    found = seen(market)
    assert [(place.name, place.is_simulated) for place in found.places] == [
        ("Momentum", True), ("Ada", False), ("Bob", False),
    ]  # fmt: skip
    without = seen(market, with_simulated=False)
    assert names(without) == [(1, "Ada"), (2, "Bob")]
    assert found.simulated_count == without.simulated_count == 1


def test_linked_accounts_have_no_place(market: Engine) -> None:
    join(market, 1, 2, 3)
    close(market, NOW + HOUR)
    transact(market, lambda session: link_accounts(session, "Ada", "Cyd", WHY, NOW))
    assert names(seen(market)) == [(1, "Bob")]
    with read_session(market) as session:
        own = own_membership(session, 3)
        assert (own.is_member, [link.reason for link in own.links]) == (True, ["One person."])
        assert own_membership(session, 2).links == ()
    transact(market, lambda session: unlink_accounts(session, "Ada", "Cyd", WHY, NOW))
    assert len(seen(market).places) == 3


def test_what_is_kept_is_asked_for_once_and_is_of_the_traders_and_moments_asked_for(market: Engine) -> None:
    kept = KeptStandings()
    join(market, 1)
    trade(market, 1, 100, NOW)
    close(market, NOW + HOUR)
    first = seen(market, kept=kept)
    assert first == seen(market, kept=kept) == seen(market)
    join(market, 2)  # another set of traders
    assert seen(market, kept=kept) == seen(market)
    assert len(seen(market, kept=kept).places) == 2
    trade(market, 2, 100, NOW + 2 * HOUR)
    close(market, NOW + 3 * HOUR)  # another moment
    assert seen(market, kept=kept) == seen(market)
    transact(market, lambda session: link_accounts(session, "Ada", "Cyd", WHY, NOW))  # which is not kept
    assert names(seen(market, kept=kept)) == [(1, "Bob")]
    join(market, 2, on=False)
    assert seen(market, kept=kept).places == ()


def test_no_more_than_a_few_are_kept(market: Engine) -> None:
    kept = KeptStandings()
    join(market, 1)
    with read_session(market) as session:
        for hours in range(1, 3 * KeptStandings.MOST):
            asked = (frozenset([1]), NOW, NOW + hours * HOUR)
            assert kept.of(session, asked) == kept.of(session, asked)
    assert len(kept._kept) == KeptStandings.MOST


def test_it_asks_as_often_for_many_as_for_few(market: Engine) -> None:
    def count() -> int:
        sent: list[str] = []

        def note(*given: Any) -> None:
            sent.append(given[2])

        sa.event.listen(market, "before_cursor_execute", note)
        seen(market)
        sa.event.remove(market, "before_cursor_execute", note)
        return len([each for each in sent if not each.startswith("BEGIN")])

    join(market, 1)
    trade(market, 1, 10, NOW)
    close(market, NOW + HOUR)
    few = count()
    join(market, 2, 3)
    for number, period in enumerate(("2026-W21", "2026-W22", "2026-W23"), start=1):
        trade(market, number, 20, NOW, Side.SHORT, period)
    assert count() == few == 5
