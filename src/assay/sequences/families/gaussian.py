"""Numbers, by Gaussians with full, tied, diagonal or spherical covariances."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

import assay.sequences._emissions as _emissions
from assay.errors import DegenerateError
from assay.sequences.chain import Frames, pad, padded
from assay.sequences.families.family import Family, Sums

__all__ = ["Gaussian", "GaussianPrior", "full_matrices", "precision_factors"]

LOG_2PI = float(np.log(2 * np.pi))
LEAST_WEIGHT = 1e-5  # by which scatter is divided at least, as hmmlearn does
LEAST_PIVOT = 1e-13  # of a variance, what the columns before must leave of it: less is rounding


class GaussianPrior:
    """Normal and inverse gamma or Wishart priors, as hmmlearn's parameters say them; with 0 there is none.

    ``floor`` is the least variance where nothing else keeps one above zero; ``rescue`` that of a matrix which would
    otherwise be singular, as where a state has fewer rows than columns.
    """

    def __init__(
        self,
        mean: Any = 0.0,
        mean_weight: Any = 0.0,
        covars: Any = 0.0,
        covars_weight: float = 1.0,
        floor: float = 0.0,
        rescue: float = 0.0,
    ):
        self.mean, self.mean_weight, self.covars = mean, mean_weight, covars
        self.covars_weight, self.floor, self.rescue = covars_weight, floor, rescue


def full_matrices(covars: np.ndarray, kind: str, K: int, d: int) -> np.ndarray:
    """(K, d, d) covariance matrices of any kind: full, tied, diag (K, d), or spherical (K, d)."""
    if kind == "full":
        return covars
    if kind == "tied":
        return np.broadcast_to(covars, (K, d, d))
    return np.eye(d) * covars[:, :, None]


def precision_factors(covars: np.ndarray, who: str) -> np.ndarray:
    """(K, d, d) lower triangular W with W'W the inverse of each covariance."""
    d = covars.shape[-1]
    factors = np.empty(covars.shape)
    for k, matrix in enumerate(covars):
        try:
            root = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            raise DegenerateError(
                f"the covariance of state {k} is singular: its rows lie in a plane. min_covar above 0, "
                'fewer states, or covariance_type="diag" help.',
                who=who,
            ) from None
        factors[k] = solve_triangular(root, np.eye(d), lower=True)
    return factors


