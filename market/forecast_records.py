"""What was forecast of each settled contract when it closed, kept beside what was counted.

The market's price is that after the last trade before the close. Beside it stand the forecast that the
contract opened with, and what anybody could have forecast at the close from counts alone: the plain forecast,
the moving average and the last period's count, by what was known at that moment.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.db import read_session, transact
from market.decay import number_of
from market.expected import Numbers
from market.forecast_scores import log_scores, smoothed_mean, spread_of
from market.forecasts import outlook_known
from market.inserts import insert_new
from market.known import activity_known, days_known
from market.maker import Maker
from market.statements import in_force
from market.tables import Board, Contract, ForecastRecord, SettlementStatement

CONTRACTS_AT_ONCE = 500
METHODS = ("market", "opening", "plain", "smoothed", "last")


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Settled contracts of one board and period whose forecasts are not kept yet."""

    board_id: int
    first_day: date
    contract_ids: tuple[int, ...]


def record_settled(engine: Engine, now: datetime) -> int:
    """Keep the forecasts of every settled contract that has none, some hundred in a transaction; how many.

    It may be stopped anywhere and run again, by several at once. A settlement that was corrected is recorded
    anew.
    """
    with read_session(engine) as session:
        waiting = unrecorded(session)
    for group in waiting:
        transact(engine, partial(record, group=group, now=now))
    return sum(len(group.contract_ids) for group in waiting)


def unrecorded(session: Session) -> list[Unrecorded]:
    """What `record` is to be called with, oldest periods first."""
    rows = session.execute(
        sa.select(col(Contract.board_id), col(Contract.first_day), col(Contract.id))
        .outerjoin(
            ForecastRecord,
            sa.and_(
                col(ForecastRecord.contract_id) == Contract.id,
                col(ForecastRecord.number) == Contract.statement_number,
            ),
        )
        .where(col(Contract.statement_number) > 0, col(ForecastRecord.contract_id).is_(None))
        .order_by(col(Contract.first_day), col(Contract.board_id), col(Contract.id))
    )
    groups: dict[tuple[int, date], list[int]] = defaultdict(list)
    for board_id, first_day, contract_id in rows:
        groups[board_id, first_day].append(contract_id)
    return [
        Unrecorded(board_id, first_day, tuple(ids[start : start + CONTRACTS_AT_ONCE]))
        for (board_id, first_day), ids in groups.items()
        for start in range(0, len(ids), CONTRACTS_AT_ONCE)
    ]


def record(session: Session, group: Unrecorded, now: datetime) -> None:
    """Keep the forecasts of these contracts; a handful of statements, however many they are."""
    board = session.get_one(Board, group.board_id)
    contracts = _contracts(session, group)
    if not contracts:
        return
    ids = sorted({contract.term_id for contract in contracts})
    closed_at = datetime.combine(group.first_day, time(), ZoneInfo(board.time_zone))
    expected = outlook_known(session, board, ids, group.first_day, closed_at)
    order = {term: at for at, term in enumerate(ids)}
    places = [order[contract.term_id] for contract in contracts]
    series = _series(session, board, ids, group.first_day, closed_at)
    past = [series[contract.term_id] for contract in contracts]
    means = {
        "market": np.array([_market_milli(contract) for contract in contracts]) / 1000,
        "opening": np.array([contract.forecast_milli for contract in contracts]) / 1000,
        "plain": expected.mean[places],
        "smoothed": np.array([smoothed_mean(papers) for papers in past]),
        "last": np.array([float(papers[-1]) if papers else 0.0 for papers in past]),
    }
    spread = spread_of(expected)[places]
    counted = np.array([float(contract.counted) for contract in contracts])
    scores = {name: log_scores(counted, mean, spread).tolist() for name, mean in means.items()}
    milli = {name: _milli(mean, least=0 if name == "last" else 1) for name, mean in means.items()}
    rows = [
        {
            "contract_id": contract.id, "number": contract.number, "spread": float(spread[at]),
            "recorded_at": now,
            **{f"{name}_milli": values[at] for name, values in milli.items()},
            **{f"{name}_score": values[at] for name, values in scores.items()},
        }
        for at, contract in enumerate(contracts)
    ]  # fmt: skip
    insert_new(session, ForecastRecord, rows)


def _contracts(session: Session, group: Unrecorded) -> Sequence[Any]:
    return session.execute(
        sa.select(
            col(Contract.id), col(Contract.term_id), col(Contract.cap), col(Contract.prior_1024),
            col(Contract.depth_shares), col(Contract.long_shares), col(Contract.short_shares),
            col(Contract.forecast_milli), col(SettlementStatement.number), col(SettlementStatement.counted),
        )
        .join(SettlementStatement, in_force())
        .where(col(Contract.id).in_(group.contract_ids))
        .order_by(col(Contract.id))
    ).all()  # fmt: skip


def _market_milli(contract: Any) -> int:
    """Where the market stood after the last trade: none is taken once a contract has closed."""
    maker = Maker(contract.cap, contract.prior_1024, contract.depth_shares)
    return maker.forecast_milli(contract.long_shares, contract.short_shares)


def _milli(means: Numbers, least: int) -> list[int]:
    return [max(least, round(mean * 1000)) for mean in means.tolist()]


def _series(
    session: Session, board: Board, ids: Sequence[int], first_day: date, known_at: datetime
) -> dict[int, list[int]]:
    """Each term's papers in every period before ``first_day``, from the board's first that listed any on."""
    last = first_day - timedelta(days=1)
    days = days_known(board.id, known_at, last=last)
    begin = session.execute(sa.select(sa.func.min(days.c.day)).where(days.c.paper_count > 0)).scalar()
    if begin is None:
        return {term: [] for term in ids}
    known = activity_known(board.id, known_at, last=last)
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    rows = session.execute(
        sa.select(known.c.term_id, known.c.day, known.c.paper_count).where(known.c.term_id.in_(ids))
    )
    for term, day, papers in rows:
        counts[term][number_of(board.period, day)] += papers
    numbers = range(number_of(board.period, begin), number_of(board.period, last) + 1)
    return {term: [counts[term][number] for number in numbers] for term in ids}
