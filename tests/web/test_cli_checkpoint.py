"""`peer-revenue checkpoint`, `verify` against the file it writes, and `balance`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlmodel import Session

from market.db import engine_for, transact
from market.trading import place_order
from tests.market.factories import NOW, add_market, order
from web.cli import main


@pytest.fixture
def url(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with a trade, at a market clock that stands still."""
    monkeypatch.setenv("PEER_REVENUE_MARKET_CLOCK", NOW.isoformat())
    monkeypatch.setenv("DATABASE_URL", database_url)
    trade(database_url, "first")
    return database_url


def trade(url: str, key: str) -> None:
    def work(session: Session) -> None:
        if key == "first":
            add_market(session, "Ada")
        place_order(session, 1, order(shares=10), key, NOW)

    engine = engine_for(url)
    transact(engine, work)
    engine.dispose()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_checkpoint_is_signed_and_written_and_the_ledger_held_against_it(url: str, tmp_path: Path) -> None:
    path = tmp_path / "instance" / "checkpoints.jsonl"
    assert run("checkpoint").stdout == f"{path}: 1 checkpoint added\n"
    assert (tmp_path / "instance" / "checkpoint_key").stat().st_mode & 0o077 == 0
    again = run("checkpoint")
    assert (again.exit_code, again.stderr) == (0, "Nothing was booked since the last checkpoint.\n")
    trade(url, "second")
    assert run("checkpoint").exit_code == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["number"] for line in lines] == [1, 2]
    assert run("verify").exit_code == 0
    path.write_text(path.read_text().replace(lines[0]["root"], "0" * 64))
    result = run("verify")
    assert result.exit_code == 1
    assert "checkpoint 1 as it was written outside the database" in result.stderr


def test_a_checkpoint_that_did_not_reach_the_file_is_written_next_time(url: str, tmp_path: Path) -> None:
    path = tmp_path / "instance" / "checkpoints.jsonl"
    run("checkpoint")
    before = path.read_text()
    path.unlink()
    trade(url, "second")
    assert run("checkpoint").stdout == f"{path}: 2 checkpoints added\n"
    assert path.read_text().startswith(before)


def test_a_file_that_is_damaged_is_named_with_its_line(url: str, tmp_path: Path) -> None:
    path = tmp_path / "instance" / "checkpoints.jsonl"
    run("checkpoint")
    path.write_text(path.read_text() + "{}\n")
    for command in ("checkpoint", "verify"):
        result = run(command)
        assert result.exit_code == 1
        assert f"{path}:2: this is not a checkpoint of the ledger" in result.stderr


def test_a_balance_at_any_entry_and_moment(url: str) -> None:
    now = run("balance", "trader:1:cash")
    assert now.exit_code == 0, now.output
    assert now.stdout.startswith("trader:1:cash: 99")
    granted = run("balance", "trader:1:cash", "--entry", "3")
    assert granted.stdout == "trader:1:cash: 1,000.00 credits (1 postings, the last in entry 3)\n"
    assert run("balance", "trader:1:pos:1:LONG").stdout.startswith("trader:1:pos:1:LONG: 10 shares")
    assert run("balance", "trader:1:cash", "--as-of", "2026-05-17").stdout == now.stdout
    before = run("balance", "trader:1:cash", "--as-of", "2026-05-17T19:59:59Z")
    assert before.stdout == "trader:1:cash: 0.00 credits (0 postings)\n"


def test_a_balance_that_cannot_be_told_says_why(url: str) -> None:
    unknown = run("balance", "trader:9:cash")
    assert unknown.exit_code == 1
    assert "There is no account 'trader:9:cash'" in unknown.stderr
    wrong = run("balance", "fees", "--as-of", "yesterday")
    assert wrong.exit_code == 2
    assert "'yesterday' is not a time such as" in wrong.stderr


def test_closing_a_day_signs_the_ledger(url: str, instance_folder: Path) -> None:
    closed = run("close-day")
    assert f"{instance_folder / 'checkpoints.jsonl'}: 1 checkpoint of the ledger added" in closed.stdout
    assert "checkpoint" not in run("close-day").stdout
