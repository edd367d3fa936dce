"""Which trades count: going back and forth within a day does not."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from market.maker import Side
from market.volume import Dealt, counted_shares

DAY, NEXT_DAY = date(2026, 5, 17), date(2026, 5, 18)


def dealt(
    *changes: int, owner: int = 1, contract: int = 1, side: Side = Side.LONG, day: date = DAY
) -> list[Dealt]:
    return [Dealt(owner, contract, side, day, change) for change in changes]


def test_trades_one_way_all_count() -> None:
    assert counted_shares(dealt(10, 5, 1)) == [10, 5, 1]
    assert counted_shares(dealt(-10, -5)) == [10, 5]
    assert counted_shares([]) == []


def test_a_round_trip_counts_neither_way_round() -> None:
    assert counted_shares(dealt(10, -10)) == [0, 0]
    assert counted_shares(dealt(-10, 10)) == [0, 0]
    assert counted_shares(dealt(*[1, -1] * 50)) == [0] * 100


def test_what_goes_beyond_it_counts_and_the_newest_goes_back_first() -> None:
    assert counted_shares(dealt(10, -4)) == [6, 0]
    assert counted_shares(dealt(10, -14)) == [0, 4]
    assert counted_shares(dealt(10, 5, -7)) == [8, 0, 0]
    assert counted_shares(dealt(10, 5, -20, 3)) == [0, 0, 2, 0]


def test_owners_contracts_sides_and_days_stand_for_themselves() -> None:
    for other in (
        dealt(-10, owner=2), dealt(-10, contract=2), dealt(-10, side=Side.SHORT), dealt(-10, day=NEXT_DAY),
    ):  # fmt: skip
        assert counted_shares([*dealt(10), *other]) == [10, 10]


trades = st.builds(
    Dealt, st.integers(1, 2), st.integers(1, 2), st.sampled_from(Side), st.sampled_from([DAY, NEXT_DAY]),
    st.integers(-9, 9).filter(bool),
)  # fmt: skip


@given(st.lists(trades, max_size=40))
def test_what_counts_is_what_an_owner_came_to_hold_more_or_less_on_a_day(made: list[Dealt]) -> None:
    counted = counted_shares(made)
    assert all(0 <= shares <= abs(trade.change) for trade, shares in zip(made, counted, strict=True))
    net: dict[object, int] = {}
    volume: dict[object, int] = {}
    for trade, shares in zip(made, counted, strict=True):
        key = (trade.owner, trade.contract_id, trade.side, trade.day)
        net[key] = net.get(key, 0) + trade.change
        volume[key] = volume.get(key, 0) + shares
        assert not shares or trade.change * sum(
            each.change for each in made
            if (each.owner, each.contract_id, each.side, each.day) == key
        ) > 0  # fmt: skip
    assert volume == {key: abs(total) for key, total in net.items()}
