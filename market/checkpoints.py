"""Checkpoints: what the heads of all hash chains were on a day, signed, and written outside the database too.

A chain shows that one entry was changed; whoever can change the whole database can make the chain anew. A
checkpoint that is kept elsewhere shows that as well: its root covers the checkpoint before and every head
that moved since (L13).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.chain import BEFORE_THE_FIRST, Link
from market.inserts import insert_new, insert_one
from market.tables import Checkpoint, CheckpointHead, Entry


@dataclass(frozen=True, slots=True)
class SignedRoot:
    """A checkpoint as it is written outside: ``number`` from 1, ``root`` and ``signature`` 64 hexadecimal
    digits each; the signature is HMAC-SHA256 of the root."""

    number: int
    made_at: datetime
    root: str
    signature: str


def root_of(before: str, number: int, made_at: datetime, heads: Iterable[Link]) -> str:
    """SHA-256 over the root before and the checkpoint in canonical JSON; heads are by chain."""
    moment = made_at.astimezone(UTC).isoformat(timespec="microseconds")
    fields = [number, moment, [[head.chain, head.sequence, head.hash] for head in heads]]
    body = json.dumps(fields, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{before}\n{body}".encode("ascii")).hexdigest()


def signature_of(root: str, key: str) -> str:
    """HMAC-SHA256 (RFC 2104) of a root, in hexadecimal."""
    return hmac.new(key.encode(), root.encode("ascii"), hashlib.sha256).hexdigest()


def make_checkpoint(session: Session, key: str, now: datetime) -> SignedRoot | None:
    """Record the heads that moved since the last checkpoint; None when none did, or another is doing so."""
    heads = _moved_heads(session)
    if not heads:
        return None
    last = _last(session)
    number = last.number + 1 if last else 1
    root = root_of(last.root if last else BEFORE_THE_FIRST, number, now, heads)
    made = SignedRoot(number, now, root, signature_of(root, key))
    values = {"number": number, "made_at": now, "root": root, "signature": made.signature}
    if not insert_one(session, Checkpoint, values):
        return None
    insert_new(session, CheckpointHead, [{"number": number, **asdict(head)} for head in heads])
    return made


def checkpoints_after(session: Session, number: int) -> Sequence[SignedRoot]:
    """The checkpoints with higher numbers, in order."""
    rows = session.execute(
        sa.select(
            col(Checkpoint.number), col(Checkpoint.made_at), col(Checkpoint.root), col(Checkpoint.signature)
        )
        .where(col(Checkpoint.number) > number)
        .order_by(col(Checkpoint.number))
    )
    return [SignedRoot(*row) for row in rows]


def _last(session: Session) -> Checkpoint | None:
    return session.exec(select(Checkpoint).order_by(col(Checkpoint.number).desc()).limit(1)).one_or_none()


def _moved_heads(session: Session) -> list[Link]:
    """The head of each chain that is longer than at its last checkpoint, by chain."""
    heads = (
        sa.select(col(Entry.chain).label("chain"), sa.func.max(col(Entry.sequence)).label("sequence"))
        .group_by(col(Entry.chain))
        .subquery()
    )
    known = (
        sa.select(col(CheckpointHead.chain), sa.func.max(col(CheckpointHead.sequence)).label("sequence"))
        .group_by(col(CheckpointHead.chain))
        .subquery()
    )
    at_head = sa.and_(col(Entry.chain) == heads.c.chain, col(Entry.sequence) == heads.c.sequence)
    rows = session.execute(
        sa.select(heads.c.chain, heads.c.sequence, col(Entry.hash))
        .join_from(heads, Entry, at_head)
        .outerjoin(known, known.c.chain == heads.c.chain)
        .where(heads.c.sequence > sa.func.coalesce(known.c.sequence, 0))
        .order_by(heads.c.chain)
    )
    return [Link(*row) for row in rows]
