"""Statements as they are stored, made whole; and the texts that are stored of the papers they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.errors import MarketError
from market.evidence import forms_of
from market.highlighter import layers_of
from market.recounting import PaperText, Recounted, recount
from market.statement_documents import Statement, TermForms, lexicon_from, listed_from
from market.tables import (
    Board,
    BoardPaper,
    Contract,
    Entry,
    SettlementStatement,
    StatementPart,
    TermName,
)
from nlp.tables import Paper, Term, TermVersion
from nlp.typeset import runs_from_json

ROWS_AT_ONCE = 200  # papers whose texts are held


class UnknownContract(MarketError):
    """No contract has this number, or this board, term and period."""


class NoStatement(MarketError):
    """The contract has no such statement; the message says why."""


def contract_named(session: Session, name: str) -> int:
    """The id of a contract by its number, or as "cs.LG/diffusion-model/2026-W21", its term also by an address
    that it had before. Raises `UnknownContract`."""
    if re.fullmatch("[0-9]{1,18}", name):
        found = session.execute(sa.select(col(Contract.id)).where(col(Contract.id) == int(name))).scalar()
    else:
        found = _by_address(session, *name.split("/")) if name.count("/") == 2 else None
    if found is None:
        raise UnknownContract(
            f"There is no contract {name!r}. Give its number, or board, term and period as in "
            f"cs.LG/diffusion-model/2026-W21."
        )
    return int(found)


def statement_of(session: Session, contract_id: int, number: int | None = None) -> Statement:
    """A contract's statement of this number; None: the one in force.

    Raises `NoStatement` for one that is not settled, or void, or has no such statement.
    """
    row = _row(session, contract_id, number)
    return Statement(
        contract_id=contract_id,
        number=row.number,
        board=row.code,
        day_rule=row.day_rule,
        time_zone=row.time_zone,
        grace_days=row.grace_days,
        period=row.period,
        first_day=row.first_day,
        last_day=row.last_day,
        term_key=row.term_key or row.key,
        term_label=row.label,
        term_version=row.version,
        forms=tuple(row.forms),
        forms_hash=row.forms_hash,
        highlighter_version=row.highlighter_version,
        counted=row.counted,
        papers=tuple(row.papers),
        papers_hash=row.papers_hash,
        listed=listed_from(_part(session, row.listed_hash)) if row.listed_hash else None,
        listed_hash=row.listed_hash,
        lexicon=lexicon_from(_part(session, row.lexicon_hash)) if row.lexicon_hash else None,
        lexicon_hash=row.lexicon_hash,
        entry_id=row.entry_id,
        entry_hash=row.hash,
        recorded_at=row.recorded_at,
        reason=row.reason,
    )


def recount_stored(session: Session, statement: Statement) -> Recounted:
    """The statement counted again from the papers that are stored now."""
    contract = session.get_one(Contract, statement.contract_id)
    texts = stored_texts(session, contract.board_id, contract.first_day, contract.last_day)
    lexicon = None if statement.lexicon is not None else _lexicon_today(session, contract.term_version_id)
    return recount(statement, texts, lexicon)


def stored_texts(
    session: Session, board_id: int, first_day: date, last_day: date
) -> Iterator[PaperText]:
    """The texts of all papers that stand on the board on one of these days."""
    statement = (
        sa.select(
            col(Paper.identifier), col(BoardPaper.day), col(Paper.abstract_text), col(Paper.abstract_runs)
        )
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(col(BoardPaper.board_id) == board_id, col(BoardPaper.day).between(first_day, last_day))
        .order_by(col(Paper.identifier))
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for row in session.execute(statement):
        reading = runs_from_json(row.abstract_text, row.abstract_runs)
        yield PaperText(row.identifier, row.day, reading)


def _by_address(session: Session, board: str, term: str, period: str) -> int | None:
    named = sa.or_(
        col(Term.slug) == term,
        col(Term.id).in_(
            sa.select(col(TermName.term_id)).where(col(TermName.kind) == "slug", col(TermName.name) == term)
        ),
    )
    if "\0" in board + term + period:  # PostgreSQL cannot even be asked
        return None
    found: int | None = session.execute(
        sa.select(col(Contract.id))
        .join(Board, col(Board.id) == Contract.board_id)
        .join(Term, col(Term.id) == Contract.term_id)
        .where(col(Board.code) == board, named, col(Contract.period) == period)
        .order_by(col(Term.slug) != term)
        .limit(1)
    ).scalar()
    return found


def _row(session: Session, contract_id: int, number: int | None) -> Any:
    which = col(Contract.statement_number) if number is None else sa.literal(number)
    row = session.execute(
        sa.select(
            col(Board.code), col(Contract.period), col(Contract.first_day), col(Contract.last_day),
            col(Contract.settled_at), col(Contract.is_void), col(Term.key), col(Term.label),
            col(TermVersion.version), col(TermVersion.forms), col(Entry.hash),
            *SettlementStatement.__table__.c,  # type: ignore[attr-defined]
        )
        .select_from(Contract)
        .join(Board, col(Board.id) == Contract.board_id)
        .join(Term, col(Term.id) == Contract.term_id)
        .join(TermVersion, col(TermVersion.id) == Contract.term_version_id)
        .outerjoin(
            SettlementStatement,
            sa.and_(
                col(SettlementStatement.contract_id) == Contract.id,
                col(SettlementStatement.number) == which,
            ),
        )
        .outerjoin(Entry, col(Entry.id) == SettlementStatement.entry_id)
        .where(col(Contract.id) == contract_id)
    ).one_or_none()  # fmt: skip
    if row is None:
        raise UnknownContract(f"There is no contract {contract_id}.")
    if row.number is None:
        raise NoStatement(_why_not(row, number))
    return row


def _why_not(row: Any, number: int | None) -> str:
    what = f"{row.label} of {row.period} on {row.code}"
    if number is not None:
        return f"{what} has no statement {number}."
    if row.is_void:
        return f"{what} is void: nothing was paid, everybody got back what they had paid."
    return f"{what} is not settled yet."


def _part(session: Session, found: str) -> str:
    content: str = session.execute(
        sa.select(col(StatementPart.content)).where(col(StatementPart.hash) == found)
    ).scalar_one()
    return content


def _lexicon_today(session: Session, version_id: int) -> tuple[TermForms, ...]:
    """The lexicon of today, with the contract's version of its term, for a statement that froze none."""
    layers = layers_of(session, (version_id,))
    return forms_of(next(layer for layer in layers if version_id in layer.versions.values()))
