"""`peer-revenue verify` after many random trades, and after somebody changed the file by hand."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date

from click.testing import CliRunner, Result
from sqlmodel import Session

from market.activity import close_day, count_days
from market.db import engine_for, transact
from tests.bench.random_trades import START, trade_at_random
from tests.market.factories import add_board, add_paper, add_term
from web.cli import main

DAY = date(2026, 5, 16)


def papers(session: Session) -> None:
    board = add_board(session)
    terms = [add_term(session, label, board) for label in ("diffusion model", "transformer", "quiet term")]
    for number in range(9):
        add_paper(session, board, DAY, terms[: 1 + number % 3])
    assert board.id is not None
    count_days(session, board.id, [DAY], START)
    close_day(session, board, DAY, START)


def traded(url: str) -> Counter[str]:
    """Fill the database with a small board and what 20 traders do in a part of an hour."""
    engine = engine_for(url)
    transact(engine, papers)
    outcomes = trade_at_random(engine, traders=20, hours=0.2, seed=7)
    engine.dispose()
    return outcomes


def verify(url: str) -> Result:
    return CliRunner().invoke(main, ["verify", "--database", url])


def test_everything_holds_after_random_trades(database_url: str) -> None:
    outcomes = traded(database_url)
    assert outcomes["filled"] > 60
    assert {"InsufficientShares", "PositionLimit"} <= set(outcomes)
    result = verify(database_url)
    assert result.exit_code == 0, result.output
    assert "All invariants hold." in result.stdout


def test_a_changed_posting_is_found_and_its_entry_named(sqlite_url: str) -> None:
    traded(sqlite_url)
    entry = alter_a_posting(sqlite_url.removeprefix("sqlite:///"))
    result = verify(sqlite_url)
    assert result.exit_code == 1
    first = result.stderr.splitlines()[0]
    assert f"entry {entry}:" in first


def alter_a_posting(path: str) -> int:
    """Give somebody one unit more in the middle of the ledger, by hand; the entry that this is in."""
    with closing(sqlite3.connect(path)) as connection, connection:
        triggers = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'posting'"
        ).fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        entry: int = connection.execute(
            "SELECT entry_id FROM posting GROUP BY entry_id ORDER BY entry_id LIMIT 1 OFFSET 40"
        ).fetchone()[0]
        changed = connection.execute(
            "UPDATE posting SET amount = amount + 1 WHERE entry_id = ? AND line = 1", [entry]
        )
        assert changed.rowcount == 1
    return entry
