"""Mutual information of columns and a target, of any kinds, by counts and by nearest neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import digamma

import assay.select.filters._mutual_info as _mutual_info
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Count, Flag, Seed, check
from assay.core.seeds import random_state_of
from assay.core.targets import encode_labels, numeric_target
from assay.errors import DataError, ParameterError
from assay.stats import mutual_information
from assay.tables import Table
from assay.tables.float_blocks import is_sparse
from assay.types import RandomState, TableLike, Target

__all__ = ["information", "mutual_info_classif", "mutual_info_regression", "spread_of"]

NOISE = 1e-10  # of a column's mean size, so that no two of its numbers are the same
_NO_WEIGHTS = np.empty(0)
_ACCEPTS = {
    "n_neighbors": Count(1),
    "copy": Flag(),
    "random_state": Seed(),
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
}


def mutual_info_classif(
    X: TableLike,
    y: Target,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Mutual information of each column and the class, in nats.

    Of categories by their counts. Of numbers by Ross's estimator: let :math:`r_i` be the distance from row i to the
    k-th nearest row of its class, :math:`m_i` the number of all rows nearer than that, and :math:`N_i` the size of its
    class, then

    .. math:: I = \psi(n) + \overline{\psi(k)} - \overline{\psi(N_i)} - \overline{\psi(m_i)}          \quad (1)

    with the digamma function :math:`\psi`; estimates below 0 become 0. Rows that are alone in their class are left
    out. Nominal columns are always categories. A column with missing values tells by which are missing, and by the
    others: :math:`I = I(M; y) + P(\text{known})\, I(x; y | \text{known})`. Cost: O(n log n) for each column.

    Parameters
    ----------
    X : array, sparse matrix or frame, (n, d)
    y : (n,) classes
    discrete_features : "auto", bool, or an array of which columns (a mask, or numbers), default "auto"
        Which columns of numbers are to be taken as categories; "auto" is none of a dense table, all of a sparse one.
    n_neighbors : int, default 3
        k of (1): more for less variance and more bias.
    copy : bool
        Accepted; X is never overwritten.
    random_state : int, RandomState or None
        Of the noise, a ten-billionth, by which equal numbers differ.
    n_jobs : int or None
        The most threads; the result does not depend on it.

    Returns
    -------
    (d,) the estimates

    Examples
    --------
    >>> from assay.select import mutual_info_classif
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> mutual_info_classif(iris.X, iris.y, random_state=0).round(2)
    array([0.47, 0.29, 0.99, 0.97])

    See Also
    --------
    mutual_info_regression, feature_scores, SelectKBest

    References
    ----------
    - Ross, B. C. (2014). Mutual information between discrete and continuous data sets. PLoS ONE 9(2), e87357.
      doi:10.1371/journal.pone.0087357
    """
    options = {"discrete_features": discrete_features, "n_neighbors": n_neighbors, "copy": copy}
    return _estimates("mutual_info_classif", X, y, random_state=random_state, n_jobs=n_jobs, **options)


