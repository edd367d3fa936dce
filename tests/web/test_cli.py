"""The command line: what each command prints, what it leaves in the database, and the status it ends with."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import engine_for, read_session, transact
from market.limit_trading import place_limit
from market.tables import BoardDay, LimitOrder
from nlp.tables import Paper
from tests.market.factories import NOW, add_market, limit_order
from web.cli import ALL, main

CLOCK = "2026-05-17T20:00:00Z"


def run(*arguments: str, **environment: str | None) -> Result:
    """The command, at a market clock that stands still unless `environment` says otherwise."""
    clock: dict[str, str | None] = {"PEER_REVENUE_MARKET_CLOCK": CLOCK, "DATABASE_URL": None}
    result = CliRunner().invoke(main, arguments, env=clock | environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def record(number: int, **values: object) -> str:
    paper = {
        "id": f"2605.{number:05d}", "date": "2026-05-16", "title": f"Paper {number}", "authors": [],
        "abstract": "We study federated learning with diffusion models.", "categories": ["cs.LG"],
    }  # fmt: skip
    return json.dumps(paper | values)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Three lines: two papers, and in between one without an abstract."""
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join([record(1), record(2, abstract=""), record(3, date="2026-05-17")]) + "\n")
    return path


@pytest.fixture
def database(database_url: str) -> str:
    """A database with the board cs.LG."""
    add = ("boards", "add", "cs.LG", "--name", "Machine Learning", "--period", "week")
    added = run(*add, "--database", database_url)
    assert added.exit_code == 0, added.output
    return database_url


def count(url: str, table: type[object]) -> int:
    engine = engine_for(url)
    with read_session(engine) as session:
        found = session.scalar(sa.select(sa.func.count()).select_from(table))
    engine.dispose()
    return found or 0


def test_help_names_every_command_and_shows_an_example_of_each() -> None:
    overview = run("--help").output
    for command in ALL:
        assert command.name is not None
        assert f"  {command.name} " in overview
        assert "Example:" in run(command.name, "--help").output


def test_boards_are_added_once_and_listed(database: str) -> None:
    again = run("boards", "add", "cs.LG", "--name", "Learning", "--period", "week", "--database", database)
    assert again.exit_code == 0
    listed = run("boards", "--database", database)
    assert listed.stdout == "cs.LG\tLearning\tby week\tannounced days in UTC\n"


def test_a_boards_period_cannot_be_changed(database: str) -> None:
    refused = run("boards", "add", "cs.LG", "--name", "Learning", "--period", "month", "--database", database)
    assert refused.exit_code == 1
    assert "cannot be changed" in refused.stderr


def test_ingest_takes_what_it_can_and_names_what_it_cannot(database: str, papers: Path) -> None:
    first = run("ingest", str(papers), "--database", database)
    assert first.exit_code == 1
    assert f"{papers}:2: no abstract" in first.stderr
    assert f"{papers}: 3 read, 2 new, 0 known, 1 refused" in first.stdout
    assert count(database, Paper) == 2


def test_ingesting_a_file_again_changes_nothing(database: str, papers: Path) -> None:
    run("ingest", str(papers), "--database", database)
    again = run("ingest", str(papers), "--database", database)
    assert "3 read, 0 new, 2 known, 1 refused" in again.stdout
    assert count(database, Paper) == 2


def test_ingest_goes_on_with_the_other_files(database: str, papers: Path, tmp_path: Path) -> None:
    picture, good = tmp_path / "picture.png", tmp_path / "good.jsonl"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    good.write_text(record(9))
    result = run("ingest", str(tmp_path / "absent.jsonl"), str(picture), str(good), "--database", database)
    assert result.exit_code == 1
    assert "absent.jsonl: No such file or directory" in result.stderr
    assert "picture.png: " in result.stderr
    assert "good.jsonl: 1 read, 1 new, 0 known, 0 refused" in result.stdout
    assert run("ingest", str(good), "--database", database).exit_code == 0


def test_close_day_closes_what_is_listed_and_nothing_twice(database: str, papers: Path) -> None:
    run("ingest", str(papers), "--database", database)
    first = run("close-day", "--database", database)
    assert first.exit_code == 0
    assert first.stdout.splitlines() == [
        "cs.LG 2026-05-16: closed, 1 paper, 2 terms", "cs.LG 2026-05-17: closed, 1 paper, 2 terms",
    ]  # fmt: skip
    again = run("close-day", "--database", database)
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "No day waits to be closed.\n")
    named = run("close-day", "--board", "cs.LG", "--day", "2026-05-16", "--database", database)
    assert named.stdout == "cs.LG 2026-05-16: was closed before, 1 paper, 2 terms\n"


