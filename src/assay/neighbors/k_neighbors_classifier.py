"""k nearest neighbours: the classes of the nearest rows vote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core import Card
from assay.distances.minkowski import Minkowski
from assay.errors import DegenerateError
from assay.neighbors.neighbor_classifier import NeighborClassifier
from assay.neighbors.neighbor_learner import KNeighbors
from assay.types import MetricLike, RandomState, TableLike

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(KNeighbors, NeighborClassifier):
    r"""Answer with the class that most of the k nearest training rows have.

    With :math:`w_i` the weights of the k nearest rows (all 1 by default),

    .. math:: P(c \mid x) = \frac{\sum_{i \in N_k(x)} w_i [y_i = c]}{\sum_{i \in N_k(x)} w_i} \quad (1)

    which for equal weights is :math:`k_c / k`. A small k follows noise, a large one loses what is local; columns
    should be on comparable scales (`StandardScaler`, or a metric that sees to it). Among equal distances the lower row
    comes first, also at the k-th place. Training only stores the rows.

    Cost: fit O(n d), with a tree O(n d log n); predict O(n d) a row, in few columns with a tree about O(d log n);
    memory O(n d), the rows are kept.

    Parameters
    ----------
    n_neighbors : int, default 5
        k; at most the number of training rows.
    weights : "uniform", "distance", "squared_exponential", a kernel's name, a function, or None
        "distance" weighs by 1 / d; rows at distance 0, if there are any, then vote alone. "squared_exponential" is
        :math:`e^{-d^2/t^2}`, and "gaussian", "epanechnikov", "tricube", ... are :math:`K(d/h)`, with t and h the
        ``bandwidth``. A function maps the (q, k) distances to weights. None is "uniform".
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", default "auto"
        How neighbours are looked for: it steers the time, not the answer.
    leaf_size : int, default 30
        Rows in a leaf of a tree.
    p : float, default 2
        The exponent of "minkowski": 1 Manhattan, 2 Euclid, inf Chebyshev.
    metric : str, callable or Metric, default "minkowski"
        How far rows are apart: scikit-learn's and SciPy's names ("mahalanobis" and "seuclidean" learn from the training
        rows if nothing is given), "precomputed", or a function of two rows. For tables with categories and
        missing values: "heom", "gower", "vdm", and "auto", which is "minkowski" for numbers without missing values and
        "heom" for all else; with the others, categories become indicators. "discriminant" and "vdm" use the classes.
    metric_params : dict, default None
        More arguments of the metric: ``{"VI": A}`` or ``{"L": L}`` of "mahalanobis", ``{"w": w}`` of "minkowski".
    n_jobs : int, default None
        Accepted; the machine's threads are used where the work is large, and the answer does not depend on them.
    tie : "first", "nearest", "weight" or "random", default "first"
        Which of the classes with equally many votes is answered: the first of ``classes_``, that of the nearest row,
        that with the larger sum of 1 / d, or one drawn by ``random_state``. The posterior shows them as equal.
    bandwidth : float, default None
        The width of the kernels; None takes the distance of the k-th neighbour.
    random_state : seed, default None
        For ``tie="random"``.

    Attributes
    ----------
    classes_ : (K,) labels; a list of such for several targets
    distance_ : Metric, with what it learned
    effective_metric_ : its name     effective_metric_params_ : dict     n_samples_fit_ : int     outputs_2d_ : bool

    Examples
    --------
    >>> from assay.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.1]]), model.predict_proba([[0.9]]).round(3)
    (array(['a'], dtype='<U1'), array([[0.667, 0.333]]))
    >>> print(model.explain([[1.1]]))
    KNeighborsClassifier answers a (probability 0.6667)
    for the row x0 = 1.1
    <BLANKLINE>
    The 3 of 4 training rows that decided
      row  distance  weight  class
        2       0.1       1  a
        3       0.9       1  b
        1       1.1       1  a
    <BLANKLINE>
    Their values beside this row's
      column  this row  row 2  row 3  row 1
      x0           1.1      1      2      0
    <BLANKLINE>
    Posterior
      a  0.6667
      b  0.3333

    See Also
    --------
    KNeighborsClassifierCV, RadiusNeighborsClassifier, ParzenClassifier, KNeighborsRegressor

    References
    ----------
    - Fix, E. and Hodges, J. L. (1951). Discriminatory analysis, nonparametric discrimination: consistency
      properties. Technical report 4, USAF School of Aviation Medicine.
    - Cover, T. M. and Hart, P. E. (1967). Nearest neighbor pattern classification. IEEE Transactions on
      Information Theory 13(1), 21-27. doi:10.1109/TIT.1967.1053964
    """

    card = Card(
        "knn",
        "the five nearest rows vote",
        also=("nearest neighbours", "nearest neighbors", "ibk"),
        suits="any",
        scale=True,
        most_rows=50_000,
        learns=("the classes of the nearest training rows", "none: rows are stored", "none", "stored"),
    )
    accepts = {**KNeighbors.accepts, **NeighborClassifier.voting}

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
        tie: str = "first",
        bandwidth: float | None = None,
        random_state: RandomState = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.tie = tie
        self.bandwidth = bandwidth
        self.random_state = random_state

    def class_densities(self, X: TableLike) -> np.ndarray:
        r"""(n, K) the density of each class at the rows of X, from the ball that holds the k nearest rows.

        .. math:: p(x \mid c) = \frac{k_c}{n_c V(x)}, \quad V = \frac{(2\,\Gamma(1/p + 1))^d}{\Gamma(d/p + 1)}\, r^d
                  \quad (2)

        with r the distance of the k-th neighbour among all classes and, for Euclid's p = 2,
        :math:`V = \pi^{d/2} r^d / \Gamma(d/2 + 1)`. Multiplied by the classes' shares :math:`n_c/n`, its posterior is
        :math:`k_c/k`. Where k rows are at distance 0 the density of their classes is infinite.

        >>> from assay.neighbors import KNeighborsClassifier
        >>> model = KNeighborsClassifier(n_neighbors=2).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
        >>> model.class_densities([[0.5]])  # two of two rows of a in a ball of length 1
        array([[1., 0.]])
        """
        from scipy.special import gammaln

        near = self._neighbourhoods(self._admit(X))
        metric = self.distance_
        if (
            not isinstance(metric, Minkowski)
            or metric.power is None
            or metric.w is not None
            or self.outputs_2d_
        ):
            raise DegenerateError(
                f"{type(self).__name__}: balls of the metric {metric.name!r} have no simple volume. Use 'minkowski' "
                "with one target."
            )
        d, p = self._fit_X.shape[1], metric.p
        log_unit = d * (np.log(2) + gammaln(1 / p + 1)) - gammaln(d / p + 1)
        votes = self._sums(near, np.ones(len(near.rows)))[0]
        sizes = np.bincount(self._y, minlength=len(self.classes_))
        with np.errstate(divide="ignore", over="ignore"):
            inverse = np.exp(-(log_unit + d * np.log(near.reach)))[:, None]
            share = votes / sizes
            return np.multiply(share, inverse, out=np.zeros(share.shape), where=votes > 0)  # (2)
