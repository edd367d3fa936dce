"""Checkpoints (L13): their roots made anew, and every head they name held against the entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.findings import Finding
from market.audit.rows import rows
from market.chain import BEFORE_THE_FIRST, Link
from market.checkpoints import SignedRoot, root_of, signature_of
from market.ledger import ENTRY

CHECKPOINT = SQLModel.metadata.tables["checkpoint"]
HEAD = SQLModel.metadata.tables["checkpoint_head"]

_HEADS = (
    sa.select(
        CHECKPOINT.c.number, CHECKPOINT.c.made_at, CHECKPOINT.c.root, CHECKPOINT.c.signature,
        HEAD.c.chain, HEAD.c.sequence, HEAD.c.hash,
        ENTRY.c.hash.label("entry_hash"), ENTRY.c.id.label("entry_id"),
    )
    .join_from(CHECKPOINT, HEAD, HEAD.c.number == CHECKPOINT.c.number, isouter=True)
    .join(ENTRY, sa.and_(ENTRY.c.chain == HEAD.c.chain, ENTRY.c.sequence == HEAD.c.sequence), isouter=True)
    .order_by(CHECKPOINT.c.number, HEAD.c.chain)
)  # fmt: skip


def check_checkpoints(
    session: Session, key: str | None, written: Sequence[SignedRoot] = ()
) -> Iterator[Finding]:
    """Roots, signatures (with the ``key`` they were made with; None: not looked at), heads, and the
    checkpoints that were ``written`` outside the database."""
    before = BEFORE_THE_FIRST
    roots: dict[int, str] = {}
    for number, group in groupby(rows(session, _HEADS), itemgetter(0)):
        lines = list(group)
        yield from _faults(lines, before, key)
        before = roots[number] = lines[0].root
    for outside in written:
        what = f"checkpoint {outside.number} as it was written outside the database"
        if key is not None and outside.signature != signature_of(outside.root, key):
            yield Finding("L13", None, f"{what} is not signed with this key")
        elif roots.get(outside.number) != outside.root:
            yield Finding("L13", None, f"{what} is not the one stored")


def _faults(lines: Sequence[Any], before: str, key: str | None) -> Iterator[Finding]:
    head = lines[0]
    heads = [Link(line.chain, line.sequence, line.hash) for line in lines if line.chain is not None]
    if root_of(before, head.number, head.made_at, heads) != head.root:
        yield Finding("L13", None, f"checkpoint {head.number}: its root is not that of its heads")
    if key is not None and signature_of(head.root, key) != head.signature:
        yield Finding("L13", None, f"checkpoint {head.number} is not signed with this key")
    for line in lines:
        if line.chain is not None and line.entry_hash != line.hash:
            place = f"entry {line.sequence} of chain {line.chain}"
            found = "is gone" if line.entry_id is None else "has another hash"
            yield Finding("L13", line.entry_id, f"checkpoint {head.number} saw {place}, which now {found}")
