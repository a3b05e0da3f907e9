"""Columns by the size of their weights in a linear learner, all columns at unit variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core import Card
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Choice, Count, Instance, Range
from assay.core.stored import FloatArray, IntArray
from assay.core.targets import EncodedLabels
from assay.errors import DataError
from assay.evaluate.candidates import task_of_learners
from assay.evaluate.target import Target
from assay.linear import LogisticRegression, Ridge
from assay.select.embedded.standard_block import StandardBlock, read_aim
from assay.select.selector import Selector
from assay.tables import Table
from assay.types import Estimator

__all__ = ["SelectByWeights"]


class SelectByWeights(Selector):
    r"""Keep the columns whose weights in a linear learner are large, once all columns have the same variance.

    A weight is an effect per unit of its column, so that weights of columns in different units cannot be compared.
    Every column (of a nominal one each indicator) is scaled to mean 0 and variance 1 first, so that the choice does not
    depend on units. The size of a column is the length of its weights over all outputs and indicators,

    .. math:: s_j = \Big(\sum_k\sum_{c\in j} w_{kc}^2\Big)^{1/2},                                    \quad (1)

    and columns below ``threshold`` times the largest size go: all at once, or with ``step`` a few at a time, the
    learner being fitted again to those that are left. Columns that tell the same share their weight, and
    a step at a time keeps one of them.

    Cost: fit that of the learner, with ``step`` times d / step; transform O(1) a kept column; memory O(n D) for D
    columns with indicators.

    Parameters
    ----------
    estimator : a linear learner with ``coef_`` after fit, default None
        None is logistic regression for classes and ridge regression for numbers.
    threshold : float, default 0.05
        Of the largest size, below which a column goes.
    n_features : int or None, default None
        Keep so many of the largest instead, the first of equals.
    step : int or None, default None
        How many go between two fits; None judges all by one fit.
    task : "classification", "regression" or None, which goes by the learner and the target

    Attributes
    ----------
    sizes_ : (d,) of (1), in the last fit that the column took part in
    ranking_ : (d,) 1 for kept columns, 2 for those that went last, ...

    Examples
    --------
    The second column matters as much as the first, in other units:

    >>> import numpy as np
    >>> from assay.select import SelectByWeights
    >>> X = np.random.default_rng(0).normal(size=(200, 4)) * [1.0, 1000.0, 1.0, 0.001]
    >>> selector = SelectByWeights(threshold=0.1).fit(X, X[:, 0] + X[:, 1] / 1000)
    >>> selector.selected_, selector.sizes_.round(1)
    (['x0', 'x1'], array([1. , 0.9, 0. , 0. ]))

    See Also
    --------
    SelectFromModel, RFE, SelectBySignificance

    References
    ----------
    - Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer classification using support
      vector machines. Machine Learning 46, 389-422. doi:10.1023/A:1012487302797
    """

    card = Card("select by weights", "columns with large weights at unit variance")
    takes = frozenset({"nominal"})
    accepts = {
        "estimator": Instance(having="fit") | None,
        "threshold": Range(0, 1),
        "n_features": Count(1) | None,
        "step": Count(1) | None,
        "task": Choice("classification", "regression") | None,
    }
    stored = {"sizes_": FloatArray("d"), "ranking_": IntArray("d", low=1)}
    sizes_: np.ndarray
    ranking_: np.ndarray

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        threshold: float = 0.05,
        n_features: int | None = None,
        step: int | None = None,
        task: str | None = None,
    ):
        self.estimator = estimator
        self.threshold = threshold
        self.n_features = n_features
        self.step = step
        self.task = task

    def _read_target(self, y: Any, n: int) -> Target:
        of_learner = None if self.estimator is None else task_of_learners([self.estimator])
        return read_aim(y, n, type(self).__name__, self.task, of_learner)

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        block = StandardBlock.of(table, weights)
        template = self.estimator
        if template is None:
            template = LogisticRegression(max_iter=1000) if target.numbers is None else Ridge()
        y = EncodedLabels(target.codes, target.labels) if target.numbers is None else target.numbers
        kept = np.ones(block.d, bool)
        self.sizes_, self.ranking_ = np.zeros(block.d), np.ones(block.d, np.int64)
        while True:
            columns = np.flatnonzero(kept)
            self.sizes_[columns] = self._sizes(clone(template), block, kept, y, weights)[columns]
            order = columns[np.argsort(self.sizes_[columns], kind="stable")]  # the smallest first
            going = self._going(order)
            if not len(going):
                return kept
            going = going if self.step is None else going[: self.step]
            kept[going] = False
            self.ranking_[~kept] += 1
            if self.step is None or not kept.any():
                return kept

    def _going(self, order: np.ndarray) -> np.ndarray:
        """The columns that should go, of those left, the smallest of which comes first."""
        if self.n_features is not None:
            return self._last_of_equals(order)[: max(0, len(order) - self.n_features)]
        largest = self.sizes_[order].max(initial=0.0)
        small = self.sizes_[order] < self.threshold * largest
        return order[small | (largest == 0)]

    def _last_of_equals(self, order: np.ndarray) -> np.ndarray:
        return order[np.lexsort((-order, self.sizes_[order]))]

    def _sizes(self, model: Any, block: StandardBlock, kept: np.ndarray, y: Any, w: Any) -> np.ndarray:
        """(d,) of (1)."""
        who, used = type(self).__name__, kept[block.source]
        fit_to(model, np.ascontiguousarray(block.Z[:, used]), y, w, who)
        if not hasattr(model, "coef_"):
            raise DataError(
                f"{type(model).__name__} has no coef_, so that there are no weights. Give a linear learner, or use "
                "SelectFromModel, which takes importances as well.",
                who=who,
            )
        coef = np.atleast_2d(
            np.asarray(model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_)
        )
        weights = np.zeros((len(coef), len(used)))
        weights[:, used] = coef
        return block.norms(weights)

    def _why(self, j: int) -> str:
        size, largest = self.sizes_[j], self.sizes_.max(initial=0.0)
        share = size / largest if largest else 0.0
        return f"size {size:.4g}, {share:.0%} of the largest"
