"""Priors of topic models by maximum likelihood of the counts: Minka's fixed point."""

from __future__ import annotations

import numpy as np
from scipy.special import psi

__all__ = ["update_asymmetric", "update_symmetric"]

SMALLEST_PRIOR = 1e-6
LARGEST_PRIOR = 1e4


def update_asymmetric(counts: np.ndarray, alpha: np.ndarray, rounds: int = 5) -> np.ndarray:
    r"""A Dirichlet prior under which counts (n, K) are more probable than under ``alpha``, one entry for each topic.

    .. math:: \alpha_k \leftarrow \alpha_k\,\frac{\sum_d \psi(n_{dk}+\alpha_k) - \psi(\alpha_k)}
              {\sum_d \psi(n_d+\alpha_0) - \psi(\alpha_0)}

    >>> from assay.reduce.topics.priors import update_asymmetric
    >>> counts = np.random.default_rng(0).multinomial(100, [0.7, 0.3], 50)
    >>> bool(update_asymmetric(counts, np.ones(2), 50)[0] > update_asymmetric(counts, np.ones(2), 50)[1])
    True
    """
    lengths = counts.sum(axis=1)
    tallies = [np.unique(column, return_counts=True) for column in counts.T]
    total_tally = np.unique(lengths, return_counts=True)
    for _ in range(rounds):
        below = _rise(*total_tally, float(alpha.sum()))
        above = np.array([_rise(*tally, float(a)) for tally, a in zip(tallies, alpha)])
        alpha = np.clip(alpha * above / below, SMALLEST_PRIOR, LARGEST_PRIOR) if below > 0 else alpha
    return alpha


def update_symmetric(counts: np.ndarray, beta: float, rounds: int = 5) -> float:
    """As :func:`update_asymmetric` with one number for all M columns of counts (K, M)."""
    M = counts.shape[1]
    cells, totals = np.unique(counts, return_counts=True), np.unique(counts.sum(axis=1), return_counts=True)
    for _ in range(rounds):
        below = M * _rise(*totals, M * beta)
        if below > 0:
            beta = float(np.clip(beta * _rise(*cells, beta) / below, SMALLEST_PRIOR, LARGEST_PRIOR))
    return beta


def _rise(values: np.ndarray, times: np.ndarray, prior: float) -> float:
    """Sum of psi(n + prior) - psi(prior), equal counts taken together."""
    return float(times @ (psi(values + prior) - psi(prior)))
