"""Several densities averaged, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from assay.core.seeds import as_generator
from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError
from assay.stats.checks import as_shares
from assay.stats.distributions.density import Density
from assay.types import RandomState


class AveragedDensity(Density):
    r"""The density of x when it is not certain which of m densities holds.

    .. math:: p(x) = \sum_k w_k\,p_k(x)                                                            \quad (1)

    The prediction of a Bayesian who averages over models or over parameter values, instead of choosing one. It is not
    fitted; it follows from a belief.

    Parameters
    ----------
    densities : m objects with ``logpdf``, ``mean``, ``var`` and ``sample``
    weights : (m,) probabilities that sum to 1

    Examples
    --------
    >>> from assay.stats import AveragedDensity, Bernoulli
    >>> float(AveragedDensity([Bernoulli(0.2), Bernoulli(0.6)], [0.5, 0.5]).pdf(1).round(12))
    0.4
    """

    stored = {"densities": Each(Object(Density), "m"), "weights": FloatArray("m", low=0, high=1)}

    def __init__(self, densities: Sequence[Density], weights: ArrayLike):
        self.densities = list(densities)
        if not self.densities:
            raise DataError("AveragedDensity: there is no density to average.")
        self.weights = as_shares(weights, len(self.densities), "AveragedDensity", "weights")

    @property
    def mean(self) -> Any:
        return self._average([density.mean for density in self.densities])

    @property
    def var(self) -> Any:
        means = [np.asarray(density.mean) for density in self.densities]
        return self._average(
            [density.var + (m - self.mean) ** 2 for density, m in zip(self.densities, means)]
        )

    def _average(self, values: list[Any]) -> Any:
        average = np.tensordot(self.weights, np.array(values, dtype=float), 1)
        return float(average) if average.ndim == 0 else average

    def logpdf(self, x: ArrayLike) -> NDArray[np.float64]:
        logs = np.array([density.logpdf(x) for density in self.densities])
        return logsumexp(logs, axis=0, b=self.weights.reshape(-1, *[1] * (logs.ndim - 1)))  # (1)

    def sample(self, n: int, random_state: RandomState = None) -> NDArray[Any]:
        rng = as_generator(random_state, type(self).__name__)
        which = rng.choice(len(self.densities), n, p=self.weights)
        draws = np.stack([density.sample(n, rng) for density in self.densities])
        return draws[which, np.arange(n)]
