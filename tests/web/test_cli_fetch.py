"""`peer-revenue fetch` against a real server: what is stored, what is said, and what outlives a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from sqlmodel import col

from market.db import engine_for, read_session
from market.tables import BoardDay, BoardPaper, Fetch
from nlp.fetching import client as client_module
from nlp.fetching import waiting
from nlp.tables import Paper
from tests.nlp.fetching.archives import Harvested, Queried
from tests.nlp.fetching.documents import Made, atom, note, notes, rss
from tests.nlp.fetching.misbehaving import Asked, Reply, Server, serving
from web.cli import main

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from web.cli import main; main(prog_name='peer-revenue')"]
CLOCK = "2026-05-15T12:00:00Z"  # a Friday
NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
MONDAY = datetime(2026, 5, 11, 12, tzinfo=UTC)
ARXIV = ("fetch", "arxiv", "--category", "cs.LG")
SINCE = ("--since", "2026-05-08")


def made(count: int) -> list[Made]:
    return [Made(f"2605.{number:05d}", MONDAY + timedelta(minutes=7 * number)) for number in range(count)]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda _asked: Reply(status=404)) as server:
        yield server


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FIRST_PAUSE_SECONDS", 0.01)


def environment(server: Server, database: str) -> dict[str, str]:
    return {
        "PEER_REVENUE_MARKET_CLOCK": CLOCK,
        "DATABASE_URL": database,
        "PEER_REVENUE_ARXIV_API": f"{server.address}/api/query",
        "PEER_REVENUE_ARXIV_FEED": f"{server.address}/rss",
        "PEER_REVENUE_ARXIV_OAI": f"{server.address}/oai",
        "PEER_REVENUE_OPENREVIEW": server.address,
        "PEER_REVENUE_CONTACT": "ana@example.org",
    }


def run(server: Server, database: str, *arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, env=environment(server, database))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def database(server: Server, database_url: str) -> str:
    """A database with the boards cs.LG and tmlr."""
    for code, period in (("cs.LG", "week"), ("tmlr", "month")):
        add = ("boards", "add", code, "--name", f"Papers of {code}", "--period", period)
        assert run(server, database_url, *add).exit_code == 0
    return database_url


def numbers(database: str) -> list[str]:
    """The identifiers of all papers that stand on a board, as often as they stand on one."""
    engine = engine_for(database)
    with read_session(engine) as session:
        found = session.scalars(
            sa.select(col(Paper.identifier))
            .join(BoardPaper, col(BoardPaper.paper_id) == col(Paper.id))
            .order_by(col(Paper.identifier))
        ).all()
    engine.dispose()
    return list(found)


def days(database: str) -> dict[date, int]:
    engine = engine_for(database)
    with read_session(engine) as session:
        found = session.execute(sa.select(col(BoardDay.day), col(BoardDay.paper_count))).all()
    engine.dispose()
    return {row.day: row.paper_count for row in found}


def fetches(database: str) -> list[Fetch]:
    engine = engine_for(database)
    with read_session(engine) as session:
        found = session.scalars(sa.select(Fetch)).all()
        session.expunge_all()
    engine.dispose()
    return list(found)


def test_past_papers_by_queries(server: Server, database: str) -> None:
    server.answer = Queried(made(45), capped=20)
    done = run(server, database, *ARXIV, *SINCE)
    assert done.exit_code == 0, done.output
    assert done.stdout == "cs.LG from arXiv's query interface: 45 read, 45 new, 0 known, 0 refused\n"
    assert numbers(database) == [paper.identifier for paper in made(45)]
    assert days(database) == {date(2026, 5, 12): 45}
    assert server.asked[0].headers["user-agent"].endswith("(ana@example.org)")
    assert "[202605061800 TO 202605151200]" in server.asked[0].query["search_query"]
    again = run(server, database, *ARXIV, *SINCE)
    assert again.stdout == "cs.LG from arXiv's query interface: 45 read, 0 new, 45 known, 0 refused\n"


def test_todays_papers_by_the_feed(server: Server, database: str) -> None:
    feed = rss(made(3), date(2026, 5, 15), NOW)
    server.answer = lambda asked: (
        Reply(status=304)
        if asked.headers.get("if-none-match") == '"tea"'
        else Reply(feed, kind="application/rss+xml", headers={"ETag": '"tea"'})
    )
    done = run(server, database, *ARXIV)
    assert (done.exit_code, days(database)) == (0, {date(2026, 5, 15): 3})
    again = run(server, database, *ARXIV)
    assert again.exit_code == 0
    assert again.stdout == "cs.LG from arXiv's feed of today: 0 read, 0 new, 0 known, 0 refused\n"
    assert "cs.LG: nothing new since the last time" in again.stderr
    assert [asked.path for asked in server.asked] == ["/rss/cs.LG"] * 2


def test_the_feed_says_which_day_a_paper_stands_on(server: Server, database: str) -> None:
    server.answer = Queried(made(3))
    run(server, database, *ARXIV, *SINCE)
    assert days(database) == {date(2026, 5, 12): 3}
    server.answer = lambda _asked: Reply(rss(made(3), date(2026, 5, 15), NOW), kind="text/xml")
    run(server, database, *ARXIV)
    assert days(database) == {date(2026, 5, 12): 0, date(2026, 5, 15): 3}


def test_days_that_the_feed_cannot_give_any_more_are_named(server: Server, database: str) -> None:
    for numbers_of, day in ((made(1), date(2026, 5, 12)), (made(3)[1:], date(2026, 5, 15))):
        body = rss(numbers_of, day, NOW)
        server.answer = lambda _asked, body=body: Reply(body, kind="text/xml")
        done = run(server, database, *ARXIV)
    assert done.exit_code == 0
    command = "peer-revenue fetch arxiv --category cs.LG --since 2026-05-13"
    assert f"not read: 2026-05-13, 2026-05-14; {command}" in done.stderr


def test_yesterdays_batch_is_an_error_that_the_day_shows(server: Server, database: str) -> None:
    for day in (date(2026, 5, 14), date(2026, 5, 15)):
        body = rss(made(3), day, NOW)
        server.answer = lambda _asked, body=body: Reply(body, kind="text/xml")
        done = run(server, database, *ARXIV)
    assert done.exit_code == 1
    assert "Error: http://127.0.0.1" in done.stderr
    assert "the feed of 2026-05-15 still has the papers of 2026-05-14. Nothing was stored" in done.stderr
    assert days(database) == {date(2026, 5, 14): 3}
    [row] = fetches(database)
    assert row.error == "127.0.0.1: the feed of 2026-05-15 still has the papers of 2026-05-14"
    assert row.failed_at == row.succeeded_at == NOW


def test_the_archive(server: Server, database: str) -> None:
    old = Made("2301.00001", datetime(2023, 1, 2, tzinfo=UTC), version=2)
    found = [(old, date(2026, 5, 12)), *((paper, date(2026, 5, 12)) for paper in made(3))]
    server.answer = Harvested(found)
    done = run(server, database, *ARXIV, *SINCE, "--via", "oai")
    assert done.exit_code == 0, done.output
    assert done.stdout == "cs.LG from arXiv's archive: 4 read, 3 new, 0 known, 1 only replaced, 0 refused\n"
    assert days(database) == {date(2026, 5, 12): 3}


def test_tmlr(server: Server, database: str) -> None:
    submissions = [note("Accepted01", MONDAY, NOW, state="", published_at=NOW), note("Reviewed01", NOW, NOW)]
    server.answer = lambda _asked: Reply(notes(submissions, 2), kind="application/json")
    done = run(server, database, "fetch", "tmlr", *SINCE)
    assert done.exit_code == 0, done.output
    assert done.stdout == "tmlr from OpenReview: 2 read, 2 new, 0 known, 0 refused\n"
    assert server.asked[0].path == "/notes"
    assert numbers(database) == ["openreview:Accepted01", "openreview:Reviewed01"]


def test_a_failure_keeps_what_came_before_and_the_command_goes_on_from_there(
    server: Server, database: str
) -> None:
    archive = Queried(made(45), capped=20)
    server.answer = lambda asked: archive(asked) if len(server.asked) == 1 else Reply(status=500)
    failed = run(server, database, *ARXIV, *SINCE)
    assert failed.exit_code == 1
    assert failed.stdout == "cs.LG from arXiv's query interface: 20 read, 20 new, 0 known, 0 refused\n"
    assert "127.0.0.1: status 500 Internal Server Error; asking again in 0 seconds" in failed.stderr
    assert "status 500 Internal Server Error, 5 times in a row. Run the same command again" in failed.stderr
    [row] = fetches(database)
    assert (row.succeeded_at, row.failed_at) == (None, NOW)
    assert row.error == "127.0.0.1: status 500 Internal Server Error, 5 times in a row"
    server.answer = archive
    server.asked.clear()
    assert run(server, database, *ARXIV, *SINCE).exit_code == 0
    assert len(server.asked) == 2
    assert numbers(database) == [paper.identifier for paper in made(45)]


def test_a_record_that_cannot_be_taken_is_named_and_the_others_are_taken(
    server: Server, database: str
) -> None:
    body = atom(made(2), 2, 0).replace(b"<summary>Kettle 2605.00001", b"<summary></summary><x>")
    body = body.replace(b"until it boils.</summary>\n", b"</summary>").replace(b"<x>", b"<x/><summary>", 1)
    assert body.count(b"<summary></summary>") == 1
    server.answer = lambda _asked: Reply(body)
    done = run(server, database, *ARXIV, *SINCE)
    assert done.exit_code == 1
    assert "1 refused" in done.stdout
    assert "2605.00001 has no abstract" in done.stderr
    assert numbers(database) == ["arxiv:2605.00000"]


def test_a_limit_stops_after_the_page_that_reaches_it(server: Server, database: str) -> None:
    server.answer = Queried(made(45), capped=20)
    done = run(server, database, *ARXIV, *SINCE, "--limit", "5")
    assert done.exit_code == 0
    assert "There is more. Run the same command again to go on." in done.stderr
    assert len(numbers(database)) == 20
    assert run(server, database, *ARXIV, *SINCE).exit_code == 0
    assert len(numbers(database)) == 45


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--category", "LG"), "'LG' is no category of arXiv, such as cs.LG."),
        (("--category", "cs.LG", "--via", "rss", *SINCE), "the feed has the papers of today only"),
        (("--category", "cs.LG", "--since", "2026-05-17"), "2026-05-17 has not come yet"),
        (("--category", "cs.LG", "--limit", "0"), "--limit"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    server: Server, database: str, arguments: tuple[str, ...], said: str
) -> None:
    done = run(server, database, "fetch", "arxiv", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert server.asked == []


def test_a_board_that_is_missing_is_named_with_the_command_that_adds_it(
    server: Server, database: str
) -> None:
    done = run(server, database, "fetch", "arxiv", "--category", "cs.CL")
    assert done.exit_code == 1
    assert "There is no board 'cs.CL'. Add it first: peer-revenue boards add cs.CL --name" in done.stderr
    assert server.asked == []


def test_a_board_by_submission_is_read_by_queries(server: Server, database: str) -> None:
    add = ("boards", "add", "cs.CL", "--name", "X", "--period", "week", "--day-rule", "submitted")
    run(server, database, *add)
    server.answer = lambda _asked: Reply(atom([], 0, 0))
    refused = run(server, database, "fetch", "arxiv", "--category", "cs.CL", "--via", "rss")
    assert "cs.CL counts papers by their submission, which the feed does not say" in refused.stderr
    assert (refused.exit_code, server.asked) == (2, [])
    assert run(server, database, "fetch", "arxiv", "--category", "cs.CL").exit_code == 0
    assert server.asked[0].path == "/api/query"
    assert "[202605081200 TO 202605151200]" in server.asked[0].query["search_query"]


def test_more_than_a_page_may_have_is_said(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 100)
    server.answer = Queried(made(5))
    done = run(server, database, *ARXIV, *SINCE)
    assert done.exit_code == 1
    assert "more than 0 MB" in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PEER_REVENUE_ARXIV_API", "export.arxiv.org/api/query"),
        ("PEER_REVENUE_ARXIV_FEED", "ftp://rss.arxiv.org"),
        ("PEER_REVENUE_ARXIV_OAI", "https://oai pmh.arxiv.org"),
        ("PEER_REVENUE_OPENREVIEW", ""),
        ("PEER_REVENUE_CONTACT", "ana@example.org\nX-More: 1"),
        ("PEER_REVENUE_CONTACT", ""),
        ("PEER_REVENUE_CONTACT", "Ana Kéttle"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(
    server: Server, database: str, variable: str, value: str
) -> None:
    done = CliRunner().invoke(main, ARXIV, env=environment(server, database) | {variable: value})
    assert done.exit_code == 1
    assert f"Error: {variable}: {value!r} is no" in done.stderr
    assert server.asked == []


class Gate:
    """An archive that holds its `number`th answer back, if it `holds`, and says when it was asked for it."""

    def __init__(self, archive: Queried, number: int, *, holds: bool) -> None:
        self.archive, self.number, self.holds = archive, number, holds
        self.reached, self.opened = threading.Event(), threading.Event()
        self._count = 0

    def __call__(self, asked: Asked) -> Reply:
        self._count += 1
        if self._count == self.number:
            self.reached.set()
            if self.holds:
                self.opened.wait(30)
        return self.archive(asked)


def start(server: Server, database: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PEER_REVENUE_")}
    return subprocess.Popen(
        [*COMMAND, *ARXIV, *SINCE],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env=kept | environment(server, database),
    )  # fmt: skip


@pytest.mark.parametrize("delay", [None, 0.0, 0.03, 0.1])
def test_killed_at_any_moment_it_goes_on_where_it_stopped(
    server: Server, database: str, delay: float | None
) -> None:
    """Killed while it waits for page 3 (None), or so many seconds after that was sent to it."""
    gate = Gate(Queried(made(100), capped=20), 3, holds=delay is None)
    server.answer = gate
    with start(server, database) as process:
        assert gate.reached.wait(30)
        time.sleep(delay or 0)
        process.kill()
        assert process.wait(10) == -signal.SIGKILL
    gate.opened.set()
    stored = len(numbers(database))
    assert 38 <= stored < 100
    assert sum(days(database).values()) == stored
    server.answer = gate.archive
    server.asked.clear()
    done = run(server, database, *ARXIV, *SINCE)
    assert done.exit_code == 0, done.output
    first_page = "[202605061800"
    assert first_page not in server.asked[0].query["search_query"]
    assert numbers(database) == [paper.identifier for paper in made(100)]
    assert sum(days(database).values()) == 100


def test_ctrl_c_keeps_what_was_stored_and_says_how_to_go_on(server: Server, database: str) -> None:
    gate = Gate(Queried(made(100), capped=20), 3, holds=True)
    server.answer = gate
    with start(server, database) as process:
        assert gate.reached.wait(30)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    gate.opened.set()
    assert process.returncode == 130
    assert out == "cs.LG from arXiv's query interface: 39 read, 39 new, 0 known, 0 refused\n"
    assert err == "Stopped; what was read until then is stored. Run the same command again to go on.\n"
    assert len(numbers(database)) == 39
