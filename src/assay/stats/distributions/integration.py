"""Integrals over known densities: Bayes error and cross-entropy of continuous variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError
from assay.stats.checks import as_points


def density_bayes_error(
    priors: ArrayLike, densities: Sequence[Any], bounds: tuple[float, float] | None = None
) -> float:
    r"""Error of the best possible rule for known densities of one variable.

    .. math:: E = 1 - \int \max_k P(C_k)\,p(x|C_k)\,dx
                = \int \Big[\sum_k P(C_k)p(x|C_k) - \max_k P(C_k)p(x|C_k)\Big] dx          \quad (1)

    No classifier of any kind does better on data from these densities.

    Parameters
    ----------
    priors : K probabilities
    densities : K objects with `logpdf`
    bounds : (low, high), default None
        Where to integrate; None takes 12 standard deviations around every
        mean, which is enough for Gaussian tails. Give it for heavier tails and
        for densities without `mean` and `var`.

    Examples
    --------
    Two Gaussians four standard deviations apart, so the error is the tail beyond 2:

    >>> from assay.stats import Gaussian
    >>> round(density_bayes_error([0.5, 0.5], [Gaussian(-2, 1), Gaussian(2, 1)]), 9)
    0.022750132
    """
    who = "density_bayes_error"
    P = as_points(priors, who)
    if P.shape != (len(densities),) or not (P >= 0).all() or not abs(P.sum() - 1) <= 1e-8:
        raise ParameterError(f"expected {len(densities)} priors that sum to 1, got {P}.", who=who)

    def joint(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([p * np.exp(density.logpdf(x)) for p, density in zip(P, densities)])

    def lost(x: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = joint(x)
        return columns.sum(axis=0) - columns.max(axis=0)  # (1)

    low, high = _bounds(densities, bounds, who)
    return _integral(lost, _edges(densities, low, high))


def density_cross_entropy(
    q: Any, p: Any, bounds: tuple[float, float] | None = None, *, base: float = math.e
) -> float:
    r"""Cross-entropy of two densities of one variable, :math:`H(q,p) = -\int q(x)\log p(x)\,dx`.

    Of q with itself it is the differential entropy of q. `bounds` as in
    `density_bayes_error`, for q.

    >>> from assay.stats import Gaussian
    >>> round(density_cross_entropy(Gaussian(0, 1), Gaussian(0, 1)), 7)  # log sqrt(2 pi e)
    1.4189385
    """

    def term(x: NDArray[np.float64]) -> NDArray[np.float64]:
        logq = q.logpdf(x)
        mass = np.exp(logq)
        return np.where(mass > 0, -mass * np.where(mass > 0, p.logpdf(x), 0), 0)

    low, high = _bounds([q], bounds, "density_cross_entropy")
    return _integral(term, _edges([q], low, high)) / float(np.log(base))


def _bounds(densities: Sequence[Any], bounds: tuple[float, float] | None, who: str) -> tuple[float, float]:
    if bounds is None:
        ends = []
        for density in densities:
            m, v = getattr(density, "mean", None), getattr(density, "var", None)
            if not isinstance(m, float | int) or not isinstance(v, float | int):
                raise ParameterError(
                    f"{type(density).__name__} has no mean and var as numbers; give bounds.", who=who
                )
            ends += [m - 12 * np.sqrt(v), m + 12 * np.sqrt(v)]
        bounds = min(ends), max(ends)
    low, high = bounds
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError(f"bounds must be two finite numbers, the lower first, got {bounds}.", who=who)
    return float(low), float(high)


def _edges(densities: Sequence[Any], low: float, high: float) -> NDArray[np.float64]:
    """Where to cut the range: evenly, and around every mean, so that no narrow peak is stepped over."""
    parts = [np.linspace(low, high, 65)]
    for density in densities:
        m, v = getattr(density, "mean", None), getattr(density, "var", None)
        if isinstance(m, float | int) and isinstance(v, float | int):
            parts.append(np.clip(m + np.sqrt(v) * np.linspace(-12, 12, 25), low, high))
    return np.unique(np.concatenate(parts))


def _integral(f: Callable[[NDArray[np.float64]], NDArray[np.float64]], edges: NDArray[np.float64]) -> float:
    """Sum of the integrals between neighbouring edges, each by adaptive quadrature (which settles kinks)."""
    from scipy.integrate import quad

    pieces = [
        quad(lambda x: float(f(np.array([x]))[0]), a, b, epsabs=1e-14, epsrel=1e-10)[0]
        for a, b in pairwise(edges)
    ]
    return float(np.sum(pieces))
