"""Mean and scatter of rows with missing values, by expectation and maximisation over what is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.moments import ClassScatter, class_moments, class_scatter
from assay.core.sums import Block, Source
from assay.errors import DegenerateError, warn_user
from assay.reduce.factors.patterns import patterns_of

__all__ = ["conditional_rows", "expected_scatter", "marginal_log_density"]

GAIN = 1e-8  # of the mean log-likelihood of a row, below which steps stop
MOST_STEPS = 1000
RIDGE = 1e-10  # of the mean variance, added where covariance matrices are inverted


def expected_scatter(source: Source, names: list[str], who: str) -> ClassScatter:
    r"""The maximum of the likelihood of one Gaussian for rows whose values are missing at random.

    Given mean m and covariance matrix C, a row with known entries o and missing ones u is expected to have

    .. math:: \hat x_u = m_u + C_{uo}C_{oo}^{-1}(x_o - m_o), \qquad
              \mathrm{Cov}(x_u) = C_{uu} - C_{uo}C_{oo}^{-1}C_{ou}                               \quad (1)

    and the mean and scatter of what is expected are the next m and C. Rows with the same entries missing share the
    matrices of (1), and each step is one sum over rows. The likelihood never falls.
    """
    known = source.add_up(
        lambda block: class_moments(block.X, np.zeros(len(block.X), np.int64), block.w, 1, False)
    )
    count, observed, d = float(known.count[0]), known.observed[0], known.mean.shape[1]
    if (observed == 0).any():
        name = names[int(np.argmin(observed))]
        raise DegenerateError(f"{who}: all values of column {name!r} are missing. Leave it out.")
    if count <= d:
        raise DegenerateError(
            f"{who}: with missing values it needs more rows than columns, got {count:g} and {d}. "
            "ProbabilisticPCA takes missing values with fewer rows."
        )
    C = np.diag(known.scatter[0] / np.maximum(observed, 1))
    if not np.isfinite(C).all():
        raise DegenerateError(
            f"{who}: the squares of the columns overflow. Scale the columns first: StandardScaler."
        )
    model = _Gaussian(known.mean[0], C)
    last = -np.inf
    for _ in range(MOST_STEPS):
        sums = source.add_up(model.expect)
        if sums.log_likelihood - last < GAIN * count:
            break
        last = sums.log_likelihood
        model = _Gaussian(sums.rows.mean[0], (sums.rows.scatter[0] + sums.spread) / count)
    else:
        warn_user(
            f"{who}: the covariance matrix of rows with missing values has not converged in {MOST_STEPS} steps. Leave "
            "out columns with few values.",
            ConvergenceWarning,
        )
    rows = sums.rows
    return ClassScatter(rows.count, rows.rows, rows.mean, rows.scatter + sums.spread, rows.low)


def conditional_rows(X: np.ndarray, mean: np.ndarray, C: np.ndarray) -> np.ndarray:
    """The rows with what is missing replaced by its expectation (1), given what is known."""
    return _Gaussian(mean, C).complete(X)[0]


def marginal_log_density(X: np.ndarray, mean: np.ndarray, C: np.ndarray) -> np.ndarray:
    """(n,) the log density of what is known of each row."""
    return _Gaussian(mean, C).complete(X)[2]


@dataclass
class _Expected:
    rows: ClassScatter
    spread: np.ndarray
    log_likelihood: float

    def __add__(self, other: _Expected) -> _Expected:
        return _Expected(
            self.rows + other.rows, self.spread + other.spread, self.log_likelihood + other.log_likelihood
        )


@dataclass
class _Gaussian:
    mean: np.ndarray
    C: np.ndarray

    def complete(
        self, X: np.ndarray, w: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Completed rows, the summed covariances of what was missing, and log densities of what was known."""
        filled, spread, logs = np.array(X, dtype=np.float64), np.zeros_like(self.C), np.zeros(len(X))
        ridge = RIDGE * (float(np.trace(self.C)) / len(self.C) or 1.0)
        for pattern in patterns_of(X):
            o, rows = pattern.observed, pattern.rows
            u = np.setdiff1d(np.arange(len(self.mean)), o)
            weight = float(len(rows) if w is None else w[rows].sum())
            A = self.C[np.ix_(o, o)] + ridge * np.eye(len(o))
            deviations = filled[np.ix_(rows, o)] - self.mean[o]
            solved = np.linalg.solve(A, np.column_stack([deviations.T, self.C[np.ix_(o, u)]]))
            P, B = solved[:, : len(rows)], solved[:, len(rows) :]
            filled[np.ix_(rows, u)] = self.mean[u] + deviations @ B
            spread[np.ix_(u, u)] += weight * (self.C[np.ix_(u, u)] - self.C[np.ix_(u, o)] @ B)
            half = len(o) * np.log(2 * np.pi) + np.linalg.slogdet(A)[1]
            logs[rows] = -0.5 * (half + np.einsum("ij,ji->i", deviations, P))
        return filled, (spread + spread.T) / 2, logs

    def expect(self, block: Block) -> _Expected:
        X, w = block.X, block.w
        filled, spread, logs = self.complete(X, w)
        rows = class_scatter(filled, np.zeros(len(X), dtype=np.int64), w, 1, pooled=True)
        return _Expected(rows, spread, float(logs.sum() if w is None else logs @ w))
