"""`peer-revenue statement` and `recount`: a settlement written down, and counted again."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from market.db import engine_for, transact
from market.intake import take_in
from tests.market.settlements import DUE, TEXTS, begin, raw, settled
from web.cli import main

NAME = "cs.LG/diffusion-model/2026-W21"


@pytest.fixture
def url(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with a settled contract."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    engine = engine_for(database_url)
    transact(engine, settled)
    engine.dispose()
    return database_url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def papers_file(folder: Path, numbers: range = range(6)) -> str:
    path = folder / "papers.jsonl"
    lines = [json.dumps({"id": f"2605.{each:05d}v1", "abstract": TEXTS[each]}) for each in numbers]
    path.write_text("\n".join([*lines, "", json.dumps({"id": "local:other", "abstract": "Tea."})]))
    return str(path)


@pytest.mark.usefixtures("url")
def test_a_statement_is_written_as_json_and_its_recount_is_equal() -> None:
    written = run("statement", NAME)
    assert written.exit_code == 0, written.output
    document = json.loads(written.stdout)
    assert (document["counted"], document["term"]["forms"]) == (3, ["DM", "diffusion model"])
    assert json.loads(run("statement", "1").stdout) == document
    again = run("recount", NAME)
    assert (again.exit_code, again.stderr) == (0, "")
    said = "diffusion model of 2026-W21 on cs.LG: the statement counts 3, the texts 3 papers, equal.\n"
    assert again.stdout == said


@pytest.mark.usefixtures("url")
def test_a_statement_and_a_file_of_texts_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "statement.json"
    document.write_text(run("statement", NAME).stdout)
    monkeypatch.setenv("DATABASE_URL", "sqlite:////nowhere/at.all")
    again = run("recount", "--statement", str(document), "--papers", papers_file(tmp_path))
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.endswith("3 papers, equal.\n")
    missing = run("recount", "--statement", str(document), "--papers", papers_file(tmp_path, range(2, 6)))
    assert missing.exit_code == 1
    assert "has no text of 2 listed papers: arxiv:2605.00000, arxiv:2605.00001" in missing.stderr


def test_what_differs_is_named_and_the_status_is_1(url: str) -> None:
    engine = engine_for(url)
    transact(engine, lambda session: take_in(session, [raw(7), raw(8, 5)], now=DUE + timedelta(days=1)))
    engine.dispose()
    again = run("recount", "1")
    assert again.exit_code == 1
    assert "the statement counts 3, the texts 4 papers, which differs." in again.stdout
    late = "arxiv:2605.00007: not counted in the statement, was listed in this period after the settlement\n"
    assert late in again.stdout
    assert again.stderr == "note: 1 paper listed in this period after the settlement, without the term\n"


@pytest.mark.usefixtures("url")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recount",), "Name a contract, or give both --statement and --papers."),
        (("statement", "12"), "There is no contract '12'."),
        (("statement", NAME, "--number", "2"), "diffusion model of 2026-W21 on cs.LG has no statement 2."),
        (("recount", "--statement", "FILE"), "Name a contract, or give both --statement and --papers."),
        (("recount", "--statement", "FILE", "--papers", "FILE"), "format is missing or not what"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    file = tmp_path / "file.json"
    file.write_text('{"id": "1"}\n')
    result = run(*(str(file) if each == "FILE" else each for each in arguments))
    assert result.exit_code in (1, 2)
    assert message in result.stderr


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1, "abstract": ""}', '{"id": "x"}'])
@pytest.mark.usefixtures("url")
def test_a_bad_line_of_papers_is_named(tmp_path: Path, line: str) -> None:
    document, papers = tmp_path / "statement.json", tmp_path / "papers.jsonl"
    document.write_text(run("statement", NAME).stdout)
    papers.write_text(f'{{"id": "local:x", "abstract": "Tea."}}\n{line}\n')
    result = run("recount", "--statement", str(document), "--papers", str(papers))
    assert result.exit_code == 1
    assert f"{papers}:2: " in result.stderr


def test_what_is_not_settled_has_no_statement(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    engine = engine_for(database_url)
    transact(engine, begin)
    engine.dispose()
    result = run("statement", NAME)
    assert (result.exit_code, result.stderr) == (
        1, "Error: diffusion model of 2026-W21 on cs.LG is not settled yet.\n"
    )  # fmt: skip
