"""Groups around prototypes of mixed rows: means of numbers, modes of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Mixed", "Prototypes", "search"]


@dataclass(frozen=True)
class Mixed:
    """Rows in two parts: numbers (n, p), NaN where missing, and codes (n, q), -1 where missing; and their weights."""

    numbers: np.ndarray
    codes: np.ndarray
    sizes: tuple[int, ...]  # categories of each column
    weights: np.ndarray

    def take(self, rows: np.ndarray) -> Prototypes:
        """Some rows as prototypes."""
        return Prototypes(self.numbers[rows].copy(), self.codes[rows].copy())


@dataclass(frozen=True)
class Prototypes:
    """Means (k, p) and modes (k, q); what no row of a group has is missing."""

    means: np.ndarray
    modes: np.ndarray

    def apart(self, rows: Mixed, gamma: float) -> np.ndarray:
        """(n, k) squared gaps of numbers plus gamma times the number of categories that differ.

        A missing value is compared with nothing; what the other columns of its kind say counts for it as well.
        """
        n, k = len(rows.weights), len(self.means)
        out = np.zeros((n, k))
        p, q = rows.numbers.shape[1], rows.codes.shape[1]
        gaps_left = bool(np.isnan(rows.numbers).any() or np.isnan(self.means).any())
        codes_left = bool((rows.codes < 0).any() or (self.modes < 0).any())
        for c in range(k):
            if p:
                gaps = (rows.numbers - self.means[c]) ** 2
                out[:, c] += _scaled(gaps, np.isnan(gaps), p) if gaps_left else gaps.sum(axis=1)
            if q:
                differ = rows.codes != self.modes[c]
                if codes_left:
                    missing = (rows.codes < 0) | (self.modes[c] < 0)
                    out[:, c] += gamma * _scaled(differ.astype(np.float64), missing, q)
                else:
                    out[:, c] += gamma * np.count_nonzero(differ, axis=1)
        return out


def _scaled(terms: np.ndarray, missing: np.ndarray, columns: int) -> np.ndarray:
    known = columns - missing.sum(axis=1)
    return np.where(missing, 0.0, terms).sum(axis=1) * columns / np.maximum(known, 1)


def centers_of(rows: Mixed, labels: np.ndarray, before: Prototypes) -> Prototypes:
    """Means and modes (among equals the first category) of the groups; an empty one stays as it is."""
    k = len(before.means)
    means, modes = before.means.copy(), before.modes.copy()
    for j in range(rows.numbers.shape[1]):
        column = rows.numbers[:, j]
        known = ~np.isnan(column)
        weight = np.bincount(labels[known], rows.weights[known], k)
        total = np.bincount(labels[known], rows.weights[known] * column[known], k)
        means[:, j] = np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), means[:, j])
    for j, size in enumerate(rows.sizes):
        known = rows.codes[:, j] >= 0
        counts = np.bincount(
            labels[known] * size + rows.codes[known, j], rows.weights[known], k * size
        ).reshape(k, size)
        modes[:, j] = np.where(counts.any(axis=1), counts.argmax(axis=1), modes[:, j])
    return Prototypes(means, modes)


def spread(rows: Mixed, k: int, gamma: float, draw: np.random.RandomState) -> Prototypes:
    """k rows that lie apart, drawn by their distance from those before; the best of some draws each time."""
    n = len(rows.weights)
    chances = rows.weights / rows.weights.sum()
    chosen = [int(draw.choice(n, p=chances))]
    least = rows.take(np.array(chosen)).apart(rows, gamma)[:, 0]
    while len(chosen) < k:
        mass = least * rows.weights
        total = mass.sum()
        tries = draw.choice(n, size=2 + int(np.log(k)), p=mass / total if total > 0 else chances)
        apart = np.minimum(rows.take(tries).apart(rows, gamma), least[:, None])
        best = int(np.argmin(rows.weights @ apart))
        chosen.append(int(tries[best]))
        least = apart[:, best]
    return rows.take(np.array(chosen))


def search(
    rows: Mixed,
    k: int,
    gamma: float,
    n_init: int,
    max_iter: int,
    draw: np.random.RandomState,
    init: Any = None,
) -> tuple[Prototypes, np.ndarray, float, int]:
    """Prototypes, labels, cost and iterations of the best of some starts."""
    best: Any = None
    n = len(rows.weights)
    for _ in range(n_init):
        if init == "random":
            first = rows.take(draw.choice(n, size=k, replace=False, p=rows.weights / rows.weights.sum()))
        else:
            first = spread(rows, k, gamma, draw) if init is None else init
        run = _run(rows, first, gamma, max_iter)
        if best is None or run[2] < best[2]:
            best = run
    return best


def _run(
    rows: Mixed, at: Prototypes, gamma: float, max_iter: int
) -> tuple[Prototypes, np.ndarray, float, int]:
    labels, everyone = np.full(len(rows.weights), -1), np.arange(len(rows.weights))
    k = len(at.means)
    iteration = 0
    while iteration < max_iter:
        iteration += 1
        apart = at.apart(rows, gamma)
        nearest = np.argmin(apart, axis=1)
        gaps = apart[everyone, nearest] * (rows.weights > 0)
        for c in np.flatnonzero(np.bincount(nearest, rows.weights > 0, k) == 0):  # takes the farthest row
            far = int(np.argmax(gaps))
            if gaps[far] <= 0:
                break
            nearest[far], gaps[far] = c, 0.0
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        at = centers_of(rows, labels, at)
    apart = at.apart(rows, gamma)
    labels = np.argmin(apart, axis=1)
    return at, labels, float(apart[everyone, labels] @ rows.weights), iteration
