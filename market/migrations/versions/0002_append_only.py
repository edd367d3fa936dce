"""Append-only tables refuse UPDATE and DELETE; on PostgreSQL an entry must balance at commit

Revision: 0002, after 0001
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

APPEND_ONLY = ("entry", "posting", "fill", "settlement_statement", "watch_event")

REFUSE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$
"""

BALANCE = """
CREATE FUNCTION check_entry_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM posting WHERE entry_id = NEW.id) < 2 THEN
        RAISE EXCEPTION 'entry % has fewer than two postings', NEW.id;
    END IF;
    IF EXISTS (
        SELECT 1 FROM posting JOIN account ON account.id = posting.account_id
        WHERE posting.entry_id = NEW.id GROUP BY account.asset HAVING sum(posting.amount) <> 0
    ) THEN
        RAISE EXCEPTION 'entry % does not sum to zero', NEW.id;
    END IF;
    RETURN NULL;
END $$
"""

BALANCE_TRIGGER = """
CREATE CONSTRAINT TRIGGER entry_balances AFTER INSERT ON entry
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_entry_balances()
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for table in APPEND_ONLY:
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
        return
    op.execute(REFUSE)
    for table in APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    op.execute(BALANCE)
    op.execute(BALANCE_TRIGGER)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for table in APPEND_ONLY:
            for change in ("update", "delete"):
                op.execute(f"DROP TRIGGER {table}_no_{change}")
        return
    op.execute("DROP TRIGGER entry_balances ON entry")
    op.execute("DROP FUNCTION check_entry_balances()")
    for table in APPEND_ONLY:
        op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    op.execute("DROP FUNCTION refuse_change()")
