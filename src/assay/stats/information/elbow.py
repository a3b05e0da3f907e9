"""The elbow of a validation curve: the simplest model that is about as good as the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError
from assay.stats.checks import as_matrix, as_points

__all__ = ["Elbow", "elbow", "validation_elbow"]


@dataclass(frozen=True)
class Elbow:
    """Where a validation curve stops falling; models are numbered from the simplest.

    chosen : the simplest model within one standard error of the best      best : the one with the smallest error
    mean, standard_error : (m,) of the validation errors      threshold : what counts as good enough
    """

    chosen: int
    best: int
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    threshold: float


def elbow(mean: ArrayLike, standard_error: ArrayLike) -> Elbow:
    r"""Choose by the rule of one standard error.

    With mean validation errors :math:`e_k`, :math:`k^* = \arg\min e_k`, the choice is

    .. math:: \min\{k : e_k \le e_{k^*} + \mathrm{se}_{k^*}\}                                  \quad (1)

    The curve flattens beyond the elbow, where the smallest value is due to chance; the rule takes the simplest model
    that is not clearly worse than the best.

    Parameters
    ----------
    mean, standard_error : (m,) of models ordered by complexity, from folds or from `validation_elbow`

    Examples
    --------
    >>> from assay.stats.information.elbow import elbow
    >>> elbow([2.7, 2.2, 1.30, 1.16, 1.13, 1.15], [0.2] * 6).chosen
    2
    """
    e, se = as_points(mean, "elbow"), as_points(standard_error, "elbow")
    if e.ndim != 1 or e.shape != se.shape or not len(e):
        raise DataError(f"elbow: expected one standard error for each mean, got {se.shape} and {e.shape}.")
    if (se < 0).any():
        raise DataError(f"elbow: standard errors must be numbers from 0 up, got {float(se.min()):g}.")
    best = int(np.argmin(e))
    threshold = float(e[best] + se[best])
    return Elbow(int(np.argmax(e <= threshold)), best, e, se, threshold)  # (1)


def validation_elbow(losses: ArrayLike) -> Elbow:
    """The elbow from the losses of m models, simplest first, on the same n validation rows.

    The standard error is the standard deviation (divisor n - 1) of a model's losses over the root of n.

    Parameters
    ----------
    losses : (m, n) such as squared errors

    Examples
    --------
    >>> from assay.stats import validation_elbow
    >>> result = validation_elbow([[9, 8, 9, 8], [2, 4, 1, 3], [3, 2, 2, 2], [2, 2, 2, 3]])
    >>> result.best, result.chosen
    (2, 1)
    """
    rows = as_matrix(losses, "validation_elbow")
    n = rows.shape[1]
    if n < 2:
        raise DataError("validation_elbow: one validation row has no spread; give at least 2.")
    return elbow(rows.mean(axis=1), rows.std(axis=1, ddof=1) / np.sqrt(n))
