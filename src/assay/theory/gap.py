"""Simulation of the gap between risk and empirical risk, for thresholds on a line, beside the bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.theory._checks import counts, one_count, rate, scalar, share
from assay.theory.finite_class import finite_class_epsilon
from assay.theory.vc_bound import vc_bound
from assay.types import RandomState

__all__ = ["GapStudy", "simulate_gap"]


@dataclass(frozen=True)
class GapStudy:
    """Observed gaps beside the bounds, one entry per sample size.

    Attributes
    ----------
    n : (m,) sample sizes
    mean : (m,) the largest gap between risk and empirical risk over all hypotheses, mean over the runs
    high : (m,) its 1 - delta quantile: what a bound has to stay above
    excess : (m,) how much worse than the best hypothesis the chosen one is, mean over the runs
    finite : (m,) the bound of the finite class
    vc : (m,) the bound by the VC dimension, which is 1 (Vapnik and Chervonenkis 1971)
    size : how many hypotheses
    delta : float
    """

    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    high: NDArray[np.float64]
    excess: NDArray[np.float64]
    finite: NDArray[np.float64]
    vc: NDArray[np.float64]
    size: int
    delta: float


def simulate_gap(
    n: ArrayLike,
    *,
    size: int = 100,
    noise: float = 0.1,
    delta: float = 0.05,
    runs: int = 200,
    random_state: RandomState = 0,
) -> GapStudy:
    r"""Draw samples, measure every threshold's risk and empirical risk, and set the largest gap beside the bounds.

    x is uniform on [0, 1], its class is 1 from 1/2 on, and a share of the labels is flipped. The hypotheses are
    ``size`` thresholds t, evenly spaced in [0, 1]; their risk is known,

    .. math:: R(t) = \nu + (1 - 2 \nu) |t - \tfrac12|

    Parameters
    ----------
    n : sample sizes, each at least 2
    size : number of hypotheses, at least 2
    noise : share of flipped labels

    Examples
    --------
    >>> import numpy as np
    >>> from assay.theory import simulate_gap
    >>> study = simulate_gap([100, 1000, 10000])
    >>> bool((study.high < study.finite).all() and (study.finite < study.vc).all())
    True
    >>> study.finite.round(3)
    array([0.204, 0.064, 0.02 ])
    """
    who = "simulate_gap"
    sizes = np.atleast_1d(counts(n, who, "n", 2)).astype(np.int64)
    if sizes.ndim != 1 or not len(sizes):
        raise ParameterError(f"{who}: n must be a sample size or a list of them.")
    H, runs = one_count(size, who, "size", 2), one_count(runs, who, "runs")
    nu, delta = (
        scalar(rate(noise, who, "noise"), who, "noise"),
        scalar(share(delta, who, "delta"), who, "delta"),
    )
    thresholds = np.linspace(0, 1, H)
    risk = nu + (1 - 2 * nu) * np.abs(thresholds - 0.5)
    rng, gaps, excess = (
        as_generator(random_state, who),
        np.empty((len(sizes), runs)),
        np.empty((len(sizes), runs)),
    )
    for i, rows in enumerate(sizes):
        for r in range(runs):
            x = rng.random(rows)
            y = (x >= 0.5) ^ (rng.random(rows) < nu)
            cell = np.searchsorted(thresholds, x, side="right")  # how many thresholds predict 1
            ones = np.bincount(cell, weights=y, minlength=H + 1)[: H + 1]
            all_ = np.bincount(cell, minlength=H + 1)[: H + 1]
            # threshold j predicts 1 for cells above j: wrong are the ones at or below it and the zeros above it
            wrong = np.cumsum(ones)[:H] + (all_ - ones)[::-1].cumsum()[::-1][1:]
            gaps[i, r] = np.abs(wrong / rows - risk).max()
            excess[i, r] = risk[np.argmin(wrong)] - risk.min()
    return GapStudy(
        sizes, gaps.mean(axis=1), np.quantile(gaps, 1 - delta, axis=1), excess.mean(axis=1),
        np.atleast_1d(finite_class_epsilon(H, sizes, delta)),
        np.atleast_1d(vc_bound(sizes, 1, delta, form="vapnik-chervonenkis")), H, delta,
    )  # fmt: skip
