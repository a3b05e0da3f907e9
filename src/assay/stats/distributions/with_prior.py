"""A density that is fitted with a prior: conjugate beliefs as a pluggable family."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.stored import Object, Text
from assay.errors import ParameterError
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import ESTIMATES, one_of
from assay.stats.distributions.density import Density
from assay.types import RandomState


class WithPrior(Density):
    """A density that is fitted by updating a conjugate prior.

    Wherever a `Density` is expected (a column of naive Bayes, say), this one
    brings a prior along. `fit` always starts from the prior.

    Parameters
    ----------
    prior : ConjugateModel
        BetaBernoulli, NormalGamma, DiscretePrior, PriorMixture ...; or any object with `update(x, weights)` and
        `density(estimate)`.
    estimate : "predictive", "bayes", "map" or "ml", default "predictive"
        Average over the belief (full Bayes), put its mean or its mode in, or leave the prior out: maximum likelihood.

    Attributes
    ----------
    posterior : the belief after `fit` (before it, the prior)
    maximum_likelihood : the density by maximum likelihood, if that was asked for

    Examples
    --------
    >>> from assay.stats import BetaBernoulli, WithPrior
    >>> for estimate in ("ml", "map", "predictive"):
    ...     print(estimate, WithPrior(BetaBernoulli(2, 2), estimate=estimate).fit([1, 1, 1]).pdf([1]).round(4))
    ml [1.]
    map [0.8]
    predictive [0.7143]
    """

    stored = {
        "prior": Object(ConjugateModel),
        "posterior": Object(ConjugateModel),
        "estimate": Text(),
        "maximum_likelihood": Object(Density),
    }

    def __init__(self, prior: Any, *, estimate: str = "predictive"):
        self.prior = prior
        self.estimate = one_of(estimate, (*ESTIMATES, "ml"), "WithPrior", "estimate")
        self.posterior = prior

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        self.posterior = self.prior.update(x, weights)
        if self.estimate == "ml":
            self.maximum_likelihood = self.prior.maximum_likelihood(x, weights)
        return self

    @property
    def _density(self) -> Any:
        if self.estimate != "ml":
            return self.posterior.density(self.estimate)
        if not hasattr(self, "maximum_likelihood"):
            raise ParameterError('WithPrior: estimate="ml" needs data. Call fit first.')
        return self.maximum_likelihood

    @property
    def mean(self) -> Any:
        return self._density.mean

    @property
    def var(self) -> Any:
        return self._density.var

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        return self._density.logpdf(x)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        return self._density.sample(n, random_state)
