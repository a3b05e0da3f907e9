"""Components of centred rows as a Gaussian model, with equal noise in the directions that are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanations import dense_block
from assay.core.stored import Integer, Scalar
from assay.errors import DegenerateError
from assay.reduce.components.linear_components import LinearComponents
from assay.reduce.components.missing_moments import conditional_rows, marginal_log_density
from assay.reduce.components.spectrum import Spectrum
from assay.types import TableLike, Target

__all__ = ["GaussianComponents"]

SAME_PLACE = (
    1e-12  # of its squared length, that rounding may put a row outside of the space of the components
)


class GaussianComponents(LinearComponents):
    r""":math:`C = W^T(\Lambda - \sigma^2I)W + \sigma^2I`: what PCA keeps, and what follows from it."""

    noise_variance_: Any
    n_components_: int
    stored = {
        "noise_variance_": Scalar(low=0),
        "n_components_": Integer(low=0),
        "n_samples_": Integer(low=1),
        "n_trimmed_": Integer(low=0),
    }

    def _keep_spectrum(
        self, spectrum: Spectrum, mean: np.ndarray, scale: Any, divisor: float, n: int, dtype: Any
    ) -> None:
        """Keep these components of rows with that mean, divided by that scale if it is not None."""
        spectrum, k = spectrum.determined(), len(spectrum.values)
        single = np.float32 if dtype == np.float32 else np.float64
        self.mean_, self.components_ = (
            mean.astype(single),
            np.ascontiguousarray(spectrum.vectors, dtype=single),
        )
        if scale is None:
            self.__dict__.pop("scale_", None)
        else:
            self.scale_ = scale.astype(single)
        self.explained_variance_ = spectrum.values.astype(single)
        share = spectrum.values / spectrum.total if spectrum.total > 0 else np.zeros(k)
        self.explained_variance_ratio_ = share.astype(single)
        self.singular_values_ = np.sqrt(spectrum.values * divisor).astype(single)
        self.noise_variance_ = single(spectrum.rest)
        self.n_components_ = self._n_features_out = k
        self.n_samples_ = n

    def _divisor(self, count: float) -> float:
        if not count > 1:
            rows = "1 sample" if count == 1 else f"{count:g}"
            raise DegenerateError(
                f"{type(self).__name__} needs at least 2 rows to measure a variance, got {rows}; weights count as "
                "repeated rows."
            )
        return float(count) - 1

    def get_covariance(self) -> np.ndarray:
        """(p, p) the covariance matrix of the model: that of the components, and the same noise elsewhere."""
        self._ready()
        C = (
            self.components_.T
            * np.maximum(self.explained_variance_ - self.noise_variance_, 0)
            @ self.components_
        )
        C.flat[:: len(C) + 1] += self.noise_variance_
        return C * self.scale_ * self.scale_[:, None] if "scale_" in vars(self) else C

    def get_precision(self) -> np.ndarray:
        """(p, p) the inverse of the covariance matrix of the model; of a singular one the pseudo-inverse."""
        self._ready()
        solid = self._directions()
        C, noise = self.components_[solid], float(self.noise_variance_)
        P = C.T * (1 / self.explained_variance_[solid] - (1 / noise if noise > 0 else 0.0)) @ C
        if noise > 0:
            P.flat[:: len(P) + 1] += 1 / noise
        return P / self.scale_ / self.scale_[:, None] if "scale_" in vars(self) else P

    def _completed(self, X: np.ndarray) -> np.ndarray:
        if not np.isnan(X).any():
            return X
        return conditional_rows(X, self.mean_, self.get_covariance()).astype(X.dtype, copy=False)

    def complete(self, X: TableLike) -> np.ndarray:
        """(n, p) the rows with their missing values replaced by what the model expects, given what is known."""
        return self._completed(dense_block(self._admit(X)))

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the log density of each row under the model.

        Where some directions have no variance, it is the density within the space that the training rows span, and
        minus infinity outside of it.
        """
        values = dense_block(self._admit(X))
        if np.isnan(values).any():
            return marginal_log_density(values, self.mean_, self.get_covariance())
        solid, p = self._directions(), self.components_.shape[1]
        C, variances, noise = (
            self.components_[solid],
            self.explained_variance_[solid],
            float(self.noise_variance_),
        )
        A = values - self.mean_
        log_det = float(np.sum(np.log(variances)))
        if "scale_" in vars(self):
            A = A / self.scale_
            log_det += 2 * float(np.sum(np.log(self.scale_)))
        Z = A @ C.T
        square = np.einsum("ik,k->i", Z * Z, 1 / variances)
        outside = np.einsum("ij,ij->i", A - Z @ C, A - Z @ C)
        if noise > 0:
            square, dimensions = square + outside / noise, p
            log_det += (p - len(C)) * float(np.log(noise))
        else:
            size = np.einsum("ij,ij->i", A, A) + float(variances.sum())
            square, dimensions = np.where(outside > SAME_PLACE * size, np.inf, square), len(C)
        return -0.5 * (dimensions * np.log(2 * np.pi) + log_det + square)

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean log density of the rows under the model; y is ignored."""
        return float(np.mean(self.score_samples(X)))

    def _directions(self) -> np.ndarray:
        """Which components have a variance."""
        solid = self._varies()
        if not solid.any() and not self.noise_variance_ > 0:
            raise DegenerateError(
                f"{type(self).__name__}: the training rows are all the same, so they have no density."
            )
        return solid
