"""Mutual information of the columns of a naive Bayes model and the class."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = np.linspace(-10, 10, 41)  # where the line is cut around each class, in its standard deviations
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)  # within each piece: ten digits, at whatever scales


def ranked_columns(model: Any) -> dict[str, float]:
    """The columns of a fitted NaiveBayes with their information about the class, largest first."""
    information = {name: column_information(model, j) for j, name in enumerate(model.schema_.names)}
    return dict(sorted(information.items(), key=lambda item: -item[1]))


def column_information(model: Any, j: int) -> float:
    """Mutual information of column j and the class, in nats; 0 for an uninformative column."""
    from assay.stats import mutual_information

    name = model.schema_.names[j]
    if name in model.densities_:
        return _of_sample(model, j, name)
    if model.category_count_[j].size:
        return float(mutual_information(model.category_count_[j]))
    here = np.flatnonzero(model.gaussian_columns_ == j)
    if not len(here):
        return 0.0
    share = model.class_count_ / model.class_count_.sum()
    return gaussian_information(share, model.theta_[:, here[0]], model.var_[:, here[0]])


def gaussian_information(share: np.ndarray, mean: np.ndarray, var: np.ndarray) -> float:
    r"""Mutual information of the class and a number that is Gaussian in each class.

    .. math:: I = \sum_k \pi_k \int N_k(x) \ln\frac{N_k(x)}{\sum_l \pi_l N_l(x)} dx

    by Gauss-Legendre quadrature, piece by piece. 0 for equal Gaussians, ln 2 for two that do not overlap:

    >>> import numpy as np
    >>> half, one = np.array([0.5, 0.5]), np.ones(2)
    >>> gaussian_information(half, np.zeros(2), one), round(gaussian_information(half, np.array([0, 40.0]), one), 6)
    (0.0, 0.693147)
    """
    present = share > 0
    share, mean, var = share[present], mean[present], var[present]
    cuts = np.unique(mean[:, None] + np.sqrt(var)[:, None] * STEPS)
    half = np.diff(cuts)[:, None] / 2
    x = ((cuts[:-1] + cuts[1:])[:, None] / 2 + half * NODES).ravel()
    logs = -0.5 * (np.log(2 * np.pi * var)[:, None] + (x - mean[:, None]) ** 2 / var[:, None])  # (K, points)
    mixture = np.logaddexp.reduce(np.log(share)[:, None] + logs, axis=0)
    total = share @ (np.exp(logs) * (logs - mixture)) @ (half * WEIGHTS).ravel()
    return float(np.clip(total, 0.0, -(share * np.log(share)).sum()))


def _of_sample(model: Any, j: int, name: str) -> float:
    """The mean over the training rows of log p(x|y) / p(x)."""
    x, y, w = model._sums.samples[j]
    values = model._own_values(j, x)
    logs = np.stack([density.logpdf(values) for density in model.densities_[name]])
    share = np.bincount(y, weights=w, minlength=len(logs)) / w.sum()
    with np.errstate(divide="ignore"):
        mixture = np.logaddexp.reduce(np.log(share)[:, None] + logs, axis=0)
    return float(max(0.0, np.average(logs[y, np.arange(len(y))] - mixture, weights=w)))
