"""ReliefF and RReliefF: columns that differ between near rows of different classes, or with different targets."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.select.filters._relieff as _relieff
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Seed, check
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.select.filters.feature_scores import FeatureScores, read_rows
from assay.tables import Table
from assay.tables.float_blocks import is_sparse
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["relieff", "relieff_of_rows"]

NEIGHBORS = 10
BLOCK = 256  # queries whose neighbours are looked for in one call
_NO_WEIGHTS = np.empty(0)


def relieff(
    X: TableLike,
    y: Target,
    *,
    n_neighbors: int = NEIGHBORS,
    n_iterations: int | None = None,
    sample_weight: Weights | None = None,
    task: str | None = None,
    random_state: RandomState = None,
) -> FeatureScores:
    r"""Score columns by how they differ between near rows: little within a class, much between classes.

    For each row i the k nearest rows of its own class (hits) and of every other class (misses) are found, by the
    distance :math:`\sum_j \mathrm{diff}_j` over all columns, so that columns count which tell only with others:

    .. math:: W_j = \frac1{mk}\sum_i \Big[\sum_{c \ne y_i} \frac{P(c)}{1 - P(y_i)} \sum_{h \in M_c(i)}
              \mathrm{diff}_j(i, h) - \sum_{h \in H(i)} \mathrm{diff}_j(i, h)\Big]                       \quad (1)

    The diff of numbers (and of ordinal ranks) is their distance over the column's range, of categories 0 or 1. A
    missing value differs by what its class leads to expect: from category v by :math:`1 - P(v|c)`, from a number by the
    mean distance to the class's numbers, and two missing ones by the same mean over both classes. From -1 to 1; columns
    without use lie around 0 or below.

    A target of numbers (RReliefF): with :math:`\mathrm{diff}_y` of the target and the k nearest rows of all,

    .. math:: W_j = \frac{\overline{\mathrm{diff}_y \mathrm{diff}_j}}{\overline{\mathrm{diff}_y}}
              - \frac{\overline{(1 - \mathrm{diff}_y)\,\mathrm{diff}_j}}{1 - \overline{\mathrm{diff}_y}}     \quad (2)

    Cost: O(m n d), native, in threads; the same numbers from any number of them.

    Parameters
    ----------
    X : array or frame, (n, d), with categories and missing values
    y : (n,) classes or numbers
    n_neighbors : int, default 10
        k of (1); fewer where a class has fewer rows.
    n_iterations : int or None
        m, how many rows to draw; None takes each once.
    sample_weight : (n,) a row of weight 2 is two rows; or None
    task : "classification", "regression" or None to see by y
    random_state : int, generator or None
        Of the drawn rows.

    Returns
    -------
    FeatureScores

    Examples
    --------
    Two columns that only together tell the class, and one of noise:

    >>> import numpy as np
    >>> from assay.select import relieff
    >>> X = np.random.default_rng(0).random((200, 3))
    >>> result = relieff(X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5))
    >>> result.scores.round(2)
    array([ 0.09,  0.1 , -0.01])

    See Also
    --------
    feature_scores, SelectKBest

    References
    ----------
    - Kononenko, I. (1994). Estimating attributes: analysis and extensions of RELIEF. European Conference on Machine
      Learning, 171-182. doi:10.1007/3-540-57868-4_57
    - Robnik-Šikonja, M. and Kononenko, I. (2003). Theoretical and empirical analysis of ReliefF and RReliefF. Machine
      Learning 53, 23-69. doi:10.1023/A:1025667309714
    """
    accepts = {"n_neighbors": Count(1), "n_iterations": Count(1) | None, "random_state": Seed()}
    values = {"n_neighbors": n_neighbors, "n_iterations": n_iterations, "random_state": random_state}
    check("relieff", accepts, values)
    rows = read_rows(X, y, sample_weight, task, "relieff")
    drawn = None
    n = len(rows.target)
    if n_iterations is not None and n_iterations < n:
        drawn = np.sort(as_generator(random_state, "relieff").permutation(n)[:n_iterations])
    scores, _ = relieff_of_rows(
        rows.table, rows.target, rows.weights, rows.classes is not None, "value", n_neighbors, drawn
    )
    return FeatureScores("relieff", tuple(rows.table.schema.names), scores)


def relieff_of_rows(
    table: Table,
    target: np.ndarray,
    w: np.ndarray | None,
    classes: bool,
    missing: str,
    k: int = NEIGHBORS,
    drawn: np.ndarray | None = None,
) -> tuple[np.ndarray, None]:
    """(d,) the scores of a table: (1) if target holds codes of classes, else (2)."""
    values = table.values.toarray() if is_sparse(table.values) else table.values
    group = np.asarray(target, np.int64) if classes else np.zeros(len(target), np.int64)
    measure = _Differences(np.asarray(values, np.float64), table.schema, group, w)
    rows = np.arange(len(group)) if drawn is None else drawn
    if w is not None:
        rows = rows[w[rows] > 0]
    collect = _by_class(group, w) if classes else _by_number(target, w)
    blocks = [rows[at : at + BLOCK] for at in range(0, len(rows), BLOCK)]
    with progress(len(blocks), "relieff: neighbours") as bar:

        def part(block: np.ndarray) -> np.ndarray:
            sums = collect(block, *measure.nearest(block, k, classes), measure)
            bar.advance()
            return sums

        sums: Any = sum(in_threads(part, blocks))
    weight = float(len(rows) if w is None else w[rows].sum())
    return (sums[0] / weight if classes else _of_numbers(sums, weight)), None


def _by_class(group: np.ndarray, w: np.ndarray | None) -> Any:
    """What (1) adds up over the neighbours of a block of rows."""
    prior = np.bincount(group, w) / (len(group) if w is None else w.sum())

    def collect(block: np.ndarray, near: np.ndarray, share: np.ndarray, measure: Any) -> np.ndarray:
        K = len(prior)
        near, share = near.reshape(len(block), K, -1), share.reshape(len(block), K, -1)
        of_row = group[block]
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.nan_to_num(prior[None, :] / (1 - prior[of_row])[:, None], posinf=0.0)
        factor[np.arange(len(block)), of_row] = -1.0
        factor *= (np.ones(len(block)) if w is None else w[block])[:, None]
        total = share.sum(axis=2, keepdims=True)
        worth = np.divide(share * factor[:, :, None], total, out=np.zeros_like(share), where=total > 0)
        return measure.sums(block, near.reshape(len(block), -1), worth.reshape(1, len(block), -1))

    return collect


def _by_number(target: np.ndarray, w: np.ndarray | None) -> Any:
    """What (2) adds up: diff of the target, diffs of the columns, and their products."""
    used = target if w is None else target[w > 0]
    y = _to_unit(target, float(used.min()), float(used.max()))

    def collect(block: np.ndarray, near: np.ndarray, share: np.ndarray, measure: Any) -> np.ndarray:
        total = share.sum(axis=1, keepdims=True)
        worth = np.divide(share, total, out=np.zeros_like(share), where=total > 0)
        worth *= (np.ones(len(block)) if w is None else w[block])[:, None]
        apart = np.abs(y[near] - y[block][:, None])
        sums = measure.sums(block, near, np.stack([worth * apart, worth]))
        return np.vstack([sums, np.full(sums.shape[1], (worth * apart).sum())])

    return collect


def _of_numbers(sums: np.ndarray, weight: float) -> np.ndarray:
    both, column, target = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(both / target) - np.nan_to_num((column - both) / (weight - target))  # (2)


class _Differences:
    """The diffs of the columns of a table, and the nearest rows by their sum."""

    def __init__(self, X: np.ndarray, schema: Any, group: np.ndarray, w: np.ndarray | None):
        n, d = X.shape
        K = int(group.max()) + 1
        used = np.ones(n, bool) if w is None else w > 0
        weights = np.ones(n) if w is None else w
        nominal = np.array([column.kind == "nominal" for column in schema], bool)
        columns = np.ascontiguousarray(X.T)
        columns[nominal[:, None] & (columns < 0)] = np.nan
        for j in np.flatnonzero(~nominal):
            known = columns[j][used & ~np.isnan(columns[j])]
            columns[j] = _to_unit(columns[j], *((known.min(), known.max()) if len(known) else (0.0, 0.0)))
        gap = np.isnan(columns).any(axis=1)
        self.columns, self.nominal, self.gap, self.group = columns, nominal, gap, group
        tables = [_expected(columns[j], bool(nominal[j]), group, weights, K) for j in np.flatnonzero(gap)]
        self.expected = np.array([table for table, _ in tables]).reshape(int(gap.sum()), n, K)
        self.pair = np.array([pair for _, pair in tables]).reshape(int(gap.sum()), K, K)
        self.weights = _NO_WEIGHTS if w is None else np.ascontiguousarray(w, np.float64)
        self.native = _relieff.Columns(
            numbers=columns[~gap & ~nominal],
            codes=columns[~gap & nominal],
            gaps=columns[gap],
            nominal=nominal[gap].astype(np.uint8),
            expected=self.expected.reshape(-1, K),
            pair=self.pair.reshape(-1, K),
            group=group,
        )

    def nearest(self, block: np.ndarray, k: int, by_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """(lists, k) the nearest rows of each row of the block, and how many neighbours each stands for."""
        lists = len(block) * (self.pair.shape[2] if by_class else 1)
        k = min(k, len(self.group))
        row, share = np.empty((lists, k), np.int64), np.empty((lists, k))
        _relieff.nearest(
            columns=self.native, query=block, w=self.weights, k=k, by_class=by_class, row=row, share=share
        )
        return np.maximum(row, 0), share

    def sums(self, block: np.ndarray, near: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """(s, d) sums over pairs of a row of the block and a neighbour of ``worth`` (s, rows, k) times each diff."""
        a, b = np.repeat(block, near.shape[1]), near.ravel()
        worth = worth.reshape(len(worth), -1)
        sums = np.empty((len(worth), len(self.columns)))
        gaps = np.cumsum(self.gap) - 1
        for j, x in enumerate(self.columns):
            left, right = x[a], x[b]
            diff = (left != right).astype(float) if self.nominal[j] else np.abs(left - right)
            if self.gap[j]:
                diff = self._with_gaps(diff, left, right, a, b, int(gaps[j]))
            sums[:, j] = worth @ diff
        return sums

    def _with_gaps(
        self, diff: np.ndarray, left: np.ndarray, right: np.ndarray, a: np.ndarray, b: np.ndarray, g: int
    ) -> np.ndarray:
        no_left, no_right, group = np.isnan(left), np.isnan(right), self.group
        diff = np.where(no_right, self.expected[g][a, group[b]], diff)
        diff = np.where(no_left, self.expected[g][b, group[a]], diff)
        return np.where(no_left & no_right, self.pair[g][group[a], group[b]], diff)


def _to_unit(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Numbers from low to high as numbers from 0 to 1; all 0 if there is one number."""
    half = high / 2 - low / 2  # of numbers near the largest, the whole range overflows
    return (x / 2 - low / 2) / half if half > 0 else np.where(np.isnan(x), np.nan, 0.0)


