"""The lines of each kind of entry, and the names of accounts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.entries import (
    FEES,
    HOUSE_MINT,
    HOUSE_SUBSIDY,
    AccountKey,
    Holder,
    Line,
    account_named,
    check_lines,
    grant_lines,
    open_lines,
    pool_cash,
    pool_fees,
    pool_issued,
    settle_lines,
    subsidy_lines,
    trade_lines,
    trader_cash,
    trader_position,
)
from market.errors import UnbalancedEntry
from market.maker import Side

ids = st.integers(1, 2**40)
units = st.integers(1, 2**50)
sides = st.sampled_from(Side)


def amounts(lines: tuple[Line, ...]) -> dict[str, int]:
    return {line.account.name: line.amount for line in lines}


@settings(deadline=None)
@given(ids, ids, sides, st.integers(-(2**40), 2**40).filter(bool), st.integers(-(2**50), 2**50), units)
def test_every_trade_balances(
    trader: int, contract: int, side: Side, change: int, cost: int, fee: int
) -> None:
    check_lines(trade_lines(trader, contract, side, change, cost, fee))


@settings(deadline=None)
@given(ids, units)
def test_grants_subsidies_and_openings_balance(number: int, amount: int) -> None:
    for lines in (grant_lines(number, amount), subsidy_lines(amount), open_lines(number, amount)):
        check_lines(lines)


@settings(deadline=None)
@given(
    st.dictionaries(ids, st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=8),
    st.integers(0, 10**5),
    st.integers(0, 10**5),
    units,
)
def test_every_settlement_balances_and_empties_the_pool(
    shares: dict[int, tuple[int, int]], long_pays: int, short_pays: int, rest: int
) -> None:
    holders = [Holder(trader, *held) for trader, held in shares.items()]
    owed = sum(each.long_shares * long_pays + each.short_shares * short_pays for each in holders)
    lines = settle_lines(7, owed + rest, holders, long_pays, short_pays, fee_units=rest)
    check_lines(lines)
    assert amounts(lines)["pool:7:cash"] == -(owed + rest)
    gathered = {name: units for name, units in amounts(lines).items() if name.endswith("fees")}
    assert gathered == ({"pool:7:fees": -rest, "fees": rest} if rest else {})
    assert amounts(lines)["house:subsidy"] == rest
    for each in holders:
        payout = each.long_shares * long_pays + each.short_shares * short_pays
        assert amounts(lines).get(f"trader:{each.trader_id}:cash", 0) == payout


def test_a_trade_moves_cash_to_the_pool_and_shares_to_the_trader() -> None:
    assert amounts(trade_lines(3, 7, Side.LONG, 10, 2011, 11)) == {
        "trader:3:cash": -2022,
        "pool:7:cash": 2011,
        "pool:7:fees": 11,
        "pool:7:issued:LONG": -10,
        "trader:3:pos:7:LONG": 10,
    }


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "at least two"),
        ([Line(FEES, 1)], "at least two"),
        ([Line(FEES, 1), Line(HOUSE_MINT, -2)], "sum to -1 in credits"),
        ([Line(FEES, 0), Line(HOUSE_MINT, 0)], "cannot be posted 0"),
        ([Line(FEES, 1.0), Line(HOUSE_MINT, -1)], "cannot be posted 1.0"),  # type: ignore[arg-type]
        ([Line(FEES, True), Line(HOUSE_MINT, -1)], "cannot be posted True"),
        ([Line(FEES, 2**62), Line(HOUSE_MINT, -(2**62))], "cannot be posted"),
        ([Line(FEES, 1), Line(FEES, -1)], "another account"),
        ([Line(trader_position(1, 1, Side.LONG), 1), Line(FEES, -1)], "contract:1:LONG"),
        ([Line(pool_issued(1, Side.LONG), -1), Line(trader_position(1, 1, Side.SHORT), 1)], "contract:1"),
    ],
)
def test_what_is_no_entry_is_refused(lines: list[Line], reason: str) -> None:
    with pytest.raises(UnbalancedEntry, match=reason):
        check_lines(lines)


@settings(deadline=None)
@given(ids, ids, sides)
def test_an_account_name_says_what_the_account_is(trader: int, contract: int, side: Side) -> None:
    for account in (
        HOUSE_MINT, HOUSE_SUBSIDY, FEES, trader_cash(trader), trader_position(trader, contract, side),
        pool_cash(contract), pool_fees(contract), pool_issued(contract, side),
    ):  # fmt: skip
        assert account_named(account.name) == account


@pytest.mark.parametrize(
    "name", ["", "house:other", "trader:x:cash", "trader:１:cash", "pool:1:cash:more", "pool::fees", "fees "]
)
def test_other_names_are_no_accounts(name: str) -> None:
    assert account_named(name) is None


def test_only_the_mint_and_the_issued_shares_may_be_negative() -> None:
    accounts: list[AccountKey] = [
        HOUSE_MINT, HOUSE_SUBSIDY, FEES, trader_cash(1), trader_position(1, 2, Side.LONG), pool_cash(2),
        pool_issued(2, Side.SHORT),
    ]  # fmt: skip
    negative = [account.name for account in accounts if account.may_be_negative]
    assert negative == ["house:mint", "pool:2:issued:SHORT"]
