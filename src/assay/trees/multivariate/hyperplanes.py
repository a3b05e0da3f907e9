"""Hyperplanes as node learners find them: how many there are, from weights to a split, and inputs that can go."""

from __future__ import annotations

from math import comb

import numpy as np

from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Hyperplane, Split, Threshold

__all__ = ["candidate_hyperplanes", "delete_inputs", "hyperplane", "univariate_start"]


def candidate_hyperplanes(n: int, d: int) -> int:
    r"""In how many ways hyperplanes can divide n points in d dimensions, as a node would have to try them.

    .. math:: 2^d \binom{n}{d}

    Single columns allow d (n - 1) thresholds, which can all be tried; this number cannot.

    >>> from assay.trees.multivariate.hyperplanes import candidate_hyperplanes
    >>> candidate_hyperplanes(10, 2), candidate_hyperplanes(20, 3)
    (180, 9120)
    """
    return 2**d * comb(n, d)


def hyperplane(weights: np.ndarray, rows: NodeRows) -> tuple[Split | None, float]:
    """The split with these weights of the standardised columns and the purest threshold, and the impurity after it.

    Weights are in the units of the columns, the largest reach positive. A single weight makes a threshold.
    """
    used = np.flatnonzero(weights)
    if not len(used) or not np.isfinite(weights).all():
        return None, np.inf
    if len(used) == 1:
        threshold, impurity = rows.cut(rows.X[:, used[0]])
        return (Threshold(int(used[0]), threshold) if np.isfinite(impurity) else None), impurity
    upright = weights * np.sign(weights[np.argmax(np.abs(weights))]) / np.linalg.norm(weights)
    unscaled = Hyperplane(upright / rows.scale, 0.0, rows.scale)
    threshold, impurity = rows.cut(unscaled.value(rows.X))
    return (Hyperplane(unscaled.weights, threshold, rows.scale) if np.isfinite(impurity) else None), impurity


def univariate_start(rows: NodeRows) -> np.ndarray | None:
    """(d + 1,) the purest threshold of a single column as weights of the standardised columns, bias last."""
    split, _ = rows.best_threshold
    if not isinstance(split, Threshold):
        return None
    j = split.column
    weights = np.zeros(rows.X.shape[1] + 1)
    weights[j] = 1.0
    weights[-1] = -(split.threshold - rows.centre[j]) / rows.scale[j]
    return weights


def delete_inputs(weights: np.ndarray, rows: NodeRows, share: float) -> np.ndarray:
    r"""Backward deletion: weights (bias last) without the inputs whose removal costs little.

    Taking input j out, with the best threshold afterwards, raises the impurity by :math:`\Delta_j`. The cheapest
    goes while

    .. math:: \min_j \Delta_j \le \text{share} \cdot \max_j \Delta_j

    and two or more are left. Then the weights of those that stay are searched once more.

    Parameters
    ----------
    weights : (d + 1,) of the standardised columns
    rows : Rows
    share : float from 0 to 1; 0 takes out only what costs nothing
    """
    weights = weights.copy()
    z = weights[:-1] @ rows.columns
    while len(used := np.flatnonzero(weights[:-1])) > 1:
        now = rows.cut(z)[1]
        costs = np.array([rows.cut(z - weights[j] * rows.columns[j])[1] - now for j in used])
        costs = np.where(np.isfinite(costs), costs, rows.impurity)
        cheapest = int(np.argmin(costs))
        if costs[cheapest] > share * costs.max() + 1e-11 * rows.impurity:
            break
        z = z - weights[used[cheapest]] * rows.columns[used[cheapest]]
        weights[used[cheapest]] = 0.0
    used = np.flatnonzero(weights[:-1])
    if len(used) == len(weights) - 1:
        return weights
    weights[-1] = -rows.cut(z)[0]
    weights[[*used, -1]], _ = rows.descend(weights[[*used, -1]], rows.columns[used])
    return weights
