r"""Integrated gradients: what each input adds to the score of a network (Sundararajan et al. 2017).

.. math:: \phi_j(x) = (x_j - x'_j)\int_0^1 \frac{\partial g(x' + t(x - x'))}{\partial x_j}\,dt, \qquad
          \sum_j \phi_j(x) = g(x) - g(x') \quad (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from assay.neural.activations import ACTIVATIONS
from assay.neural.unit_normalization import UnitNormalization

__all__ = ["along_paths", "integrated_gradients", "score_gradients"]

FIRST_NODES, MOST_NODES = 16, 256  # of the integral over the path
ENOUGH = 1e-5  # share of the score by which completeness may fail before it is made exact


def integrated_gradients(
    X: np.ndarray,
    baseline: np.ndarray,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activations: Sequence[str],
    normalizations: Sequence[UnitNormalization] = (),
) -> tuple[np.ndarray, np.ndarray]:
    r"""(n, p, K) the contributions (1) to the K scores of each row, and (K,) the scores at the baseline.

    The integral is a sum over Gauss's nodes of the path, whose number doubles until (1) is complete to 1e-5 of the
    score; what is left (with kinks of "relu" perhaps more) is shared out in proportion, so that completeness is exact.

    Parameters
    ----------
    X : (n, p)      baseline : (p,) where a path begins, such as the means of the inputs
    coefs, intercepts, activations, normalizations : of the layers; the output is the score before its link

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.integrated_gradients import integrated_gradients
    >>> W, b = [np.array([[2.0], [-1.0]])], [np.array([0.5])]
    >>> adds, base = integrated_gradients(np.array([[1.0, 3.0]]), np.zeros(2), W, b, [])
    >>> adds[0, :, 0], base
    (array([ 2., -3.]), array([0.5]))

    References
    ----------
    - Sundararajan, M., Taly, A. and Yan, Q. (2017). Axiomatic attribution for deep networks. International Conference
      on Machine Learning, 3319-3328.
    """
    net = coefs, intercepts, activations, normalizations
    return along_paths(
        np.asarray(X, dtype=np.float64),
        baseline,
        lambda points: score_gradients(points, *net, gradients=False)[0],
        lambda points: score_gradients(points, *net)[1],
        linear=len(activations) == 0,
    )


def along_paths(
    X: np.ndarray,
    baseline: np.ndarray,
    scores: Callable[[np.ndarray], np.ndarray],
    gradients: Callable[[np.ndarray], np.ndarray],
    linear: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """The contributions (1) of any scores, see :func:`integrated_gradients`.

    Parameters
    ----------
    X : (n, p)      baseline : (p,)
    scores, gradients : of points (m, p), the scores (m, K) and their derivatives by the inputs (m, p, K)
    linear : whether the scores are linear, so that few nodes are enough
    """
    n, p = X.shape
    ends, base = scores(X), scores(baseline[None, :])[0]
    way = X - baseline
    adds = np.zeros((n, p, len(base)))
    for i in range(n):
        wanted, nodes = ends[i] - base, FIRST_NODES
        while True:
            t, shares = _nodes(nodes)
            slopes = gradients(baseline + t[:, None] * way[i])
            adds[i] = way[i][:, None] * np.tensordot(shares, slopes, axes=1)
            lacking = wanted - adds[i].sum(axis=0)
            enough = np.abs(lacking) <= ENOUGH * np.maximum(np.abs(wanted), 1.0)
            if enough.all() or nodes >= MOST_NODES or linear:
                break
            nodes *= 2
        sizes = np.abs(adds[i])
        total = sizes.sum(axis=0)
        adds[i] += lacking * np.divide(sizes, total, out=np.full_like(sizes, 1 / p), where=total > 0)
    return adds, base


@lru_cache(maxsize=8)
def _nodes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and shares of Gauss's rule from 0 to 1."""
    places, shares = np.polynomial.legendre.leggauss(count)
    return (places + 1) / 2, shares / 2


def score_gradients(
    X: np.ndarray,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activations: Sequence[str],
    normalizations: Sequence[UnitNormalization] = (),
    gradients: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """(n, K) the scores of rows and (n, p, K) their derivatives by the inputs."""
    a, slopes, sums = X, [], []
    for l, (W, b) in enumerate(zip(coefs, intercepts)):
        score = a @ W
        if l + 1 == len(coefs):
            score = score + b
            break
        sums.append(score)
        score = normalizations[l].apply(score, b) if normalizations else score + b
        function = ACTIVATIONS[activations[l]]
        a = function.value(score)
        slopes.append(function.slope(score, a))
    if not gradients:
        return score, np.zeros((0, 0, 0))
    back = np.broadcast_to(coefs[-1], (len(X), *coefs[-1].shape))
    for l in range(len(coefs) - 2, -1, -1):
        back = slopes[l][:, :, None] * back
        if normalizations:
            back = normalizations[l].back(sums[l], intercepts[l], back)
        back = coefs[l] @ back
    return score, back
