"""Nearest centroid: each class is its centre, and a row belongs to the class whose centre is nearest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card, Classifier
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Array, Choice, Range
from assay.core.scores import log_softmax, softmax
from assay.core.stored import Each, FloatArray
from assay.distances.extremes import refuse_extremes
from assay.distances.mahalanobis import inverse_of, mean_of, root_of
from assay.distances.metric import metric_of
from assay.distances.search import searcher
from assay.errors import AssayWarning, DataError, DegenerateWarning, ParameterError, warn_user
from assay.types import Priors, TableLike, Target

__all__ = ["NearestCentroid"]


def _is_gaussian(self: Any) -> bool:
    if self.metric == "manhattan":
        raise AttributeError(
            "Distances to medians are no log densities, so metric='manhattan' gives no probabilities: use predict, or "
            "assay.bayes.LaplaceNB."
        )
    return True


class NearestCentroid(Classifier):
    r"""Classify by the distance to the centre of each class.

    .. math:: \text{choose } k \text{ with } D(x, m_k) = \min_j D(x, m_j) \quad (1)

    With the Euclidean distance :math:`m_k` is the mean of the class, with Manhattan's the median of each
    column. With Mahalanobis' :math:`D^2 = (x-m_k)^T S_k^{-1} (x-m_k)` each class has its own covariance (divisor
    :math:`n_k`; directions in which a class does not vary count nothing), so a wide class reaches further than a
    narrow one. With unequal priors, and for probabilities, the score is

    .. math:: g_k(x) = -D^2(x, m_k) + 2 \ln \pi_k \quad (2)

    where the Euclidean distance is taken after dividing each column by its standard deviation within classes.

    Shrunken centroids (Tibshirani et al. 2002): with :math:`s_j` that standard deviation, :math:`s_0` the median of
    all and :math:`c_k^2 = 1/n_k - 1/n`, the deviations

    .. math:: d_{kj} = \frac{m_{kj} - m_j}{c_k (s_j + s_0)} \quad (3)

    come closer to 0 by ``shrink_threshold``; a column whose deviations are all 0 has no say any more.

    Cost: fit O(n d), with medians O(n d log n); predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    metric : "euclidean", "manhattan" or "mahalanobis", default "euclidean"
    shrink_threshold : float above 0, default None
        Not for sparse tables.
    priors : "uniform", "empirical" or (K,) probabilities, default "uniform"
        "empirical" takes the class shares. Numbers that do not sum to 1 are divided by their sum, with a warning.

    Attributes
    ----------
    centroids_ : (K, d)      class_prior_ : (K,)
    deviations_ : (K, d) of (3), after shrinking      within_class_std_dev_ : (d,)
    maps_ : list of (r, d), the maps after which Mahalanobis' distance is Euclid's ("mahalanobis")

    Examples
    --------
    >>> from assay.neighbors import NearestCentroid
    >>> model = NearestCentroid().fit([[0.0, -1.0], [2.0, 1.0], [5.0, 3.0], [7.0, 5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[4.0, 4.0]]), model.centroids_
    (array(['b'], dtype='<U1'), array([[1., 0.],
           [6., 4.]]))

    See Also
    --------
    NearestClusterClassifier, KNeighborsClassifier, assay.bayes.LinearDiscriminantAnalysis

    References
    ----------
    - Tibshirani, R., Hastie, T., Narasimhan, B. and Chu, G. (2002). Diagnosis of multiple cancer types by shrunken
      centroids of gene expression. Proceedings of the National Academy of Sciences 99(10), 6567-6572.
      doi:10.1073/pnas.082099299
    """

    card = Card(
        "nearest centroid",
        "the class whose centre is closest, by one of several distances",
        scale=True,
        learns=(
            "a centroid of each class",
            "distance to the centroid of the class",
            "means or medians, shrunk",
            "analytic",
        ),
    )
    accepts = {
        "metric": Choice("euclidean", "manhattan", "mahalanobis"),
        "shrink_threshold": Range(0, open="low") | None,
        "priors": Choice("uniform", "empirical") | Array(1),
    }
    stored = {
        "centroids_": FloatArray("K", "p"),
        "class_prior_": FloatArray("K", low=0),
        "deviations_": FloatArray("K", "p"),
        "maps_": Each(FloatArray("*", "p"), "K"),
        "within_class_std_dev_": FloatArray("p"),
    }
    takes = frozenset({"sparse"})

    def __init__(
        self,
        metric: str = "euclidean",
        *,
        shrink_threshold: float | None = None,
        priors: Priors | None = "uniform",
    ):
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Learn the centres from the rows of X and their classes y."""
        return super().fit(X, y)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, n, K = type(self).__name__, X.shape[0], len(self.classes_)
        if K < 2:
            raise DataError(f"{who}: The number of classes has to be greater than one; got {K} class.")
        sparse = not isinstance(X, np.ndarray)
        if sparse and (self.shrink_threshold is not None or self.metric == "mahalanobis"):
            raise DataError(
                f"{who}: shrinking and metric='mahalanobis' need a dense table, got a sparse one. Use X.toarray()."
            )
        ranges = refuse_extremes(X, type(self).__name__, self._names)
        if not ranges.any():
            raise DataError(f"{who}: All features have zero variance: every row is the same. Add a column.")
        counts = np.bincount(y, minlength=K)
        self.class_prior_ = self._priors(counts / n)
        middle = _median if self.metric == "manhattan" else _mean
        centers, maps, scatter = [], [], np.zeros(X.shape[1])
        for k in range(K):
            mine = X[np.flatnonzero(y == k)]
            centers.append(middle(mine))
            scatter += _squares(mine, centers[-1])
            if self.metric == "mahalanobis":
                maps.append(_map(mine - centers[-1]))
        self.centroids_ = np.array(centers)
        self.within_class_std_dev_ = np.sqrt(scatter / (n - K)) if n > K else np.zeros(X.shape[1])
        if self.metric == "mahalanobis":
            self.maps_ = maps
        self._deviate(_mean(X), counts)

    def _priors(self, shares: np.ndarray) -> np.ndarray:
        who, K = type(self).__name__, len(shares)
        if isinstance(self.priors, str):
            return shares if self.priors == "empirical" else np.full(K, 1 / K)
        priors = np.asarray(self.priors, dtype=np.float64)
        if len(priors) != K or (priors < 0).any() or not priors.sum() > 0:
            raise ParameterError(
                f"{who}: priors must be non-negative, one number for each of the {K} classes, got {self.priors!r}."
            )
        if not np.isclose(priors.sum(), 1.0):
            warn_user(
                f"{who}: The priors do not sum to 1. Normalizing such that it sums to one.",
                AssayWarning,
            )
        return priors / priors.sum()

    def _deviate(self, centre: np.ndarray, counts: np.ndarray) -> None:
        """The deviations (3), and the centroids that belong to the shrunken ones."""
        s = self.within_class_std_dev_
        if (s == 0).any():
            count = "nothing" if self.metric == "mahalanobis" else "as they are"
            warn_user(
                f"{type(self).__name__}: self.within_class_std_dev_ has at least 1 zero standard deviation: "
                f"{int((s == 0).sum())} column(s) do not vary within any class; their differences count {count}.",
                DegenerateWarning,
            )
        unit = np.sqrt(1 / counts - 1 / counts.sum())[:, None] * (s + np.median(s))
        apart = self.centroids_ - centre
        self.deviations_ = np.divide(apart, unit, out=np.copysign(np.inf, apart), where=unit > 0)  # (3)
        self.deviations_[apart == 0] = 0.0
        if self.shrink_threshold:
            size = np.maximum(np.abs(self.deviations_) - self.shrink_threshold, 0)
            self.deviations_ = np.sign(self.deviations_) * size
            self.centroids_ = centre + np.where(
                unit > 0, unit * np.where(unit > 0, self.deviations_, 0), apart
            )

    def distances(self, X: TableLike) -> np.ndarray:
        """(n, K) the distance (1) of each row to each centroid."""
        return self._apart(self._admit(X))

    def _apart(self, X: Any) -> np.ndarray:
        if self.metric != "mahalanobis":
            return metric_of(self.metric).between(X, self.centroids_)
        both = zip(self.centroids_, self.maps_)
        return np.stack([np.sqrt(np.sum(((X - m) @ L.T) ** 2, axis=1)) for m, L in both], axis=1)

    def _scores(self, X: Any) -> np.ndarray:
        if self.metric == "mahalanobis":
            squares = self._apart(X) ** 2
        else:
            s = np.where(self.within_class_std_dev_ > 0, self.within_class_std_dev_, 1.0)
            scaled = X / s if isinstance(X, np.ndarray) else X.multiply(1 / s).tocsr()
            squares = metric_of(self.metric).between(scaled, self.centroids_ / s) ** 2
        with np.errstate(divide="ignore"):
            return -squares + 2.0 * np.log(self.class_prior_)  # (2)

    def _choose(self, X: Any) -> np.ndarray:
        if np.isclose(self.class_prior_, 1 / len(self.classes_)).all():
            if self.metric == "mahalanobis":
                return np.argmin(self._apart(X), axis=1)  # (1)
            return searcher(self.centroids_, metric_of(self.metric), "brute").nearest(X)[1][:, 0]
        return np.argmax(self._scores(X), axis=1)

    def _posterior(self, X: Any) -> np.ndarray:
        return softmax(self._scores(X))

    @available_if(_is_gaussian)
    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores (2); with two classes (n,), the second minus the first."""
        scores = self._scores(self._admit(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_is_gaussian)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the softmax of the scores (2)."""
        return super().predict_proba(X)

    @available_if(_is_gaussian)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the probabilities."""
        return log_softmax(self._scores(self._admit(X)))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        apart, priors = self._apart(X), self.class_prior_

        def sections(i: int) -> list[Section]:
            lines = [[str(c), float(d), float(p)] for c, d, p in zip(self.classes_, apart[i], priors)]
            return [Section("Distance to the centres", ["class", "distance", "prior"], lines)]

        return Reasons(sections)


def _mean(X: Any) -> np.ndarray:
    return mean_of(X) if isinstance(X, np.ndarray) else np.asarray(X.mean(axis=0), dtype=np.float64).ravel()


def _median(X: Any) -> np.ndarray:
    if isinstance(X, np.ndarray):
        return np.median(X, axis=0)
    from sklearn.utils.sparsefuncs import csc_median_axis_0

    return csc_median_axis_0(X.tocsc())


def _squares(X: Any, centre: np.ndarray) -> np.ndarray:
    """(d,) the sums of squared differences from a centre; a sparse table stays sparse."""
    if isinstance(X, np.ndarray):
        return np.sum((X - centre) ** 2, axis=0)
    X = X.tocsc()
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    of_stored = np.bincount(column, weights=(X.data - centre[column]) ** 2, minlength=X.shape[1])
    return of_stored + (X.shape[0] - np.diff(X.indptr)) * centre**2


def _map(centred: np.ndarray) -> np.ndarray:
    """(r, d) L with Mahalanobis' distance the length of L times a difference."""
    return root_of(inverse_of(centred.T @ centred / len(centred)), "NearestCentroid")
