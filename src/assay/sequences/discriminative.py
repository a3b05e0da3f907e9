"""Discriminative training of the models of all classes together: the posterior of the right class is maximised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from assay.errors import ParameterError
from assay.optimize.lbfgs import lbfgs
from assay.optimize.objective import Objective, Optimum
from assay.sequences.categorical_hmm import CategoricalHMM
from assay.sequences.gaussian_hmm import GaussianHMM
from assay.sequences.sequences import Sequences

__all__ = ["PosteriorLoss", "train_discriminatively"]


class PosteriorLoss:
    r"""Minus the conditional log likelihood of the classes of sequences, as a function of the models' parameters.

    .. math:: E(\theta) = -\sum_s \log P(c_s \mid O_s) + \tfrac{\alpha}{2} \|\theta - \theta_0\|^2,\qquad
              \frac{\partial E}{\partial \theta_k} =
              \sum_s \big(P(k \mid O_s) - 1(c_s = k)\big) \nabla \log p_k(O_s) + \dots \quad (1)

    Probabilities are softmaxes of free numbers (zeros stay zeros), deviations exponentials. The gradients of the models
    are expected counts, from the passes of Baum-Welch with the weights of (1), which may be negative.

    Parameters
    ----------
    models : fitted CategoricalHMM, or GaussianHMM with covariance_type "diag", one for each class
    X : Sequences      codes : (S,) classes      log_priors : (c,)      alpha : pull towards where it starts
    """

    def __init__(
        self, models: list[Any], X: Sequences, codes: np.ndarray, log_priors: np.ndarray, alpha: float
    ):
        for model in models:
            if not (
                isinstance(model, CategoricalHMM)
                or (isinstance(model, GaussianHMM) and model.covariance_type == "diag")
            ):
                raise ParameterError(
                    'discriminative training takes CategoricalHMM or GaussianHMM with covariance_type "diag", got '
                    f"{type(model).__name__}.",
                    who="SequenceClassifier",
                )
        self.models, self.X, self.codes, self.log_priors, self.alpha = models, X, codes, log_priors, alpha
        self.start = np.concatenate([self._numbers(model) for model in models])

    def _numbers(self, model: Any) -> np.ndarray:
        """The free numbers of a model."""
        tables = [np.asarray(model.startprob_), np.asarray(model.transmat_)]
        if isinstance(model, CategoricalHMM):
            tables.append(np.asarray(model.emissionprob_))
            numbers: list[np.ndarray] = []
        else:
            numbers = [np.ravel(model.means_), 0.5 * np.log(np.ravel(model._covars_))]
        return np.concatenate([np.log(t[t > 0]) for t in tables] + numbers)

    def adopt(self, theta: np.ndarray) -> None:
        """Give the models these numbers."""
        at = 0

        def take(count: int) -> np.ndarray:
            nonlocal at
            at += count
            return theta[at - count : at]

        for model in self.models:
            names = ["startprob_", "transmat_"] + (
                ["emissionprob_"] if isinstance(model, CategoricalHMM) else []
            )
            for name in names:
                setattr(model, name, _softmax(np.asarray(getattr(model, name)), take))
            if isinstance(model, GaussianHMM):
                shape = np.shape(model.means_)
                model.means_ = take(int(np.prod(shape))).reshape(shape).copy()
                model._covars_ = np.exp(2 * take(int(np.prod(shape)))).reshape(shape)

    def value_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """E and its gradient (1)."""
        self.adopt(theta)
        X, pull = self.X, theta - self.start
        frames = [model._frames(model.family_, X) for model in self.models]
        chains = [model._chain(X) for model in self.models]
        logs = [chain.filter(f, X.offsets).log_likelihoods for chain, f in zip(chains, frames)]
        joint = np.column_stack(logs) + self.log_priors
        total = np.logaddexp.reduce(joint, axis=1)
        right = joint[np.arange(len(X)), self.codes]
        value = float(np.sum(total - right)) + 0.5 * self.alpha * float(pull @ pull)
        posterior = np.exp(joint - total[:, None])
        posterior[np.arange(len(X)), self.codes] -= 1
        parts = [
            self._gradient(model, chain.expect(f, X.offsets, posterior[:, k]))
            for k, (model, chain, f) in enumerate(zip(self.models, chains, frames))
        ]
        return value, np.concatenate(parts) + self.alpha * pull

    def _gradient(self, model: Any, expected: Any) -> np.ndarray:
        """The weighted gradient of a model's log likelihoods, from expected counts."""
        family = model.family_
        sums = family.sums(self.X.values, expected.gamma_padded)
        counts = [(expected.start, model.startprob_), (expected.transitions, model.transmat_)]
        numbers: list[np.ndarray] = []
        if isinstance(model, CategoricalHMM):
            counts.append((sums["symbols"], model.emissionprob_))
        else:
            numbers = [
                np.ravel(sums["first"] / model._covars_),
                np.ravel(sums["second"] / model._covars_ - sums["counts"]),
            ]
        tables = []
        for count, p in counts:
            p = np.asarray(p)
            tables.append((count - p * count.sum(axis=-1, keepdims=True))[p > 0])
        return np.concatenate(tables + numbers)


def _softmax(table: np.ndarray, take: Callable[[int], np.ndarray]) -> np.ndarray:
    """Rows of probabilities from free numbers, zeros where the table has zeros."""
    logs = np.full(table.shape, -np.inf)
    logs[table > 0] = take(int((table > 0).sum()))
    logs -= logs.max(axis=-1, keepdims=True)
    p = np.exp(logs)
    return p / p.sum(axis=-1, keepdims=True)


def train_discriminatively(
    models: list[Any], X: Sequences, codes: np.ndarray, log_priors: np.ndarray, alpha: float, max_iter: int
) -> Optimum:
    """Move fitted models to where the posterior of the right classes is largest."""
    loss = PosteriorLoss(models, X, codes, log_priors, alpha)
    best = lbfgs(cast(Objective, loss), loss.start, tol=1e-5 * max(1, len(X)), max_iter=max_iter)
    loss.adopt(best.w)
    return best
