"""The same answers in the same order, by this process, by others, and by a Dask cluster of two workers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from nlp.executors import WorkersLost, cluster, processes
from nlp.lexicon import load_lexicon
from nlp.process import Answers, Here, Highlighting, Place, Recipe, answered
from nlp.records import Refusal

ROOT = Path(__file__).parents[2]
SEEDS = ROOT / "seeds"
RECIPE = Highlighting(load_lexicon(SEEDS / "lexicon.toml"))


def lines() -> list[bytes]:
    """Some 2,000 lines, with some that cannot be used among them."""
    texts = ["We study federated learning.", "A large language model (LLM) for $x$.", "LLMs diffuse. " * 40]
    made: list[bytes] = []
    for number in range(2_000):
        record = {"id": str(number), "title": "T", "abstract": texts[number % 3]}
        made.append(json.dumps(record).encode() + b"\n")
    for number in (0, 500, 501, 1999):
        made[number] = b"{broken\n"
    made[700] = b"\n"
    return made


def answers(place: Place, recipe: Recipe = RECIPE) -> list[str | Refusal]:
    return list(answered(lines(), recipe, place, "standard input"))


@pytest.fixture(scope="module")
def alone() -> list[str | Refusal]:
    return answers(Here())


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def scheduler() -> Iterator[str]:
    """The address of a scheduler on this machine, without a dashboard."""
    arguments = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
    with running("distributed.cli.dask_scheduler", *arguments) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"Scheduler at:\s+(tcp://\S+)", line):
                yield found[1]
                return
        raise AssertionError("the scheduler ended before it said its address")


@contextmanager
def worker(address: str) -> Iterator[subprocess.Popen[str]]:
    arguments = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
    with running("distributed.cli.dask_worker", address, *arguments) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Registered to" in line:
                yield process
                return
        raise AssertionError("the worker ended before it had registered")


@pytest.fixture(scope="module")
def two_workers() -> Iterator[str]:
    """A Dask cluster as it runs on many machines: a scheduler and two workers, each a process of its own."""
    with scheduler() as address, worker(address), worker(address):
        yield address


def test_processes_answer_the_same_in_the_same_order(alone: list[str | Refusal]) -> None:
    with processes(RECIPE, 2) as place:
        assert answers(place) == alone
    refused = [each.line for each in alone if isinstance(each, Refusal)]
    assert refused == [1, 501, 502, 2000]
    assert len(alone) == 1999


def test_a_cluster_answers_the_same_in_the_same_order(alone: list[str | Refusal], two_workers: str) -> None:
    with cluster(RECIPE, two_workers) as place:
        assert place.ahead == 6
        assert answers(place) == alone


@dataclass(frozen=True, slots=True)
class Killing:
    """Ends the process that answers the record "1000"."""

    lines_at_once: int = 100
    key: str = "killing"

    def prepare(self) -> Answers:
        return lambda records: [_or_die(str(record["id"])) for record in records]


def _or_die(name: str) -> dict[str, str]:
    if name == "1000":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"id": name}


def test_a_process_that_dies_is_told_after_whole_answers_only() -> None:
    with processes(Killing(), 2) as place:
        found = answered(lines(), Killing(), place, "x")
        before = []
        with pytest.raises(WorkersLost, match="A worker process ended before its work was done"):
            before.extend(found)
    ids = [json.loads(each)["id"] for each in before if isinstance(each, str)]
    assert ids == [str(number) for number in range(1000) if number not in (0, 500, 501, 700)][: len(ids)]


def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from nlp.executors import processes\n"
        "from nlp.process import answered\n"
        "from tests.nlp.test_executors import Naming, endless\n"
        "if __name__ == '__main__':\n"
        "    with processes(Naming(), 2) as place:\n"
        "        for each in answered(endless(), Naming(), place, 'x'): print(each, flush=True)\n"
    )
    script = tmp_path / "started.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        workers = {json.loads(process.stdout.readline())["id"] for _ in range(40)}
        process.kill()
    until = time.monotonic() + 30
    while any(_is_alive(int(each)) for each in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_is_alive(int(each)) for each in workers)


def _is_alive(process_id: int) -> bool:
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # one that ended and that nobody has waited for


@dataclass(frozen=True, slots=True)
class Naming:
    """Answers with the number of the process."""

    lines_at_once: int = 1
    key: str = "naming"

    def prepare(self) -> Answers:
        return lambda records: [{"id": str(os.getpid())} for _ in records]


def endless() -> Iterator[str]:
    while True:
        yield '{"id": "1", "abstract": "a"}'


def test_where_no_cluster_is_the_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlp.executors.CONNECTING", 0.5)
    for address in ("tcp://127.0.0.1:9", "nowhere://x"):
        with pytest.raises(WorkersLost, match=f"No cluster answers at {address}: "), cluster(RECIPE, address):
            pass


def test_a_cluster_without_workers_says_how_to_start_some() -> None:
    with (
        scheduler() as address,
        pytest.raises(WorkersLost, match=f"has no workers. Start some: dask worker {address}"),
        cluster(RECIPE, address),
    ):
        pass


def test_a_cluster_that_loses_its_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlp.executors.LOOKING", 0.2)
    monkeypatch.setattr("nlp.executors.PATIENCE", 1.0)
    with scheduler() as address, worker(address) as one, cluster(Naming(), address) as place:
        found = answered(endless(), Naming(), place, "x")
        next(found)
        one.kill()
        with pytest.raises(WorkersLost, match="The cluster "):
            list(found)
