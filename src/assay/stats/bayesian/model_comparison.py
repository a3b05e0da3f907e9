"""Models compared by the probability they gave to the data: Bayes factors, model posteriors, averaging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, DegenerateError, ParameterError
from assay.sentence import Sentence
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.checks import as_shares
from assay.stats.distributions.averaged import AveragedDensity
from assay.stats.distributions.density import Density

__all__ = [
    "BayesFactor",
    "ComparedModels",
    "ModelProbabilities",
    "bayes_factor",
    "compare_models",
    "model_probabilities",
]

SCALE = (
    (3.0, "not worth more than a mention"),
    (20.0, "positive"),
    (150.0, "strong"),
)  # Kass and Raftery (1995)


@dataclass(frozen=True)
class BayesFactor(Sentence):
    """Result of `bayes_factor`: how much more probable the first model made the data than the second.

    Attributes
    ----------
    log_factor : float      prior_odds : float, of the first model to the second
    """

    log_factor: float
    prior_odds: float = 1.0

    @property
    def factor(self) -> float:
        """The ratio of the evidences; infinite where it exceeds what a float holds."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_factor))

    @property
    def posterior_odds(self) -> float:
        """Bayes factor times prior odds."""
        return self.factor * self.prior_odds

    def __str__(self) -> str:
        for_first = self.log_factor >= 0
        size = BayesFactor(abs(self.log_factor)).factor
        words = next((words for limit, words in SCALE if size < limit), "very strong")
        return (
            f"Bayes factor {self.factor:.4g}: evidence for the {'first' if for_first else 'second'} model "
            f"({size:.4g} to 1) that is {words}."
        )


def bayes_factor(
    log_evidence_first: float, log_evidence_second: float, prior_odds: float = 1.0
) -> BayesFactor:
    r"""How data shift the odds of two models.

    .. math:: \frac{P(M_1|x)}{P(M_2|x)} = \frac{p(x|M_1)}{p(x|M_2)} \cdot \frac{P(M_1)}{P(M_2)}      \quad (1)

    The first ratio is the Bayes factor. It depends on how wide the priors are, also with many data, and it is
    undefined for improper priors, which give no evidence.

    Parameters
    ----------
    log_evidence_first, log_evidence_second : log probabilities of the same data, as ``log_evidence(x)`` gives them
    prior_odds : of the first model to the second

    Examples
    --------
    Heads in 9 of 10 throws: any coin, or a fair one?

    >>> from assay.stats import Bernoulli, BetaBernoulli, bayes_factor
    >>> throws = [1] * 9 + [0]
    >>> result = bayes_factor(BetaBernoulli(1, 1).log_evidence(throws), Bernoulli(0.5).loglik(throws))
    >>> print(result)
    Bayes factor 9.309: evidence for the first model (9.309 to 1) that is positive.

    See Also
    --------
    model_probabilities, compare_models, bic

    References
    ----------
    - Kass, R. E. and Raftery, A. E. (1995). Bayes factors. Journal of the American Statistical Association 90(430),
      773-795. doi:10.1080/01621459.1995.10476572
    """
    evidence = _log_evidences([log_evidence_first, log_evidence_second], "bayes_factor")
    if not 0 < prior_odds < np.inf:
        raise ParameterError(f"bayes_factor: prior_odds must be above 0, got {prior_odds}.")
    return BayesFactor(float(evidence[0] - evidence[1]), float(prior_odds))


@dataclass(frozen=True)
class ModelProbabilities:
    """Result of `model_probabilities`, one entry for each model.

    Attributes
    ----------
    log_evidence, prior, posterior : (m,)
    """

    log_evidence: NDArray[np.float64]
    prior: NDArray[np.float64]
    posterior: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The number of the most probable model."""
        return int(np.argmax(self.posterior))

    def bayes_factor(self, i: int, j: int) -> BayesFactor:
        """Evidence of model i over model j."""
        return BayesFactor(
            float(self.log_evidence[i] - self.log_evidence[j]), float(self.prior[i] / self.prior[j])
        )

    def average_of(
        self, means: ArrayLike, variances: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and variance of predictions, (m, ...), under all models, each with its probability.

        The variance is that within models (0 unless given) plus that between them.
        """
        predictions = np.asarray(means, dtype=float)
        if len(predictions) != len(self.posterior):
            raise DataError(
                f"ModelProbabilities: there are {len(self.posterior)} models, got {len(predictions)} predictions."
            )
        mean = np.tensordot(self.posterior, predictions, 1)
        within = (
            0.0 if variances is None else np.tensordot(self.posterior, np.asarray(variances, dtype=float), 1)
        )
        return mean, np.tensordot(self.posterior, (predictions - mean) ** 2, 1) + within


