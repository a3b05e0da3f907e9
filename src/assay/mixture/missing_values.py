r"""Gaussian components of rows with missing values: densities of what is known, expectations of what is not.

.. math:: E[x_m \mid x_o] = \mu_m + \Sigma_{mo}\Sigma_{oo}^{-1}(x_o - \mu_o), \qquad
          V[x_m \mid x_o] = \Sigma_{mm} - \Sigma_{mo}\Sigma_{oo}^{-1}\Sigma_{om}                          \quad (1)

for the columns o that a row has and those, m, that it lacks (Ghahramani and Jordan 1994). Both depend on which columns
these are and not on the values, so rows are grouped by their pattern of missing values. The gap of a completed row from
the mean is :math:`A(x_o - \mu_o)` with :math:`A = (I;\ \Sigma_{mo}\Sigma_{oo}^{-1})`, so that the sums of all rows of a
pattern follow from those of their known columns:

.. math:: F = A F_o, \qquad S = A S_o A^T + N V                                                       \quad (2)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from assay.core.sums import Block, Source
from assay.mixture.components import FORMS, CovarianceForm, Estimates, Moments
from assay.mixture.starts import k_means

__all__ = [
    "KnownColumns",
    "complete_groups",
    "gaussian_of",
    "known_counts",
    "lacks_values",
    "patterns",
    "widened_for_missing",
]

LOG_2PI = float(np.log(2 * np.pi))
ROUNDS = 10  # in which groups and the values that they fill in follow from each other
GAUSSIAN_STEPS = 100  # of EM, for one Gaussian of all rows
GAUSSIAN_TOL = 1e-6  # rise of the log likelihood of a row
KEPT_NUMBERS = 1 << 22  # in the patterns that are kept from block to block


def lacks_values(X: np.ndarray) -> bool:
    """Whether some value is missing."""
    with np.errstate(all="ignore"):
        return bool(np.isnan(X.sum())) and bool(np.isnan(X).any())  # the sum of complete rows is quicker


def patterns(X: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Which columns rows have, (d,) of bool, and the numbers of these rows, for each set of columns among the rows.

    >>> import numpy as np
    >>> from assay.mixture.missing_values import patterns
    >>> [(known.tolist(), rows.tolist()) for known, rows in patterns(np.array([[1, np.nan], [2, 3], [4, np.nan]]))]
    [([True, False], [0, 2]), ([True, True], [1])]
    """
    known = ~np.isnan(X)
    packed = np.ascontiguousarray(np.packbits(known, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, keys[order][1:] != keys[order][:-1]))
    for rows in np.split(order, starts[1:]):
        if len(rows):
            yield known[rows[0]], rows


def known_counts(source: Source, d: int) -> np.ndarray:
    """(d + 1,) the rows that have each column, by number, and the number of all rows; rows of weight 0 have none."""

    def summarize(block: Any) -> np.ndarray:
        X = np.asarray(block.X, dtype=np.float64)
        if block.w is None and not lacks_values(X):
            return np.full(d + 1, len(X), dtype=np.int64)
        counted = np.ones(len(X), dtype=bool) if block.w is None else np.asarray(block.w) > 0
        return np.append((~np.isnan(X) & counted[:, None]).sum(axis=0), counted.sum()).astype(np.int64)

    counts: np.ndarray = source.add_up(summarize)
    return counts


@dataclass(frozen=True)
class _Pattern:
    """The components as the known columns see them."""

    means: np.ndarray  # (K, o)
    roots: np.ndarray  # as the form has them, of the known columns
    constants: np.ndarray  # (K,)
    maps: np.ndarray | None  # (K, d, o) A of (2); None where columns are independent
    conditional: np.ndarray  # (K, d, d) or (K, d) V of (1), 0 where known


