"""A column as a linear function of others, from sums of products alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import FloatArray

__all__ = ["LeastSquares"]

CONSTANT = 1e-7  # of an input's standard deviation, where inputs are standardised


@dataclass
class LeastSquares:
    r"""Least squares for a number, the linear discriminant for a category.

    With inputs :math:`\mathbf a`, the last of them the constant 1, and targets :math:`\mathbf t`, all that is
    needed of the rows is :math:`G = \sum \mathbf a\mathbf a^T` and :math:`C = \sum \mathbf a\mathbf t^T`:

    .. math:: B = G^{-1} C, \qquad \hat{\mathbf t} = B^T\mathbf a                          \quad (1)

    For categories :math:`\mathbf t` are their indicators. The linear discriminant is the same in the fitted
    values :math:`\hat{\mathbf t}` as in the inputs, so it is computed there, from their class means
    :math:`m_k = (C^T B)_k/n_k` and their scatter :math:`B^T G B`:

    .. math:: g_k = m_k^T W^{-1}\hat{\mathbf t} - \tfrac12 m_k^T W^{-1}m_k + \ln(n_k/n), \qquad
              W = \tfrac1n\left(B^TGB - \sum_k n_k m_km_k^T\right)                            \quad (2)

    Attributes
    ----------
    weights : (inputs + 1, outputs), the constant last
    codes : whether the outputs are discriminants, of which the largest wins

    Examples
    --------
    >>> import numpy as np
    >>> from assay.prepare.least_squares import LeastSquares
    >>> a = np.array([[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    >>> LeastSquares.from_sums(a.T @ a, a.T @ [[1.0], [2.0], [3.0]], categories=False).predict(np.array([[2.0]]))
    array([4.])
    """

    weights: np.ndarray
    codes: bool
    stored = {"weights": FloatArray("*", "*")}

    @classmethod
    def from_sums(cls, G: np.ndarray, C: np.ndarray, categories: bool) -> LeastSquares:
        """From the sums of products of inputs with inputs and of inputs with targets."""
        B = _solve(G, C)  # (1)
        if not categories:
            return cls(B, False)
        count = C[-1]
        n = count.sum()
        means = (C.T @ B) / np.where(count > 0, count, 1.0)[:, None]
        W = (B.T @ G @ B - (means * count[:, None]).T @ means) / n
        turn = np.linalg.solve(W + 1e-8 * np.eye(len(W)), means.T)  # indicators have the scale of one
        B = B @ turn
        with np.errstate(divide="ignore"):  # a category without a row cannot win
            B[-1] += np.log(count / n) - 0.5 * np.sum(means.T * turn, axis=0)  # (2)
        return cls(B, True)

    def predict(self, A: np.ndarray) -> np.ndarray:
        """(n,) the number, or the code of the category, that each row lets one expect."""
        Z = A @ self.weights[:-1] + self.weights[-1]
        return np.argmax(Z, axis=1).astype(np.float64) if self.codes else Z[:, 0]


def _solve(G: np.ndarray, C: np.ndarray) -> np.ndarray:
    """B of (1); among equally good answers the shortest, constant inputs left out."""
    from assay.linear.regression.least_squares import solve
    from assay.linear.regression.least_squares_sums import Problem

    n, mean, middle = G[-1, -1], G[-1, :-1] / G[-1, -1], C[-1] / G[-1, -1]
    S = G[:-1, :-1] - n * np.outer(mean, mean)
    spread = np.sqrt(np.maximum(np.diag(S) / n, 0.0))
    still = spread <= CONSTANT * np.maximum(1.0, np.abs(mean))
    S[still, still] = 0.0
    answer = solve(
        Problem(n, max(int(n), 1), mean, middle, S, C[:-1] - n * np.outer(mean, middle)), 0.0, "free"
    )
    return np.vstack((answer.weights, answer.constant))
