"""Gaussian naive Bayes: each column is Gaussian in each class."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.bayes._gaussian_nb as _gaussian_nb
from assay.bayes.gaussian_classifier import GaussianClassifier, by_rows, check_overflow, class_priors, log_of
from assay.core import Card
from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Range, Simplex
from assay.core.stored import FloatArray, Object, Scalar
from assay.errors import DegenerateError, DegenerateWarning, warn_user
from assay.types import Priors

_TINY = np.finfo(np.float64).tiny


class GaussianNB(GaussianClassifier):
    r"""Naive Bayes with Gaussian columns that are independent within a class.

    .. math:: \ln P(x, k) = \ln\pi_k - \tfrac12\sum_j\left[\ln 2\pi\sigma_{kj}^2
                            + \frac{(x_j-\mu_{kj})^2}{\sigma_{kj}^2}\right]          \quad (1)

    with the class shares as priors, and means and variances by maximum likelihood (divisor: the weight of
    the class). To every variance a little is added, so that a column which hardly varies in a class cannot
    dominate all others:

    .. math:: \sigma_{kj}^2 = \frac1{n_k}\sum_{y_i=k} (x_{ij}-\mu_{kj})^2 + \varepsilon,\qquad
              \varepsilon = \text{var\_smoothing}\cdot\max_j \mathrm{Var}(x_j)       \quad (2)

    The variance in :math:`\varepsilon` is over all rows, without weights. Quick, hard to overfit, and often
    right about the class even where the columns do depend on each other; its probabilities are then
    overconfident. A drop-in for scikit-learn's class of this name; other than there, rows that come by
    ``partial_fit`` give the same :math:`\varepsilon` as all rows at once.

    What happens when there is too little to learn from: a class without weight gets prior 0 and is never
    predicted (with ``priors`` given it is an error); a variance of 0, when ``var_smoothing=0``, is a
    ``DegenerateError`` that names the column; when all columns are constant the posterior is the prior, with a
    ``DegenerateWarning``. A row so far from every class that all densities underflow gets the prior, with a
    warning. One class alone is always the answer.

    Cost: fit O(n d) in one pass; predict O(d K) a row; memory O(d K).

    Parameters
    ----------
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares of the training rows.
    var_smoothing : float, default 1e-9
        The share of the largest variance that is added to all; 0 is plain maximum likelihood.

    Attributes
    ----------
    theta_ : (K, d) means      var_ : (K, d) variances, (2)      epsilon_ : float
    class_count_ : (K,) total weights      class_prior_ : (K,)      classes_ : (K,)

    Examples
    --------
    Both variances 1, so the log odds are 4 (x - 3):

    >>> from assay.bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[3.0], [3.25]]).round(4)
    array([[0.5   , 0.5   ],
           [0.2689, 0.7311]])
    >>> print(model.explain([[3.25]]))
    GaussianNB answers b (probability 0.7311)
    for the row x0 = 3.25
    <BLANKLINE>
    log P(x, class), term by term
      term       value        a        b
      log prior         -0.6931  -0.6931
      x0         3.25     -3.45    -2.45
      sum                -4.143   -3.143
    <BLANKLINE>
    Evidence
      quantity  value
      log p(x)  -2.83
    <BLANKLINE>
    Log odds of b against a
      term       log odds
      log prior         0
      x0                1
      sum               1
      Positive speaks for b, negative for a.
    <BLANKLINE>
    Posterior
      a  0.2689
      b  0.7311

    See Also
    --------
    NaiveBayes, SharedDiagonalNB, LaplaceNB, QuadraticDiscriminantAnalysis

    References
    ----------
    - Domingos, P. and Pazzani, M. (1997). On the optimality of the simple Bayesian classifier under zero-one loss.
      Machine Learning 29, 103-130. doi:10.1023/A:1007413511361
    - Chan, T. F., Golub, G. H. and LeVeque, R. J. (1982). Updating formulae and a pairwise algorithm for computing
      sample variances. COMPSTAT, 30-41.
    """

    card = Card(
        "gaussian nb",
        "naive Bayes of numbers, Gaussian within each class",
        also=("gaussian naive bayes",),
        learns=(
            "independent Gaussians of each class",
            "negative log joint likelihood",
            "moments",
            "analytic",
        ),
    )
    accepts = {"priors": Simplex() | None, "var_smoothing": Range(0)}
    stored = {
        "_sums": Object(ClassMoments, K="K", d="p"),
        "class_count_": FloatArray("K", low=0),
        "class_prior_": FloatArray("K", low=0),
        "epsilon_": Scalar(),
        "theta_": FloatArray("K", "p"),
        "var_": FloatArray("K", "p"),
    }

    def __init__(self, *, priors: Priors | None = None, var_smoothing: float = 1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassMoments:
        return class_moments(X, y, w, len(self.classes_))

    def _solve(self, sums: ClassMoments) -> None:
        who = type(self).__name__
        check_overflow(who, sums.mean, sums.scatter)
        self.class_count_ = sums.count
        self.class_prior_ = class_priors(who, self.priors, sums.count, self.classes_)
        self.theta_ = sums.mean
        rows = self._all_rows(sums)
        self.epsilon_ = self.var_smoothing * float((rows.scatter / rows.observed).max())
        self.var_ = self._positive(self._variances(sums) + self.epsilon_, sums)  # (2)

    def _all_rows(self, sums: ClassMoments) -> ClassMoments:
        return sums.unweighted()

    def _variances(self, sums: ClassMoments) -> np.ndarray:
        return sums.scatter / np.where(sums.count > 0, sums.count, 1.0)[:, None]

    def _positive(self, var: np.ndarray, sums: ClassMoments) -> np.ndarray:
        """The variances, if all are above zero in the classes that have rows."""
        present = sums.count > 0
        flat = var < _TINY
        if not flat[present].any():
            return np.where(flat, 1.0, var) if flat.any() else var
        who = type(self).__name__
        if (var[present] < _TINY).all() and np.ptp(sums.mean[present], axis=0).max() == 0:
            warn_user(
                f"{who}: every column is constant, so the rows say nothing about the classes; the posterior is the "
                "prior.",
                DegenerateWarning,
            )
            return np.ones_like(var)
        k, j = np.argwhere(flat & present[:, None])[0]
        raise DegenerateError(
            f"{who}: column {self._names[j]} has variance 0 in class {self.classes_[k]}, so it has no density there. "
            "Raise var_smoothing or drop the column."
        )

    def _log_joint(self, X: Any) -> np.ndarray:
        precision = 1.0 / self.var_
        offset = log_of(self.class_prior_) - 0.5 * np.log(2 * np.pi * self.var_).sum(axis=1)

        def score(block: np.ndarray, out: np.ndarray) -> None:
            _gaussian_nb.log_joint(np.ascontiguousarray(block), self.theta_, precision, offset, out)  # (1)

        return by_rows(score, X, len(offset))

    @property
    def _means(self) -> np.ndarray:
        return self.theta_

    def _terms(self, x: np.ndarray) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
        density = -0.5 * (np.log(2 * np.pi * self.var_) + (x - self.theta_) ** 2 / self.var_)
        return [("log prior", log_of(self.class_prior_))], density.T

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        precision = 1.0 / self.var_
        W = -0.5 * precision[:, :, None] * np.eye(precision.shape[1])
        w0 = -0.5 * (self.theta_**2 * precision + np.log(self.var_)).sum(axis=1) + log_of(self.class_prior_)
        return W, self.theta_ * precision, w0

    def _deviations(self, k: int, noise: np.ndarray) -> np.ndarray:
        return noise * np.sqrt(self.var_[k])
