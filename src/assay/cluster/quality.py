"""How good groups are, and how alike two ways of grouping: measures with and without known groups."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.cluster._silhouettes as _silhouettes
from assay.core.parallel import in_threads
from assay.core.seeds import random_state_of
from assay.core.targets import encode_labels
from assay.distances.metric import metric_of
from assay.errors import DataError
from assay.tables import Table
from assay.tables.row_names import row_name
from assay.types import Labels, MetricLike, RandomState, TableLike

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "compare_clusterings",
    "davies_bouldin_score",
    "normalized_mutual_info_score",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
]

ROWS_AT_A_TIME = 512
PARTS_AT_A_TIME = 16  # each has a number for every row, until they are added up


def silhouette_samples(
    X: TableLike, labels: Labels, *, metric: MetricLike = "euclidean", **kwds: Any
) -> np.ndarray:
    r"""(n,) how much nearer each row is to its own group than to the next one.

    .. math:: s_i = \frac{b_i - a_i}{\max(a_i, b_i)}

    with :math:`a_i` the mean distance from the other rows of its group and :math:`b_i` the smallest mean distance from
    the rows of another group; 0 for a row that is alone. Distances are never stored: 50 MB are enough for any table.

    Parameters
    ----------
    X : table (n, d), or distances with ``metric="precomputed"``
    labels : (n,) groups, at least 2 and fewer than n
    metric : str, callable or Metric, default "euclidean"
    **kwds : parameters of the metric

    Examples
    --------
    >>> from assay.cluster import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(4).tolist()
    [0.9048, 0.8947, 0.8947, 0.9048]

    See Also
    --------
    silhouette_score, choose_clusters

    References
    ----------
    - Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster analysis.
      Journal of Computational and Applied Mathematics 20, 53-65. doi:10.1016/0377-0427(87)90125-7
    """
    who = "silhouette_samples"
    rows, rule = _rows_and_metric(X, metric, kwds, who)
    n = rows.shape[0]
    codes, K = _codes(labels, n, who)
    counts = np.bincount(codes, minlength=K)
    if rule is not None and rule.precomputed and not hasattr(rows, "tocsr"):
        diagonal = np.abs(np.diagonal(rows))
        if diagonal.max(initial=0.0) > 100 * np.finfo(float).eps:
            raise DataError(
                "The precomputed distance matrix contains non-zero elements on the diagonal. Use "
                "np.fill_diagonal(X, 0).",
                who=who,
            )
    sums = _group_sums(rows, rule, codes, K)
    everyone = np.arange(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        within = sums[everyone, codes] / (counts[codes] - 1)
        means = sums / counts
        means[everyone, codes] = np.inf
        next_one = means.min(axis=1)
        score = (next_one - within) / np.maximum(within, next_one)
    return np.where(counts[codes] > 1, np.nan_to_num(score), 0.0)


def _rows_and_metric(X: TableLike, metric: Any, kwds: Any, who: str) -> tuple[Any, Any]:
    table = X if isinstance(X, Table) else Table.of(X, who=who)
    rule = metric_of(metric, metric_params=kwds or None, schema=table.schema)
    rows = table.values
    if not table.complete and "missing" not in rule.takes:
        raise DataError("X has missing values. Use metric='gower'.", who=who)
    if table.schema.coded.any() and "nominal" not in rule.takes:
        raise DataError("X has columns of categories. Use metric='gower'.", who=who)
    if rule.precomputed and rows.shape[0] != rows.shape[1]:
        raise DataError(f"distances must be a square matrix, got {rows.shape}.", who=who)
    return rows, rule.learn(rows)


def _codes(labels: Any, n: int, who: str) -> tuple[np.ndarray, int]:
    classes, codes = encode_labels(labels, n, who)
    if not 1 < len(classes) < n:
        raise DataError(
            f"Number of labels is {len(classes)}. Valid values are 2 to n_samples - 1 (inclusive)", who=who
        )
    return codes, len(classes)


def _group_sums(rows: Any, rule: Any, codes: np.ndarray, K: int) -> np.ndarray:
    """(n, K) the distances of each row from the rows of each group, together."""
    n = rows.shape[0]
    plain = rule.power == 2 and rule.begin(2.0) == 2.0  # nothing is done to the distances of the points
    if plain and not hasattr(rows, "tocsr") and not rule.precomputed:
        return _euclidean_sums(np.asarray(rule.points(rows), dtype=np.float64), codes, K)
    sums = np.empty((n, K))

    def some(start: int) -> None:
        part = slice(start, min(start + ROWS_AT_A_TIME, n))
        D = rows[part] if rule.precomputed else rule.between(rows[part], rows)
        D = np.asarray(D.toarray() if hasattr(D, "tocsr") else D)
        for k in range(K):
            sums[part, k] = D[:, codes == k].sum(axis=1)

    in_threads(some, range(0, n, ROWS_AT_A_TIME))
    return sums


def _euclidean_sums(points: np.ndarray, codes: np.ndarray, K: int) -> np.ndarray:
    """The same for Euclidean distances, each pair of rows looked at once."""
    n = len(points)
    order = np.argsort(codes, kind="stable")
    T = np.ascontiguousarray(points[order].T)
    begin = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=K))]).astype(np.int64)
    parts = [
        (k, start, min(start + ROWS_AT_A_TIME, int(begin[k + 1])))
        for k in range(K)
        for start in range(int(begin[k]), int(begin[k + 1]), ROWS_AT_A_TIME)
    ]
    sorted_sums = np.zeros((n, K))

    def some(part: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
        _, start, end = part
        sums, later = np.zeros((end - start, K)), np.zeros(n)
        _silhouettes.pair_sums(T, begin, start, sums, later)
        return sums, later[start:]

    for at in range(0, len(parts), PARTS_AT_A_TIME):
        some_parts = parts[at : at + PARTS_AT_A_TIME]
        for (k, start, end), (sums, later) in zip(some_parts, in_threads(some, some_parts)):
            sorted_sums[start:end] += sums
            sorted_sums[start:, k] += later
    out = np.empty((n, K))
    out[order] = sorted_sums
    return out


def silhouette_score(
    X: TableLike,
    labels: Labels,
    *,
    metric: MetricLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    **kwds: Any,
) -> float:
    """The mean of :func:`silhouette_samples`, from -1 to 1; with ``sample_size`` of some rows drawn at random.

    Parameters
    ----------
    X, labels, metric, **kwds : as silhouette_samples
    sample_size : int or None, default None
    random_state : int, RandomState or None, default None

    Examples
    --------
    >>> from assay.cluster import silhouette_score
    >>> round(silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    0.8997

    See Also
    --------
    silhouette_samples
    """
    if sample_size is not None:
        table = X if isinstance(X, Table) else Table.of(X, who="silhouette_score")
        chosen = random_state_of(random_state).permutation(table.values.shape[0])[:sample_size]
        rows = table.values[chosen]
        if isinstance(metric, str) and metric == "precomputed":
            rows = rows[:, chosen]
            return float(np.mean(silhouette_samples(rows, np.asarray(labels)[chosen], metric=metric)))
        X, labels = Table(rows, table.schema), np.asarray(labels)[chosen]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))


def _moments(X: TableLike, labels: Any, who: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rows, _ = _rows_and_metric(X, "euclidean", {}, who)
    rows = np.asarray(rows.toarray() if hasattr(rows, "tocsr") else rows, dtype=np.float64)
    codes, K = _codes(labels, len(rows), who)
    counts = np.bincount(codes, minlength=K)
    means = np.array([np.bincount(codes, column, K) for column in rows.T]).T / counts[:, None]
    return rows, codes, counts, means


def calinski_harabasz_score(X: TableLike, labels: Labels) -> float:
    """The variance between groups over that within, each by its degrees of freedom; the higher the better.

    Examples
    --------
    >>> from assay.cluster import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0

    See Also
    --------
    silhouette_score, davies_bouldin_score
    """
    rows, codes, counts, means = _moments(X, labels, "calinski_harabasz_score")
    center = rows.mean(axis=0)
    between = float(counts @ np.sum((means - center) ** 2, axis=1))
    within = float(np.sum((rows - means[codes]) ** 2))
    n, K = len(rows), len(counts)
    return 1.0 if within == 0 else between * (n - K) / (within * (K - 1))


def davies_bouldin_score(X: TableLike, labels: Labels) -> float:
    """How alike each group is to the one most alike: both spreads over the distance of centres; the lower the better.

    Examples
    --------
    >>> from assay.cluster import davies_bouldin_score
    >>> davies_bouldin_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1

    See Also
    --------
    silhouette_score, calinski_harabasz_score
    """
    rows, codes, counts, means = _moments(X, labels, "davies_bouldin_score")
    spread = np.bincount(codes, np.linalg.norm(rows - means[codes], axis=1)) / counts
    apart = np.linalg.norm(means[:, None] - means[None], axis=2)
    if np.allclose(spread, 0) or np.allclose(apart, 0):
        return 0.0
    np.fill_diagonal(apart, np.inf)
    apart[apart == 0] = np.inf
    return float(np.mean(((spread[:, None] + spread) / apart).max(axis=1)))


# ------------------------------------------------------------------ two groupings


def _table(labels_true: Any, labels_pred: Any, who: str) -> np.ndarray:
    """(K, L) how many rows are in each pair of groups."""
    a, b = _group_numbers(labels_true, who), _group_numbers(labels_pred, who)
    if len(a) != len(b):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {[len(a), len(b)]}", who=who
        )
    K, L = int(a.max(initial=-1)) + 1, int(b.max(initial=-1)) + 1
    return np.bincount(a * L + b, minlength=K * L).reshape(K, L).astype(np.float64)


def _group_numbers(labels: Any, who: str) -> np.ndarray:
    """(n,) the number of each row's group among the sorted labels."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise DataError(f"labels must be 1D: shape is {values.shape}", who=who)
    if values.dtype.kind in "Of":
        missing = np.array([v is None or v != v for v in values.tolist()], dtype=bool)
        if missing.any():
            raise DataError(
                f"{row_name(int(np.argmax(missing)))} of the labels is missing (NaN). Leave such rows out, or "
                "give them a label of their own.",
                who=who,
            )
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values.tolist()})
        raise DataError(f"labels must be of one kind, got {' and '.join(kinds)}.", who=who) from None


