"""Categorical naive Bayes: each column is a categorical variable in each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import assay.bayes._counts as _counts
from assay.bayes.counts import TOO_MANY, CategoryCounts, CountBayes, category_counts, extent
from assay.bayes.derivation import Number, derivation, look_up, priors, rational, share
from assay.bayes.drawing import as_table, draw_classes, draw_rows
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parameters import Any_, Range
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, IntArray, Object
from assay.errors import DataError, ParameterError, SchemaWarning, warn_user
from assay.types import Priors, RandomState


class CategoricalNB(CountBayes):
    r"""Classify by counting how often each category occurs in each class.

    Given the class, the columns are taken to be independent, so that

    .. math:: P(k, x) = P(k) \prod_j P(x_j|k), \qquad
              P(x_j = v|k) = \frac{n_{kjv} + \alpha}{n_{kj} + \alpha m_j}          \quad (1)

    where :math:`n_{kjv}` counts the rows of class k with category v in column j, :math:`n_{kj}` those with
    any entry there, and :math:`m_j` is the number of categories of column j, whether or not class k has
    them.

    Text and declared categories are taken as they are. Numbers are codes 0, 1, 2, ..., as
    scikit-learn's OrdinalEncoder makes them; of a number that is not whole only the whole part counts,
    with a ``SchemaWarning``. A missing entry, or a category that ``fit`` did not see, is left out of the
    product. Where alpha is 0 and a class has no entry at all in a column, its categories are equally
    probable there. A row that no class allows (possible only with alpha 0) is answered by the prior,
    with a ``DegenerateWarning``.

    Cost: fit O(n d) in one pass; predict O(d K) look-ups a row; memory O(m K) for m categories of all columns.

    Parameters
    ----------
    alpha : float, default 1
        Pseudo-count of each category: 1 is Laplace's rule, 0 plain relative frequencies, exactly.
    force_alpha : bool, default True
        If False, an alpha below 1e-10 is raised to that, with a warning.
    fit_prior : bool, default True
        Whether priors are the classes' shares of the rows; if False all classes are equally probable.
    class_prior : array of K probabilities, default None
        Priors to use instead. They are never smoothed.
    min_categories : int or array of d ints, default None
        Smallest number of categories of each column, for codes that occur only later.

    Attributes
    ----------
    category_count_ : list of d arrays (K, m_j)     feature_log_prob_ : list of d arrays (K, m_j)
    class_count_ : (K,)      class_log_prior_ : (K,)      n_categories_ : (d,)      classes_ : (K,)

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"colour": ["red", "red", "blue", "green", "green", "blue", "red"],
    ...                   "size": ["S", "L", "S", "L", "S", "L", "L"]})
    >>> model = CategoricalNB(alpha=0).fit(X, list("AAABBBB"))
    >>> print(model.explain(pd.DataFrame({"colour": ["red"], "size": ["L"]})))
    CategoricalNB answers B (probability 0.5294)
    for the row colour = red, size = L
    <BLANKLINE>
    Prior and likelihoods
      column  value    A    B
      prior          3/7  4/7
      colour  red    2/3  1/4
      size    L      1/3  3/4
    <BLANKLINE>
    Joint (prior times likelihoods) and posterior
      class  joint  posterior
      A       2/21       8/17
      B       3/28       9/17
      The evidence, the sum of the joints, is 17/84.
    <BLANKLINE>
    Posterior
      A  0.4706
      B  0.5294

    See Also
    --------
    NaiveBayes, JointBayes, BernoulliNB

    References
    ----------
    - Domingos, P. and Pazzani, M. (1997). On the optimality of the simple Bayesian classifier under zero-one loss.
      Machine Learning 29, 103-130. doi:10.1023/A:1007413511361
    """

    card = Card(
        "categorical nb",
        "naive Bayes of categories, by counting",
        also=("categorical naive bayes",),
        learns=(
            "independent shares of values in each class",
            "negative log joint likelihood, smoothed",
            "counts",
            "analytic",
        ),
    )
    accepts = {
        **CountBayes.accepts,
        "alpha": Range(0, open="high"),
        "min_categories": Any_("None, or whole numbers from 1 up"),
    }
    stored = {
        "_sums": Object(CategoryCounts, K="K", d="d"),
        "class_count_": FloatArray("K", low=0),
        "class_log_prior_": FloatArray("K"),
        "category_count_": Each(FloatArray("K", "*"), "d"),
        "feature_log_prob_": Each(FloatArray("K", "*"), "d"),
        "n_categories_": IntArray("d", low=0),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Priors | None = None,
        min_categories: int | ArrayLike | None = None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # the checks' data are numbers, not categories
        return tags

    def _summarize(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> CategoryCounts:
        width, broken = self._measure(X)
        sums = category_counts(X, y, w, len(self.classes_), width)
        sums.broken = broken
        return sums

    def _solve(self, sums: CategoryCounts) -> None:
        if sums.broken.any():
            self._warn_broken(sums.broken)
        sums = sums.widened(self._least())
        logs = sums.logs(self._check_alpha())  # (1)
        self.n_categories_ = sums.width
        self.class_count_ = sums.class_count
        self.category_count_ = [np.ascontiguousarray(table.T) for table in sums.tables()]
        self.feature_log_prob_ = [table.T for table in np.split(logs, sums.start[1:-1])]
        self.class_log_prior_ = self._log_prior(sums.class_count)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        out = np.tile(self.class_log_prior_, (len(X), 1))
        start = np.concatenate([[0], np.cumsum(self.n_categories_)]).astype(np.int64)
        table = np.concatenate([logs.T for logs in self.feature_log_prob_])
        _counts.look_up(np.ascontiguousarray(X), start, np.ascontiguousarray(table), out)
        return out

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        if fitting:
            return values
        low, high, _ = extent(values)
        if low.min() < 0:
            self._refuse_negative(values)
        for j in np.flatnonzero(high >= self.n_categories_).tolist():
            if not np.isneginf(high[j]):
                warn_user(
                    f"{type(self).__name__}: column {self.schema_[j].name!r} has the code {high[j]:g}, and fit saw "
                    f"only codes below {self.n_categories_[j]}; treated as missing.",
                    SchemaWarning,
                )
        return values

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Any, np.ndarray]:
        """n rows drawn from the model: a table (an array of codes if all columns are unnamed numbers), classes."""
        rng = random_state_of(random_state)
        y = draw_classes(rng, np.exp(self.class_log_prior_), n, type(self).__name__)
        X = np.full((n, len(self.schema_)), np.nan)
        for j, logs in enumerate(self.feature_log_prob_):
            if logs.shape[1]:
                X[:, j] = draw_rows(rng, np.exp(logs), y)
        return as_table(self.schema_, X), self.classes_[y]

    def _measure(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(d,) how many categories each column has in this block at least, and how many entries are not whole."""
        coded = self.schema_.coded
        width = np.array([len(column.categories) for column in self.schema_], dtype=np.int64)
        if coded.all():
            return width, np.zeros(len(width), dtype=np.int64)
        low, high, broken = extent(X)
        if low.min() < 0:
            self._refuse_negative(X)
        if high.max() >= TOO_MANY:
            j = int(np.argmax(high))
            raise DataError(
                f"{type(self).__name__}: column {self.schema_[j].name} has the number {high[j]:g}, expected codes "
                f"0, 1, 2, ... below {TOO_MANY}. Declare the column as categories, or discretise it first."
            )
        codes = np.maximum(np.floor(high), -1.0).astype(np.int64) + 1
        return np.where(coded, width, codes), broken

    def _least(self) -> np.ndarray:
        """(d,) the smallest allowed numbers of categories."""
        least = np.array(0 if self.min_categories is None else self.min_categories)
        who, d = type(self).__name__, len(self.schema_)
        if least.dtype.kind not in "iu":
            raise ParameterError(
                f"{who}: 'min_categories' should have integral type. Got {least.dtype} instead."
            )
        if least.ndim and least.shape != (d,):
            raise ParameterError(
                f"{who}: 'min_categories' should have shape ({d},) when an array-like is provided. "
                f"Got {least.shape} instead."
            )
        if self.min_categories is not None and least.min() < 1:
            raise ParameterError(f"{who}: min_categories must be from 1 up, got {least.min()}.")
        return np.broadcast_to(least.astype(np.int64), (d,))

    def _warn_broken(self, broken: np.ndarray) -> None:
        j = int(np.argmax(broken))
        warn_user(
            f"{type(self).__name__}: column {self.schema_[j].name} has {broken[j]} numbers that are not whole; of each "
            "the whole part is taken as its category. Discretise the column, or use NaiveBayes.",
            SchemaWarning,
        )

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        alpha, joint = rational(self._check_alpha()), self._log_joint(X)
        prior = priors(self.class_count_, self.class_prior, self.fit_prior)

        def sections(i: int) -> list[Section]:
            likelihoods: list[tuple[str, Any, list[Number]]] = []
            for j, (name, value) in enumerate(rows[i].items()):
                counts, code = self.category_count_[j], X[i, j]
                if not 0 <= code < counts.shape[1]:
                    likelihoods.append((name, None, []))
                    continue
                likelihoods.append(
                    (name, value, [share(c[int(code)], c.sum(), alpha, len(c)) for c in counts])
                )
            return derivation(self.classes_, prior, likelihoods, joint[i])

        def contributions(some: np.ndarray) -> Contributions:
            logs = np.stack(
                [look_up(table, X[some, j]) for j, table in enumerate(self.feature_log_prob_)], axis=1
            )
            return self._joint_contributions(logs, joint[some])

        return Reasons(sections, contributions)
