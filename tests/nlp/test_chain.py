"""The chain against every labelling written out."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.chain import Chain, Floats, beliefs_of, best_labels, scores_of
from nlp.chain_files import as_written, read_chain, write_chain


def drawn(seed: int, labels: int, lengths: list[int]) -> tuple[Chain, Floats]:
    generator = np.random.default_rng(seed)
    moves, first, last = generator.normal(size=(labels, labels)), *generator.normal(size=(2, labels))
    chain = Chain(np.zeros((1, labels), np.float32), moves, first, last)
    return chain, generator.normal(0, 2, size=(sum(lengths), labels))


def every_labelling(chain: Chain, scores: Floats) -> dict[tuple[int, ...], float]:
    """The score of each."""
    return {
        path: chain.first[path[0]] + chain.last[path[-1]]
        + sum(scores[at, label] for at, label in enumerate(path))
        + sum(chain.moves[pair] for pair in itertools.pairwise(path))
        for path in itertools.product(range(scores.shape[1]), repeat=len(scores))
    }  # fmt: skip


LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=4)


@given(st.integers(0, 10_000), st.integers(2, 3), LENGTHS)
def test_best_labels_are_the_best_of_all(seed: int, labels: int, lengths: list[int]) -> None:
    chain, scores = drawn(seed, labels, lengths)
    parts = np.split(scores, np.cumsum(lengths)[:-1])
    best = [max((each := every_labelling(chain, part)), key=each.__getitem__) for part in parts]
    assert best_labels(scores, lengths, chain).tolist() == list(itertools.chain(*best))


@given(st.integers(0, 10_000), st.integers(2, 3), LENGTHS)
def test_beliefs_are_the_sums_over_all(seed: int, labels: int, lengths: list[int]) -> None:
    chain, scores = drawn(seed, labels, lengths)
    beliefs = beliefs_of(scores, lengths, chain)
    likely, moves, log_total = np.zeros_like(scores), np.zeros((labels, labels)), 0.0
    begin = 0
    for length in lengths:
        every = every_labelling(chain, scores[begin : begin + length])
        weights = {path: np.exp(score) for path, score in every.items()}
        total = sum(weights.values())
        log_total += np.log(total)
        for path, weight in weights.items():
            likely[np.arange(begin, begin + length), path] += weight / total
            for pair in itertools.pairwise(path):
                moves[pair] += weight / total
        begin += length
    assert np.allclose(beliefs.forward * beliefs.backward, likely)
    assert np.allclose(beliefs.moves, moves)
    assert beliefs.log_total == pytest.approx(log_total)


def test_scores_of_extreme_size_give_no_infinity() -> None:
    chain, scores = drawn(1, 3, [400])
    beliefs = beliefs_of(scores * 500, [400], chain)
    assert np.allclose((beliefs.forward * beliefs.backward).sum(1), 1)


def test_a_token_is_scored_by_the_sum_of_its_features() -> None:
    chain = Chain(np.arange(8, dtype=np.float32).reshape(4, 2), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    assert scores_of(np.array([[0, 3], [1, 1]], np.int32), chain).tolist() == [[6, 8], [4, 6]]


def test_no_text_at_all_has_no_labels() -> None:
    chain, _ = drawn(1, 2, [1])
    assert best_labels(np.zeros((0, 2)), [], chain).tolist() == []


def test_a_chain_comes_back_from_its_file_as_it_was_measured(tmp_path: Path) -> None:
    rest, _ = drawn(3, 4, [1])
    weights = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    chain = Chain(weights, rest.moves, rest.first, rest.last)
    write_chain(tmp_path / "chain.npz", chain)
    back, measured = read_chain(tmp_path / "chain.npz"), as_written(chain)
    assert np.array_equal(back.weights, measured.weights)
    assert np.array_equal(back.moves, chain.moves)
    assert np.abs(back.weights - chain.weights).max() < np.abs(chain.weights).max() / 200


def test_the_same_chain_gives_the_same_bytes(tmp_path: Path) -> None:
    chain, _ = drawn(3, 4, [1])
    for name in "ab":
        write_chain(tmp_path / name, chain)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "x.npz").open("wb") as file:
        np.savez(file, other=np.zeros(1))
    with pytest.raises(ValueError, match=r"x\.npz: holds no weights"):
        read_chain(tmp_path / "x.npz")
