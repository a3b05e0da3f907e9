"""A Gaussian process of what settings are worth, for the choice of the next one to try."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels import RBF, ConstantKernel, Kernel, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor
from assay.processes.cholesky import Factor, factor
from assay.processes.noise import without_noise
from assay.tuning.space import Space

__all__ = ["Surrogate"]

LENGTH_BOUNDS = (0.05, 10.0)  # of parameters that go from 0 to 1
CATEGORY_BOUNDS = (0.1, 10.0)  # of categories, which are 1 apart
NOISE_BOUNDS = (1e-6, 1.0)  # of values with variance 1
HIGH_QUANTILE = 0.9
FARTHEST = 5.0  # values are cut off so many times as far above that quantile as it is above the median
SURE = 1e-6  # noise of values that are believed rather than measured
PARTS = 12  # of a parameter, in which its main effect is computed
RENEWED = 1.15  # after so many times the values the parameters of the kernel are chosen again


class Surrogate:
    """A regression of values on settings, with one length scale for each parameter.

    Numbers have a Matern kernel (nu = 5/2) with a length scale each, a parameter of categories a similarity of its own;
    they are multiplied, scaled, and have noise on top. The parameters of the kernel have default priors (``"map"``), so
    that few values suffice. Values far above the others are cut off: how bad the worst settings are does not matter.

    Parameters
    ----------
    space : Space
    """

    def __init__(self, space: Space):
        self.space = space
        self.kernel: Kernel | None = None
        self.size_of_choice = 0

    def _first_kernel(self) -> Kernel:
        numbers, categories = self.space.blocks()
        parts: list[Kernel] = []
        if numbers:
            scales = Matern(np.full(len(numbers), 0.5), LENGTH_BOUNDS, nu=2.5)
            parts.append(scales.on(numbers) if categories else scales)
        parts += [RBF(0.7, CATEGORY_BOUNDS).on(block) for block in categories]
        product: Any = ConstantKernel(1.0, (0.05, 20.0))
        for part in parts:
            product = product * part
        return product + WhiteKernel(1e-2, NOISE_BOUNDS)

    def fit(self, units: np.ndarray, values: np.ndarray) -> Surrogate:
        """Learn from points and their values."""
        F = self.space.features(units)
        unit = (
            float(np.abs(values).max()) or 1.0
        )  # squares of the largest and smallest numbers are no numbers
        middle, high = np.quantile(values / unit, (0.5, HIGH_QUANTILE))
        cut = np.minimum(values / unit, high + FARTHEST * (high - middle))
        mean, sd = float(cut.mean()), float(cut.std()) or 1.0
        self.mean, self.scale = mean * unit, sd * unit
        z = (cut - mean) / sd
        if self.kernel is None or len(z) >= RENEWED * self.size_of_choice:
            start = self._first_kernel() if self.kernel is None else self.kernel
            model = GaussianProcessRegressor(start, alpha=1e-8, selection="map", method="exact").fit(F, z)
            self.kernel, self.size_of_choice = model.kernel_, len(z)
        self.latent = without_noise(self.kernel)
        self.units, self.F, self.z = units, F, z
        self.noise = float(self.kernel.diagonal(F[:1])[0] - self.latent.diagonal(F[:1])[0]) + 1e-8
        self.K = self.latent.gram(F)
        self.factor = self._factor(self.noise)
        self.a = self.factor.solve(z)
        return self

    def _factor(self, noise: float | np.ndarray) -> Factor:
        C = self.K.copy()
        C.flat[:: len(C) + 1] += noise
        return factor(C, overwrite=True)

    def with_belief(self, units: np.ndarray) -> Surrogate:
        """The same with further points, whose values are what is expected of them: they are under way."""
        more = Surrogate(self.space)
        more.kernel, more.latent, more.noise = self.kernel, self.latent, self.noise
        more.mean, more.scale = self.mean, self.scale
        expected = self.mean_and_sd(units)[0]
        more.units = np.concatenate([self.units, units])
        more.F = self.space.features(more.units)
        more.z = np.concatenate([self.z, (expected - self.mean) / self.scale])
        more.K = more.latent.gram(more.F)
        more.factor = more._factor(np.repeat([self.noise, SURE], [len(self.units), len(units)]))
        more.a = more.factor.solve(more.z)
        return more

    def mean_and_sd(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the expected values of points, without noise, and their standard deviations."""
        Q = self.space.features(units)
        k = self.latent.between(self.F, Q)
        V = self.factor.half_solve(np.array(k, order="F"))
        variance = np.maximum(self.latent.diagonal(Q) - np.einsum("ij,ij->j", V, V), 1e-12)
        return self.mean + self.scale * (k.T @ self.a), self.scale * np.sqrt(variance)

    def draws(self, units: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
        """(n, m) draws of the function without noise at m points, from its posterior."""
        Q = self.space.features(units)
        k = self.latent.between(self.F, Q)
        V = self.factor.half_solve(np.array(k, order="F"))
        covariance = self.latent.gram(Q) - V.T @ V
        covariance = 0.5 * (covariance + covariance.T)
        covariance.flat[:: len(covariance) + 1] += 1e-8
        L = factor(np.ascontiguousarray(covariance)).lower
        return self.mean + self.scale * (k.T @ self.a + random.normal(size=(n, len(Q))) @ L.T)

    def main_effects(self, random: np.random.Generator, n: int = 512) -> tuple[np.ndarray, np.ndarray]:
        """(D,) the share of the variance of the expected values that each parameter explains alone, and its values.

        The second is (D, 12), the mean over the other parameters in the middle of twelve equal parts of each. Shares of
        a sample may add up to a little more than all; then they are divided by their sum.
        """
        base = self.space.snap(random.uniform(size=(n, len(self.space))))
        total = float((self.mean_and_sd(base)[0] / self.scale).var())
        places = (np.arange(PARTS) + 0.5) / PARTS
        shares, curves = [], []
        for j in range(len(self.space)):
            means = []
            for place in places:
                moved = base.copy()
                moved[:, j] = place
                means.append(float(self.mean_and_sd(self.space.snap(moved))[0].mean()))
            shares.append(float(np.var(np.array(means) / self.scale)) / max(total, 1e-300))
            curves.append(means)
        return np.array(shares) / max(1.0, sum(shares)), np.array(curves)
