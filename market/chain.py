"""The hash chains of the ledger (L13): each entry's hash covers the entry and the hash before it. Pure.

There is a chain for each contract, and chain 0 for what belongs to none. Whoever changes, removes or adds an
entry of the past has to change every later hash of its chain; a checkpoint kept elsewhere shows that too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

NO_CONTRACT = 0
BEFORE_THE_FIRST = "0" * 64


@dataclass(frozen=True, slots=True)
class Link:
    """An entry's place in its chain: ``sequence`` counts from 1, ``hash`` is 64 hexadecimal digits."""

    chain: int
    sequence: int
    hash: str


@dataclass(frozen=True, slots=True)
class EntryContent:
    """What of an entry is hashed. ``key`` is the trader and idempotency key of its order ("7:f3a9"), or "";
    ``postings`` are the account's name and the amount, in the order of the lines."""

    kind: str
    key: str
    memo: str
    corrects_id: int | None
    recorded_at: datetime
    postings: Sequence[tuple[str, int]]


def order_key(trader_id: int, key: str) -> str:
    """How an order is named in what is hashed: by its trader and idempotency key, "7:f3a9"."""
    return f"{trader_id}:{key}"


def next_link(chain: int, before: Link | None, content: EntryContent) -> Link:
    """The link of an entry that follows ``before``, which is None for the first of its chain."""
    sequence = before.sequence + 1 if before else 1
    previous = before.hash if before else BEFORE_THE_FIRST
    return Link(chain, sequence, _hash(previous, chain, sequence, content))


def _hash(previous: str, chain: int, sequence: int, content: EntryContent) -> str:
    """SHA-256 over the hash before and the entry in canonical JSON: no blanks, ASCII, the time in UTC."""
    moment = content.recorded_at.astimezone(UTC).isoformat(timespec="microseconds")
    fields = [
        chain, sequence, content.kind, content.key, content.memo, content.corrects_id, moment,
        [[account, amount] for account, amount in content.postings],
    ]  # fmt: skip
    body = json.dumps(fields, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{previous}\n{body}".encode("ascii")).hexdigest()
