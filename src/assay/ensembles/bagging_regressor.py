"""Bagging for numbers: the mean, or the median, of regressors fitted to random samples of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Regressor
from assay.core.parameters import Choice
from assay.core.stored import FloatArray, Scalar
from assay.ensembles.bagging import BAGGING, Bagging
from assay.ensembles.out_of_bag import divided, out_of_bag
from assay.stats.distributions.predictive import Empirical
from assay.tables.rows import take_columns, take_rows
from assay.trees.decision_tree_regressor import DecisionTreeRegressor, has_pure_leaves
from assay.trees.shap import column_reasons
from assay.types import Estimator, RandomState, TableLike

__all__ = ["BaggingRegressor"]


class BaggingRegressor(Bagging, Regressor):
    r"""Take the mean or the median of many regressors, each fitted to rows drawn at random.

    With the answers :math:`f_l` of L members

    .. math:: f(x) = \frac1L\sum_{l=1}^L f_l(x)                       \quad (1)

    The mean has the smaller variance; the median does not follow a few members with outlying answers.
    Bags, pasting, subspaces and patches are those of :class:`~assay.ensembles.BaggingClassifier`.

    Cost: fit T times the estimator; predict O(T) times the estimator's; memory O(n d) to fit, and T estimators kept.

    Parameters
    ----------
    estimator : regressor, default None
        What is fitted with each bag; None is a DecisionTreeRegressor.
    n_estimators : int, default 10
        Number of bags.
    max_samples : int, float or None, default None
        Rows in a bag: as many as there are, a number, or a share (of the total weight, if rows have weights).
    max_features : int or float, default 1.0
        Columns in a bag: a number, or a share.
    bootstrap : bool, default True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default False
        Whether columns are drawn with replacement.
    oob_score : bool, default False
        Whether to estimate R squared with the rows outside of the bags.
    warm_start : bool, default False
        Keep the members of the last fit and add to them until there are ``n_estimators``.
    n_jobs : int or None, default None
        Most members at work at a time. Members that are learners of Assay work in threads, and None takes as many as
        the machine has; others work in processes, and None is one.
    random_state : int, RandomState or None, default None
        The bag of member t depends on this and on t alone.
    verbose : int, default 0
        Passed on to joblib; progress is shown anyway where somebody watches.
    combine : "mean" or "median", default "mean"
        How the members' answers are put together.

    Attributes
    ----------
    estimator_ : the estimator whose clones are the members
    estimators_, estimators_features_, estimators_samples_ : lists
        The members, and the columns and the rows that each was fitted with.
    oob_score_, oob_prediction_ : float, (n,)
        With ``oob_score``: R squared, and the answers of the members trained without the row.

    Examples
    --------
    >>> from assay.ensembles import BaggingRegressor
    >>> model = BaggingRegressor(n_estimators=25, combine="median", random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 100.0, 4.0, 4.0]).predict([[0.0], [4.0]])
    array([0., 4.])

    See Also
    --------
    RandomForestRegressor, BaggingClassifier

    References
    ----------
    - Breiman, L. (1996). Bagging predictors. Machine Learning 24, 123-140. doi:10.1007/BF00058655
    """

    _task = "regressor"
    card = Card(
        "bagging",
        "ten trees on samples of the rows, averaged",
        settings={"random_state": 0},
        learns=(
            "a mean of learners of resampled rows",
            "that of the estimator",
            "independent fits",
            "as the estimator",
        ),
    )
    accepts = {**BAGGING, "combine": Choice("mean", "median")}
    stored = {
        "oob_prediction_": FloatArray("n"),
        "oob_score_": Scalar(),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = None,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        combine: str = "mean",
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.combine = combine

    def _default_estimator(self) -> Any:
        return DecisionTreeRegressor()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._fit_members(X, y, w)
        if self.oob_score:
            from sklearn.metrics import r2_score

            self.oob_prediction_ = self._outsiders(X, y)
            self.oob_score_ = float(r2_score(y, self.oob_prediction_))

    def _outsiders(self, X: Any, y: np.ndarray) -> np.ndarray:
        """The answers of the members trained without a row answer for it."""
        n = len(y)
        answers = np.full((len(self.estimators_), *y.shape), np.nan)
        for t, bag in enumerate(self.estimators_samples_):
            rows = np.flatnonzero(out_of_bag(bag, n))
            if len(rows):
                some = take_rows(X, rows)
                answers[t, rows] = self.estimators_[t].predict(
                    take_columns(some, self.estimators_features_[t])
                )
        votes = np.count_nonzero(~np.isnan(answers.reshape(len(answers), n, -1)[:, :, 0]), axis=0)
        if self.combine == "median" and (votes > 0).all():
            return np.nanmedian(answers, axis=0)
        sums = np.nansum(answers, axis=0).reshape(n, -1)
        return divided(sums, votes).reshape(y.shape)

    def predict(self, X: TableLike, **params: Any) -> np.ndarray:
        """(n,) the members' mean or median; ``params`` go to the members that request them, by metadata routing."""
        return self._predict(self._admit(X), self._for_members("predict", params).get("predict", {}))

    def _predict(self, X: Any, more: Any = None) -> np.ndarray:
        more = more or {}
        answers = self._answers(
            X, lambda model, columns: np.asarray(model.predict(columns, **more), np.float64)
        )
        if self.combine == "median":
            return np.median(answers, axis=0)
        return sum(answers) / len(answers)  # (1)

    def _no_distribution(self) -> str:
        if self.combine != "mean":
            return f"combine={self.combine!r} has no predictive distribution. Use combine='mean'."
        members = vars(self).get("estimators_", [])
        if members and not (_have_targets(members) or _have_pure_leaves(members)):
            return (
                "its members have not kept the training targets in their leaves, and so there is no predictive "
                "distribution. Use trees with keep_targets=True, or wrap it: ConformalRegressor(BaggingRegressor())."
            )
        return super()._no_distribution()

    def _interval_doubt(self, coverage: float) -> str:
        kept = _have_targets(self.estimators_)
        return "" if kept else "are made of leaves with a single target each, which is too few"

    def _distribution(self, X: Any) -> Empirical:
        """The training targets in the leaves of all members; of pure leaves the members' answers."""
        if _have_targets(self.estimators_):
            return Empirical.mixture(
                self._answers(X, lambda model, columns: model.predict_distribution(columns))
            )
        self._refuse_several_targets(any(member.n_outputs_ > 1 for member in self.estimators_))
        return Empirical(np.column_stack(self._answers(X, lambda model, columns: model.predict(columns))))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        answers = np.array(
            self._answers(X, lambda model, columns: np.asarray(model.predict(columns), np.float64))
        )
        columns = ["members", "mean", "lowest", "quarter", "median", "three quarters", "highest"]

        def spread(i: int) -> list[Section]:
            marks = np.quantile(answers[:, i], [0, 0.25, 0.5, 0.75, 1])
            line = [len(answers), float(answers[:, i].mean()), *map(float, marks)]
            return [Section("Answers of the members", columns, [line])]

        known = None
        if self.combine == "mean" and answers.ndim == 2:
            mean = answers.mean(axis=0)[:, None]
            known = self._column_contributions(X, mean, ["the answer"], np.zeros(len(mean), int))
        return Reasons(spread) if known is None else column_reasons(known, rows, spread)


def _have_targets(members: list[Any]) -> bool:
    """Whether all members are trees that kept their training targets."""
    return all(hasattr(member, "leaf_targets_") for member in members)


def _have_pure_leaves(members: list[Any]) -> bool:
    """Whether all members are trees with one target in each leaf."""
    return all(
        isinstance(member, DecisionTreeRegressor)
        and has_pure_leaves(member.tree_.impurity, member.tree_.is_leaf)
        for member in members
    )
