"""Confidence bands of an additive model: its curves as weighted sums of the training targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parallel import end_if_abandoned
from assay.core.progress import track
from assay.errors import DataError, DegenerateError

__all__ = ["AdditiveOperator", "Lines"]

MAX_ROWS = 4000  # rows: a matrix of 128 MB, and one inverse for each column
RIDGE = 1e-7  # so much of each map is left out, so that those with an eigenvalue 1 can be inverted


class Lines:
    """Least-squares lines of columns, alone and together.

    Parameters
    ----------
    keep : (d,) flags, the columns that have lines
    X : (n, d)      counts : (n,) what each row counts

    Attributes
    ----------
    share : (n,) of each row      means : (d,)      centred : (n, d), zeros in columns without a line
    joint : (d, n) the map from numbers to the slopes of all columns together
    each : (d, n) the map from numbers to the slope of a column alone
    """

    def __init__(self, keep: list[bool], X: np.ndarray, counts: np.ndarray):
        self.share = counts / counts.sum()
        self.means = self.share @ X
        vary = np.ptp(X, axis=0) > 0
        self.centred = np.where(np.asarray(keep) & vary, X - self.means, 0.0)
        largest = np.abs(self.centred).max(axis=0)
        unit = np.where(largest > 0, largest, 1.0)  # whose squares are numbers
        unit = unit * np.sqrt(self.share @ (self.centred / unit) ** 2)  # the standard deviations
        unit = np.where(unit > 0, unit, 1.0)
        root, places = np.sqrt(self.share), self.centred / unit
        self.joint = np.linalg.pinv(root[:, None] * places) * root / unit[:, None]
        self.each = (places * self.share[:, None]).T / unit[:, None]


class AdditiveOperator:
    r"""The linear maps that backfitting converges to, for smoothers that are held.

    The model is a sum of terms :math:`f_j = A_j(y - \sum_{l\ne j} f_l)`, y less its mean: the first has for
    :math:`A_0` the least-squares fit of all lines, each other for :math:`A_j` the smoother of a column at the training
    rows, less its mean and its line. These equations have the solution

    .. math:: f_j = B_j\,M\,y, \qquad B_j = (I-A_j)^{-1} - I, \qquad M = \Big(I + \sum_j B_j\Big)^{-1}        \quad (1)

    and M y is what is left over. At a row x the term is :math:`a_j(x)^T(I-A_j)^{-1}M y`, with :math:`a_j(x)` the
    weights that :math:`A_j` has there. Cost: O(d n^3).

    Parameters
    ----------
    smoothers : list of d fitted smoothers
    X : (n, d) the training rows
    counts : (n,) what each row counts

    Attributes
    ----------
    left : (n, n) the map from y to the residuals      dof : float, degrees of freedom that are left for the noise
    freedom : float, the trace of the map from y to the fitted numbers
    """

    def __init__(self, smoothers: list[Any], X: np.ndarray, counts: np.ndarray):
        n = len(X)
        if n > MAX_ROWS:
            raise DataError(
                f"AdditiveModel: bands need the inverse of n by n matrices, and there are {n} rows. Fit up to "
                f"{MAX_ROWS} rows, drawn at random."
            )
        self.smoothers, self.counts = smoothers, counts
        self.lines = Lines([smoother.keeps_lines for smoother in smoothers], X, counts)
        self.share = self.lines.share
        self.straight = (1 - RIDGE) * self.lines.joint
        known, self.removed = [self.lines.centred @ self.straight], []
        for j, smoother in enumerate(track(smoothers, "columns")):
            end_if_abandoned()
            smoother._refuse_unless_linear("a confidence band")
            S = (1 - RIDGE) * smoother._shares(X[:, j : j + 1])
            self.removed.append(
                (self.share @ S, self.lines.each[j] @ S)
            )  # the mean and the slope of what it says
            known.append(self._beyond_lines(S, j, self.lines.centred[:, j]))
        self.inverse = [np.linalg.inv(np.eye(n) - A) for A in known]
        self.inner = np.linalg.inv(np.sum(self.inverse, axis=0) - (len(known) - 1) * np.eye(n))  # M of (1)
        self.left = self._centred(self.inner)
        self.freedom = float(n - np.trace(self.left))
        fitted = np.eye(n) - self.left
        self.dof = float(
            counts.sum() - 2 * self.freedom + counts @ self._squares(fitted)
        )  # tr (I - H)'(I - H)

    def rows(self, X: np.ndarray) -> list[np.ndarray]:
        """d of (q, n): the weights with which y makes each curve at the rows of X."""
        straight, parts = self.straight @ self.inverse[0], []
        for j, smoother in enumerate(self.smoothers):
            along = X[:, j] - self.lines.means[j]
            S = (1 - RIDGE) * smoother._shares(X[:, j : j + 1])
            weights = self._beyond_lines(S, j, along) @ self.inverse[j + 1] + np.outer(along, straight[j])
            parts.append(self._centred(weights @ self.inner))
        return parts

    def errors(self, weights: np.ndarray, sigma: float) -> np.ndarray:
        """(q,) the standard errors of estimates with these weights, if the noise has this deviation."""
        return sigma * np.sqrt(self._squares(weights))

    def sigma(self, residual: np.ndarray) -> float:
        """The standard deviation of the noise."""
        if self.dof <= 1e-6 * len(residual):
            raise DegenerateError(
                "AdditiveModel: the curves pass through all rows, so nothing is left to see the noise by. Smooth more."
            )
        top = float(np.abs(residual).max(initial=0.0))
        unit = top if top > 0 else 1.0  # whose square is a number
        return unit * float(np.sqrt(self.counts @ (residual / unit) ** 2 / self.dof))

    def _beyond_lines(self, S: np.ndarray, j: int, along: np.ndarray) -> np.ndarray:
        """What the weights of a smoother have beyond their mean and line, at places so far along column j."""
        mean, slope = self.removed[j]
        return S - mean - np.outer(along, slope)

    def _centred(self, weights: np.ndarray) -> np.ndarray:
        """The weights for y of those for y less its mean."""
        return weights - weights.sum(axis=1, keepdims=True) * self.share

    def _squares(self, weights: np.ndarray) -> np.ndarray:
        """(q,) the variances in units of the noise; a row that counts twice is two rows."""
        return np.einsum("qt,qt,t->q", weights, weights, 1 / np.where(self.counts > 0, self.counts, 1.0))
