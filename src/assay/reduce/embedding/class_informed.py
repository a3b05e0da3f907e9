"""Distances that know the classes: rows of different classes are moved apart before they are embedded."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Array, Choice, Count, Instance, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Mapped, Object, Scalar
from assay.core.targets import encode_labels
from assay.distances.search import searcher
from assay.errors import DataError, ParameterError
from assay.reduce.embedding.classical_mds import ClassicalMDS
from assay.reduce.embedding.classical_scaling import checked_distances
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.extension import LocalWeights
from assay.types import Estimator, MetricLike, RandomState, TableLike, Target

__all__ = ["ClassInformedEmbedding", "class_informed_distances"]

ALPHAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # tried by cross-validation
VOTES = 5  # nearest training points that classify a point in cross-validation


def class_informed_distances(
    distances: ArrayLike, y: Target, alpha: float, class_distances: ArrayLike | None = None
) -> np.ndarray:
    r"""(n, n) distances that count the classes: :math:`d'_{rs} = (1 - \alpha) d_{rs} + \alpha c_{rs}`.

    Cost: O(n^2).

    Parameters
    ----------
    distances : (n, n)      y : (n,) the class of each row
    alpha : float from 0 (the distances themselves) to 1 (classes alone)
    class_distances : (K, K) or None, default None
        How far classes are apart, in sorted order; None: the mean of all distances between any two.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import class_informed_distances
    >>> class_informed_distances(np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]), ["a", "b", "b"], 0.5)
    array([[0. , 1.5, 2.5],
           [1.5, 0. , 1. ],
           [2.5, 1. , 0. ]])

    See Also
    --------
    ClassInformedEmbedding
    """
    D = np.asarray(distances, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if D.ndim != 2 or D.shape != (len(codes), len(codes)):
        raise DataError(
            f"class_informed_distances: expected ({len(codes)}, {len(codes)}) distances, got {D.shape}."
        )
    if not 0 <= alpha <= 1:
        raise ParameterError(f"class_informed_distances: alpha must be a number from 0 to 1, got {alpha!r}.")
    return (1 - alpha) * D + alpha * _between_classes(D, codes, len(classes), class_distances)


def _between_classes(D: np.ndarray, codes: np.ndarray, K: int, class_distances: Any) -> np.ndarray:
    if class_distances is None:
        n = len(D)
        C = (1 - np.eye(K)) * (float(D.sum()) / (n * (n - 1)) if n > 1 else 1.0)
    else:
        C = np.asarray(class_distances, dtype=np.float64)
        if C.shape != (K, K) or not np.array_equal(C, C.T) or (C < 0).any() or C.diagonal().any():
            raise ParameterError(
                f"class_distances must be a symmetric ({K}, {K}) matrix for {K} classes, none below 0 and 0 on its "
                "diagonal."
            )
    return C[np.ix_(codes, codes)]


class ClassInformedEmbedding(Embedding):
    r"""An embedding of distances that also count the classes of the rows.

    .. math:: d'_{rs} = (1 - \alpha)\, d_{rs} + \alpha\, c_{rs}                                           \quad (1)

    c is the distance of the rows' classes. With alpha = 0 this is the embedding itself; with 1 a class is one point.
    Any embedding that takes distances can be inside: :class:`ClassicalMDS`, :class:`MDS`, :class:`SammonMapping`,
    :class:`Isomap`, :class:`LocallyLinearEmbedding`. New rows, whose class nobody knows, are placed by the weights that
    rebuild them of their neighbours in the table. ``alpha="cv"`` takes the share with which the five nearest training
    points classify held-out rows best; of equal ones the smallest.

    Cost: fit that of the embedding and O(n^2 d), times folds and shares tried for "cv"; transform O(n d) a row; memory
    O(n^2).

    Parameters
    ----------
    estimator : embedding with ``metric``, or None, default None
        None is ClassicalMDS().
    alpha : float from 0 to 1, or "cv", default "cv"
    class_distances : (K, K) array or None, default None
        How far classes are apart, in the order of ``classes_``; None: the mean of all distances between any two.
    cv : int, default 5
        Folds, each with rows of every class.
    metric : str, callable or Metric, default "euclidean"
    metric_params : dict or None, default None
    extension : "auto", "weights", LocalWeights or regressor, default "auto"
    random_state : int, RandomState or None, default None
        How rows are dealt to folds.

    Attributes
    ----------
    embedding_ : (n, k)      alpha_ : the share of (1)      estimator_ : the fitted embedding of d'
    cv_scores_ : accuracy of each share tried      classes_ : (K,)

    Examples
    --------
    >>> from assay.reduce import ClassInformedEmbedding
    >>> from assay.tables.data import load_iris
    >>> X, y = load_iris()
    >>> model = ClassInformedEmbedding(alpha=0.5).fit(X, y)
    >>> model.embedding_.shape
    (150, 2)

    See Also
    --------
    class_informed_distances, ClassicalMDS, Isomap

    References
    ----------
    - Cox, T. F. and Ferry, G. (1993). Discriminant analysis using non-metric multidimensional scaling. Pattern
      Recognition 26, 145-153. doi:10.1016/0031-3203(93)90096-F
    """

    card = Card("class informed embedding", "an embedding of distances that count the classes")
    accepts = {
        **{name: kind for name, kind in Embedding.accepts.items() if name != "n_components"},
        "estimator": Instance(having="fit_transform", words="an embedding") | None,
        "alpha": Range(0, 1) | Choice("cv"),
        "class_distances": Array(2, low=0) | None,
        "cv": Count(2),
        "random_state": Seed(),
    }
    stored = {
        "alpha_": Scalar(low=0, high=1),
        "estimator_": Object(BaseEstimator),
        "cv_scores_": Mapped(Scalar()),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        alpha: float | str = "cv",
        class_distances: ArrayLike | None = None,
        cv: int = 5,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        extension: str | Estimator | None = "auto",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.class_distances = class_distances
        self.cv = cv
        self.metric = metric
        self.metric_params = metric_params
        self.extension = extension
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Find coordinates for the rows of X, whose classes are y."""
        if y is None:
            raise DataError(f"{type(self).__name__}: requires y to be passed, but the target y is None.")
        self._labels = y
        try:
            return super().fit(X)
        finally:
            del self._labels

    def _embed(self, X: Any) -> np.ndarray:
        who = type(self).__name__
        self.classes_, codes = encode_labels(self._labels, X.shape[0], who)[:2]
        D = checked_distances(self.distance_.between(X, X), who)
        self.cv_scores_ = {}
        self.alpha_ = self._chosen(X, D, codes) if self.alpha == "cv" else float(self.alpha)
        self.estimator_ = self._embedding().fit(self._informed(D, codes, self.alpha_))
        return np.asarray(self.estimator_.embedding_)

    def _embedding(self) -> Any:
        inner = ClassicalMDS() if self.estimator is None else clone(self.estimator)
        if "metric" not in inner.get_params():
            raise ParameterError(
                f"{type(self).__name__}: estimator must be an embedding that takes metric='precomputed', got "
                f"{inner!r}."
            )
        return inner.set_params(metric="precomputed")

    def _informed(self, D: np.ndarray, codes: np.ndarray, alpha: float) -> np.ndarray:
        C = _between_classes(D, codes, int(codes.max()) + 1, self.class_distances)
        return (1 - alpha) * D + alpha * C

    def _chosen(self, X: Any, D: np.ndarray, codes: np.ndarray) -> float:
        """The share of least held-out error."""
        if len(codes) < self.cv:
            raise DataError(
                f"{type(self).__name__}: alpha='cv' with {self.cv} folds needs at least {self.cv} rows, got "
                f"{len(codes)}. Set alpha to a number from 0 to 1, or ask for fewer folds."
            )
        folds = _dealt(codes, self.cv, random_state_of(self.random_state))
        for alpha in ALPHAS:
            right = 0
            for fold in range(self.cv):
                train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                Z = (
                    self._embedding()
                    .fit(self._informed(D[np.ix_(train, train)], codes[train], alpha))
                    .embedding_
                )
                known, asked = (D[np.ix_(train, train)], D[np.ix_(test, train)])
                rows = (known, asked) if self.distance_.precomputed else (X[train], X[test])
                placed = LocalWeights().place(rows[1], searcher(rows[0], self.distance_), Z)
                near = searcher(np.ascontiguousarray(Z)).nearest(placed, min(VOTES, len(train)))[1]
                votes = np.apply_along_axis(
                    np.bincount, 1, codes[train][near], minlength=int(codes.max()) + 1
                )
                right += int((votes.argmax(axis=1) == codes[test]).sum())
            self.cv_scores_[alpha] = right / len(codes)
        return max(ALPHAS, key=lambda alpha: (self.cv_scores_[alpha], -alpha))


def _dealt(codes: np.ndarray, folds: int, random: np.random.RandomState) -> np.ndarray:
    """(n,) the fold of each row: the rows of every class, shuffled, dealt in turn."""
    out = np.empty(len(codes), np.int64)
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    out[order] = np.arange(len(codes)) % folds
    return out
