"""What `peer-revenue ingest` reads: folders, standard input, packed files, mailboxes; how it breaks off."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from email.message import EmailMessage
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nlp.tables import Paper
from tests.web.test_cli import CLOCK, count, record
from tests.web.test_cli_processes import COMMAND, ROOT, environment
from web.cli import main
from web.cli.inputs import Input, Unreadable, files_of

MAIL = r"""Date: Sat, 16 May 26 00:44:20 GMT
Subject: cs daily

\\
arXiv:2605.00001
Date: Wed, 13 May 2026 18:00:01 GMT   (4kb)

Title: On tea
Authors: Ana Kettle
Categories: cs.LG
\\
  We study federated learning.
\\ ( https://arxiv.org/abs/2605.00001 ,  4kb)
------------------------------------------------------------------------------
\\
arXiv:2605.00002
Date: Wed, 13 May 2026 18:00:01 GMT   (4kb)

Title: On chips
Authors: Bob Lid
Categories: cs.AR
\\
  We study kettles.
\\ ( https://arxiv.org/abs/2605.00002 ,  4kb)
"""
DIGEST = (
    "New submissions\n===============\n\nTitle: On pots\n\nAbstract: We study kettles.\n\n"
    "URL: https://openreview.net/forum?id=AbCdEfGh12\n\n---\n"
)


# By its full name the package has the command.
MODULE = import_module("web.cli.ingest")


def add_board(url: str, code: str = "cs.LG") -> None:
    add = ("boards", "add", code, "--name", code, "--period", "week", "--database", url)
    assert CliRunner().invoke(main, add).exit_code == 0


def run(url: str, *arguments: str, given: bytes = b"") -> Result:
    known = {"PEER_REVENUE_MARKET_CLOCK": CLOCK, "DATABASE_URL": url}
    result = CliRunner().invoke(main, ["ingest", *arguments], env=known, input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def database(database_url: str) -> str:
    """A database with the boards cs.LG and tmlr."""
    add_board(database_url)
    add_board(database_url, "tmlr")
    return database_url


def digest(subject: str) -> bytes:
    message = EmailMessage()
    message["Subject"] = subject
    message.set_content(DIGEST)
    return message.as_bytes()


def test_a_folder_is_read_to_its_depth_and_what_is_no_paper_is_named(database: str, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "2026" / "05").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "b.jsonl").write_text(record(1))
    (folder / "2026" / "05" / "16.jsonl.gz").write_bytes(gzip.compress(record(2).encode()))
    (folder / "a.txt").write_text("Dear all")
    (folder / ".hidden.jsonl").write_text(record(3))
    (folder / ".git" / "x.jsonl").write_text(record(4))
    (folder / "2026" / "up").symlink_to(folder)
    result = run(database, str(folder))
    assert result.exit_code == 1
    said = result.stdout.splitlines()
    assert [line.partition(": ")[0] for line in said] == [
        str(folder / "2026" / "05" / "16.jsonl.gz"), str(folder / "b.jsonl"),
    ]  # fmt: skip
    assert f"{folder / 'a.txt'}: text that begins with 'Dear all'" in result.stderr
    assert f"{folder / '2026' / 'up'}: a link to a folder" in result.stderr
    assert count(database, Paper) == 2


def test_standard_input_may_be_packed(database: str) -> None:
    result = run(database, "-", given=gzip.compress((record(1) + "\nrubbish\n").encode()))
    assert "standard input:2: not JSON" in result.stderr
    assert result.stdout == "standard input: 2 read, 1 new, 0 known, 1 refused\n"
    assert result.exit_code == 1


def test_an_empty_standard_input_is_an_empty_file(database: str) -> None:
    result = run(database, "-")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "standard input: an empty file\n"


def test_papers_of_a_mailing_that_are_on_no_board_here_are_counted_and_no_fault(
    database: str, tmp_path: Path
) -> None:
    mailing = tmp_path / "cs.txt"
    mailing.write_text(MAIL)
    result = run(database, str(mailing))
    assert result.stdout == f"{mailing}: 2 read, 1 new, 0 known, 1 of no board here, 0 refused\n"
    assert (result.exit_code, result.stderr) == (0, "")
    # Of plain records somebody chose the categories: there it is a mistake.
    result = run(database, "-", given=record(5, categories=["cs.lg"]).encode())
    assert "standard input:1: none of its categories is a board here: cs.lg" in result.stderr


def test_each_mail_of_a_mailbox_is_recognised_by_itself(database: str, tmp_path: Path) -> None:
    mails = (MAIL.encode(), digest("Daily TMLR digest for May 16, 2026"), digest("Lunch"))
    box = tmp_path / "lists.mbox"
    box.write_bytes(b"".join(b"From x Sat May 16 12:00:05 2026\n" + mail + b"\n" for mail in mails))
    result = run(database, str(box))
    assert result.stdout == f"{box}: 4 read, 2 new, 0 known, 1 of no board here, 1 refused\n"
    assert "mail 3, “Lunch”: the page does not state its day" in result.stderr


def test_a_board_that_is_not_there_is_said_before_anything_is_read(database_url: str) -> None:
    result = run(database_url, "absent.jsonl")
    assert result.exit_code == 1
    assert result.stderr == "Error: There is no board yet; add one with: peer-revenue boards add --help.\n"
    add_board(database_url)
    result = run(database_url, "absent.jsonl", "--board", "cs.CL")
    assert "There is no board cs.CL; add it with: " in result.stderr
    assert "There are cs.LG." in result.stderr


def test_a_format_that_is_not_there_is_said_before_anything_is_read(database: str) -> None:
    result = run(database, "absent.jsonl", "also absent", "--source", "jsonl")
    assert result.exit_code == 2
    assert result.stderr.count("'jsonl' is none of tmlr-digest, arxiv-mail, ") == 1
    assert "absent.jsonl" not in result.stderr


def test_a_long_file_is_stored_in_steps(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "TOGETHER", 100)
    lines = [record(number) for number in range(1, 401)]
    packed = gzip.compress("\n".join(lines).encode())
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(packed[:-9])  # without the checksum and what comes before it
    result = run(database, str(cut))
    assert result.exit_code == 1
    assert "after this line it cannot be read" in result.stderr
    assert 300 <= count(database, Paper) < 400
    whole = tmp_path / "whole.jsonl.gz"
    whole.write_bytes(packed)
    assert run(database, str(whole)).exit_code == 0
    assert count(database, Paper) == 400


def test_what_was_stored_before_a_failure_is_said(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from market import intake

    monkeypatch.setattr(MODULE, "TOGETHER", 10)
    take_in, calls = intake.take_in, []

    def interrupted(*arguments: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return take_in(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "take_in", interrupted)
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(record(number) for number in range(1, 36)))
    result = run(database, str(file))
    assert result.exit_code == 130
    stored = "stored before that: 20 read, 20 new, 0 known, 0 refused"
    assert result.stderr == f"{file}: not read to its end; {stored}\n"
    assert count(database, Paper) == 20


def test_files_of_a_folder_come_by_name_and_others_as_they_were_named(tmp_path: Path) -> None:
    for name in ("b/2", "b/10", "a", "c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / "d")
    (tmp_path / "e").symlink_to(tmp_path / "nowhere")
    (tmp_path / "f").symlink_to(tmp_path / "a")
    found = list(files_of([Path("absent"), tmp_path, Path("-")]))
    names = [str(each.relative_to(tmp_path)) for each in found[1:-1] if isinstance(each, Path)]
    assert names == ["a", "b/10", "b/2", "c", "f"]
    assert (found[0], found[-1]) == (Path("absent"), Path("-"))
    unreadable = [each.path.name for each in found if isinstance(each, Unreadable)]
    assert unreadable == ["d", "e"]


def test_an_input_knows_how_far_it_was_read() -> None:
    given = Input(io.BytesIO(b"x" * 200_000), "x", 200_000)
    stream = given.buffered()
    assert stream.read(1) == b"x"
    assert 1 <= given.reached < 200_000
    assert len(stream.read()) == 199_999
    assert given.reached == 200_000


def test_ctrl_c_ends_it_while_it_waits_and_keeps_what_was_stored(sqlite_url: str, tmp_path: Path) -> None:
    add_board(sqlite_url)
    file = tmp_path / "papers.jsonl"
    file.write_text(record(1))
    with subprocess.Popen(
        [*COMMAND, "ingest", str(file), "-", "--database", sqlite_url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=environment(),
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert b"1 new" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
            assert process.stderr.read() == b""
        finally:
            process.kill()
    assert count(sqlite_url, Paper) == 1


def test_killed_at_any_moment_it_leaves_whole_steps_and_goes_on(sqlite_url: str, tmp_path: Path) -> None:
    add_board(sqlite_url)
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(record(number) + "\n" for number in range(1, 401)))
    code = (
        "import sys, web.cli.ingest; sys.modules['web.cli.ingest'].TOGETHER = 40\n"
        f"from web.cli import main; main(['ingest', {str(file)!r}, '--database', {sqlite_url!r}])"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment())
    for _ in range(2000):
        if count(sqlite_url, Paper) or process.poll() is not None:
            break
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert count(sqlite_url, Paper) % 40 == 0
    result = run(sqlite_url, str(file))
    assert result.exit_code == 0
    assert count(sqlite_url, Paper) == 400


def test_an_unpacked_snapshot_line_is_taken_by_its_submission(database: str) -> None:
    line = {
        "id": "0704.0010", "title": "Tea for\n  Two", "abstract": "  We study kettles.\n", "comments": None,
        "categories": "cs.LG stat.ML", "authors": "Ana Kettle", "update_date": "2026-05-16",
        "versions": [{"version": "v1", "created": "Wed, 13 May 2026 12:00:01 GMT"}],
        "authors_parsed": [["Kettle", "Ana", ""]],
    }  # fmt: skip
    result = run(database, "-", given=json.dumps(line).encode())
    assert (result.exit_code, result.stdout) == (0, "standard input: 1 read, 1 new, 0 known, 0 refused\n")
