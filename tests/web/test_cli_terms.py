"""`peer-revenue terms`: what it prints, asks, and leaves behind."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlmodel import Session

from market.db import engine_for, transact, upgrade
from market.proposals import propose_term
from market.trading import place_order
from tests.market.factories import DAY, NOW, add_trader, order
from tests.market.terms import begin, read_in
from web.cli import main


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite:///{tmp_path / 'market.sqlite'}"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("PEER_REVENUE_INSTANCE", str(tmp_path))
    monkeypatch.setenv("PEER_REVENUE_MARKET_CLOCK", "2026-05-17T20:30:00+00:00")
    engine = engine_for(url)
    upgrade(engine)

    def work(session: Session) -> None:
        board = begin(session)
        trader = add_trader(session, "Bob Lid").id
        assert trader is not None
        place_order(session, trader, order(term="ddpm"), "one", NOW)
        propose_term(session, trader, board, "flow map", "Seen twice.", NOW)

    transact(engine, work)
    engine.dispose()
    return url


def terms(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["terms", *arguments], input=typed)


WHY = ("--reason", "One thing.", "--by", "Ana Kettle")


def test_terms_are_listed_with_their_reason(database: str) -> None:
    lines = terms("list", "--board", "cs.LG").output.splitlines()
    reason = "in the lexicon; first carried on 2026-05-17 by 2 papers"
    assert lines[0] == f"cs.LG\tddpm\tDDPM\tlisted\t2\t2026-05-17\t{reason}"
    assert [line.split("\t")[1] for line in lines] == ["ddpm", "diffusion-model", "flow-matching"]
    rows = json.loads(terms("list", "--json").output)
    assert rows[0]["paper_count"] == 2
    nothing = terms("list", "--status", "delisted")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert terms("list", "--proposed").output == "cs.LG\tflow map\t1\t2026-05-17\tSeen twice.\n"


def test_a_change_says_what_it_touches_and_asks(database: str) -> None:
    refused = terms("merge", "ddpm", "diffusion-model", *WHY, typed="n\n")
    assert refused.exit_code == 1
    assert "DDPM: Listed on cs.LG; 1 open contract, 0 watchers, 2 papers." in refused.stderr
    assert "Merge ddpm into diffusion-model? [y/N]" in refused.stderr
    assert terms("merge", "ddpm", "diffusion-model", *WHY).exit_code == 1  # nobody answers
    assert "listed on" not in terms("show", "ddpm").output
    done = terms("merge", "ddpm", "diffusion model", *WHY, typed="y\n")
    assert done.exit_code == 0
    assert done.stdout == "Merge ddpm into diffusion model: done. 2 papers read again.\n"
    assert "part of diffusion-model" in terms("list", "--status", "merged").output
    shown = terms("show", "diffusion-model").output
    assert "2026-05-17\tDDPM merged into diffusion model\tall\tAna Kettle\tOne thing." in shown
    told = json.loads(terms("show", "ddpm", "--json").output)
    assert [change["kind"] for change in told["changes"]] == ["delisted", "merged", "listed", "installed"]


def test_every_change_from_the_command_line(database: str) -> None:
    steps = (
        ("rename", "flow-matching", "flow"),
        ("split", "diffusion-model", "score model", "--into", "score model"),
        ("delist", "score-model", "--board", "cs.LG"),
        ("list-term", "score model", "--board", "cs.LG"),
        ("list-term", "nothing else", "--new", "--form", "nothing more", "--board", "cs.LG"),
    )
    for step in steps:
        result = terms(*step, *WHY, "--yes", "--json")
        assert result.exit_code == 0, result.output
        said = json.loads(result.stdout)
        assert (said["by"], said["reason"]) == ("Ana Kettle", "One thing.")
        assert said["at"] == "2026-05-17T20:30:00+00:00"
    rows = {row["slug"]: row for row in json.loads(terms("list", "--json").output)}
    assert set(rows) == {"ddpm", "diffusion-model", "score-model", "flow", "nothing-else"}
    assert rows["nothing-else"]["paper_count"] == 1
    assert rows["score-model"]["reason"] == "One thing."
    assert CliRunner().invoke(main, ["verify"]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("merge", "ddmp", "diffusion-model", *WHY, "--yes"), 1, "no term 'ddmp'. Did you mean 'ddpm'?"),
        (("show", "difusion model"), 1, "Did you mean 'diffusion-model'"),
        (("list-term", "difusion model", "--board", "cs.LG", *WHY, "--yes"), 1, "Did you mean"),
        (("list-term", "ddpm", "--board", "cs.LG", *WHY, "--yes"), 1, "listed on cs.LG already"),
        (("delist", "ddpm", "--board", "cs.XX", *WHY, "--yes"), 1, "There are: cs.LG."),
        (("delist", "ddpm", *WHY, "--yes"), 2, "Missing option '--board'"),
        (("merge", "ddpm", "diffusion-model", "--yes"), 2, "Missing option '--reason'"),
        (("merge", "ddpm", "diffusion-model", "--yes", "--reason", " "), 1, "A reason is missing"),
        (("rename", "ddpm", "score model", *WHY, "--yes"), 1, "is a form of 'diffusion model' already"),
        (("list", "--board", "cs.XX"), 1, "There are: cs.LG."),
    ],
)
def test_what_cannot_be_done_says_what_can(
    database: str, arguments: tuple[str, ...], status: int, words: str
) -> None:
    result = terms(*arguments)
    assert result.exit_code == status, result.output
    assert words in result.output



def test_new_terms_of_closed_days_come_before_the_committee(database: str) -> None:
    def work(session: Session) -> None:
        for back in range(1, 4):
            texts = ["We train a variational autoencoder on images.", "Variational autoencoders learn."]
            read_in(session, [*texts, *["Nothing."] * 8], DAY - timedelta(days=back))

    engine = engine_for(database)
    transact(engine, work)
    engine.dispose()
    closed = CliRunner().invoke(main, ["close-day", "--discover"])
    assert closed.exit_code == 0, closed.output
    said = "cs.LG 2026-05-15: variational autoencoder: list, 4 papers on 2 days; asked for 3 on 2"
    assert said in closed.output.splitlines()
    rows = {row["slug"]: row for row in json.loads(terms("list", "--json").output)}
    assert rows["variational-autoencoder"]["paper_count"] == 6
    again = CliRunner().invoke(main, ["close-day", "--discover", "--day", "2026-05-16"])
    assert (again.exit_code, "variational" in again.output) == (0, False)
