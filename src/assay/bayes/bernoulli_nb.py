"""Bernoulli naive Bayes: each column is a Bernoulli variable in each class."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.bayes.counts import CountBayes, FeatureSums, feature_sums
from assay.bayes.derivation import derivation, priors, rational, share
from assay.bayes.drawing import draw_classes
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.parameters import Range
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, Scalar
from assay.errors import DataError
from assay.types import Priors, RandomState

BLOCK = 1 << 18  # bytes of X that are binarised and multiplied at a time: they stay in the cache


class BernoulliNB(CountBayes):
    r"""Naive Bayes for binary columns, such as the presence of words in a text.

    Each column is yes (1) or no (0), and given the class the columns are taken to be independent:

    .. math:: \ln P(k, x) = \ln P(k) + \sum_j x_j \ln p_{kj} + (1-x_j)\ln(1-p_{kj}), \qquad
              p_{kj} = \frac{n_{kj} + \alpha}{n_k + 2\alpha}                       \quad (1)

    with :math:`n_{kj}` the rows of class k that have a 1 in column j. Absent items count too, unlike in
    :class:`MultinomialNB`. The score is linear in x, with

    .. math:: w_{kj} = \ln\frac{p_{kj}}{1-p_{kj}}, \qquad w_{k0} = \ln P(k) + \sum_j \ln(1-p_{kj})   \quad (2)

    which ``coef_`` and ``intercept_`` export; a p of 0 or 1 makes them infinite, so predictions use (1),
    where 0 ln 0 = 0.

    Cost: fit O(n d), for sparse tables O(non-zeros), in one pass; predict O(d K) a row, or its non-zeros; memory O(d
    K).

    Parameters
    ----------
    alpha : float or array of d floats, default 1
        Pseudo-count of each outcome: 1 is Laplace's rule, 0 plain relative frequencies, exactly.
    force_alpha : bool, default True
        If False, an alpha below 1e-10 is raised to that, with a warning.
    binarize : float from 0 up, or None, default 0
        Numbers above it are 1, others 0. None: X holds only 0 and 1 already.
    fit_prior : bool, default True
        Whether priors are the classes' shares of the rows; if False all classes are equally probable.
    class_prior : array of K probabilities, default None
        Priors to use instead. They are never smoothed.

    Attributes
    ----------
    feature_count_ : (K, d)      feature_log_prob_ : (K, d) ln p      class_count_ : (K,)      classes_ : (K,)
    class_log_prior_ : (K,)      coef_ : (K, d)                       intercept_ : (K,)
    alpha_ : the pseudo-count in use, one number or d

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]]
    >>> model = BernoulliNB().fit(X, [0, 0, 0, 1, 1])
    >>> np.exp(model.feature_log_prob_).round(2)
    array([[0.8 , 0.6 , 0.2 , 0.4 ],
           [0.25, 0.5 , 0.75, 0.5 ]])
    >>> model.predict_proba([[0, 1, 0, 1]]).round(6)
    array([[0.551328, 0.448672]])

    See Also
    --------
    MultinomialNB, CategoricalNB, NaiveBayes

    References
    ----------
    - McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text classification. AAAI
      Workshop on Learning for Text Categorization, 41-48.
    """

    card = Card(
        "bernoulli nb",
        "naive Bayes of yes/no columns, such as which words a text has",
        also=("bernoulli naive bayes",),
        learns=(
            "independent shares of values in each class",
            "negative log joint likelihood, smoothed",
            "counts",
            "analytic",
        ),
    )
    accepts = {**CountBayes.accepts, "binarize": Range(0) | None}
    stored = {
        "_sums": Object(FeatureSums, K="K", p="p"),
        "alpha_": Scalar() | FloatArray("p"),
        "class_count_": FloatArray("K", low=0),
        "class_log_prior_": FloatArray("K"),
        "feature_count_": FloatArray("K", "p"),
        "feature_log_prob_": FloatArray("K", "p"),
    }
    takes = frozenset({"sparse"})

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Priors | None = None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the checks' data are numbers, not yes and no
        return tags

    @property
    def coef_(self) -> np.ndarray:
        yes, no = self._logs()
        with np.errstate(invalid="ignore"):
            return yes - no  # (2)

    @property
    def intercept_(self) -> np.ndarray:
        return self.class_log_prior_ + self._logs()[1].sum(axis=1)  # (2)

    def _summarize(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> FeatureSums:
        if self.binarize is None:
            self._refuse_other_numbers(X)
        return feature_sums(X, y, w, len(self.classes_), threshold=self.binarize or 0.0)[0]

    def _solve(self, sums: FeatureSums) -> None:
        self.class_count_, self.feature_count_ = sums.class_count, sums.feature_count
        self.alpha_ = self._check_alpha()
        self.feature_log_prob_ = self._logs()[0]
        self.class_log_prior_ = self._log_prior(sums.class_count)

    def _logs(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, d) ln p and ln(1 - p); both are -ln 2 where a class has no rows and alpha is 0."""
        ones = self.feature_count_ + self.alpha_
        zeros = np.maximum(self.class_count_[:, None] - self.feature_count_, 0.0) + self.alpha_
        total = self.class_count_[:, None] + 2 * np.atleast_1d(self.alpha_)
        empty = total == 0
        if empty.any():
            ones, zeros, total = (np.where(empty, v, a) for v, a in ((1, ones), (1, zeros), (2, total)))
        with np.errstate(divide="ignore"):
            return np.log(ones) - np.log(total), np.log(zeros) - np.log(total)  # (1)

    def _log_joint(self, X: Any) -> np.ndarray:
        if self.binarize is None:
            self._refuse_other_numbers(X)
        yes, no = self._logs()
        never, always = np.isneginf(yes), np.isneginf(no)  # p = 0 and p = 1
        forbidding = never.any() or always.any()
        yes, no = np.where(never, 0.0, yes), np.where(always, 0.0, no)
        slopes, offset = np.ascontiguousarray((yes - no).T), self.class_log_prior_ + no.sum(axis=1)
        against, least = (never.astype(np.float64) - always).T, always.sum(axis=1)
        n, level = X.shape[0], self.binarize or 0.0
        out = np.empty((n, len(offset)))
        rows = max(64, BLOCK // (8 * X.shape[1])) if isinstance(X, np.ndarray) else n
        for a in range(0, n, rows):
            B = (X[a : a + rows] > level).astype(np.float64)
            out[a : a + rows] = B @ slopes + offset
            if forbidding:  # how many entries of a row have probability 0
                out[a : a + rows][(B @ against + least) > 0] = -np.inf
        return out

    def sample(self, n: int, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """n rows of zeros and ones drawn from the model, one column for each of the design's, and their classes."""
        rng = random_state_of(random_state)
        y = draw_classes(rng, np.exp(self.class_log_prior_), n, type(self).__name__)
        p = np.exp(self.feature_log_prob_)
        return (rng.uniform(size=(n, p.shape[1])) < p[y]).astype(np.float64), self.classes_[y]

    def _refuse_other_numbers(self, X: Any) -> None:
        entries = X if isinstance(X, np.ndarray) else X.data
        other = (entries != 0) & (entries != 1)
        if other.any():
            value = entries[tuple(axis[0] for axis in np.nonzero(other))]
            raise DataError(
                f"{type(self).__name__}: with binarize=None X must hold only 0 and 1, and it holds {value:g}. "
                "Give a threshold, such as binarize=0."
            )

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        block, joint = dense_block(X) > (self.binarize or 0.0), self._log_joint(X)
        alphas = [rational(alpha) for alpha in np.broadcast_to(self.alpha_, block.shape[1])]
        prior = priors(self.class_count_, self.class_prior, self.fit_prior)
        shares = [
            [share(c[j], n, alpha, 2) for c, n in zip(self.feature_count_, self.class_count_)]
            for j, alpha in enumerate(alphas)
        ]

        def sections(i: int) -> list[Section]:
            likelihoods = [
                (name, "yes" if yes else "no", p if yes else [Fraction(1) - q for q in p])
                for name, yes, p in zip(self._names, block[i], shares)
            ]
            return derivation(self.classes_, prior, likelihoods, joint[i])

        def contributions(some: np.ndarray) -> Contributions:
            yes, no = self._logs()
            return self._joint_contributions(np.where(block[some][:, :, None], yes.T, no.T), joint[some])

        return Reasons(sections, contributions)
