"""Base class of learners whose groups are the rows nearest to their centres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Clusterer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Contributions, Explanations, Reasons, RowValues, dense_block
from assay.core.fitting import all_or_nothing
from assay.core.lazy_answers import LazyTransforms
from assay.core.learner import fit_elsewhere
from assay.core.model_view import Part
from assay.core.stored import CodeArray, FloatArray, Scalar
from assay.core.targets import check_weights
from assay.distances.lloyd import label_rows, squared_distances
from assay.distances.squared_rows import SquaredRows
from assay.types import TableLike, Target, Weights

__all__ = ["CenterClusterer"]

COLUMNS_EXPLAINED = 10  # in the explanation of a row: those that add most to its distance
CENTERS_EXPLAINED = 10  # the nearest


class CenterClusterer(SquaredRows, LazyTransforms, Clusterer):
    """A learner of centres: a row belongs to the nearest, and its new columns are its distances from all of them."""

    takes = frozenset({"sparse"})
    stored = {
        "cluster_centers_": FloatArray("c", "p", finite=True),
        "labels_": CodeArray("n", below="c", low=-1),
        "inertia_": Scalar(low=0),
    }
    kept_in_single = ("cluster_centers_",)
    cluster_centers_: np.ndarray
    labels_: np.ndarray

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> Self:
        """Find groups among the rows of X; y is ignored.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d); or a Dask collection
        y : ignored
        sample_weight : (n,) what each row counts; None counts each once
        """
        self._check_parameters()
        if fit_elsewhere(self, X, None, sample_weight):
            return self
        values = self._admit(X, fitting=True)
        self._learn(values, None, check_weights(sample_weight, values, type(self).__name__))
        self._keep_precision(values)
        return self

    def fit_predict(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n, c) the distances of the rows of X from the centres, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, c) the distance of each row from each centre."""
        values = self._admit(X)
        distances = np.sqrt(squared_distances(values, np.asarray(self.cluster_centers_, dtype=np.float64)))
        return distances.astype(np.float32) if values.dtype == np.float32 else distances

    def codes(self, X: TableLike) -> np.ndarray:
        """(n, c) 1 in the column of the row's group, else 0: a local code, for a learner that comes after."""
        return np.eye(len(self.cluster_centers_))[self.predict(X)]

    def score(self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None) -> float:
        """Minus the weighted sum of the squared distances of the rows from their nearest centres."""
        values = self._admit(X)
        w = check_weights(sample_weight, values, type(self).__name__)
        return -label_rows(values, w, self.cluster_centers_)[1]

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the columns that ``transform`` makes."""
        check_is_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}{k}" for k in range(len(self.cluster_centers_))], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _assign(self, X: Any) -> np.ndarray:
        return label_rows(X, None, self.cluster_centers_)[0]

    # ------------------------------------------------------------------ reasons

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its group: an Explanation for one row, Explanations for several.

        The distances from the nearest centres, and what each column adds to the squared distance from the first.
        """
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        X = np.asarray(dense_block(X), dtype=np.float64)
        answers = self._assign(X)
        return Explanations(type(self).__name__, answers.tolist(), rows, self._center_reasons(X, answers))

    def _center_reasons(self, X: np.ndarray, answers: np.ndarray) -> Reasons:
        centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        names = self._names

        def sections(i: int) -> list[Section]:
            gaps = (X[i] - centers) ** 2
            apart = np.sqrt(gaps.sum(axis=1))
            k = int(answers[i])
            order = sorted(range(len(centers)), key=lambda c: (c != k, apart[c]))[:CENTERS_EXPLAINED]
            columns = np.argsort(-gaps[k], kind="stable")[:COLUMNS_EXPLAINED] if k >= 0 else []
            return [
                Section("Centres", ["group", "distance"], [[int(c), float(apart[c])] for c in order]),
                Section(
                    f"Columns: the squared distance from centre {k}",
                    ["column", "value", "centre", "adds"],
                    [[names[j], float(X[i, j]), float(centers[k, j]), float(gaps[k, j])] for j in columns],
                ),
            ]

        def contributions(some: np.ndarray) -> Contributions:
            values = (X[some][:, :, None] - centers.T[None]) ** 2
            outputs = [f"the squared distance from centre {k}" for k in range(len(centers))]
            return self._contributions(values, np.zeros(len(centers)), outputs, np.maximum(answers[some], 0))

        return Reasons(sections, contributions)

    def _model_parts(self) -> list[Part]:
        centers = self.cluster_centers_
        parts: list[Part] = []
        if "labels_" in vars(self):
            sizes = np.bincount(self.labels_[self.labels_ >= 0], minlength=len(centers))
            parts.append(
                Section(
                    "Groups",
                    ["group", "rows", "share"],
                    [[k, int(size), float(size / max(len(self.labels_), 1))] for k, size in enumerate(sizes)],
                )
            )
        names = self._names
        rows = [[names[j], k, float(centers[k, j])] for k in range(len(centers)) for j in range(len(names))]
        return [*parts, Section("Centres", ["column", "group", "value"], rows)]
