r"""Covariance of estimates: the curvature at the estimate and the spread of the rows' gradients.

The estimate solves :math:`\sum_i v_i s_i(\theta) = P\theta` with the gradient :math:`s_i` of a row, its weight
:math:`v_i` and a penalty P (0 without one). With the curvature :math:`A = -\sum_i v_i s_i' + P`,

.. math:: \mathrm{Cov}\,\hat\theta \approx A^{-1} M A^{-1},                                           \quad (1)

where M is what the model says of the gradients' covariance, ("model", then :math:`M = A - P`), or what the rows
say: the sum of squares of :math:`s_i` ("HC0" to "HC3"), or of their sums in groups of rows that belong together
("cluster").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.core.sums import Block, Rows
from assay.core.targets import is_missing, plain_values
from assay.errors import DataError, DegenerateError
from assay.linear.logistic.logistic_objective import Scale
from assay.types import RowLabels

__all__ = [
    "COVARIANCES",
    "Meat",
    "Outside",
    "column_scale",
    "condition",
    "inflation",
    "refuse_dependent",
    "sandwich",
]

SMALLEST_SQUARABLE = 1e-290  # squares of such numbers vanish
COVARIANCES = ("model", "HC0", "HC1", "HC2", "HC3", "cluster")


def column_scale(rows: Rows, centred: bool) -> Scale:
    """Means and spreads of the columns, in which the arithmetic neither overflows nor cancels."""
    from assay.core.moments import class_moments

    X, w = rows.X, rows.w
    n = X.shape[0]
    total = float(n if w is None else w.sum())
    if isinstance(X, np.ndarray):

        def part(block: Block) -> Any:
            return class_moments(block.X, np.zeros(len(block.X), dtype=np.int64), block.w, 1)

        moments = rows.add_up(part)
        return Scale.of(moments.mean[0], moments.scatter[0] / total, total, centred)
    weight = np.ones(n) if w is None else w
    mean = np.asarray(weight @ X) / total
    square = np.asarray(weight @ X.multiply(X)) / total - mean * mean
    return Scale.of(mean, np.maximum(square, 0.0), total, centred)


@dataclass(frozen=True)
class Outside:
    """From the inner coordinates (columns of spread 1, constant last, classes side by side) to the user's.

    Attributes
    ----------
    scale : Scale of the columns      intercept : whether there is a constant      equations : number of blocks F
    """

    scale: Scale
    intercept: bool
    equations: int

    @property
    def matrix(self) -> np.ndarray:
        """(F P, P F) outer = matrix @ inner; outer has block after block, the constant first."""
        d = len(self.scale.mean)
        P, F = d + self.intercept, self.equations
        single = np.zeros((P, P))
        single[self.intercept :, :d] = np.diag(1.0 / self.scale.spread)
        if self.intercept:
            single[0, :d] = -self.scale.mean / self.scale.spread
            single[0, d] = 1.0
        full = np.zeros((F * P, P * F))
        for f in range(F):
            full[f * P : (f + 1) * P, f::F] = single
        return full


def inner_rows(X: Any, scale: Scale, intercept: bool) -> np.ndarray:
    """(n, P) dense rows in the inner coordinates, the constant last."""
    X = X if isinstance(X, np.ndarray) else X.toarray()
    out = np.ones((X.shape[0], X.shape[1] + intercept))
    out[:, : X.shape[1]] = scale.apply(X)
    return out


@dataclass
class Meat:
    """M of (1) from the rows' gradients; adds over blocks."""

    square: np.ndarray
    groups: np.ndarray | None = None

    def __add__(self, other: Meat) -> Meat:
        groups = self.groups if self.groups is None or other.groups is None else self.groups + other.groups
        return Meat(self.square + other.square, groups)

    @property
    def total(self) -> np.ndarray:
        """The sum of squares of the rows, or of the groups."""
        return self.square if self.groups is None else self.groups.T @ self.groups


def gradients_part(
    x: np.ndarray, residual: np.ndarray, w: np.ndarray | None, groups: np.ndarray | None, G: int
) -> Meat:
    """What a block adds: x (m, P) inside, residual (m, F), w (m,) how many rows each stands for."""
    s = (x[:, :, None] * residual[:, None, :]).reshape(len(x), -1)
    if groups is None:
        return Meat(s.T @ (s if w is None else s * w[:, None]))
    weighted = s if w is None else s * w[:, None]
    sums = np.zeros((G, s.shape[1]))
    np.add.at(sums, groups, weighted)
    return Meat(np.zeros((s.shape[1],) * 2), sums)


def over_blocks(
    rows: Rows, groups: np.ndarray | None, part: Callable[[Block, np.ndarray | None], Meat]
) -> Meat:
    """The sum of the parts of all blocks, each with the groups of its rows."""
    blocks = rows.blocks()
    start = np.cumsum([0, *(block.X.shape[0] for block in blocks)])
    pieces = [(b, None if groups is None else groups[i : i + b.X.shape[0]]) for b, i in zip(blocks, start)]
    return reduce(add, in_threads(lambda piece: part(*piece), pieces))


