"""Normal-gamma: belief about the mean and the precision of a Gaussian, or about the precision alone.

`update(x)` returns the posterior, an object of the same class; `mean` is the expected mean, `precision` the belief
about 1/variance, `density(estimate)` the distribution of the data themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, stdtr

from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.normal_update import updated_mean
from assay.stats.checks import as_numbers, as_points, as_sample, tail_of
from assay.stats.distributions.gamma import Gamma
from assay.stats.distributions.gaussian import LOG_2PI, Gaussian
from assay.stats.distributions.student import StudentT
from assay.stats.significance.summary import squarable


class NormalGamma(ConjugateModel):
    r"""Belief about the mean μ and the precision λ = 1/σ² of a Gaussian.

    :math:`\lambda \sim \mathrm{gamma}(a, b)` (rate b) and :math:`\mu|\lambda \sim N(m, 1/(\kappa\lambda))`. After N
    numbers with mean :math:`\bar x` and variance :math:`s^2` (divisor N),

    .. math:: \kappa' = \kappa + N, \quad m' = \frac{\kappa m + N\bar x}{\kappa'}, \quad a' = a + \tfrac N2, \quad
              b' = b + \tfrac N2 s^2 + \frac{\kappa N}{2\kappa'}(\bar x - m)^2                      \quad (1)

    The mean is then t distributed with 2a degrees of freedom and squared scale b/(aκ), the next number with
    b(κ+1)/(aκ). An infinite κ says that the mean is known; then (1) sums the squares around it.
    The mode (`map`) is that of (μ, λ): precision (a - 1/2)/b, or (a - 1)/b for a known mean.

    Parameters
    ----------
    mean : float, default 0
        Guess of the mean.
    kappa : float, not negative, default 1
        How many numbers that guess is worth; inf: the mean is known.
    a, b : float, default 1
        Shape and rate of the precision; for a guess :math:`s_0^2` of the variance that is worth v numbers: v/2 and
        :math:`v s_0^2/2` (`from_variance`).

    Examples
    --------
    >>> from assay.stats import NormalGamma
    >>> posterior = NormalGamma.from_variance(2, worth=4, mean=4, kappa=1).update([4, 5, 6, 7, 8])
    >>> posterior
    NormalGamma(mean=5.66667, kappa=6, a=4.5, b=10.6667)
    >>> posterior.density()
    StudentT(mean=5.66667, shape=2.76543, dof=9)
    >>> [round(v, 4) for v in posterior.interval()]
    [4.2448, 7.0885]

    See Also
    --------
    NormalMean, NormalInverseWishart, StudentT, Gamma

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {"mean": Scalar(finite=True), "kappa": Scalar(low=0), "a": Scalar(), "b": Scalar(low=0)}

    def __init__(self, mean: float = 0.0, kappa: float = 1.0, a: float = 1.0, b: float = 1.0):
        who = "NormalGamma"
        mean, kappa, a, b = as_numbers(who, mean=mean, kappa=kappa, a=a, b=b)
        if not np.isfinite(mean):
            raise ParameterError(f"mean must be finite, got {mean:g}.", who=who)
        if not kappa >= 0:
            raise ParameterError(f"kappa must not be negative, got {kappa:g}.", who=who)
        if not -0.5 <= a < np.inf or not 0 <= b < np.inf:
            raise ParameterError(f"a must be at least -1/2 and b not negative, got {a:g} and {b:g}.", who=who)
        self.mean = float(mean)
        self.kappa = float(kappa)
        self.a = float(a)
        self.b = float(b)

    @classmethod
    def from_variance(cls, var: float, worth: float, *, mean: float = 0.0, kappa: float = 1.0) -> NormalGamma:
        """The prior with a guess of the variance that is worth that many numbers."""
        var, worth = as_numbers("NormalGamma", var=var, worth=worth)
        if not (0 < var < np.inf and 0 < worth < np.inf):
            raise ParameterError(f"NormalGamma: var and worth must be above 0, got {var:g} and {worth:g}.")
        return cls(mean, kappa, worth / 2, worth / 2 * var)

    @classmethod
    def known_mean(cls, mean: float, a: float = 1.0, b: float = 1.0) -> NormalGamma:
        """Belief about the precision alone: the mean is known."""
        return cls(mean, np.inf, a, b)

    @classmethod
    def jeffreys(cls, mean: float | None = None) -> NormalGamma:
        """The prior 1/σ of a scale, and a flat one of the mean unless it is known: improper.

        Its posterior gives the classical intervals: t with N - 1 degrees of freedom for the mean.
        """
        return cls(0.0, 0.0, -0.5, 0.0) if mean is None else cls(mean, np.inf, 0.0, 0.0)

    @classmethod
    def flat(cls, mean: float | None = None) -> NormalGamma:
        """Every mean and every precision alike: improper, and its MAP is maximum likelihood."""
        return cls(0.0, 0.0, 0.5, 0.0) if mean is None else cls(mean, np.inf, 1.0, 0.0)

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> NormalGamma:
        """The posterior after a sample; a weight of 2 counts a value twice."""
        x = squarable(as_sample(x, "NormalGamma"), "NormalGamma")
        w = check_weights(weights, len(x), "NormalGamma", "weights")
        N, centre = float(len(x) if w is None else w.sum()), float(np.average(x, weights=w))
        squares = float(np.sum((x - centre) ** 2 * (1.0 if w is None else w)))
        kappa, mean, pull = updated_mean(self.kappa, self.mean, N, centre)
        b = self.b + (squares + pull * (centre - self.mean) ** 2) / 2  # (1)
        return NormalGamma(mean, kappa, self.a + N / 2, b)

    @property
    def proper(self) -> bool:
        return min(self.kappa, self.a, self.b) > 0

    @property
    def precision(self) -> Gamma:
        """Belief about the precision."""
        self._require_proper("distribution of the precision")
        return Gamma(self.a, self.b)

    @property
    def marginal_mean(self) -> StudentT:
        """Belief about the mean, whatever the precision."""
        self._require_proper("distribution of the mean")
        if np.isinf(self.kappa):
            raise DegenerateError(f"NormalGamma: the mean is known, {self.mean:g}; it has no distribution.")
        return StudentT(self.mean, self.b / (self.a * self.kappa), 2 * self.a)

    @property
    def var(self) -> float:
        """Variance of the belief about the mean; 0 if it is known."""
        return 0.0 if np.isinf(self.kappa) else self.marginal_mean.var

    @property
    def map(self) -> tuple[float, float]:
        """Mean and precision at the joint mode of the belief."""
        spare = self.a - (1.0 if np.isinf(self.kappa) else 0.5)
        if spare <= 0 or self.b == 0:
            raise DegenerateError(
                f"NormalGamma: no mode above 0 with a = {self.a:g}, b = {self.b:g}; add numbers that differ."
            )
        return self.mean, spare / self.b

    @property
    def bayes(self) -> tuple[float, float]:
        """Expected mean and precision."""
        return self.mean, self.precision.mean

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central credible interval of the mean, which is also the shortest."""
        tail = tail_of(level, "NormalGamma")
        if np.isinf(self.kappa):
            return self.mean, self.mean
        belief = self.marginal_mean
        return float(belief.quantile(tail)), float(belief.quantile(1 - tail))

    def _quantile(self, p: float) -> float:
        return float(self.marginal_mean.quantile(p))

    def _cdf(self, theta: float) -> float:
        belief = self.marginal_mean
        return float(stdtr(belief.dof, (theta - belief.mean) / np.sqrt(belief.shape)))

    def hpd(self, level: float = 0.95) -> tuple[float, float]:
        """Shortest credible interval of the mean: of a t it is the central one."""
        return self.interval(level)

    def precision_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central credible interval of the precision; one over its ends bounds the variance."""
        tail = tail_of(level, "NormalGamma")
        return float(self.precision.quantile(tail)), float(self.precision.quantile(1 - tail))

    def logpdf(self, mean: ArrayLike, precision: ArrayLike) -> NDArray[np.float64]:  # type: ignore[override]
        """Log density of the belief at a mean and a precision; of the precision alone if the mean is known."""
        log_precision = self.precision.logpdf(precision)
        if np.isinf(self.kappa):
            return log_precision
        weight = self.kappa * np.asarray(precision, dtype=float)
        with np.errstate(divide="ignore"):
            logs = 0.5 * (
                np.log(weight) - LOG_2PI - weight * (as_points(mean, "NormalGamma") - self.mean) ** 2
            )
        return log_precision + logs

    def _draws(self, n: int, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,) means and (n,) precisions."""
        precisions = self.precision.sample(n, random)
        return self.mean + random.standard_normal(n) / np.sqrt(self.kappa * precisions), precisions

    def density(self, estimate: str = "predictive") -> Gaussian | StudentT:
        """The next x: a t ("predictive"), or a Gaussian with the estimated mean and precision."""
        self._check_estimate(estimate)
        if estimate == "predictive":
            self._require_proper("prediction")
            return StudentT(self.mean, self.b / self.a * (1 + 1 / self.kappa), 2 * self.a)
        mean, precision = self.map if estimate == "map" else self.bayes
        return Gaussian(mean, 1 / precision)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Gaussian:
        fitted = Gaussian().fit(x, weights)
        if np.isinf(self.kappa):
            return Gaussian(self.mean, fitted.var + (fitted.mean - self.mean) ** 2)
        return fitted

    def _log_normaliser(self) -> float:
        spread = 0.0 if np.isinf(self.kappa) else 0.5 * (LOG_2PI - np.log(self.kappa))
        return float(gammaln(self.a) - self.a * np.log(self.b) + spread)

    def _log_base(self, x: ArrayLike, weights: ArrayLike | None) -> float:
        return (
            -0.5 * LOG_2PI * float(len(as_sample(x, "NormalGamma")) if weights is None else np.sum(weights))
        )

    def __repr__(self) -> str:
        return f"NormalGamma(mean={self.mean:g}, kappa={self.kappa:g}, a={self.a:g}, b={self.b:g})"
