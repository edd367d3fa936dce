"""Two workers against one: python -m tests.bench.workers [--papers N] [--workers N]

`terms extract` and `highlight` on abstracts of the corpus: in this process, in one worker process and in
several, by turns. The time is from when every worker has its model, which some chunks before see to, until
the last answer. "Efficiency" is what a paper takes of all processors with one worker, over what it takes
there: where other programs want the same processors, only that says what the way to the workers costs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from nlp.executors import processes
from nlp.extracting import Extracting
from nlp.lexicon import load_lexicon
from nlp.process import Here, Highlighting, Place, Recipe, answered
from tests.bench.abstracts import abstracts
from tests.bench.lexicons import SEEDS

TURNS = 3


class Cost(NamedTuple):
    """Seconds by the clock, and of all processors that this process and its workers had."""

    clock: float
    processor: float


def cost_of(place: Place, recipe: Recipe, lines: Sequence[str], workers: Sequence[int]) -> Cost:
    """What it costs to answer the lines."""
    clock, processor = time.perf_counter(), _processor(workers)
    count = sum(1 for _ in answered(lines, recipe, place, "the corpus"))
    assert count == len(lines)
    return Cost(time.perf_counter() - clock, _processor(workers) - processor)


def _processor(workers: Sequence[int]) -> float:
    return time.process_time() + sum(map(_seconds_of, workers))


def _seconds_of(process_id: int) -> float:
    with open(f"/proc/{process_id}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def by_workers(recipe: Recipe, lines: Sequence[str], count: int) -> Cost:
    """The same by so many worker processes."""
    with processes(recipe, count) as place:
        first = lines[: recipe.lines_at_once * count * 4]
        sum(1 for _ in answered(first, recipe, place, "the corpus"))
        workers = [process.pid for process in multiprocessing.active_children() if process.pid]
        return cost_of(place, recipe, lines, workers)


def measure(name: str, recipe: Recipe, lines: Sequence[str], count: int) -> None:
    """Print what the places cost."""
    sum(1 for _ in answered(lines[:100], recipe, Here(), "the corpus"))
    here, one, several = [], [], []
    for _ in range(TURNS):
        here.append(cost_of(Here(), recipe, lines, ()))
        one.append(by_workers(recipe, lines, 1))
        several.append(by_workers(recipe, lines, count))
    heads = (name, "papers/s", "times one", "CPU ms", "efficiency")
    print(f"{heads[0]:<16}" + " ".join(f"{head:>11}" for head in heads[1:]))
    alone = _middle(one)
    for place, costs in (("this process", here), ("1 worker", one), (f"{count} workers", several)):
        cost = _middle(costs)
        print(
            f"{place:<16}{len(lines) / cost.clock:11,.0f} {alone.clock / cost.clock:11.2f} "
            f"{cost.processor / len(lines) * 1000:11.3f} {alone.processor / cost.processor:11.2f}",
            flush=True,
        )


def _middle(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.clock for cost in costs), statistics.median(cost.processor for cost in costs)
    )


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    told = "how many are extracted; five times as many are highlighted"
    parser.add_argument("--papers", type=int, default=3_000, help=told)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    texts = abstracts()
    lines = [
        json.dumps({"id": f"{number}", "title": "", "abstract": texts[number % len(texts)][1]})
        for number in range(5 * chosen.papers)
    ]
    measure("terms extract", Extracting(), lines[: chosen.papers], chosen.workers)
    measure("highlight", Highlighting(load_lexicon(SEEDS / "lexicon.toml")), lines, chosen.workers)


if __name__ == "__main__":
    main()
