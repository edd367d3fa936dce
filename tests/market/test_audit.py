"""The audit finds what was altered by hand, and names it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import select

from market.audit import Finding, Verification, verify
from market.audit.findings import Progress
from market.db import read_session
from market.tables import Entry, Posting
from tests.market.histories import alter


def audit(engine: Engine) -> Verification:
    with read_session(engine) as session:
        return verify(session)


def found(engine: Engine) -> set[str]:
    return {finding.invariant for finding in audit(engine).findings}


def one(engine: Engine, query: str) -> tuple[int, ...]:
    with engine.connect() as connection:
        return tuple(connection.execute(sa.text(query)).one())


def test_an_honest_history_has_no_findings(history: Engine) -> None:
    result = audit(history)
    assert result.findings == ()
    kinds = {"grant", "subsidy", "open", "trade", "hold", "release", "settle"}
    with read_session(history) as session:
        entries = session.exec(select(Entry.kind)).all()
        postings = session.exec(select(sa.func.count()).select_from(Posting)).one()
    assert set(entries) == kinds
    assert (result.entry_count, result.posting_count) == (len(entries), postings)
    assert result.account_count > 10


def test_an_empty_database_has_no_findings(engine: Engine) -> None:
    assert audit(engine) == Verification(0, 0, 0, ())


@pytest.mark.parametrize("kind", ["grant", "subsidy", "open", "trade", "settle"])
def test_one_altered_posting_is_named_with_account_and_numbers(opened: Engine, kind: str) -> None:
    entry, line, amount = one(
        opened,
        f"SELECT entry_id, line, amount FROM posting JOIN entry ON entry.id = entry_id WHERE kind = '{kind}' "
        "ORDER BY entry_id DESC, line LIMIT 1",
    )
    with opened.connect() as connection:
        name = connection.execute(
            sa.text(
                "SELECT name FROM account JOIN posting ON account.id = account_id "
                "WHERE entry_id = :entry AND line = :line"
            ),
            {"entry": entry, "line": line},
        ).scalar_one()
    alter(opened, f"UPDATE posting SET amount = amount + 1 WHERE entry_id = {entry} AND line = {line}")
    findings = audit(opened).findings
    assert findings[0].entry_id == entry
    message = f"entry {entry} ({kind}): {amount + 1} was posted to {name} instead of {amount}"
    assert message in [finding.message for finding in findings if finding.entry_id == entry]
    assert {"L1", "L14"} <= found(opened)


@pytest.mark.parametrize("kind", ["grant", "subsidy", "open", "trade", "settle"])
def test_two_adjacent_postings_that_keep_the_sum_are_found(opened: Engine, kind: str) -> None:
    (entry,) = one(opened, f"SELECT max(id) FROM entry WHERE kind = '{kind}'")
    alter(
        opened,
        f"UPDATE posting SET amount = amount + 1 WHERE entry_id = {entry} AND line = 1",
        f"UPDATE posting SET amount = amount - 1 WHERE entry_id = {entry} AND line = 2",
    )
    findings = audit(opened).findings
    assert findings[0].entry_id == entry
    assert not any(finding.invariant == "L1" for finding in findings) or kind == "settle"
    assert sum(finding.entry_id == entry for finding in findings) >= 2


def test_two_altered_postings_and_their_altered_balances_are_found(opened: Engine) -> None:
    # Whoever corrects the balances as well is betrayed by the order.
    entry, first, second = one(
        opened,
        "SELECT a.entry_id, a.account_id, b.account_id FROM posting a JOIN posting b USING (entry_id) "
        "JOIN entry ON entry.id = entry_id WHERE kind = 'trade' AND a.line = 1 AND b.line = 2 LIMIT 1",
    )
    alter(
        opened,
        f"UPDATE posting SET amount = amount + 5 WHERE entry_id = {entry} AND line = 1",
        f"UPDATE posting SET amount = amount - 5 WHERE entry_id = {entry} AND line = 2",
        f"UPDATE account SET balance = balance + 5 WHERE id = {first}",
        f"UPDATE account SET balance = balance - 5 WHERE id = {second}",
    )
    assert audit(opened).findings[0].entry_id == entry


def test_a_deleted_posting_is_found(opened: Engine) -> None:
    (entry,) = one(opened, "SELECT max(entry_id) FROM fill WHERE NOT from_hold")
    alter(opened, f"DELETE FROM posting WHERE entry_id = {entry} AND line = 3")
    first = audit(opened).findings[0]
    assert first.entry_id == entry
    assert "0 was posted to pool:2:fees instead of" in first.message


def test_an_altered_balance_is_found(opened: Engine) -> None:
    (balance,) = one(opened, "SELECT balance FROM account WHERE name = 'trader:1:cash'")
    alter(opened, "UPDATE account SET balance = balance + 1 WHERE name = 'trader:1:cash'")
    findings = audit(opened).findings
    message = f"trader:1:cash says {balance + 1}, and its postings sum to {balance}"
    assert findings[0] == Finding("L14", None, message)
    assert Finding("L2", None, "all accounts in credits sum to 1 instead of 0") in findings


@pytest.mark.parametrize(
    ("change", "invariant"),
    [
        ("cost_units = cost_units + 1", "L15"),
        ("fee_units = fee_units + 1", "L15"),
        ("share_count = share_count + 1", "L15"),
        ("price_after_units = price_after_units + 1", "L15"),
        ("version_before = 900, version_after = 901", "L8"),
        ("contract_id = 3 - contract_id, version_before = 900, version_after = 901", "L7"),
    ],
)
def test_an_altered_fill_is_found_at_its_entry(opened: Engine, change: str, invariant: str) -> None:
    trades = "SELECT order_id, id FROM entry WHERE kind = 'trade' ORDER BY id"
    order_id, entry = one(opened, f"{trades} LIMIT 1 OFFSET 4")
    alter(opened, f"UPDATE fill SET {change} WHERE order_id = {order_id}")
    findings = audit(opened).findings
    assert invariant in {finding.invariant for finding in findings if finding.entry_id == entry}


@pytest.mark.parametrize(
    ("statement", "invariant"),
    [
        ("UPDATE contract SET long_shares = long_shares + 1 WHERE settled_at IS NULL", "L8"),
        ("UPDATE contract SET state_version = state_version + 1 WHERE settled_at IS NULL", "L8"),
        ("UPDATE contract SET subsidy_units = subsidy_units + 1 WHERE settled_at IS NULL", "L4"),
        ("UPDATE contract SET depth_shares = depth_shares * 2 WHERE settled_at IS NULL", "L15"),
        ("UPDATE contract SET settled_at = NULL", "L18"),
        ("UPDATE contract SET settled_at = opened_at", "L18"),
        ("UPDATE settlement_statement SET counted = counted + 1", "L18"),
        ("UPDATE settlement_statement SET papers = '[\"arxiv:1\"]'", "L18"),
        ("DELETE FROM settlement_statement", "L18"),
        ("UPDATE account SET may_be_negative = 1 WHERE name = 'fees'", "L3"),
        ("UPDATE account SET balance = -1 WHERE name = 'fees'", "L3"),
        ("UPDATE account SET trader_id = 2 WHERE name = 'trader:1:cash'", "L3"),
        ("UPDATE account SET name = 'savings' WHERE name = 'fees'", "L3"),
        ("UPDATE orders SET status = 'refused' WHERE id = (SELECT min(order_id) FROM fill)", "L7"),
        ("UPDATE orders SET status = 'filled' WHERE status = 'refused'", "L7"),
        ("UPDATE orders SET share_count = share_count + 1 WHERE status = 'filled'", "L7"),
        ("UPDATE orders SET limit_units = 1 WHERE action = 'buy'", "L7"),
        ("UPDATE orders SET limit_units = 1000000000 WHERE action = 'sell'", "L7"),
        ("UPDATE orders SET trader_id = 3 - trader_id, idempotency_key = id", "L14"),
        ("UPDATE entry SET kind = 'correct' WHERE kind = 'grant'", "L2"),
        ("UPDATE entry SET kind = 'correct' WHERE kind = 'open'", "L4"),
        ("UPDATE entry SET kind = 'correct' WHERE kind = 'settle'", "L18"),
        ("UPDATE entry SET order_id = NULL WHERE kind = 'trade'", "L7"),
        ("UPDATE entry SET hash = (SELECT hash FROM entry WHERE id = 1) WHERE id = 5", "L13"),
        ("UPDATE entry SET memo = '' WHERE kind = 'settle'", "L13"),
        ("UPDATE entry SET recorded_at = '2026-01-01 00:00:00.000000' WHERE kind = 'grant'", "L13"),
        ("UPDATE entry SET chain = 0, sequence = 90 WHERE kind = 'open' AND contract_id = 1", "L13"),
        ("UPDATE entry SET sequence = sequence + 100 WHERE kind = 'trade'", "L13"),
        ("UPDATE orders SET idempotency_key = 'x' WHERE id = (SELECT min(order_id) FROM fill)", "L13"),
        ("UPDATE orders SET status = 'filled' WHERE status = 'placed'", "L7"),
        ("UPDATE orders SET status = 'placed' WHERE status = 'refused'", "L7"),
        ("UPDATE orders SET share_count = share_count + 1 WHERE status = 'placed'", "L7"),
        ("DELETE FROM limit_order WHERE ended_as = 'cancelled'", "L7"),
        ("UPDATE limit_order SET forecast_milli = forecast_milli + 100", "L7"),
        ("UPDATE limit_order SET hold_each_units = hold_each_units - 1", "L7"),
        ("UPDATE limit_order SET lead = lead - 200 WHERE is_upward", "L15"),
        ("UPDATE limit_order SET open_shares = 0", "L3"),
        ("UPDATE limit_order SET open_shares = open_shares - 1 WHERE open_shares > 0", "L3"),
        ("UPDATE limit_order SET rested_shares = rested_shares + 1", "L7"),
        ("UPDATE limit_order SET ended_shares = ended_shares - 1 WHERE ended_as = 'closed'", "L7"),
        ("UPDATE limit_order SET ended_as = NULL", "L7"),
        ("UPDATE contract SET resting_count = resting_count + 1", "L7"),
        ("UPDATE fill SET from_hold = 0", "L14"),
        ("UPDATE fill SET from_hold = 1", "L14"),
        ("UPDATE entry SET kind = 'hold' WHERE kind = 'release'", "L7"),
        ("UPDATE account SET balance = balance + 1 WHERE name = 'trader:1:hold'", "L3"),
        ("DELETE FROM watch", "L19"),
        ("UPDATE watch SET term_id = 1", "L19"),
        ("DELETE FROM watch_event WHERE term_id IS NULL", "L19"),
    ],
)
def test_every_other_alteration_is_found(opened: Engine, statement: str, invariant: str) -> None:
    alter(opened, statement)
    assert invariant in found(opened)


def test_a_pool_below_what_it_could_owe_is_found(opened: Engine) -> None:
    alter(opened, "UPDATE account SET balance = 0 WHERE name = 'pool:2:cash'")
    assert {"L4", "L5", "L14"} <= found(opened)


def test_findings_are_in_the_order_of_the_entries(opened: Engine) -> None:
    alter(opened, "UPDATE posting SET amount = amount + 1 WHERE line = 1")
    findings = audit(opened).findings
    numbers = [finding.entry_id for finding in findings if finding.entry_id is not None]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert findings[-1].entry_id is None


def test_progress_is_told(history: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress, "EVERY", 10)
    told: list[tuple[int, int]] = []
    with read_session(history) as session:
        verify(session, lambda done, total: told.append((done, total)))
    done = [each for each, _ in told]
    assert len(done) > 4
    assert done == sorted(done)
    assert told[-1][0] == told[-1][1]