def _pairs(table: np.ndarray) -> tuple[float, float, float, float]:
    """Pairs of rows together in both, in the first, in the second, and all."""

    def pairs(v: Any) -> float:
        return float(np.sum(v * (v - 1)) / 2)

    return pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0)), pairs(table.sum())


def rand_score(labels_true: Labels, labels_pred: Labels) -> float:
    """The share of pairs of rows that two groupings agree on: together in both, or apart in both.

    Examples
    --------
    >>> from assay.cluster import rand_score
    >>> round(rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.833333

    See Also
    --------
    adjusted_rand_score
    """
    both, first, second, total = _pairs(_table(labels_true, labels_pred, "rand_score"))
    return 1.0 if total == 0 else (total + 2 * both - first - second) / total


def adjusted_rand_score(labels_true: Labels, labels_pred: Labels) -> float:
    r"""How far two groupings agree beyond chance: 1 for the same groups, 0 on average for drawn ones.

    .. math:: \frac{n_{11} - E}{\tfrac12 (n_{1\cdot} + n_{\cdot1}) - E}, \qquad
              E = \frac{n_{1\cdot}\, n_{\cdot1}}{\binom n2}

    with :math:`n_{11}` the pairs of rows that are together in both, :math:`n_{1\cdot}` in the first, :math:`n_{\cdot1}`
    in the second.

    Examples
    --------
    >>> from assay.cluster import adjusted_rand_score
    >>> adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0]), round(adjusted_rand_score([0, 0, 1, 2], [0, 0, 1, 1]), 4)
    (1.0, 0.5714)

    See Also
    --------
    adjusted_mutual_info_score, compare_clusterings

    References
    ----------
    - Hubert, L. and Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.
      doi:10.1007/BF01908075
    """
    both, first, second, total = _pairs(_table(labels_true, labels_pred, "adjusted_rand_score"))
    if first == second == both or total == 0:
        return 1.0
    expected = first * second / total
    return (both - expected) / (0.5 * (first + second) - expected)


