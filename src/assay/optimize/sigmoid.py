"""Platt's sigmoid: the logistic curve from a score to a probability, by maximum likelihood."""

from __future__ import annotations

import numpy as np

import assay.optimize._sigmoid as _sigmoid

__all__ = ["fit_sigmoid"]

MOST_STEPS = 100


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
    total = float(w.sum())
    negative = total - positive
    t = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))  # (2)
    center = float(w @ scores) / total
    apart = scores - center
    width = float(np.sqrt(w @ (apart * apart) / total))
    wanted = float(w @ t)
    even = float(np.log(wanted / (total - wanted)))
    if not width > 1e-12 * max(abs(center), np.finfo(float).tiny):  # one score: one probability
        return 0.0, -even
    at = np.array([0.0, even])
    _sigmoid.climb(apart / width, t, np.ascontiguousarray(w, dtype=np.float64), MOST_STEPS, at)
    slope, offset = at.tolist()
    return -slope / width, slope * center / width - offset
