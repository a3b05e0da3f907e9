r"""A list of precisions, integrated out: an average over its points by the probabilities that the rows give them.

With the log evidences :math:`\ell_g` of G points that are equally probable before the rows,

.. math:: P(g\mid y) = \frac{e^{\ell_g}}{\sum_he^{\ell_h}}, \qquad
          \log p(y) = \log\frac1G\sum_ge^{\ell_g}, \qquad
          p(\cdot\mid y) = \sum_gP(g\mid y)\,p(\cdot\mid y, g)                                         \quad (1)

so that a mean is the average of means, and a variance that of variances with the variance of the means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.core.stored import Each, FloatArray, Kind, Object
from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.distributions.predictive import Mixture, Predictive

__all__ = ["PrecisionGrid", "draw", "marginals", "mixed", "precisions_of", "total_variance"]

Floats = NDArray[np.float64]
Parts = list[tuple[float, LinearPosterior]]
NEGLIGIBLE = 1e-9  # posterior probability below which a point of the grid is left out
ROUNDING = 1e-9  # of a sum of probabilities


class PrecisionGrid:
    """Mixin of learners whose posterior is an average over a grid of precisions, often of a single point.

    Attributes
    ----------
    posteriors_ : LinearPosterior for each point of the grid that counts, with the probabilities ``probabilities_``
    grid_ : (G,) or (G, 2) the precisions      grid_posterior_ : (G,) their probabilities
    """

    stored: ClassVar[Mapping[str, Kind]] = {
        "posteriors_": Each(Object(LinearPosterior), "g"),
        "probabilities_": FloatArray("g", low=0, high=1),
        "grid_": FloatArray("G", low=0),
        "grid_posterior_": FloatArray("G", low=0, high=1),
    }

    posteriors_: list[LinearPosterior]
    probabilities_: Floats
    grid_: Floats
    grid_posterior_: Floats
    alpha_: float
    log_evidence_: float

    def _weigh(self, grid: Sequence[Any], logs: Sequence[float], without: str) -> NDArray[np.int64]:
        """The points that count, by their log evidences (1); ``without`` says why a grid may have none."""
        values = np.where(np.isnan(logs), -np.inf, logs)
        top = float(values.max())
        if not np.isfinite(top) and len(grid) > 1:
            raise DegenerateError(f"{type(self).__name__}: {without}")
        odds = np.exp(values - top) if np.isfinite(top) else np.ones(1)
        self.log_evidence_ = top + float(np.log(np.mean(odds))) if np.isfinite(top) else np.nan
        self.grid_, self.grid_posterior_ = np.array(grid, dtype=np.float64), odds / odds.sum()
        kept = np.flatnonzero(self.grid_posterior_ >= NEGLIGIBLE * self.grid_posterior_.max())
        self.probabilities_ = self.grid_posterior_[kept] / self.grid_posterior_[kept].sum()
        self.__dict__.pop("posterior_", None)
        return kept

    def _expected(self, values: Sequence[Any] | Floats) -> Any:
        """The average over the points that count of a number or an array of each."""
        return self.probabilities_ @ np.asarray(values)

    def _check_grid(self, weights: int) -> None:
        """Refuse a stored model whose posteriors are not about so many weights, or not as many as they are weighed."""
        if len(self.posteriors_) != len(self.probabilities_):
            raise ValueError("posteriors_ and probabilities_ must be as many")
        if not abs(self.probabilities_.sum() - 1) < ROUNDING:
            raise ValueError("probabilities_ must add up to 1")
        if {len(posterior.mean) for posterior in self.posteriors_} != {weights}:
            raise ValueError(f"posteriors_ must be about {weights} weights: the constant and each weight")

    def _adopt_single(self) -> None:
        """Of a model file of an earlier version, whose grid was always a single point: its only posterior."""
        only = vars(self).pop("posterior_", None)
        if "posteriors_" not in vars(self) and only is not None:
            self.posteriors_, self.probabilities_ = [only], np.ones(1)
            self.grid_, self.grid_posterior_ = np.array([float(self.alpha_)]), np.ones(1)

    @cached_property
    def posterior_(self) -> LinearPosterior:
        """The posterior of the constant and the weights, at the most probable precisions."""
        return self.posteriors_[int(np.argmax(self.probabilities_))]

    def _parts(self) -> Parts:
        return list(zip(self.probabilities_.tolist(), self.posteriors_))


def precisions_of(value: Any, name: str, who: str) -> list[float]:
    """The precisions that a parameter gives: of a number itself, of a list its numbers."""
    precisions: list[float] = np.ravel(np.asarray(value, dtype=np.float64)).tolist()
    if not precisions:
        raise ParameterError(
            f"{name} must be a number or a list that is not empty, got {value!r:.80}.", who=who
        )
    return precisions


def marginals(parts: Parts) -> Predictive:
    """The distribution of each weight by itself."""
    return mixed([posterior.marginals() for _, posterior in parts], [p for p, _ in parts])


def mixed(distributions: Sequence[Predictive], probabilities: Sequence[float] | Floats) -> Predictive:
    """The average of distributions of the same rows; averages among them are taken apart.

    >>> from assay.linear.bayesian.precision_grid import mixed
    >>> from assay.stats.distributions.predictive import Mixture, Normal
    >>> two = Mixture([Normal([0.0], 1.0), Normal([2.0], 1.0)])
    >>> both = mixed([two, Normal([5.0], 1.0)], [0.5, 0.5])
    >>> len(both.parts), both.weights, both.mean
    (3, array([[0.25, 0.25, 0.5 ]]), array([3.]))
    """
    if len(distributions) == 1:
        return distributions[0]
    parts: list[Predictive] = []
    weights: list[Floats] = []
    for distribution, p in zip(distributions, probabilities):
        if isinstance(distribution, Mixture):
            parts += distribution.parts
            weights.append(p * distribution.weights)
        else:
            parts.append(distribution)
            weights.append(np.full((len(distribution), 1), float(p)))
    return Mixture(parts, np.hstack(weights))


def total_variance(probabilities: Sequence[float] | Floats, means: Any, variances: Any) -> Floats:
    """(n,) the variance of an average of parts, from their (G, n) means and variances.

    >>> from assay.linear.bayesian.precision_grid import total_variance
    >>> total_variance([0.5, 0.5], [[0.0], [2.0]], [[1.0], [3.0]])
    array([3.])
    """
    p, centres = np.asarray(probabilities, dtype=np.float64), np.asarray(means)
    between: Floats = p @ (centres - p @ centres) ** 2
    return p @ np.asarray(variances) + between


def draw(parts: Parts, n: int, random: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """(n, q) weights, (n,) variances of the noise, and (n,) the parts that they were drawn from."""
    if len(parts) == 1:
        return *parts[0][1].sample_both(n, random), np.zeros(n, dtype=np.int64)
    chosen = random.choice(len(parts), size=n, p=[p for p, _ in parts])
    W, variance = np.empty((n, len(parts[0][1].mean))), np.empty(n)
    for k in np.unique(chosen):
        at = np.flatnonzero(chosen == k)
        W[at], variance[at] = parts[k][1].sample_both(len(at), random)
    return W, variance, chosen
