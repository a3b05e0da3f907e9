"""A prior whose own parameters are uncertain: several conjugate priors, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError, DegenerateError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.model_comparison import model_probabilities
from assay.stats.checks import as_shares
from assay.stats.distributions.averaged import AveragedDensity

GRID = 2001  # points at which a density of one parameter is looked at for its modes


class PriorMixture(ConjugateModel):
    r"""Conjugate priors averaged: a hierarchical prior on a grid, or a robust one of a narrow and a wide part.

    With hyperparameters :math:`\alpha_k` of probability :math:`P(\alpha_k)`,

    .. math:: p(\theta|x) = \sum_k p(\theta|x, \alpha_k)\,P(\alpha_k|x), \qquad
              P(\alpha_k|x) \propto p(x|\alpha_k)\,P(\alpha_k)                                     \quad (1)

    so the posterior is of the same kind: each part is updated, and the evidence weighs the parts (the integral of
    level II; its maximum alone is `empirical_bayes`).

    Parameters
    ----------
    priors : conjugate models of one class
    weights : (m,) probabilities; None makes them equal

    Attributes
    ----------
    priors, weights

    Examples
    --------
    Beta(a, a) with a uncertain, after heads in 9 of 10 throws: a fair coin is doubted.

    >>> from assay.stats import BetaBernoulli, PriorMixture
    >>> prior = PriorMixture([BetaBernoulli(a, a) for a in (1, 10, 100)])
    >>> posterior = prior.update([1] * 9 + [0])
    >>> posterior.weights.round(3), round(posterior.mean, 3)
    (array([0.72 , 0.192, 0.088]), 0.767)

    See Also
    --------
    empirical_bayes, DiscretePrior, GridPosterior

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {"priors": Each(Object(ConjugateModel), "m"), "weights": FloatArray("m", low=0, high=1)}

    def __init__(self, priors: Sequence[ConjugateModel], weights: ArrayLike | None = None):
        self.priors = list(priors)
        kinds = {type(prior) for prior in self.priors}
        if len(kinds) != 1 or not issubclass(next(iter(kinds)), ConjugateModel):
            names = ", ".join(sorted(kind.__name__ for kind in kinds)) or "none"
            raise DataError(f"PriorMixture: expected conjugate models of one class, got {names}.")
        self.weights = as_shares(weights, len(self.priors), "PriorMixture", "weights")

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> PriorMixture:
        """The posterior after a sample: parts updated, and weighed by their evidence."""
        shares = model_probabilities(
            [p.log_evidence(x, weights) for p in self.priors], self.weights
        ).posterior
        return PriorMixture([p.update(x, weights) for p in self.priors], shares)  # (1)

    def learned_from(
        self, samples: Sequence[ArrayLike], weights: Sequence[ArrayLike] | None = None
    ) -> PriorMixture:
        """The prior of one more group: parts as they are, weighed by the evidence of the groups so far."""
        logs = [
            sum(p.log_evidence(x, None if weights is None else weights[g]) for g, x in enumerate(samples))
            for p in self.priors
        ]
        return PriorMixture(self.priors, model_probabilities(logs, self.weights).posterior)

    @property
    def mean(self) -> Any:
        """The expected parameter (of normal-gamma and normal-inverse-Wishart: the expected mean)."""
        return self._average([prior.mean for prior in self.priors])  # type: ignore[attr-defined]

    @property
    def var(self) -> Any:
        """The variance within the parts plus that between them."""
        parts: list[Any] = self.priors
        return self._average([p.var + (np.asarray(p.mean) - self.mean) ** 2 for p in parts])

    @property
    def map(self) -> float:
        """The most probable value of one parameter, refined from the best point of a grid."""
        grid, logs = self._on_grid()
        k = int(np.clip(np.argmax(logs), 1, len(grid) - 2))
        low, high = grid[k - 1], grid[k + 1]
        for _ in range(80):  # golden sections
            a, b = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
            low, high = (low, b) if self.logpdf(a) >= self.logpdf(b) else (a, high)
        return float((low + high) / 2)

    def hpd(self, level: float = 0.95) -> tuple[Any, Any]:
        """Shortest credible interval; an error where the density has several peaks."""
        _, logs = self._on_grid()
        rising = np.diff(logs) > 0
        if np.count_nonzero(~rising[1:] & rising[:-1]) + (not rising[0]) + bool(rising[-1]) > 1:
            raise DegenerateError(
                "PriorMixture: the density has several peaks, so the most probable values are not one interval. "
                "The central one: interval(level)."
            )
        return super().hpd(level)

    def logpdf(self, *theta: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief; arguments as those of the parts."""
        logs = np.array([prior.logpdf(*theta) for prior in self.priors])
        return logsumexp(logs, axis=0, b=self.weights.reshape(-1, *[1] * (logs.ndim - 1)))

    def _draws(self, n: int, random: np.random.Generator) -> Any:
        which = random.choice(len(self.priors), n, p=self.weights)
        draws = [prior.sample(n, random) for prior in self.priors]
        if isinstance(draws[0], tuple):
            return tuple(np.stack(part)[which, np.arange(n)] for part in zip(*draws))
        return np.stack(draws)[which, np.arange(n)]

    def density(self, estimate: str = "predictive") -> AveragedDensity:
        """The next x: the predictions of all parts, each with its probability."""
        return AveragedDensity([prior.density(estimate) for prior in self.priors], self.weights)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Any:
        return self.priors[0].maximum_likelihood(x, weights)

    def log_evidence(self, x: ArrayLike, weights: ArrayLike | None = None) -> float:
        return float(logsumexp([p.log_evidence(x, weights) for p in self.priors], b=self.weights))

    def _average(self, values: list[Any]) -> Any:
        average = np.tensordot(self.weights, np.array(values, dtype=float), 1)
        return float(average) if average.ndim == 0 else average

    def _on_grid(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ends = np.array([[p._quantile(1e-6), p._quantile(1 - 1e-6)] for p in self.priors])
        grid = np.linspace(ends[:, 0].min(), ends[:, 1].max(), GRID)
        return grid, self.logpdf(grid)

    def _quantile(self, p: float) -> float:
        ends = [float(prior._quantile(p)) for prior in self.priors]
        low, high = min(ends), max(ends)
        return low if low == high else brentq(lambda theta: self._cdf(theta) - p, low, high, xtol=1e-14)

    def _cdf(self, theta: float) -> float:
        return float(self.weights @ [prior._cdf(theta) for prior in self.priors])

    def __repr__(self) -> str:
        return f"PriorMixture({len(self.priors)} of {type(self.priors[0]).__name__})"
