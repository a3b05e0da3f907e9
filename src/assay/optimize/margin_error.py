"""Objective of a linear classifier: a penalty on its weights, and a loss of every row's margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.optimize.losses import Loss, margin_loss

__all__ = ["MarginError"]


class MarginError:
    r"""The error of a hyperplane as a function of its weights (w_0, w), for any optimiser.

    .. math:: E(w_0, w) = \tfrac\lambda2\lVert w\rVert^2 + C\sum_i L\bigl(y_i(w^Tx_i + w_0)\bigr)  \quad (1)

    With the hinge loss and :math:`\lambda = 1` the first term favours a wide margin and the second few rows
    inside of it; with the perceptron's loss and :math:`\lambda = 0` it is the perceptron
    criterion; with the log loss it is minus the log likelihood of logistic regression.

    Parameters
    ----------
    X : (n, d) array or sparse matrix      y : (n,) of -1 and +1
    loss : a Loss of the margin, or its name
    penalty : lambda      C : weight of the losses

    Examples
    --------
    >>> from assay.optimize import MarginError
    >>> error = MarginError([[2, 2], [3, 3], [0, 0], [1, 0]], [1, 1, -1, -1], "hinge", penalty=1)
    >>> float(round(error.value_gradient([-1.4, 0.4, 0.8])[0], 12))  # the widest margin: no row is inside
    0.4
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        loss: Loss | str = "log_loss",
        *,
        penalty: float = 0.0,
        C: float = 1.0,
    ):
        self.X: Any = X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        values = self.X.data if hasattr(X, "tocsr") else self.X
        if self.X.ndim != 2 or not np.isfinite(values).all():
            raise ParameterError(f"MarginError: X must be a finite table, got shape {self.X.shape}.")
        if not (0 <= penalty < np.inf and 0 < C < np.inf):
            raise ParameterError(
                f"MarginError: penalty must be a number from 0 up and C above 0, got {penalty!r} and {C!r}."
            )
        if not np.isin(self.y, (-1.0, 1.0)).all() or self.y.shape != self.X.shape[:1]:
            raise ParameterError(
                f"MarginError: y must hold -1 or +1 for each of {self.X.shape[0]} rows, got {y!r:.80}."
            )
        self.loss = margin_loss(loss) if isinstance(loss, str) else loss
        self.penalty, self.C = penalty, C

    def margins(self, w: np.ndarray) -> np.ndarray:
        """(n,) y_i times the score of row i."""
        w = np.asarray(w, dtype=np.float64)
        return self.y * (self.X @ w[1:] + w[0])

    def value_gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """E of (1) and its gradient, the entry of w_0 first; of a loss with corners a subgradient."""
        w = np.asarray(w, dtype=np.float64)
        m = self.margins(w)
        value = self.penalty / 2 * float(w[1:] @ w[1:]) + self.C * float(self.loss.value(m).sum())
        pull = self.C * self.y * self.loss.slope(m)
        return value, np.append(pull.sum(), self.X.T @ pull + self.penalty * w[1:])

    def curvature(self, w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """E, its gradient and its matrix of second derivatives."""
        value, gradient = self.value_gradient(w)
        bend = self.C * self.loss.curvature(self.margins(w))
        d = len(gradient)
        H = np.empty((d, d))
        H[0, 0] = bend.sum()
        H[0, 1:] = H[1:, 0] = self.X.T @ bend
        scaled = (
            self.X.multiply(bend[:, None]).tocsr() if hasattr(self.X, "tocsr") else self.X * bend[:, None]
        )
        inner = self.X.T @ scaled
        H[1:, 1:] = inner.toarray() if hasattr(inner, "toarray") else inner
        H[1:, 1:] += self.penalty * np.eye(d - 1)
        return value, gradient, H
