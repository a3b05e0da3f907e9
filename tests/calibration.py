"""Is a posterior right? Simulation-based calibration and interval coverage, for tests of all rooms.

    from tests.calibration import assert_calibrated, assert_covers

Both draw the truth from the prior and data from the truth, again and again, with one seed. If the posterior is right,
the rank of the truth among draws of the posterior is uniform (Talts et al., 2018), and a 95 % interval holds the truth
in 95 % of the rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import chisquare

SMALLEST_P = 1e-4  # a right posterior fails one seed in ten thousand


def assert_calibrated(
    simulate: Callable[[np.random.Generator], tuple[Any, Any]],
    *,
    rounds: int = 400,
    bins: int = 10,
    seed: int = 0,
) -> None:
    """The ranks of the truth among posterior draws are uniform: a chi-squared test of each number.

    ``simulate(rng)`` draws a truth from the prior, data from the truth, and returns the truth, a number or (m,), and
    draws from the posterior of these data, (draws,) or (draws, m); the draws have to be (nearly) independent.
    ``draws + 1`` should be a multiple of ``bins`` (99 draws for 10 bins). Numbers are tested at 1e-4, divided by m.
    """
    rng = np.random.default_rng(seed)
    ranks = []
    for _ in range(rounds):
        truth, draws = simulate(rng)
        truth = np.atleast_1d(np.asarray(truth, dtype=float))
        draws = np.asarray(draws, dtype=float).reshape(len(draws), len(truth))
        ties = rng.integers(
            0, (draws == truth).sum(axis=0) + 1
        )  # whole numbers: any place among the equal ones
        ranks.append((draws < truth).sum(axis=0) + ties)
    places = np.array(ranks) * bins // (len(draws) + 1)
    for j, place in enumerate(places.T):
        p = chisquare(np.bincount(place, minlength=bins)).pvalue
        assert p > SMALLEST_P / places.shape[1], (
            f"number {j}: ranks {np.bincount(place, minlength=bins)}, p = {p:.2g}"
        )


def assert_covers(
    simulate: Callable[[np.random.Generator], tuple[Any, Any]],
    *,
    level: float = 0.95,
    slack: float = 0.02,
    rounds: int = 1500,
    seed: int = 0,
) -> None:
    """Intervals hold the truth in a share of the rounds that is within ``slack`` of their level.

    ``simulate(rng)`` returns the truth, a number or (m,), and the interval (low, high), two numbers or (2, m).
    """
    rng = np.random.default_rng(seed)
    inside = []
    for _ in range(rounds):
        truth, (low, high) = simulate(rng)
        inside.append((np.asarray(low) <= truth) & (truth <= np.asarray(high)))
    share = np.mean(inside, axis=0)
    assert (abs(share - level) < slack).all(), (
        f"intervals of {level:g} hold the truth in {share} of {rounds} rounds"
    )
