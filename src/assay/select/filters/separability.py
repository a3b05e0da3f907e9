"""How far the classes of a table lie apart: one number for any subset of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.complaints import missing_message
from assay.core.moments import ClassScatter, class_scatter
from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError
from assay.select.filters.column_sums import refuse_overflow
from assay.select.subsets.subset_scores import FunctionScores
from assay.stats.checks import one_of
from assay.tables import Design, Table
from assay.tables.float_blocks import is_sparse
from assay.types import TableLike, Target, Weights

__all__ = ["class_separability", "criterion_of", "separability_of", "separability_scores"]

FORMS = ("trace", "determinant")
RANK = (
    1e-10  # directions whose scatter is a smaller share of the largest, in units of the columns, do not vary
)


def class_separability(
    X: TableLike, y: Target, form: str = "trace", *, sample_weight: Weights | None = None
) -> float:
    r"""How far the classes lie apart by all columns together: the scatter between them in units of that within.

    .. math:: J = \mathrm{tr}(S_W^{-1} S_B) = \sum_i \lambda_i,\qquad
              J' = \ln\frac{|S_W + S_B|}{|S_W|} = \sum_i \ln(1 + \lambda_i)                       \quad (1)

    with the scatter within classes :math:`S_W = \sum_k \sum_{i \in k} (x_i - m_k)(x_i - m_k)^T`, the scatter between
    them :math:`S_B = \sum_k n_k (m_k - m)(m_k - m)^T`, and the eigenvalues :math:`\lambda_i` of :math:`S_W^{-1} S_B`,
    of which at most K - 1 are not 0; :math:`|S_B|` alone is 0 for more than K - 1 columns. Neither changes with the
    units of the columns, and neither falls when a column is added. A nominal column counts as its indicators.
    Directions in which nothing varies within the classes are left out, unless the class means differ there: then J is
    infinite.
    Cost: O(n d^2 + d^3).

    Parameters
    ----------
    X : array or frame, (n, d), no missing values
    y : (n,) classes
    form : "trace" for J or "determinant" for J'
    sample_weight : (n,) a row of weight 2 is two rows; or None

    Returns
    -------
    float, from 0 up

    Examples
    --------
    >>> from assay.select import class_separability
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> round(class_separability(iris.X, iris.y), 4)
    32.4773

    See Also
    --------
    separability_scores, feature_scores

    References
    ----------
    - Fukunaga, K. (1990). Introduction to Statistical Pattern Recognition, second edition. Academic Press.
    """
    scores = separability_scores(X, y, form, sample_weight=sample_weight)
    return float(scores.scores([tuple(range(scores.d))])[0, 0])


def separability_scores(
    X: TableLike, y: Target, form: str = "trace", *, sample_weight: Weights | None = None
) -> FunctionScores:
    """Class separability as the criterion of a search over subsets, from one pass over the rows.

    It is monotone, so that branch and bound finds the best subset of a size. Parameters as in
    :func:`class_separability`.

    Returns
    -------
    FunctionScores, to be given to a search

    Examples
    --------
    >>> from assay.select import separability_scores
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> separability_scores(iris.X, iris.y).scores([(0,), (2,), (2, 3)]).ravel().round(3)
    array([ 1.623, 16.057, 19.782])

    See Also
    --------
    class_separability, FunctionScores
    """
    who = "separability_scores"
    one_of(form, FORMS, who, "form")
    table = Table.of(X, who=who)
    if is_sparse(table.values):
        raise DataError("needs a dense table. Use X.toarray().", who=who)
    if not table.complete:
        remedy = "Fill it first: make_pipeline(SimpleImputer(), ...)."
        raise DataError(missing_message(who, table, remedy))
    classes, codes = encode_labels(y, table.shape[0], who)
    design = Design(table.schema, True)
    block = table.values if design.plain else design.expand(table.values)
    w = check_weights(sample_weight, table.values, who)
    sums = class_scatter(block, codes, w, len(classes), pooled=True)
    return criterion_of(sums, design, table.schema.names, form, who)


def criterion_of(
    sums: ClassScatter, design: Design, names: Sequence[str], form: str, who: str
) -> FunctionScores:
    """The separability of subsets of the d columns of these names, from the pooled class scatters of their design."""
    d = len(names)
    refuse_overflow(sums.scatter[0].diagonal()[None], [names[j] for j in design.source], who)
    columns = [np.flatnonzero(np.asarray(design.source) == j) for j in range(d)]

    def criterion(subset: tuple[int, ...]) -> float:
        return separability_of(sums, np.concatenate([columns[j] for j in subset]), form)

    measure = "tr(Sw^-1 Sb)" if form == "trace" else "ln |Sw + Sb| / |Sw|"
    return FunctionScores(criterion, d, monotone=True, measure=measure, baseline=0.0)


def separability_of(sums: ClassScatter, columns: Any, form: str) -> float:
    """(1) of some columns of pooled class scatters.

    >>> import numpy as np
    >>> from assay.core.moments import class_scatter
    >>> from assay.select.filters.separability import separability_of
    >>> sums = class_scatter(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), None, 2, pooled=True)
    >>> round(separability_of(sums, [0], "trace"), 12)
    4.0
    """
    within = sums.scatter[0][np.ix_(columns, columns)]
    means = sums.mean[:, columns] + (0.0 if sums.low is None else sums.low[:, columns])
    near = means[int(np.argmax(sums.count))]
    gap = means - near
    deviations = np.sqrt(sums.count)[:, None] * (gap - sums.count @ gap / sums.count.sum())
    total = np.hypot(np.sqrt(np.diag(within)), np.hypot.reduce(deviations, axis=0))
    unit = np.where(total > 0, total, 1.0)  # in units of the columns' spread, so that none drowns another
    scatter, vectors = np.linalg.eigh(within / unit[:, None] / unit)
    between = (deviations / unit) @ vectors
    varies = scatter > RANK * max(scatter.max(initial=0.0), RANK)
    if (np.abs(between[:, ~varies]) > np.sqrt(RANK)).any():
        return float("inf")
    whitened = between[:, varies] / np.sqrt(scatter[varies])
    if form == "trace":
        return float((whitened**2).sum())
    return float(np.log1p(np.linalg.svd(whitened, compute_uv=False) ** 2).sum())