def _information(table: np.ndarray) -> tuple[float, float, float]:
    """Mutual information, and the entropies of both groupings, in nats."""
    n = table.sum()
    if n == 0:
        return 0.0, 0.0, 0.0

    def entropy(counts: np.ndarray) -> float:
        p = counts[counts > 0] / n
        return float(-(p * np.log(p)).sum())

    a, b = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    return max(a + b - entropy(table.ravel()), 0.0), a, b


def _mean(a: float, b: float, how: str, who: str) -> float:
    means = {
        "min": min(a, b),
        "geometric": float(np.sqrt(a * b)),
        "arithmetic": 0.5 * (a + b),
        "max": max(a, b),
    }
    if how not in means:
        raise DataError(f"average_method must be one of {', '.join(means)}, got {how!r}.", who=who)
    return means[how]


def normalized_mutual_info_score(
    labels_true: Labels, labels_pred: Labels, *, average_method: str = "arithmetic"
) -> float:
    """What one grouping says of the other, as a share of a mean of their entropies: 0 to 1, not corrected for chance.

    Examples
    --------
    >>> from assay.cluster import normalized_mutual_info_score
    >>> normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0

    See Also
    --------
    adjusted_mutual_info_score
    """
    table = _table(labels_true, labels_pred, "normalized_mutual_info_score")
    if table.shape[0] == table.shape[1] <= 1:
        return 1.0
    info, a, b = _information(table)
    whole = _mean(a, b, average_method, "normalized_mutual_info_score")
    return 0.0 if info <= 1e-15 or whole == 0 else info / whole


