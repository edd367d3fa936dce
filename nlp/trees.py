"""Boosted decision trees, evaluated for many rows at once without walking a single one.

The method is that of C. Lucchese and others, "QuickScorer" (SIGIR 2015): a node whose test fails rules out
the leaves on its left; what all failing nodes leave over, as bits of a number, has the tree's leaf as its
lowest bit. Here the nodes of a feature are gathered by the interval between thresholds that a value falls
into, so that one look-up serves all trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_LEAVES = 16


@dataclass(frozen=True, slots=True)
class Node:
    """A row goes left where its feature is at most the threshold; leaves [first, middle) are on the left."""

    tree: int
    feature: int
    threshold: float
    first: int
    middle: int


class Trees:
    """Trees whose leaves' values are added up. ``leaves`` is (trees, 16); leaves count from the left."""

    def __init__(self, nodes: Sequence[Node], leaves: Floats, feature_count: int) -> None:
        if leaves.shape[1] != MOST_LEAVES:
            raise ValueError(f"trees have {MOST_LEAVES} leaves, not {leaves.shape[1]}")
        self.nodes, self.leaves, self.feature_count = tuple(nodes), leaves, feature_count
        self._tests = [_tests(self.nodes, feature, len(leaves)) for feature in range(feature_count)]
        self._flat = leaves.ravel()
        self._base = np.arange(len(leaves)) * MOST_LEAVES

    def sums(self, rows: Floats) -> Floats:
        """The sum of the leaves that each row (a number for each feature, none of them NaN) comes to."""
        left = np.full((len(rows), len(self.leaves)), 0xFFFF, np.uint16)
        columns = np.ascontiguousarray(rows.T)  # each is looked through as a whole
        for column, (thresholds, masks) in zip(columns, self._tests, strict=True):
            if len(thresholds):
                interval = np.searchsorted(thresholds, column, side="left")
                same = len(interval) > 0 and bool((interval == interval[0]).all())
                left &= masks[interval[0]] if same else masks[interval]
        lowest = np.bitwise_count((left & (~left + np.uint16(1))) - np.uint16(1))
        total: Floats = self._flat[lowest + self._base].sum(1)
        return total


def _tests(nodes: Sequence[Node], feature: int, tree_count: int) -> tuple[Floats, NDArray[np.uint16]]:
    """(thresholds in order, for each interval between them the leaves that each tree may still come to)."""
    own = sorted((node for node in nodes if node.feature == feature), key=lambda node: node.threshold)
    thresholds = np.array(sorted({node.threshold for node in own}))
    masks = np.full((len(thresholds) + 1, tree_count), 0xFFFF, np.uint16)
    for node in own:
        failing = int(np.searchsorted(thresholds, node.threshold)) + 1
        ruled_out = (1 << node.middle) - (1 << node.first)
        masks[failing:, node.tree] &= np.uint16(0xFFFF ^ ruled_out)
    return thresholds, masks


def write_trees(path: Path, trees: Trees) -> None:
    """The same trees give the same bytes."""
    nodes = trees.nodes
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            tree=np.array([node.tree for node in nodes], np.int16),
            feature=np.array([node.feature for node in nodes], np.int16),
            threshold=np.array([node.threshold for node in nodes], np.float64),
            leaves_on_left=np.array([(node.first, node.middle) for node in nodes], np.uint8).reshape(-1, 2),
            values=trees.leaves,
            feature_count=np.array(trees.feature_count),
        )


def read_trees(path: Path) -> Trees:
    """Raises FileNotFoundError, and ValueError for a file that holds no trees."""
    try:
        with np.load(path, allow_pickle=False) as data:
            columns = [data[name].tolist() for name in ("tree", "feature", "threshold")]
            left = data["leaves_on_left"].tolist()
            nodes = [Node(*row, *ends) for *row, ends in zip(*columns, left, strict=True)]
            return Trees(nodes, data["values"], int(data["feature_count"]))
    except (KeyError, EOFError, TypeError) as error:
        raise ValueError(f"{path}: holds no trees: {error}") from error
