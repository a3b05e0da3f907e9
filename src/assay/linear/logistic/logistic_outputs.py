"""The error of logistic outputs as a function of their weights: value, gradient, and passes in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

import assay.linear.logistic._logistic_discriminant as _native
from assay.core.scores import softmax
from assay.linear.discriminants.mistakes import refuse_huge, row_parts

__all__ = ["Outputs"]


class Outputs:
    r"""The error of C outputs as a function of their weights, an objective for ``gradient_descent``.

    .. math:: E = -\sum_i\sum_kr_{ik}\ln y_{ik},\qquad
              E = -\sum_i\sum_k r_{ik}\ln y_{ik} + (1-r_{ik})\ln(1-y_{ik}),\qquad
              E = \tfrac12\sum_i\sum_k(r_{ik} - y_{ik})^2                                             \quad (1)

    of softmax outputs, of independent sigmoids, and their squared error; the gradients by the scores are
    :math:`y - r`, :math:`y - r` and :math:`(y - r)\,y\,(1 - y)`.

    Parameters
    ----------
    X : (n, D) array or CSR      R : (n, C) targets      w : None or (n,) weights
    who : the learner's name, for messages
    softmax, squared, bias : bool      exclusive : bool, whether just one class is right

    Attributes
    ----------
    errors, steepest : of the weights seen last: how many rows are wrong (or what they weigh), and the largest entry
        of the gradient, each divided by the root mean square of its column, so that units do not matter
    """

    def __init__(
        self,
        X: Any,
        R: np.ndarray,
        w: np.ndarray | None,
        *,
        who: str,
        softmax: bool,
        squared: bool,
        bias: bool,
        exclusive: bool,
    ):
        self.X, self._parts = row_parts(X, who)
        self._epoch: Any = _native.dense if "X" in self._parts else _native.sparse
        refuse_huge(self.X, who, float(X.shape[0] if w is None else w.sum()))
        self.R, self.w = np.ascontiguousarray(R, dtype=np.float64), w
        self.softmax, self.squared, self.bias, self.exclusive = softmax, squared, bias, exclusive
        self.errors, self.steepest = 0.0, np.inf  # of the weights seen last
        self.size = np.append(1.0, _sizes(self.X, w))

    @property
    def shape(self) -> tuple[int, int]:
        """Outputs, and weights of each."""
        return self.R.shape[1], self.X.shape[1] + 1

    def value_gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """E of (1), and its gradient as a vector of all weights, output after output, the constant first."""
        W = w.reshape(self.shape)
        scores = np.asarray(self.X @ W[:, 1:].T) + W[:, 0]
        self.errors = self._wrong(scores)
        each, pull = self._each(scores)
        if self.w is not None:
            each, pull = each * self.w[:, None], pull * self.w[:, None]
        G = np.empty(self.shape)
        G[:, 1:] = (self.X.T @ pull).T
        G[:, 0] = pull.sum(axis=0) if self.bias else 0.0
        self.steepest = float((np.abs(G) / self.size).max())
        return float(each.sum()), G.ravel()

    def _each(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, C) the terms of E, and their derivatives by the scores."""
        R = self.R
        if self.softmax:
            top = scores - scores.max(axis=1, keepdims=True)
            logs = top - np.log(np.exp(top).sum(axis=1, keepdims=True))
            return -R * logs, softmax(scores) - R
        y = expit(scores)
        if self.squared:
            return (R - y) ** 2 / 2, (y - R) * y * (1 - y)
        return np.logaddexp(0.0, np.where(R > 0, -scores, scores)), y - R

    def _wrong(self, scores: np.ndarray) -> float:
        """How many rows (outputs) are on the wrong side, or what they weigh."""
        if self.exclusive and scores.shape[1] > 1:
            wrong = scores.argmax(axis=1) != self.R.argmax(axis=1)
        else:
            wrong = ((scores > 0) != (self.R > 0)).sum(axis=1)
        return int(wrong.sum()) if self.w is None else float(wrong @ self.w)

    def epoch(self, W: np.ndarray, order: np.ndarray, size: int, rates: np.ndarray) -> None:
        """Pass over the rows in batches, moving W after each."""
        weight = np.empty(0) if self.w is None else self.w
        scratch = np.empty((size, len(W)))
        self._epoch(
            **self._parts,
            R=self.R,
            weight=weight,
            order=order,
            size=size,
            rates=rates,
            outputs=_native.Outputs(softmax=self.softmax, squared=self.squared, bias=self.bias),
            W=W,
            delta=scratch,
        )


def _sizes(X: Any, w: np.ndarray | None) -> np.ndarray:
    """(D,) the root mean square of each column; 1 for a column of zeros."""
    w = np.ones(X.shape[0]) if w is None else w
    with np.errstate(over="ignore"):
        squares = X * X if isinstance(X, np.ndarray) else X.multiply(X)
        root = np.sqrt(np.asarray(squares.T @ w) / w.sum())
    return np.where((root > 0) & np.isfinite(root), root, 1.0)
