"""Bernoulli: a variable that is 0 or 1."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py, xlogy

from assay.core.seeds import as_generator
from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.stats.checks import as_numbers, as_points, as_sample
from assay.stats.distributions.density import Density
from assay.types import RandomState


class Bernoulli(Density):
    r"""The distribution of a variable that is 1 with probability p, else 0.

    .. math:: P(x) = p^x (1-p)^{1-x}, \qquad
              \hat p = \frac{\sum_i w_i x_i + \alpha}{\sum_i w_i + 2\alpha}      \quad (1)

    The mean is p, the variance p(1-p); the estimate (1) with alpha = 0 is the
    maximum-likelihood one and has itself variance p(1-p)/n. Where p is 0 or 1
    the log of the impossible outcome is minus infinity, and 0 log 0 = 0.

    Parameters
    ----------
    p : float from 0 to 1, default 0.5
    alpha : float, not negative, default 0
        Pseudo-count of each outcome used by `fit`; 1 is Laplace's rule.

    Examples
    --------
    >>> coin = Bernoulli().fit([1, 1, 1, 0, 1, 0, 0, 1, 1])
    >>> round(coin.p, 4), round(coin.var, 4)
    (0.6667, 0.2222)
    >>> coin.most_likely, round(coin.error, 4)
    (1, 0.3333)
    >>> Bernoulli(alpha=1).fit([1, 1]).p
    0.75
    """

    stored = {
        "p": Scalar(low=0, high=1),
        "alpha": Scalar(low=0),
    }

    def __init__(self, p: float = 0.5, *, alpha: float = 0.0):
        p, alpha = as_numbers("Bernoulli", p=p, alpha=alpha)
        if not 0 <= p <= 1:
            raise ParameterError(f"Bernoulli: p must be a probability from 0 to 1, got {p:g}.")
        if not 0 <= alpha < np.inf:
            raise ParameterError(f"Bernoulli: alpha must not be negative, got {alpha:g}.")
        self.p = float(p)
        self.alpha = float(alpha)

    @property
    def mean(self) -> float:
        return self.p

    @property
    def var(self) -> float:
        return self.p * (1 - self.p)

    @property
    def most_likely(self) -> int:
        """The outcome to predict: 1 if p is above one half, else 0 (also where both are equally likely)."""
        return int(self.p > 0.5)

    @property
    def error(self) -> float:
        """The probability that the prediction of the most likely outcome is wrong."""
        return min(self.p, 1 - self.p)

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        ones, total = count_ones(x, weights, "Bernoulli")
        self.p = float((ones + self.alpha) / (total + 2 * self.alpha))  # (1)
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x = _zeros_and_ones(as_points(x, "Bernoulli"), "Bernoulli")
        return xlogy(x, self.p) + xlog1py(1 - x, -self.p)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        return (as_generator(random_state, type(self).__name__).random(n) < self.p).astype(np.int64)


def count_ones(x: ArrayLike, weights: ArrayLike | None, who: str) -> tuple[float, float]:
    """Weighted number of ones, and of all."""
    x = _zeros_and_ones(as_sample(x, who), who)
    w = check_weights(weights, len(x), who, "weights")
    if w is None:
        return float(x.sum()), float(len(x))
    return float(w @ x), float(w.sum())


def _zeros_and_ones(x: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    other = (x != 0) & (x != 1)
    if other.any():
        raise DataError(
            f"expected values 0 and 1, got {x[other][0]:g}. For more values: Categorical.", who=who
        )
    return x
