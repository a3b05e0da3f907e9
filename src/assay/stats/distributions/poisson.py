"""Counts: Poisson, and the negative binomial that it becomes when its rate is uncertain."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlog1py, xlogy

from assay.core.seeds import as_generator
from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.stats.checks import as_numbers, as_points, as_sample
from assay.stats.distributions.density import Density
from assay.types import RandomState


class Poisson(Density):
    r"""The distribution of a count with a known rate.

    .. math:: P(x) = \frac{\lambda^x e^{-\lambda}}{x!}, \qquad
              \hat\lambda = \frac{\sum_i w_i x_i}{\sum_i w_i}                                      \quad (1)

    Parameters
    ----------
    rate : float, not negative, default 1

    Examples
    --------
    >>> from assay.stats import Poisson
    >>> Poisson().fit([2, 0, 4])
    Poisson(rate=2)
    """

    stored = {"rate": Scalar(low=0)}

    def __init__(self, rate: float = 1.0):
        (rate,) = as_numbers("Poisson", rate=rate)
        if not 0 <= rate < np.inf:
            raise ParameterError(f"Poisson: rate must be finite and not negative, got {rate:g}.")
        self.rate = float(rate)

    @property
    def mean(self) -> float:
        return self.rate

    @property
    def var(self) -> float:
        return self.rate

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        x = whole_counts(as_sample(x, "Poisson"), "Poisson")
        self.rate = float(np.average(x, weights=check_weights(weights, len(x), "Poisson", "weights")))  # (1)
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x = whole_counts(as_points(x, "Poisson"), "Poisson")
        return xlogy(x, self.rate) - self.rate - gammaln(x + 1)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        return as_generator(random_state, type(self).__name__).poisson(self.rate, n)


class NegativeBinomial(Density):
    r"""A count whose Poisson rate is itself gamma distributed with shape r and rate p/(1-p).

    .. math:: P(x) = \frac{\Gamma(x+r)}{\Gamma(r)\,x!}\,p^r(1-p)^x                                \quad (1)

    Its variance is larger than its mean. It is not fitted; it follows from a belief (`GammaPoisson`).

    Parameters
    ----------
    r : float, above 0      p : float above 0 and at most 1

    Examples
    --------
    >>> from assay.stats import NegativeBinomial
    >>> NegativeBinomial(3, 0.5).mean, NegativeBinomial(3, 0.5).var
    (3.0, 6.0)
    """

    stored = {"r": Scalar(low=0), "p": Scalar(low=0, high=1)}

    def __init__(self, r: float, p: float):
        r, p = as_numbers("NegativeBinomial", r=r, p=p)
        if not (0 < r < np.inf and 0 < p <= 1):
            raise ParameterError(
                f"NegativeBinomial: r must be above 0 and p above 0 and at most 1, got {r:g} and {p:g}."
            )
        self.r = float(r)
        self.p = float(p)

    @property
    def mean(self) -> float:
        return self.r * (1 - self.p) / self.p

    @property
    def var(self) -> float:
        return self.mean / self.p

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x = whole_counts(as_points(x, "NegativeBinomial"), "NegativeBinomial")
        coefficient = gammaln(x + self.r) - gammaln(self.r) - gammaln(x + 1)
        return coefficient + self.r * np.log(self.p) + xlog1py(x, -self.p)  # (1)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        return as_generator(random_state, type(self).__name__).negative_binomial(self.r, self.p, n)


def whole_counts(x: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    """The values, if they are whole numbers from 0 up."""
    wrong = (x < 0) | (x != np.floor(x))
    if wrong.any():
        raise DataError(f"expected counts, whole numbers from 0 up, got {x[wrong][0]:g}.", who=who)
    return x
