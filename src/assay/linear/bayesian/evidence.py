r"""The evidence of a linear model as a function of its precisions, from the singular values of the whitened rows.

With prior :math:`w \sim N(\mu_0, (\alpha\Sigma_0)^{-1})`, :math:`\Sigma_0 = U^TU`, rows A and targets t, let s be the
singular values of :math:`AU^{-1}`, c the targets :math:`t-A\mu_0` along the left singular vectors and o their squares
outside of them. Then for noise of precision :math:`\beta`

.. math:: \log p = \tfrac12\sum_i\log\frac{\alpha}{\alpha+\beta s_i^2} + \tfrac N2\log\frac\beta{2\pi}
          - \tfrac\beta2\Bigl[o+\sum_i\frac{\alpha c_i^2}{\alpha+\beta s_i^2}\Bigr]                        \quad (1)

so that one evaluation costs O(d) after one decomposition. A constant of flat prior leaves N - 1 in place of N, rows
about their mean, and :math:`-\frac12\log n`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.linear.bayesian.compressed_rows import CompressedRows

__all__ = ["Evidence", "maximise"]

Floats = NDArray[np.float64]
LOG_2PI = float(np.log(2 * np.pi))
GRID = 121  # points at which a maximum is looked for before it is narrowed down
ROUNDING = 1e-10  # of the largest singular value: smaller ones may be none
DECADES = 10.0  # on either side of the scale that the rows suggest
LARGEST_LOG = 690.0  # of a number whose reciprocal is a number too


@dataclass(frozen=True)
class Evidence:
    """(1): s, (k,), c, (k,), o, the number of weights, of rows, and of constants with a flat prior.

    ``squares(ratio)`` is the bracket of (1) for the ratio of the precisions, alpha / beta.
    """

    s: Floats
    along: Floats
    outside: float
    weights: int
    rows: float
    flat: int

    @classmethod
    def of(
        cls, rows: CompressedRows, A: Floats, t: Floats, mean: Floats, root: Floats, flat: int
    ) -> Evidence:
        """From rows A with targets t, the prior's mean and the root U of its precision."""
        from scipy.linalg import solve_triangular

        shifted = t - A @ mean
        whitened = solve_triangular(root, A.T, trans="T").T
        U, s, _ = np.linalg.svd(whitened, full_matrices=False)
        along = U.T @ shifted
        left = shifted - U @ along
        return cls(s, along, rows.outside + float(left @ left), A.shape[1], rows.weight, flat)

    def squares(self, ratio: float) -> float:
        """The bracket of (1)."""
        if ratio == 0:
            return self.outside + float(np.sum(self.along[self.s == 0] ** 2))
        return self.outside + float(np.sum(self.along**2 * (ratio / (ratio + self.s**2))))

    def volume(self, ratio: float) -> float:
        """What the determinants and the flat constant add."""
        with np.errstate(over="ignore"):  # far from the maximum: as improbable as can be
            determinant = float(np.log1p(self.s**2 / ratio).sum())
        return -0.5 * determinant - 0.5 * self.flat * np.log(self.rows)

    def known(self, alpha: float, beta: float) -> float:
        """(1)."""
        return self._at(alpha / beta, beta)

    def _at(self, ratio: float, beta: float) -> float:
        """(1) for alpha = ratio times beta, which need not be a number."""
        N = self.rows - self.flat
        return self.volume(ratio) + 0.5 * (N * (np.log(beta) - LOG_2PI) - beta * self.squares(ratio))

    def gamma(self, ratio: float, a: float, b: float) -> float:
        """The same with the precision of the noise integrated out under gamma(a, b); alpha is in its units."""
        from scipy.special import gammaln

        N = self.rows - self.flat
        a_N, b_N = a + N / 2, b + self.squares(ratio) / 2
        gammas = gammaln(a_N) - gammaln(a)
        return float(self.volume(ratio) - N / 2 * LOG_2PI + a * np.log(b) - a_N * np.log(b_N) + gammas)

    def best_beta(self, ratio: float) -> float:
        """The precision of the noise that is best for a given alpha / beta."""
        return (self.rows - self.flat) / max(self.squares(ratio), 1e-300)

    def profile(self, ratio: float) -> float:
        """(1) at alpha = ratio times beta and the beta that is best for it."""
        return self._at(ratio, self.best_beta(ratio))

    # Slopes by the logarithm of what varies: a maximum is where they vanish, to more digits than its value shows

    def slope(self, alpha: float, beta: float) -> float:
        """Of `known` by log alpha."""
        return self.effective(alpha / beta) / 2 - beta * self._squares_slope(alpha / beta) / 2

    def noise_slope(self, alpha: float, beta: float) -> float:
        """Of `known` by log beta."""
        N, bracket = self.rows - self.flat, self.squares(alpha / beta)
        return (
            N - beta * bracket - self.effective(alpha / beta) + beta * self._squares_slope(alpha / beta)
        ) / 2

    def gamma_slope(self, ratio: float, a: float, b: float) -> float:
        """Of `gamma` by the log of the ratio."""
        a_N, b_N = a + (self.rows - self.flat) / 2, b + self.squares(ratio) / 2
        return self.effective(ratio) / 2 - a_N / b_N * self._squares_slope(ratio) / 2

    def profile_slope(self, ratio: float) -> float:
        """Of `profile` by the log of the ratio."""
        return self.effective(ratio) / 2 - self.best_beta(ratio) * self._squares_slope(ratio) / 2

    def _squares_slope(self, ratio: float) -> float:
        return float(
            np.sum(self.along**2 * (ratio / (ratio + self.s**2)) * (self.s**2 / (ratio + self.s**2)))
        )

    def effective(self, ratio: float) -> float:
        """The number of weights that the rows determine."""
        return float(np.sum(self.s[self.s > 0] ** 2 / (ratio + self.s[self.s > 0] ** 2)))

    @property
    def scale(self) -> float:
        """A ratio alpha / beta at which prior and rows weigh about alike."""
        positive = self.s[self.s > ROUNDING * self.s.max(initial=0.0)]
        return float(np.exp(2 * np.mean(np.log(positive)))) if len(positive) else 1.0

    def noise_scale(self) -> float:
        """A precision of the noise to look around: of residuals between those of the best fit and of none."""
        N = max(self.rows - self.flat, 1.0)
        return N / max(
            np.sqrt(self.squares(0.0 if self.outside > 0 else self.scale) * self.squares(1e300)), 1e-300
        )


def maximise(function: Callable[[float], float], slope: Callable[[float], float], scale: float) -> float:
    """The number above 0 where a function is largest, up to ten decades from a scale; the slope is by its log."""
    from scipy.optimize import brentq, minimize_scalar

    centre = np.log(scale)
    grid = np.clip(centre + np.linspace(-DECADES, DECADES, GRID) * np.log(10), -LARGEST_LOG, LARGEST_LOG)
    values = np.array([function(float(np.exp(u))) for u in grid])
    at = int(np.argmax(np.where(np.isfinite(values), values, -np.inf)))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, GRID - 1)]
    if slope(float(np.exp(low))) > 0 > slope(float(np.exp(high))):
        return float(np.exp(brentq(lambda u: slope(float(np.exp(u))), low, high, xtol=1e-14, rtol=1e-14)))
    optimum = minimize_scalar(
        lambda u: -function(float(np.exp(u))), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    return float(np.exp(optimum.x))
