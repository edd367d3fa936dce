"""The crowd's record: what is kept of each settled contract, and what it comes to by week."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import close_day
from market.corrections import correct_entry
from market.db import read_session, transact, write_session
from market.forecast_records import METHODS, record, record_settled, unrecorded
from market.forecast_scores import log_scores, smoothed_mean
from market.intake import take_in
from market.maker import Maker, Side
from market.orders import Action, OrderRequest
from market.reads.record import Verdict, contracts_of_period, record_of
from market.settlement import settle_due
from market.tables import Board, BoardDay, Contract, Entry, ForecastRecord
from market.trading import place_order
from market.voiding import void_contract
from tests.market.settlements import BEFORE, DUE, MONDAY, PERIOD, begin, raw, settle
from tests.web.conftest import statements

FRIDAY = date(2026, 5, 15)


def settled(session: Session) -> int:
    """The week before lists three papers, one with the term; the contract's own week four, two with it."""
    number = begin(session)
    take_in(session, [raw(1), raw(2, 3), raw(3, 5), raw(4, 5)], now=DUE)
    # What came late about the week before was not known at the close.
    take_in(session, [raw(30, 0, day=FRIDAY), raw(31, 0, day=FRIDAY)], now=DUE)
    settle(session)
    return number


def test_what_is_kept_is_what_could_be_known_at_the_close(engine: Engine) -> None:
    number = transact(engine, settled)
    assert record_settled(engine, DUE) == 1
    assert record_settled(engine, DUE) == 0
    with read_session(engine) as session:
        kept = session.exec(select(ForecastRecord)).one()
        contract = session.get_one(Contract, number)
        maker = Maker(contract.cap, contract.prior_1024, contract.depth_shares)
    assert (kept.contract_id, kept.number, kept.recorded_at) == (number, 1, DUE)
    assert kept.market_milli == maker.forecast_milli(contract.long_shares, contract.short_shares)
    assert kept.market_milli > maker.forecast_milli(0, 0)
    assert kept.opening_milli == contract.forecast_milli
    assert (kept.last_milli, kept.smoothed_milli) == (1000, 1000)  # one period, one paper
    for method in METHODS:
        mean = max(getattr(kept, f"{method}_milli") / 1000, 0.05)
        size = 1 / kept.spread
        expected = -stats.nbinom.logpmf(2, size, size / (size + mean))
        assert getattr(kept, f"{method}_score") == pytest.approx(expected, rel=1e-3)


def test_a_corrected_settlement_is_recorded_anew_and_a_void_one_left_out(engine: Engine) -> None:
    number = transact(engine, settled)
    record_settled(engine, DUE)
    later = DUE + timedelta(days=1)

    def put_right(session: Session) -> None:
        take_in(session, [raw(9)], now=later)
        wrong = session.exec(select(Entry.id).where(Entry.kind == "settle")).one()
        correct_entry(session, wrong or 0, "Listed late.", later)

    transact(engine, put_right)
    assert record_settled(engine, later) == 1
    with read_session(engine) as session:
        board = session.exec(select(Board)).one()
        (period,) = record_of(session, board).periods
        assert (period.contract_count, period.paper_count) == (1, 3)
        (shown,) = contracts_of_period(session, board, PERIOD, 1).contracts
        assert (shown.counted, shown.label) == (3, "diffusion model")
        market = shown.forecasts_milli[0]
        assert period.of("market").error == pytest.approx(shown.error(0)) == abs(3 - market / 1000)
    transact(engine, lambda session: void_contract(session, number, "No week at all.", later))
    assert record_settled(engine, later) == 0
    with read_session(engine) as session:
        found = record_of(session, session.exec(select(Board)).one())
        assert (found.periods, found.total, found.verdict, found.waiting) == ((), None, None, None)


def test_before_anything_is_settled_it_says_what_will_be(engine: Engine) -> None:
    transact(engine, begin)
    with read_session(engine) as session:
        found = record_of(session, session.exec(select(Board)).one())
    assert found.periods == ()
    assert found.waiting is not None
    assert (found.waiting.period, found.waiting.grace_until) == (PERIOD, date(2026, 5, 27))


