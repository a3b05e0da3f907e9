"""Polynomials of scaled columns: a basis that stays well conditioned where plain powers do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from assay.core.stored import FloatArray, IntArray
from assay.errors import ParameterError

__all__ = ["PolynomialBasis", "exponents"]

MAX_PRODUCT = 1e250  # no product of polynomials gets larger: rows farther out are taken as if they were not
MOST_TERMS = 10_000  # of which a matrix of all pairs has 800 MB
ROWS = 4096  # of a block: some terms of so many rows stay in the cache


@dataclass(frozen=True)
class PolynomialBasis:
    r"""Products of Chebyshev polynomials of the columns, each stretched from its training range to [-1, 1].

    .. math:: z_a(x) = \prod_j T_{a_j}(t_j), \qquad t_j = (x_j - c_j)/h_j                      \quad (1)

    They span the same functions as the plain products :math:`\prod_j x_j^{a_j}`, but are of the same size and nearly
    orthogonal, so that a fit of degree 20 loses no digits.

    Attributes
    ----------
    powers : (m, d) exponents; the first term is the constant
    centre, half : (d,) middle and half width of each column's range

    Examples
    --------
    >>> from assay.linear.regression.polynomial_basis import PolynomialBasis
    >>> basis = PolynomialBasis(np.array([[0], [1], [2]]), np.array([5.0]), np.array([2.0]))
    >>> basis.columns(np.array([[3.0], [5.0], [7.0]]))
    array([[ 1., -1.,  1.],
           [ 1.,  0., -1.],
           [ 1.,  1.,  1.]])
    """

    powers: np.ndarray
    centre: np.ndarray
    half: np.ndarray
    stored = {
        "powers": IntArray("q", "d", low=0, high=100),
        "centre": FloatArray("d"),
        "half": FloatArray("d"),
    }

    def columns(self, X: np.ndarray) -> np.ndarray:
        """(n, m) the basis functions at each row."""
        Z = np.empty((len(X), len(self.powers)))
        for rows, part in self.blocks(X):
            Z[rows] = part.T
        return Z

    def blocks(self, X: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Some rows after the other, each time with (m, rows) basis functions: never all of them in memory."""
        plan = self._plan()
        highest = self.powers.max(axis=0, initial=0)
        used = np.flatnonzero(highest)
        far = 0.5 * MAX_PRODUCT ** (1 / max(1, int(self.powers.sum(axis=1).max(initial=0))))
        for a in range(0, len(X), ROWS):
            rows = slice(a, min(a + ROWS, len(X)))
            some = rows.stop - a
            with np.errstate(over="ignore", invalid="ignore"):
                by_column = {}
                for c in used.tolist():
                    t = (np.asarray(X[rows, c], dtype=np.float64) - self.centre[c]) / self.half[c]
                    by_column[c] = _chebyshev(np.clip(t, -far, far), int(highest[c]))
                part = np.empty((len(plan), some))
                for k, (parent, j, power) in enumerate(plan):
                    if power == 0:
                        part[k] = 1.0
                    elif parent == 0:
                        part[k] = by_column[j][power]
                    else:
                        np.multiply(part[parent], by_column[j][power], out=part[k])  # (1)
            yield rows, part

    def _plan(self) -> list[tuple[int, int, int]]:
        """Each term as an earlier one, its last column left out, times a polynomial of that column."""
        place = {tuple(row): k for k, row in enumerate(self.powers.tolist())}
        plan = []
        for row in self.powers.tolist():
            last = max((j for j, p in enumerate(row) if p), default=-1)
            lower = tuple(0 if j == last else p for j, p in enumerate(row))
            plan.append((place[lower], last, row[last] if last >= 0 else 0))
        return plan

    def to_plain(self) -> np.ndarray:
        """(m, m) T with w = Tᵀc: weights of plain powers from weights of the basis functions."""
        T = np.ones((len(self.powers), len(self.powers)))
        with np.errstate(over="ignore", invalid="ignore"):
            for j, column in enumerate(self.powers.T):
                of_column = _one_column(
                    int(column.max(initial=0)), float(self.centre[j]), float(self.half[j])
                )
                T *= of_column[np.ix_(column, column)]
        return T


def _one_column(degree: int, centre: float, half: float) -> np.ndarray:
    """(k + 1, k + 1) row a: T_a((x - centre) / half) as a polynomial of x, the constant first."""
    shift = np.zeros((degree + 1, degree + 1))  # row a: ((x - centre) / half)^a
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for a in range(degree + 1):
            for b in range(a + 1):
                shift[a, b] = comb(a, b) * np.float64(-centre / half) ** (a - b) * np.float64(1 / half) ** b
        return _in_powers(degree) @ shift


@lru_cache(maxsize=32)
def _in_powers(degree: int) -> np.ndarray:
    """(k + 1, k + 1) row a: T_a(t) = 2 t T_{a-1} - T_{a-2} as a polynomial of t."""
    table = np.zeros((degree + 1, degree + 1))
    table[0, 0] = 1.0
    if degree > 0:
        table[1, 1] = 1.0
    for a in range(2, degree + 1):
        table[a, 1:] = 2 * table[a - 1, :-1]
        table[a] -= table[a - 2]
    table.flags.writeable = False
    return table


def _chebyshev(t: np.ndarray, degree: int) -> list[np.ndarray]:
    """T_0(t), ..., T_k(t)."""
    values = [np.ones_like(t), t]
    for _ in range(2, degree + 1):
        values.append(2 * t * values[-1] - values[-2])
    return values


def exponents(limits: np.ndarray, degree: int, groups: np.ndarray | None = None) -> np.ndarray:
    """(m, d) the exponents of all products up to a degree, by degree and then in the order of the columns.

    Parameters
    ----------
    limits : (d,) the highest power of each column      degree : the highest sum of powers
    groups : (d,) columns with the same number from 0 up exclude each other, as indicators do; -1 for all others

    Examples
    --------
    >>> from assay.linear.regression.polynomial_basis import exponents
    >>> exponents(np.array([2, 1]), 2).tolist()
    [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1]]
    """
    d = len(limits)
    groups = np.full(d, -1) if groups is None else groups
    last: list[tuple[int, tuple[int, ...]]] = [(0, (0,) * d)]  # the last column used, and the exponents
    rows = [last[0][1]]
    for _ in range(degree):
        new = []
        for start, powers in last:
            for j in range(start, d):
                excluded = groups[j] >= 0 and any(
                    powers[i] and groups[i] == groups[j] for i in range(d) if i != j
                )
                if powers[j] < limits[j] and not excluded:
                    new.append((j, (*powers[:j], powers[j] + 1, *powers[j + 1 :])))
        last = new
        rows += [powers for _, powers in new]
        if len(rows) > MOST_TERMS:
            raise ParameterError(
                f"the products of {d} columns up to degree {degree} are more than {MOST_TERMS} terms. Lower the "
                "degree, or drop columns."
            )
    return np.array(rows, dtype=np.int64).reshape(-1, d)
