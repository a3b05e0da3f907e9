"""What embeddings share: a metric, coordinates of the training rows, and a way to place new rows among them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core.cases import beside
from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Any_, Count, Instance
from assay.core.stored import FloatArray, Object, TableRows, Text
from assay.core.takes import takes_of_part
from assay.distances.metric import METRIC, Metric, metric_of
from assay.distances.search import Searcher, kept_searcher, rows_of_index, searcher
from assay.errors import DataError, ParameterError
from assay.reduce.components.explained_moves import ExplainedMoves
from assay.reduce.embedding.extension import USUAL_NEIGHBORS, LocalWeights
from assay.types import TableLike, Target

__all__ = ["Embedding"]


def _key(row: np.ndarray) -> bytes:
    """The values of a row, the same for equal ones: one kind of NaN, one zero."""
    return (np.where(np.isnan(row), np.nan, row) + 0.0).tobytes()


EXTENSION = Any_(
    "'auto', the name of one of its ways, LocalWeights(...), or a regressor",
    lambda value: (
        isinstance(value, (str, LocalWeights)) or (hasattr(value, "fit") and hasattr(value, "predict"))
    ),
)


class Embedding(ExplainedMoves, NumberedColumns):
    """Coordinates of the training rows, ``embedding_``, and of new ones.

    A subclass writes ``_embed(X)``, which returns the (n, m) coordinates, and names in ``ways`` how it can place new
    rows, its own formula first: for all but "weights" it writes ``_place(X, way)``. A parameter ``extension``
    lets the user choose another way, or hand in a regressor, which is fitted to training rows and their coordinates.

    Attributes
    ----------
    embedding_ : (n, m) coordinates of the training rows
    extension_ : how new rows are placed: the name of a formula, LocalWeights, or the fitted regressor
    distance_ : Metric, with what it learned
    """

    accepts: ClassVar[Any] = {
        "n_components": Count(1),
        "metric": METRIC,
        "metric_params": Instance(dict, words="a dict") | None,
        "extension": EXTENSION,
    }
    stored = {
        "embedding_": FloatArray("n", "m", finite=True),
        "extension_": Text() | Object(LocalWeights, BaseEstimator),
        "distance_": Object(Metric, d="p"),
        "_fit_X": TableRows("n", "p"),
    }
    keeps_row_names = True
    ways: ClassVar[tuple[str, ...]] = ("weights",)
    alternative_for_missing: ClassVar[str] = "Use metric='heom', which compares the values that are known."

    n_components: Any
    n_neighbors: Any = None
    metric: Any = "euclidean"
    p: Any = 2
    metric_params: Any = None
    neighbors_algorithm: Any = "auto"
    extension: Any = "auto"
    disconnected: Any = "connect"
    extension_: Any
    component_labels_: np.ndarray

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use of a table as it is."""
        return takes_of_part(self, "distance_", lambda: self._metric(None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Find coordinates for the rows of X; y is ignored."""
        return super().fit(X)

    def fit_transform(self, X: TableLike, y: Target | None = None) -> np.ndarray:
        """(n, m) the coordinates of the rows of X."""
        return self.fit(X, y).embedding_.copy()

    def _check_parameters(self) -> None:
        self.__dict__.pop("distance_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()
        way = self.extension
        if isinstance(way, str) and way not in ("auto", *self.ways):
            raise ParameterError(
                f"{type(self).__name__}: extension must be one of {', '.join(map(repr, ('auto', *self.ways)))}, "
                f"LocalWeights(...) or a regressor, got {way!r}."
            )

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        return super()._admit(rows_of_index(X) if fitting else X, fitting)

    def _metric(self, schema: Any) -> Metric:
        return metric_of(self.metric, p=self.p, metric_params=self.metric_params, schema=schema)

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        try:
            metric = self._metric(self.schema_)
        except ParameterError as error:
            raise ParameterError(f"{who}: {error}") from None
        if metric.precomputed and X.shape[0] != X.shape[1]:
            raise DataError(
                f"{who}: Precomputed matrix must be square, distances of the training rows to each other; got "
                f"{X.shape[0]} rows and {X.shape[1]} columns."
            )
        self.distance_ = metric.learn(X)
        self._fit_X = X
        self.embedding_ = np.ascontiguousarray(self._embed(X))
        self._n_features_out = self.embedding_.shape[1]
        self._learn_extension(X)
        self._keep_precision(X)

    def _embed(self, X: Any) -> np.ndarray:
        """(n, m) the coordinates of the training rows."""
        raise TypeError(f"{type(self).__name__} must define _embed")

    # New rows

    def _learn_extension(self, X: Any) -> None:
        way = self.extension
        if isinstance(way, str) and way == "auto":
            way = "weights" if self._apart else self.ways[0]
        if isinstance(way, str):
            self.extension_ = self._local_weights() if way == "weights" else way
        elif isinstance(way, LocalWeights):
            self.extension_ = way
        else:
            target = self.embedding_[:, 0] if self._n_features_out == 1 else self.embedding_
            self.extension_ = clone(way).fit(dense_block(X), target)

    def _local_weights(self) -> LocalWeights:
        """The weights of a new row's neighbours, as many as the embedding itself looks at."""
        return LocalWeights(self.n_neighbors)

    def _transform(self, X: Any) -> np.ndarray:
        placed = self._placed(X).astype(self.embedding_.dtype, copy=False)
        if isinstance(self.extension_, (str, LocalWeights)):
            self._recognise_rows_with_gaps(X, placed)
        return placed

    def _recognise_rows_with_gaps(self, X: Any, placed: np.ndarray) -> None:
        """Put rows that equal training rows at their places where a missing value is away from itself."""
        if not isinstance(X, np.ndarray) or not (asked := np.flatnonzero(np.isnan(X).any(axis=1))).size:
            return
        known: dict[bytes, list[int]] = {}
        for i in np.flatnonzero(np.isnan(self._fit_X).any(axis=1)):
            known.setdefault(_key(self._fit_X[i]), []).append(int(i))
        for i in asked:
            if rows := known.get(_key(X[i])):
                placed[i] = self.embedding_[rows].mean(axis=0)

    def _placed(self, X: Any) -> np.ndarray:
        if isinstance(self.extension_, LocalWeights):
            return (
                self._place_apart(X)
                if self._apart
                else self.extension_.place(X, self._search, self.embedding_)
            )
        if isinstance(self.extension_, str):
            return self._place(X, self.extension_)
        answer = np.asarray(self.extension_.predict(dense_block(X)), dtype=np.float64)
        return answer.reshape(X.shape[0], self._n_features_out)

    @property
    def _apart(self) -> bool:
        """Whether the components of the graph of neighbours have coordinates of their own."""
        return self.disconnected == "separate" and bool(self.component_labels_.max(initial=0))

    def _place_apart(self, X: Any) -> np.ndarray:
        """New rows among the rows of the component that the nearest training row is in."""
        nearest = self._search.nearest(X, 1)[1][:, 0]
        out = np.empty((X.shape[0], self._n_features_out))
        for piece in np.unique(self.component_labels_[nearest]):
            new = np.flatnonzero(self.component_labels_[nearest] == piece)
            rows = np.flatnonzero(self.component_labels_ == piece)
            known, asked = self._fit_X[rows], X[new]
            if self.distance_.precomputed:
                known, asked = known[:, rows], asked[:, rows]
            part = searcher(known, self.distance_)
            out[new] = self.extension_.place(asked, part, self.embedding_[rows])
        return out

    def _place(self, X: Any, way: str) -> np.ndarray:
        """(q, m) the coordinates of new rows by one of the embedding's own ways."""
        raise TypeError(f"{type(self).__name__} must define _place")

    @property
    def _search(self) -> Searcher:
        """The training rows, indexed for queries."""
        try:
            return kept_searcher(self, self._fit_X, self.distance_, self.neighbors_algorithm)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    # Reasons

    def _training_block(self) -> Any:
        return None if self.distance_.precomputed else self._fit_X

    def _sources(self, X: Any, row: dict[str, Any], placed: np.ndarray) -> list[Section]:
        """The nearest training rows and their places, with their weights if these make the place of the row."""
        way = self.extension_
        if isinstance(way, LocalWeights):
            rows, distances, weights = (part[0] for part in way.neighbors(X, self._search))
        else:
            k = min(self.n_neighbors or USUAL_NEIGHBORS, self._search.n)
            distances, rows = (part[0] for part in self._search.nearest(X, k))
            weights = None
        near = self.embedding_[rows].astype(np.float64)
        if weights is not None and not np.allclose(weights @ near, placed, atol=1e-6 * np.abs(near).max()):
            weights = (
                None  # another rule placed it: among the rows of one component, or as the training row it is
            )
        heads = [self._cases.head, "distance", *([] if weights is None else ["weight"]), *self._names_out()]
        lines: list[list[Any]] = [
            [self._cases.label(int(r)), float(distances[t])]
            + ([] if weights is None else [float(weights[t])])
            + near[t].tolist()
            for t, r in enumerate(rows)
        ]
        title = f"The {len(lines)} nearest of {len(self.embedding_)} training rows, and their places"
        note = (
            f"New rows are placed by {way!r}."
            if weights is None
            else "The row's place is their weighted sum."
        )
        places = Section(title, heads, lines, note)
        if self._training_block() is None:
            return [places]
        return [places, *beside(self, row, self._fit_X[rows], rows.tolist())]

    def _model_parts(self) -> list[Part]:
        spread = self.embedding_.std(axis=0)
        lines: list[list[Any]] = [
            [name, float(low), float(high), float(s)]
            for name, low, high, s in zip(
                self._names_out(), self.embedding_.min(axis=0), self.embedding_.max(axis=0), spread
            )
        ]
        note = f"{len(self.embedding_)} training rows, {self.distance_.name} distances; new rows by {self.extension_!r}"
        return [
            Section("Coordinates", ["coordinate", "lowest", "highest", "standard deviation"], lines, note)
        ]
