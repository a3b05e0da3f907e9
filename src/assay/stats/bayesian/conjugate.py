"""What all conjugate models share: update, evidence, intervals, and the words they answer to."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from assay.core.seeds import as_generator
from assay.errors import DegenerateError, ParameterError
from assay.stats.checks import ESTIMATES, is_whole, one_of, tail_of
from assay.types import RandomState

__all__ = ["ConjugateModel"]


class ConjugateModel:
    r"""A belief about the parameters of a distribution that stays in its family when data come in.

    An object is a prior; ``update(x)`` returns the posterior, an object of the same class, so that today's posterior
    is tomorrow's prior and updates in pieces give what one update gives. All models answer to the same words:

    - ``mean`` (the Bayes estimate), ``map`` (the most probable value), ``var``: of the parameters;
    - ``interval(level)``, ``hpd(level)``: central, and shortest (highest posterior density) credible intervals;
    - ``logpdf``, ``sample``: of the belief itself;
    - ``log_evidence(x)``: the log probability of data before they are seen, the parameters integrated out:

      .. math:: \log p(x) = \log\int p(x|\theta)\,p(\theta)\,d\theta
                          = \log Z_{posterior} - \log Z_{prior} + \log h(x)                          \quad (1)

      of a sample in its order; Z is the integral over the parameters without its constants;
    - ``density(estimate)``: the distribution of the data: averaged over the belief ("predictive"), or with the
      parameters at their expectation ("bayes") or at the mode ("map");
    - ``maximum_likelihood(x)``: the distribution of the data without any prior.

    A model of your own gives ``update``, ``_log_normaliser`` and ``_log_base`` for (1), ``_quantile`` and ``logpdf``
    for the intervals, and the rest as its mathematics allows.

    Examples
    --------
    >>> from assay.stats import BetaBernoulli, GammaPoisson
    >>> BetaBernoulli(1, 1).update([1, 1, 0, 1])
    BetaBernoulli(a=4, b=2)
    >>> round(GammaPoisson(2, 1).log_evidence([3, 0, 2]), 6)
    -5.609716
    """

    map: Any

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """The posterior after a sample; a weight of 2 counts a value twice."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its posterior is.")

    def logpdf(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its density is.")

    def sample(self, n: int, random_state: RandomState = None) -> Any:
        """n independent draws of the parameters; of a pair of parameters, a pair of arrays."""
        who = type(self).__name__
        if not is_whole(n):
            raise ParameterError(f"{who}: the number of draws must be a whole number from 0 up, got {n!r}.")
        self._require_proper("draws")
        return self._draws(int(n), as_generator(random_state, who))

    def density(self, estimate: str = "predictive") -> Any:
        """The distribution of the next x."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it predicts.")

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Any:
        """The distribution of x by maximum likelihood: what the same data say without a prior."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its likelihood is.")

    def log_evidence(self, x: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Log probability (density) of a sample in its order, the parameters integrated out by this belief."""
        self._require_proper("evidence")
        posterior = self.update(x, weights)
        return float(posterior._log_normaliser() - self._log_normaliser() + self._log_base(x, weights))  # (1)

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Central credible interval."""
        tail = tail_of(level, type(self).__name__)
        self._require_proper("interval")
        return float(self._quantile(tail)), float(self._quantile(1 - tail))

    def hpd(self, level: float = 0.95) -> tuple[Any, Any]:
        """Shortest credible interval: no value outside is more probable than one inside."""
        tail_of(level, type(self).__name__)
        self._require_proper("interval")

        def gap(p: float) -> float:  # of the log densities at the two ends; rises with p if there is one mode
            ends = [self._quantile(p), self._quantile(min(p + level, 1.0))]
            low, high = (self.logpdf(end) if np.isfinite(end) else -np.inf for end in ends)
            return float(np.clip(low, -1e300, 1e300) - np.clip(high, -1e300, 1e300))

        first, last = 0.0, 1 - level
        if gap(first) >= 0:
            p = first
        elif gap(last) <= 0:
            p = last
        else:
            p = brentq(gap, first, last, xtol=1e-14)
        return float(self._quantile(p)), float(self._quantile(min(p + level, 1.0)))

    def _draws(self, n: int, random: np.random.Generator) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be drawn from.")

    def _quantile(self, p: float) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what its quantiles are.")

    def _cdf(self, theta: float) -> float:
        """Probability of a smaller parameter; asked by mixtures of priors."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its distribution function is.")

    def _log_normaliser(self) -> float:
        raise NotImplementedError(f"{type(self).__name__} does not say what its evidence is.")

    def _log_base(self, x: ArrayLike, weights: ArrayLike | None) -> float:
        """log h(x): what the likelihood has beside the part that meets the prior."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its evidence is.")

    def _check_estimate(self, estimate: str) -> None:
        if isinstance(estimate, str) and estimate == "ml":
            raise ParameterError(
                'maximum likelihood needs the data: maximum_likelihood(x), or WithPrior(prior, estimate="ml").',
                who=type(self).__name__,
            )
        one_of(estimate, ESTIMATES, type(self).__name__, "estimate")

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same belief: of the same family, with the same numbers."""
        if type(other) is not type(self):
            return NotImplemented
        mine, others = vars(self), vars(other)
        return mine.keys() == others.keys() and all(_same(mine[name], others[name]) for name in mine)

    def __hash__(self) -> int:
        return hash(repr(self))

    @property
    def proper(self) -> bool:
        """Whether the belief integrates to 1; an improper prior can be updated, and has no evidence or draws."""
        return True

    def _require_proper(self, what: str) -> None:
        if not self.proper:
            raise DegenerateError(
                f"{type(self).__name__}: {self!r} is improper (it does not integrate to 1), so it has no {what}. "
                "Update it with enough data first, or give a proper prior."
            )


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)
