"""Local outlier factor: compare the density of a row with that of its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Choice, Flag
from assay.core.stored import FloatArray, Integer
from assay.errors import AssayWarning, DataError, warn_user
from assay.neighbors.neighbor_learner import KNeighbors
from assay.outliers.detector import CONTAMINATION, Detector, sides
from assay.types import MetricLike, TableLike, Target

__all__ = ["LocalOutlierFactor"]

MIN_REACH = 1e-10  # added to a mean distance, so that rows with many copies have a density


def _for_new_rows(method: str) -> Any:
    def check(self: Any) -> bool:
        if not self.novelty:
            raise AttributeError(
                f"{method} is not available when novelty=False: it is for new rows. Fit with novelty=True, or use "
                "fit_predict and negative_outlier_factor_ for the training rows."
            )
        return True

    return available_if(check)


def _for_training_rows(self: Any) -> bool:
    if self.novelty:
        raise AttributeError(
            "fit_predict is not available when novelty=True. Use novelty=False to judge the training rows."
        )
    return True


class LocalOutlierFactor(KNeighbors, Detector):
    r"""Compare the density around a row with the density around its neighbours.

    With :math:`N(x)` the k nearest training rows of x (never x itself when it is one of them; among equal distances
    the lower row) and :math:`d_k` the distance to the k-th, the reachability density is

    .. math:: \mathrm{lrd}(x) = \Big[\tfrac1k \sum_{s \in N(x)} \max(d_k(s), d(x, s))\Big]^{-1} \quad (1)

    and the factor, about 1 inside of a group of any density and larger outside,

    .. math:: \mathrm{LOF}(x) = \tfrac1k \sum_{s \in N(x)} \frac{\mathrm{lrd}(s)}{\mathrm{lrd}(x)} \quad (2)

    (Breunig et al. 2000). The ``variant`` "simple" compares the distances alone,

    .. math:: \mathrm{LOF}(x) = \frac{d_k(x)}{\frac1k \sum_{s \in N(x)} d_k(s)} \quad (3)

    where 0/0 (copies among copies) is 1 and a row without copies beside copies has factor infinity. (1) has 1e-10
    added to the mean distance for the same reason.

    Use it where groups have different densities; it makes no assumption about their shape. With ``metric="auto"`` mixed
    tables and missing values are compared as they are.

    Cost: fit the k nearest neighbours of all rows, at most O(n^2 d); predict O(n d) a row at most; memory O(n (d + k)),
    the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 20
        k; more than n - 1 are taken as n - 1.
    algorithm : "auto", "ball_tree", "kd_tree" or "brute", default "auto"
        How neighbours are searched; the answer does not depend on it.
    leaf_size : int, default 30
    metric : str or function, default "minkowski"
        Any name that :func:`assay.distances.metric_of` knows.
    p : float, default 2
    metric_params : dict, default None
    contamination : "auto" or a share up to 0.5, default "auto"
        The share of outliers among the training rows, from which ``offset_`` follows; "auto" puts the threshold at
        factor 1.5.
    novelty : bool, default False
        True to predict for new rows, False to label the training rows.
    n_jobs : int, default None
        Accepted as in scikit-learn; the number of threads follows the machine.
    variant : "breunig" or "simple", default "breunig"

    Attributes
    ----------
    negative_outlier_factor_ : (n,) minus the factor of each training row
    n_neighbors_ : int      offset_ : float      n_samples_fit_ : int
    effective_metric_ : str      effective_metric_params_ : dict

    Examples
    --------
    >>> from assay.outliers import LocalOutlierFactor
    >>> model = LocalOutlierFactor(n_neighbors=2, variant="simple")
    >>> model.fit_predict([[0.0], [1.0], [2.0], [3.0], [4.0], [10.0]])
    array([-1,  1,  1,  1, -1, -1])
    >>> -model.negative_outlier_factor_.round(3)
    array([2.   , 0.667, 1.   , 0.667, 2.   , 4.667])

    See Also
    --------
    NeighborDistanceOutliers, IsolationForest

    References
    ----------
    - Breunig, M. M., Kriegel, H.-P., Ng, R. T. and Sander, J. (2000). LOF: identifying density-based local
      outliers. ACM SIGMOD Conference, 93-104. doi:10.1145/342009.335388
    """

    card = Card("local outlier factor", "rows less dense than their neighbours", also=("lof",), scale=True)
    accepts = {
        **KNeighbors.accepts,
        "contamination": CONTAMINATION,
        "novelty": Flag(),
        "variant": Choice("breunig", "simple"),
    }
    stored = {
        "_density_": FloatArray("n"),
        "_reach_": FloatArray("n"),
        "n_neighbors_": Integer(low=1),
        "negative_outlier_factor_": FloatArray("n"),
    }

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: MetricLike = "minkowski",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        contamination: float | str = "auto",
        novelty: bool = False,
        n_jobs: int | None = None,
        variant: str = "breunig",
    ):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs
        self.variant = variant

    def _learn(self, X: Any) -> np.ndarray:
        n, who = X.shape[0], type(self).__name__
        if n < 2:
            raise DataError(
                f"{who}: Expected n_neighbors < n_samples_fit, but n_neighbors = {self.n_neighbors}, "
                "n_samples_fit = 1, n_samples = 1: a row is compared with others. Give two rows or more."
            )
        if self.n_neighbors > n:
            warn_user(
                f"{who}: n_neighbors ({self.n_neighbors}) is greater than the total number of samples ({n}). "
                f"n_neighbors will be set to (n_samples - 1) = {n - 1}.",
                AssayWarning,
            )
        self.n_neighbors_ = min(self.n_neighbors, n - 1)
        self._store(X)
        distances, rows = self._nearest(None, self.n_neighbors_)
        self._reach_ = distances[:, -1].copy()  # d_k of each training row
        self._density_ = self._densities(distances, rows)
        factor = self._factors(distances, rows)
        self.negative_outlier_factor_ = -factor
        if not self.novelty and self.variant == "breunig" and factor.max() > 1e7:
            warn_user(
                f"{who}: Duplicate values are leading to incorrect results. Increase the number of neighbors for more "
                f"accurate results. (More than {self.n_neighbors_} copies of a row leave no distance to measure by.)",
                AssayWarning,
            )
        return -factor

    def _densities(self, distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(q,) the lrd of rows with these neighbours."""
        reach = np.maximum(distances, self._reach_[rows])
        return 1.0 / (reach.mean(axis=1) + MIN_REACH)  # (1)

    def _factors(self, distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(q,) the LOF of rows with these neighbours."""
        if self.variant == "breunig":
            return self._density_[rows].mean(axis=1) / self._densities(distances, rows)  # (2)
        distance, around = distances[:, -1], self._reach_[rows].mean(axis=1)
        alone = np.where(distance > 0, np.inf, 1.0)
        return np.divide(distance, around, out=alone, where=around > 0)  # (3)

    def _score(self, X: Any) -> np.ndarray:
        return -self._factors(*self._nearest(X, self.n_neighbors_))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        distances, near = self._nearest(X, self.n_neighbors_)
        factors = self._factors(distances, near)
        columns = [
            f"training {self._cases.head}",
            "distance",
            "distance to its own neighbour number " + str(self.n_neighbors_),
        ]

        def sections(i: int) -> list[Section]:
            lines = [
                [self._cases.label(int(t)), float(d), float(self._reach_[t])]
                for t, d in zip(near[i], distances[i])
            ]
            note = f"Factor {float(factors[i]):.4g}: about 1 is as lonely as its neighbours are."
            nearest = Section(f"The {self.n_neighbors_} nearest training rows", columns, lines, note)
            return [nearest, *self._beside_stored(rows[i], near[i])]

        return Reasons(sections)

    @available_if(_for_training_rows)
    def fit_predict(self, X: TableLike, y: Target | None = None) -> np.ndarray:
        """(n,) -1 for the outliers among the training rows, 1 for the others."""
        self.fit(X)
        return sides(np.where(self.negative_outlier_factor_ < self.offset_, -1.0, 1.0))

    @_for_new_rows("predict")
    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) -1 for outliers among new rows, 1 for the others."""
        return super().predict(X)

    @_for_new_rows("decision_function")
    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) minus the factor of new rows, less the threshold: negative for outliers."""
        return super().decision_function(X)

    @_for_new_rows("score_samples")
    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) minus the factor of new rows."""
        return super().score_samples(X)

    @property
    def _k(self) -> int:
        return self.n_neighbors_
