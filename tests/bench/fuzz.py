"""Hostile input for a while, through typesetting and parsers: python -m tests.bench.fuzz --minutes 10

Inputs are drawn by hypothesis: a few marks over and over up to 50 kB, real texts and files with damage done
to them, short tangles. No exception may come but the named ones, and no step may take longer than 0.2 s of
processor time, the best of three. What fails is printed as an expression that makes it again (--again
EXPRESSION). Ends by the clock, with status 1 if anything failed; an input that takes a minute ends it at once
and stands in the file that is named first.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase

from tests.bench.abstracts import CORPUS, abstracts
from tests.bench.fuzz_cases import PIECES, Case, damaged, repeated
from tests.bench.fuzz_samples import sample
from tests.bench.fuzz_targets import Target, Timed, targets
from tests.bench.sample import sample as hard_abstracts

CURRENT = Path(tempfile.gettempdir()) / f"fuzz-input-{os.getpid()}.txt"  # should it never come back
STUCK = 60  # seconds
SLOW = 0.2  # seconds of one step
TURN = 5.0  # seconds before it is the next target's turn
ROUND = 50  # inputs of one round of hypothesis
ABSTRACTS = 400

_SETTINGS = hypothesis.settings(
    database=None,
    deadline=None,
    max_examples=ROUND,
    phases=[Phase.generate, Phase.target],
    suppress_health_check=list(HealthCheck),
)


@dataclass(slots=True)
class Tally:
    """What became of one target."""

    inputs: int = 0
    characters: int = 0
    slowest: tuple[float, str, str] = (0.0, "", "")  # seconds, step, input
    failures: dict[str, str] = field(default_factory=dict)  # what went wrong: the first input that did it


def run_once(target: Target, case: Case, tally: Tally) -> float:
    """One input; the seconds of its slowest step. What goes wrong is kept in ``tally``, once a kind."""
    CURRENT.write_text(case.made, encoding="utf-8")
    faulthandler.dump_traceback_later(STUCK, exit=True)
    tally.inputs += 1
    tally.characters += len(case.text)
    try:
        step, seconds = _slowest(target.run(case.text))
        for _ in range(2):
            if seconds > SLOW:  # a busy machine is slow, not wrong
                again = _slowest(target.run(case.text))
                step, seconds = min((step, seconds), again, key=lambda pair: pair[1])
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        tally.failures.setdefault(where, f"{where}: {str(error)[:120]!a}\n      {case.made}")
        return 0.0
    if seconds > tally.slowest[0]:
        tally.slowest = (seconds, step, case.made)
    if seconds > SLOW:
        tally.failures.setdefault(f"{step} is slow", f"{step} took {seconds:.2f} s\n      {case.made}")
    return seconds


def fuzz(target: Target, tally: Tally, end: float, seed: int) -> None:
    """One round of inputs for a target, cut off at ``end`` on the monotonic clock."""

    @hypothesis.seed(seed)
    @_SETTINGS
    @hypothesis.given(target.inputs)
    def one(case: Case) -> None:
        if time.monotonic() < end:
            hypothesis.target(run_once(target, case, tally))

    one()


def sweep(target: Target, tally: Tally, end: float) -> None:
    """Every piece over and over, by itself and closed again; what nobody should have to be lucky to draw."""
    for piece in PIECES:
        for tail in ("", "}"):
            if time.monotonic() < end:
                made = f"repeated([{piece!a}], {tail!a})"
                run_once(target, Case(made, repeated([piece], tail)), tally)


def show(tallies: dict[str, Tally]) -> None:
    print(f"{'target':22} {'inputs':>8} {'MB':>7} {'failed':>7} {'slowest':>9}  step")
    for name, tally in tallies.items():
        seconds, step, _ = tally.slowest
        megabytes = tally.characters / 1e6
        print(f"{name:22} {tally.inputs:8,} {megabytes:7.1f} {len(tally.failures):7} {seconds:8.3f}s  {step}")
    print("\nthe slowest input of each:")
    for name, tally in tallies.items():
        print(f"  {name}: {tally.slowest[2][:300]}")
    for name, tally in tallies.items():
        for failure in tally.failures.values():
            print(f"\nFAILED {name}: {failure}")


def make(expression: str) -> str:
    """The input that a printed expression stands for."""
    known = {"repeated": repeated, "damaged": damaged, "sample": sample, "abstract": _abstract, "hard": _hard}
    text: str = eval(expression, {"__builtins__": {}}, known)
    return text


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only targets with this in their name")
    parser.add_argument("--again", help="run one printed expression through the targets, and end")
    given = parser.parse_args()
    print(f"the input at work stands in {CURRENT}", flush=True)
    end = time.monotonic() + 60 * given.minutes
    named = [(f"hard({number})", source) for number, (_, source) in enumerate(hard_abstracts())]
    if CORPUS.exists():
        named += [(f"abstract({number})", _abstract(number)) for number in range(ABSTRACTS)]
    chosen = [each for each in targets(named) if given.only in each.name]
    tallies = {each.name: Tally() for each in chosen}
    if given.again:
        for target in chosen:
            run_once(target, Case(given.again, make(given.again)), tallies[target.name])
    else:
        _until(end, chosen, tallies, given.seed)
    faulthandler.cancel_dump_traceback_later()
    CURRENT.unlink(missing_ok=True)
    show(tallies)
    sys.exit(any(tally.failures for tally in tallies.values()))


def _until(end: float, chosen: list[Target], tallies: dict[str, Tally], seed: int) -> None:
    for target in chosen:
        sweep(target, tallies[target.name], end)
    while time.monotonic() < end:
        for target in chosen:
            turn = min(end, time.monotonic() + TURN)
            while time.monotonic() < turn:
                seed += 1
                fuzz(target, tallies[target.name], turn, seed)


@cache
def _real() -> list[str]:
    return [source for _, source in abstracts(CORPUS)]


def _abstract(number: int) -> str:
    return _real()[number]


def _hard(number: int) -> str:
    return hard_abstracts()[number][1]


def _slowest(steps: Timed) -> tuple[str, float]:
    return max(steps, key=lambda pair: pair[1])


if __name__ == "__main__":
    main()
