"""Quantiles of weighted numbers."""

from __future__ import annotations

import numpy as np

__all__ = ["weighted_quantile"]


def weighted_quantile(X: np.ndarray, w: np.ndarray, q: float = 0.5) -> np.ndarray:
    """(d,) where the share q of the weight lies below; halfway between two numbers if exactly q lies below the upper.

    This is the second definition of Hyndman and Fan (1996), with weights: a row of weight 2 is two rows. Rows of
    weight 0 do not count; without any other row the quantile is 0.

    Parameters
    ----------
    X : (n, d) numbers          w : (n,) weights, none negative          q : from 0 to 1; 1/2 is the median

    Examples
    --------
    >>> import numpy as np
    >>> from assay.stats.estimators.weighted_quantile import weighted_quantile
    >>> weighted_quantile(np.array([[1.0], [2.0], [9.0]]), np.array([1.0, 1.0, 2.0]))
    array([5.5])
    """
    X, w = X[w > 0], w[w > 0]
    if not len(X):
        return np.zeros(X.shape[1])
    order = np.argsort(X, axis=0)
    values = np.take_along_axis(X, order, axis=0)
    below, share = np.cumsum(w[order], axis=0), q * w.sum()
    lower = np.count_nonzero(below < share * (1 - 1e-12), axis=0)
    upper = np.count_nonzero(below <= share * (1 + 1e-12), axis=0)
    last, columns = len(X) - 1, np.arange(X.shape[1])
    return (values[np.minimum(lower, last), columns] + values[np.minimum(upper, last), columns]) / 2
