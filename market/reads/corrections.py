"""What was corrected, as everybody it touches is told: when, and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.entries import Kind
from market.tables import Entry

ASKED_AT_ONCE = 500  # databases limit the parameters of a statement


@dataclass(frozen=True, slots=True)
class CorrectionNote:
    """When something was corrected, and the reason that was given."""

    recorded_at: datetime
    reason: str


def void_notes(session: Session, contract_ids: Collection[int]) -> dict[int, CorrectionNote]:
    """Of contracts that are void: since when, and why. No query where there is none."""
    notes: dict[int, CorrectionNote] = {}
    ids = sorted(contract_ids)
    for start in range(0, len(ids), ASKED_AT_ONCE):
        rows = session.execute(
            sa.select(col(Entry.contract_id), col(Entry.recorded_at), col(Entry.memo))
            .where(
                col(Entry.contract_id).in_(ids[start : start + ASKED_AT_ONCE]),
                col(Entry.kind) == Kind.CORRECT.value,
            )
            .order_by(col(Entry.id))  # the last one made it void
        )
        notes |= {contract_id: CorrectionNote(at, memo) for contract_id, at, memo in rows if contract_id}
    return notes
