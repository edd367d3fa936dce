"""The hash chains (L13): every entry's place in its chain and its hash, made anew from what it posts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.entries import ORDERS
from market.audit.findings import Finding, Progress
from market.audit.rows import rows
from market.chain import NO_CONTRACT, EntryContent, Link, next_link, order_key
from market.ledger import ACCOUNT, ENTRY, POSTING

_LINKS = (
    sa.select(
        ENTRY.c.id, ENTRY.c.chain, ENTRY.c.sequence, ENTRY.c.hash, ENTRY.c.contract_id, ENTRY.c.kind,
        ENTRY.c.memo, ENTRY.c.corrects_id, ENTRY.c.recorded_at,
        ORDERS.c.trader_id, ORDERS.c.idempotency_key, ACCOUNT.c.name, POSTING.c.amount,
    )
    .select_from(ENTRY)
    .join(POSTING, POSTING.c.entry_id == ENTRY.c.id, isouter=True)
    .join(ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id, isouter=True)
    .join(ORDERS, ORDERS.c.id == ENTRY.c.order_id, isouter=True)
    .order_by(ENTRY.c.chain, ENTRY.c.sequence, POSTING.c.line)
)  # fmt: skip


def check_chains(session: Session, progress: Progress) -> Iterator[Finding]:
    """Every chain counts its entries from 1 without a gap, and every hash is that of its entry."""
    before: Link | None = None
    for _, group in groupby(rows(session, _LINKS), itemgetter(0)):
        lines = list(group)
        head = lines[0]
        if before is not None and before.chain != head.chain:
            before = None
        yield from _faults(lines, before)
        # The next entry is held against what is stored: one that was altered is found at its own place.
        before = Link(head.chain, head.sequence, head.hash)
        progress.step()


def _faults(lines: Sequence[Any], before: Link | None) -> Iterator[Finding]:
    head = lines[0]
    where = f"entry {head.id} of chain {head.chain}"
    if head.chain != (head.contract_id or NO_CONTRACT):
        yield Finding("L13", head.id, f"{where} belongs to chain {head.contract_id or NO_CONTRACT}")
    link = next_link(head.chain, before, _content(lines))
    if head.sequence != link.sequence:
        yield Finding("L13", head.id, f"{where} has the number {head.sequence} instead of {link.sequence}")
    elif head.hash != link.hash:
        yield Finding("L13", head.id, f"{where}: the hash is not that of the entry and the one before it")


def _content(lines: Sequence[Any]) -> EntryContent:
    head = lines[0]
    key = "" if head.trader_id is None else order_key(head.trader_id, head.idempotency_key)
    postings = [(line.name, line.amount) for line in lines if line.name is not None]
    return EntryContent(head.kind, key, head.memo, head.corrects_id, head.recorded_at, postings)
