"""A density that is fitted with a prior: conjugate beliefs as a pluggable family."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.stored import Object, Text
from assay.stats.bayesian.beta_bernoulli import BetaBernoulli
from assay.stats.bayesian.dirichlet_categorical import DirichletCategorical
from assay.stats.bayesian.normal_inverse_wishart import NormalInverseWishart
from assay.stats.bayesian.normal_mean import NormalMean
from assay.stats.checks import ESTIMATES, one_of
from assay.stats.distributions.density import Density
from assay.types import RandomState


class WithPrior(Density):
    """A density that is fitted by updating a conjugate prior.

    Wherever a `Density` is expected (a column of naive Bayes, say), this one
    brings a prior along. `fit` always starts from the prior.

    Parameters
    ----------
    prior : BetaBernoulli, DirichletCategorical, NormalMean or NormalInverseWishart
        Or any object with `update(x, weights)` and `density(estimate)`.
    estimate : "predictive", "bayes" or "map", default "predictive"
        Average over the belief, or put its mean or its mode in.

    Attributes
    ----------
    posterior : the belief after `fit` (before it, the prior)

    Examples
    --------
    >>> from assay.stats import BetaBernoulli
    >>> coin = WithPrior(BetaBernoulli(1, 1)).fit([1, 1, 1])
    >>> coin.pdf([1]), WithPrior(BetaBernoulli(1, 1), estimate="map").fit([1, 1, 1]).pdf([1])
    (array([0.8]), array([1.]))
    """

    stored = {
        "prior": Object(BetaBernoulli, DirichletCategorical, NormalInverseWishart, NormalMean),
        "posterior": Object(BetaBernoulli, DirichletCategorical, NormalInverseWishart, NormalMean),
        "estimate": Text(),
    }

    def __init__(self, prior: Any, *, estimate: str = "predictive"):
        self.prior = prior
        self.estimate = one_of(estimate, ESTIMATES, "WithPrior", "estimate")
        self.posterior = prior

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        self.posterior = self.prior.update(x, weights)
        return self

    @property
    def mean(self) -> Any:
        return self.posterior.density(self.estimate).mean

    @property
    def var(self) -> Any:
        return self.posterior.density(self.estimate).var

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        return self.posterior.density(self.estimate).logpdf(x)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        return self.posterior.density(self.estimate).sample(n, random_state)
