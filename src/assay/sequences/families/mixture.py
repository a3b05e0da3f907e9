"""Numbers, by a mixture of Gaussians in each state."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.sequences.chain import pad
from assay.sequences.families.family import Family, Sums, shares
from assay.sequences.families.gaussian import Gaussian, GaussianPrior, full_matrices

__all__ = ["GaussianMixtures"]


class GaussianMixtures(Family):
    """M Gaussians in each state, with weights; or M Gaussians in all, of which each state has its own weights.

    Parameters
    ----------
    weights : (K, M)
    means : (K, M, d), or (M, d) if the components are shared
    covars : as GMMHMM's ``covars_``: (K, M), (K, M, d), (K, M, d, d), tied (K, d, d); shared (M, ...) or (d, d)
    """

    def __init__(
        self,
        weights: Any,
        means: Any,
        covars: Any,
        kind: str,
        shared: bool,
        weights_prior: Any = 1.0,
        prior: GaussianPrior | None = None,
        who: str = "GMMHMM",
    ):
        self.weights, self.means = np.asarray(weights, dtype=np.float64), np.asarray(means, dtype=np.float64)
        self.covars, self.kind, self.shared = np.asarray(covars, dtype=np.float64), kind, shared
        self.weights_prior, self.prior, self.who = weights_prior, prior or GaussianPrior(), who
        self.n_states, self.n_mix = self.weights.shape
        d = self.means.shape[-1]
        inner = "full" if kind in ("full", "tied") else "diag"
        flat = self.means.reshape(-1, d)
        covariances = self.covars
        if kind == "tied":
            if shared:
                covariances = np.broadcast_to(covariances, (self.n_mix, d, d))
            else:
                covariances = np.repeat(covariances, self.n_mix, axis=0)
        elif kind == "spherical":
            covariances = np.repeat(covariances.reshape(-1, 1), d, axis=1)
        else:
            covariances = covariances.reshape(len(flat), *covariances.shape[self.means.ndim - 1 :])
        self.components = Gaussian(flat, covariances, inner, self.prior, who)

    def _joint(self, X: np.ndarray) -> np.ndarray:
        """(n, K, M) log of weight times density."""
        logs = self.components.log_density(X)
        with np.errstate(divide="ignore"):
            weights = np.log(self.weights)
        return weights + (
            logs[:, None, :] if self.shared else logs.reshape(len(X), self.n_states, self.n_mix)
        )

    def log_density(self, X: np.ndarray) -> np.ndarray:
        joint = self._joint(X)
        most = joint.max(axis=2, keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(np.exp(joint - most).sum(axis=2)) + most[:, :, 0]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        joint = self._joint(X)
        most = joint.max(axis=2, keepdims=True)
        parts = np.exp(joint - np.where(np.isfinite(most), most, 0.0))
        total = parts.sum(axis=2, keepdims=True)
        parts *= (gamma[:, : self.n_states] / np.where(total > 0, total, 1.0)[:, :, 0])[:, :, None]
        columns = parts.sum(axis=1) if self.shared else parts.reshape(len(X), -1)
        return Sums(parts=parts.sum(axis=0), gaussians=self.components.sums(X, pad(columns)))

    def updated(self, sums: Sums, which: str) -> GaussianMixtures:
        weights = self.weights
        if "w" in which:
            weights = shares(np.maximum(sums["parts"] + np.asarray(self.weights_prior) - 1, 0), weights)
        fresh = self.components.updated(sums["gaussians"], which)
        means, covars = fresh.means.reshape(self.means.shape), self.covars
        if "c" in which:
            covars = self._regrouped(fresh.covars, sums["gaussians"]["counts"][:, 0])
        return GaussianMixtures(
            weights, means, covars, self.kind, self.shared, self.weights_prior, self.prior, self.who
        )

    def _regrouped(self, covars: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The covariances of single components in the form of this kind."""
        groups = 1 if self.shared else self.n_states
        d = self.means.shape[-1]
        if self.kind == "spherical":
            return covars.mean(axis=1).reshape(self.covars.shape)
        if self.kind != "tied":
            return covars.reshape(self.covars.shape)
        share = counts.reshape(groups, self.n_mix)
        total = share.sum(axis=1)
        pooled = np.einsum("gm,gmij->gij", share, covars.reshape(groups, self.n_mix, d, d))
        old = self.covars.reshape(groups, d, d)
        pooled = np.where(
            (total > 0)[:, None, None], pooled / np.where(total > 0, total, 1.0)[:, None, None], old
        )
        return pooled.reshape(self.covars.shape)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        part = draw.choice(self.n_mix, p=self.weights[state])
        return self.components.sample(part if self.shared else state * self.n_mix + part, draw)

    def n_parameters(self) -> int:
        d, (K, M) = self.means.shape[-1], self.weights.shape
        groups, matrix = (1 if self.shared else K), d * (d + 1) // 2
        each = {
            "spherical": groups * M,
            "diag": groups * M * d,
            "full": groups * M * matrix,
            "tied": groups * matrix,
        }
        return K * (M - 1) + groups * M * d + each[self.kind]

    def mean(self) -> np.ndarray:
        means = np.broadcast_to(self.means, (self.n_states, *self.means.shape[-2:]))
        return np.einsum("km,kmd->kd", self.weights, means)

    def variance(self) -> np.ndarray:
        d = self.means.shape[-1]
        matrices = full_matrices(self.components.covars, self.components.kind, len(self.components.means), d)
        variances = np.einsum("kii->ki", matrices).reshape(self.means.shape) + self.means**2
        second = np.einsum(
            "km,kmd->kd", self.weights, np.broadcast_to(variances, (self.n_states, *variances.shape[-2:]))
        )
        return second - self.mean() ** 2