def _expected(
    x: np.ndarray, nominal: bool, group: np.ndarray, w: np.ndarray, K: int
) -> tuple[np.ndarray, np.ndarray]:
    """(n, K) how much each value differs from a missing one of each class, (K, K) and two missing ones."""
    n, known = len(x), ~np.isnan(x)
    expected, pair = np.zeros((n, K)), np.zeros((K, K))
    if not known.any():
        return expected, pair
    of_class = [known & (group == c) & (w > 0) for c in range(K)]
    rows = [
        members if members.any() else known for members in of_class
    ]  # no value of this class: those of all
    for c in range(K):
        distance = _distance_to_categories if nominal else _distance_to_numbers
        expected[known, c] = distance(x[known], x[rows[c]], w[rows[c]])
    for c in range(K):
        weights = w[rows[c]] if w[rows[c]].sum() > 0 else None
        pair[c] = np.average(expected[rows[c]], axis=0, weights=weights)
    return expected, pair


def _distance_to_categories(x: np.ndarray, values: np.ndarray, w: np.ndarray) -> np.ndarray:
    width = int(max(x.max(), values.max())) + 1
    share = np.bincount(values.astype(np.intp), w, minlength=width) / w.sum()
    return 1 - share[x.astype(np.intp)]


def _distance_to_numbers(x: np.ndarray, values: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The mean of |x - v| over weighted values v, by sums over those below and above."""
    order = np.argsort(values, kind="stable")
    v, weights = values[order], w[order]
    below, moment = (np.concatenate([[0.0], np.cumsum(part)]) for part in (weights, weights * v))
    at = np.searchsorted(v, x)
    left, right = x * below[at] - moment[at], (moment[-1] - moment[at]) - x * (below[-1] - below[at])
    return (left + right) / below[-1]
