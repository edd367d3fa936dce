"""peer-revenue trends: the same rows as a table, tabs, JSON and CSV, and errors that say what to do."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from market.db import transact
from tests.market import nine_weeks
from tests.market.factories import add_board
from web.cli import main
from web.cli.trend_tables import COLUMNS

CLOCK = "2026-05-17T20:00:00Z"


def run(*arguments: str, **environment: str | None) -> Result:
    clock: dict[str, str | None] = {"PEER_REVENUE_MARKET_CLOCK": CLOCK, "DATABASE_URL": None}
    result = CliRunner().invoke(main, ["trends", *arguments], env=clock | environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def database(engine: Engine, database_url: str) -> str:
    """A board on which one term rises, one falls, one is new, one stays."""
    transact(engine, nine_weeks.fill)
    return database_url


def test_through_a_pipe_come_lines_with_tabs(database: str) -> None:
    result = run("--board", "cs.LG", "--database", database)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert [(line[0], line[3], line[4], line[5]) for line in lines] == [
        ("rising", "rising", "63", "7.0"), ("falling", "falling", "7", "56.0"),
        ("new", "new here", "14", "0.0"),
        ("most", "rising", "63", "7.0"), ("most", "steady", "35", "35.0"), ("most", "new here", "14", "0.0"),
        ("most", "falling", "7", "56.0"),
    ]  # fmt: skip
    assert {len(line) for line in lines} == {8 + 1}


def test_csv_and_json_have_the_same_rows(database: str) -> None:
    flags = ("--board", "cs.LG", "--database", database)
    rows = list(csv.DictReader(io.StringIO(run(*flags, "--csv").stdout)))
    found = json.loads(run(*flags, "--json").stdout)
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 7
    for row in rows:
        other = found[row["list"]][int(row["rank"]) - 1]
        shown = {name: "" if value is None else str(value) for name, value in other.items()}
        assert row == shown | {name: row[name] for name in COLUMNS if name not in other}
    head = ("board", "window", "first_day", "last_day", "known", "listed", "base_listed", "terms_looked_at")
    assert [found[name] for name in head] == ["cs.LG", 7, "2026-05-11", "2026-05-17", None, 70, 560, 4]
    rising = found["rising"][0]
    assert rising["low"] < rising["ratio"] < rising["high"]
    assert (rising["rank"], rising["rank_before"], rising["listed"]) == (1, 1, 70)


def test_every_column_is_explained() -> None:
    text = run("--help").stdout
    for column in COLUMNS:
        assert column in text


def test_an_earlier_day_and_what_was_known(database: str) -> None:
    flags = ("--board", "cs.LG", "--database", database, "--csv")
    for asked in (("--day", "2026-05-10"), ("--known", "2026-05-10")):
        rows = list(csv.DictReader(io.StringIO(run(*flags, *asked).stdout)))
        assert {row["last_day"] for row in rows} == {"2026-05-10"}
        assert {row["known"] for row in rows} == ({"2026-05-10"} if asked[0] == "--known" else {""})
        assert {row["list"] for row in rows} == {"most"}


def test_the_quiet_is_said_on_standard_error(database: str) -> None:
    result = run("--board", "cs.LG", "--day", "2026-05-10", "--database", database)
    assert result.exit_code == 0
    assert result.stderr == (
        "Nothing is rising beyond chance on cs.LG from 2026-05-04 to 2026-05-10; 3 terms were looked at.\n"
    )


def test_a_window_without_papers_says_where_there_are_some(database: str) -> None:
    later = {"PEER_REVENUE_MARKET_CLOCK": "2026-06-17T20:00:00Z"}
    result = run("--board", "cs.LG", "--database", database, **later)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "cs.LG lists no papers from 2026-06-11 to 2026-06-17; "
        "the newest are of 2026-05-17: --day 2026-05-17\n"
    )
    first = run("--board", "cs.LG", "--database", database, "--known", "2026-01-05").stderr
    assert "that were known then; read some in: peer-revenue ingest" in first


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--board", "cs.XX"), 1, "There is no board 'cs.XX'. There are: cs.LG."),
        ((), 2, "Missing option '--board'"),
        (("--board", "cs.LG", "--window", "8"), 2, "'8' is not one of '7', '30'"),
        (("--board", "cs.LG", "--day", "2026-05-18"), 2, "has not come yet on cs.LG, where it is 2026-05-17"),
        (("--board", "cs.LG", "--known", "2026-05-18"), 2, "has not come yet on cs.LG"),
        (("--board", "cs.LG", "--known", "2026-05-01", "--day", "2026-05-02"), 2, "nothing was known of"),
        (("--board", "cs.LG", "--day", "0001-01-01"), 2, "is before any paper; name a later day"),
        (("--board", "cs.LG", "--day", "yesterday"), 2, "does not match the format '%Y-%m-%d'"),
        (("--board", "cs.LG", "--csv", "--json"), 2, "Choose one of --json and --csv."),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(
    engine: Engine, database_url: str, arguments: tuple[str, ...], status: int, said: str
) -> None:
    transact(engine, add_board)
    result = run(*arguments, "--database", database_url)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr


def test_without_boards_it_says_how_to_add_one(sqlite_url: str) -> None:
    result = run("--board", "cs.LG", "--database", sqlite_url)
    assert result.exit_code == 1
    assert "Add one with: peer-revenue boards add --help" in result.stderr
