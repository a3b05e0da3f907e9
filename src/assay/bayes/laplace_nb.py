"""Laplace Bayes: densities that fall off with the Manhattan distance from the median."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.drawing import draw_classes
from assay.bayes.gaussian_classifier import class_priors, log_of
from assay.core import Card, Generative
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Array, Choice, Range
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.stats.estimators.weighted_quantile import weighted_quantile
from assay.types import Priors, RandomState

__all__ = ["LaplaceNB"]


class LaplaceNB(Generative):
    r"""Naive Bayes with Laplace densities: medians and absolute deviations instead of means and squares.

    .. math:: p(x \mid k) = \prod_j \frac1{2 b_{kj}} \exp\left(-\frac{|x_j - \mu_{kj}|}{b_{kj}}\right) \quad (1)

    The likelihood is largest at the median :math:`\mu_{kj}` of each column in each class (of an even number of rows
    halfway between the middle two), and at the mean absolute deviation from it,

    .. math:: b_{kj} = \frac1{n_k} \sum_{i \in k} |x_{ij} - \mu_{kj}| \quad (2)

    With ``scale="unit"`` all b are 1, and the answer is :math:`\arg\max_k \ln\pi_k - \lVert x - \mu_k \rVert_1`, the
    nearest median with priors. Compared with Gaussians, one row far away moves the median
    hardly and costs its class less.

    Cost: fit O(n d log n), for the medians; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    priors : (K,) probabilities, default None
        None takes the class shares.
    scale : "class", "shared" or "unit", default "class"
        A b for each class and column (2), for each column over all classes, or 1.
    var_smoothing : float, default 1e-9
        The least b, as a share of the largest mean absolute deviation of a column from its median.

    Attributes
    ----------
    medians_ : (K, d)      scales_ : (K, d)      class_prior_ : (K,)      class_count_ : (K,)

    Examples
    --------
    >>> from assay.bayes import LaplaceNB
    >>> model = LaplaceNB(scale="unit").fit([[0.0], [1.0], [9.0], [4.0], [5.0]], list("aaabb"))
    >>> model.medians_.ravel(), model.predict([[2.0], [3.0]])
    (array([1. , 4.5]), array(['a', 'b'], dtype='<U1'))

    See Also
    --------
    GaussianNB, NaiveBayes

    References
    ----------
    - John, G. H. and Langley, P. (1995). Estimating continuous distributions in Bayesian classifiers. Uncertainty
      in Artificial Intelligence, 338-345.
    """

    card = Card(
        "laplace nb",
        "naive Bayes of numbers with medians and absolute deviations",
        also=("laplace naive bayes",),
        learns=(
            "independent Laplace densities of each class",
            "negative log joint likelihood",
            "medians and mean distances",
            "analytic",
        ),
    )
    accepts = {
        "priors": Array(1, low=0) | None,
        "scale": Choice("class", "shared", "unit"),
        "var_smoothing": Range(0),
    }
    stored = {
        "class_count_": FloatArray("K", low=0),
        "class_prior_": FloatArray("K", low=0),
        "medians_": FloatArray("K", "p"),
        "scales_": FloatArray("K", "p"),
    }

    def __init__(self, priors: Priors | None = None, *, scale: str = "class", var_smoothing: float = 1e-9):
        self.priors = priors
        self.scale = scale
        self.var_smoothing = var_smoothing

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        weights = np.ones(len(y)) if w is None else w
        self.class_count_ = np.bincount(y, weights=weights, minlength=K)
        self.class_prior_ = class_priors(type(self).__name__, self.priors, self.class_count_, self.classes_)
        self.medians_ = np.array([weighted_quantile(X[y == k], weights[y == k]) for k in range(K)])
        apart = np.abs(X - self.medians_[y]) * weights[:, None]
        sums = np.array([apart[y == k].sum(axis=0) for k in range(K)])
        whole = np.abs(X - weighted_quantile(X, weights)) * weights[:, None]
        least = self.var_smoothing * float(whole.sum(axis=0).max()) / weights.sum()
        least = least if least > 0 else max(self.var_smoothing, 1e-300)
        if self.scale == "unit":
            self.scales_ = np.ones_like(sums)
        elif self.scale == "shared":
            self.scales_ = np.tile(np.maximum(sums.sum(axis=0) / weights.sum(), least), (K, 1))
        else:
            counts = np.where(self.class_count_ > 0, self.class_count_, 1.0)
            self.scales_ = np.maximum(sums / counts[:, None], least)  # (2)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        out = np.empty((len(X), len(self.classes_)))
        for k, (median, b) in enumerate(zip(self.medians_, self.scales_)):
            out[:, k] = -np.sum(np.abs(X - median) / b, axis=1) - np.log(2 * b).sum()  # (1)
        return out + log_of(self.class_prior_)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """(n_samples, d) rows drawn from the model, and (n_samples,) their classes."""
        self._ready()
        rng = random_state_of(random_state)
        y = draw_classes(rng, self.class_prior_, n_samples, type(self).__name__)
        return rng.laplace(self.medians_[y], self.scales_[y]), self.classes_[y]

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        labels, joint = [str(label) for label in self.classes_], self._log_joint(X)

        def terms(some: Any) -> np.ndarray:
            return -np.abs(X[some][..., None] - self.medians_.T) / self.scales_.T - np.log(2 * self.scales_.T)

        def sections(i: int) -> list[Section]:
            lines = [["log prior", "", *map(float, log_of(self.class_prior_))]]
            lines += [[name, float(v), *map(float, t)] for name, v, t in zip(self._names, X[i], terms(i))]
            lines.append(["sum", "", *map(float, joint[i])])
            return [Section("Log density, column by column", ["term", "value", *labels], lines)]

        return Reasons(sections, lambda some: self._joint_contributions(terms(some), joint[some]))
