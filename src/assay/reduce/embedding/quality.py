"""How good a map is: whether neighbours stayed neighbours, and distances distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.core.parameters import check_count
from assay.distances.metric import Metric, metric_of
from assay.distances.search import searcher
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.types import MetricLike, TableLike

__all__ = [
    "continuity",
    "embedding_quality",
    "neighborhood_hit",
    "neighborhood_preservation",
    "residual_variance",
    "stress",
    "trustworthiness",
    "variance_share",
]

PAIRS_IN_BLOCK = 1 << 20  # distances in memory at a time
NORMALIZATIONS = ("raw", "kruskal", "sammon", "sammon1969")


def trustworthiness(
    X: TableLike, X_embedded: TableLike, *, n_neighbors: int = 5, metric: MetricLike = "euclidean"
) -> float:
    r"""Whether neighbours in the map are neighbours in the table, from 0 to 1.

    .. math:: T(k) = 1 - \frac{2}{n k (2n - 3k - 1)} \sum_i \sum_{j \in N_i^k} \max(0, r(i, j) - k)

    :math:`N_i^k` are the k nearest rows of i in the map, and r(i, j) is the rank of j among the rows nearest to i in
    the table: 1 for the nearest; of rows as far as each other, the rank of the first. Random maps have about one half.
    Names and parameters are scikit-learn's. Cost: O(n^2 (d + k)) time, O(n) memory.

    Parameters
    ----------
    X : (n, d) table, or (n, n) distances if ``metric="precomputed"``
    X_embedded : (n, m) the map
    n_neighbors : int, default 5
        Less than half of the rows.
    metric : str, callable or Metric, default "euclidean"
        Of the table; the map's is Euclid's.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import trustworthiness
    >>> X = np.arange(20.0)[:, None] ** 2
    >>> trustworthiness(X, np.sqrt(X), n_neighbors=2) > 0.99
    True

    See Also
    --------
    continuity, neighborhood_preservation, stress

    References
    ----------
    - Venna, J. and Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
      ICANN 2001, 485-491.
    """
    table, places, measure = _both(X, X_embedded, metric, "trustworthiness")
    k = _checked_k(n_neighbors, len(places), "trustworthiness")
    _, near = searcher(places).nearest(None, k, leave_out_self=True)
    return _penalised(table, measure, near)


def continuity(
    X: TableLike, X_embedded: TableLike, *, n_neighbors: int = 5, metric: MetricLike = "euclidean"
) -> float:
    """Whether neighbours in the table are neighbours in the map, from 0 to 1: trustworthiness the other way round.

    A map that tears groups apart has a low continuity, one that lays strangers side by side a low trustworthiness.
    Cost: O(n^2 (m + k)) time, O(n) memory, besides the search of neighbours.

    Parameters
    ----------
    X, X_embedded, n_neighbors, metric : as of :func:`trustworthiness`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import continuity, trustworthiness
    >>> circle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> X = np.c_[np.cos(circle), np.sin(circle)]
    >>> float(continuity(X, circle[:, None])), float(trustworthiness(X, circle[:, None]))  # cut open at one place
    (0.981..., 0.999...)

    See Also
    --------
    trustworthiness

    References
    ----------
    - Venna, J. and Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
      ICANN 2001, 485-491.
    """
    table, places, measure = _both(X, X_embedded, metric, "continuity")
    k = _checked_k(n_neighbors, len(places), "continuity")
    _, near = searcher(table, measure).nearest(None, k, leave_out_self=True)
    return _penalised(places, metric_of("euclidean"), near)


def neighborhood_preservation(
    X: TableLike, X_embedded: TableLike, *, n_neighbors: int = 5, metric: MetricLike = "euclidean"
) -> float:
    """The share of each row's k nearest rows in the table that are also among its k nearest in the map.

    Cost: two searches of neighbours; memory O(n k).

    Parameters
    ----------
    X, X_embedded, n_neighbors, metric : as of :func:`trustworthiness`; n_neighbors below the number of rows

    Examples
    --------
    >>> from assay.reduce import neighborhood_preservation
    >>> neighborhood_preservation([[0.0], [1.0], [3.0], [9.0]], [[0.0], [1.0], [3.0], [0.5]], n_neighbors=1)
    0.25

    See Also
    --------
    trustworthiness, neighborhood_hit
    """
    table, places, measure = _both(X, X_embedded, metric, "neighborhood_preservation")
    k = _checked_k(n_neighbors, len(places), "neighborhood_preservation", halved=False)
    _, before = searcher(table, measure).nearest(None, k, leave_out_self=True)
    _, after = searcher(places).nearest(None, k, leave_out_self=True)
    return float(np.mean([len(np.intersect1d(a, b)) for a, b in zip(before, after)]) / k)


def neighborhood_hit(X_embedded: TableLike, y: Any, *, n_neighbors: int = 5) -> float:
    """The share of each row's k nearest rows in the map that are of its own class, averaged over rows.

    Parameters
    ----------
    X_embedded : (n, m) the map
    y : (n,) classes
    n_neighbors : int, default 5

    Examples
    --------
    >>> from assay.reduce import neighborhood_hit
    >>> neighborhood_hit([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "a", "b"], n_neighbors=1)
    0.5

    See Also
    --------
    neighborhood_preservation

    References
    ----------
    - Paulovich, F. V., Nonato, L. G., Minghim, R. and Levkowitz, H. (2008). Least square projection. IEEE Transactions
      on Visualization and Computer Graphics 14, 564-575.
    """
    places = _map_of(X_embedded, "neighborhood_hit")
    classes = np.unique(np.asarray(y, dtype=object).astype(str), return_inverse=True)[1]
    if classes.shape != (len(places),):
        raise DataError(f"neighborhood_hit: {len(places)} rows need as many classes, got {np.shape(y)}.")
    k = _checked_k(n_neighbors, len(places), "neighborhood_hit", halved=False)
    _, near = searcher(places).nearest(None, k, leave_out_self=True)
    return float((classes[near] == classes[:, None]).mean())


def stress(
    X: TableLike,
    X_embedded: TableLike,
    *,
    normalization: str = "kruskal",
    metric: MetricLike = "euclidean",
    scale: bool = False,
) -> float:
    r"""How far the distances d in the map are from those in the table, :math:`\delta`.

    .. math:: \text{raw} = \sum_{r<s} (d_{rs} - \delta_{rs})^2, \qquad
              \text{kruskal} = \sqrt{\frac{\text{raw}}{\sum_{r<s} d_{rs}^2}}, \qquad
              \text{sammon} = \sum_{r,s} \frac{(d_{rs} - \delta_{rs})^2}{\delta_{rs}^2}, \qquad
              \text{sammon1969} = \frac1{\sum_{r<s} \delta_{rs}} \sum_{r<s} \frac{(d_{rs} - \delta_{rs})^2}{\delta_{rs}}

    "sammon" runs over ordered pairs, so each pair counts twice. Pairs of equal rows are left out of both of Sammon's.
    Cost: O(n^2 d) time, O(n) memory.

    Parameters
    ----------
    X : (n, d) table, or (n, n) distances if ``metric="precomputed"``
    X_embedded : (n, m) the map
    normalization : "raw", "kruskal", "sammon" or "sammon1969", default "kruskal"
    metric : str, callable or Metric, default "euclidean"
    scale : bool, default False
        Whether the map is first stretched by the factor of least raw stress: for maps in units of their own.

    Examples
    --------
    >>> from assay.reduce import stress
    >>> square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> round(stress(square, [[0.0], [1.0], [1.0], [0.0]]), 6)
    0.765367

    See Also
    --------
    trustworthiness, residual_variance

    References
    ----------
    - Kruskal, J. B. (1964). Multidimensional scaling by optimizing goodness of fit to a nonmetric hypothesis.
      Psychometrika 29, 1-27.
    - Sammon, J. W. (1969). A nonlinear mapping for data structure analysis. IEEE Transactions on Computers C-18,
      401-409.
    """
    if normalization not in NORMALIZATIONS:
        raise ParameterError(
            f"stress: normalization must be one of {', '.join(map(repr, NORMALIZATIONS))}, got {normalization!r}."
        )
    table, places, measure = _both(X, X_embedded, metric, "stress")

    def direct(factor: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        def differences(delta: np.ndarray, d: np.ndarray) -> np.ndarray:
            apart, off = delta > 0, factor * d - delta
            return np.array(
                [
                    (off * off).sum(),
                    (factor * d * factor * d).sum(),
                    (off[apart] ** 2 / delta[apart]).sum(),
                    ((off[apart] / delta[apart]) ** 2).sum(),
                    delta.sum(),
                ]
            )

        return differences

    factor = 1.0
    if scale:
        both, alone = _over_pairs(
            table, places, measure, lambda a, b: np.array([(a * b).sum(), (b * b).sum()])
        )
        factor = float(both / alone) if alone > 0 else 1.0
    raw, squares, by_one, by_two, total = _over_pairs(table, places, measure, direct(factor)) / 2
    if normalization == "raw":
        return float(raw)
    if normalization == "kruskal":
        return float(np.sqrt(raw / squares)) if squares > 0 else float(raw > 0)
    if normalization == "sammon":
        return float(2 * by_two)
    return float(by_one / total) if total > 0 else 0.0


def residual_variance(X: TableLike, X_embedded: TableLike, *, metric: MetricLike = "euclidean") -> float:
    """1 - r^2, r the correlation of the distances in the table and in the map: 0 if one is a multiple of the other.

    Cost: O(n^2 d) time, O(n) memory.

    Parameters
    ----------
    X, X_embedded, metric : as of :func:`stress`

    Examples
    --------
    >>> from assay.reduce import residual_variance
    >>> round(residual_variance([[0.0], [1.0], [3.0]], [[0.0], [10.0], [30.0]]), 12)
    0.0

    See Also
    --------
    stress, variance_share

    References
    ----------
    - Tenenbaum, J. B., de Silva, V. and Langford, J. C. (2000). A global geometric framework for nonlinear
      dimensionality reduction. Science 290, 2319-2323.
    """
    table, places, measure = _both(X, X_embedded, metric, "residual_variance")
    n = len(places)
    pairs = n * (n - 1)
    if pairs == 0:
        return 0.0
    means = _over_pairs(table, places, measure, lambda a, b: np.array([a.sum(), b.sum()])) / pairs
    if not means.all():  # all rows equal, in the table or in the map
        return 1.0

    def moments(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        u, v = a / means[0] - 1, b / means[1] - 1  # of size 1, so that no power leaves the range of numbers
        return np.array([(u * u).sum(), (u * v).sum(), (v * v).sum()])

    u2, uv, v2 = _over_pairs(table, places, measure, moments)
    return float(1 - uv * uv / (u2 * v2)) if u2 > 0 and v2 > 0 else 1.0


def variance_share(X: TableLike, X_embedded: TableLike) -> float:
    """The share of the variance of X that the map explains by least squares: of PCA, the sum of its shares.

    Cost: O(n m (d + m)).

    Parameters
    ----------
    X : (n, d) numbers      X_embedded : (n, m) the map

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.reduce import PCA, variance_share
    >>> X = load_iris().data
    >>> pca = PCA(2).fit(X)
    >>> round(variance_share(X, pca.transform(X)), 6), round(float(pca.explained_variance_ratio_.sum()), 6)
    (0.977685, 0.977685)

    See Also
    --------
    residual_variance, PCA
    """
    table, places, _ = _both(X, X_embedded, "euclidean", "variance_share")
    rows = np.asarray(table.toarray() if hasattr(table, "tocsr") else table, dtype=np.float64)
    largest = np.abs(rows).max(initial=0.0)
    rows = rows / (largest if largest > 0 else 1.0)
    rows, places = rows - rows.mean(axis=0), places - places.mean(axis=0)
    total = float((rows * rows).sum())
    U, s, _ = np.linalg.svd(places, full_matrices=False)
    U = U[:, s > len(places) * np.finfo(float).eps * s.max(initial=0.0)]
    return float(((U.T @ rows) ** 2).sum() / total) if total > 0 else 1.0


def embedding_quality(
    X: TableLike,
    X_embedded: Any,
    y: Any = None,
    *,
    n_neighbors: int = 5,
    metric: MetricLike = "euclidean",
) -> dict[str, float]:
    """All measures of a map at once, by name.

    Parameters
    ----------
    X, X_embedded, n_neighbors, metric : as of :func:`trustworthiness`
    y : (n,) classes or None
        With classes also ``neighborhood_hit``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.reduce import PCA, embedding_quality
    >>> X, y = load_iris(return_X_y=True)
    >>> for name, value in embedding_quality(X, PCA(2).fit(X).transform(X), y).items():
    ...     print(f"{name:26} {value:.3f}")
    trustworthiness            0.979
    continuity                 0.990
    neighborhood_preservation  0.636
    stress                     0.041
    residual_variance          0.003
    neighborhood_hit           0.951

    See Also
    --------
    trustworthiness, continuity, stress
    """
    asked: dict[str, Any] = {"n_neighbors": n_neighbors, "metric": metric}
    measures = {
        "trustworthiness": trustworthiness(X, X_embedded, **asked),
        "continuity": continuity(X, X_embedded, **asked),
        "neighborhood_preservation": neighborhood_preservation(X, X_embedded, **asked),
        "stress": stress(X, X_embedded, metric=metric, scale=True),
        "residual_variance": residual_variance(X, X_embedded, metric=metric),
    }
    if y is not None:
        measures["neighborhood_hit"] = neighborhood_hit(X_embedded, y, n_neighbors=n_neighbors)
    return measures


# What they share


def _both(X: Any, X_embedded: Any, metric: Any, who: str) -> tuple[Any, np.ndarray, Metric]:
    """The table's rows as numbers, the map, and the metric fitted to the rows."""
    table = Table.of(X, who=who)
    measure = metric_of(metric, schema=table.schema)
    if not table.complete and "missing" not in measure.takes:
        raise DataError(
            f"{who}: X has missing values, which {measure.name} cannot compare. Use metric='heom'."
        )
    places = _map_of(X_embedded, who)
    rows = table.values
    if rows.shape[0] != len(places):
        raise DataError(f"{who}: the table has {rows.shape[0]} rows, the map {len(places)}.")
    if measure.precomputed and rows.shape[0] != rows.shape[1]:
        raise DataError(f"{who}: precomputed distances must be square, got {rows.shape}.")
    return rows, places, measure.learn(rows)


