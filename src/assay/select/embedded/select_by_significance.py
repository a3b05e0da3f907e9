"""Backward elimination by the significance of a linear model's weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from assay.core import Card
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Choice, Count, Instance, Range
from assay.core.progress import progress
from assay.core.stored import FloatArray, IntArray
from assay.core.targets import EncodedLabels
from assay.errors import DataError, DegenerateError
from assay.evaluate.candidates import task_of_learners
from assay.evaluate.target import Target
from assay.linear import LinearRegression, LogisticRegression
from assay.select.embedded.standard_block import read_aim
from assay.select.selector import Selector
from assay.stats.significance.test_result import shown_p
from assay.tables import Table
from assay.types import Estimator

__all__ = ["SelectBySignificance"]


class SelectBySignificance(Selector):
    r"""Drop the column whose weight is the least significant, fit again, until all that are left are significant.

    Each column's weights, those of all classes and of all indicators of a nominal column together, are tested for being
    zero by Wald's statistic

    .. math:: W_j = \hat\theta_j^T\,\widehat{\mathrm{Cov}}(\hat\theta_j)^{-1}\,\hat\theta_j           \quad (1)

    which is chi-squared with as many degrees of freedom as there are weights; of least squares it is F. p does not
    depend on units. The column with the largest p above ``alpha`` goes, the last of equals. The p of columns that
    survived such a search are smaller than they should be: take them as an order, not as evidence, and judge the
    choice on rows that took no part in it. Columns that do not vary go first.

    Cost: fit d / step times the learner and O(n d^2) each; transform O(1) a kept column; memory O(n d + d^2).

    Parameters
    ----------
    estimator : a learner of this library with ``summary``, default None
        None is least squares for numbers, and logistic regression without a penalty for classes.
    alpha : float, default 0.05
        Columns with a p above it go.
    step : int, default 1
        How many may go between two fits.
    min_features : int, default 0
        The fewest columns that are kept.
    task : "classification", "regression" or None, which goes by the learner and the target

    Attributes
    ----------
    p_values_ : (d,) of the last fit that the column took part in; 1 for columns that do not vary
    ranking_ : (d,) 1 for kept columns, 2 for those that went last, ...

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import SelectBySignificance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> selector = SelectBySignificance().fit(X, 2 * X[:, 1] - X[:, 4] + rng.normal(size=100))
    >>> selector.selected_
    ['x1', 'x4']

    See Also
    --------
    RFE, SelectByWeights, StabilitySelection

    References
    ----------
    - Wald, A. (1943). Tests of statistical hypotheses concerning several parameters when the number of observations is
      large. Transactions of the American Mathematical Society 54(3), 426-482.
    """

    card = Card(
        "select by significance", "drops columns without significant weights", also=("backward elimination",)
    )
    takes = frozenset({"nominal"})
    accepts = {
        "estimator": Instance(having="summary") | None,
        "alpha": Range(0, 1, open="both"),
        "step": Count(1),
        "min_features": Count(0),
        "task": Choice("classification", "regression") | None,
    }
    stored = {"p_values_": FloatArray("d"), "ranking_": IntArray("d", low=1)}
    p_values_: np.ndarray
    ranking_: np.ndarray

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        alpha: float = 0.05,
        step: int = 1,
        min_features: int = 0,
        task: str | None = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.step = step
        self.min_features = min_features
        self.task = task

    def _read_target(self, y: Any, n: int) -> Target:
        of_learner = None if self.estimator is None else task_of_learners([self.estimator])
        return read_aim(y, n, type(self).__name__, self.task, of_learner)

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        template = self.estimator
        if template is None:
            classes = target.numbers is None
            template = (
                LogisticRegression(C=np.inf, max_iter=1000, tol=1e-8) if classes else LinearRegression()
            )
        y = EncodedLabels(target.codes, target.labels) if target.numbers is None else target.numbers
        if is_classifier(template) and target.numbers is not None:
            raise DataError(
                f"{type(template).__name__} is for classes, and y holds numbers.", who=type(self).__name__
            )
        d = table.shape[1]
        counted = table.values if weights is None else table.values[weights > 0]
        kept = np.ptp(counted, axis=0) > 0
        self.p_values_, self.ranking_ = np.ones(d), np.where(kept, 1, 2)
        with progress(d, type(self).__name__) as bar:
            while kept.any():
                columns = np.flatnonzero(kept)
                self.p_values_[columns] = self._p_values(clone(template), table.select(columns), y, weights)
                p = self.p_values_[columns]
                most = min(self.step, len(columns) - self.min_features, int((p > self.alpha).sum()))
                if most <= 0:
                    break
                kept[columns[np.argsort(p, kind="stable")[::-1][:most]]] = False
                self.ranking_[~kept] += 1
                bar.advance(most)
        return kept

    def _p_values(self, model: Any, table: Table, y: Any, w: np.ndarray | None) -> np.ndarray:
        """The p of (1) for each column."""
        fit_to(model, table, y, w, type(self).__name__)
        try:
            summary = model.summary(table, y, w)
        except DegenerateError as error:
            raise DegenerateError(
                "SelectBySignificance: no p-values follow from these rows, so choose by weights or by the lasso path "
                f"(SelectByWeights, SelectByLassoPath; on the command line --method weights or lasso). {error}"
            ) from error
        return np.array([_p_of_column(summary, name) for name in table.schema.names])

    def _why(self, j: int) -> str:
        p = shown_p(float(self.p_values_[j]))
        if self.support_[j]:
            return f"{p} beside the other kept columns"
        rounds = int(self.ranking_.max())
        return f"{p} when it went, in round {rounds - int(self.ranking_[j]) + 1}"


def _p_of_column(summary: Any, name: str) -> float:
    """All weights of a column at once; under a penalty one indicator of a nominal column follows from the others."""
    try:
        return summary.wald_test(name).p_value
    except DegenerateError:
        if len(summary.columns.get(name, ())) < 2:
            raise
        return summary.wald_test(summary.columns[name][1:]).p_value
