"""Effects of two-level factors and their interactions, with and without replicates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtr, stdtrit

from assay.errors import DataError
from assay.experiments.designs.fractional import word
from assay.experiments.designs.run_table import RunTable, as_numbers, names_of
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import check_alpha

__all__ = ["Effects", "effects"]

Floats = NDArray[np.float64]
MAX_EFFECTS = 5000  # longer interactions are left out of designs that have more


@dataclass(frozen=True, eq=False)
class Effects:
    """Result of `effects`: one entry per effect that the runs can estimate.

    Attributes
    ----------
    names : such as "A", "AB", and "A+BC" for a mixture
    effect : mean response at + minus mean response at -
    ss, contribution : sum of squares, and its share of the total
    mean, total_ss : of the response
    standard_error, df : of an effect, from replicates; NaN and 0 without any
    p : from replicates (t test), or from Lenth's pseudo standard error
    pse, margin, simultaneous_margin : Lenth's pseudo standard error, and the size from which on one effect, or
        any of all, is significant; from replicates, the margins of t tests (Bonferroni for the latter)
    entangled : interactions mixed in parts with several others, which these runs cannot estimate
    """

    names: tuple[str, ...]
    effect: Floats
    ss: Floats
    contribution: Floats
    mean: float
    total_ss: float
    standard_error: float
    df: int
    p: Floats
    pse: float
    margin: float
    simultaneous_margin: float
    entangled: tuple[str, ...] = ()
    why: str = ""

    @property
    def active(self) -> NDArray[np.bool_]:
        """Whether each effect is beyond the margin of one."""
        return np.abs(self.effect) > self.margin

    def half_normal(self) -> list[tuple[str, float, float]]:
        """(name, size, normal quantile), smallest first: effects that are noise lie on a line through 0."""
        order = np.argsort(np.abs(self.effect), kind="stable")
        m = len(order)
        q = ndtri(0.5 + 0.5 * (np.arange(1, m + 1) - 0.5) / m)
        return [(self.names[j], float(abs(self.effect[j])), float(v)) for j, v in zip(order, q)]

    def __getitem__(self, name: str) -> float:
        """The effect of that name; of aliased effects, by any of their names."""
        for full, value in zip(self.names, self.effect):
            if name in (full, *full.replace("-", "+").split("+")):
                return float(value)
        raise KeyError(name)

    def __str__(self) -> str:
        width = max(len(n) for n in self.names)
        lines = [f"{'':<{width}}  {'effect':>10} {'SS':>12} {'share':>7} {'p':>8}"]
        for j in np.argsort(-np.abs(self.effect), kind="stable"):
            p = "" if np.isnan(self.p[j]) else f"{self.p[j]:.4f}"
            lines.append(
                f"{self.names[j]:<{width}}  {self.effect[j]:>10.4g} {self.ss[j]:>12.5g} "
                f"{self.contribution[j]:>6.1%} {p:>8}".rstrip()
            )
        return "\n".join([*lines, *([self.why] if self.why else [])])


def effects(design: RunTable | ArrayLike, response: ArrayLike, *, alpha: float = 0.05) -> Effects:
    r"""How much the response changes from the low to the high level of each factor, and of factors together.

    An effect is the mean where the product of the factors' columns is + minus the mean where it is -; over n
    runs its sum of squares is :math:`n\,(\text{effect}/2)^2`. With replicated runs their variance s^2 gives the
    standard error :math:`2s/\sqrt n`. Without, most effects are taken to be noise (Lenth 1989):

    .. math:: s_0 = 1.5\,\mathrm{median}|e_j|,\quad
              PSE = 1.5\,\mathrm{median}\{|e_j| : |e_j|<2.5s_0\},\quad ME = t_{1-\alpha/2,\,m/3}\,PSE

    Parameters
    ----------
    design : `RunTable` of two levels (`full_factorial`, `fractional_factorial`, `plackett_burman`), or its coded
        matrix (n, F) of -1 and 1
    response : (n,), or (n, r) with r replicates of each run
    alpha : float, for the margins

    Examples
    --------
    >>> from assay.experiments import effects, full_factorial
    >>> result = effects(full_factorial(3), [60, 72, 54, 68, 52, 83, 45, 80])
    >>> print(result)
             effect           SS   share        p
    A            23         1058  80.3%   0.0055
    AC           10          200  15.2%   0.0352
    B            -5           50   3.8%   0.1380
    C           1.5          4.5   0.3%   0.5649
    AB          1.5          4.5   0.3%   0.5649
    ABC         0.5          0.5   0.0%   0.8421
    BC            0            0   0.0%   1.0000
    """
    check_alpha(alpha, "effects")
    names, X, y = _given(design, response)
    n, F = X.shape
    terms, columns, entangled = _terms(X, names)
    mean = float(y.mean())
    effect = columns.T @ (y - mean) / (n / 2)
    effect[np.abs(effect) <= 1e-14 * np.abs(y).max()] = 0.0  # rounding
    ss = n * (effect / 2) ** 2
    total = float(np.sum((y - mean) ** 2))
    share = ss / total if total > 0 else np.zeros_like(ss)
    _, cell, times = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    cell = cell.ravel()
    df = n - len(times)
    pse, error, why = np.nan, np.nan, ""
    m = len(effect)
    if df > 0:
        within = y - (np.bincount(cell, y) / times)[cell]
        error = 2 * float(np.sqrt(np.sum(within**2) / df / n))
        scale, free = error, float(df)
        single, all_ = float(-stdtrit(df, alpha / 2)), float(-stdtrit(df, alpha / 2 / m))
    else:
        pse = _lenth(np.abs(effect))
        scale, free = pse, m / 3
        single = float(-stdtrit(free, alpha / 2))
        all_ = float(stdtrit(free, (1 + (1 - alpha) ** (1 / m)) / 2))
    if scale <= 1e-12 * max(float(np.abs(effect).max()), 1e-300):
        p = np.where(np.abs(effect) > 0, 0.0, 1.0)
        why = "The runs show no error at all, so that any effect counts as certain."
        scale = 0.0
    else:
        p = 2 * stdtr(free, -np.abs(effect) / scale)
    if df == 0 and m < 3:
        p = np.full(m, np.nan)
        single = all_ = np.nan
        why = "With fewer than three effects and no replicates there is no error to judge them by."
    if not entangled and len(times) - 1 > MAX_EFFECTS:
        why = f"{why} Interactions of many factors are left out.".strip()
    if entangled:
        why = " ".join(
            [why, f"{len(entangled)} interactions are mixed in parts with several effects."]
        ).strip()
    return Effects(
        tuple(terms), effect, ss, share, mean, total, error, df, p, pse, single * scale, all_ * scale,
        tuple(entangled), why,
    )  # fmt: skip


def _given(design: Any, response: ArrayLike) -> tuple[tuple[str, ...], Floats, Floats]:
    table = isinstance(design, RunTable)
    X = as_numbers(design.coded if table else design, "effects: design")
    if X.ndim != 2 or not X.size:
        raise DataError(f"effects: expected a coded table of runs and factors, got shape {X.shape}.")
    F = X.shape[1]
    names = names_of(design, F)
    if not np.isin(X, (-1.0, 1.0)).all():
        raise DataError(
            "effects: every factor must be at -1 or 1 in every run. For more levels: anova, ResponseSurface."
        )
    y = as_numbers(response, "effects: response")
    if y.shape[:1] != X.shape[:1] or y.ndim > 2:
        raise DataError(f"effects: expected one response per run ({len(X)}), got shape {y.shape}.")
    if not np.isfinite(y).all():
        raise DataError("effects: a response is missing or infinite. Repeat that run.")
    squarable(y, "effects")
    if y.ndim == 2:
        X, y = np.repeat(X, y.shape[1], axis=0), y.ravel()
    if len(X) < 2 or np.abs(X.sum(axis=0)).any():
        raise DataError("effects: every factor must be high in half of the runs and low in the other half.")
    return names, X, y


def _terms(X: Floats, names: tuple[str, ...]) -> tuple[list[str], Floats, list[str]]:
    """Effects from short to long: each new column is new, a copy (alias) of one, or a mixture of several."""
    n, F = X.shape
    times = np.unique(X, axis=0, return_counts=True)[1]
    n_max = len(times) - 1
    everything = (
        n_max == 2**F - 1 and np.ptp(times) == 0
    )  # all combinations equally often: all columns differ
    labels: list[str] = []
    columns = np.empty((min(n_max, MAX_EFFECTS), n))
    entangled = []
    for size in range(1, F + 1):
        if size > 2 and (len(labels) >= n_max or entangled or len(labels) + comb(F, size) > MAX_EFFECTS):
            break
        for chosen in combinations(range(F), size):
            column = np.prod(X[:, chosen], axis=1)
            label = word(names, frozenset(chosen))
            earlier = columns[: len(labels)]
            if everything:
                columns[len(labels)] = column
                labels.append(label)
                continue
            if abs(column.sum()) == n:  # constant: a word of the defining relation
                continue
            match = earlier @ column / n
            if not np.abs(match).any() and column.sum() == 0:
                columns[len(labels)] = column
                labels.append(label)
            elif np.isin(np.abs(match), (0.0, 1.0)).all() and column.sum() == 0:
                j = int(np.abs(match).argmax())
                if size <= 2:
                    labels[j] += ("+" if match[j] > 0 else "-") + label
            elif size == 1:
                raise DataError(f"effects: the column of {label} is not orthogonal to the others.")
            else:
                entangled.append(label)
    return labels, columns[: len(labels)].T, entangled


def _lenth(size: Floats) -> float:
    start = 1.5 * float(np.median(size))
    small = size[size < 2.5 * start]
    return 1.5 * float(np.median(small)) if len(small) else 0.0
