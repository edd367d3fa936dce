"""`peer-revenue halt` and `resume`: what they print and leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from market.db import engine_for, read_session, transact, upgrade
from market.tables import HaltEvent
from tests.market.factories import add_market
from tests.web.test_cli import run


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'market.sqlite'}"
    engine = engine_for(url)
    upgrade(engine)
    transact(engine, lambda session: add_market(session, "Ada"))
    engine.dispose()
    return url


def test_halting_and_resuming_a_term(database: str) -> None:
    by = ("--by", "Ana Kettle", "--database", database)
    assert run("halt", "--database", database).stderr == "Nothing is halted.\n"
    halted = run("halt", "cs.LG", "diffusion-model", "--reason", "Friday is in doubt.", *by)
    assert (halted.exit_code, halted.output) == (0, "Trading of diffusion model on cs.LG is halted.\n")
    again = run("halt", "cs.LG", "diffusion-model", "--reason", "Once more.", *by)
    assert again.exit_code == 0
    assert again.output == (
        "Nothing changed. Trading of diffusion model on cs.LG is halted since Sunday 17 May 2026, 20:00 UTC "
        "by Ana Kettle: Friday is in doubt.\n"
    )
    listed = run("halt", "--database", database)
    assert listed.output == (
        "diffusion model on cs.LG\tsince Sunday 17 May 2026, 20:00 UTC by Ana Kettle: Friday is in doubt.\n"
    )
    run("halt", "cs.LG", "--period", "2026-W21", "--reason", "A holiday.", *by)
    resumed = run("resume", "cs.LG", "diffusion-model", "--reason", "Counted again.", *by)
    assert resumed.stdout == "Trading of diffusion model on cs.LG is resumed.\n"
    assert "Still halted: cs.LG, 2026-W21, since Sunday 17 May 2026, 20:00 UTC by Ana Kettle: A holiday." in (
        resumed.stderr
    )
    assert "was not halted" in run("resume", "cs.LG", "diffusion-model", "--reason", "Why not", *by).stdout
    with read_session(engine_for(database)) as session:
        events = session.exec(select(HaltEvent)).all()
        assert [(each.is_on, each.reason) for each in events] == [
            (True, "Friday is in doubt."), (True, "A holiday."), (False, "Counted again."),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cs.XX", "--reason", "x"), "There is no board 'cs.XX'."),
        (("cs.LG", "kettle", "--reason", "x"), "The term 'kettle' is not listed on cs.LG."),
        (("cs.LG", "--period", "2026-05", "--reason", "x"), "2026-05 is no period of cs.LG"),
        (("cs.LG", "--period", "May", "--reason", "x"), "'May' is not a period"),
        (("cs.LG", "--period", "2026-W20", "--reason", "x"), "closed before its first day, 11 May 2026"),
        (("cs.LG", "--reason", "  "), "A reason is missing"),
        (("cs.LG",), "Missing option '--reason'"),
    ],
)
def test_bad_input_says_what_is_wrong(database: str, arguments: tuple[str, ...], said: str) -> None:
    refused = run("halt", *arguments, "--by", "Ana Kettle", "--database", database)
    assert refused.exit_code != 0
    assert said in refused.output
    with read_session(engine_for(database)) as session:
        assert session.exec(select(HaltEvent)).all() == []


def test_the_account_of_the_machine_is_who_did_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "operator7")
    assert run("halt", "cs.LG", "--reason", "Maintenance.", "--database", database).exit_code == 0
    with read_session(engine_for(database)) as session:
        assert session.exec(select(HaltEvent.operator)).all() == ["operator7"]
