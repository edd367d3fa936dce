"""What a contract was settled on, with the titles of the papers that count, or why it is void."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.reads.corrections import CorrectionNote, void_notes
from market.statement_documents import Statement
from market.stored_statements import NoStatement, contract_named, statement_of
from market.tables import Contract, SettlementStatement
from nlp.records import ReadingText
from nlp.tables import Paper
from nlp.typeset import runs_from_json

ASKED_AT_ONCE = 500  # databases limit the parameters of a statement


@dataclass(frozen=True, slots=True)
class CountedPaper:
    """A paper that counts, the day it was listed on (None where that was not kept), its title of today."""

    identifier: str
    day: date | None
    title: ReadingText


@dataclass(frozen=True, slots=True)
class OtherStatement:
    """Another statement of the same contract: an earlier one, or the correction of this one."""

    number: int
    counted: int
    recorded_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class StatementView:
    """A contract's statement, in force or not, its papers by day, and the contract's other statements.

    Of a contract that is void ``void`` says why; ``statement`` is then None unless one was asked for by its
    number.
    """

    statement: Statement | None
    papers: tuple[CountedPaper, ...]
    others: tuple[OtherStatement, ...]
    is_in_force: bool
    void: CorrectionNote | None


def statement_view(
    session: Session, board: str, slug: str, period: str, number: int | None = None
) -> StatementView:
    """The statement of this number, or the one in force. A fixed number of queries.

    Raises `UnknownContract`, and `NoStatement` where nothing is settled.
    """
    contract_id = contract_named(session, f"{board}/{slug}/{period}")
    state = sa.select(col(Contract.is_void), col(Contract.statement_number))
    is_void, in_force = session.execute(state.where(col(Contract.id) == contract_id)).one()
    void = void_notes(session, [contract_id]).get(contract_id) if is_void else None
    others = _statements(session, contract_id)
    if void is not None and number is None:
        return StatementView(None, (), others, False, void)
    statement = statement_of(session, contract_id, number)
    rest = tuple(each for each in others if each.number != statement.number)
    papers = _papers(session, statement)
    return StatementView(statement, papers, rest, statement.number == in_force, void)


def statement_named(
    session: Session, board: str, slug: str, period: str, number: int | None = None
) -> Statement:
    """The statement alone; raises `UnknownContract` and `NoStatement`."""
    return statement_of(session, contract_named(session, f"{board}/{slug}/{period}"), number)


def _statements(session: Session, contract_id: int) -> tuple[OtherStatement, ...]:
    rows = session.execute(
        sa.select(
            col(SettlementStatement.number), col(SettlementStatement.counted),
            col(SettlementStatement.recorded_at), col(SettlementStatement.reason),
        )
        .where(col(SettlementStatement.contract_id) == contract_id)
        .order_by(col(SettlementStatement.number))
    )  # fmt: skip
    return tuple(OtherStatement(*row) for row in rows)


def _papers(session: Session, statement: Statement) -> tuple[CountedPaper, ...]:
    days = {paper.identifier: paper.day for paper in statement.listed or ()}
    titles = _titles(session, statement.papers)
    papers = (
        CountedPaper(each, days.get(each), titles.get(each, ReadingText("", ()))) for each in statement.papers
    )
    return tuple(sorted(papers, key=lambda paper: (paper.day or date.min, paper.identifier)))


def _titles(session: Session, identifiers: Collection[str]) -> dict[str, ReadingText]:
    found: dict[str, ReadingText] = {}
    wanted = list(identifiers)
    for start in range(0, len(wanted), ASKED_AT_ONCE):
        rows = session.execute(
            sa.select(col(Paper.identifier), col(Paper.title_text), col(Paper.title_runs)).where(
                col(Paper.identifier).in_(wanted[start : start + ASKED_AT_ONCE])
            )
        )
        found |= {row.identifier: runs_from_json(row.title_text, row.title_runs) for row in rows}
    return found


__all__ = ["NoStatement", "StatementView", "statement_named", "statement_view"]
