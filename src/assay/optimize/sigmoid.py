"""Platt's sigmoid: the logistic curve from a score to a probability, by maximum likelihood."""

from __future__ import annotations

import numpy as np

__all__ = ["fit_sigmoid"]


def fit_sigmoid(scores: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    r"""The numbers a and b of the curve that gives scores their probabilities (Platt 1999).

    .. math:: P(y=1|s) = \frac1{1+e^{a s+b}}                                                  \quad (1)

    by maximum likelihood, not of the labels 0 and 1 but of the softer targets

    .. math:: t_+ = \frac{n_+ + 1}{n_+ + 2}, \qquad t_- = \frac1{n_- + 2},                    \quad (2)

    which keep the curve finite when the scores separate the classes. The likelihood is concave; Newton's method with
    halved steps finds its top in a handful of passes.

    Parameters
    ----------
    scores : (n,)      y : (n,) 0 or 1      w : (n,) weights

    Examples
    --------
    >>> import numpy as np
    >>> from assay.optimize.sigmoid import fit_sigmoid
    >>> a, b = fit_sigmoid(np.array([-1.0, -1.0, 1.0, 1.0]), np.array([0, 0, 1, 1]), np.ones(4))  # targets 1/4, 3/4
    >>> round(a, 6), abs(round(b, 6))  # a is -log 3
    (-1.098612, 0.0)

    References
    ----------
    - Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to regularized likelihood
      methods. In Advances in Large Margin Classifiers, MIT Press, 61-74.
    """
    positive = float(w @ y)
    negative = float(w.sum()) - positive
    t = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))  # (2)
    center, width = float(np.average(scores, weights=w)), float(np.sqrt(np.cov(scores, aweights=w, ddof=0)))
    if not width > 1e-12 * max(abs(center), np.finfo(float).tiny):  # one score: one probability
        return 0.0, float(np.log((w @ (1 - t)) / (w @ t)))
    slope, offset = _newton((scores - center) / width, t, w)
    return -slope / width, slope * center / width - offset


def _newton(z: np.ndarray, t: np.ndarray, w: np.ndarray, max_iter: int = 100) -> tuple[float, float]:
    """Slope and offset that maximise sum w [t g - log(1 + e^g)], g = slope z + offset."""
    from scipy.special import expit

    Z = np.column_stack([z, np.ones_like(z)])
    at = np.array([0.0, np.log((w @ t) / (w @ (1 - t)))])
    total = w.sum()

    def loss(v: np.ndarray) -> float:
        g = Z @ v
        return float(w @ (np.logaddexp(0, g) - t * g))

    value = loss(at)
    for _ in range(max_iter):
        p = expit(Z @ at)
        gradient = Z.T @ (w * (p - t))
        if np.abs(gradient).max() <= 1e-12 * total:
            break
        curvature = (Z.T * (w * p * (1 - p))) @ Z
        curvature.flat[::3] += 1e-14 * total  # a flat stretch has no curvature of its own
        step = np.linalg.solve(curvature, gradient)
        if np.abs(step).max() < 1e-6:  # the next would be of the order of its square
            at = at - step
            break
        size = 1.0
        while (new := loss(at - size * step)) > value and size > 1e-10:
            size /= 2
        if new >= value:  # rounding is all that is left
            break
        at, value = at - size * step, new
    return float(at[0]), float(at[1])
