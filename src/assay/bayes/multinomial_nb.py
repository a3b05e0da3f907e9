"""Multinomial naive Bayes: counts of items drawn with class-specific probabilities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.bayes.counts import FeatureSums, FrequencyBayes, weigh
from assay.bayes.derivation import Number, derivation, priors, rational, whole
from assay.bayes.drawing import draw_classes
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object
from assay.types import Priors, RandomState

MAX_EXACT_POWER = 64  # fractions to a higher power are shown as decimals


class MultinomialNB(FrequencyBayes):
    r"""Naive Bayes for counts, such as word counts of a text.

    A row holds multinomial counts of d items. Their total and order do not
    depend on the class, so they cancel, and

    .. math:: \ln P(k, x) = \ln P(k) + \sum_j x_j \ln\theta_{kj} + \text{const}, \qquad
              \theta_{kj} = \frac{n_{kj} + \alpha}{\sum_l n_{kl} + \alpha d}       \quad (1)

    with :math:`n_{kj}` the sum of column j over the rows of class k. Absent items do not count, unlike in
    :class:`BernoulliNB`; in :class:`CategoricalNB` each column has a distribution of its own. Fractions such as
    tf-idf weights are taken as counts.

    Cost: fit O(n d), for sparse tables O(non-zeros), in one pass; predict O(d K) a row, or its non-zeros; memory O(d
    K).

    Parameters
    ----------
    alpha : float or array of d floats, default 1
        Pseudo-count of each column: 1 is Laplace's rule, 0 plain relative frequencies, exactly.
    force_alpha : bool, default True
        If False, an alpha below 1e-10 is raised to that, with a warning.
    fit_prior : bool, default True
        Whether priors are the classes' shares of the rows; if False all classes are equally probable.
    class_prior : array of K probabilities, default None
        Priors to use instead. They are never smoothed.

    Attributes
    ----------
    feature_count_ : (K, d)      feature_log_prob_ : (K, d)      class_count_ : (K,)
    class_log_prior_ : (K,)      classes_ : (K,)

    Examples
    --------
    Two kinds of texts over two words; with alpha = 1 the frequencies are 3/4, 1/4 and 1/4, 3/4:

    >>> model = MultinomialNB().fit([[2, 0], [0, 2]], ["a", "b"])
    >>> model.predict_proba([[2, 1], [1, 1]])
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])

    See Also
    --------
    ComplementNB, BernoulliNB

    References
    ----------
    - McCallum, A. and Nigam, K. (1998). A comparison of event models for naive Bayes text classification. AAAI
      Workshop on Learning for Text Categorization, 41-48.
    """

    card = Card(
        "multinomial nb",
        "naive Bayes of counts, such as the words of a text",
        also=("multinomial naive bayes",),
        learns=(
            "a distribution of words in each class",
            "negative log joint likelihood, smoothed",
            "counts",
            "analytic",
        ),
    )
    stored = {
        "_sums": Object(FeatureSums, K="K", p="p"),
        "class_count_": FloatArray("K", low=0),
        "class_log_prior_": FloatArray("K"),
        "feature_count_": FloatArray("K", "p"),
        "feature_log_prob_": FloatArray("K", "p"),
    }

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Priors | None = None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _solve(self, sums: FeatureSums) -> None:
        self.class_count_, self.feature_count_ = sums.class_count, sums.feature_count
        counts = sums.feature_count + self._check_alpha()
        total = counts.sum(axis=1, keepdims=True)
        counts = np.where(total > 0, counts, 1.0)  # nothing seen and alpha 0: all columns alike
        with np.errstate(divide="ignore"):
            self.feature_log_prob_ = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True))  # (1)
        self.class_log_prior_ = self._log_prior(sums.class_count)

    def _log_joint(self, X: Any) -> np.ndarray:
        joint = weigh(X, self.feature_log_prob_)
        joint += self.class_log_prior_
        return joint

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None, length: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(n_samples, d) counts drawn from the model, and (n_samples,) their classes.

        Parameters
        ----------
        length : sum of the counts of a row; None is the mean of the class's training rows
        """
        self._ready()
        rng = random_state_of(random_state)
        y = draw_classes(rng, np.exp(self.class_log_prior_), n_samples, type(self).__name__)
        shares = np.exp(self.feature_log_prob_)
        usual = np.rint(self.feature_count_.sum(axis=1) / np.maximum(self.class_count_, 1e-300)).astype(
            np.int64
        )
        sizes = usual[y] if length is None else np.full(len(y), length)
        rows = [rng.multinomial(size, shares[k] / shares[k].sum()) for size, k in zip(sizes, y)]
        return np.array(rows, dtype=np.float64), self.classes_[y]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        block, joint = dense_block(X), self._log_joint(X)
        alphas = np.broadcast_to(self._check_alpha(), block.shape[1])
        spread = rational(alphas.sum())
        prior = priors(self.class_count_, self.class_prior, self.fit_prior)

        def sections(i: int) -> list[Section]:
            likelihoods: list[tuple[str, Any, list[Number]]] = []
            x = block[i]
            for j in np.flatnonzero(x).tolist():
                short = float(x[j]).is_integer() and x[j] <= MAX_EXACT_POWER
                p = [self._share(c, j, rational(alphas[j]), spread) for c in self.feature_count_]
                power = [q ** int(x[j]) if short else float(q) ** float(x[j]) for q in p]
                likelihoods.append((self._names[j], int(x[j]) if short else float(x[j]), power))
            return derivation(self.classes_, prior, likelihoods, joint[i])

        def contributions(some: np.ndarray) -> Contributions:
            with np.errstate(invalid="ignore"):
                logs = block[some][:, :, None] * self.feature_log_prob_.T
            logs[block[some] == 0] = 0.0  # also where the logarithm is minus infinity
            return self._joint_contributions(logs, joint[some])

        return Reasons(sections, contributions)

    @staticmethod
    def _share(counts: np.ndarray, j: int, alpha: Number, alphas: Number) -> Number:
        total = whole(counts.sum()) + alphas
        return (whole(counts[j]) + alpha) / total if total else Fraction(1, len(counts))  # (1)
