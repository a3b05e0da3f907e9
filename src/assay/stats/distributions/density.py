"""Base class of the density families: fit, logpdf, log likelihood, sample."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.types import RandomState


class Density:
    r"""A family of distributions whose parameters are estimated from a sample.

    A member knows the logarithm of its density (of its probability mass, when
    the variable is discrete: one name, `logpdf`, serves both) and how to set
    its parameters to their maximum-likelihood values, weighted if asked. The
    log likelihood of an independent sample is then the sum

    .. math:: \mathcal L(\theta|x) = \sum_i w_i \log p(x_i|\theta)

    Parameters and settings are plain attributes (numbers, arrays), given to
    the constructor; `fit` overwrites the parameters, leaves the settings, and
    returns the object itself. A weight of 2 means that a row counts twice.

    A family of your own needs `fit` and `logpdf`, and `mean`, `var` and
    `sample` where they make sense:

    >>> import numpy as np
    >>> class Exponential(Density):
    ...     def __init__(self, rate=1.0):
    ...         self.rate = rate
    ...     def fit(self, x, weights=None):
    ...         self.rate = 1 / np.average(x, weights=weights)
    ...         return self
    ...     def logpdf(self, x):
    ...         return np.log(self.rate) - self.rate * np.asarray(x)
    >>> float(Exponential().fit([1, 2, 3]).rate)
    0.5
    >>> Exponential(rate=1.0).loglik([1, 2, 3])
    -6.0
    """

    storable = True
    stored = {}
    mean: Any
    var: Any

    def fit(self, x: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Set the parameters from a sample."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is fitted.")

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """Log density (or log mass) at every x."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its density is.")

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        """n independent draws."""
        raise NotImplementedError(f"{type(self).__name__} cannot be drawn from.")

    def pdf(self, x: ArrayLike) -> NDArray[np.float64]:
        """Density (or mass) at every x."""
        return np.exp(self.logpdf(x))

    def loglik(self, x: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Log likelihood of the sample: the weighted sum of `logpdf`.

        A row of weight 0 is no observation, so it adds 0 even where its density is 0.
        """
        terms = self.logpdf(x)
        w = check_weights(weights, len(terms), type(self).__name__, "weights")
        if w is None:
            return float(terms.sum())
        positive = w > 0
        return float(np.sum(w[positive] * terms[positive]))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_short(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=6, separator=", ", threshold=20).replace("\n", "")
    if isinstance(value, float):
        return f"{value:.6g}"
    return repr(value)
