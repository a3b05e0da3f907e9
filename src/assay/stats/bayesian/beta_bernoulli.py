"""Beta-Bernoulli: belief about the probability of a 1.

`update(x)` returns the posterior, an object of the same class, so that today's
posterior is tomorrow's prior; `mean` is the Bayes estimate, `map` the most
probable value, `density(estimate)` the distribution of the data themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

from assay.core.stored import Scalar
from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_numbers, as_points
from assay.stats.distributions.bernoulli import Bernoulli, count_ones


class BetaBernoulli(ConjugateModel):
    r"""Belief about the probability p of a 1: a Beta distribution.

    .. math:: p \sim \mathrm{Beta}(a, b) \;\Rightarrow\; p\,|\,x \sim \mathrm{Beta}(a + m_1, b + m_0), \qquad
              E[p] = \frac a{a+b}, \quad \mathrm{MAP} = \frac{a-1}{a+b-2}

    a = b = 1 is flat: MAP is then maximum likelihood, and the Bayes estimate
    is Laplace's (m_1 + 1)/(m + 2).

    >>> posterior = BetaBernoulli(1, 1).update([1, 1, 0, 1])
    >>> posterior
    BetaBernoulli(a=4, b=2)
    >>> round(posterior.mean, 4), posterior.map
    (0.6667, 0.75)
    >>> [round(v, 4) for v in posterior.hpd(0.9)], round(BetaBernoulli(1, 1).log_evidence([1, 1, 0, 1]), 4)
    ([0.3952, 0.9575], -2.9957)

    See Also
    --------
    Bernoulli, DirichletCategorical, WithPrior

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "a": Scalar(low=0),
        "b": Scalar(low=0),
    }

    def __init__(self, a: float = 1.0, b: float = 1.0):
        a, b = as_numbers("BetaBernoulli", a=a, b=b)
        if not (0 < a < np.inf and 0 < b < np.inf):
            raise ParameterError(f"BetaBernoulli: a and b must be above 0, got {a:g} and {b:g}.")
        self.a = float(a)
        self.b = float(b)

    @classmethod
    def uniform(cls) -> BetaBernoulli:
        """Beta(1, 1): every p alike; the Bayes estimate is Laplace's rule."""
        return cls(1.0, 1.0)

    @classmethod
    def jeffreys(cls) -> BetaBernoulli:
        """Beta(1/2, 1/2), the root of the Fisher information: the same belief whatever scale p is measured on."""
        return cls(0.5, 0.5)

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> BetaBernoulli:
        """The posterior after a sample of zeros and ones."""
        ones, total = count_ones(x, weights, "BetaBernoulli")
        return BetaBernoulli(self.a + ones, self.b + (total - ones))

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @property
    def var(self) -> float:
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    @property
    def map(self) -> float:
        """The mode; an error where there is none (flat) or more than one."""
        if max(self.a, self.b) <= 1:
            raise DegenerateError(
                f"BetaBernoulli: Beta({self.a:g}, {self.b:g}) has no single most probable value."
            )
        if min(self.a, self.b) < 1:
            return float(self.a > 1)
        return (self.a - 1) / (self.a + self.b - 2)

    def hpd(self, level: float = 0.95) -> tuple[float, float]:
        """Shortest credible interval; an error where the density has two peaks, at 0 and at 1."""
        if max(self.a, self.b) < 1:
            raise DegenerateError(
                f"BetaBernoulli: Beta({self.a:g}, {self.b:g}) has peaks at 0 and at 1, so the most probable values "
                "are not one interval. The central one: interval(level)."
            )
        return super().hpd(level)

    def _quantile(self, p: float) -> float:
        return float(betaincinv(self.a, self.b, p))

    def _cdf(self, p: float) -> float:
        return float(betainc(self.a, self.b, p))

    def logpdf(self, p: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief at p."""
        p = as_points(p, "BetaBernoulli")
        inside = (p >= 0) & (p <= 1)
        q = np.where(inside, p, 0.5)
        return np.where(
            inside, xlogy(self.a - 1, q) + xlog1py(self.b - 1, -q) - betaln(self.a, self.b), -np.inf
        )

    def _draws(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return random.beta(self.a, self.b, n)

    def density(self, estimate: str = "predictive") -> Bernoulli:
        """The next x: p at its Bayes estimate (the same as the predictive) or at its mode."""
        self._check_estimate(estimate)
        return Bernoulli(self.map if estimate == "map" else self.mean)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Bernoulli:
        return Bernoulli().fit(x, weights)

    def _log_normaliser(self) -> float:
        return float(betaln(self.a, self.b))

    def _log_base(self, x: ArrayLike, weights: ArrayLike | None) -> float:
        return 0.0

    def __repr__(self) -> str:
        return f"BetaBernoulli(a={self.a:g}, b={self.b:g})"
