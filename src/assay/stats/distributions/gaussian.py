"""Gaussian: the normal distribution of one variable."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.core.stored import Boolean, Scalar
from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_numbers, as_points, as_sample
from assay.stats.distributions.density import Density
from assay.types import RandomState

LOG_2PI = float(np.log(2 * np.pi))


class Gaussian(Density):
    r"""The normal distribution of one variable.

    .. math:: \log p(x) = -\tfrac12\log 2\pi - \tfrac12\log\sigma^2 - \frac{(x-\mu)^2}{2\sigma^2}  \quad (1)

    with, by maximum likelihood (the divisor is n, not n - 1),

    .. math:: m = \frac{\sum_i w_i x_i}{\sum_i w_i}, \qquad
              s^2 = \frac{\sum_i w_i (x_i-m)^2}{\sum_i w_i}                                  \quad (2)

    Parameters
    ----------
    mean, var : float, default 0 and 1
        The variance may be 0 (a sample of one value); then there is no density,
        and `logpdf` raises an error.
    unbiased : bool, default False
        Let `fit` divide by the number of rows (the sum of the weights) less 1.
    floor : float, not negative, default 0
        Smallest variance that `fit` returns.

    Examples
    --------
    >>> x = [5, 6, 7, 6, 5, 8, 6, 5]
    >>> Gaussian().fit(x)
    Gaussian(mean=6, var=1, unbiased=False, floor=0)
    >>> round(Gaussian(unbiased=True).fit(x).var, 6)
    1.142857
    >>> round(float(Gaussian().pdf(0)), 6)
    0.398942
    """

    stored = {
        "mean": Scalar(),
        "var": Scalar(low=0),
        "floor": Scalar(),
        "unbiased": Boolean(),
    }

    def __init__(self, mean: float = 0.0, var: float = 1.0, *, unbiased: bool = False, floor: float = 0.0):
        mean, var, floor = as_numbers("Gaussian", mean=mean, var=var, floor=floor)
        if not np.isfinite(mean):
            raise ParameterError(f"Gaussian: mean must be a finite number, got {mean:g}.")
        if not 0 <= var < np.inf:
            raise ParameterError(f"Gaussian: var must be finite and not negative, got {var:g}.")
        if not 0 <= floor < np.inf:
            raise ParameterError(f"Gaussian: floor must be finite and not negative, got {floor:g}.")
        self.mean = float(mean)
        self.var = float(var)
        self.unbiased = unbiased
        self.floor = float(floor)

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        x = as_sample(x, "Gaussian")
        w = check_weights(weights, len(x), "Gaussian", "weights")
        total = float(len(x) if w is None else w.sum())
        if self.unbiased and total <= 1:
            raise DataError(f"Gaussian: an unbiased variance needs more than one row, got {total:g}.")
        if np.ptp(x if w is None else x[w > 0]) == 0:  # the mean of equal numbers may round away from them
            self.mean, self.var = float(x[0] if w is None else x[w > 0][0]), self.floor
            return self
        self.mean = float(np.average(x, weights=w))
        squares = float(np.sum((x - self.mean) ** 2 if w is None else w * (x - self.mean) ** 2))
        self.var = max(squares / (total - self.unbiased), self.floor)  # (2)
        return self

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        x = as_points(x, "Gaussian")
        if self.var == 0:
            raise DegenerateError(
                f"Gaussian: the variance is 0 (all mass on {self.mean:g}), so there is no density. "
                "Give floor > 0, or fit on values that differ."
            )
        return -0.5 * (LOG_2PI + np.log(self.var) + (x - self.mean) ** 2 / self.var)  # (1)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[np.float64]:
        return self.mean + np.sqrt(self.var) * as_generator(
            random_state, type(self).__name__
        ).standard_normal(n)