def model_probabilities(log_evidence: ArrayLike, prior: ArrayLike | None = None) -> ModelProbabilities:
    r"""Posterior probabilities of models from the log evidence that each gave to the same data.

    .. math:: P(M_k|x) = \frac{p(x|M_k)\,P(M_k)}{\sum_j p(x|M_j)\,P(M_j)}                           \quad (1)

    Parameters
    ----------
    log_evidence : (m,) log probabilities of the data under each model; minus infinity is impossible
    prior : (m,) probabilities of the models; None makes them equal

    Examples
    --------
    >>> from assay.stats import model_probabilities
    >>> model_probabilities(np.log([0.01, 0.03])).posterior
    array([0.25, 0.75])

    See Also
    --------
    bayes_factor, compare_models, bayesian_model_selection

    References
    ----------
    - Kass, R. E. and Raftery, A. E. (1995). Bayes factors. Journal of the American Statistical Association 90(430),
      773-795. doi:10.1080/01621459.1995.10476572
    """
    who = "model_probabilities"
    evidence = _log_evidences(log_evidence, who)
    belief = as_shares(prior, len(evidence), who, "prior")
    with np.errstate(divide="ignore"):
        joint = evidence + np.log(belief)
    if joint.max() == -np.inf:
        raise DegenerateError("every model calls the data impossible, so none can be preferred.", who=who)
    posterior = np.exp(joint - joint.max())
    return ModelProbabilities(evidence, belief, posterior / posterior.sum())  # (1)


@dataclass(frozen=True)
class ComparedModels(ModelProbabilities):
    """Result of `compare_models`: the probabilities, and each model after the data.

    Attributes
    ----------
    models : the updated models; a density without free parameters stays as it is
    """

    models: tuple[Any, ...] = ()

    def density(self, estimate: str = "predictive") -> AveragedDensity:
        """The next x under all models, each with its probability."""
        densities = [m if isinstance(m, Density) else m.density(estimate) for m in self.models]
        return AveragedDensity(densities, self.posterior)


def compare_models(
    models: Sequence[ConjugateModel | Density],
    x: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    prior: ArrayLike | None = None,
) -> ComparedModels:
    """Which of several models of the same data is how probable, and what they predict together.

    Parameters
    ----------
    models : conjugate models with their priors, or densities without free parameters
    x, weights : the data; a weight of 2 counts a value twice
    prior : (m,) probabilities of the models; None makes them equal

    Examples
    --------
    Heads in 6 of 10 throws: a fair coin, or any coin?

    >>> from assay.stats import Bernoulli, BetaBernoulli, compare_models
    >>> result = compare_models([Bernoulli(0.5), BetaBernoulli(1, 1)], [1] * 6 + [0] * 4)
    >>> result.log_evidence.round(4), result.posterior.round(4)
    (array([-6.9315, -7.745 ]), array([0.6929, 0.3071]))
    >>> result.density().pdf([1]).round(4)
    array([0.5256])

    See Also
    --------
    model_probabilities, bayes_factor, AveragedDensity

    References
    ----------
    - Hoeting, J. A., Madigan, D., Raftery, A. E. and Volinsky, C. T. (1999). Bayesian model averaging: a tutorial.
      Statistical Science 14(4), 382-417. doi:10.1214/ss/1009212519
    """
    if not len(models):
        raise DataError("compare_models: there is no model to compare.")
    evidence: list[float] = []
    updated: list[ConjugateModel | Density] = []
    for model in models:
        if isinstance(model, Density):
            evidence.append(model.loglik(x, weights))
            updated.append(model)
        elif not isinstance(model, ConjugateModel):
            raise ParameterError(
                f"expected conjugate models or densities, got {type(model).__name__}. Log evidences of other models: "
                "model_probabilities.",
                who="compare_models",
            )
        else:
            evidence.append(model.log_evidence(x, weights))
            updated.append(model.update(x, weights))
    result = model_probabilities(evidence, prior)
    return ComparedModels(result.log_evidence, result.prior, result.posterior, tuple(updated))


def _log_evidences(values: ArrayLike, who: str) -> NDArray[np.float64]:
    evidence = np.asarray(values, dtype=float)
    if evidence.ndim != 1 or not len(evidence) or np.isnan(evidence).any() or (evidence == np.inf).any():
        raise DataError(
            f"expected a log evidence for each model, finite or minus infinity, got {values!r:.80}.", who=who
        )
    return evidence
