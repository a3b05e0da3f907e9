"""Local learning on demand for numbers: a line through the neighbours of each query."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.errors import DataError
from assay.local.local_model import LocalModel

__all__ = ["LocalModelRegressor"]

NUMBERS_AT_A_TIME = 2_000_000  # of neighbours in memory


class LocalModelRegressor(LocalModel, Regressor):
    r"""Regression by a simple model that is fitted to the neighbours of each query, asked once and forgotten.

    .. math:: \hat y(x) = b + v^T x, \qquad (v, b) = \arg\min \sum_{t \in N_k(x)} (r^t - v^T x^t - b)^2 + \alpha \|v\|^2
              \quad (1)

    Nothing is learned before a question is asked (Bottou and Vapnik 1992). With all rows as neighbours this is the
    linear model; with few, and ``estimator`` a constant, the nearest neighbours. ``Loess`` weighs nearer rows more.

    Cost: fit O(n log n); predict the k nearest rows and O(k d^2 + d^3) a row, or one fit of the estimator to k rows;
    memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 30
        k; all rows where there are fewer.
    estimator : regressor, default None
        Fitted to the neighbours instead of a line.
    alpha : float, default 1e-3
        Penalty on the squares of the slopes; the line needs one where k is at most d.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import LocalModelRegressor
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = LocalModelRegressor(10).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.01)
    True

    See Also
    --------
    LocalModelClassifier, Loess, KNeighborsRegressor, MixtureOfExpertsRegressor

    References
    ----------
    - Bottou, L. and Vapnik, V. (1992). Local learning algorithms. Neural Computation 4(6), 888-900.
      doi:10.1162/neco.1992.4.6.888
    """

    card = Card(
        "local lines",
        "a line through the neighbours of each query",
        also=("local learning", "local model"),
        scale=True,
        most_rows=50_000,
        learns=(
            "a line for each query",
            "squared error of its neighbours",
            "least squares on demand",
            "stored",
        ),
    )
    _wanted = "regressor"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim != 1:
            raise DataError(f"{type(self).__name__}: one target is expected; fit one model for each.")
        super()._learn(X, y, w)

    def _predict(self, X: Any) -> np.ndarray:
        if self.estimator is None:
            return self._lines(X)[1][:, 0]
        near = self._neighbours(X)[1]
        return np.array([float(np.ravel(self._fitted(rows).predict(x[None]))[0]) for rows, x in zip(near, X)])

    def _lines(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near = self._neighbours(X)[1]
        n, d = X.shape
        slopes, values = np.empty((n, 1, d)), np.empty((n, 1))
        step = max(1, NUMBERS_AT_A_TIME // max(1, near.shape[1] * d))
        for begin in range(0, n, step):
            rows = near[begin : begin + step]
            w = self._fit_w[rows]
            totals = w.sum(axis=1)
            w = w / totals[:, None]
            A, r = self._fit_X[rows], self._fit_y[rows]
            middle, level = np.einsum("qk,qkd->qd", w, A), (w * r).sum(axis=1)
            C, e = A - middle[:, None], r - level[:, None]
            G = np.einsum("qk,qkd,qkc->qdc", w, C, C)
            b = np.einsum("qk,qkd,qk->qd", w, C, e)
            G[:, np.arange(d), np.arange(d)] += (float(self.alpha) / totals)[:, None]
            v = np.linalg.pinv(G, hermitian=True, rtol=1e-10) @ b[:, :, None]
            slopes[begin : begin + step, 0] = v[:, :, 0]
            values[begin : begin + step, 0] = level + ((X[begin : begin + step] - middle) * v[:, :, 0]).sum(
                axis=1
            )
        return slopes, values
