"""The ranker: which candidates are terms, in order, each with a probability that can be taken at its word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlp.candidates import Candidate, Candidates
from nlp.errors import NlpError
from nlp.frequencies import Frequencies, read_frequencies, write_frequencies
from nlp.termhood import FEATURES, features
from nlp.trees import Trees, read_trees, write_trees

SHIPPED = Path(__file__).parent / "model" / "ranker"

Floats = NDArray[np.float64]


class NoRanker(NlpError):
    """A folder holds no ranker of ours; the message names it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """From the sum of the trees to a probability: straight lines between points, level beyond them; it never falls."""

    sums: Floats
    shares: Floats

    def __call__(self, sums: Floats) -> Floats:
        """The probability of each sum, 0 to 1."""
        return np.interp(sums, self.sums, self.shares)


@dataclass(frozen=True, slots=True)
class Ranker:
    """``trees`` say what a careful reader marks; ``wide`` say what some reader of some guide would."""

    trees: Trees
    wide: Trees
    calibration: Calibration
    frequencies: Frequencies

    def rank(self, candidates: Candidates) -> Iterator[tuple[Candidate, float]]:
        """Each candidate with its score, best first."""
        rows = features(candidates, self.frequencies)
        scores = self.calibration(self.trees.sums(rows))
        order = np.lexsort((-self.wide.sums(rows), -scores))
        for number in order.tolist():
            yield candidates.values[number], float(scores[number])


def write_ranker(folder: Path, ranker: Ranker) -> None:
    """The same ranker gives the same bytes. The folder is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    write_trees(folder / "trees.npz", ranker.trees)
    write_trees(folder / "wide.npz", ranker.wide)
    write_frequencies(folder / "frequencies.npz", ranker.frequencies)
    points = {"sums": ranker.calibration.sums.tolist(), "shares": ranker.calibration.shares.tolist()}
    text = json.dumps({"features": FEATURES, "calibration": points}, indent=1)
    (folder / "ranker.json").write_text(text + "\n", "utf-8", newline="\n")


def load_ranker(folder: Path = SHIPPED) -> Ranker:
    """The trained ranker of this folder. Raises NoRanker where there is none, or one with other features."""
    try:
        described = json.loads((folder / "ranker.json").read_text("utf-8"))
        if tuple(described["features"]) != FEATURES:
            raise NoRanker(f"{folder}: the ranker there was trained on other features; train it anew")
        points = described["calibration"]
        return Ranker(
            read_trees(folder / "trees.npz"),
            read_trees(folder / "wide.npz"),
            Calibration(np.array(points["sums"]), np.array(points["shares"])),
            read_frequencies(folder / "frequencies.npz"),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoRanker(f"{folder}: holds no ranker: {error}") from error