class Gaussian(Family):
    """One Gaussian for each state. A missing entry is summed out; with full covariances by its conditional Gaussian."""

    def __init__(
        self, means: Any, covars: Any, kind: str, prior: GaussianPrior | None = None, who: str = "Gaussian"
    ):
        self.means, self.covars, self.kind = (
            np.asarray(means, dtype=np.float64),
            np.asarray(covars, dtype=np.float64),
            kind,
        )
        self.prior, self.who = prior or GaussianPrior(), who
        self.n_states, self.d = self.means.shape
        self.full = kind in ("full", "tied")
        K, d = self.n_states, self.d
        if self.full:
            factors = precision_factors(full_matrices(self.covars, kind, K, d), who)
            rows, columns = np.tril_indices(d)
            self._factors = np.ascontiguousarray(pad(factors[:, rows, columns].T))
            log_det = np.log(np.einsum("kii->ki", factors)).sum(axis=1)
        else:
            spread = np.sqrt(np.maximum(self.covars, np.finfo(float).tiny))
            self._factors = np.ascontiguousarray(pad(1.0 / spread.T, 1.0))
            log_det = -np.log(spread).sum(axis=1)
        self._means = np.ascontiguousarray(pad(self.means.T))
        self._constants = pad(log_det - 0.5 * d * LOG_2PI)

    def padded_log_density(self, X: np.ndarray) -> np.ndarray:
        """(n, P) log densities, whatever stands in the padding."""
        L = np.empty((len(X), padded(self.n_states)))
        if not self.full or not np.isnan(X).any():
            _emissions.gaussian(
                np.ascontiguousarray(X), self._means, self._factors, self.full, self._constants, L
            )
            return L
        for rows, observed in _patterns(X):
            if not observed.any():
                L[rows] = 0.0
                continue
            part = self._marginal(observed)
            L[rows] = part.padded_log_density(X[np.ix_(rows, observed)])
        return L

    def _marginal(self, observed: np.ndarray) -> Gaussian:
        covars = full_matrices(self.covars, self.kind, self.n_states, self.d)
        return Gaussian(self.means[:, observed], covars[:, observed][:, :, observed], "full", who=self.who)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        return self.padded_log_density(X)[:, : self.n_states]

    def frames(self, X: np.ndarray) -> Frames:
        return Frames(self.n_states, self.padded_log_density(X))

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        P, d = gamma.shape[1], self.d
        counts, first = np.zeros((d, P)), np.zeros((d, P))
        second = np.zeros((d * (d + 1) // 2 if self.full else d, P))
        gamma = np.ascontiguousarray(gamma)
        missing = np.isnan(X).any(axis=1) if self.full else np.zeros(len(X), dtype=bool)
        kept = (~missing).all()
        _emissions.gaussian_sums(
            X=np.ascontiguousarray(X if kept else X[~missing]), gamma=gamma if kept else gamma[~missing],
            means=self._means, full=self.full, counts=counts, first=first, second=second,
        )  # fmt: skip
        K = self.n_states
        sums = Sums(counts=counts[:, :K].T.copy(), first=first[:, :K].T.copy(), second=second[:, :K].T.copy())
        return sums if kept else sums + self._expected_sums(X[missing], gamma[missing][:, :K])

    def _expected_sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        """The same of rows with missing entries: these by their conditional mean and covariance in each state."""
        K, d = self.n_states, self.d
        covars = full_matrices(self.covars, self.kind, K, d)
        counts, first, second = np.zeros((K, d)), np.zeros((K, d)), np.zeros((K, d, d))
        for rows, observed in _patterns(X):
            if not observed.any():  # such a row says nothing: its expected sums are those of the state itself
                continue
            gone = ~observed
            for k in range(K):
                S, g = covars[k], gamma[rows, k]
                weights = np.linalg.solve(S[np.ix_(observed, observed)], S[np.ix_(observed, gone)])
                gap = np.empty((len(rows), d))
                gap[:, observed] = X[np.ix_(rows, observed)] - self.means[k, observed]
                gap[:, gone] = gap[:, observed] @ weights
                spread = S[np.ix_(gone, gone)] - S[np.ix_(gone, observed)] @ weights
                counts[k] += g.sum()
                first[k] += g @ gap
                second[k] += (gap * g[:, None]).T @ gap
                second[k][np.ix_(gone, gone)] += g.sum() * spread
        lower = np.tril_indices(d)
        return Sums(counts=counts, first=first, second=second[:, lower[0], lower[1]])

    def updated(self, sums: Sums, which: str) -> Gaussian:
        p, means, covars = self.prior, self.means, self.covars
        counts, d = sums["counts"], self.d
        moved = np.zeros(means.shape)
        if "m" in which:  # about the old mean: (w m0 + N m + F) / (w + N) - m
            below = p.mean_weight + counts
            moved = (p.mean_weight * (p.mean - means) + sums["first"]) / np.where(below > 0, below, 1.0)
            means = means + np.where(below > 0, moved, 0.0)
            moved = means - self.means
        if "c" not in which:
            return Gaussian(means, covars, self.kind, p, self.who)
        offset = means - p.mean
        if not self.full:
            scatter = sums["second"] - 2 * moved * sums["first"] + moved**2 * counts
            scatter = np.maximum(scatter, 0.0) + p.mean_weight * offset**2
            below = max(p.covars_weight - 1, 0) + counts
            variances = (p.covars + scatter) / np.maximum(below, LEAST_WEIGHT)
            if self.kind == "spherical":
                variances = np.repeat(variances.mean(axis=1, keepdims=True), d, axis=1)
            fresh = np.where(below > 0, np.maximum(variances, p.floor), covars)
            return Gaussian(means, fresh, self.kind, p, self.who)
        return Gaussian(means, self._matrices(sums, moved, offset), self.kind, p, self.who)

    def _matrices(self, sums: Sums, moved: np.ndarray, offset: np.ndarray) -> np.ndarray:
        p, d, rows = self.prior, self.d, sums["counts"][:, 0]
        second = np.zeros((self.n_states, d, d))
        lower = np.tril_indices(d)
        second[:, lower[0], lower[1]] = sums["second"]
        second[:, lower[1], lower[0]] = sums["second"]
        cross = sums["first"][:, :, None] * moved[:, None, :]
        scatter = (
            second
            - cross
            - cross.transpose(0, 2, 1)
            + rows[:, None, None] * moved[:, :, None] * moved[:, None, :]
        )
        drawn = np.sqrt(np.broadcast_to(p.mean_weight, offset.shape)) * offset
        scatter += drawn[:, :, None] * drawn[:, None, :]
        weight = max(p.covars_weight - d, 0)
        if self.kind == "tied":
            total = weight + rows.sum()
            if total <= 0:
                return self.covars
            return _regular(((p.covars + scatter.sum(axis=0)) / total)[None], p)[0]
        below = weight + rows
        fresh = (p.covars + scatter) / np.where(below > 0, below, 1.0)[:, None, None]
        return _regular(np.where((below > 0)[:, None, None], fresh, self.covars), p)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        covars = full_matrices(self.covars, self.kind, self.n_states, self.d)
        return draw.multivariate_normal(self.means[state], covars[state])

    def n_parameters(self) -> int:
        K, d = self.means.shape
        matrix = d * (d + 1) // 2
        return K * d + {"spherical": K, "diag": K * d, "full": K * matrix, "tied": matrix}[self.kind]

    def mean(self) -> np.ndarray:
        return self.means

    def variance(self) -> np.ndarray:
        covars = full_matrices(self.covars, self.kind, self.n_states, self.d)
        return np.einsum("kii->ki", covars)


def _regular(covars: np.ndarray, prior: GaussianPrior) -> np.ndarray:
    """Matrices that can be inverted: no eigenvalue below the floor, or, where one is singular, below the rescue."""
    covars = _floored(covars, prior.floor)
    if prior.rescue <= 0:
        return covars
    singular = [k for k, matrix in enumerate(covars) if _is_singular(matrix)]
    if singular:
        covars = covars.copy()
        covars[singular] = _floored(covars[singular], prior.rescue)
    return covars


def _is_singular(matrix: np.ndarray) -> bool:
    try:
        pivots = np.diag(np.linalg.cholesky(matrix)) ** 2
    except np.linalg.LinAlgError:
        return True
    return bool((pivots <= LEAST_PIVOT * np.diag(matrix)).any())


def _floored(covars: np.ndarray, floor: float) -> np.ndarray:
    """Eigenvalues below the floor raised to it."""
    if floor <= 0:
        return covars
    values, vectors = np.linalg.eigh(covars)
    if (values >= floor).all():
        return covars
    return np.einsum("kij,kj,klj->kil", vectors, np.maximum(values, floor), vectors)


def _patterns(X: np.ndarray) -> Any:
    """Rows by which of their columns are there: pairs (row numbers, columns that are there)."""
    observed, code = np.unique(~np.isnan(X), axis=0, return_inverse=True)
    for i, pattern in enumerate(observed):
        yield np.flatnonzero(code.ravel() == i), pattern