def sandwich(bread: np.ndarray, meat: np.ndarray) -> np.ndarray:
    """(1), kept symmetric."""
    V = bread @ meat @ bread
    return (V + V.T) / 2


def inverse(A: np.ndarray) -> np.ndarray:
    """The inverse of a positive definite matrix, in units of its diagonal."""
    from scipy.linalg import cho_factor, cho_solve

    size = np.sqrt(A.diagonal())
    unit = A / size[:, None] / size
    inv = cho_solve(cho_factor(unit, lower=True), np.eye(len(A)))
    return (inv + inv.T) / 2 / size[:, None] / size


def correction(covariance: str, n: float, k: int, groups: np.ndarray | None) -> float:
    """The factor for small samples: none for HC0, HC2, HC3; n/(n - k) for HC1; that of G groups for cluster."""
    if covariance == "HC1":
        return n / (n - k) if n > k else 1.0
    if groups is not None:
        G = int(groups.max()) + 1
        return G / (G - 1) * (n - 1) / (n - k)
    return 1.0


def group_codes(groups: RowLabels, n: int, who: str) -> np.ndarray:
    """(n,) the number of each row's group; at least two groups."""
    if groups is None:
        raise DataError(f'{who}: covariance="cluster" needs groups=, the group of each row.')
    values = np.asarray(plain_values(groups))
    if values.shape != (n,):
        raise DataError(f"{who}: groups must have one entry for each of {n} rows, got shape {values.shape}.")
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(v, len(number)) for v in values.tolist()], dtype=np.intp)
    if any(map(is_missing, number)):
        raise DataError(f"{who}: groups has missing entries; give each row a group.")
    refuse_one_group(codes, who)
    return codes


def refuse_one_group(codes: np.ndarray, who: str) -> None:
    """Refuse a single group, which has no spread."""
    if (codes == codes[0]).all():
        raise DataError(f"{who}: groups has one group; with fewer than two nothing is known of their spread.")


def varying(X: Any, intercept: bool) -> np.ndarray:
    """(k,) numbers of the informative columns: not constant beside a constant, not 0 without one."""
    if not isinstance(X, np.ndarray):
        low, high = (np.asarray(end.toarray()).ravel() for end in (X.min(axis=0), X.max(axis=0)))
        return np.flatnonzero(low < high if intercept else (low != 0) | (high != 0))
    first = X[0] if intercept else np.zeros(X.shape[1])
    varies = (X[:64] != first).any(axis=0)  # nearly all columns show it at once
    for j in np.flatnonzero(~varies):
        varies[j] = (X[:, j] != first[j]).any()
    return np.flatnonzero(varies)


def refuse_dependent(gram: np.ndarray, names: list[str], who: str, remedy: str) -> None:
    """Raise an error that names the first column that others determine; gram is (P, P) inside, constant last."""
    from assay.linear.separation.row_pairs import independent

    P, d = len(gram), len(names)
    order = [*range(d, P), *range(d)]  # the constant first
    kept = independent(gram[np.ix_(order, order)])
    lost = [names[order[j]] for j in range(P) if j not in set(kept.tolist()) and order[j] < d]
    small = np.flatnonzero(gram.diagonal()[:d] < SMALLEST_SQUARABLE)
    if len(small):
        raise DegenerateError(
            f"{who}: column {names[small[0]]} has numbers too small to be squared. Multiply it by a power of ten."
        )
    if lost:
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise DegenerateError(
            f"{who}: column {lost[0]}{more} is a combination of the columns before it, so its coefficient "
            f"is not determined and has no standard error. {remedy}"
        )


def inflation(gram: np.ndarray, d: int) -> np.ndarray:
    """(d,) variance inflation factors 1/(1 - R_j^2): how much the other columns blow up a coefficient's variance."""
    A = gram[:d, :d]
    size = np.sqrt(A.diagonal())
    if not d or not (size > 0).all():
        return np.full(d, np.nan)
    C = A / size[:, None] / size
    values = np.linalg.eigvalsh(C)
    if values[0] <= 1e-13 * d:
        return np.full(d, np.inf)
    return np.maximum(np.linalg.inv(C).diagonal(), 1.0)


def condition(gram: np.ndarray, scale: Scale, intercept: bool) -> float:
    """Condition number of the columns and the constant, each made of length 1 (Belsley, Kuh and Welsch 1980)."""
    d = len(scale.mean)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = scale.mean / scale.spread  # in units of the spread; what is not finite is far out
        raw = gram[:d, :d] + (np.outer(middle, middle) if intercept else 0.0)
        if intercept:
            raw = np.block([[raw, middle[:, None]], [middle[None], np.ones((1, 1))]])
        size = np.sqrt(raw.diagonal())
        unit = raw / size[:, None] / size
    if not len(unit) or not np.isfinite(unit).all():
        return float("inf") if len(unit) else 1.0
    values = np.linalg.eigvalsh(unit)
    return float(np.sqrt(values[-1] / values[0])) if values[0] > 0 else float("inf")
