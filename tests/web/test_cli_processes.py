"""The command as a process: what it imports, how it ends when interrupted, what it serves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from web.cli.serving import listen, say_who_is_answered
from web.config import LOCAL_HOSTS, load_settings

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from web.cli import main; main(prog_name='peer-revenue')"]
LINE = '{"id": "1", "title": "", "abstract": "We study federated learning."}\n'
HEAVY = ("flask", "sqlalchemy", "sqlmodel", "spacy", "scipy", "numpy", "httpx", "lxml")


def environment() -> dict[str, str]:
    ours = ("DATABASE_URL", "SECRET_KEY")
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith("PEER_REVENUE_")
    }


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command, running; killed if the test leaves it so."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*COMMAND, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT, env=environment()
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=given, capture_output=True, text=True, cwd=ROOT, env=environment(), check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments", [["--help"], ["ingest", "--help"], ["fetch", "arxiv", "--help"], ["highlight"]]
)
def test_help_and_highlight_import_neither_database_nor_web_framework(arguments: list[str]) -> None:
    probe = (
        "import sys; from web.cli import main\n"
        f"try: main({arguments!r})\n"
        "finally: print(*sorted(set(sys.modules) & set(sys.argv[1:])), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *HEAVY], input="", capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stderr.strip() == ""


def test_highlight_writes_a_line_for_each_line_and_names_those_it_cannot_read() -> None:
    done = run("highlight", given=LINE + "not json\n" + LINE.replace('"1"', '"2"'))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == ["1", "2"]
    mention = answers[0]["mentions"][0]
    assert answers[0]["text"][mention["start"] : mention["end"]] == mention["quote"] == "federated learning"
    assert done.stderr.startswith("standard input:2: not JSON")
    assert done.returncode == 1
    assert run("highlight", given=LINE).returncode == 0


def test_highlight_reads_another_lexicon(tmp_path: Path) -> None:
    lexicon = tmp_path / "lexicon.toml"
    lexicon.write_text('[[term]]\nlabel = "we study"\n')
    done = run("highlight", "--lexicon", str(lexicon), given=LINE)
    assert [mention["quote"] for mention in json.loads(done.stdout)["mentions"]] == ["We study"]
    lexicon.write_text("[[term]]\n")
    refused = run("highlight", "--lexicon", str(lexicon), given=LINE)
    assert refused.returncode == 1
    assert str(lexicon) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_highlight_answers_while_its_input_goes_on_and_ends_quietly_with_ctrl_c() -> None:
    with started("highlight") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(LINE)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "1"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_highlight_ends_as_filters_do_when_nobody_reads_on() -> None:
    with started("highlight") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(LINE)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(LINE)
        process.stdin.close()
        process.stdin = None
        assert process.wait(10) == -signal.SIGPIPE
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_list_ends_quietly_when_nobody_reads_it(sqlite_url: str) -> None:
    add = ("boards", "add", "cs.LG", "--name", "X", "--period", "week", "--database", sqlite_url)
    assert run(*add).returncode == 0
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "boards", "--database", sqlite_url],
        stdout=write, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment(), check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_demo_builds_serves_stops_and_goes_on_with_what_it_has(tmp_path: Path) -> None:
    arguments = ("demo", "--no-robots", "--port", "0", "--data", str(tmp_path))
    with started(*arguments) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=10) as answer:
            page = answer.read().decode()
        assert "Sunday 17 May 2026" in page
        assert "Demonstration as of" in page
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr is not None
        said = process.stderr.read()
    assert "cs.LG-2026-05-16.txt: 30 papers" in said
    again = run("demo", "--no-robots", "--no-serve", "--data", str(tmp_path))
    assert again.returncode == 0
    assert "cs.LG-2026-05-16.txt: read before" in again.stderr
    fresh = run("demo", "--no-robots", "--no-serve", "--reset", "--data", str(tmp_path))
    assert "cs.LG-2026-05-16.txt: 30 papers" in fresh.stderr


def test_a_taken_port_that_was_asked_for_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0, or_next=False) as taken:
        port = taken.getsockname()[1]
        refused = run("demo", "--port", str(port), "--data", str(tmp_path))
    assert refused.returncode == 1
    assert f"Port {port} is taken" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_next_free_port_is_taken_when_none_was_asked_for() -> None:
    with listen("127.0.0.1", 0, or_next=False) as taken:
        port = taken.getsockname()[1]
        with listen("127.0.0.1", port, or_next=True) as other:
            assert port < other.getsockname()[1] <= port + 20


@pytest.mark.parametrize(
    ("host", "trusted", "is_said"),
    [("127.0.0.1", LOCAL_HOSTS, False), ("0.0.0.0", LOCAL_HOSTS, True), ("0.0.0.0", ("papers.test",), False)],
)
def test_listening_to_others_while_answering_none_is_said(
    capsys: pytest.CaptureFixture[str], host: str, trusted: tuple[str, ...], is_said: bool
) -> None:
    say_who_is_answered(host, load_settings(trusted_hosts=trusted))
    assert ("PEER_REVENUE_TRUSTED_HOSTS" in capsys.readouterr().err) == is_said
