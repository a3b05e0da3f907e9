"""Laplace: two exponentials back to back, heavier in the tails than a Gaussian."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.core.stored import Scalar
from assay.core.targets import check_weights
from assay.errors import DegenerateError, ParameterError
from assay.stats.checks import as_numbers, as_points, as_sample
from assay.stats.distributions.density import Density
from assay.stats.estimators.weighted_quantile import weighted_quantile
from assay.types import RandomState


class Laplace(Density):
    r"""The double exponential distribution: mean m, variance 2 s².

    .. math:: p(x) = \frac1{2s}\,e^{-|x-m|/s}                                                     \quad (1)

    By maximum likelihood m is the median and s the mean distance from it. As a prior it is robust, and the mode of
    the posterior is what the lasso computes.

    Parameters
    ----------
    mean : float, default 0      scale : float, not negative, default 1

    Examples
    --------
    >>> from assay.stats import Laplace
    >>> Laplace().fit([1, 2, 9])
    Laplace(mean=2, scale=2.66667)
    >>> float(Laplace().pdf(0))
    0.5
    """

    stored = {"mean": Scalar(), "scale": Scalar(low=0)}

    def __init__(self, mean: float = 0.0, scale: float = 1.0):
        mean, scale = as_numbers("Laplace", mean=mean, scale=scale)
        if not np.isfinite(mean) or not 0 <= scale < np.inf:
            raise ParameterError(
                f"Laplace: mean must be finite and scale finite and not negative, got {mean:g} and {scale:g}."
            )
        self.mean = float(mean)
        self.scale = float(scale)

    @property
    def var(self) -> float:
        return 2 * self.scale**2

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        x = as_sample(x, "Laplace")
        w = check_weights(weights, len(x), "Laplace", "weights")
        self.mean = float(np.median(x) if w is None else weighted_quantile(x[:, None], w)[0])
        self.scale = float(np.average(np.abs(x - self.mean), weights=w))
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x = as_points(x, "Laplace")
        if self.scale == 0:
            raise DegenerateError(
                f"Laplace: the scale is 0 (all mass on {self.mean:g}), so there is no density. "
                "Fit on values that differ."
            )
        return -np.log(2 * self.scale) - np.abs(x - self.mean) / self.scale  # (1)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        return as_generator(random_state, type(self).__name__).laplace(self.mean, self.scale, n)
