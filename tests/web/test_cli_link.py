"""`peer-revenue link-accounts` and `unlink-accounts`: what they print and leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from market.db import engine_for, read_session, transact, upgrade
from market.tables import LinkEvent
from tests.market.factories import add_market
from tests.web.test_cli import run


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'market.sqlite'}"
    engine = engine_for(url)
    upgrade(engine)
    transact(engine, lambda session: add_market(session, "Ana Kettle", "Bob Lid"))
    engine.dispose()
    return url


def test_linking_listing_and_unlinking(database: str) -> None:
    by = ("--by", "Op", "--database", database)
    assert run("link-accounts", *by).stderr == "No accounts are linked.\n"
    linked = run("link-accounts", "Bob Lid", "ana kettle", "--reason", "One person.", *by)
    assert (linked.exit_code, linked.output) == (0, "Ana Kettle and Bob Lid are linked.\n")
    since = "since Sunday 17 May 2026, 20:00 UTC by Op: One person."
    again = run("link-accounts", "Bob Lid", "Ana Kettle", "--reason", "Again.", *by)
    assert again.output == f"Nothing changed. Ana Kettle and Bob Lid are linked {since}\n"
    assert run("link-accounts", *by).output == f"Ana Kettle\tBob Lid\t{since}\n"
    ended = run("unlink-accounts", "Ana Kettle", "Bob Lid", "--reason", "Two after all.", *by)
    assert ended.output == "Ana Kettle and Bob Lid are linked no more.\n"
    ended = run("unlink-accounts", "Ana Kettle", "Bob Lid", "--reason", "Two after all.", *by)
    assert ended.output == "Nothing changed. Ana Kettle and Bob Lid were not linked with each other.\n"
    with read_session(engine_for(database)) as session:
        assert [each.is_on for each in session.exec(select(LinkEvent)).all()] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Ana Kettle",), "say both names"),
        (("Ana Kettle", "Bob Lid"), "Missing option '--reason'"),
        (("Ana Kettle", "ANA KETTLE", "--reason", "x"), "was given twice"),
        (("Ana Kettle", "Nobody", "--reason", "x"), "There is no trader 'Nobody'."),
        (("Ana Kettle", "Bob Lid", "--reason", " "), "A reason is missing"),
    ],
)
def test_bad_input_says_what_is_wrong(database: str, arguments: tuple[str, ...], said: str) -> None:
    refused = run("link-accounts", *arguments, "--by", "Op", "--database", database)
    assert refused.exit_code != 0
    assert said in refused.output
    with read_session(engine_for(database)) as session:
        assert session.exec(select(LinkEvent)).all() == []
