"""The ranker: which candidates are terms, in order, each with a probability that can be taken at its word."""

from __future__ import annotations

import hashlib
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

SHIPPED = Path(__file__).parent / "model"
OWN_WEIGHT = 0.1  # of our guide in the order, against 1 of the other
FOLDER = "ranker"  # in the folder of the pipeline that it was trained with

Floats = NDArray[np.float64]


class NoRanker(NlpError):
    """A folder holds no ranker of ours; the message names it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """From a sum of trees to a probability: straight lines between points, level beyond; it never falls."""

    sums: Floats
    shares: Floats

    def __call__(self, sums: Floats) -> Floats:
        """The probability of each sum, 0 to 1."""
        return np.interp(sums, self.sums, self.shares)


@dataclass(frozen=True, slots=True)
class Ranker:
    """``trees`` know our guide to what a term is, ``wide`` know another one, which takes more phrases."""

    trees: Trees
    wide: Trees
    calibration: Calibration
    frequencies: Frequencies

    def rank(self, candidates: Candidates) -> Iterator[tuple[Candidate, float]]:
        """Each candidate with its score, best first by both guides together."""
        rows = features(candidates, self.frequencies)
        own = self.trees.sums(rows)
        scores = self.calibration(own)
        order = np.argsort(-(OWN_WEIGHT * own + self.wide.sums(rows)), kind="stable")
        for number in order.tolist():
            yield candidates.values[number], float(scores[number])


def write_ranker(model: Path, ranker: Ranker) -> None:
    """Puts the ranker into the folder of its pipeline. The same ranker gives the same bytes."""
    folder = model / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    write_trees(folder / "trees.npz", ranker.trees)
    write_trees(folder / "wide.npz", ranker.wide)
    write_frequencies(folder / "frequencies.npz", ranker.frequencies)
    points = {"sums": ranker.calibration.sums.tolist(), "shares": ranker.calibration.shares.tolist()}
    described = {"pipeline": pipeline_hash(model), "features": FEATURES, "calibration": points}
    text = json.dumps(described, indent=1)
    (folder / "ranker.json").write_text(text + "\n", "utf-8", newline="\n")


def pipeline_hash(model: Path) -> str:
    """Of the weights that a ranker is trained with: with others its scores mean something else."""
    files = [path for path in sorted(model.glob("*/*.npz")) if path.parent.name != FOLDER]
    return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)).hexdigest()


def load_ranker(model: Path = SHIPPED) -> Ranker:
    """The ranker in the folder of its pipeline. Raises NoRanker: none there, or with other features."""
    folder = model / FOLDER
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
