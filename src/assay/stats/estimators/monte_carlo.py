"""Bias, variance and mean squared error of an estimator over repeated samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.types import RandomState


@dataclass(frozen=True)
class EstimatorStudy:
    """Result of `study_estimator`; numbers, or arrays for an estimator of several parameters.

    estimates : (repetitions, ...)      truth
    mean, bias, variance, mse           over the repetitions; mse = variance + bias²
    standard_error                      of the mean, and so of the bias
    """

    estimates: NDArray[np.float64]
    truth: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.estimates.mean(axis=0)

    @property
    def bias(self) -> NDArray[np.float64]:
        return self.mean - self.truth

    @property
    def variance(self) -> NDArray[np.float64]:
        return self.estimates.var(axis=0)

    @property
    def mse(self) -> NDArray[np.float64]:
        return np.mean((self.estimates - self.truth) ** 2, axis=0)

    @property
    def standard_error(self) -> NDArray[np.float64]:
        return self.estimates.std(axis=0, ddof=1) / np.sqrt(len(self.estimates))

    def looks_unbiased(self, level: float = 0.99) -> bool:
        """Whether 0 lies in the normal confidence interval of every bias."""
        z = float(ndtri((1 + level) / 2))
        return bool(np.all(np.abs(self.bias) <= z * self.standard_error))


def study_estimator(
    estimator: Callable[[Any], Any],
    source: Any,
    truth: ArrayLike,
    n: int,
    *,
    repetitions: int = 1000,
    random_state: RandomState = None,
) -> EstimatorStudy:
    r"""Draw many samples of size n, estimate from each, and compare with the truth.

    .. math:: r(d, \theta) = E[(d(X)-\theta)^2] = \mathrm{Var}(d) + b^2, \qquad b = E[d] - \theta

    Repeat it with growing n to see consistency (mse to 0) and asymptotic
    unbiasedness (bias to 0).

    Parameters
    ----------
    estimator : function of a sample, returning a number or an array
    source : `Density`, or function (n, generator) returning a sample
    truth : the true value of the parameter
    n, repetitions : sizes
    random_state : seed or generator

    Examples
    --------
    The variance with divisor n is too small by the factor (n - 1)/n:

    >>> from assay.stats import Gaussian
    >>> study = study_estimator(np.var, Gaussian(), truth=1, n=5, repetitions=4000, random_state=0)
    >>> abs(study.mean - 0.8) < 3 * study.standard_error, study.looks_unbiased()
    (np.True_, False)
    """
    if n < 1 or repetitions < 2:
        raise ParameterError(
            f"study_estimator: needs n >= 1 and repetitions >= 2, got {n} and {repetitions}."
        )
    rng = as_generator(random_state, "study_estimator")
    draw = source.sample if hasattr(source, "sample") else source
    estimates = np.array([estimator(draw(n, rng)) for _ in range(repetitions)], dtype=float)
    target = np.asarray(truth, dtype=float)
    if estimates.shape[1:] != target.shape:
        raise DataError(
            f"study_estimator: an estimate has shape {estimates.shape[1:]}, the truth {target.shape}; "
            "expected the same."
        )
    if not np.isfinite(estimates).all():
        raise DataError("study_estimator: the estimator returned a value that is not finite.")
    return EstimatorStudy(estimates, target)
