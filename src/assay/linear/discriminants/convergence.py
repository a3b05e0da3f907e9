"""The perceptron convergence theorem: the bound for separable classes, and the trace of its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import encode_labels
from assay.errors import DataError
from assay.linear.affine import length
from assay.linear.number_columns import number_columns
from assay.types import PathLike, TableLike, Target

__all__ = [
    "ConvergenceBound",
    "ConvergenceTrace",
    "convergence_bound",
    "convergence_trace",
    "widest_separator",
]


@dataclass(frozen=True)
class ConvergenceBound:
    """Most corrections of a perceptron that starts at zero.

    Attributes
    ----------
    radius : R, the length of the longest row (1, x)
    margin : rho, the distance of the nearest row to the best hyperplane through the origin of the (1, x)
    separator : (d + 1,) the unit normal of that hyperplane, w_0 first
    """

    radius: float
    margin: float
    separator: np.ndarray

    @property
    def updates(self) -> float:
        """R^2 / rho^2."""
        return (self.radius / self.margin) ** 2


@dataclass(frozen=True)
class ConvergenceTrace:
    """After each correction t = 1, 2, ...: the bounds of the proof, and the actual values.

    Attributes
    ----------
    cosine : of the angle between the weights and the separator; at least ``cosine_floor``, sqrt(t) rho / R
    norm : of the weights; at most ``norm_ceiling``, sqrt(t) R (times the rate)
    """

    cosine: np.ndarray
    cosine_floor: np.ndarray
    norm: np.ndarray
    norm_ceiling: np.ndarray


def convergence_bound(X: TableLike, y: Target) -> ConvergenceBound:
    r"""The most corrections that the perceptron makes on separable rows, from zero, in any order.

    .. math:: T \le \frac{R^2}{\rho^2},\qquad R = \max_i\lVert(1, x_i)\rVert,\qquad
              \rho = \max_w\min_i\frac{y_iw^T(1, x_i)}{\lVert w\rVert}                               \quad (1)

    Each correction raises :math:`w_f^Tw` by at least rho and :math:`\lVert w\rVert^2` by at most :math:`R^2`; the
    cosine between both, at least :math:`\sqrt T\rho/R`, cannot exceed 1 (LS-2).

    Parameters
    ----------
    X : (n, d) table      y : (n,) labels of two classes, the second (sorted) on the positive side

    Examples
    --------
    >>> from assay.linear import convergence_bound
    >>> bound = convergence_bound([[-1.0], [1.0]], [0, 1])
    >>> round(bound.radius**2, 6), round(bound.margin, 6), round(bound.updates, 6)
    (2.0, 1.0, 2.0)

    See Also
    --------
    convergence_trace, PerceptronRule

    References
    ----------
    - Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the Mathematical Theory of
      Automata 12, 615-622.
    """
    rows = _signed(X, y)
    w = widest_separator(rows)
    return ConvergenceBound(
        float(length(rows).max()),
        float((rows @ (w / length(w))).min()),
        w / length(w),
    )


def convergence_trace(path: PathLike, bound: ConvergenceBound, rate: float = 1.0) -> ConvergenceTrace:
    """Follow the proof along ``path_`` of a ``PerceptronRule(keep=True)`` that started at zero.

    Parameters
    ----------
    path : (T + 1, d + 1) weights, w_0 first, the zero start first
    bound : of the same rows      rate : eta

    Examples
    --------
    >>> from assay.linear import PerceptronRule, convergence_bound, convergence_trace
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> model = PerceptronRule(keep=True, random_state=0).fit(X, y)
    >>> trace = convergence_trace(model.path_, convergence_bound(X, y))
    >>> bool((trace.cosine >= trace.cosine_floor).all())
    True
    """
    walked = np.asarray(path, dtype=np.float64)[1:]
    t = np.arange(1, len(walked) + 1)
    norm = np.linalg.norm(walked, axis=1)
    return ConvergenceTrace(
        walked @ bound.separator / norm,
        np.sqrt(t) * bound.margin / bound.radius,
        norm,
        np.sqrt(t) * bound.radius * rate,
    )


def widest_separator(rows: np.ndarray) -> np.ndarray:
    r"""The shortest w with :math:`z_i^Tw \ge 1` for all rows z_i: the homogeneous hyperplane of widest margin.

    A least-distance problem, solved as one of non-negative least squares over the rows that matter: the rows that the
    answer violates most join until none does.

    Parameters
    ----------
    rows : (n, p) each row times its label -1 or +1
    """
    from scipy.optimize import nnls

    n, p = rows.shape
    scale = length(rows).max(initial=0.0)
    if not np.isfinite(scale) or scale == 0:
        raise DataError("widest_separator: the rows must be finite numbers, not all zero.")
    Z = rows / scale
    active = np.argsort(Z @ Z.sum(axis=0), kind="stable")[: 2 * p + 8]
    while True:
        system = np.vstack([Z[active].T, np.ones(len(active))])
        u, left = nnls(system, np.append(np.zeros(p), 1.0))
        residual = system @ u - np.append(np.zeros(p), 1.0)
        if left < 1e-9:
            break
        w = -residual[:p] / residual[p]  # (Lawson and Hanson: least distance programming)
        reach = Z @ w
        missing = np.flatnonzero(reach < 1 - 1e-9)
        new = np.setdiff1d(missing[np.argsort(reach[missing], kind="stable")[: 2 * p + 8]], active)
        if not len(new):
            if (reach > 0).all():
                return w / scale
            break
        active = np.append(active, new)
    raise DataError(
        f"The classes are not separable by a hyperplane (or by less than the arithmetic can tell): {n} rows have no "
        "bound. See assay.linear.PocketClassifier."
    )


def _signed(X: Any, y: Any) -> np.ndarray:
    """(n, d + 1) the rows (1, x), times -1 for the first class."""
    values, _ = number_columns(X, "convergence_bound")
    if not isinstance(values, np.ndarray):
        values = values.toarray()
    labels, codes = encode_labels(y, len(values), "convergence_bound")
    if len(labels) != 2:
        raise DataError(f"convergence_bound: y must hold two classes, got {len(labels)}.")
    return (2.0 * codes - 1)[:, None] * np.column_stack([np.ones(len(values)), values])
