"""Normal mean: belief about the mean of a Gaussian whose variance is known.

`update(x)` returns the posterior, an object of the same class, so that today's
posterior is tomorrow's prior; `mean` is the Bayes estimate, `map` the most
probable value, `density(estimate)` the distribution of the data themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_numbers, as_sample
from assay.stats.distributions.gaussian import LOG_2PI, Gaussian
from assay.stats.significance.summary import squarable


class NormalMean(ConjugateModel):
    r"""Belief about the mean of a Gaussian whose variance is known: a Gaussian.

    With :math:`x_i \sim N(\theta, \sigma^2)` and :math:`\theta \sim N(\mu_0, \sigma_0^2)`,

    .. math:: E[\theta|x] = \frac{(N/\sigma^2)\,m + (1/\sigma_0^2)\,\mu_0}{N/\sigma^2 + 1/\sigma_0^2}, \qquad
              \mathrm{Var}[\theta|x] = \frac1{N/\sigma^2 + 1/\sigma_0^2}                        \quad (1)

    The posterior mean lies between the prior's and the sample's, each pulling
    by its precision. It is the Bayes estimate and the MAP at once. The next x
    is :math:`N(E[\theta|x],\; \sigma^2 + \mathrm{Var}[\theta|x])`.

    Parameters
    ----------
    mean, var : float
        The belief about the mean; an infinite variance is `flat`.
    noise_var : float
        The known variance of one observation.

    Examples
    --------
    Prior and one observation equally sure: meet half way.

    >>> NormalMean(mean=0, var=1, noise_var=1).update([4])
    NormalMean(mean=2, var=0.5, noise_var=1)

    See Also
    --------
    Gaussian, NormalInverseWishart

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "mean": Scalar(),
        "var": Scalar(low=0),
        "noise_var": Scalar(low=0),
    }

    def __init__(self, mean: float = 0.0, var: float = 1.0, noise_var: float = 1.0):
        mean, var, noise_var = as_numbers("NormalMean", mean=mean, var=var, noise_var=noise_var)
        if not np.isfinite(mean):
            raise ParameterError(f"NormalMean: mean must be finite, got {mean:g}.")
        if not (var > 0 and 0 < noise_var < np.inf):
            raise ParameterError(
                f"NormalMean: var and noise_var must be above 0, got {var:g} and {noise_var:g}."
            )
        self.mean = float(mean)
        self.var = float(var)
        self.noise_var = float(noise_var)

    @classmethod
    def flat(cls, noise_var: float = 1.0) -> NormalMean:
        """Every mean alike, which is Jeffreys' prior of a location: improper, and its posterior is N(m, σ²/N)."""
        return cls(0.0, np.inf, noise_var)

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> NormalMean:
        """The posterior after a sample; a weight of 2 counts a value twice."""
        x = as_sample(x, "NormalMean")
        w = check_weights(weights, len(x), "NormalMean", "weights")
        N = float(len(x) if w is None else w.sum())
        data, prior = N / self.noise_var, 1 / self.var  # precisions
        mean = (data * float(np.average(x, weights=w)) + prior * self.mean) / (data + prior)  # (1)
        return NormalMean(mean, 1 / (data + prior), self.noise_var)

    @property
    def map(self) -> float:
        return self.mean

    def hpd(self, level: float = 0.95) -> tuple[float, float]:
        """Shortest credible interval: of a Gaussian it is the central one."""
        return self.interval(level)

    def _quantile(self, p: float) -> float:
        return self.mean + float(ndtri(p)) * float(np.sqrt(self.var))

    def _cdf(self, theta: float) -> float:
        return float(ndtr((theta - self.mean) / np.sqrt(self.var)))

    @property
    def proper(self) -> bool:
        return self.var < np.inf

    def logpdf(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief at theta."""
        self._require_proper("density")
        return Gaussian(self.mean, self.var).logpdf(theta)

    def _draws(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return Gaussian(self.mean, self.var).sample(n, random)

    def density(self, estimate: str = "predictive") -> Gaussian:
        """The next x: the mean averaged over the belief ("predictive"), or fixed at its estimate."""
        self._check_estimate(estimate)
        self._require_proper("density")
        return Gaussian(self.mean, self.noise_var + (self.var if estimate == "predictive" else 0.0))

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Gaussian:
        return Gaussian(Gaussian().fit(x, weights).mean, self.noise_var)

    def log_evidence(self, x: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Log density of a sample: the deviations from its mean, and the mean from the belief."""
        self._require_proper("evidence")
        x = squarable(as_sample(x, "NormalMean"), "NormalMean")
        w = check_weights(weights, len(x), "NormalMean", "weights")
        N, m = float(len(x) if w is None else w.sum()), float(np.average(x, weights=w))
        squares = float(np.sum((x - m) ** 2 * (1.0 if w is None else w)))
        spread = self.noise_var / N + self.var  # variance of the sample's mean
        return float(
            -0.5 * (N * (LOG_2PI + np.log(self.noise_var)) + squares / self.noise_var)
            - 0.5 * (np.log(spread * N / self.noise_var) + (m - self.mean) ** 2 / spread)
        )

    def __repr__(self) -> str:
        return f"NormalMean(mean={self.mean:g}, var={self.var:g}, noise_var={self.noise_var:g})"
