"""How strongly columns of any kind are tied to each other and to the target: all pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from assay.errors import DataError
from assay.select.filters.bins import binned
from assay.tables import Table
from assay.tables.float_blocks import is_sparse

__all__ = ["association_matrix", "information_matrix"]

CELLS = 1 << 20  # of indicators in memory at a time


def information_matrix(
    table: Table, y: np.ndarray, w: np.ndarray | None, K: int, bins: Any, who: str
) -> np.ndarray:
    """(d + 1, d + 1) mutual information of all pairs of columns and the class, which is the last, in nats.

    Numbers are cut into bins, a missing value is one of its own. The diagonal holds the entropies.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.pairwise import information_matrix
    >>> from assay.tables import Table
    >>> table = Table.of({"a": ["u", "u", "v", "v"], "b": ["x", "y", "x", "y"]})
    >>> information_matrix(table, np.array([0, 0, 1, 1]), None, 2, "mdl", "").round(4)
    array([[0.6931, 0.    , 0.6931],
           [0.    , 0.6931, 0.    ],
           [0.6931, 0.    , 0.6931]])
    """
    coded = binned(table, y, w, bins, who)
    codes, width = _with_missing(coded)
    codes, width = np.column_stack([codes, y]), np.append(width, K)
    joint = _products(codes, width, None, w)[0]
    start = np.cumsum(width) - width
    total = float(len(y) if w is None else w.sum())
    sums = np.add.reduceat(np.add.reduceat(xlogy(joint, joint), start, axis=0), start, axis=1)
    entropies = np.log(total) - sums / total  # H(a, b); H(a) on the diagonal
    single = np.diag(entropies)
    return np.maximum(single[:, None] + single - entropies, 0.0)


def association_matrix(
    table: Table, target: np.ndarray, w: np.ndarray | None, K: int | None, who: str
) -> np.ndarray:
    """(d + 1, d + 1) strength of association, from 0 to 1, of all pairs of columns and the target, which is the last.

    Of two numbers :math:`|r|` over the rows that have both, of a number and categories the square root of the share of
    variance between categories, of two columns of categories Cramer's V; of two categories all three agree. A missing
    category is one of its own. A constant is tied to nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.filters.pairwise import association_matrix
    >>> from assay.tables import Table
    >>> table = Table.of({"a": [1.0, 2.0, 3.0, 4.0], "b": ["u", "u", "v", "v"]})
    >>> association_matrix(table, np.array([2.0, 4.0, 6.0, 8.0]), None, None, "").round(4)
    array([[1.    , 0.8944, 1.    ],
           [0.8944, 1.    , 0.8944],
           [1.    , 0.8944, 1.    ]])
    """
    if is_sparse(table.values):
        raise DataError("needs a dense table. Use X.toarray().", who=who)
    coded = np.append(table.schema.coded, K is not None)
    numbers = np.asarray(table.values[:, ~table.schema.coded], np.float64)
    codes, width = _with_missing(table)
    if K is None:
        numbers = np.column_stack([numbers, target])
    else:
        codes, width = np.column_stack([codes, target]), np.append(width, K)
    matrix = np.zeros((len(coded), len(coded)))
    joint, sums, known, squares, both = _products(codes, width, _standardised(numbers, w), w)
    start = np.cumsum(width) - width
    if len(width):
        matrix[np.ix_(coded, coded)] = _cramer(joint, width)
    if (~coded).any():
        matrix[np.ix_(~coded, ~coded)] = _correlation(both)
    if len(width) and (~coded).any():
        with np.errstate(invalid="ignore", divide="ignore"):
            between = np.add.reduceat(np.nan_to_num(sums**2 / known), start, axis=0)
        count, total = both[0].diagonal(), both[1].diagonal()
        spread = squares - np.divide(total**2, count, out=np.zeros_like(total), where=count > 0)
        between -= np.divide(total**2, count, out=np.zeros_like(total), where=count > 0)
        share = np.divide(
            between, spread, out=np.zeros_like(between), where=spread > 1e-12 * np.maximum(count, 1)
        )
        matrix[np.ix_(coded, ~coded)] = np.sqrt(np.clip(share, 0.0, 1.0))
        matrix[np.ix_(~coded, coded)] = matrix[np.ix_(coded, ~coded)].T
    return matrix


def _with_missing(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """The codes of the columns of categories, missing ones after the last, and how many there are of each column."""
    coded = table.schema.coded
    width = table.schema.category_counts().astype(np.int64)[coded]
    codes = np.asarray(table.values[:, coded], np.float64)
    absent = np.isnan(codes) | (codes < 0)
    return np.where(absent, width, codes).astype(np.int64), width + 1


def _standardised(numbers: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """Numbers in standard deviations from their means, so that no product overflows or cancels."""
    weights = np.ones(len(numbers)) if w is None else w
    known = ~np.isnan(numbers) & (weights > 0)[:, None]
    size = np.where(known, np.abs(numbers), 0.0).max(axis=0, initial=0.0)
    units = numbers / np.where(size > 0, size, 1.0)
    count = np.maximum((weights[:, None] * known).sum(axis=0), 1e-300)
    units = units - np.where(known, units * weights[:, None], 0.0).sum(axis=0) / count
    variance = (np.where(known, units, 0.0) ** 2 * weights[:, None]).sum(axis=0) / count
    varies = variance > (10 * np.finfo(float).eps) ** 2
    return np.where(
        varies, units / np.sqrt(np.where(varies, variance, 1.0)), np.where(np.isnan(units), np.nan, 0.0)
    )


def _products(
    codes: np.ndarray, width: np.ndarray, numbers: np.ndarray | None, w: np.ndarray | None
) -> tuple[Any, ...]:
    """Sums over rows of products of indicators, of indicators and numbers, and of numbers."""
    n, B = len(codes), int(width.sum())
    start = np.cumsum(width) - width
    p = 0 if numbers is None else numbers.shape[1]
    joint, sums, known = np.zeros((B, B)), np.zeros((B, p)), np.zeros((B, p))
    squares, both = np.zeros(p), np.zeros((4, p, p))  # count, sums of one, squares of one, products
    step = max(256, CELLS // max(B + p, 1))
    for at in range(0, n, step):
        rows = slice(at, at + step)
        weight = np.ones(min(step, n - at)) if w is None else w[rows]
        G = np.zeros((len(weight), B))
        G[np.arange(len(weight))[:, None], codes[rows] + start] = 1.0
        weighed = G * weight[:, None]
        joint += weighed.T @ G
        if numbers is not None:
            M = ~np.isnan(numbers[rows])
            Z = np.where(M, numbers[rows], 0.0)
            M = M.astype(np.float64)
            WZ, WM = Z * weight[:, None], M * weight[:, None]
            sums += weighed.T @ Z
            known += weighed.T @ M
            squares += (WZ * Z).sum(axis=0)
            both += np.stack([WM.T @ M, WZ.T @ M, (WZ * Z).T @ M, WZ.T @ Z])
    return joint, sums, known, squares, both


def _correlation(both: np.ndarray) -> np.ndarray:
    count, total, square, product = both
    safe = np.where(count > 0, count, 1.0)
    covariance = product - total * total.T / safe
    variance = np.maximum(square - total**2 / safe, 0.0)
    scale = np.sqrt(variance * variance.T)
    return np.clip(
        np.abs(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 1e-12 * safe)), 0, 1
    )


def _cramer(joint: np.ndarray, width: np.ndarray) -> np.ndarray:
    """V of all pairs: the root of chi-squared over its largest value."""
    start = np.cumsum(width) - width
    total = float(joint[: width[0], : width[0]].sum())
    shares = joint.diagonal() / total
    expected = np.outer(shares, shares) * total
    terms = np.divide((joint - expected) ** 2, expected, out=np.zeros_like(joint), where=expected > 0)
    chi = np.add.reduceat(np.add.reduceat(terms, start, axis=0), start, axis=1)
    most = np.add.reduceat(shares > 0, start) - 1
    freedom = np.minimum(most[:, None], most)
    return np.sqrt(
        np.clip(np.divide(chi / total, freedom, out=np.zeros_like(chi), where=freedom > 0), 0.0, 1.0)
    )
