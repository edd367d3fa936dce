"""`highlight` and `terms extract` as processes: alone, with workers, on a cluster, interrupted, cut off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.nlp.test_executors import scheduler, worker
from tests.web.test_cli_processes import COMMAND, ROOT, environment, run

ABSTRACT = "We propose low-rank adaptation (LoRA) of large language models. LoRA needs few parameters."
COMMANDS = (("highlight",), ("terms", "extract"))


def given_lines(count: int = 200) -> str:
    lines = [
        json.dumps({"id": str(number), "title": "Adapters", "abstract": f"{ABSTRACT} No. {number}."})
        for number in range(count)
    ]
    lines[3] = "{broken"
    return "\n".join(lines) + "\n"


def test_terms_are_extracted_best_first_with_their_scores() -> None:
    record = json.dumps({"id": "1", "title": "", "abstract": ABSTRACT})
    done = run("terms", "extract", given=record + "\n{\n")
    (answer,) = map(json.loads, done.stdout.splitlines())
    assert list(answer) == ["id", "terms", "scores"]
    assert len(answer["terms"]) == len(answer["scores"])
    assert set(answer["terms"][:3]) == {"low-rank adaptation", "large language models", "LoRA"}
    assert min(answer["scores"][:3]) > 0.5 > max(answer["scores"][3:])
    assert all(0 <= score <= 1 for score in answer["scores"])
    assert done.stderr.startswith("standard input:2: not JSON")
    assert done.returncode == 1


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        done = run("terms", "extract", "--model", str(tmp_path), "--workers", workers, given=given_lines(5))
        assert (done.returncode, done.stdout) == (1, "")
        assert str(tmp_path) in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_workers_and_a_real_cluster_write_the_same_bytes(command: tuple[str, ...]) -> None:
    alone = run(*command, given=given_lines())
    assert len(alone.stdout.splitlines()) == 199
    assert (alone.returncode, alone.stderr.splitlines()[0][:25]) == (1, "standard input:4: not JSO")
    workers = run(*command, "--workers", "2", given=given_lines())
    with scheduler() as address, worker(address), worker(address):
        cluster = run(*command, "--cluster", address, given=given_lines())
    for other in (workers, cluster):
        assert other.stdout == alone.stdout
        assert (other.stderr, other.returncode) == (alone.stderr, alone.returncode)


def test_one_place_is_chosen_and_a_cluster_that_is_none_is_named() -> None:
    both = run("highlight", "--workers", "2", "--cluster", "tcp://127.0.0.1:9")
    assert both.returncode == 2
    assert "Give --workers or --cluster, not both." in both.stderr
    none = run("highlight", "--cluster", "nowhere://x", given=given_lines(5))
    assert (none.returncode, none.stdout) == (1, "")
    assert none.stderr.startswith("Error: No cluster answers at nowhere://x")


@contextmanager
def many_answered(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`highlight --workers 2` in a session of its own, with more to answer than a pipe holds, once it has
    begun to."""
    path = tmp_path / "papers.jsonl"
    path.write_text(given_lines(5_000))
    with path.open() as lines, subprocess.Popen(
        [*COMMAND, "highlight", "--workers", "2"], stdin=lines, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment(), start_new_session=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_with_workers_it_ends_quietly_with_ctrl_c_and_leaves_no_process(tmp_path: Path) -> None:
    with many_answered(tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        answers = process.stdout.read()  # to its end: no process has it open any more
        assert answers[-1:] in ("", "\n")  # whole lines, if there was time for more than the first
        assert process.wait(60) == 130
        assert "Traceback" not in process.stderr.read()


def test_with_workers_it_ends_as_filters_do_when_nobody_reads_on(tmp_path: Path) -> None:
    with many_answered(tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert "Traceback" not in process.stderr.read()


def test_nothing_of_dask_is_imported_before_a_cluster_is_asked_for() -> None:
    probe = (
        "import sys; from web.cli import main\n"
        "try: main(['highlight', '--workers', '2'])\n"
        "finally: print(*sorted(set(sys.modules) & {'dask', 'distributed', 'spacy', 'numpy'}))"
    )
    code = "if __name__ == '__main__':\n" + "\n".join(f"    {line}" for line in probe.splitlines())
    done = subprocess.run(
        [*COMMAND[:2], code], input="", capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == ""
