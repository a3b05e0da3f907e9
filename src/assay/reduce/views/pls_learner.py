"""What the learners of partial least squares share: weights, loadings, rotations, and a linear answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.parameters import Count, Flag, Range
from assay.core.stored import Each, FloatArray, Integer
from assay.reduce.views.latent_directions import Directions, rotations
from assay.reduce.views.two_views import Covariances, TwoViews
from assay.types import TableLike

__all__ = ["PLS_PARAMETERS", "PairedDirections"]

PLS_PARAMETERS = {
    "n_components": Count(1),
    "scale": Flag(),
    "max_iter": Count(1),
    "tol": Range(0),
    "copy": Flag(),
}
SHOWN_COLUMNS = 12


class PairedDirections(TwoViews):
    r"""Mixin of two views with a linear answer, :math:`\hat y = B(x - \bar x) + \bar y`."""

    stored = {
        "coef_": FloatArray("q", "p", finite=True),
        "intercept_": FloatArray("q", finite=True),
        "n_iter_": Each(Integer()),
    }
    coef_: np.ndarray
    intercept_: np.ndarray

    def _keep_directions(self, views: Covariances, directions: Directions, unit: float = 1.0) -> None:
        """Weights, loadings and rotations in the columns, and the weights of the answer; ``unit`` is that of y's."""
        self.x_weights_ = views.columns(directions.x_weights)
        self.x_loadings_ = views.columns(directions.x_loadings)
        self.y_weights_, self.y_loadings_ = directions.y_weights * unit, directions.y_loadings * unit
        self.x_rotations_ = rotations(self.x_weights_, self.x_loadings_)
        self.y_rotations_ = rotations(directions.y_weights, directions.y_loadings) / unit
        self._keep_answer()

    def _keep_answer(self) -> None:
        self.coef_ = (self.x_rotations_ @ self.y_loadings_.T * self._y_std).T / self._x_std
        self.intercept_ = self._y_mean.copy()
        self.n_iter_ = [1] * self.x_rotations_.shape[1]  # solved directly

    def predict(self, X: TableLike, copy: bool = True) -> np.ndarray:
        """(n,) or (n, q) the answer for each row; ``copy`` is accepted as scikit-learn's, X is never changed."""
        return self._predict(self._admit(X))

    def _predict(self, X: Any) -> np.ndarray:
        answers = (X - self._x_mean) @ self.coef_.T + self.intercept_
        return answers[:, 0] if self._one_number else answers

    def _outputs(self) -> list[str]:
        q = len(self.coef_)
        return ["the answer"] if q == 1 else self._target_names(q)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        values, names = dense_block(X), self.schema_.names

        def contributions(some: np.ndarray) -> Contributions:
            parts = (values[some] - self._x_mean)[:, :, None] * self.coef_.T[None]
            return self._contributions(parts, self.intercept_, self._outputs(), np.zeros(len(some), np.int64))

        def sections(i: int) -> list[Section]:
            parts = contributions(np.array([i])).values[0]
            order = np.argsort(-np.abs(parts).max(axis=1), kind="stable")[:SHOWN_COLUMNS]
            lines: list[list[Any]] = [["mean of the training rows", *self.intercept_.tolist()]]
            lines += [[names[j], *parts[j].tolist()] for j in order]
            if len(parts) > len(order):
                left = parts.sum(axis=0) - parts[order].sum(axis=0)
                lines.append([f"{len(parts) - len(order)} more columns", *left.tolist()])
            lines.append(["sum", *(self.intercept_ + parts.sum(axis=0)).tolist()])
            note = "A column adds its weight times its distance from its mean."
            return [Section("Terms of the answer", ["term", *self._outputs()], lines, note)]

        return Reasons(sections, contributions)
