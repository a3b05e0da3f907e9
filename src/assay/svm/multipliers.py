"""Bounds of the multipliers of rows with weights, those without weight, and multipliers from which to start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.svm.engine import Dual, Solution

__all__ = ["counting_rows", "filled", "for_all_rows", "of_rows", "upper_bounds"]


def upper_bounds(C: float, weight: np.ndarray) -> np.ndarray:
    """(n,) C times the weight of each row; 0 for a row without weight even if C is infinite.

    >>> import numpy as np
    >>> from assay.svm.multipliers import upper_bounds
    >>> upper_bounds(np.inf, np.array([0.0, 2.0]))
    array([ 0., inf])
    """
    return np.multiply(C, weight, out=np.zeros(len(weight)), where=weight > 0)


def filled(upper: np.ndarray, total: float) -> np.ndarray:
    """(n,) multipliers that sum to ``total``: the first ones at their upper bounds, then what is left, then 0.

    >>> import numpy as np
    >>> from assay.svm.multipliers import filled
    >>> filled(np.array([1.0, 1.0, 1.0]), 1.5)
    array([1. , 0.5, 0. ])
    """
    before = np.cumsum(upper) - upper
    return np.clip(total - before, 0.0, upper)


def counting_rows(dual: Dual, n: int) -> np.ndarray | None:
    """The rows whose multipliers may be above 0; None if all of the n may, or none.

    Without the others the interior point method applies, which needs room between the bounds.
    """
    counts = (dual.upper.reshape(-1, n) > 0).any(axis=0)
    return None if counts.all() or not counts.any() else np.flatnonzero(counts)


def of_rows(dual: Dual, rows: np.ndarray, n: int) -> Dual:
    """The program of some of the n rows."""
    some = _places(rows, len(dual.sign), n)
    return Dual(
        dual.sign[some], dual.linear[some], dual.upper[some], dual.start[some], dual.constraint,
        None if dual.ridge is None else dual.ridge[some],
    )  # fmt: skip


def for_all_rows(solution: Solution, rows: np.ndarray, dual: Dual) -> Solution:
    """The solution of the program of some rows as that of the whole; the gradient is 0 at the others."""
    each = len(solution.alpha) // len(rows)
    some = _places(rows, len(dual.sign), len(dual.sign) // each)
    alpha, gradient = np.zeros((2, len(dual.sign)))
    alpha[some], gradient[some] = solution.alpha, solution.gradient
    return replace(solution, alpha=alpha, gradient=gradient, spans=None)


def _places(rows: np.ndarray, m: int, n: int) -> np.ndarray:
    """The places of the multipliers of these rows among m."""
    return np.concatenate([rows + begin for begin in range(0, m, n)])
