"""What is known of a paper beyond its text, and where it stood before

Revision: 0003, after 0002
"""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Rebuilding the table, which SQLite needs for other changes, would break what refers to it: columns are added
# and dropped in place, each with its own CHECK.
COLUMNS = (
    "version INTEGER CONSTRAINT ck_paper_version_from_one CHECK (version >= 1)",
    "submitted_at {moment}",
    "announced_on DATE",
    "announced_as VARCHAR(16)",
    "withdrawn_at {moment}",
    "is_notice BOOLEAN DEFAULT {false} NOT NULL",
    "content_hash VARCHAR(64) CONSTRAINT ck_paper_content_hash_is_sha256 CHECK (length(content_hash) = 64)",
)
ON_SQLITE = {"moment": "DATETIME", "false": "0"}
ON_POSTGRESQL = {"moment": "TIMESTAMP WITH TIME ZONE", "false": "false"}

ANNOUNCED = """
UPDATE paper SET announced_on = first_day, announced_as = coalesce(
    (SELECT min(section) FROM board_paper WHERE paper_id = paper.id AND section IN ('accepted', 'submitted')),
    'new'
)
"""
FIRST_EVENTS = """
INSERT INTO placement_event (board_id, paper_id, day, section, position, recorded_at)
SELECT board_id, paper_id, day, section, position, taken_in_at
FROM board_paper JOIN paper ON paper.id = board_paper.paper_id
ORDER BY paper_id, board_id
"""


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    spelling = ON_SQLITE if is_sqlite else ON_POSTGRESQL
    for column in COLUMNS:
        op.execute(f"ALTER TABLE paper ADD COLUMN {column.format(**spelling)}")
    op.execute(ANNOUNCED)
    op.drop_index(op.f("ix_paper_first_day"), "paper")
    op.drop_column("paper", "first_day")
    op.create_index(op.f("ix_paper_content_hash"), "paper", ["content_hash"])
    hash_contents()
    op.create_table(
        "placement_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("section", sa.String(16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "section IN ('new', 'cross', 'accepted', 'submitted')",
            name=op.f("ck_placement_event_section_is_known"),
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_placement_event_board_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_placement_event_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_placement_event")),
    )
    op.create_index("ix_placement_event_board_id_day", "placement_event", ["board_id", "day"])
    op.create_index("ix_placement_event_paper_id_board_id", "placement_event", ["paper_id", "board_id"])
    op.execute(FIRST_EVENTS)
    if is_sqlite:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER placement_event_no_{change.lower()} BEFORE {change} ON placement_event "
                f"BEGIN SELECT RAISE(ABORT, 'placement_event is append-only'); END"
            )
    else:
        op.execute(
            "CREATE TRIGGER placement_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE "
            "ON placement_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )


def downgrade() -> None:
    op.drop_table("placement_event")  # and its triggers with it
    first_day = "first_day DATE DEFAULT '1970-01-01' NOT NULL"  # where it is known from replacements alone
    op.execute(f"ALTER TABLE paper ADD COLUMN {first_day}")
    op.execute("UPDATE paper SET first_day = announced_on WHERE announced_on IS NOT NULL")
    op.create_index(op.f("ix_paper_first_day"), "paper", ["first_day"])
    op.drop_index(op.f("ix_paper_content_hash"), "paper")
    for column in reversed(COLUMNS):
        op.drop_column("paper", column.partition(" ")[0])


def hash_contents() -> None:
    """The letters and digits of each abstract, if there are a hundred or more, as `nlp.content` has them."""
    connection = op.get_bind()
    paper = sa.table("paper", sa.column("id"), sa.column("abstract_text"), sa.column("content_hash"))
    after = 0
    while rows := connection.execute(
        sa.select(paper.c.id, paper.c.abstract_text).where(paper.c.id > after).order_by(paper.c.id).limit(1000)
    ).all():
        after = rows[-1].id
        for number, text in rows:
            letters = "".join(character for character in text.casefold() if character.isalnum())
            if len(letters) >= 100:
                value = hashlib.sha256(letters.encode()).hexdigest()
                connection.execute(
                    sa.update(paper).where(paper.c.id == number).values(content_hash=value)
                )