class KnownColumns:
    """The components of a state for rows of any pattern of missing values.

    Parameters
    ----------
    form : CovarianceForm      log_weights : (K,)      means : (K, d)      covariances : as the form has them
    """

    def __init__(
        self, form: CovarianceForm, log_weights: np.ndarray, means: np.ndarray, covariances: np.ndarray
    ):
        self.form, self.log_weights, self.means = form, log_weights, means
        K, d = means.shape
        self.correlated = form.correlated
        self._inner = FORMS["full" if self.correlated else "diag"]
        whole = np.array([form.of_component(covariances, k, d) for k in range(K)])
        self.covariances = whole if self.correlated else np.diagonal(whole, axis1=1, axis2=2)
        self._seen: dict[bytes, _Pattern] = {}

    def of(self, known: np.ndarray) -> _Pattern:
        """What the columns ``known`` (d,) see, made once unless there are very many patterns."""
        key = known.tobytes()
        part = self._seen.get(key)
        if part is None:
            part = self._made(known)
            if (len(self._seen) + 1) * 3 * self.covariances.size <= KEPT_NUMBERS:
                self._seen[key] = part
        return part

    def _made(self, known: np.ndarray) -> _Pattern:
        means, o = self.means[:, known], int(known.sum())
        if not self.correlated:
            variances = self.covariances[:, known]
            roots = 1 / np.sqrt(variances)
            constants = self.log_weights + np.log(roots).sum(axis=1) - 0.5 * o * LOG_2PI
            return _Pattern(means, roots, constants, None, np.where(known, 0.0, self.covariances))
        K, d = self.means.shape
        inside = self.covariances[:, known][:, :, known]
        roots = self._inner.roots(inside) if o else np.zeros((K, 0, 0))
        constants = self.log_weights - 0.5 * o * LOG_2PI
        if o:
            constants = constants + self._inner.log_det(roots, o)
        maps = np.zeros((K, d, o))
        maps[:, known] = np.eye(o)
        conditional = np.zeros((K, d, d))
        if o < d:
            across = self.covariances[:, ~known][:, :, known] @ roots  # (K, m, o)
            maps[:, ~known] = across @ roots.transpose(0, 2, 1)
            conditional[np.ix_(np.arange(K), ~known, ~known)] = self.covariances[:, ~known][
                :, :, ~known
            ] - across @ across.transpose(0, 2, 1)
        return _Pattern(means, roots, constants, maps, conditional)

    def of_block(self, block: Block) -> Moments:
        """The sums of the rows of a block."""
        return self.expect(np.ascontiguousarray(block.X, dtype=np.float64), block.w)

    def expect(self, X: np.ndarray, w: Any) -> Moments:
        """The sums of the expectation step over all rows, (2)."""
        return reduce(
            add,
            (
                self._sums(known, np.ascontiguousarray(X[rows][:, known]), None if w is None else w[rows])
                for known, rows in patterns(X)
            ),
        )

    def _sums(self, known: np.ndarray, X: np.ndarray, w: Any) -> Moments:
        part = self.of(known)
        K, d = self.means.shape
        if known.any():
            sums = self._inner.expect(X, w, part.means, part.roots, part.constants)
        else:  # such a row belongs to each component as often as any does
            logs = self.log_weights
            shares = np.exp(logs) * (float(len(X)) if w is None else float(w.sum()))
            entropy = -float(
                np.sum(np.where(shares > 0, shares * np.where(np.isfinite(logs), logs, 0.0), 0.0))
            )
            sums = Moments(shares, np.zeros((K, 0)), np.zeros((K, 0, 0)), 0.0, entropy)
        counts = sums.counts
        if part.maps is None:
            first, second = np.zeros((K, d)), counts[:, None] * part.conditional
            if known.any():
                first[:, known], second[:, known] = sums.first, sums.second
            return Moments(counts, first, second, sums.log_evidence, sums.entropy)
        first = np.einsum("kdo,ko->kd", part.maps, sums.first)
        second = (
            part.maps @ sums.second @ part.maps.transpose(0, 2, 1) + counts[:, None, None] * part.conditional
        )
        if self.form.name == "tied":
            second = second.sum(axis=0)
        return Moments(counts, first, second, sums.log_evidence, sums.entropy)

    def log_joint(self, X: np.ndarray) -> np.ndarray:
        """(n, K) the log of weight times the density of what is known of each row."""
        out = np.empty((len(X), len(self.means)))
        for known, rows in patterns(X):
            part = self.of(known)
            if known.any():
                out[rows] = self._inner.quadratic(X[rows][:, known], part.means, part.roots, part.constants)
            else:
                out[rows] = self.log_weights
        return out

    def gaps(self, X: np.ndarray, k: int) -> np.ndarray:
        """(n, d) how far completed rows are from the mean of component k."""
        out = np.zeros(X.shape)
        for known, rows in patterns(X):
            part = self.of(known)
            gaps = X[rows][:, known] - part.means[k]
            if part.maps is None:
                out[np.ix_(rows, known)] = gaps
            else:
                out[rows] = gaps @ part.maps[k].T
        return out