@pytest.mark.parametrize("day", ["2026-05-15", "2026-05-18"], ids=["lists no papers", "has not come"])
def test_a_day_that_cannot_be_closed_is_refused(database: str, day: str) -> None:
    refused = run("close-day", "--board", "cs.LG", "--day", day, "--database", database)
    assert refused.exit_code == 1
    assert f"cs.LG {day}: " in refused.stderr


def test_an_unknown_board_is_refused(database: str) -> None:
    refused = run("close-day", "--board", "cs.XX", "--database", database)
    assert (refused.exit_code, refused.stderr) == (1, "Error: There is no board 'cs.XX'.\n")


def test_settle_says_when_nothing_is_due(database: str) -> None:
    result = run("settle", "--database", database)
    assert (result.exit_code, result.stderr) == (0, "No contract is due.\n")


def test_sweep_ends_what_is_over(database_url: str) -> None:
    engine = engine_for(database_url)

    def rest(session: Session) -> None:
        _, (ada,) = add_market(session, "Ada")
        place_limit(session, ada, limit_order(milli=1900), "key", NOW)

    transact(engine, rest)
    engine.dispose()
    where = ("--database", database_url)
    assert run("sweep", *where).stdout == "0 resting orders were ended or filled.\n"
    later = {"PEER_REVENUE_MARKET_CLOCK": "2026-05-18T00:00:00Z"}
    assert run("sweep", *where, **later).stdout == "1 resting order was ended or filled.\n"
    assert "All invariants hold." in run("verify", *where).stdout


@pytest.mark.parametrize("command", ["close-day", "settle"])
def test_the_nightly_commands_sweep(database_url: str, command: str) -> None:
    engine = engine_for(database_url)

    def rest(session: Session) -> None:
        _, (ada,) = add_market(session, "Ada")
        place_limit(session, ada, limit_order(milli=1900), "key", NOW)

    transact(engine, rest)
    later = {"PEER_REVENUE_MARKET_CLOCK": "2026-05-18T00:00:00Z"}
    assert run(command, "--database", database_url, **later).exit_code == 0
    with read_session(engine) as session:
        assert session.exec(select(LimitOrder.ended_as)).one() == "closed"
    engine.dispose()


def test_verify_counts_what_it_checked(database: str) -> None:
    result = run("verify", "--database", database)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["0 entries, 0 postings, 0 accounts", "All invariants hold."]


def test_an_empty_database_is_made_ready_by_whichever_command_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "papers.sqlite"
    result = run("boards", DATABASE_URL=f"sqlite:///{path}")
    assert result.exit_code == 0
    assert "There are no boards yet" in result.stderr
    assert path.exists()


def test_verify_does_not_make_a_database(tmp_path: Path) -> None:
    path = tmp_path / "mistyped.sqlite"
    result = run("verify", "--database", f"sqlite:///{path}")
    assert result.exit_code == 1
    assert f"There is no database {path}" in result.stderr
    assert not path.exists()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nonsense", "is no database that can be used"),
        ("mysql://localhost/x", "is no database that can be used"),
        ("postgresql://nobody:secret@127.0.0.1:1/none", "cannot be used: connection failed"),
    ],
)
def test_a_database_that_cannot_be_used_is_a_message(url: str, says: str) -> None:
    result = run("boards", "--database", url)
    assert result.exit_code == 1
    assert says in result.stderr
    assert "secret" not in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_no_database_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are notes. " * 200)
    result = run("boards", "--database", f"sqlite:///{path}")
    assert result.exit_code == 1
    assert "file is not a database" in result.stderr


def test_a_newer_database_is_a_message(sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    result = run("boards", "--database", sqlite_url)
    assert result.exit_code == 1
    assert "not of this version of Peer Revenue" in result.stderr


def test_a_day_is_closed_by_the_market_clock(database: str, papers: Path, engine: Engine) -> None:
    run("ingest", str(papers), "--database", database)
    run("close-day", "--database", database, PEER_REVENUE_MARKET_CLOCK="2026-05-16T23:00:00Z")
    with read_session(engine) as session:
        days = session.execute(sa.select(BoardDay)).scalars()
        closed = {day.day: day.closed_at for day in days}
    assert closed == {date(2026, 5, 16): datetime(2026, 5, 16, 23, tzinfo=UTC), date(2026, 5, 17): None}


def test_bad_settings_are_a_message(sqlite_url: str) -> None:
    result = run("settle", "--database", sqlite_url, PEER_REVENUE_MARKET_CLOCK="yesterday")
    assert result.exit_code == 1
    assert "PEER_REVENUE_MARKET_CLOCK" in result.stderr
