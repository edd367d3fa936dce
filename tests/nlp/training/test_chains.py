"""Fitting: the gradient is the loss's, what is separable is learnt, and the same again gives the same."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from nlp.chain import best_labels, scores_of
from nlp.training.chains import Labelled, Settings, _Objective, fit


def texts(weights: tuple[float, ...] = (1.0, 1.0, 0.5, 1.0)) -> Labelled:
    """Four texts in which a token's label is told by its first feature and the label before."""
    lengths = (3, 4, 2, 5)
    generator = np.random.default_rng(5)
    features = generator.integers(0, 6, size=(sum(lengths), 2)).astype(np.int32)
    return Labelled(features, features[:, 0].astype(np.int64) % 3, lengths, weights)


SETTINGS = Settings(bits=3, steps=40, stiffness=0.1, moves=np.zeros((3, 3)))


def test_the_gradient_is_that_of_the_loss() -> None:
    objective = _Objective(texts(), SETTINGS)
    point = np.random.default_rng(1).normal(size=objective.size)
    numeric = approx_fprime(point, lambda at: objective(at)[0], 1e-6)
    assert np.allclose(objective(point)[1], numeric, atol=1e-3)


def test_what_features_tell_is_learnt() -> None:
    given = texts()
    chain = fit(given, SETTINGS)
    labels = best_labels(scores_of(given.features, chain), given.lengths, chain)
    assert np.array_equal(labels, given.labels)


def test_each_step_is_told_and_the_same_again_gives_the_same() -> None:
    steps: list[int] = []
    one = fit(texts(), SETTINGS, lambda: steps.append(1))
    assert 0 < len(steps) <= SETTINGS.steps
    assert np.array_equal(one.weights, fit(texts(), SETTINGS).weights)


def test_a_text_of_weight_two_is_as_good_as_two() -> None:
    given = texts((1.0, 1.0, 1.0, 2.0))
    begin = sum(given.lengths[:3])
    twice = Labelled(
        np.concatenate([given.features, given.features[begin:]]),
        np.concatenate([given.labels, given.labels[begin:]]),
        (*given.lengths, given.lengths[3]),
        (1.0,) * 5,
    )
    one, other = _Objective(given, SETTINGS), _Objective(twice, SETTINGS)
    point = np.random.default_rng(2).normal(size=one.size)
    assert one(point)[0] == pytest.approx(other(point)[0])


def test_a_feature_that_stands_once_has_no_weight() -> None:
    features = np.array([[1], [1], [2]], np.int32)
    chain = fit(Labelled(features, np.array([0, 0, 1]), (3,), (1.0,)), SETTINGS)
    assert np.abs(chain.weights[1]).max() > 0
    assert np.abs(chain.weights[2]).max() == 0
