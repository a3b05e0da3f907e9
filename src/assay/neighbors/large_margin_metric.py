"""What the large-margin metrics share: parameters, fitting, and the reports on targets and impostors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Transformer
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Range
from assay.core.progress import progress
from assay.core.stored import CodeArray, Each, FloatArray, IntArray, Plain, Scalar
from assay.core.targets import check_weights, encode_labels
from assay.distances import Mahalanobis
from assay.distances.extremes import refuse_extremes
from assay.errors import DegenerateError, warn_user
from assay.neighbors.large_margin import LargeMargin, Minimum
from assay.neighbors.triplets import nearest_others, target_neighbors
from assay.types import TableLike, Target, Weights

__all__ = ["LargeMarginMetric"]

NEGLIGIBLE = 1e-7  # of the largest singular value of the map: directions below it are left out


class LargeMarginMetric(Transformer):
    """A metric in which the targets of a row are nearer than the rows of other classes, by a margin.

    Derived classes say how many directions the metric may have; with all of them the problem is convex.
    """

    accepts = {
        "n_neighbors": Count(1),
        "mu": Range(0, 1, open="both"),
        "impostors": Choice("all", "nearest"),
        "n_refreshes": Count(0),
        "max_iter": Count(1),
        "tol": Range(0, open="low"),
    }
    stored = {
        "components_": FloatArray("r", "p", finite=True),
        "target_neighbors_": IntArray("n", "*", low=-1),
        "impostors_": CodeArray("m", 2),
        "slack_": FloatArray("m", low=0),
        "objective_": Scalar(low=0),
        "bound_": Scalar(low=0),
        "history_": Each(Plain(dict)),
    }
    keeps_row_names = True
    reference_category = True
    n_neighbors: int
    mu: float
    impostors: str
    n_refreshes: int
    max_iter: int
    tol: float

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:  # type: ignore[override]
        """Learn the metric from the rows of X and their classes y; the terms of row i count sample_weight[i] times."""
        self._check_parameters()
        values = self._admit(X, fitting=True)
        codes = encode_labels(y, values.shape[0], type(self).__name__)[1]
        self._learn(values, codes, check_weights(sample_weight, values, type(self).__name__))
        return self

    @property
    def metric_(self) -> np.ndarray:
        """(p, p) the matrix M."""
        self._ready()
        return self.components_.T @ self.components_

    @property
    def distance_(self) -> Mahalanobis:
        """The learned distance, for every learner that takes a ``metric``."""
        self._ready()
        return Mahalanobis(L=self.components_)

    def _directions(self, p: int) -> int:
        """The most directions that the metric of p columns may have."""
        return p

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        X = np.asarray(X, dtype=np.float64)
        refuse_extremes(X, type(self).__name__, self._names)
        rows = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        values, codes = X[rows], y[rows].astype(np.int64)
        weights = np.ones(len(rows)) if w is None else w[rows] / w[rows].mean()
        self._refuse_degenerate(values, codes)
        self.history_: list[dict[str, float]] = []
        self.n_iter_, targets, minimum = 0, np.empty((0, 0), np.int64), None
        with progress(None, type(self).__name__) as bar:

            def watch(record: dict[str, float]) -> None:
                bar.advance()
                self.history_.append(record)

            for _ in range(self.n_refreshes + 1):
                near = values if minimum is None else values @ minimum.L.T
                latest = target_neighbors(near, codes, self.n_neighbors)
                if np.array_equal(latest, targets):
                    break
                targets, k = latest, self.n_neighbors
                others = nearest_others(near, codes, k) if self.impostors == "nearest" else None
                convex = self._directions(values.shape[1]) >= values.shape[1]
                problem = LargeMargin(values, codes, weights, targets, others, self.mu, convex)
                start = problem.start(self._directions(values.shape[1]), minimum.L if minimum else None)
                minimum = problem.minimise(start, self.tol, self.max_iter, watch)
                self.n_iter_ += minimum.iterations
        assert minimum is not None
        self._warn_unsettled(minimum)
        self._report(problem, minimum, rows, len(X))

    def _refuse_degenerate(self, X: np.ndarray, y: np.ndarray) -> None:
        """Rows without which there is neither pull nor push."""
        who, counts = type(self).__name__, np.bincount(y)
        if (counts > 0).sum() < 2:
            raise DegenerateError(
                f"{who} learns which rows are of other classes, but all rows have one class. Give rows of two classes "
                "or more."
            )
        if counts.max() < 2:
            raise DegenerateError(
                f"{who}: every class has a single row, so that no row has a target neighbour."
            )
        if (np.ptp(X, axis=0) == 0).all():
            raise DegenerateError(f"{who}: all rows are alike, so that no metric tells them apart.")

    def _warn_unsettled(self, minimum: Minimum) -> None:
        from sklearn.exceptions import ConvergenceWarning

        if not minimum.settled:
            warn_user(
                f"{type(self).__name__} stopped after {minimum.iterations} steps before it settled; raise max_iter "
                "or tol.",
                ConvergenceWarning,
            )

    def _report(self, problem: LargeMargin, minimum: Minimum, rows: np.ndarray, n: int) -> None:
        """The metric, and who is whose target and impostor in it; rows of weight 0 are nobody's."""
        _, size, V = np.linalg.svd(minimum.L, full_matrices=False)
        kept = size > NEGLIGIBLE * size[0] if size[0] > 0 else size == size[0]
        V = V[kept] * np.sign(V[kept, np.abs(V[kept]).argmax(axis=1)])[:, None]
        self.components_ = size[kept, None] * V
        self.objective_, self.bound_ = minimum.objective, float(minimum.bound)
        self.target_neighbors_ = np.full((n, problem.targets.shape[1]), -1)
        self.target_neighbors_[rows] = np.where(problem.targets >= 0, rows[problem.targets], -1)
        pairs, self.slack_ = problem.triplets.within_margin(minimum.L @ problem.back)
        self.impostors_ = rows[pairs]

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return X @ self.components_.T

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{j}" for j in range(len(self.components_))]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _model_parts(self) -> list[Part]:
        order = np.argsort(-self.slack_, kind="stable")
        impostors = [
            [self._cases(int(i)), self._cases(int(other)), float(slack)]
            for (i, other), slack in zip(self.impostors_[order].tolist(), self.slack_[order])
        ]
        directions = np.sqrt(np.sum(self.components_**2, axis=0)).tolist()
        return [
            Section(
                "How much a unit of each column counts",
                ["column", "distance"],
                [[name, size] for name, size in zip(self._names, directions)],
            ),
            Section(
                "Impostors within the margin",
                ["row", "impostor", "by"],
                impostors,
                f"objective {self.objective_:.6g}, at least {self.bound_:.6g} for any metric",
            ),
        ]
