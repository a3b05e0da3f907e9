"""Gamma-Poisson: belief about the rate of a count.

`update(x)` returns the posterior, an object of the same class, so that today's posterior is tomorrow's prior; `mean` is
the Bayes estimate, `map` the most probable value, `density(estimate)` the distribution of the data themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaln, xlogy

from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_numbers, as_sample
from assay.stats.distributions.gamma import Gamma
from assay.stats.distributions.poisson import NegativeBinomial, Poisson, whole_counts


class GammaPoisson(ConjugateModel):
    r"""Belief about the rate λ of a Poisson count: a gamma distribution.

    .. math:: \lambda \sim \mathrm{gamma}(a, b) \;\Rightarrow\;
              \lambda|x \sim \mathrm{gamma}\left(a + \sum_i x_i,\ b + \sum_i t_i\right)             \quad (1)

    where :math:`t_i` is the exposure of count i (hours watched, inhabitants), 1 unless given. a counts events that were
    imagined, b the exposure they took. The next count is negative binomial.

    Parameters
    ----------
    a, b : float, default 1
        Shape and rate.

    Examples
    --------
    >>> from assay.stats import GammaPoisson
    >>> posterior = GammaPoisson(2, 1).update([3, 0, 2])
    >>> posterior, posterior.mean, posterior.map
    (GammaPoisson(a=7, b=4), 1.75, 1.5)
    >>> posterior.density()
    NegativeBinomial(r=7, p=0.8)

    See Also
    --------
    Poisson, NegativeBinomial, Gamma, BetaBernoulli

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {"a": Scalar(low=0), "b": Scalar(low=0)}

    def __init__(self, a: float = 1.0, b: float = 1.0):
        a, b = as_numbers("GammaPoisson", a=a, b=b)
        if not (0 < a < np.inf and 0 <= b < np.inf):
            raise ParameterError(f"GammaPoisson: a must be above 0 and b not negative, got {a:g} and {b:g}.")
        self.a = float(a)
        self.b = float(b)

    @classmethod
    def jeffreys(cls) -> GammaPoisson:
        """The prior 1/√λ, the root of the Fisher information: improper."""
        return cls(0.5, 0.0)

    @classmethod
    def flat(cls) -> GammaPoisson:
        """Every rate alike: improper, and its MAP is maximum likelihood."""
        return cls(1.0, 0.0)

    def update(
        self, x: ArrayLike, weights: ArrayLike | None = None, exposure: ArrayLike | None = None
    ) -> GammaPoisson:
        """The posterior after counts; a weight of 2 counts one twice; exposure is one number for each count."""
        x, w, t = _counts(x, weights, exposure)
        return GammaPoisson(self.a + float(w @ x), self.b + float(w @ t))  # (1)

    @property
    def proper(self) -> bool:
        return self.b > 0

    @property
    def mean(self) -> float:
        return self._rate.mean

    @property
    def var(self) -> float:
        return self._rate.var

    @property
    def map(self) -> float:
        """The mode; 0 where the density falls from the start."""
        if self.b == 0:
            raise DegenerateError("GammaPoisson: an improper prior has no mode; update it first.")
        return max(self.a - 1, 0.0) / self.b

    @property
    def _rate(self) -> Gamma:
        self._require_proper("distribution")
        return Gamma(self.a, self.b)

    def logpdf(self, rate: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief at a rate."""
        return self._rate.logpdf(rate)

    def _draws(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return self._rate.sample(n, random)

    def density(self, estimate: str = "predictive", exposure: float = 1.0) -> NegativeBinomial | Poisson:
        """The next count: negative binomial ("predictive"), or Poisson with the estimated rate."""
        self._check_estimate(estimate)
        if not 0 < exposure < np.inf:
            raise ParameterError(f"GammaPoisson: exposure must be above 0, got {exposure}.")
        if estimate == "predictive":
            self._require_proper("prediction")
            return NegativeBinomial(self.a, self.b / (self.b + exposure))
        return Poisson(exposure * (self.map if estimate == "map" else self.mean))

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Poisson:
        return Poisson().fit(x, weights)

    def log_evidence(
        self, x: ArrayLike, weights: ArrayLike | None = None, exposure: ArrayLike | None = None
    ) -> float:
        """Log probability of counts in their order, the rate integrated out."""
        self._require_proper("evidence")
        posterior = self.update(x, weights, exposure)
        x, w, t = _counts(x, weights, exposure)
        base = float(w @ (xlogy(x, t) - gammaln(x + 1)))
        return float(posterior._log_normaliser() - self._log_normaliser() + base)

    def _quantile(self, p: float) -> float:
        return float(self._rate.quantile(p))

    def _cdf(self, rate: float) -> float:
        return float(gammainc(self.a, self.b * rate))

    def _log_normaliser(self) -> float:
        return float(gammaln(self.a) - self.a * np.log(self.b))

    def __repr__(self) -> str:
        return f"GammaPoisson(a={self.a:g}, b={self.b:g})"


def _counts(
    x: ArrayLike, weights: ArrayLike | None, exposure: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    who = "GammaPoisson"
    counts = whole_counts(as_sample(x, who), who)
    w = check_weights(weights, len(counts), who, "weights")
    t = np.ones(len(counts)) if exposure is None else as_sample(exposure, who)
    if len(t) != len(counts) or (t <= 0).any():
        raise DataError(
            f"expected {len(counts)} exposures above 0, got {len(t)}, the least {t.min():g}.", who=who
        )
    return counts, np.ones(len(counts)) if w is None else w, t
