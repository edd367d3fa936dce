"""Settled contracts against their entries and statements (L18), and corrections against what they take back
(L17)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.entries import CONTRACT, CORRECTED, STATEMENT
from market.audit.findings import Finding
from market.audit.rows import rows
from market.entries import Kind
from market.ledger import ENTRY
from market.statement_documents import forms_hash, listed_from, papers_hash, part_hash

PART = SQLModel.metadata.tables["statement_part"]
VERSION = SQLModel.metadata.tables["term_version"]
MOST_STATEMENTS = 2  # of a contract: the first, and one after a correction


def _counted(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((condition, 1), else_=0))


_is_correction = ENTRY.c.kind == Kind.CORRECT.value
_entries = (
    sa.select(
        ENTRY.c.contract_id,
        _counted(ENTRY.c.kind == Kind.SETTLE.value).label("settled"),
        _counted(_is_correction & (CORRECTED.c.kind == Kind.SETTLE.value)).label("taken_back"),
        _counted(_is_correction & (CORRECTED.c.kind == Kind.OPEN.value)).label("voided"),
    )
    .join_from(ENTRY, CORRECTED, CORRECTED.c.id == ENTRY.c.corrects_id, isouter=True)
    .where(ENTRY.c.kind.in_([Kind.SETTLE.value, Kind.CORRECT.value]))
    .group_by(ENTRY.c.contract_id)
    .subquery()
)
_statements = (
    sa.select(
        STATEMENT.c.contract_id, sa.func.count().label("times"), sa.func.max(STATEMENT.c.number).label("last")
    )
    .group_by(STATEMENT.c.contract_id)
    .subquery()
)
_CONTRACTS = (
    sa.select(
        CONTRACT.c.id, CONTRACT.c.settled_at, CONTRACT.c.statement_number, CONTRACT.c.is_void,
        *(sa.func.coalesce(column, 0).label(column.name) for column in (
            _entries.c.settled, _entries.c.taken_back, _entries.c.voided, _statements.c.last
        )),
        sa.func.coalesce(_statements.c.times, 0).label("statements"),
    )
    .join_from(CONTRACT, _entries, _entries.c.contract_id == CONTRACT.c.id, isouter=True)
    .join(_statements, _statements.c.contract_id == CONTRACT.c.id, isouter=True)
    .order_by(CONTRACT.c.id)
)  # fmt: skip
_STATEMENTS = (
    sa.select(
        STATEMENT, ENTRY.c.kind, ENTRY.c.contract_id.label("of_contract"), VERSION.c.forms,
    )
    .join(CONTRACT, CONTRACT.c.id == STATEMENT.c.contract_id)
    .join(VERSION, VERSION.c.id == CONTRACT.c.term_version_id)
    .join(ENTRY, ENTRY.c.id == STATEMENT.c.entry_id, isouter=True)
    .order_by(STATEMENT.c.listed_hash, STATEMENT.c.contract_id, STATEMENT.c.number)
)  # fmt: skip
_CORRECTIONS = (
    sa.select(
        ENTRY.c.id, ENTRY.c.corrects_id, ENTRY.c.memo, ENTRY.c.contract_id, ENTRY.c.kind,
        CORRECTED.c.kind.label("corrected_kind"), CORRECTED.c.contract_id.label("corrected_contract"),
    )
    .join_from(ENTRY, CORRECTED, CORRECTED.c.id == ENTRY.c.corrects_id, isouter=True)
    .where(sa.or_(_is_correction, ENTRY.c.corrects_id.is_not(None)))
    .order_by(ENTRY.c.id)
)  # fmt: skip


def check_settlements(session: Session) -> Iterator[Finding]:
    """A settled contract has a settlement entry and a statement that holds together, after a correction two
    of each; one that is void says so."""
    for row in rows(session, _CONTRACTS):
        for fault in _contract_faults(row):
            yield Finding("L18", None, f"contract {row.id} {fault}")
    listed: tuple[str | None, frozenset[str]] = None, frozenset()
    for row in rows(session, _STATEMENTS):
        if row.listed_hash != listed[0]:
            listed = row.listed_hash, _listed(session, row.listed_hash)
        fault = _statement_fault(row, listed[1])
        if fault:
            yield Finding("L18", row.entry_id, f"the settlement of contract {row.contract_id} {fault}")


def check_parts(session: Session) -> Iterator[Finding]:
    """The parts that statements share have the hashes they are known by."""
    for row in rows(session, sa.select(PART.c.hash, PART.c.kind, PART.c.content).order_by(PART.c.hash)):
        if part_hash(row.content) != row.hash:
            yield Finding("L18", None, f"the {row.kind} part {row.hash} is not the text of that hash")


def check_corrections(session: Session) -> Iterator[Finding]:
    """A correction takes back a grant, a settlement or, whole, a contract of its own chain, with a reason."""
    for row in rows(session, _CORRECTIONS):
        if row.kind != Kind.CORRECT:
            yield Finding("L17", row.id, f"entry {row.id} is a {row.kind} and takes back another")
        elif row.corrected_kind not in (Kind.GRANT, Kind.SETTLE, Kind.OPEN):
            taken = f"{row.corrects_id} ({row.corrected_kind})"
            yield Finding("L17", row.id, f"entry {row.id} takes back entry {taken}, which cannot be")
        elif row.corrected_contract != row.contract_id or not row.memo:
            fault = "has no reason" if not row.memo else "belongs to another contract than what it takes back"
            yield Finding("L17", row.id, f"entry {row.id} {fault}")


def _contract_faults(row: Any) -> Iterator[str]:
    if row.settled != row.statements:
        yield f"has {row.settled} settlement entries and {row.statements} statements"
    if row.statements > MOST_STATEMENTS or row.statements != row.last:
        yield f"has {row.statements} statements, the last with number {row.last}"
    if row.taken_back != max(0, row.statements - 1):
        yield f"was settled {row.settled} times, and {row.taken_back} settlements were taken back"
    if row.is_void != (row.voided == 1) or row.voided > 1:
        yield f"was made void {row.voided} times and says {'that it is' if row.is_void else 'it is not'}"
    in_force = 0 if row.is_void else row.statements
    if row.statement_number != in_force:
        yield f"says that statement {row.statement_number} is in force instead of {in_force}"
    if (row.settled_at is None) != (row.statements == 0 and not row.is_void):
        said = "open" if row.settled_at is None else "settled"
        yield f"says that it is {said}, with {row.statements} statements"


def _statement_fault(row: Any, listed: frozenset[str]) -> str:
    if row.kind != Kind.SETTLE or row.of_contract != row.contract_id:
        return "names an entry that is not its own"
    if row.counted != len(row.papers) or len(set(row.papers)) != len(row.papers):
        return f"counts {row.counted} and lists {len(set(row.papers))} papers"
    if row.papers_hash != papers_hash(row.papers):
        return "states a hash that its papers do not have"
    if row.forms_hash is not None and row.forms_hash != forms_hash(row.forms):
        return "was made with other forms than its term version has"
    if row.listed_hash is not None and not listed.issuperset(row.papers):
        return "counts papers that were not listed"
    return ""


def _listed(session: Session, listed_hash: str | None) -> frozenset[str]:
    text = session.connection().execute(
        sa.select(PART.c.content).where(PART.c.hash == listed_hash)
    ).scalar()
    try:
        return frozenset(paper.identifier for paper in listed_from(text)) if text else frozenset()
    except (ValueError, TypeError):
        return frozenset()  # somebody altered it, which the part's hash says
