"""What all learners share that remember rows: the metric, the search, and the neighbours they found."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.cases import beside
from assay.core.csr import compressed_matrix
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Instance, Range
from assay.core.stored import FloatArray, Integer, Mapped, Object, Plain, TableRows, Text
from assay.core.takes import takes_of_part
from assay.distances.metric import METRIC, Metric, metric_of
from assay.distances.search import Searcher, kept_searcher, rows_of_index
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.neighbors.weights import Neighborhoods, weigh
from assay.types import TableLike

__all__ = ["KNeighbors", "NeighborLearner", "RadiusNeighbors"]


class NeighborLearner(Learner):
    """A learner that stores its training rows and searches for the nearest."""

    accepts: ClassVar[Any] = {
        "algorithm": Choice("auto", "ball_tree", "kd_tree", "brute"),
        "leaf_size": Count(1),
        "p": Range(0, open="low") | None,
        "metric": METRIC,
        "metric_params": Instance(dict, words="a dict") | None,
        "n_jobs": Count(-(2**31)) | None,
    }
    keeps_row_names = True
    stored = {
        "_fit_X": TableRows("n", "p"),
        "n_samples_fit_": Integer("n"),
        "distance_": Object(Metric, d="p"),
        "effective_metric_": Text() | Object(Metric),
        "effective_metric_params_": Mapped(FloatArray("*") | FloatArray("*", "*") | Plain()),
    }
    alternative_for_missing: ClassVar[str] = "Use metric='heom', which compares the values that are known."

    n_neighbors: Any
    radius: Any
    p: Any
    metric: Any
    metric_params: Any
    algorithm: Any
    leaf_size: Any

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use of a table as it is."""
        return takes_of_part(self, "distance_", lambda: self._metric(None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        self.__dict__.pop("distance_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(rows_of_index(X) if fitting else X, fitting)
        if fitting and isinstance(X, NeighborLearner):
            self.row_names_ = X._cases
        return values

    def _model_parts(self) -> list[Part]:
        asked = {
            "training rows": self.n_samples_fit_,
            "neighbours asked": getattr(self, "n_neighbors", None),
            "within the distance": getattr(self, "radius", None),
            "their votes": getattr(self, "weights", None),
            "distance": self.distance_.name,
        }
        rows = [
            [what, value if np.isscalar(value) else str(value)]
            for what, value in asked.items()
            if value is not None
        ]
        return [Section("Neighbours", ["what", "value"], rows)]

    def _metric(self, schema: Any) -> Metric:
        if "p" in (self.metric_params or {}) and self.p not in (None, self.metric_params["p"]):
            warn_user(
                f"{type(self).__name__}: Parameter p is found in metric_params, where it is "
                f"{self.metric_params['p']!r}; p={self.p!r} is ignored.",
                SyntaxWarning,
            )
        return metric_of(
            self.metric, p=2 if self.p is None else self.p, metric_params=self.metric_params, schema=schema
        )

    def _store(self, X: Any, y: np.ndarray | None = None) -> None:
        """Remember the rows, and what the metric learns of them."""
        try:
            metric = self._metric(self.schema_)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None
        if metric.precomputed and X.shape[0] != X.shape[1]:
            raise DataError(
                f"{type(self).__name__}: Precomputed matrix must be square, distances of the training rows to each "
                f"other; got {X.shape[0]} rows and {X.shape[1]} columns."
            )
        self._refuse_trees_without_triangle(metric)
        self.distance_ = metric.learn(X, y)
        self.effective_metric_ = (
            self.distance_.name if isinstance(self.metric, (str, Metric)) else self.metric
        )
        self.effective_metric_params_ = dict(self.metric_params or {})
        if self.effective_metric_ == "minkowski":
            self.effective_metric_params_["p"] = getattr(self.distance_, "p", self.p)
        self._fit_X = X
        self.n_samples_fit_ = X.shape[0]
        self._searcher_of_rows(anew=True)

    def _refuse_trees_without_triangle(self, metric: Metric) -> None:
        """Minkowski's sums with p below 1 break the triangle inequality, by which trees leave out rows."""
        power = getattr(metric, "p", None)
        if metric.name != "minkowski" or power is None or power >= 1:
            return
        who = type(self).__name__
        if self.algorithm in ("kd_tree", "ball_tree"):
            raise ParameterError(
                f'{who}: algorithm="{self.algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve '
                'this problem either set p >= 1 or algorithm="brute".'
            )
        warn_user(
            f"{who}: Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution "
            f"with `algorithm='brute'`; p is {power:g}.",
            AssayWarning,
        )

    def _searcher_of_rows(self, anew: bool = False) -> Searcher:
        try:
            return kept_searcher(self, self._fit_X, self.distance_, self.algorithm, self.leaf_size, anew=anew)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    @property
    def _search(self) -> Searcher:
        self._ready()
        return self._searcher_of_rows()

    def _admit_to_answer(self, X: Any) -> Any:
        """X as the search sees it; None stays None and means the training rows, each without itself."""
        if X is None:
            self._ready()
            return None
        return self._admit(X)

    def _nearest(self, X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        search, among_training = self._search, X is None
        if k > search.n - among_training:
            compared = "<" if among_training else "<="
            raise ParameterError(
                f"{type(self).__name__}: Expected n_neighbors {compared} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {search.n}, n_samples = {search.n if among_training else X.shape[0]}. "
                "Ask for fewer neighbours."
            )
        return search.nearest(X, k, leave_out_self=among_training)

    def _neighbourhoods(self, X: Any) -> Neighborhoods:
        raise TypeError(f"{type(self).__name__} must define _neighbourhoods")

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The training rows that decided, from near to far, and their values."""
        near = self._neighbourhoods(X)
        weights = weigh(
            near, getattr(self, "weights", None), getattr(self, "bandwidth", None), type(self).__name__
        )

        def sections(i: int) -> list[Section]:
            start, end = near.start[i : i + 2]
            order = start + np.lexsort((near.rows[start:end], near.distances[start:end]))
            lines: list[list[Any]] = [
                [
                    self._cases.label(int(near.rows[t])),
                    float(near.distances[t]),
                    float(weights[t]),
                    *self._answer_of(int(near.rows[t])),
                ]
                for t in order
            ]
            title = f"The {len(lines)} of {self.n_samples_fit_} training rows that decided"
            decided = Section(title, [self._cases.head, "distance", "weight", *self._heads], lines)
            return [decided, *self._beside_stored(rows[i], near.rows[order])]

        return Reasons(sections)

    def _beside_stored(self, row: dict[str, Any], places: np.ndarray) -> list[Section]:
        """The values of the rows at these places beside the row's; none for distances that were given."""
        return [] if self.distance_.precomputed else beside(self, row, self._fit_X[places], places.tolist())

    @property
    def _heads(self) -> list[str]:
        """Headings of the columns of ``_answer_of``."""
        return ["answer"]

    def _answer_of(self, row: int) -> list[Any]:
        return []


class KNeighbors(NeighborLearner):
    """Queries for the k nearest training rows."""

    accepts: ClassVar[Any] = {"n_neighbors": Count(1), **NeighborLearner.accepts}

    def kneighbors(
        self, X: TableLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """The nearest training rows of each row of X.

        Parameters
        ----------
        X : table; None asks for the training rows, none of which is its own neighbour
        n_neighbors : how many; None takes the parameter
        return_distance : bool

        Returns
        -------
        distances : (q, n_neighbors) from near to far, if asked for
        rows : (q, n_neighbors) numbers of training rows; among equal distances the lower first
        """
        values = self._admit_to_answer(X)
        k = self._k if n_neighbors is None else n_neighbors
        if not Count(1).holds(k):
            raise ParameterError(
                f"{type(self).__name__}: Expected n_neighbors > 0: n_neighbors does not take {type(k)} value {k!r}, "
                "enter integer value from 1 up."
            )
        distances, rows = self._nearest(values, int(k))
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(
        self, X: TableLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The graph of nearest rows as a sparse (q, n) matrix of ones, or with mode "distance" of distances."""
        _check_mode(mode, type(self).__name__)
        distances, rows = self.kneighbors(X, n_neighbors)
        q, k = rows.shape
        data = np.ones(q * k) if mode == "connectivity" else distances.ravel()
        return compressed_matrix(
            "csr_matrix", data, rows.ravel(), np.arange(0, q * k + 1, k), (q, self.n_samples_fit_)
        )

    @property
    def _k(self) -> int:
        return self.n_neighbors

    def _neighbourhoods(self, X: Any) -> Neighborhoods:
        distances, rows = self._nearest(X, self._k)
        q, k = rows.shape
        start = np.arange(0, q * k + 1, k)
        return Neighborhoods(start, rows.ravel(), distances.ravel(), distances[:, -1], k)


class RadiusNeighbors(NeighborLearner):
    """The questions about the rows within a radius."""

    accepts: ClassVar[Any] = {"radius": Range(0), **NeighborLearner.accepts}

    def radius_neighbors(
        self,
        X: TableLike | None = None,
        radius: float | ArrayLike | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """The training rows at most ``radius`` from each row of X.

        Parameters
        ----------
        X : table; None asks for the training rows, none of which is its own neighbour
        radius : float, or (q,) one for each row of X; None takes the parameter
        return_distance : bool
        sort_results : bool
            From near to far; otherwise from low to high row numbers.

        Returns
        -------
        distances : (q,) array of arrays, if asked for
        rows : (q,) array of arrays of numbers of training rows
        """
        if sort_results and not return_distance:
            raise ParameterError(
                f"{type(self).__name__}: return_distance must be True if sort_results is True."
            )
        start, rows, distances = self._within(X, radius, sort_results)
        parts = [np.empty(len(start) - 1, dtype=object) for _ in range(2)]
        for part, values in zip(parts, (distances, rows)):
            part[:] = [values[a:b] for a, b in pairwise(start.tolist())]
        return tuple(parts) if return_distance else parts[1]

    def radius_neighbors_graph(
        self,
        X: TableLike | None = None,
        radius: float | ArrayLike | None = None,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> Any:
        """The graph of near rows as a sparse (q, n) matrix of ones, or with mode "distance" of distances."""
        _check_mode(mode, type(self).__name__)
        start, rows, distances = self._within(X, radius, sort_results)
        data = np.ones(len(rows)) if mode == "connectivity" else distances
        return compressed_matrix("csr_matrix", data, rows, start, (len(start) - 1, self.n_samples_fit_))

    def _within(self, X: Any, radius: Any, sort: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        values = self._admit_to_answer(X)
        radius = self.radius if radius is None else radius
        start, rows, distances = self._search.within(values, radius, leave_out_self=values is None)
        if sort:
            order = np.lexsort((rows, distances, np.repeat(np.arange(len(start) - 1), np.diff(start))))
            rows, distances = rows[order], distances[order]
        return start, rows, distances

    def _neighbourhoods(self, X: Any) -> Neighborhoods:
        start, rows, distances = self._search.within(X, self.radius, leave_out_self=X is None)
        return Neighborhoods(start, rows, distances, np.full(len(start) - 1, float(self.radius)))


def _check_mode(mode: str, who: str) -> None:
    if mode not in ("connectivity", "distance"):
        raise ParameterError(
            f'{who}: Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead.'
        )
