"""F1 at 10 beside other extractors: python -m tests.bench.keyphrases [--train-per-set] [--sets NAME,...]

By the functions of the project's scorer, on public sets of texts with the phrases that readers chose. The
shipped model has learnt from none of them. With `--train-per-set` a chain of spans and trees are trained on
each set's own training split instead, as a user would for their own guide; nothing of that is shipped.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from nlp.candidates import Candidates
from nlp.extract import ranked
from nlp.pipeline import load_language
from nlp.ranker import load_ranker
from nlp.termhood import features
from nlp.training.annotated import rows_of
from nlp.training.keyphrases import Keyphrases, read_keyphrases
from nlp.training.ranker import example_of, lesson_of, train_trees
from nlp.training.ranking import chain_of, papers_of, read_all, read_by_chain
from tests.bench.keyphrase_peers import PEERS

SHARED = Path(__file__).parents[3] / "shared"
SETS = ("inspec_dev", "semeval2017_dev", "scierc_dev", "semeval2010_train")
SPLITS = {
    "inspec_dev": "inspec_train", "semeval2017_dev": "semeval2017_train", "scierc_dev": "scierc_train",
}  # fmt: skip
AT = 10
STEPS = 50  # of the chain of each set
PARTS = 3  # of its training split, each read by a chain that learnt from the others


def scorer() -> ModuleType:
    """The project's scorer, from the shared folder."""
    path = SHARED / "bench" / "score_keyphrases.py"
    spec = importlib.util.spec_from_file_location("score_keyphrases", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Judge:
    """The chosen phrases of one set, and how well lists of terms meet them."""

    def __init__(self, name: str, normal: Callable[..., str]) -> None:
        rows = [row for _, row in rows_of(file_of(name))]
        self._normal = normal
        self._gold = [
            {normal(phrase, row.get("gold_is_stemmed", False)) for phrase in row["gold"]} - {""}
            for row in rows
        ]

    def f1(self, lists: Iterable[Sequence[str]]) -> float:
        """F1 at 10 over all texts together, in percent."""
        hits = guesses = wanted = 0
        for gold, terms in zip(self._gold, lists, strict=True):
            best = list(dict.fromkeys(filter(None, map(self._normal, terms))))[:AT]
            hits += len(gold & set(best))
            guesses += len(best)
            wanted += len(gold)
        return 200 * hits / (guesses + wanted)


def file_of(name: str) -> Path:
    """Where a set stands."""
    return SHARED / "data" / "terms" / f"{name}.jsonl.gz"


def papers_in(texts: Sequence[Keyphrases]) -> list[tuple[str, str]]:
    """(title, abstract) of each text."""
    return [(text.title, text.abstract) for text in texts]


def shipped(texts: Sequence[Keyphrases]) -> list[list[str]]:
    """What the shipped model finds in each text."""
    language, ranker = load_language(), load_ranker()
    found = read_all(language, papers_of(papers_in(texts)))
    return [[term.text for term in ranked(ranker, candidates)] for candidates in found]


def trained_on(split: Sequence[Keyphrases], texts: Sequence[Keyphrases]) -> list[list[str]]:
    """What a model finds whose spans and order were learnt from another split of the same set."""
    language, frequencies = load_language(), load_ranker().frequencies
    lessons = []
    for part in range(PARTS):
        seen = [text.annotated() for number, text in enumerate(split) if number % PARTS != part]
        unseen = [text for number, text in enumerate(split) if number % PARTS == part]
        found = read_by_chain(language, chain_of(language, seen, STEPS), papers_of(papers_in(unseen)))
        for text, candidates in zip(unseen, found, strict=True):
            lessons.append(lesson_of(example_of(candidates, text.phrases, is_abstract=False), frequencies))
    trees = train_trees(*(np.concatenate(columns) for columns in zip(*lessons, strict=True)), seed=0)
    chain = chain_of(language, [text.annotated() for text in split], STEPS)

    def best(candidates: Candidates) -> list[str]:
        order = np.argsort(-trees.sums(features(candidates, frequencies)), kind="stable")
        return [candidates.values[number].text for number in order.tolist()]

    return [best(candidates) for candidates in read_by_chain(language, chain, papers_of(papers_in(texts)))]


def peer_lists(name: str, texts: Sequence[Keyphrases]) -> list[list[str]]:
    """What a peer finds in each text: title + ". " + abstract."""
    shown = [f"{text.title}. {text.abstract}" if text.title else text.abstract for text in texts]
    find = PEERS[name](shown)
    return [find(text) for text in shown]


def compare(names: Sequence[str], normal: Callable[..., str], without: Sequence[str]) -> None:
    """Prints a row for the shipped model and for each peer, and by how much it is above the best of them."""
    sets = {name: (read_keyphrases(file_of(name)), Judge(name, normal)) for name in names}
    print(f"{'F1 at 10':24}" + "".join(f"{name:>20}" for name in names), flush=True)
    ours = [judge.f1(shipped(texts)) for texts, judge in sets.values()]
    print(f"{'shipped model':24}" + "".join(f"{each:20.1f}" for each in ours), flush=True)
    best = [0.0] * len(names)
    for peer in PEERS:
        if peer in without:
            print(f"{peer:24}was not run: left out by --without", flush=True)
            continue
        try:
            figures = [judge.f1(peer_lists(peer, texts)) for texts, judge in sets.values()]
        except ImportError as error:
            print(f"{peer:24}was not run: {error.name} is not installed", flush=True)
            continue
        best = [max(pair) for pair in zip(best, figures, strict=True)]
        print(f"{peer:24}" + "".join(f"{each:20.1f}" for each in figures), flush=True)
    above = [mine - peer for mine, peer in zip(ours, best, strict=True)]
    print(f"{'above the best of them':24}" + "".join(f"{each:+20.1f}" for each in above))


def per_set(names: Sequence[str], normal: Callable[..., str]) -> None:
    """Prints a row for each set that has a training split."""
    for name in names:
        if name not in SPLITS:
            print(f"{name:20} has no training split")
            continue
        began = time.process_time()
        texts = read_keyphrases(file_of(name))
        found = trained_on(read_keyphrases(file_of(SPLITS[name])), texts)
        figure = Judge(name, normal).f1(found)
        seconds = time.process_time() - began
        print(f"{name:20} trained on {SPLITS[name]:20} F1 at 10 {figure:5.1f}  ({seconds:.0f} s)", flush=True)


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--train-per-set", action="store_true")
    parser.add_argument("--sets", default=",".join(SETS), help="parted by commas")
    parser.add_argument("--without", default="", help="peers that are left out, parted by semicolons")
    given = parser.parse_args()
    normal = scorer().normal
    if given.train_per_set:
        per_set(given.sets.split(","), normal)
    else:
        compare(given.sets.split(","), normal, given.without.split(";"))


if __name__ == "__main__":
    main()
