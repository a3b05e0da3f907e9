"""LMNN: the metric in which each row's neighbours of its class are nearer than all others, by a margin."""

from __future__ import annotations

from assay.core import Card
from assay.neighbors.large_margin_metric import LargeMarginMetric

__all__ = ["LMNN"]


class LMNN(LargeMarginMetric):
    r"""Learn a Mahalanobis distance for nearest neighbours (large margin nearest neighbour).

    Each row i has targets: its k nearest rows of its own class. They are pulled near, and the impostors, rows of other
    classes that are not farther than a target by a margin of 1, are pushed away:

    .. math:: \min_{M \succeq 0}\; (1-\mu) \sum_{i,j} D(x_i, x_j)
              + \mu \sum_{i,j,l} \max(0,\; 1 + D(x_i, x_j) - D(x_i, x_l)), \quad
              D(x, z) = (x-z)^T M (x-z) \quad (1)

    j runs over the targets of row i, l over the rows of other classes. (1) is convex: its minimum is found, with a
    bound from the dual problem that says how far the objective can be from it (``bound_``). Targets are taken by
    Euclid's distance of the columns as they are, so bring columns of different units to one scale first; the minimiser
    itself works in coordinates of its own. In front of :class:`~assay.neighbors.KNeighborsClassifier`
    use it as a transformer, or hand ``distance_`` over as its metric.

    Cost: fit O(n^2 d + s (k + q) n d + d^3) for s steps and q impostors a row; transform O(d r) a row for a metric of
    rank r; memory O(n (d + k + q) + d^2).

    Parameters
    ----------
    n_neighbors : int, default 3
        Targets of a row; in a smaller class all other rows of it.
    mu : float, default 0.5
        The weight of the second sum of (1) against the first.
    impostors : "all" or "nearest", default "all"
        Which l the second sum runs over: all rows of other classes, or the ``n_neighbors`` nearest of each row at the
        start.
    n_refreshes : int, default 0
        How often targets (and the nearest impostors) are taken anew by the learned distance, and the metric learned
        again; fewer if they stay the same.
    max_iter : int, default 1000
        Steps at the most for each choice of targets.
    tol : float, default 1e-3
        The share of the objective that it may be above ``bound_``.

    Attributes
    ----------
    components_ : (r, d) L with :math:`M = L^T L`, r the rank; the directions that count most come first
    metric_ : (d, d) M      distance_ : Mahalanobis
    target_neighbors_ : (n, n_neighbors) the targets of each row; -1 where a class has no more
    impostors_ : (m, 2) rows and their impostors that are within the margin in the end
    slack_ : (m,) by how much
    objective_ : float, the value of (1)      bound_ : float, no metric has a lower one
    history_ : list of dicts: objective (the least so far), bound, triplets within the margin, and violations
        (triplets whose impostor is nearer than the target)

    Examples
    --------
    Two rows of class A at 0 and 1, one of B at 2. At M = 1/3 the target of row 1 is as near as its impostor, a hinge of
    1, and row 0 has its margin, 1/3 against 4/3: the objective is (1/3 + 1/3 + 1) / 2.

    >>> from assay.neighbors import LMNN
    >>> metric = LMNN(n_neighbors=1, tol=1e-8).fit([[0.0], [1.0], [2.0]], ["A", "A", "B"])
    >>> metric.metric_.round(6), round(metric.objective_, 6)
    (array([[0.333333]]), 0.833333)
    >>> metric.target_neighbors_.tolist()
    [[1], [0], [-1]]

    One column separates the classes, eight are noise; the learned distance is the metric of another learner:

    >>> import numpy as np
    >>> from assay.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 100)
    >>> X = np.column_stack([rng.normal(size=200) + 4 * (y == "b"), rng.normal(scale=3, size=(200, 8))])
    >>> learned = LMNN().fit(X[::2], y[::2]).distance_
    >>> for metric in ("euclidean", learned):
    ...     KNeighborsClassifier(3, metric=metric).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    0.82
    0.93

    See Also
    --------
    LMCA, TripletMetric, KNeighborsClassifier

    References
    ----------
    - Weinberger, K. Q. and Saul, L. K. (2009). Distance metric learning for large margin nearest neighbor
      classification. Journal of Machine Learning Research 10, 207-244.
    """

    card = Card(
        "lmnn",
        "a metric in which a row's neighbours of its class are nearest, by a margin",
        also=("large margin nearest neighbour", "large margin nearest neighbor"),
        scale=True,
        most_rows=20_000,
    )

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        mu: float = 0.5,
        impostors: str = "all",
        n_refreshes: int = 0,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ):
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.impostors = impostors
        self.n_refreshes = n_refreshes
        self.max_iter = max_iter
        self.tol = tol
