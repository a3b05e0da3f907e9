"""Dirichlet-categorical: belief about the probabilities of K categories.

`update(x)` returns the posterior, an object of the same class, so that today's
posterior is tomorrow's prior; `mean` is the Bayes estimate, `map` the most
probable value, `density(estimate)` the distribution of the data themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

from assay.core.stored import AnyArray, FloatArray
from assay.errors import DegenerateError, ParameterError, did_you_mean
from assay.stats.bayesian.beta_bernoulli import BetaBernoulli
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_points, tail_of
from assay.stats.distributions.categorical import Categorical, count_categories, distinct, encode


class DirichletCategorical(ConjugateModel):
    r"""Belief about the probabilities of K categories: a Dirichlet distribution.

    .. math:: p\,|\,x \sim \mathrm{Dirichlet}(\alpha_i + m_i), \qquad
              E[p_i] = \frac{\alpha_i}{\sum_j\alpha_j}, \quad
              \mathrm{MAP}_i = \frac{\alpha_i-1}{\sum_j\alpha_j-K}

    All ones is flat: MAP is maximum likelihood, the Bayes estimate Laplace's
    (m_i + 1)/(m + K).

    Parameters
    ----------
    alpha : (K,), above 0
    categories : K values, default None for 0..K-1

    Examples
    --------
    >>> posterior = DirichletCategorical([1, 1, 1]).update([1, 1, 2, 2, 2, 2])
    >>> (posterior.mean * 9).round(12), (posterior.map * 6).round(12)
    (array([1., 3., 5.]), array([0., 2., 4.]))

    See Also
    --------
    Categorical, BetaBernoulli, smoothed_frequencies

    References
    ----------
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    storable = True
    stored = {
        "alpha": FloatArray("k", low=0),
        "categories": AnyArray("k"),
    }

    def __init__(self, alpha: ArrayLike, *, categories: ArrayLike | None = None):
        self.alpha = as_points(alpha, "DirichletCategorical")
        if self.alpha.ndim != 1 or not len(self.alpha) or not (self.alpha > 0).all():
            raise ParameterError(f"DirichletCategorical: alpha must be numbers above 0, got {self.alpha}.")
        K = len(self.alpha)
        self.categories = np.arange(K) if categories is None else distinct(categories, "DirichletCategorical")
        if len(self.categories) != K:
            raise ParameterError(f"DirichletCategorical: {K} alphas for {len(self.categories)} categories.")

    @classmethod
    def uniform(cls, categories: ArrayLike | int) -> DirichletCategorical:
        """All alphas 1, for that many categories or for these: every set of probabilities alike."""
        return cls._alike(1.0, categories)

    @classmethod
    def jeffreys(cls, categories: ArrayLike | int) -> DirichletCategorical:
        """All alphas 1/2, the root of the determinant of the Fisher information."""
        return cls._alike(0.5, categories)

    @classmethod
    def _alike(cls, alpha: float, categories: Any) -> DirichletCategorical:
        if isinstance(categories, (int, np.integer)):
            if categories < 1:
                raise ParameterError(
                    f"expected at least 1 category, got {categories}.", who="DirichletCategorical"
                )
            categories = np.arange(categories)
        return cls(np.full(len(categories), alpha), categories=categories)

    def update(self, x: ArrayLike, weights: ArrayLike | None = None) -> DirichletCategorical:
        """The posterior after a sample of categories."""
        counts = count_categories(x, self.categories, weights, "DirichletCategorical")
        return DirichletCategorical(self.alpha + counts, categories=self.categories)

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.alpha / self.alpha.sum()

    @property
    def var(self) -> NDArray[np.float64]:
        return self.mean * (1 - self.mean) / (self.alpha.sum() + 1)

    @property
    def map(self) -> NDArray[np.float64]:
        """The mode; an error where there is none (flat) or it lies on an edge without a formula."""
        spare = self.alpha - 1
        if (spare < 0).any() or not spare.any():
            raise DegenerateError(
                f"DirichletCategorical: alphas {self.alpha} have no single most probable value; "
                "all must be at least 1 and one above it."
            )
        return spare / spare.sum()

    def marginal(self, category: Any) -> BetaBernoulli:
        """Belief about the probability of one category: a Beta distribution."""
        code = encode([category], self.categories)[0] if np.ndim(category) == 0 else -1
        if code < 0:
            raise ParameterError(
                f"{category!r:.80} is no category.{did_you_mean(category, self.categories.tolist())}",
                who="DirichletCategorical",
            )
        return BetaBernoulli(self.alpha[code], self.alpha.sum() - self.alpha[code])

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Central credible intervals of the single probabilities: (K,) lower and (K,) upper ends."""
        return self._ends(BetaBernoulli.interval, level)

    def hpd(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shortest credible intervals of the single probabilities."""
        return self._ends(BetaBernoulli.hpd, level)

    def _ends(self, method: Any, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if len(self.alpha) == 1:
            raise DegenerateError("DirichletCategorical: one category has probability 1 and no interval.")
        tail_of(level, type(self).__name__)
        low, high = np.transpose([method(self.marginal(category), level) for category in self.categories])
        return low, high

    def logpdf(self, p: ArrayLike) -> NDArray[np.float64]:
        """Log density of the belief at p, (K,) or (n, K) rows that sum to 1."""
        p = as_points(p, "DirichletCategorical")
        if p.shape[-1:] != self.alpha.shape or (p < 0).any() or (abs(p.sum(axis=-1) - 1) > 1e-8).any():
            raise ParameterError(
                f"DirichletCategorical: expected {len(self.alpha)} probabilities that sum to 1."
            )
        return xlogy(self.alpha - 1, p).sum(axis=-1) - self._log_normaliser()

    def _draws(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return random.dirichlet(self.alpha, n)

    def density(self, estimate: str = "predictive") -> Categorical:
        """The next x: p at its Bayes estimate (the same as the predictive) or at its mode."""
        self._check_estimate(estimate)
        return Categorical(self.map if estimate == "map" else self.mean, categories=self.categories)

    def maximum_likelihood(self, x: ArrayLike, weights: ArrayLike | None = None) -> Categorical:
        return Categorical(categories=self.categories).fit(x, weights)

    def _log_normaliser(self) -> float:
        return float(gammaln(self.alpha).sum() - gammaln(self.alpha.sum()))

    def _log_base(self, x: ArrayLike, weights: ArrayLike | None) -> float:
        return 0.0

    def __repr__(self) -> str:
        return f"DirichletCategorical({self.alpha.tolist()}, categories={self.categories.tolist()})"
