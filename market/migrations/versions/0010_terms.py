"""How terms change: merges, splits, new names, and why a term is listed

Every term and listing that is stored gets the event that it would have had.

Revision: 0010, after 0009
"""

from __future__ import annotations

from datetime import UTC, datetime, time

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
APPEND_ONLY = ("term_event", "term_proposal")
FROM_BEFORE = "kept before decisions were recorded"
ROWS_AT_ONCE = 1000

TERMS = """
SELECT term.id, term.key, term.slug, term.label, term.current_version, term_version.forms,
    (SELECT MIN(first.created_at) FROM term_version AS first WHERE first.term_id = term.id) AS created_at
FROM term JOIN term_version
    ON term_version.term_id = term.id AND term_version.version = term.current_version
ORDER BY term.id
"""
LISTINGS = """
SELECT listing.board_id, listing.term_id, listing.status, listing.reason, listing.listed_on,
    term.key, term.label
FROM listing JOIN term ON term.id = listing.term_id ORDER BY listing.listed_on, listing.board_id, term.id
"""


class TermChangesStored(Exception):
    """The older tables have no place for terms that were merged or split."""


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    # Columns are added in place: rebuilding a table would break what refers to it.
    number = "INTEGER" if is_sqlite else "BIGINT"
    op.execute(
        f"ALTER TABLE term ADD COLUMN merged_into_id {number} "
        "CONSTRAINT fk_term_merged_into_id REFERENCES term (id)"
    )
    op.execute(
        f"ALTER TABLE term_version ADD COLUMN is_counted BOOLEAN DEFAULT {'1' if is_sqlite else 'true'} NOT NULL"
    )
    _create_events()
    _create_state()
    _create_candidates()
    _record_what_is_there()
    _refuse_changes(is_sqlite)


def downgrade() -> None:
    for changed in ("term WHERE merged_into_id IS NOT NULL", "term_version WHERE NOT is_counted"):
        if op.get_bind().execute(sa.text(f"SELECT count(*) FROM {changed}")).scalar():
            raise TermChangesStored("Terms were merged or split; the older tables cannot keep that.")
    for table in ("term_proposal", "candidate_count", "lexicon_state", "term_name", "term_event"):
        op.drop_table(table)
    op.execute("ALTER TABLE term_version DROP COLUMN is_counted")
    op.execute("ALTER TABLE term DROP COLUMN merged_into_id")


def _create_events() -> None:
    op.create_table(
        "term_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("board_id", BIGINT, nullable=True),
        sa.Column("term_id", BIGINT, nullable=True),
        sa.Column("other_id", BIGINT, nullable=True),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("decided_by", sa.String(80), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("cause_id", BIGINT, nullable=True),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "kind IN ('installed', 'listed', 'refused', 'delisted', 'merged', 'split', 'renamed')",
            name=op.f("ck_term_event_kind_is_known"),
        ),
        sa.CheckConstraint(
            "length(reason) > 0 AND length(decided_by) > 0", name=op.f("ck_term_event_has_reason_and_decider")
        ),
        sa.CheckConstraint("term_id IS NOT NULL OR kind = 'refused'", name=op.f("ck_term_event_names_its_term")),
        sa.CheckConstraint(
            "board_id IS NOT NULL OR kind IN ('installed', 'merged', 'split', 'renamed')",
            name=op.f("ck_term_event_names_its_board"),
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_term_event_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_term_event_term_id")),
        sa.ForeignKeyConstraint(["other_id"], ["term.id"], name=op.f("fk_term_event_other_id")),
        sa.ForeignKeyConstraint(["cause_id"], ["term_event.id"], name=op.f("fk_term_event_cause_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_term_event")),
    )
    op.create_index("ix_term_event_board_id_id", "term_event", ["board_id", "id"])
    op.create_index("ix_term_event_term_id_id", "term_event", ["term_id", "id"])
    op.create_index("ix_term_event_key_board_id", "term_event", ["key", "board_id"])


def _create_state() -> None:
    op.create_table(
        "term_name",
        sa.Column("kind", sa.String(4), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.CheckConstraint("kind IN ('key', 'slug')", name=op.f("ck_term_name_kind_is_known")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_term_name_term_id")),
        sa.PrimaryKeyConstraint("kind", "name", name=op.f("pk_term_name")),
    )
    op.create_index("ix_term_name_term_id", "term_name", ["term_id"])
    op.create_table(
        "lexicon_state",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("installed", sa.String(80), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_lexicon_state_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lexicon_state")),
    )
    op.execute("INSERT INTO lexicon_state (id, fingerprint, installed) VALUES (1, '', '')")


def _create_candidates() -> None:
    op.create_table(
        "candidate_count",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("paper_count", BIGINT, nullable=False),
        sa.Column("coined_count", BIGINT, nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.CheckConstraint(
            "paper_count > 0 AND coined_count BETWEEN 0 AND paper_count",
            name=op.f("ck_candidate_count_counts_fit"),
        ),
        sa.CheckConstraint(
            "typeof(paper_count) IN ('integer', 'null') AND typeof(coined_count) IN ('integer', 'null')",
            name=op.f("ck_candidate_count_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_candidate_count_board_id")),
        sa.PrimaryKeyConstraint("board_id", "key", "day", name=op.f("pk_candidate_count")),
    )
    op.create_index("ix_candidate_count_board_id_day", "candidate_count", ["board_id", "day"])
    op.create_table(
        "term_proposal",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint("length(key) > 0", name=op.f("ck_term_proposal_key_not_empty")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_term_proposal_board_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_term_proposal_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_term_proposal")),
        sa.UniqueConstraint("board_id", "key", "trader_id", name=op.f("uq_term_proposal_board_id_key_trader_id")),
    )


def _record_what_is_there() -> None:
    connection = op.get_bind()
    event = sa.table(
        "term_event",
        *(sa.column(name) for name in ("kind", "board_id", "term_id", "key", "label", "decided_by", "reason")),
        sa.column("details", sa.JSON()), sa.column("recorded_at", MOMENT),
    )  # fmt: skip
    terms = sa.text(TERMS).columns(forms=sa.JSON(), created_at=MOMENT)
    rows = [
        {
            "kind": "installed", "board_id": None, "term_id": row.id, "key": row.key, "label": row.label,
            "decided_by": "lexicon", "reason": FROM_BEFORE, "recorded_at": row.created_at,
            "details": {"terms": [{
                "term_id": row.id, "key": row.key, "slug": row.slug, "label": row.label,
                "version": row.current_version, "forms": row.forms, "counts_from": 1, "merged_into": None,
            }]},
        }
        for row in connection.execute(terms)
    ]  # fmt: skip
    listings = sa.text(LISTINGS).columns(listed_on=sa.Date())
    rows += [
        {
            "kind": row.status, "board_id": row.board_id, "term_id": row.term_id, "key": row.key,
            "label": row.label, "decided_by": "lexicon", "reason": row.reason or FROM_BEFORE,
            "recorded_at": datetime.combine(row.listed_on, time(), UTC),
            "details": {"listed_on": str(row.listed_on)},
        }
        for row in connection.execute(listings)
    ]  # fmt: skip
    for start in range(0, len(rows), ROWS_AT_ONCE):
        connection.execute(sa.insert(event), rows[start : start + ROWS_AT_ONCE])


def _refuse_changes(is_sqlite: bool) -> None:
    for table in APPEND_ONLY:
        if not is_sqlite:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
            continue
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
