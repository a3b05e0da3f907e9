"""Tables of a Chinese restaurant with what is believed of each: priors for the native code, densities of new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

import assay.mixture._seating as _seating
from assay.bayes.own_covariances import quadratic_scores
from assay.core.stored import FloatArray, IntArray, Integer, Object, Scalar
from assay.errors import ParameterError
from assay.stats.bayesian.normal_gamma import NormalGamma
from assay.stats.bayesian.normal_inverse_wishart import NormalInverseWishart
from assay.stats.bayesian.normal_mean import NormalMean

__all__ = ["Base", "Tables"]

WISHART, GAMMA, KNOWN = 0, 1, 2


@dataclass(frozen=True)
class Base:
    """The base measure in numbers, as ``seating.cpp`` has them."""

    kind: int
    mean: np.ndarray  # (d,)
    kappa: float
    nu: float
    scale: (
        np.ndarray
    )  # WISHART: (d, d) the upper root of Psi; GAMMA: (1, d) b; KNOWN: (2, d) variances and noise
    stored = {
        "kind": Integer(low=0, high=2),
        "mean": FloatArray("d", finite=True),
        "kappa": Scalar(finite=True),
        "nu": Scalar(finite=True),
        "scale": FloatArray("*", "d", finite=True),
    }

    def _check_stored(self) -> None:
        self.native()  # checks sizes and signs

    @classmethod
    def of(cls, component: Any, d: int, who: str) -> Base:
        """Of a NormalInverseWishart of d columns, or of one NormalGamma or NormalMean for all columns or for each."""
        if isinstance(component, NormalInverseWishart):
            if len(component.mean) != d:
                raise ParameterError(f"the component has {len(component.mean)} columns, X has {d}.", who=who)
            try:
                root = np.linalg.cholesky(component.scale)
            except np.linalg.LinAlgError:
                root = np.zeros((d, d))
            if component.kappa <= 0 or component.nu <= d - 1 or not (np.diag(root) > 0).all():
                raise ParameterError(
                    "the component must be a proper prior: kappa above 0, nu above d - 1, a scale with an inverse.",
                    who=who,
                )
            upper = np.ascontiguousarray(root.T)
            return cls(WISHART, component.mean, component.kappa, component.nu, upper)
        parts = list(component) if isinstance(component, (list, tuple)) else [component] * d
        kinds = {type(part) for part in parts}
        if len(parts) != d or kinds not in ({NormalGamma}, {NormalMean}):
            raise ParameterError(
                "component must be a NormalInverseWishart, a NormalGamma or a NormalMean for all columns, or a list of "
                f"{d} of one of the last two, got {component!r}.",
                who=who,
            )
        mean = np.array([part.mean for part in parts], dtype=np.float64)
        if kinds == {NormalMean}:
            scale = np.array([[p.var for p in parts], [p.noise_var for p in parts]], dtype=np.float64)
            if not (np.isfinite(scale) & (scale > 0)).all():
                raise ParameterError("the component must be a proper prior: a finite variance.", who=who)
            return cls(KNOWN, mean, 1.0, 1.0, scale)
        if len({(part.kappa, part.a) for part in parts}) > 1:
            raise ParameterError("NormalGamma priors of the columns must share kappa and a.", who=who)
        if not all(part.proper and np.isfinite(part.kappa) for part in parts):
            raise ParameterError("the component must be a proper prior with an unknown mean.", who=who)
        scale = np.array([[part.b for part in parts]], dtype=np.float64)
        return cls(GAMMA, mean, parts[0].kappa, parts[0].a, scale)

    def native(self) -> Any:
        """The record that the native code takes."""
        return _seating.Prior(
            kind=self.kind,
            mean=np.ascontiguousarray(self.mean),
            kappa=float(self.kappa),
            nu=float(self.nu),
            scale=np.ascontiguousarray(self.scale),
        )


@dataclass(frozen=True)
class Tables:
    """The tables of one partition, and an empty one at the end: what is believed of each, and the density of a row."""

    base: Base
    counts: np.ndarray  # (K,)
    means: np.ndarray  # (K + 1, d)
    scales: (
        np.ndarray
    )  # (K + 1, r, d) WISHART: the lower inverse root of Psi; GAMMA: b; KNOWN: variance of a row
    stored = {
        "base": Object("assay.mixture.seating.Base"),
        "counts": IntArray("t", low=1),
        "means": FloatArray("t + 1", "d", finite=True),
        "scales": FloatArray("t + 1", "*", "d", finite=True),
    }

    def _check_stored(self) -> None:
        d, rows = len(self.base.mean), len(self.base.mean) if self.base.kind == WISHART else 1
        if self.means.shape[1] != d or self.scales.shape[1:] != (rows, d):
            raise ValueError("Tables: means and scales do not belong to the base measure.")

    @classmethod
    def of(cls, base: Base, X: np.ndarray, labels: np.ndarray) -> Tables:
        """The posteriors of the groups 0..K-1 of rows."""
        counts = np.bincount(labels)
        groups = [X[labels == k] for k in range(len(counts))]
        parts = [_posterior(base, rows) for rows in [*groups, X[:0]]]
        return cls(base, counts, np.array([mean for mean, _ in parts]), np.array([s for _, s in parts]))

    def log_densities(self, X: np.ndarray) -> np.ndarray:
        """(n, K + 1) the log predictive density of each row at each table, and at a new one."""
        d, base = X.shape[1], self.base
        n = np.append(self.counts, 0).astype(np.float64)
        if base.kind == KNOWN:
            gaps = X[:, None, :] - self.means
            variances = self.scales[:, 0]
            return -0.5 * np.sum(np.log(2 * np.pi * variances) + gaps**2 / variances, axis=2)
        kappa = base.kappa + n
        ratio = kappa / (kappa + 1)
        if base.kind == GAMMA:
            a, b = base.nu + n / 2, self.scales[:, 0]
            gaps = X[:, None, :] - self.means
            terms = np.log1p(ratio[:, None] * gaps**2 / (2 * b))
            constants = d * (gammaln(a + 0.5) - gammaln(a) + 0.5 * np.log(ratio / (2 * np.pi)))
            return constants - 0.5 * np.log(b).sum(axis=1) - (a + 0.5) * terms.sum(axis=2)
        squares = np.empty((len(X), len(n)))
        triangles = np.ascontiguousarray(self.scales.reshape(-1, d))
        quadratic_scores(
            np.ascontiguousarray(X), np.ascontiguousarray(self.means), triangles, np.zeros(len(n)), squares
        )
        squares *= -2
        nu = base.nu + n
        log_det = -np.log(np.diagonal(self.scales, axis1=1, axis2=2)).sum(axis=1)
        constants = (
            gammaln((nu + 1) / 2) - gammaln((nu + 1 - d) / 2) + d / 2 * np.log(ratio / np.pi) - log_det
        )
        return constants - (nu + 1) / 2 * np.log1p(ratio * squares)

    def log_joint(self, X: np.ndarray, alpha: float) -> np.ndarray:
        """(n, K + 1) the log of the probability of the table, times the density there."""
        return np.log(np.append(self.counts, alpha) / (self.counts.sum() + alpha)) + self.log_densities(X)


def _posterior(base: Base, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the scale that :class:`Tables` keeps, after some rows."""
    d, n = len(base.mean), len(rows)
    centre = rows.mean(axis=0) if n else base.mean
    if base.kind == KNOWN:
        var, noise = base.scale
        precision = 1 / var + n / noise
        return (base.mean / var + n * centre / noise) / precision, (noise + 1 / precision)[None]
    kappa = base.kappa + n
    mean = (base.kappa * base.mean + n * centre) / kappa
    gaps, gap = rows - centre, centre - base.mean
    pull = base.kappa * n / kappa
    if base.kind == GAMMA:
        return mean, base.scale + 0.5 * (np.sum(gaps**2, axis=0) + pull * gap**2)
    scale = base.scale.T @ base.scale + gaps.T @ gaps + pull * np.outer(gap, gap)
    return mean, np.linalg.inv(np.linalg.cholesky(scale)) * np.tri(d)
