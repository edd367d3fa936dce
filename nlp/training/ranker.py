"""Training the ranker: which candidates a reader marked, and how far its scores mean what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from nlp.candidates import Candidates
from nlp.frequencies import Frequencies
from nlp.normalize import term_key
from nlp.ranker import Calibration, Ranker
from nlp.termhood import FEATURES, features
from nlp.trees import MOST_LEAVES, Floats, Node, Trees

FOLDS = 5
POINTS = 40  # of the calibration
SETTINGS = {
    "objective": "binary", "num_leaves": MOST_LEAVES, "learning_rate": 0.06, "min_data_in_leaf": 30,
    "feature_fraction": 0.6, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 3.0,
    "verbose": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True,
}  # fmt: skip
ROUNDS = 200
WIDE_ROUNDS = 100  # for the order alone; more of them order the training sets no better

Lesson = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Example:
    """A paper's candidates and the term keys that a reader marked in it.

    Where only the abstract was read (``is_abstract``), candidates that stand in the title alone tell nothing.
    """

    candidates: Candidates
    marked: frozenset[str]
    is_abstract: bool = True


def example_of(candidates: Candidates, marked: Iterable[str], is_abstract: bool = True) -> Example:
    """The marked strings as they stand in the text."""
    return Example(candidates, frozenset(filter(None, map(term_key, marked))), is_abstract)


def train_ranker(
    own: Sequence[Example],
    others: Sequence[Example],
    frequencies: Frequencies,
    seed: int,
    step: Callable[[], None] = lambda: None,
) -> Ranker:
    """The ranker from examples of our own guide and of others'.

    The spans in the candidates come from a model that has not seen the example. `step` is called after each
    of the FOLDS + 2 fits. The scores are calibrated on what trees say of papers that they have not seen.
    """
    lessons = [lesson_of(example, frequencies) for example in own]
    unseen = _unseen(lessons, seed, step)
    rows, labels = _joined(lessons)
    trees = train_trees(rows, labels, seed)
    step()
    wide = train_trees(*_joined([lesson_of(example, frequencies) for example in others]), seed, WIDE_ROUNDS)
    step()
    return Ranker(trees, wide, calibrated(unseen, labels), frequencies)


def lesson_of(example: Example, frequencies: Frequencies) -> Lesson:
    """(features, 1 or 0) of every candidate whose being marked or not tells something."""
    values = example.candidates.values
    kept = np.array([bool(value.spans) or not example.is_abstract for value in values], bool)
    labels = np.array([float(value.key in example.marked) for value in values])
    return features(example.candidates, frequencies)[kept], labels[kept]


def _joined(lessons: Sequence[Lesson]) -> Lesson:
    rows, labels = zip(*lessons, strict=True)
    return np.concatenate(rows), np.concatenate(labels)


def calibrated(sums: Floats, labels: Floats) -> Calibration:
    """The never falling curve through the shares of marked candidates among those of like sums."""
    order = np.argsort(sums, kind="stable")
    groups = [group for group in np.array_split(order, POINTS * 4) if len(group)]
    middles = np.array([sums[group].mean() for group in groups])
    weights = np.array([float(len(group)) for group in groups])
    shares = isotonic_regression([labels[group].mean() for group in groups], weights=weights).x
    return Calibration(middles, shares)


def _unseen(lessons: Sequence[Lesson], seed: int, step: Callable[[], None]) -> Floats:
    """For each candidate what trees say that were trained without its paper."""
    sums: list[Floats] = [np.zeros(0)] * len(lessons)
    for fold in range(FOLDS):
        inside = [lesson for number, lesson in enumerate(lessons) if number % FOLDS != fold]
        trees = train_trees(*_joined(inside), seed)
        for number in range(fold, len(lessons), FOLDS):
            sums[number] = trees.sums(lessons[number][0])
        step()
    return np.concatenate(sums)


def train_trees(rows: Floats, labels: Floats, seed: int, rounds: int = ROUNDS) -> Trees:
    """Boosted trees for these rows; the same input, seed and versions give the same trees."""
    import lightgbm  # in the extra `train`; needed to train, never to rank

    data = lightgbm.Dataset(rows, labels)
    model = lightgbm.train({**SETTINGS, "seed": seed}, data, rounds)
    return trees_of(model.dump_model(), len(FEATURES))


def trees_of(dumped: dict[str, Any], feature_count: int) -> Trees:
    """Trees as lightgbm writes them, with their leaves counted from the left."""
    nodes: list[Node] = []
    leaves = np.zeros((len(dumped["tree_info"]), MOST_LEAVES))
    for number, tree in enumerate(dumped["tree_info"]):
        values: list[float] = []
        _walk(tree["tree_structure"], number, values, nodes)
        leaves[number, : len(values)] = values
    return Trees(nodes, leaves, feature_count)


def _walk(node: dict[str, Any], tree: int, values: list[float], nodes: list[Node]) -> None:
    if "leaf_value" in node:
        values.append(float(node["leaf_value"]))
        return
    first = len(values)
    _walk(node["left_child"], tree, values, nodes)
    middle = len(values)
    nodes.append(Node(tree, int(node["split_feature"]), float(node["threshold"]), first, middle))
    _walk(node["right_child"], tree, values, nodes)
