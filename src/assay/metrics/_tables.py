"""Measures as functions of a confusion table, for one table or for thousands at once.

A table is (..., K, K): rows are true classes, columns predicted ones. Counts and weights are treated alike. An
undefined value (no row of a class, no prediction of it) is NaN here; the caller decides what to do about it.
"""

from __future__ import annotations

import numpy as np

from assay.types import Floats


def share(part: Floats, whole: Floats) -> Floats:
    """part / whole, NaN where the whole is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    shares: Floats = np.divide(part, whole, out=out, where=whole > 0)
    return shares


def correct(T: np.ndarray) -> np.ndarray:
    """(..., K) correctly predicted rows of each class."""
    return np.diagonal(T, axis1=-2, axis2=-1)


def actual(T: np.ndarray) -> np.ndarray:
    """(..., K) rows of each class."""
    totals: Floats = T.sum(axis=-1)
    return totals


def predicted(T: np.ndarray) -> np.ndarray:
    """(..., K) predictions of each class."""
    totals: Floats = T.sum(axis=-2)
    return totals


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Mean over the last axis of what is not NaN; NaN if nothing is."""
    defined = ~np.isnan(values)
    return share(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))


def accuracy(T: np.ndarray) -> np.ndarray:
    return share(correct(T).sum(axis=-1), T.sum(axis=(-2, -1)))


def error(T: np.ndarray) -> np.ndarray:
    n = T.sum(axis=(-2, -1))
    return share(n - correct(T).sum(axis=-1), n)


def recalls(T: np.ndarray) -> np.ndarray:
    return share(correct(T), actual(T))


def precisions(T: np.ndarray) -> np.ndarray:
    return share(correct(T), predicted(T))


def specificities(T: np.ndarray) -> np.ndarray:
    """True negatives over negatives, each class against the rest."""
    outside = T.sum(axis=(-2, -1))[..., None] - actual(T)
    return share(np.maximum(outside - (predicted(T) - correct(T)), 0), outside)


def f_measures(T: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """(1 + b^2) tp / (b^2 (tp + fn) + (tp + fp)) of each class."""
    return share((1 + beta**2) * correct(T), beta**2 * actual(T) + predicted(T))


def jaccards(T: np.ndarray) -> np.ndarray:
    """tp / (tp + fp + fn) of each class."""
    return share(correct(T), actual(T) + predicted(T) - correct(T))


def balanced_accuracy(T: np.ndarray) -> np.ndarray:
    return mean_of_defined(recalls(T))


def balanced_error(T: np.ndarray) -> np.ndarray:
    return 1 - balanced_accuracy(T)


def precisions_or_zero(T: np.ndarray) -> np.ndarray:
    """Precision of each class, 0 if it has rows and is never predicted, as in scikit-learn."""
    return np.where((predicted(T) == 0) & (actual(T) > 0), 0.0, precisions(T))


def f1_of_means(T: np.ndarray) -> np.ndarray:
    """Harmonic mean of macro precision and macro recall; a class never predicted has precision 0."""
    occurs = (actual(T) + predicted(T)) > 0
    P = np.where(occurs, np.nan_to_num(precisions(T)), np.nan)
    R = np.where(occurs, np.nan_to_num(recalls(T)), np.nan)
    p, r = mean_of_defined(P), mean_of_defined(R)
    return np.where(p + r > 0, share(2 * p * r, p + r), np.where(np.isnan(p), np.nan, 0.0))


def g_mean(T: np.ndarray) -> np.ndarray:
    """Geometric mean of the recalls of the classes that have rows."""
    R = recalls(T)
    defined = ~np.isnan(R)
    K = defined.sum(axis=-1)
    product = np.where(defined, R, 1.0)
    with np.errstate(divide="ignore"):
        logs = np.log(product).sum(axis=-1)
    return np.where(K > 0, np.exp(share(logs, K)), np.nan)


def youden(T: np.ndarray) -> np.ndarray:
    """Sensitivity + specificity - 1; for K classes (sum of recalls - 1) / (K - 1), so chance is 0."""
    R = recalls(T)
    K = (~np.isnan(R)).sum(axis=-1)
    mean = mean_of_defined(R)
    return np.where(K > 1, share(mean * K - 1, K - 1.0), np.nan)


def kappa(T: np.ndarray, weights: str | None = None) -> np.ndarray:
    """1 - observed disagreement / disagreement expected from the margins."""
    D = disagreement(T.shape[-1], weights)
    n = T.sum(axis=(-2, -1))
    expected = share(np.einsum("...i,ij,...j->...", actual(T) * 1.0, D, predicted(T) * 1.0), n)
    return 1 - share((D * T).sum(axis=(-2, -1)), expected)


def disagreement(K: int, weights: str | None) -> np.ndarray:
    """(K, K) disagreement of two labels: 0/1, |i - j| or its square."""
    apart = np.abs(np.subtract.outer(np.arange(K), np.arange(K))).astype(np.float64)
    return (apart > 0).astype(np.float64) if weights is None else apart if weights == "linear" else apart**2


def matthews(T: Floats) -> Floats:
    """Correlation of true and predicted classes (Gorodkin 2004); 0 where either has one class only."""
    n = T.sum(axis=(-2, -1))[..., None]
    t, a = (
        share(actual(T), n),
        share(predicted(T), n),
    )  # shares: powers of large or tiny weights overflow
    together = share(correct(T), n).sum(axis=-1) - (t * a).sum(axis=-1)
    apart = (t * share(n - actual(T), n)).sum(axis=-1) * (a * share(n - predicted(T), n)).sum(axis=-1)
    out = np.zeros(np.shape(apart))
    correlation: Floats = np.divide(together, np.sqrt(np.maximum(apart, 0)), out=out, where=apart > 0)
    return correlation