def _map_of(X_embedded: Any, who: str) -> np.ndarray:
    places = np.asarray(Table.of(X_embedded, who=who).values, dtype=np.float64)
    if not np.isfinite(places).all():
        raise DataError(f"{who}: the map must consist of finite numbers.")
    return np.ascontiguousarray(places)


def _checked_k(n_neighbors: Any, n: int, who: str, halved: bool = True) -> int:
    most = n / 2 if halved else n
    check_count(who, "n_neighbors", n_neighbors)
    if n_neighbors >= most:
        raise ParameterError(
            f"{who}: n_neighbors ({n_neighbors}) should be less than {'n_samples / 2' if halved else 'n_samples'} "
            f"({most:g})."
        )
    return int(n_neighbors)


def _distances(rows: Any, metric: Metric, first: int, last: int) -> np.ndarray:
    """(last - first, n) the distances of some rows to all."""
    if metric.precomputed:
        block = rows[first:last]
        return np.asarray(block.toarray() if hasattr(block, "tocsr") else block, dtype=np.float64)
    return metric.between(rows[first:last], rows)


def _blocks(n: int) -> list[tuple[int, int]]:
    size = max(1, PAIRS_IN_BLOCK // max(n, 1))
    return [(first, min(n, first + size)) for first in range(0, n, size)]


def _penalised(rows: Any, metric: Metric, near: np.ndarray) -> float:
    """1 minus the penalty for rows ``near`` (n, k) that are not among the k nearest by the metric of ``rows``."""
    n, k = near.shape

    def penalty(block: tuple[int, int]) -> int:
        first, last = block
        d = _distances(rows, metric, first, last)
        d = d.copy() if metric.precomputed else d  # the caller's own
        here = np.arange(last - first)
        d[here, here + first] = np.inf
        total = 0
        for column in near[first:last].T:
            rank = 1 + np.count_nonzero(d < d[here, column][:, None], axis=1)
            total += int(np.maximum(rank - k, 0).sum())
        return total

    total = sum(in_threads(penalty, _blocks(n)))
    return 1.0 - total * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))


def _over_pairs(
    table: Any,
    places: np.ndarray,
    metric: Metric,
    sums: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """The sum of ``sums(delta, d)`` over blocks of all ordered pairs of different rows."""
    euclid = metric_of("euclidean")

    def block_sums(block: tuple[int, int]) -> np.ndarray:
        first, last = block
        other = np.ones((last - first, len(places)), dtype=bool)
        other[np.arange(last - first), np.arange(first, last)] = False
        return sums(
            _distances(table, metric, first, last)[other], _distances(places, euclid, first, last)[other]
        )

    return np.sum(in_threads(block_sums, _blocks(len(places))), axis=0)
