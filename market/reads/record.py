"""How good the crowd has been: what was forecast of settled contracts beside what was counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.forecast_records import METHODS
from market.statements import in_force
from market.tables import Board, Contract, ForecastRecord, SettlementStatement
from nlp.tables import Term

PAGE_SIZE = 100
FEWEST_WEEKS = 5  # that a claim is made on
CLEAR = 2.0  # standard errors of the mean


@dataclass(frozen=True, slots=True)
class Errors:
    """Of one forecast over some contracts: the mean absolute error in papers, and the mean logarithmic score
    in nats; of both the smaller is the better."""

    method: str
    error: float
    score: float


@dataclass(frozen=True, slots=True)
class PeriodRecord:
    """The contracts of a period that are settled, with how many papers they counted in all."""

    period: str
    contract_count: int
    paper_count: int
    errors: tuple[Errors, ...]  # in the order of `METHODS`

    def of(self, method: str) -> Errors:
        """The errors of one of `METHODS`."""
        return self.errors[METHODS.index(method)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The market beside the plain forecast made at the close, by the mean difference of their errors a period
    (below 0: the market lay nearer), with its standard error over the periods; None for fewer than two."""

    period_count: int
    contract_count: int
    difference: float
    standard_error: float | None

    @property
    def is_clear(self) -> bool:
        """Whether chance alone would seldom do that."""
        if self.standard_error is None or self.period_count < FEWEST_WEEKS:
            return False
        return abs(self.difference) > CLEAR * self.standard_error


@dataclass(frozen=True, slots=True)
class FirstSettlement:
    """The first period that a contract was traded on, and the day after whose end it can be settled."""

    period: str
    last_day: date
    grace_until: date


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """Every period with settled contracts, newest first, and all of them together; ``verdict`` is None where
    there is none. ``waiting`` is the first settlement to come, None where nothing was traded."""

    periods: tuple[PeriodRecord, ...]
    total: PeriodRecord | None
    verdict: Verdict | None
    waiting: FirstSettlement | None


@dataclass(frozen=True, slots=True)
class ContractRecord:
    """One settled contract: forecasts in thousandths of a paper and their scores, ordered as `METHODS`."""

    slug: str
    label: str
    counted: int
    forecasts_milli: tuple[int, ...]
    scores: tuple[float, ...]

    def error(self, at: int) -> float:
        """How many papers a forecast lay off."""
        return abs(self.forecasts_milli[at] / 1000 - self.counted)


@dataclass(frozen=True, slots=True)
class ContractPage:
    """A page of the settled contracts of a period, by their papers and then their names."""

    contracts: tuple[ContractRecord, ...]
    contract_count: int

    @property
    def page_count(self) -> int:
        """At least 1."""
        return max(1, -(-self.contract_count // PAGE_SIZE))


def record_of(session: Session, board: Board) -> BoardRecord:
    """The board's record; two queries, however much was settled."""
    rows = session.execute(_by_period(board)).all()
    periods = tuple(_period(row.period, [row]) for row in rows)
    total = _period("", rows) if rows else None
    return BoardRecord(periods, total, _verdict(periods) if periods else None, _waiting(session, board))


def contracts_of_period(session: Session, board: Board, period: str, number: int) -> ContractPage:
    """Page ``number``, from 1, of the period's settled contracts; without any where none is settled."""
    rows = session.execute(
        sa.select(
            col(Term.slug), col(Term.label), col(SettlementStatement.counted),
            *(_column(method, "milli") for method in METHODS),
            *(_column(method, "score") for method in METHODS),
            sa.func.count().over().label("in_all"),
        )
        .select_from(Contract)
        .join(SettlementStatement, in_force())
        .join(ForecastRecord, _of_statement())
        .join(Term, col(Term.id) == Contract.term_id)
        .where(col(Contract.board_id) == board.id, col(Contract.period) == period)
        .order_by(col(SettlementStatement.counted).desc(), col(Term.label), col(Term.id))
        .limit(PAGE_SIZE)
        .offset((number - 1) * PAGE_SIZE)
    ).all()  # fmt: skip
    half = 3 + len(METHODS)
    contracts = tuple(
        ContractRecord(row.slug, row.label, row.counted, tuple(row[3:half]), tuple(row[half:-1]))
        for row in rows
    )
    return ContractPage(contracts, rows[0].in_all if rows else 0)


def _by_period(board: Board) -> sa.Select[*tuple[Any, ...]]:
    counted = 1000 * col(SettlementStatement.counted)
    return (
        sa.select(
            col(Contract.period), sa.func.count().label("contracts"),
            sa.cast(sa.func.sum(col(SettlementStatement.counted)), sa.BigInteger).label("papers"),
            *(
                sa.func.sum(sa.func.abs(_column(method, "milli") - counted)).label(f"{method}_off")
                for method in METHODS
            ),
            *(sa.func.sum(_column(method, "score")).label(f"{method}_score") for method in METHODS),
        )
        .select_from(Contract)
        .join(SettlementStatement, in_force())
        .join(ForecastRecord, _of_statement())
        .where(col(Contract.board_id) == board.id)
        .group_by(col(Contract.period), col(Contract.first_day))
        .order_by(col(Contract.first_day).desc())
    )  # fmt: skip


def _of_statement() -> sa.ColumnElement[bool]:
    return sa.and_(
        col(ForecastRecord.contract_id) == SettlementStatement.contract_id,
        col(ForecastRecord.number) == SettlementStatement.number,
    )


def _column(method: str, what: str) -> Any:
    return getattr(ForecastRecord, f"{method}_{what}")


def _period(name: str, rows: Sequence[Any]) -> PeriodRecord:
    count = sum(row.contracts for row in rows)
    errors = tuple(
        Errors(
            method,
            float(sum(row._mapping[f"{method}_off"] for row in rows)) / 1000 / count,
            sum(row._mapping[f"{method}_score"] for row in rows) / count,
        )
        for method in METHODS
    )
    return PeriodRecord(name, count, int(sum(row.papers for row in rows)), errors)


def _verdict(periods: Sequence[PeriodRecord]) -> Verdict:
    """By period: contracts of one period share its surprises, so their number says little by itself."""
    differences = [each.of("market").error - each.of("plain").error for each in periods]
    count = len(differences)
    mean = sum(differences) / count
    error = None
    if count > 1:
        error = math.sqrt(sum((each - mean) ** 2 for each in differences) / (count - 1) / count)
    return Verdict(count, sum(each.contract_count for each in periods), mean, error)


def _waiting(session: Session, board: Board) -> FirstSettlement | None:
    row = session.execute(
        sa.select(col(Contract.period), col(Contract.last_day))
        .where(col(Contract.board_id) == board.id, col(Contract.settled_at).is_(None))
        .order_by(col(Contract.first_day))
        .limit(1)
    ).first()
    if row is None:
        return None
    return FirstSettlement(row.period, row.last_day, row.last_day + timedelta(days=board.grace_days))