def mutual_info_regression(
    X: TableLike,
    y: Target,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Mutual information of each column and a target of numbers, in nats.

    Of two numbers by the first estimator of Kraskov: let :math:`r_i` be the distance from row i to its k-th nearest
    row by :math:`\max(|\Delta x|, |\Delta y|)`, and :math:`m_i, l_i` the numbers of rows (itself among them) that are
    nearer than that by x alone and by y alone, then

    .. math:: I = \psi(n) + \psi(k) - \overline{\psi(m_i)} - \overline{\psi(l_i)}                      \quad (1)

    Columns and target are divided by their standard deviations first. Of categories and a number by the estimator of
    :func:`mutual_info_classif`, their parts exchanged. Cost: O(n log n) for each column.

    Parameters
    ----------
    X : array, sparse matrix or frame, (n, d)
    y : (n,) numbers
    discrete_features, n_neighbors, copy, random_state, n_jobs : as in mutual_info_classif

    Returns
    -------
    (d,) the estimates

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import mutual_info_regression
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> mutual_info_regression(X, X[:, 0] ** 2, random_state=0).round(1)
    array([3.8, 0.1])

    See Also
    --------
    mutual_info_classif, f_regression

    References
    ----------
    - Kraskov, A., Stögbauer, H. and Grassberger, P. (2004). Estimating mutual information. Physical Review E 69,
      066138. doi:10.1103/PhysRevE.69.066138
    """
    options = {"discrete_features": discrete_features, "n_neighbors": n_neighbors, "copy": copy}
    return _estimates("mutual_info_regression", X, y, random_state=random_state, n_jobs=n_jobs, **options)


def _estimates(
    who: str, X: Any, y: Any, *, discrete_features: Any, random_state: Any, n_jobs: int | None, **checked: Any
) -> np.ndarray:
    check(who, _ACCEPTS, {**checked, "random_state": random_state, "n_jobs": n_jobs})
    table = Table.of(X, who=who)
    n, d = table.shape
    sparse = is_sparse(table.values)
    discrete = _discrete(discrete_features, d, sparse, who) | table.schema.coded
    if sparse and not discrete.all():
        raise DataError("Sparse matrix `X` can't have continuous features; use X.toarray().", who=who)
    rng = random_state_of(random_state)
    columns = _Columns(table)
    numbers = np.flatnonzero(~discrete)
    noise = rng.standard_normal(size=(n, len(numbers))).T if len(numbers) else np.empty((0, n))
    moved = {int(j): noise[place] for place, j in enumerate(numbers)}
    of_classes = who == "mutual_info_classif"
    if of_classes:
        target = encode_labels(y, n, who)[1]
    else:
        target = _jittered(numeric_target(y, n, who), rng.standard_normal(size=n))
    k, order = checked["n_neighbors"], None if of_classes else np.argsort(target, kind="stable")

    def estimate(j: int) -> float:
        x = columns[j]
        x = np.unique(x, return_inverse=True)[1].ravel() if discrete[j] else _jittered(x, moved[j])
        return information(x, target, bool(discrete[j]), of_classes, k, by_y=order)

    return np.array(in_threads(estimate, range(d), n_jobs), dtype=np.float64)


class _Columns:
    """The columns of a table, one at a time, dense."""

    def __init__(self, table: Table):
        self.block = table.values.tocsc() if is_sparse(table.values) else np.ascontiguousarray(table.values.T)

    def __getitem__(self, j: int) -> np.ndarray:
        if isinstance(self.block, np.ndarray):
            return self.block[j].astype(np.float64)
        return self.block[:, [j]].toarray().ravel().astype(np.float64)


def _discrete(wanted: Any, d: int, sparse: bool, who: str) -> np.ndarray:
    """(d,) bool: the columns that are to be taken as categories."""
    if isinstance(wanted, str) and wanted != "auto":
        raise ParameterError(
            f"discrete_features must be 'auto', a bool or an array, got {wanted!r}.", who=who
        )
    if isinstance(wanted, (str, bool, np.bool_)):
        return np.full(d, sparse if isinstance(wanted, str) else bool(wanted))
    wanted = np.asarray(wanted)
    mask = np.zeros(d, dtype=bool)
    if wanted.dtype == bool and len(wanted) != d:
        raise IndexError(f"{who}: discrete_features has {len(wanted)} entries for {d} columns.")
    mask[wanted] = True
    return mask


def _jittered(x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Numbers in standard deviations, moved a little so that no two are the same."""
    scaled = x / spread_of(x, None)
    known = np.abs(scaled[~np.isnan(scaled)])
    return scaled + NOISE * max(1.0, known.mean() if len(known) else 0.0) * noise


def spread_of(x: np.ndarray, w: np.ndarray | None) -> float:
    """The standard deviation of the known numbers, 1 for a constant; numbers of any size are squared safely."""
    known = ~np.isnan(x)
    if not known.any():
        return 1.0
    values, weights = x[known], None if w is None else w[known]
    size = float(np.abs(values).max()) or 1.0
    units = values / size
    variance = np.average((units - np.average(units, weights=weights)) ** 2, weights=weights)
    return float(np.sqrt(variance)) * size if variance > (10 * np.finfo(float).eps) ** 2 else 1.0


def information(
    x: np.ndarray,
    y: np.ndarray,
    x_discrete: bool,
    y_discrete: bool,
    k: int = 3,
    w: np.ndarray | None = None,
    by_y: np.ndarray | None = None,
) -> float:
    """The mutual information of two columns of n values, in nats, at least 0; a row of weight w is w rows.

    Numbers may be missing (NaN) in x; categories are codes. Equal numbers are equal: where the k-th neighbour is at
    distance 0, all rows at distance 0 are counted in place of k, and where several rows share the k-th distance, as
    rounded numbers do, those that are nearer and the row itself.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.mutual_info import information
    >>> round(information(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), True, True), 6)
    0.693147
    """
    known = ~np.isnan(x)
    if not known.all():  # the chain rule: what it tells that a value is missing, and what the others tell
        weights = np.ones(len(x)) if w is None else w
        share = float(weights[known].sum() / weights.sum())
        of_gaps = information(known.astype(np.int64), y, True, y_discrete, k, w)
        if not known.any() or share == 0:
            return of_gaps
        return of_gaps + share * information(x[known], y[known], x_discrete, y_discrete, k, weights[known])
    if w is not None:
        x, y, w = x[w > 0], y[w > 0], w[w > 0]
        if (w == 1).all():
            w = None
    if x_discrete and y_discrete:
        return _of_counts(x.astype(np.int64), y.astype(np.int64), w)
    if x_discrete or y_discrete:
        number, codes = (y, x) if x_discrete else (x, y)
        return _of_number_and_codes(number.astype(np.float64), codes.astype(np.int64), k, w)
    return _of_numbers(x, y, k, w, by_y)


def _of_counts(x: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    width = int(y.max()) + 1
    counts = np.bincount(x * width + y, w, minlength=(int(x.max()) + 1) * width).reshape(-1, width)
    return max(0.0, float(mutual_information(counts)))


def _of_number_and_codes(x: np.ndarray, codes: np.ndarray, k: int, w: np.ndarray | None) -> float:
    K = int(codes.max()) + 1
    size = np.bincount(codes, w, minlength=K).astype(np.float64)
    order = np.argsort(x, kind="stable")
    order = order[size[codes[order]] > 1]  # a row that is alone in its class has no neighbour there
    if not len(order):
        return 0.0
    neighbours = np.minimum(float(k), size - 1)
    within, alike = np.empty((2, len(order)))
    _mutual_info.on_a_line(
        x=np.ascontiguousarray(x),
        order=order,
        group=codes,
        w=_NO_WEIGHTS if w is None else w,
        k=np.maximum(neighbours, 0.0),
        count=within,
        alike=alike,
    )
    psi = digamma if w is not None else _digamma_of_counts(len(x) + 1)
    weights = None if w is None else w[order]
    total = float(len(order)) if weights is None else float(weights.sum())
    terms = psi(alike) - psi(size)[codes[order]] - psi(within)
    return max(0.0, float(digamma(total) + np.average(terms, weights=weights)))  # (1)


def _of_numbers(x: np.ndarray, y: np.ndarray, k: int, w: np.ndarray | None, by_y: np.ndarray | None) -> float:
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    n = len(x)
    total = float(n) if w is None else float(w.sum())
    if total <= 1:
        return 0.0
    k_used = min(float(k), total - 1)
    by_x = np.argsort(x, kind="stable")
    by_y = np.argsort(y, kind="stable") if by_y is None or len(by_y) != n else by_y
    m, l, alike = np.empty((3, n))
    weights = _NO_WEIGHTS if w is None else w
    _mutual_info.in_a_plane(
        x=x, y=y, by_x=by_x, by_y=by_y, w=weights, k=k_used, x_count=m, y_count=l, alike=alike
    )
    copied = alike == 0
    if copied.any():
        alike[copied] = _copies(x, y, w)[copied]
    psi = digamma if w is not None else _digamma_of_counts(n + 1)
    return max(0.0, float(digamma(total) + np.average(psi(alike) - psi(m) - psi(l), weights=w)))


def _copies(a: np.ndarray, b: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(n,) the weight of the rows that are equal to each row in both values, itself among them."""
    order = np.lexsort((a, b))
    fresh = np.concatenate([[True], (np.diff(a[order]) != 0) | (np.diff(b[order]) != 0)])
    group = np.cumsum(fresh) - 1
    counts = np.bincount(group, None if w is None else w[order])[group].astype(np.float64)
    back = np.empty(len(a))
    back[order] = counts
    return back


def _digamma_of_counts(n: int) -> Any:
    """The digamma function of whole numbers from 1 to n, looked up."""
    known = digamma(np.arange(n + 1.0))
    known[0] = 0.0
    return lambda counts: known[counts.astype(np.intp)]
