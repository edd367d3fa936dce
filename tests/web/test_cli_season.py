"""`peer-revenue season`: the leaderboard as text and as JSON."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import Result
from sqlmodel import Session, select

from market.db import engine_for, transact, upgrade
from market.membership import set_membership
from market.tables import Board
from market.traders import open_trader
from market.trading import place_order
from tests.market.factories import NOW, add_market, close_board_day, order
from tests.web.test_cli import run


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Ana Kettle wants to be on it and has traded, Bob Lid does not; nothing is closed yet."""
    url = f"sqlite:///{tmp_path / 'market.sqlite'}"
    engine = engine_for(url)
    upgrade(engine)

    def work(session: Session) -> None:
        _, (ana, bob) = add_market(session, "Ana Kettle", "Bob Lid")
        open_trader(session, "Momentum", None, NOW, is_simulated=True)
        set_membership(session, ana, True, NOW)
        for trader in (ana, bob):
            place_order(session, trader, order(shares=100), "key", NOW + timedelta(hours=1))

    transact(engine, work)
    engine.dispose()
    return url


def ask(*arguments: str) -> Result:
    return run("season", *arguments, PEER_REVENUE_MARKET_CLOCK="2026-05-17T23:00:00Z")


def close(database: str) -> None:
    engine = engine_for(database)
    at = NOW + timedelta(hours=2)
    transact(
        engine, lambda session: close_board_day(session, session.exec(select(Board)).one(), at.date(), at)
    )
    engine.dispose()


def test_a_season_without_a_close_says_so(database: str) -> None:
    shown = ask("--database", database)
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "2026-Q2, 1 April 2026 to 30 June 2026: no day has been closed in it yet." in shown.stderr


def test_the_places_as_text_and_as_json(database: str) -> None:
    close(database)
    shown = ask("--database", database)
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [row[:2] for row in rows] == [["1", "Ana Kettle"], ["2", "Momentum (simulated)"]]
    assert rows[1][2:] == ["0.00", "1,000.00"]
    assert "as of Sunday 17 May 2026, 22:00 UTC" in shown.stderr
    asked = ask("2026-Q2", "--json", "--without-simulated", "--database", database)
    found = json.loads(asked.stdout)
    [place] = found.pop("places")
    assert found == {
        "season": "2026-Q2", "begins": "2026-04-01T00:00:00+00:00", "ends": "2026-07-01T00:00:00+00:00",
        "is_over": False, "as_of": "2026-05-17T22:00:00+00:00",
    }  # fmt: skip
    assert (place["rank"], place["trader"], place["is_simulated"]) == (1, "Ana Kettle", False)
    assert place["gain_units"] == place["end_units"] - place["start_units"] - place["granted_units"]
    assert (place["start_units"], place["granted_units"]) == (0, 10_000_000)
    assert "Bob Lid" not in shown.output


def test_another_name_is_refused(database: str) -> None:
    refused = ask("spring", "--database", database)
    assert refused.exit_code == 1
    assert "'spring' is not a season" in refused.output
