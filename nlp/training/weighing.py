"""Fitting a weigher of evidence: logistic loss, small weights, several random beginnings (L-BFGS)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from nlp.span_weigher import Floats, Weigher

HIDDEN = 12
NETWORKS = 2
STIFFNESS = 30.0
STEPS = 120


def fit_weigher(evidence: Floats, right: Floats, seed: int) -> Weigher:
    """The weigher that tells the right spans (1.0) from the others (0.0)."""
    mean, spread = evidence.mean(0), evidence.std(0) + 1e-6
    scaled = (evidence - mean) / spread
    networks = [_network(scaled, right, np.random.default_rng((seed, number))) for number in range(NETWORKS)]
    return Weigher(mean, spread, *(np.stack(parts) for parts in zip(*networks, strict=True)))


def _network(scaled: Floats, right: Floats, generator: np.random.Generator) -> list[Floats]:
    size = scaled.shape[1]
    begin = [generator.normal(0, 0.5 / np.sqrt(size), size * HIDDEN), np.zeros(HIDDEN)]
    begin += [generator.normal(0, 0.3, HIDDEN), np.zeros(size), np.zeros(1)]
    borders = np.cumsum([len(part) for part in begin])[:-1]

    def parts(flat: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        inward, bias, outward, straight, level = np.split(flat, borders)
        return inward.reshape(size, HIDDEN), bias, outward, straight, level

    def loss(flat: Floats) -> tuple[float, Floats]:
        inward, bias, outward, straight, level = parts(flat)
        hidden = np.tanh(scaled @ inward + bias)
        score = hidden @ outward + scaled @ straight + level
        surplus = 1 / (1 + np.exp(-score)) - right
        back = surplus[:, None] * outward * (1 - hidden**2)
        gradient = [(scaled.T @ back).ravel(), back.sum(0), hidden.T @ surplus, scaled.T @ surplus]
        gradient.append(np.array([surplus.sum()]))
        penalty = STIFFNESS / 2 * float((flat**2).sum())
        total = float((np.logaddexp(0, score) - right * score).sum()) + penalty
        return total, np.concatenate(gradient) + STIFFNESS * flat

    result = minimize(
        loss, np.concatenate(begin), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    )  # fmt: skip
    return [*parts(result.x)[:4], np.array(result.x[-1])]
