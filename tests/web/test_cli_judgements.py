"""`peer-revenue judgements`, `operators` and `annotations`: what they print, write and leave behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import Session, select

from market.db import engine_for, read_session, transact, upgrade
from market.judgements import not_a_term, should_be_a_term
from market.tables import Judgement, JudgementEvent
from nlp.annotation_docs import docbin_of, read_docbin
from nlp.annotation_lines import read_text_lines, text_line
from nlp.annotations import AnnotatedText, Quote, Span, Verdict
from nlp.web_annotations import read_annotation_lines
from tests.market.factories import NOW
from tests.market.test_judgements import PAPER, TEXT, add_site
from tests.web.test_cli import run


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A site on which two readers said something."""
    url = f"sqlite:///{tmp_path / 'market.sqlite'}"
    engine = engine_for(url)
    upgrade(engine)

    def fill(session: Session) -> None:
        site = add_site(session)
        for reader in (site.ana, site.bob):
            not_a_term(session, reader, site.board, PAPER, "attention", NOW)
        should_be_a_term(session, site.bob, site.board, PAPER, Quote("flow map"), NOW)

    transact(engine, fill)
    engine.dispose()
    return url


def test_listing_and_deciding(database: str) -> None:
    by = ("--by", "Ana Kettle", "--database", database)
    first, second = run("judgements", "list", "--database", database).stdout.splitlines()
    assert first.split("\t") == [
        "1", "cs.LG", "not_a_term", "attention", "2", f"{TEXT[:17]}[attention]{TEXT[26:58]}".strip(),
    ]  # fmt: skip
    assert second.split("\t")[:5] == ["3", "cs.LG", "term", "flow map", "1"]
    accepted = run("judgements", "accept", "1", "--reason", "A verb.", *by)
    assert accepted.stdout == (
        "Accepted: 2 judgements of attention.\n"
        'To make it so: peer-revenue terms delist attention --board cs.LG --reason "..."\n'
    )
    again = run("judgements", "accept", "1", "--reason", "A verb.", *by)
    assert (again.exit_code, again.stderr) == (1, "Error: No judgement 1 waits for a decision.\n")
    refused = run("judgements", "refuse", "3", "--reason", "Too rare.", *by)
    assert refused.stdout == "Refused: 1 judgement of flow map.\n"
    assert run("judgements", "list", "--database", database).stderr == "Nothing waits for a decision.\n"


def test_the_printed_command_does_it(database: str) -> None:
    run("judgements", "accept", "1", "--reason", "A verb.", "--database", database)
    delist = ("terms", "delist", "attention", "--board", "cs.LG", "--reason", "A verb.", "--yes")
    done = run(*delist, "--database", database)
    assert done.exit_code == 0, done.stderr


def test_decisions_are_exported_in_each_format(database: str, tmp_path: Path) -> None:
    run("judgements", "accept", "1", "--reason", "A verb.", "--database", database)
    run("judgements", "refuse", "3", "--reason", "Too rare.", "--database", database)
    text = AnnotatedText(PAPER, "A title", TEXT, (Span(17, 26, "NOT_A_TERM"), Span(34, 42, "NOT_A_TERM")))
    export = ("annotations", "export", "decisions", "--database", database, "--format")
    lines = run(*export, "jsonl").stdout_bytes.splitlines(keepends=True)
    assert list(read_text_lines(lines, "f")) == [text]
    assert list(read_docbin(run(*export, "docbin").stdout_bytes, "f")) == [text]
    said = list(read_annotation_lines(run(*export, "web-annotation").stdout_bytes.splitlines(True), "f"))
    assert [(each.verdict, each.by, each.quote.exact) for each in said] == [  # type: ignore[union-attr]
        (Verdict.NOT_A_TERM, "Ana Kettle", "attention"), (Verdict.NOT_A_TERM, "Bob Lid", "attention"),
    ]  # fmt: skip


def test_mentions_are_exported(database: str) -> None:
    export = ("annotations", "export", "mentions", "--board", "cs.LG", "--database", database)
    [first, second] = map(json.loads, run(*export).stdout.splitlines())
    assert first == {
        "id": PAPER, "title": "A title", "abstract": TEXT,
        "spans": [[0, 15, "diffusion model"], [17, 26, "attention"]],
    }  # fmt: skip
    assert second["id"] == "arxiv:2605.00002"
    found = [json.loads(line) for line in run(*export, "--format", "web-annotation").stdout.splitlines()]
    assert len(found) == 4
    assert found[0]["body"][0]["lexiconVersion"]
    assert run("annotations", "export", "mentions", "--board", "cs.XX", "--database", database).exit_code == 1


@pytest.mark.parametrize("form", ["jsonl", "docbin"])
def test_importing_makes_judgements_and_names_refusals(database: str, tmp_path: Path, form: str) -> None:
    texts = [
        AnnotatedText(
            PAPER, "", f"Another start. {TEXT}", (Span(49, 57, "TERM"), Span(32, 41, "NOT_A_TERM"))
        ),
        AnnotatedText("arxiv:0", "", "A term.", (Span(2, 6, "TERM"),)),
    ]
    path = tmp_path / "marked"
    path.write_bytes(docbin_of(texts) if form == "docbin" else "\n".join(map(text_line, texts)).encode())
    command = (
        "annotations", "import", str(path), "--reader", "Ana Kettle", "--board", "cs.LG", "--format", form,
        "--database", database,
    )  # fmt: skip
    done = run(*command)
    assert done.exit_code == 1
    assert "There is no paper 'arxiv:0' on cs.LG." in done.stderr
    assert done.stderr.endswith("1 read in, 1 known, 1 refused.\n")  # Ana said the other before
    assert run(*command).stderr.endswith("0 read in, 2 known, 1 refused.\n")
    with read_session(engine_for(database)) as session:
        assert len(session.exec(select(JudgementEvent)).all()) == 4
        assert len(session.exec(select(Judgement)).all()) == 4


def test_importing_names_faulty_lines(database: str, tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_text('{"id": "1"}\n\n{"id": "", "abstract": "x", "spans": [[0, 2, "T"]]}\n')
    command = ("annotations", "import", str(path), "--board", "cs.LG", "--database", database)
    done = run(*command, "--reader", "Ana Kettle")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[:3] == [
        f"{path}:1: abstract must be text",
        f"{path}:3: id is empty",
        f"{path}:3: span 1: 0 to 2 is no stretch of a text of 1 characters",
    ]
    nobody = run(*command, "--reader", "Nobody")
    assert "There is no trader 'Nobody'." in nobody.stderr


def test_operators(database: str) -> None:
    by = ("--reason", "Looks after cs.LG.", "--by", "Bob Lid", "--database", database)
    assert run("operators", "list", "--database", database).stderr == "Nobody is an operator.\n"
    assert run("operators", "add", "Ana Kettle", *by).stdout == "Ana Kettle is an operator now.\n"
    again = run("operators", "add", "Ana Kettle", *by)
    assert again.stdout == "Nothing changed: Ana Kettle is an operator.\n"
    assert run("operators", "list", "--database", database).stdout == "Ana Kettle\n"
    assert run("operators", "remove", "Ana Kettle", *by).stdout == "Ana Kettle is no operator now.\n"
    assert run("operators", "add", "Nobody", *by).stderr == "Error: There is no trader 'Nobody'.\n"
