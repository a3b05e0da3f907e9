"""How mixed a set of classes is, and what a split does about it.

An impurity is a function of class shares; a split is judged by the mean impurity of its branches. Everything works on
counts or weights of any scale, with the classes along the last axis and, for splits, the branches along the one
before; all other axes are a batch. Entropy is in bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError
from assay.stats.information.entropy import entropy as _entropy
from assay.stats.information.entropy import gini

__all__ = [
    "ImpurityProperty",
    "ImpurityReport",
    "check_impurity",
    "entropy",
    "error_rate",
    "gain",
    "gain_ratio",
    "gini",
    "impurity_after",
    "impurity_function",
    "minimum_risk",
    "split_information",
]

Impurity = Callable[[NDArray[np.float64]], NDArray[np.float64]]
TOLERANCE = 1e-12


def entropy(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Entropy in bits of each row of class counts.

    .. math:: \phi(p) = -\sum_k p_k \log_2 p_k, \qquad 0 \log 0 = 0

    0 for a pure row, log2 K for equal shares.

    >>> entropy([0.5, 0.25, 0.25])
    np.float64(1.5)
    """
    return _entropy(counts, base=2)


def error_rate(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Share of the rows that do not belong to the most frequent class.

    .. math:: \phi(p) = 1 - \max_k p_k

    >>> error_rate([[0.5, 0.25, 0.25], [0, 0, 7]])
    array([0.5, 0. ])
    """
    c = np.asarray(counts, dtype=float)
    total = c.sum(axis=-1)
    minority = total - c.max(axis=-1)
    return np.clip(minority / np.where(total > 0, total, 1.0), 0.0, 1.0)


def minimum_risk(counts: ArrayLike, loss: ArrayLike) -> NDArray[np.float64]:
    r"""Expected loss of the best decision for each row of class counts.

    .. math:: \phi(p) = \min_i \sum_k \lambda_{ik} p_k

    Row i of ``loss`` is a decision, column k the truth. With 0/1 loss it is the error rate.

    >>> minimum_risk([0.5, 0.3, 0.2], [[0, 1, 5], [1, 0, 1], [2, 1, 0]])
    np.float64(0.7)
    """
    c, table = np.asarray(counts, dtype=float), _loss_table(loss, np.shape(counts)[-1], "minimum_risk")
    total = c.sum(axis=-1)
    return np.min(c @ table.T, axis=-1) / np.where(total > 0, total, 1.0)


def impurity_function(
    criterion: str | Callable[..., Any], loss: ArrayLike | None = None, who: str = "impurity"
) -> Impurity:
    """The impurity that a word or a user's function stands for, as a function of counts, (..., K) to (...).

    Parameters
    ----------
    criterion : "entropy", "gini", "error", "risk" or a function
        A function gets class shares, (m, K), and returns m numbers; :func:`check_impurity` checks whether it is an
        impurity.
    loss : (A, K), the loss of decision i (row) when the truth is class k (column); for "risk" only
    who : str, who speaks in messages

    Examples
    --------
    >>> impurity_function("gini")(np.array([[6.0, 4.0]])).round(2)
    array([0.48])
    >>> impurity_function(lambda p: p[:, 0] * p[:, 1])(np.array([[6.0, 4.0]]))
    array([0.24])
    """
    if callable(criterion):
        return _of_user(criterion, who)
    if criterion == "risk":
        if loss is None:
            raise ParameterError(
                f'{who}: criterion="risk" needs loss, a table with a row per decision and a column per class.'
            )
        return lambda counts: minimum_risk(counts, loss)
    known: dict[str, Impurity] = {"entropy": entropy, "gini": gini, "error": error_rate}
    if criterion not in known:
        raise ParameterError(
            f'{who}: criterion must be "entropy", "gini", "error", "risk" or a function, got {criterion!r}.'
        )
    return known[criterion]


def impurity_after(
    table: ArrayLike, criterion: str | Callable[..., Any] = "entropy", loss: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Mean impurity of the branches of a split, given their class counts, (..., branches, K).

    .. math:: I' = \sum_j \frac{N_j}{N} \phi(p_j)

    >>> impurity_after([[1, 5], [4, 1]], "gini").round(6)  # charity donors, age up to 50 and above
    np.float64(0.29697)
    """
    branches = _branches(table)
    return np.sum(_share(branches.sum(axis=-1)) * impurity_function(criterion, loss)(branches), axis=-1)


def gain(
    table: ArrayLike, criterion: str | Callable[..., Any] = "entropy", loss: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Decrease of impurity, :math:`I - I'`; with entropy the information gain.

    >>> gain([[1, 5], [4, 1]]).round(6)
    np.float64(0.311323)
    """
    branches = _branches(table)
    before = impurity_function(criterion, loss)(branches.sum(axis=-2))
    return before - impurity_after(branches, criterion, loss)


def split_information(table: ArrayLike) -> NDArray[np.float64]:
    r"""Entropy in bits of the branch sizes, :math:`-\sum_j \frac{N_j}{N} \log_2 \frac{N_j}{N}`.

    >>> split_information([[1, 5], [4, 1]]).round(6)
    np.float64(0.99403)
    """
    return entropy(_branches(table).sum(axis=-1))


def gain_ratio(table: ArrayLike) -> NDArray[np.float64]:
    """Information gain divided by the split information; 0 where only one branch has rows.

    The division takes back what a split gains by having many branches alone.

    >>> gain_ratio([[1, 5], [4, 1]]).round(6)
    np.float64(0.313193)
    """
    information = split_information(table)
    return np.where(information > 0, gain(table), 0.0)[()] / np.where(information > 0, information, 1.0)[()]


@dataclass(frozen=True)
class ImpurityProperty:
    """One property that an impurity must have: whether it holds, and if not, at which class shares it fails."""

    name: str
    holds: bool
    where: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class ImpurityReport:
    """What :func:`check_impurity` found; true if all properties hold."""

    properties: tuple[ImpurityProperty, ...]

    @property
    def holds(self) -> bool:
        return all(p.holds for p in self.properties)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return "\n".join(
            f"{p.name}: yes" if p.holds else f"{p.name}: no, {p.reason}" for p in self.properties
        )


def check_impurity(function: str | Callable[..., Any], K: int = 2, steps: int = 200) -> ImpurityReport:
    r"""Whether a function of K class shares can serve as an impurity, and if not, what it violates and where.

    For two classes the properties are: :math:`\phi` is largest at (1/2, 1/2); it is 0 where only one class is left;
    it grows all the way from there to (1/2, 1/2). For more classes the middle is (1/K, ..., 1/K), and the function
    must grow on each straight line from a corner to the middle. And it is never negative.

    Parameters
    ----------
    function : function of shares, (m, K), that returns m numbers; or the word of a built-in criterion
    K : int, number of classes
    steps : int, number of steps from a corner to the middle at which the function is looked at

    Examples
    --------
    >>> bool(check_impurity("gini"))
    True
    >>> print(check_impurity(lambda p: p[:, 0] ** 2 * p[:, 1]))
    never negative: yes
    largest at equal shares: no, 0.125 there, but 0.148147 at (0.6675, 0.3325)
    zero for a single class: yes
    grows from a single class to equal shares: no, from 0.148147 at (0.6675, 0.3325) to 0.148145 at (0.665, 0.335)
    """
    phi = impurity_function(function, who="check_impurity")
    lines = _lines(K, steps)  # (K, steps + 1, K)
    points = lines.reshape(-1, K)
    if K > 2:
        points = np.vstack([points, np.random.default_rng(0).dirichlet(np.ones(K), 50 * steps)])
    values, middle = phi(points), float(phi(np.full((1, K), 1 / K))[0])
    least, most = int(np.argmin(values)), int(np.argmax(np.round(values, 12)))
    corners = phi(np.eye(K))
    far = int(np.argmax(np.abs(corners)))
    rising = _first_that_does_not_rise(lines, phi(lines.reshape(-1, K)).reshape(K, -1))
    return ImpurityReport(
        (
            _property(
                "never negative",
                values[least] >= -TOLERANCE,
                points[least],
                f"{values[least]:.6g} at {_words(points[least])}",
            ),
            _property(
                "largest at equal shares",
                values[most] <= middle + TOLERANCE,
                points[most],
                f"{middle:.6g} there, but {values[most]:.6g} at {_words(points[most])}",
            ),
            _property(
                "zero for a single class",
                abs(corners[far]) <= TOLERANCE,
                np.eye(K)[far],
                f"{corners[far]:.6g} at {_words(np.eye(K)[far])}",
            ),
            rising,
        )
    )


def _lines(K: int, steps: int) -> NDArray[np.float64]:
    """(K, steps + 1, K) points from each corner of the simplex to its middle."""
    t = np.linspace(0.0, 1.0, steps + 1)[None, :, None]
    return (1 - t) * np.eye(K)[:, None, :] + t / K


def _first_that_does_not_rise(lines: NDArray[np.float64], values: NDArray[np.float64]) -> ImpurityProperty:
    name = "grows from a single class to equal shares"
    flat = np.argwhere(np.diff(values, axis=1) <= 0)
    if not len(flat):
        return ImpurityProperty(name, True)
    k, i = flat[0]
    reason = f"from {values[k, i]:.6g} at {_words(lines[k, i])} to {values[k, i + 1]:.6g} at {_words(lines[k, i + 1])}"
    return _property(name, False, lines[k, i + 1], reason)


def _property(name: str, holds: Any, where: NDArray[np.float64], reason: str) -> ImpurityProperty:
    if holds:
        return ImpurityProperty(name, True)
    return ImpurityProperty(name, False, tuple(float(v) for v in where), reason)


def _words(shares: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in shares) + ")"


def _of_user(function: Callable[..., Any], who: str) -> Impurity:
    """A user's function of shares as a function of counts; an empty row is pure."""

    def impurity(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        total = counts.sum(axis=-1, keepdims=True)
        nonempty = total[..., 0] > 0
        shares = (counts / np.where(total > 0, total, 1.0))[nonempty]
        values = np.asarray(function(shares), dtype=float)
        if values.shape != shares.shape[:1] or not np.isfinite(values).all():
            raise ParameterError(
                f"{who}: the function for the impurity got class shares of shape {shares.shape} and must return "
                f"{len(shares)} finite numbers, one per row; it returned shape {values.shape}. Let it work along the "
                "last axis, for example lambda p: 1 - p.max(axis=-1)."
            )
        result = np.zeros(nonempty.shape)
        result[nonempty] = values
        return result

    return impurity


def _loss_table(loss: ArrayLike, K: int, who: str) -> NDArray[np.float64]:
    table = np.asarray(loss, dtype=float)
    if table.ndim != 2 or table.shape[1] != K or not len(table) or not np.isfinite(table).all():
        raise ParameterError(
            f"{who}: loss must be a table of finite numbers with {K} columns, one per class, got shape {table.shape}."
        )
    return table


def _branches(table: ArrayLike) -> NDArray[np.float64]:
    branches = np.asarray(table, dtype=float)
    if branches.ndim < 2:
        raise ParameterError(
            f"A split is a table of class counts, branches by classes; got shape {branches.shape}."
        )
    return branches


def _share(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    total = sizes.sum(axis=-1, keepdims=True)
    return sizes / np.where(total > 0, total, 1.0)
