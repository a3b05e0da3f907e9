"""Neighbours within a radius: the numbers of all rows that are near enough are averaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.errors import DegenerateError, DegenerateWarning, warn_user
from assay.neighbors.neighbor_learner import RadiusNeighbors
from assay.neighbors.neighbor_regressor import NeighborRegressor
from assay.neighbors.weights import WEIGHTS
from assay.tables.row_names import row_name
from assay.types import MetricLike

__all__ = ["RadiusNeighborsRegressor"]


class RadiusNeighborsRegressor(RadiusNeighbors, NeighborRegressor):
    r"""Answer with the mean of the numbers that the training rows within a radius have.

    .. math:: \hat y(x) = \frac{\sum_{i: D(x, x_i) \le r} w_i y_i}{\sum_{i: D(x, x_i) \le r} w_i} \quad (1)

    For a row without any near one the sum is empty. Then the nearest training row answers, with a warning;
    ``empty`` can ask for something else.

    Cost: fit O(n d), with a tree O(n d log n); predict O(n d) a row, in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept.

    Parameters
    ----------
    radius : float, default 1.0
        r; rows at exactly this distance are in.
    weights : "uniform", "distance", "squared_exponential", a kernel's name, a function, or None
        As in `KNeighborsRegressor`; a function gets an array of arrays of distances.
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    p : float, default 2
        The exponent of "minkowski".
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart; see `KNeighborsClassifier`.
    metric_params : dict, default None
        More arguments of the metric.
    n_jobs : int, default None
        Accepted; the machine's threads are used where the work is large, and the answer does not depend on them.
    bandwidth : float, default None
        The width of the kernels; None takes the radius.
    empty : "nearest", "mean", "raise" or "nan", default "nearest"
        What a row without neighbours gets: the number of the nearest training row, the mean of all, an error, or NaN,
        which is scikit-learn's answer. All but "raise" warn.

    Attributes
    ----------
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int

    Examples
    --------
    >>> from assay.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    >>> model.predict([[1.5]])
    array([0.5])

    See Also
    --------
    KNeighborsRegressor, RadiusNeighborsClassifier, assay.smoothers.KernelSmoother

    References
    ----------
    - Stone, C. J. (1977). Consistent nonparametric regression. Annals of Statistics 5(4), 595-620.
    """

    card = Card(
        "radius neighbours",
        "the mean of the rows within a radius",
        also=("radius neighbors",),
        scale=True,
        learns=("the mean of the nearest training rows", "none: rows are stored", "none", "stored"),
    )
    accepts = {
        **RadiusNeighbors.accepts,
        "weights": WEIGHTS,
        "bandwidth": Range(0, open="low") | None,
        "empty": Choice("nearest", "mean", "raise", "nan"),
    }

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: MetricLike = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        bandwidth: float | None = None,
        empty: str = "nearest",
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.bandwidth = bandwidth
        self.empty = empty

    def _fill(self, answer: np.ndarray, empty: np.ndarray, X: Any) -> None:
        who, numbers = type(self).__name__, self._y.reshape(len(self._y), -1)
        first = row_name(empty[0])
        problem = (
            f"{who}: {len(empty)} row(s), the first {first}, have no neighbors within radius {self.radius:g}"
        )
        if self.empty == "raise":
            raise DegenerateError(f"{problem}. Use a larger radius, or another choice of empty.")
        if self.empty == "nearest" and not (X is None and self.n_samples_fit_ == 1):
            nearest = self._nearest(None, 1)[1][empty] if X is None else self._nearest(X[empty], 1)[1]
            answer[empty] = numbers[nearest[:, 0]]
        else:
            answer[empty] = np.nan if self.empty == "nan" else numbers.mean(axis=0)
        word = {"nearest": "the nearest row answers", "mean": "the mean answers", "nan": "predicting NaN"}[
            self.empty
        ]
        warn_user(f"{problem}; {word}.", DegenerateWarning)
