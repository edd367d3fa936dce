"""`peer-revenue record`, `correct`, `void` and `watchers`."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from click.testing import CliRunner, Result
from sqlmodel import Session, select

from market.db import engine_for, transact
from market.forecast_records import record_settled
from market.intake import take_in
from market.tables import Board, Entry
from market.watching import set_watch
from nlp.tables import Term
from tests.market.settlements import DUE, begin, raw, settled
from tests.market.test_forecast_records import many_terms
from web.cli import main

LATER = DUE + timedelta(days=1)
NAME = "cs.LG/diffusion-model/2026-W21"


@pytest.fixture
def url(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("PEER_REVENUE_MARKET_CLOCK", LATER.isoformat())
    return database_url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_the_record_as_a_table_and_as_json(url: str) -> None:
    engine = engine_for(url)
    transact(engine, lambda session: many_terms(session, 2))
    record_settled(engine, DUE)
    engine.dispose()
    table = run("record", "cs.LG")
    assert table.exit_code == 0, table.output
    lines = table.stdout.splitlines()
    assert lines[0].split() == ["period", "contracts", "market", "opening", "plain", "smoothed", "last"]
    assert [line.split()[0] for line in lines[1:4]] == ["2026-W22", "2026-W21", "all"]
    assert lines[4].startswith("Over 2 weeks and 6 contracts the market")
    found = json.loads(run("record", "cs.LG", "--json").stdout)
    assert [each["period"] for each in found["periods"]] == ["2026-W22", "2026-W21"]
    assert found["total"]["contracts"] == 6
    assert set(found["total"]["market"]) == {"error", "score"}
    assert found["market_less_plain"]["is_clear"] is False


def test_a_record_without_settlements_says_when_there_will_be_one(url: str) -> None:
    engine = engine_for(url)
    transact(engine, begin)
    engine.dispose()
    result = run("record", "cs.LG")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Nothing is settled on cs.LG yet; 2026-W21 can be when 27 May 2026 is over.\n"
    assert json.loads(run("record", "cs.LG", "--json").stdout)["total"] is None
    assert run("record", "cs.XX").exit_code == 1


def test_a_settlement_is_corrected_and_then_the_contract_voided(url: str) -> None:
    engine = engine_for(url)
    transact(engine, settled)
    transact(engine, lambda session: take_in(session, [raw(9)], now=LATER))
    with Session(engine) as session:
        wrong = session.exec(select(Entry.id).where(Entry.kind == "settle")).one()
    engine.dispose()
    made = run("correct", str(wrong), "--reason", "Listed late.")
    assert made.exit_code == 0, made.output
    assert made.stdout.endswith("Contract 1 is settled on 4 papers instead of 3.\n")
    again = run("correct", str(wrong), "--reason", "Listed late.")
    assert (again.exit_code, f"Error: Entry {wrong} was corrected before" in again.stderr) == (1, True)
    assert run("recount", NAME).exit_code == 0
    assert json.loads(run("record", "cs.LG", "--json").stdout)["total"]["papers"] == 4
    void = run("void", NAME, "--reason", "No week at all.")
    assert void.exit_code == 0, void.output
    assert void.stdout.startswith("Contract 1 is void: entry ")
    assert "is void" in run("statement", NAME).stderr
    for command in ("verify", "replay"):
        assert run(command).exit_code == 0
    assert run("correct", "1").exit_code == 2
    assert run("void", NAME, "--reason", " ").exit_code == 1


def test_watchers_are_counted_at_any_moment(url: str) -> None:
    def work(session: Session) -> None:
        begin(session)
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).first()
        assert board.id is not None
        assert term is not None
        set_watch(session, 1, board.id, term.id, True, DUE)
        set_watch(session, 1, board.id, term.id, False, LATER - timedelta(hours=1))

    engine = engine_for(url)
    transact(engine, work)
    engine.dispose()
    ask = ("watchers", "diffusion-model", "--board", "cs.LG")
    assert run(*ask, "--as-of", "2026-05-27").stdout.startswith("diffusion model: 0 watchers at 2026-05-27")
    assert run(*ask, "--as-of", "2026-05-28").stdout.startswith("diffusion model: 1 watcher at")
    assert run(*ask).stdout.startswith("diffusion model: 0 watchers at 2026-05-29T20:00")
    assert run("watchers", "", "--board", "cs.LG").stdout.startswith("Papers of cs.LG: 0 watchers")
    assert run("watchers", "nothing", "--board", "cs.LG").exit_code == 1
    assert run(*ask, "--as-of", "May").exit_code == 2
