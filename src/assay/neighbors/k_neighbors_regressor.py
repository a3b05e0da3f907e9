"""k nearest neighbours: the numbers of the nearest rows are averaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.core import Card
from assay.core.parameters import Range
from assay.neighbors.neighbor_learner import KNeighbors
from assay.neighbors.neighbor_regressor import NeighborRegressor
from assay.neighbors.weights import WEIGHTS
from assay.types import MetricLike

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(KNeighbors, NeighborRegressor):
    r"""Answer with the mean of the numbers that the k nearest training rows have.

    With :math:`w_i` the weights of the k nearest rows (all 1 by default),

    .. math:: \hat y(x) = \frac{\sum_{i \in N_k(x)} w_i y_i}{\sum_{i \in N_k(x)} w_i} \quad (1)

    Columns should be on comparable scales. Among equal distances the lower row comes first, also at the k-th place.

    Cost: fit O(n d), with a tree O(n d log n); predict O(n d) a row, in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 5
        k; at most the number of training rows.
    weights : "uniform", "distance", "squared_exponential", a kernel's name, a function, or None
        "distance" weighs by 1 / d; rows at distance 0, if there are any, then answer alone. "squared_exponential" is
        :math:`e^{-d^2/t^2}`, and "gaussian", "epanechnikov", "tricube", ... are :math:`K(d/h)`, with t and h the
        ``bandwidth``. A function maps the (q, k) distances to weights. None is "uniform".
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    p : float, default 2
        The exponent of "minkowski": 1 Manhattan, 2 Euclid, inf Chebyshev.
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart; see `KNeighborsClassifier`. "vdm" and "discriminant" need classes and are refused.
    metric_params : dict, default None
        More arguments of the metric.
    n_jobs : int, default None
        Accepted; the machine's threads are used where the work is large, and the answer does not depend on them.
    bandwidth : float, default None
        The width of the kernels; None takes the distance of the k-th neighbour.

    Attributes
    ----------
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int

    Examples
    --------
    >>> from assay.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    >>> model.predict([[1.5], [9.0]])
    array([0.5, 1. ])

    See Also
    --------
    RadiusNeighborsRegressor, KNeighborsClassifier, assay.smoothers.Loess

    References
    ----------
    - Stone, C. J. (1977). Consistent nonparametric regression. Annals of Statistics 5(4), 595-620.
    """

    card = Card(
        "knn",
        "the mean of the five nearest rows",
        also=("nearest neighbours", "nearest neighbors"),
        scale=True,
        suits="any",
        most_rows=20_000,
        learns=("the mean of the nearest training rows", "none: rows are stored", "none", "stored"),
    )
    accepts = {**KNeighbors.accepts, "weights": WEIGHTS, "bandwidth": Range(0, open="low") | None}

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str | Callable[..., Any] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: MetricLike = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        bandwidth: float | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.bandwidth = bandwidth

    def _interval_doubt(self, coverage: float) -> str:
        few = self.n_neighbors * (1 - coverage) / 2 < 1
        return f"are made of the numbers of {self.n_neighbors} neighbours, which is too few" if few else ""