def adjusted_mutual_info_score(
    labels_true: Labels, labels_pred: Labels, *, average_method: str = "arithmetic"
) -> float:
    """What one grouping says of the other beyond chance: 1 for the same groups, 0 on average for drawn ones.

    Examples
    --------
    >>> from assay.cluster import adjusted_mutual_info_score
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0

    See Also
    --------
    adjusted_rand_score

    References
    ----------
    - Vinh, N. X., Epps, J. and Bailey, J. (2010). Information theoretic measures for clusterings comparison. Journal of
      Machine Learning Research 11, 2837-2854.
    """
    who = "adjusted_mutual_info_score"
    table = _table(labels_true, labels_pred, who)
    if (
        np.count_nonzero(table) == table.shape[0] == table.shape[1]
    ):  # the same groups, were they of one row each
        return 1.0
    info, a, b = _information(table)
    expected = _expected_information(table)
    whole = _mean(a, b, average_method, who) - expected
    whole = min(whole, -np.finfo(float).eps) if whole < 0 else max(whole, np.finfo(float).eps)
    gain = info - expected
    return float(np.clip(gain / whole, -np.inf, 1.0)) if abs(gain) > 1e-15 else 0.0


def _expected_information(table: np.ndarray) -> float:
    """The mutual information of groupings with these sizes, drawn at random (hypergeometric counts)."""
    from scipy.special import gammaln

    n = int(table.sum())
    rows, row_many = np.unique(table.sum(axis=1).astype(np.int64), return_counts=True)
    columns, column_many = np.unique(table.sum(axis=0).astype(np.int64), return_counts=True)
    logs = gammaln(np.arange(n + 2))  # logs[k] = log (k - 1)!
    total = 0.0
    for a, many_a in zip(rows.tolist(), row_many.tolist()):
        for b, many_b in zip(columns.tolist(), column_many.tolist()):
            k = np.arange(max(1, a + b - n), min(a, b) + 1)
            chance = (
                logs[a + 1] + logs[b + 1] + logs[n - a + 1] + logs[n - b + 1]
                - logs[n + 1] - logs[k + 1] - logs[a - k + 1] - logs[b - k + 1] - logs[n - a - b + k + 1]
            )  # fmt: skip
            total += many_a * many_b * float(np.sum(k / n * np.log(n * k / (a * b)) * np.exp(chance)))
    return total


def compare_clusterings(first: Labels, second: Labels) -> dict[str, float]:
    """Two groupings of the same rows side by side: agreement beyond chance, and what share of rows can be matched.

    Groups are matched one to one so that as many rows as possible agree.

    Examples
    --------
    >>> from assay.cluster import compare_clusterings
    >>> compare_clusterings([0, 0, 1, 1], ["b", "b", "a", "a"])
    {'adjusted_rand': 1.0, 'adjusted_mutual_info': 1.0, 'rand': 1.0, 'matched_rows': 1.0}

    See Also
    --------
    adjusted_rand_score, adjusted_mutual_info_score
    """
    from scipy.optimize import linear_sum_assignment

    table = _table(first, second, "compare_clusterings")
    pairs = linear_sum_assignment(-table)
    return {
        "adjusted_rand": adjusted_rand_score(first, second),
        "adjusted_mutual_info": adjusted_mutual_info_score(first, second),
        "rand": rand_score(first, second),
        "matched_rows": float(table[pairs].sum() / max(table.sum(), 1.0)),
    }
