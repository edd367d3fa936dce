"""Entries are chained by hashes; the entries that there are get theirs

Revision: 0007, after 0006
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from alembic import op

from market.chain import NO_CONTRACT, EntryContent, Link, next_link

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

ENTRIES = sa.text(
    "SELECT e.id, e.kind, e.contract_id, e.corrects_id, e.memo, e.recorded_at, "
    "o.trader_id, o.idempotency_key, a.name, p.amount "
    "FROM entry e JOIN posting p ON p.entry_id = e.id JOIN account a ON a.id = p.account_id "
    "LEFT JOIN orders o ON o.id = e.order_id ORDER BY e.id, p.line"
).columns(recorded_at=sa.DateTime(timezone=True))
LINK = sa.text("UPDATE entry SET chain = :chain, sequence = :sequence, hash = :hash WHERE id = :id")


COLUMNS = (
    ("chain", BIGINT, "0"),
    ("sequence", BIGINT, "0"),
    ("hash", sa.String(64), "''"),
)


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    _allow_changes(is_sqlite)
    for name, kind, default in COLUMNS:  # SQLite adds a column that is never NULL only with a default
        op.add_column("entry", sa.Column(name, kind, nullable=False, server_default=sa.text(default)))
    _link_entries()
    op.create_index("uq_entry_chain_sequence", "entry", ["chain", "sequence"], unique=True)
    _refuse_changes(is_sqlite)


def downgrade() -> None:
    op.drop_index("uq_entry_chain_sequence", "entry")
    for name, _, _ in COLUMNS:
        op.execute(f"ALTER TABLE entry DROP COLUMN {name}")


def _link_entries() -> None:
    heads: dict[int, Link] = {}
    connection = op.get_bind()
    for entry_id, group in groupby(connection.execute(ENTRIES).all(), itemgetter(0)):
        lines = list(group)
        chain = lines[0].contract_id or NO_CONTRACT
        heads[chain] = link = next_link(chain, heads.get(chain), _content(lines))
        values = {"chain": link.chain, "sequence": link.sequence, "hash": link.hash, "id": entry_id}
        connection.execute(LINK, values)


def _content(lines: list[Any]) -> EntryContent:
    head = lines[0]
    key = f"{head.trader_id}:{head.idempotency_key}" if head.trader_id is not None else ""
    moment: datetime = head.recorded_at
    recorded_at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    postings = [(line.name, line.amount) for line in lines]
    return EntryContent(head.kind, key, head.memo, head.corrects_id, recorded_at, postings)


def _allow_changes(is_sqlite: bool) -> None:
    if is_sqlite:
        op.execute("DROP TRIGGER entry_no_update")
        op.execute("DROP TRIGGER entry_no_delete")
    else:
        op.execute("ALTER TABLE entry DISABLE TRIGGER entry_append_only")


def _refuse_changes(is_sqlite: bool) -> None:
    if not is_sqlite:
        op.execute("ALTER TABLE entry ENABLE TRIGGER entry_append_only")
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER entry_no_{change.lower()} BEFORE {change} ON entry "
            f"BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END"
        )
