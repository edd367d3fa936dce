"""How fast terms are extracted, beside others: python -m tests.bench.extraction [--rounds 3]

In processor time of all threads, from strings to ranked terms; typesetting is ours alone and counts. All take
turns over the same few abstracts, so that a busy machine is unfair to none, and of several rounds the best
turn counts. The peak memory is that of a process of its own which extracts the same abstracts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nlp.extract import extract_many
from nlp.pipeline import load_language
from nlp.ranker import load_ranker
from nlp.training.annotated import rows_of
from nlp.training.ranking import papers_of
from tests.bench.abstracts import CORPUS
from tests.bench.keyphrase_peers import PEERS

TURN = 64
BESIDE = ("YAKE", "POS runs, TF-IDF", "pytextrank", "RAKE")
OURS = "extract_many"

Row = tuple[str, str]


def rows(count: int) -> list[Row]:
    """(title, abstract) of so many papers, from all over the corpus."""
    found = [(row["title"], row["abstract"]) for _, row in rows_of(CORPUS)]
    return found[:: max(1, len(found) // count)][:count]


def ours() -> Callable[[Sequence[Row]], int]:
    """Extracts terms from some papers and says how many."""
    language, ranker = load_language(), load_ranker()
    return lambda papers: sum(map(len, extract_many(language, ranker, papers_of(papers))))


def peer(name: str, papers: Sequence[Row]) -> Callable[[Sequence[Row]], int]:
    """The same by a peer."""
    find = PEERS[name]([f"{title}. {abstract}" for title, abstract in papers])
    return lambda some: sum(len(find(f"{title}. {abstract}")) for title, abstract in some)


def peak_mb(count: int) -> float:
    """The most memory that a process has which extracts from so many papers."""
    command = [sys.executable, "-m", "tests.bench.extraction", "--child", "--abstracts", str(count)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def child(count: int) -> None:
    """Extracts, and prints the peak in MB of this process alone; `getrusage` counts its parent as well."""
    ours()(rows(count))
    status = Path("/proc/self/status").read_text("ascii")
    print(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024)


def measure(papers: Sequence[Row], rounds: int) -> dict[str, float]:
    """Abstracts a second of each."""
    runners = {OURS: ours()}
    for name in BESIDE:
        try:
            runners[name] = peer(name, papers)
        except ImportError as error:
            print(f"{name} is left out: {error}; pip install -e '.[bench]' brings it")
    turns = [papers[at : at + TURN] for at in range(0, len(papers), TURN)]
    best = {name: [float("inf")] * len(turns) for name in runners}
    for _ in range(rounds):
        for number, turn in enumerate(turns):
            for name, run in runners.items():
                began = time.process_time()
                run(turn)
                best[name][number] = min(best[name][number], time.process_time() - began)
    return {name: len(papers) / sum(times) for name, times in best.items()}


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--abstracts", type=int, default=320)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.abstracts)
        return
    papers = rows(given.abstracts)
    speeds = measure(papers, given.rounds)
    print(f"{len(papers)} abstracts, the best of {given.rounds} rounds; ratio of ours to each")
    for name, speed in speeds.items():
        ratio = "" if name == OURS else f"{speeds[OURS] / speed:8.2f}"
        print(f"{name:20}{speed:10,.0f} abstracts/s{ratio}")
    print(f"peak memory {peak_mb(given.abstracts):,.0f} MB")


if __name__ == "__main__":
    main()