def complete_groups(X: np.ndarray, w: Any, K: int, draw: np.random.RandomState) -> np.ndarray:
    """(n, d) the rows with missing values filled in by the centres of their groups.

    Groups and values follow from each other in turns, from the means of the columns on (Chi, Chi and Baraniuk 2016).
    """
    missing = np.isnan(X)
    weights = np.ones(len(X)) if w is None else w
    mass = weights @ ~missing
    middle = weights @ np.where(missing, 0.0, X) / np.where(mass > 0, mass, 1.0)
    filled = np.where(missing, middle, X)
    labels = None
    for _ in range(ROUNDS):
        before = labels
        centers, labels = k_means(filled, w, K, np.random.RandomState(draw.randint(1 << 31)))
        filled = np.where(missing, centers[labels], X)
        if before is not None and np.array_equal(before, labels):
            break
    return filled


def widened_for_missing(
    form: CovarianceForm, estimates: Estimates, X: np.ndarray, shares: np.ndarray
) -> Estimates:
    """Estimates of completed rows, with the variance that values which were filled in with means lack."""
    missing = np.isnan(X)
    lacking = shares.T @ missing  # (K, d)
    K, d = lacking.shape
    gaps = np.where(missing, 0.0, X - np.nanmean(X, axis=0))
    overall = (gaps**2).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    known = shares.T @ ~missing
    variances = np.empty((K, d))
    for k, mean in enumerate(estimates.means):
        squares = shares[:, k] @ np.where(missing, 0.0, X - mean) ** 2
        variances[k] = np.where(known[k] > 1, squares / np.maximum(known[k], 1e-300), overall)
    extra = lacking * variances
    scatter = estimates.scatter
    if form.rank == 3:
        scatter = scatter + extra[:, :, None] * np.eye(d)
    elif form.name == "tied":
        scatter = scatter + np.diag(extra.sum(axis=0))
    else:
        scatter = scatter + (extra if form.rank == 2 else extra.mean(axis=1))
    return Estimates(estimates.counts, estimates.means, scatter)


def gaussian_of(source: Source, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean (d,) and covariance (d, d) of all rows by maximum likelihood, of what is known of them."""
    form = FORMS["full"]
    mean = _column_moments(source, np.zeros(d))[0]
    mean, variance = _column_moments(source, mean)
    least = 1e-9 * variance + 1e-18 * mean**2 + np.finfo(float).tiny ** 0.5
    means, covariances = mean[None], np.diag(variance + least)[None]
    last = -np.inf
    for _ in range(GAUSSIAN_STEPS):
        at = KnownColumns(form, np.zeros(1), means, covariances)
        moments = source.add_up(at.of_block)
        estimates = form.estimates(moments, means)
        means, covariances = estimates.means, form.covariances(estimates, 0.0) + np.diag(least)
        value = moments.log_evidence / float(moments.counts.sum())
        if value - last < GAUSSIAN_TOL:
            break
        last = value
    return means[0], covariances[0]


def _column_moments(source: Source, about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(d,) means and variances of the known values of each column, by sums about a point."""

    def summarize(block: Any) -> np.ndarray:
        gaps = np.asarray(block.X, dtype=np.float64) - about
        known = ~np.isnan(gaps)
        gaps = np.where(known, gaps, 0.0)
        w = np.ones(len(gaps)) if block.w is None else np.asarray(block.w, dtype=np.float64)
        return np.array([w @ known, w @ gaps, w @ gaps**2])

    count, first, second = source.add_up(summarize)
    count = np.maximum(count, np.finfo(float).tiny)
    return about + first / count, np.maximum(second / count - (first / count) ** 2, 0.0)
