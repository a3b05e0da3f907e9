"""The Fisher kernel: how two rows would change the parameters of a generative model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.core.stored import Each, FloatArray, Object, Text
from assay.errors import ParameterError
from assay.kernels.explicit_kernel import ExplicitKernel
from assay.stats.distributions.bernoulli import Bernoulli
from assay.stats.distributions.density import Density
from assay.stats.distributions.gaussian import Gaussian
from assay.stats.distributions.multivariate_gaussian import MultivariateGaussian
from assay.types import TableLike

__all__ = ["FisherKernel", "Scores", "fisher_scores"]

INFORMATION = ("model", "empirical", "identity")


@dataclass(frozen=True, eq=False)
class FisherKernel(ExplicitKernel):
    r"""Rows are alike if they pull the parameters of a generative model in the same direction.

    .. math:: K(a, b) = U_a^T I^{-1} U_b, \qquad U_x = \nabla_\theta \ln p(x \mid \theta) \quad (1)

    at the fitted parameters, with the Fisher information I. Models are ours: `assay.stats` has ``Gaussian``,
    ``MultivariateGaussian`` and ``Bernoulli``; ``GaussianNB``, ``BernoulliNB`` and ``MultinomialNB`` are mixtures with
    one component for each class, whose scores are weighted by the posterior of the class. Any other model may have a
    method ``fisher_scores(X)`` that gives (n, p) gradients.

    Cost: O(p) a row for p parameters; "empirical" once O(n p^2 + p^3).

    Parameters
    ----------
    model : fitted generative model
    groups : tuple of "means", "variances", "probabilities", "weights", default None
        The parameters whose gradients count, if the model has them; None takes all.
    information : "model", "empirical" or "identity", default "model"
        "model" is known in closed form (of a mixture the part of each component, as if the class of a row were known);
        "empirical" the mean of :math:`UU^T` over the training rows, which ``learn`` takes; "identity" leaves I out.

    Examples
    --------
    >>> from assay.kernels import FisherKernel
    >>> from assay.stats import Gaussian
    >>> FisherKernel(Gaussian(1.0, 4.0), groups=("means",))([[3.0]], [[5.0]])  # (3 - 1)(5 - 1) / 4
    array([[2.]])

    See Also
    --------
    ProbabilityProduct

    References
    ----------
    - Jaakkola, T. and Haussler, D. (1999). Exploiting generative models in discriminative classifiers. Advances in
      Neural Information Processing Systems 11.
    - Perronnin, F. and Dance, C. (2007). Fisher kernels on visual vocabularies for image categorization. IEEE
      Conference on Computer Vision and Pattern Recognition. doi:10.1109/CVPR.2007.383266
    """

    model: Any
    groups: Sequence[str] | None = None
    information: str = "model"
    whitening_: np.ndarray | None = None
    stored = {
        "model": Object("sklearn.base.BaseEstimator", Density),
        "groups": Each(Text()) | None,
        "information": Text(*INFORMATION),
        "whitening_": FloatArray("*", "*", finite=True) | None,
    }

    def __post_init__(self) -> None:
        if self.information not in INFORMATION:
            raise ParameterError(
                f"FisherKernel: information must be one of {INFORMATION}, got {self.information!r}."
            )

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> FisherKernel:
        if self.information != "empirical":
            return self
        raw = self._scores(X, 1)
        values, vectors = np.linalg.eigh(raw.T @ raw / len(raw))
        kept = values > max(values[-1], 0.0) * len(values) * np.finfo(np.float64).eps
        return replace(self, whitening_=vectors[:, kept] / np.sqrt(values[kept]))

    def feature_map(self, X: TableLike) -> np.ndarray:
        if self.information == "model":
            return self._scores(X, 2)
        raw = self._scores(X, 1)
        if self.information == "identity":
            return raw
        if self.whitening_ is None:
            raise ParameterError(
                "FisherKernel: information='empirical' is taken from training rows: learn(X) first."
            )
        return raw @ self.whitening_

    def _scores(self, X: Any, which: int) -> np.ndarray:
        """The gradients (1), or (2) times the inverse root of the information."""
        scores = fisher_scores(self.model, X)
        asked = None if self.groups is None else set(self.groups)
        chosen = [group for group in scores if asked is None or group.name in asked]
        if not chosen or (asked or set()) - {group.name for group in scores}:
            raise ParameterError(
                f"FisherKernel: groups must be of {[group.name for group in scores]}, got {self.groups!r}."
            )
        return np.hstack([group[which] for group in chosen])


class Scores(NamedTuple):
    """The gradients of log p by one group of parameters, and the same times the inverse root of the information.

    Attributes
    ----------
    name : str      gradient : (n, p)      whitened : (n, p)
    """

    name: str
    gradient: np.ndarray
    whitened: np.ndarray


def fisher_scores(model: Any, X: Any) -> list[Scores]:
    """The gradients of log p(x) by the parameters of a model, one group of parameters after the other.

    >>> from assay.kernels.structures.fisher_kernel import fisher_scores
    >>> from assay.stats import Bernoulli
    >>> fisher_scores(Bernoulli(0.2), [[1.0]])[0].gradient.round(6)  # (1 - 0.2) / (0.2 * 0.8)
    array([[5.]])
    """
    if hasattr(model, "fisher_scores"):
        gradient = np.asarray(model.fisher_scores(X), dtype=np.float64)
        return [Scores("parameters", gradient, gradient)]
    if hasattr(model, "classes_") and hasattr(model, "_posterior"):
        values = model._admit(X)
        return _of_mixture(model, values.toarray() if hasattr(values, "toarray") else np.asarray(values))
    X = np.asarray(X, dtype=np.float64)
    if isinstance(model, (Gaussian, MultivariateGaussian)):
        spread: Any = model.var if isinstance(model, Gaussian) else model.cov
        mean, cov = np.atleast_1d(np.asarray(model.mean, float)), np.atleast_2d(np.asarray(spread, float))
        return _of_gaussian(X.reshape(len(X), -1), mean, cov)
    if isinstance(model, Bernoulli):
        p, x = np.clip(model.p, 1e-12, 1 - 1e-12), X.reshape(len(X), -1)
        return [Scores("probabilities", (x - p) / (p * (1 - p)), (x - p) / np.sqrt(p * (1 - p)))]
    raise ParameterError(
        "FisherKernel: model must be a fitted Gaussian, MultivariateGaussian, Bernoulli, GaussianNB, BernoulliNB or "
        f"MultinomialNB, or have fisher_scores(X), got {type(model).__name__}."
    )


def _of_gaussian(X: np.ndarray, mean: np.ndarray, cov: np.ndarray) -> list[Scores]:
    n, d = X.shape
    root = np.linalg.cholesky(cov)
    z = np.linalg.solve(root, (X - mean).T).T  # of mean 0 and covariance I
    white = (z[:, :, None] * z[:, None, :] - np.eye(d)) / np.sqrt(2)
    back = np.linalg.inv(root)  # the gradient by cov is back' (zz' - I) back / 2
    slope = np.einsum("ai,nab,bj->nij", back, white, back) / np.sqrt(2)
    return [Scores("means", z @ back, z), Scores("variances", slope.reshape(n, -1), white.reshape(n, -1))]


def _of_mixture(model: Any, X: np.ndarray) -> list[Scores]:
    """Naive Bayes: component k counts as far as the row may be of class k."""
    n, r = len(X), model._posterior(X)
    prior = (
        np.exp(model.class_log_prior_)
        if hasattr(model, "class_log_prior_")
        else np.asarray(model.class_prior_)
    )
    prior = np.maximum(prior, 1e-300)
    root = np.sqrt(prior)
    groups = [Scores("weights", r / prior - 1.0, (r - prior) / root)]

    def add(name: str, slope: np.ndarray, unit: np.ndarray) -> None:
        """(n, K, d) gradients of log p(x | k), and those of unit variance."""
        groups.append(
            Scores(
                name,
                (r[:, :, None] * slope).reshape(n, -1),
                (r[:, :, None] * unit / root[:, None]).reshape(n, -1),
            )
        )

    if hasattr(model, "theta_") and hasattr(model, "var_"):
        off, var = X[:, None, :] - model.theta_, model.var_
        add("means", off / var, off / np.sqrt(var))
        add("variances", (off**2 - var) / (2 * var**2), (off**2 / var - 1) / np.sqrt(2))
        return groups
    if hasattr(model, "binarize") and hasattr(model, "feature_log_prob_"):
        p, x = (
            np.exp(model.feature_log_prob_),
            X if model.binarize is None else (model.binarize < X).astype(float),
        )
        off = x[:, None, :] - p
        add("probabilities", off / (p * (1 - p)), off / np.sqrt(p * (1 - p)))
        return groups
    if hasattr(
        model, "feature_log_prob_"
    ):  # counts of words; the gradient by the logits of their probabilities
        p = np.exp(model.feature_log_prob_)
        off = X[:, None, :] - X.sum(axis=1)[:, None, None] * p
        add("probabilities", off, off / np.sqrt(p))
        return groups
    raise ParameterError(f"FisherKernel: the gradients of {type(model).__name__} are not known here.")
