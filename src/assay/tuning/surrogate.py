"""A Gaussian process of what settings are worth, for the choice of the next one to try."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DegenerateError
from assay.kernels import RBF, ConstantKernel, Kernel, Matern, WhiteKernel
from assay.processes.cholesky import Factor, factor
from assay.processes.selection import KernelPrior, choose_theta
from assay.tuning import _surrogate
from assay.tuning.space import Space

__all__ = ["Surrogate"]

LENGTH_BOUNDS = (0.05, 10.0)  # of parameters that go from 0 to 1
CATEGORY_BOUNDS = (0.1, 10.0)  # of categories, which are 1 apart
NOISE_BOUNDS = (1e-6, 1.0)  # of values with variance 1
HIGH_QUANTILE = 0.9
FARTHEST = 5.0  # values are cut off so many times as far above that quantile as it is above the median
SURE = 1e-6  # noise of values that are believed rather than measured
PARTS = 12  # of a parameter, in which its main effect is computed
RENEWED = 1.1  # after so many times the values the parameters of the kernel are chosen again
SMALLEST_FALL = 1e-4  # of the objective, at which their choice ends: they are chosen again soon
JITTER = 1e-8  # of values with variance 1, on top of the noise


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
        numbers, categories = space.blocks()
        self.order = np.array([*numbers, *(column for block in categories for column in block)])
        self.numbers = len(numbers)
        sizes = [1] * len(numbers) + [len(block) for block in categories]
        self.parameter = np.repeat(np.arange(len(sizes)), sizes)  # (F,) whose length scale a column has

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
            self._choose(F, z)
        self.units, self.z = units, z
        self.F = self._scaled(F)
        self.K = self._between(self.F, self.F)
        self.factor = self._factor(self.noise)
        self.a = self.factor.solve(z)
        return self

    def _choose(self, F: np.ndarray, z: np.ndarray) -> None:
        """The kernel whose parameters are the likeliest, given their priors."""
        start = self._first_kernel() if self.kernel is None else self.kernel
        columns = F[:, self.order]

        def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, slopes = self._log_evidence(theta, columns, z)
            return -value, -slopes

        prior = KernelPrior.of(start, F, float(z.var()) or 1.0)
        choice = choose_theta(
            objective, start, prior=prior, penalised=True, tol=SMALLEST_FALL, random_state=0
        )
        self.kernel, self.size_of_choice = start.with_theta(choice.theta), len(z)
        self._use(choice.theta)

    def _use(self, theta: np.ndarray) -> None:
        numbers = np.exp(theta)
        self.variance, self.lengths = float(numbers[0]), numbers[1:-1][self.parameter]
        self.noise = float(numbers[-1]) + JITTER

    def _log_evidence(
        self, theta: np.ndarray, columns: np.ndarray, z: np.ndarray
    ) -> tuple[float, np.ndarray]:
        r"""The log density of the values, and its (p,) derivatives.

        .. math:: \ln p(z) = -\tfrac12 z^TC^{-1}z - \tfrac12\ln|C| - \tfrac n2\ln 2\pi, \quad
                  \frac{d \ln p}{d\theta} = \tfrac12 \operatorname{tr}\left((aa^T - C^{-1})
                  \frac{dC}{d\theta}\right), \quad a = C^{-1}z
        """
        self._use(theta)
        n, A = len(z), np.ascontiguousarray(columns / self.lengths)
        K = self._between(A, A)
        C = K.copy()
        C.flat[:: n + 1] += self.noise
        try:
            f = factor(C, overwrite=True)
        except DegenerateError:
            return -np.inf, np.zeros(len(theta))
        a = f.solve(z)
        value = -0.5 * float(z @ a) - 0.5 * f.logdet - 0.5 * n * np.log(2.0 * np.pi)
        W = np.outer(a, a) - f.inverse()
        of_columns = np.empty(A.shape[1])
        _surrogate.slopes(A, self.numbers, W, of_columns)
        of_lengths = self.variance * np.bincount(self.parameter, of_columns)
        of_noise = (self.noise - JITTER) * np.trace(W)
        return value, 0.5 * np.concatenate([[np.vdot(W, K)], of_lengths, [of_noise]])

    def _scaled(self, F: np.ndarray) -> np.ndarray:
        """(n, F) columns of numbers first, divided by their length scales."""
        return np.ascontiguousarray(F[:, self.order] / self.lengths)

    def _between(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """(m, n) covariances of scaled rows, without noise."""
        K = np.empty((len(A), len(B)))
        _surrogate.between(A, B, self.numbers, K)
        K *= self.variance
        return K

    def _factor(self, noise: float | np.ndarray) -> Factor:
        C = self.K.copy()
        C.flat[:: len(C) + 1] += noise
        return factor(C, overwrite=True)

    def with_belief(self, units: np.ndarray) -> Surrogate:
        """The same with further points, whose values are what is expected of them: they are under way."""
        more = Surrogate(self.space)
        more.kernel, more.noise = self.kernel, self.noise
        more.variance, more.lengths = self.variance, self.lengths
        more.mean, more.scale = self.mean, self.scale
        expected = self.mean_and_sd(units)[0]
        more.units = np.concatenate([self.units, units])
        more.F = self._scaled(self.space.features(more.units))
        more.z = np.concatenate([self.z, (expected - self.mean) / self.scale])
        more.K = more._between(more.F, more.F)
        more.factor = more._factor(np.repeat([self.noise, SURE], [len(self.units), len(units)]))
        more.a = more.factor.solve(more.z)
        return more

    def covariances(self, units: np.ndarray) -> np.ndarray:
        """(n, m) of the settings tried with m points."""
        return self._between(self._scaled(self.space.features(units)), self.F).T

    def expected(self) -> np.ndarray:
        """(n,) the expected values of the settings tried, without noise."""
        return self.mean + self.scale * (self.K @ self.a)

    def mean_and_sd(self, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the expected values of points, without noise, and their standard deviations."""
        k = self.covariances(units)
        mean = self.mean + self.scale * (k.T @ self.a)
        return mean, self.scale * self.sd(self.factor, k)

    def sd(self, f: Factor, k: np.ndarray) -> np.ndarray:
        """(m,) the standard deviations of points with these covariances, (n, m), which are written over."""
        V = f.half_solve(k)
        return np.sqrt(np.maximum(self.variance - np.einsum("ij,ij->j", V, V), 1e-12))

    def draws(self, units: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
        """(n, m) draws of the function without noise at m points, from its posterior."""
        Q = self._scaled(self.space.features(units))
        k = self._between(Q, self.F).T
        mean = k.T @ self.a
        V = self.factor.half_solve(k)
        covariance = self._between(Q, Q) - V.T @ V
        covariance = 0.5 * (covariance + covariance.T)
        covariance.flat[:: len(covariance) + 1] += 1e-8
        L = factor(np.ascontiguousarray(covariance)).lower
        return self.mean + self.scale * (mean + random.normal(size=(n, len(Q))) @ L.T)

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
