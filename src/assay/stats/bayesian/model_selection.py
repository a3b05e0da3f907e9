"""Bayesian choice among linear models with a Gaussian prior: evidence, posterior of the models, averaging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.bayesian.model_comparison import ModelProbabilities, model_probabilities
from assay.stats.checks import as_matrix

__all__ = [
    "ModelPosterior",
    "bayesian_model_selection",
    "log_evidence",
    "weight_posterior",
]


def weight_posterior(
    X: ArrayLike, y: ArrayLike, precision: float = 1.0, noise: float = 1.0
) -> LinearPosterior:
    r"""Posterior of the weights of :math:`r = w^Tx + \varepsilon` with prior :math:`w_i \sim N(0, 1/\lambda)`.

    .. math:: w \sim N(m, S), \quad S = \left(\tfrac1{\sigma^2}X^TX + \lambda I\right)^{-1}, \quad
              m = (X^TX + \lambda\sigma^2 I)^{-1}X^Ty                                     \quad (1)

    The mean minimises :math:`\sum (r - w^Tx)^2 + \lambda\sigma^2\|w\|^2`: ridge with every weight penalised.

    Parameters
    ----------
    X : (n, d) the design, with its column of ones      y : (n,)
    precision : λ of the prior      noise : σ²

    Examples
    --------
    >>> from assay.stats import weight_posterior
    >>> weight_posterior([[1.0], [1.0], [1.0]], [2.0, 2.0, 4.0]).mean
    array([2.])

    See Also
    --------
    log_evidence, bayesian_model_selection

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """
    prior = _prior(X, precision, noise, "weight_posterior")
    return prior.update(X, y)  # (1)


def log_evidence(X: ArrayLike, y: ArrayLike, precision: float = 1.0, noise: float = 1.0) -> float:
    r"""Log probability of the data under a model, its weights integrated out.

    .. math:: \log p(r) = \log N\!\left(r;\ 0,\ \sigma^2I + \tfrac1\lambda XX^T\right)                \quad (1)

    A model that could have produced many other data as well gives these data less: complexity costs by itself.
    The scale of the columns matters, for the prior is the same for all weights. Cost: O(n d^2 + d^3).

    Examples
    --------
    >>> from assay.stats import log_evidence
    >>> round(log_evidence([[1.0]], [0.0]), 6)       # N(0; 0, 2)
    -1.265512

    See Also
    --------
    weight_posterior, bayesian_model_selection, bic

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """
    return _prior(X, precision, noise, "log_evidence").log_evidence(X, y)  # (1)


@dataclass(frozen=True)
class ModelPosterior(ModelProbabilities):
    """Result of `bayesian_model_selection`, one entry for each model.

    log_evidence, prior, posterior : (m,)      weights : the posterior of each model's weights
    """

    weights: tuple[LinearPosterior, ...] = ()

    def average(self, designs: Sequence[ArrayLike]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and variance of new numbers under all models, each with its probability; one design for each model."""
        if len(designs) != len(self.weights):
            raise DataError(
                f"ModelPosterior: there are {len(self.weights)} models, got {len(designs)} designs."
            )
        means, variances = zip(*(w.predict(D) for w, D in zip(self.weights, designs)))
        return self.average_of(means, variances)


def bayesian_model_selection(
    designs: Sequence[ArrayLike],
    y: ArrayLike,
    precision: float = 1.0,
    noise: float = 1.0,
    prior: ArrayLike | None = None,
) -> ModelPosterior:
    r"""Posterior probability of models from their evidence.

    .. math:: P(\text{model}|\text{data}) \propto p(\text{data}|\text{model})\,P(\text{model})     \quad (1)

    Parameters
    ----------
    designs : one (n, d_k) array a model, with its column of ones      y : (n,)
    precision, noise : λ of the prior of the weights and σ², as in `log_evidence`
    prior : probabilities of the models; None makes them equal

    Examples
    --------
    Numbers that rise: a line is more probable than a constant.

    >>> from assay.stats.bayesian.model_selection import bayesian_model_selection
    >>> x = np.arange(-3.0, 4.0)
    >>> result = bayesian_model_selection([np.vander(x, 1), np.vander(x, 2)], 0.8 * x)
    >>> result.best, result.posterior.round(3)
    (1, array([0.001, 0.999]))

    See Also
    --------
    log_evidence, weight_posterior, model_probabilities, compare_models

    References
    ----------
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """
    who = "bayesian_model_selection"
    if not len(designs):
        raise DataError("there is no model to choose from.", who=who)
    result = model_probabilities([log_evidence(D, y, precision, noise) for D in designs], prior)  # (1)
    weights = tuple(weight_posterior(D, y, precision, noise) for D in designs)
    return ModelPosterior(result.log_evidence, result.prior, result.posterior, weights)


def _prior(X: ArrayLike, precision: float, noise: float, who: str) -> LinearPosterior:
    if not (precision > 0 and noise > 0):
        raise ParameterError(f"precision and noise must be above 0, got {precision} and {noise}.", who=who)
    return LinearPosterior.prior(as_matrix(X, who).shape[1], precision, noise=noise)
