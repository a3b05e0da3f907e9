"""A parameter that can only have some values: Bayes' rule without an integral."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError, DegenerateError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.model_comparison import model_probabilities
from assay.stats.checks import as_sample, as_shares, one_of, tail_of
from assay.stats.distributions.averaged import AveragedDensity
from assay.stats.distributions.density import Density


class DiscretePrior(ConjugateModel):
    r"""Belief about a parameter with m possible values, for any family of densities.

    .. math:: P(\theta_k|x) \propto P(\theta_k)\prod_t p(x^t|\theta_k), \qquad
              p(x'|x) = \sum_k p(x'|\theta_k)\,P(\theta_k|x)                                        \quad (1)

    Parameters
    ----------
    values : (m,) the possible values
    densities : m densities, one for each value, or a function from a value to its `Density`
    prior : (m,) probabilities; None makes them equal

    Examples
    --------
    A coin of one of three kinds, after heads, heads, tails, heads:

    >>> from assay.stats import Bernoulli, DiscretePrior
    >>> coin = DiscretePrior([0.2, 0.5, 0.8], Bernoulli, [0.25, 0.5, 0.25])
    >>> posterior = coin.update([1, 1, 0, 1])
    >>> posterior.map, coin.maximum_likelihood([1, 1, 0, 1]).p, posterior.density().pdf([1]).round(4)
    (0.5, 0.8, array([0.6232]))

    See Also
    --------
    BetaBernoulli, GridPosterior, PriorMixture

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "values": FloatArray("m", finite=True),
        "densities": Each(Object(Density), "m"),
        "prior": FloatArray("m", low=0, high=1),
    }

    def __init__(
        self,
        values: ArrayLike,
        densities: Callable[[float], Density] | Sequence[Density],
        prior: ArrayLike | None = None,
    ):
        self.values = as_sample(values, "DiscretePrior")
        if callable(densities):
            densities = [densities(v) for v in self.values.tolist()]
        if not isinstance(densities, Sequence) or not all(isinstance(d, Density) for d in densities):
            raise DataError(
                f"DiscretePrior: expected densities, or a function that gives them, got {type(densities).__name__}."
            )
        self.densities = list(densities)
        if len(self.densities) != len(self.values):
            raise DataError(
                f"DiscretePrior: there are {len(self.values)} values for {len(self.densities)} densities."
            )
        self.prior = as_shares(prior, len(self.values), "DiscretePrior", "prior")

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> DiscretePrior:
        """The posterior after a sample."""
        result = model_probabilities(self._log_likelihoods(x, weights), self.prior)
        return DiscretePrior(self.values, self.densities, result.posterior)  # (1)

    @property
    def mean(self) -> float:
        return float(self.prior @ self.values)

    @property
    def var(self) -> float:
        return float(self.prior @ (self.values - self.mean) ** 2)

    @property
    def map(self) -> float:
        """The most probable value; the first of several."""
        return float(self.values[np.argmax(self.prior)])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The values at both ends: at most half of the remaining probability lies beyond each."""
        tail = tail_of(level, "DiscretePrior")
        order = np.argsort(self.values)
        below = np.cumsum(self.prior[order])
        first, last = np.searchsorted(below, [tail, 1 - tail - 1e-15])
        return float(self.values[order][first]), float(self.values[order][min(last, len(order) - 1)])

    def hpd(self, level: float = 0.95) -> NDArray[np.float64]:  # type: ignore[override]
        """The smallest set of values that holds the probability, in ascending order."""
        tail_of(level, "DiscretePrior")
        order = np.argsort(-self.prior, kind="stable")
        count = int(np.searchsorted(np.cumsum(self.prior[order]), level - 1e-15)) + 1
        return np.sort(self.values[order[:count]])

    def logpdf(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Log probability of a value; minus infinity for a number that is none of them."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.prior)
        points = np.asarray(theta, dtype=float)
        return np.max(np.where(points[..., None] == self.values, logs, -np.inf), axis=-1)

    def _draws(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return random.choice(self.values, n, p=self.prior)

    def density(self, estimate: str = "predictive") -> Any:
        """The next x: averaged over the values ("predictive"), or with the most probable one ("map")."""
        one_of(estimate, ("predictive", "map"), "DiscretePrior", "estimate")
        if estimate == "map":
            return self.densities[int(np.argmax(self.prior))]
        return AveragedDensity(self.densities, self.prior)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Density:
        """The density whose value makes x most probable; the first of several."""
        logs = self._log_likelihoods(x, weights)
        if logs.max() == -np.inf:
            raise DegenerateError("DiscretePrior: every value calls the data impossible.")
        return self.densities[int(np.argmax(logs))]

    def log_evidence(self, x: ArrayLike, weights: ArrayLike | None = None) -> float:
        return float(logsumexp(self._log_likelihoods(x, weights), b=self.prior))

    def _log_likelihoods(self, x: ArrayLike, weights: ArrayLike | None) -> NDArray[np.float64]:
        return np.array([density.loglik(x, weights) for density in self.densities])

    def __repr__(self) -> str:
        shown = ", ".join(f"{v:g}: {p:.4g}" for v, p in zip(self.values[:6], self.prior[:6]))
        return f"DiscretePrior({{{shown}{', ...' if len(self.values) > 6 else ''}}})"
