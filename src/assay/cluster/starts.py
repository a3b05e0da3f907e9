"""Where k-means begins: k-means++, rows at random, the mean and some noise, intervals of the first component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.parameters import Count, check
from assay.core.seeds import random_state_of
from assay.core.targets import check_weights
from assay.distances.spread import spread
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.types import RandomState, TableLike, Weights

__all__ = ["STARTS", "kmeans_plusplus", "start_centers"]

SHARE_OF_NOISE = 0.1  # of a column's deviation: how far the centres of the start "mean" lie from the mean


def kmeans_plusplus(
    X: TableLike,
    n_clusters: int,
    *,
    sample_weight: Weights | None = None,
    x_squared_norms: Any = None,
    random_state: RandomState = None,
    n_local_trials: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    r"""Rows that lie apart, to begin with: each is drawn by its squared distance from those chosen before.

    Of several draws, the one is kept that lowers :math:`\sum_i w_i \min_k \|x_i - c_k\|^2` most. From the same seed
    the rows are those of scikit-learn's function of this name.

    Cost: O(n k d log k) time, O(n log k) memory.

    Parameters
    ----------
    X : table, (n, d)
    n_clusters : int
    sample_weight : (n,), default None
    x_squared_norms : accepted for scikit-learn's sake; distances are computed from differences
    random_state : int, RandomState or None, default None
    n_local_trials : int or None, default None
        Draws for each; None is 2 + log k.

    Returns
    -------
    centers : (k, d)
    indices : (k,) their row numbers

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import kmeans_plusplus
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> centers, rows = kmeans_plusplus(X, n_clusters=2, random_state=0)
    >>> sorted(centers[:, 0].tolist())
    [1.0, 10.0]

    See Also
    --------
    KMeans

    References
    ----------
    - Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. Proceedings of the 18th
      ACM-SIAM Symposium on Discrete Algorithms, 1027-1035.
    """
    who = "kmeans_plusplus"
    table = X if isinstance(X, Table) else Table.of(X, who=who)
    values = table.values
    if not table.complete or table.schema.coded.any():
        raise DataError("the columns must be numbers without missing values.", who=who)
    n = values.shape[0]
    check(
        who,
        {"n_clusters": Count(), "n_local_trials": Count(1) | None},
        {"n_clusters": n_clusters, "n_local_trials": n_local_trials},
    )
    if not 1 <= n_clusters <= n:
        raise ParameterError(
            f"n_samples={n} should be >= n_clusters={n_clusters}, which must be at least 1.", who=who
        )
    norms = None if x_squared_norms is None else np.asarray(x_squared_norms)
    if norms is not None and norms.shape[0] != n:
        raise ParameterError(
            f"The length of x_squared_norms {norms.shape[0]} should be equal to n_samples {n}.", who=who
        )
    w = check_weights(sample_weight, values, who)
    centers, rows = spread(values, w, n_clusters, random_state_of(random_state), n_local_trials)
    return centers.astype(values.dtype), rows


def _random(X: Any, w: np.ndarray | None, K: int, draw: np.random.RandomState) -> np.ndarray:
    chances = None if w is None else w / w.sum()
    if chances is not None and np.count_nonzero(chances) < K:
        raise DataError(f"fewer than {K} rows have a weight above 0.")
    n = X.shape[0]
    return _dense(
        X[draw.choice(n, size=K, replace=False, p=np.full(n, 1 / n) if chances is None else chances)]
    )


def _mean(X: Any, w: np.ndarray | None, K: int, draw: np.random.RandomState) -> np.ndarray:
    """The mean of all rows, and small random vectors."""
    X = _dense(X)
    mean = np.average(X, axis=0, weights=w)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
    return mean + SHARE_OF_NOISE * spread * draw.standard_normal((K, X.shape[1]))


def _component(X: Any, w: np.ndarray | None, K: int, draw: np.random.RandomState) -> np.ndarray:
    """Means of the rows in K equal intervals of the first principal component; of an empty one, its middle."""
    X = _dense(X)
    if w is not None:
        X, w = X[w > 0], w[w > 0]
    mean = np.average(X, axis=0, weights=w)
    centred = X - mean
    weighted = centred if w is None else centred * w[:, None]
    axis = np.linalg.eigh(weighted.T @ centred)[1][:, -1]
    axis *= np.sign(axis[np.argmax(np.abs(axis))]) or 1.0
    scores = centred @ axis
    low, high = scores.min(), scores.max()
    width = (high - low) / K
    place = np.minimum(((scores - low) / (width or 1.0)).astype(np.int64), K - 1)
    weights = np.ones(len(X)) if w is None else w
    counts = np.bincount(place, weights, K)
    sums = np.array([np.bincount(place, weights * column, K) for column in centred.T]).T
    middles = (low + width * (np.arange(K) + 0.5))[:, None] * axis
    return mean + np.where(counts[:, None] > 0, sums / np.where(counts > 0, counts, 1.0)[:, None], middles)


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "tocsr") else X, dtype=np.float64)


STARTS: dict[str, Callable[..., np.ndarray]] = {
    "k-means++": lambda X, w, K, draw: spread(X, w, K, draw)[0],
    "random": _random,
    "mean": _mean,
    "component": _component,
}


def start_centers(
    init: Any, X: Any, w: np.ndarray | None, K: int, draw: np.random.RandomState, who: str
) -> np.ndarray:
    """(K, d) the first centres: of a start's name, an array, or a function of X, K and random_state.

    >>> import numpy as np
    >>> from assay.cluster.starts import start_centers
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [20.0]])
    >>> start_centers("component", X, None, 3, np.random.RandomState(0), "KMeans").ravel().round(6).tolist()
    [2.0, 11.0, 20.0]
    """
    if isinstance(init, str):
        return np.ascontiguousarray(STARTS[init](X, w, K, draw))
    centers = init(X, K, random_state=draw) if callable(init) else init
    centers = np.array(_dense(centers), order="C")
    if centers.ndim != 2 or centers.shape[0] != K:
        raise ParameterError(
            f"The shape of the initial centers {centers.shape} does not match the number of clusters {K}.",
            who=who,
        )
    if centers.shape[1] != X.shape[1]:
        raise ParameterError(
            f"The shape of the initial centers {centers.shape} does not match the number of features of the data "
            f"{X.shape[1]}.",
            who=who,
        )
    if not np.isfinite(centers).all():
        raise ParameterError(
            "the initial centers must be finite numbers: Input contains NaN or infinity.", who=who
        )
    return centers