def many_terms(session: Session, weeks: int) -> None:
    """All three terms are traded in each of some weeks, and settled."""
    begin(session)
    board = session.exec(select(Board)).one()
    now = BEFORE
    for week in range(weeks):
        monday = MONDAY + timedelta(weeks=week)
        year, number, _ = monday.isocalendar()
        for at, term in enumerate(("diffusion-model", "flow-matching", "latent-diffusion-model")):
            side = Side.LONG if (at + week) % 2 else Side.SHORT
            order = OrderRequest("cs.LG", term, f"{year}-W{number:02d}", side, Action.BUY, 20, None, None)
            place_order(session, 1, order, f"{term}{week}", now)
        now = BEFORE + timedelta(weeks=week + 1)
        papers = [raw(100 * week + each, each % 6, day=monday) for each in range(5 + week)]
        take_in(session, papers, now=now)
    for day in session.exec(select(BoardDay.day).where(col(BoardDay.paper_count) > 0)).all():
        close_day(session, board, day, DUE + timedelta(weeks=weeks))
    settle_due(session, DUE + timedelta(weeks=weeks))


def test_the_statements_do_not_grow_with_the_contracts(engine: Engine) -> None:
    transact(engine, lambda session: many_terms(session, 2))
    counts = []
    for most in (1, 3):
        with statements(engine) as asked, write_session(engine) as session:
            group = unrecorded(session)[0]
            record(session, type(group)(group.board_id, group.first_day, group.contract_ids[:most]), DUE)
            session.rollback()
        counts.append(len(asked))
    assert counts[0] == counts[1] < 12


def test_weeks_come_newest_first_and_add_up(engine: Engine) -> None:
    transact(engine, lambda session: many_terms(session, 3))
    assert record_settled(engine, DUE) == 9
    with read_session(engine) as session:
        board = session.exec(select(Board)).one()
        found = record_of(session, board)
        pages = [contracts_of_period(session, board, each.period, 1) for each in found.periods]
    assert [each.period for each in found.periods] == ["2026-W23", "2026-W22", "2026-W21"]
    assert found.total is not None
    assert found.total.contract_count == 9
    for period, page in zip(found.periods, pages, strict=True):
        assert page.contract_count == period.contract_count == 3
        for at, method in enumerate(METHODS):
            errors = [each.error(at) for each in page.contracts]
            assert period.of(method).error == pytest.approx(sum(errors) / 3)
            scores = [each.scores[at] for each in page.contracts]
            assert period.of(method).score == pytest.approx(sum(scores) / 3)
    assert found.verdict is not None
    means = [each.of("market").error - each.of("plain").error for each in found.periods]
    assert found.verdict.difference == pytest.approx(sum(means) / 3)
    assert found.verdict.standard_error == pytest.approx(np.std(means, ddof=1) / math.sqrt(3))


@pytest.mark.parametrize(
    ("verdict", "is_clear"),
    [
        (Verdict(1, 50, -3.0, None), False),
        (Verdict(4, 200, -3.0, 0.1), False),
        (Verdict(5, 200, -3.0, 0.1), True),
        (Verdict(50, 200, 0.3, 0.1), True),
        (Verdict(50, 200, 0.1, 0.1), False),
    ],
)
def test_a_claim_needs_several_weeks_and_more_than_chance(verdict: Verdict, is_clear: bool) -> None:
    assert verdict.is_clear is is_clear


@given(
    counted=st.integers(0, 2**20),
    mean=st.floats(0, 2**20, allow_nan=False),
    spread=st.floats(0.01, 20),
)
def test_a_log_score_is_finite_and_not_below_zero(counted: int, mean: float, spread: float) -> None:
    (score,) = log_scores(np.array([float(counted)]), np.array([mean]), np.array([spread]))
    assert math.isfinite(score)
    assert score >= 0


@given(mean=st.floats(0.05, 500), spread=st.floats(0.02, 5))
def test_the_distribution_has_the_mean_and_sums_to_one(mean: float, spread: float) -> None:
    counts = np.arange(0, 40_000, dtype=np.float64)
    chances = np.exp(-log_scores(counts, np.full_like(counts, mean), np.full_like(counts, spread)))
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    assert (chances * counts).sum() == pytest.approx(mean, rel=1e-3)


def test_the_moving_average_weighs_the_last_period_most() -> None:
    assert smoothed_mean([]) == 0
    assert smoothed_mean([7]) == 7
    assert smoothed_mean([0, 10]) == pytest.approx(10 / 1.8)
    assert smoothed_mean([10, 0]) == pytest.approx(8 / 1.8)
