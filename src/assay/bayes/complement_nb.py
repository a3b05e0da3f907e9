"""Complement naive Bayes: each class is scored by the counts of the other classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.bayes.counts import CountBayes, FeatureSums, FrequencyBayes
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.parameters import Flag
from assay.core.stored import FloatArray, Object
from assay.types import Priors


class ComplementNB(FrequencyBayes):
    r"""Classify counts by how badly each class's complement, the rows of all others, explains them.

    :class:`MultinomialNB` estimates a rare class from few rows. Its complement has many, and all complements
    have about equally many, so their frequencies are steadier (Rennie, Shih, Teevan and Karger 2003):

    .. math:: \theta_{kj} = \frac{\alpha + \sum_{l \ne k} n_{lj}}{\alpha d + \sum_{l \ne k}\sum_i n_{li}},
              \qquad s_k(x) = \sum_j x_j w_{kj}, \qquad w_{kj} = -\ln\theta_{kj}           \quad (1)

    with :math:`n_{lj}` the sum of column j over the rows of class l. With ``norm`` the weights of each class
    are divided by their sum. The class with the highest score wins; ``predict_proba`` is the softmax of
    the scores, as in scikit-learn, and is no posterior in the strict sense: calibrate it before use.
    Priors enter only when there is a single class.

    With alpha = 0 a thing that only class k has weighs infinitely much for k. Then the class with most
    of such things wins, and among equals the finite part of the score decides: the limit for small alpha.

    Cost: fit O(n d), for sparse tables O(non-zeros), in one pass; predict O(d K) a row, or its non-zeros; memory O(d
    K).

    Parameters
    ----------
    alpha : float or array of d floats, default 1
        Pseudo-count of each column.
    force_alpha : bool, default True
        If False, an alpha below 1e-10 is raised to that, with a warning.
    fit_prior, class_prior : default True, None
        As in MultinomialNB; they set ``class_log_prior_``, which the scores of two or more classes ignore.
    norm : bool, default False
        Whether to divide each class's weights by their sum.

    Attributes
    ----------
    feature_count_ : (K, d)      feature_all_ : (d,) their sum over classes      class_count_ : (K,)
    feature_log_prob_ : (K, d) the weights w      class_log_prior_ : (K,)      classes_ : (K,)

    Examples
    --------
    >>> X = [[2, 0, 1], [3, 0, 0], [1, 0, 1], [0, 2, 1]]
    >>> model = ComplementNB().fit(X, ["sport", "sport", "sport", "music"])
    >>> np.exp(-model.feature_log_prob_).round(4)  # the complements' frequencies
    array([[0.6364, 0.0909, 0.2727],
           [0.1667, 0.5   , 0.3333]])
    >>> model.predict([[0, 1, 1], [1, 0, 1]])
    array(['music', 'sport'], dtype='<U5')

    See Also
    --------
    MultinomialNB, BernoulliNB

    References
    ----------
    - Rennie, J. D. M., Shih, L., Teevan, J. and Karger, D. R. (2003). Tackling the poor assumptions of naive Bayes
      text classifiers. International Conference on Machine Learning, 616-623.
    """

    card = Card(
        "complement nb",
        "naive Bayes of counts, from the rows of all other classes",
        also=("complement naive bayes",),
        learns=(
            "weights by the words of all other classes",
            "negative log likelihood of the complement, smoothed",
            "counts",
            "analytic",
        ),
    )
    accepts = {**CountBayes.accepts, "norm": Flag()}
    stored = {
        "_sums": Object(FeatureSums, K="K", p="p"),
        "class_count_": FloatArray("K", low=0),
        "class_log_prior_": FloatArray("K"),
        "feature_count_": FloatArray("K", "p"),
        "feature_log_prob_": FloatArray("K", "p"),
        "feature_all_": FloatArray("p"),
    }

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Priors | None = None,
        norm: bool = False,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _solve(self, sums: FeatureSums) -> None:
        self.class_count_, self.feature_count_ = sums.class_count, sums.feature_count
        self.feature_all_ = sums.feature_count.sum(axis=0)
        others = np.maximum(self.feature_all_ - sums.feature_count, 0.0) + self._check_alpha()
        others = np.where(others.any(axis=1, keepdims=True), others, 1.0)  # an empty complement: all alike
        with np.errstate(divide="ignore"):
            weights = -np.log(others / others.sum(axis=1, keepdims=True))  # (1)
        self.feature_log_prob_ = _normed(weights) if self.norm else weights
        self.class_log_prior_ = self._log_prior(sums.class_count)

    def _log_joint(self, X: Any) -> np.ndarray:
        decisive = np.isposinf(self.feature_log_prob_)
        score = X @ np.where(decisive, 0.0, self.feature_log_prob_).T
        if decisive.any():
            votes = X @ decisive.T.astype(np.float64)
            score = np.where(votes == votes.max(axis=1, keepdims=True), score, -np.inf)
        return score + self.class_log_prior_ if len(self.classes_) == 1 else score

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        block, scores = dense_block(X), self._log_joint(X)
        names = [str(label) for label in self.classes_]

        def sections(i: int) -> list[Section]:
            x, weights = block[i], self.feature_log_prob_
            present = np.flatnonzero(x)
            reach = np.ptp(weights[:, present], axis=0) * x[present] if present.size else present
            some = present[np.argsort(-reach, kind="stable")[:16]]
            lines = [[self._names[j], float(x[j]), *(x[j] * weights[:, j]).tolist()] for j in some]
            lines.append(["score", "", *scores[i].tolist()])
            left = len(present) - len(some)
            more = f" {left} more columns are not shown." if left else ""
            note = "A weight is minus the log frequency in the other classes; the highest score wins." + more
            return [Section("Value times weight", ["column", "value", *names], lines, note)]

        def contributions(some: np.ndarray) -> Contributions | None:
            if not np.isfinite(self.feature_log_prob_).all():
                return None  # words that only the other classes lack decide by their number
            values = block[some][:, :, None] * self.feature_log_prob_.T
            outputs = [f"the score of {name}" for name in names]
            return self._contributions(values, np.zeros(len(names)), outputs, np.argmax(scores[some], axis=1))

        return Reasons(sections, contributions)


def _normed(weights: np.ndarray) -> np.ndarray:
    """Weights divided by their sum; infinite ones share all of it."""
    decisive = np.isposinf(weights)
    weights = np.where(decisive.any(axis=1, keepdims=True), decisive.astype(np.float64), weights)
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)
