"""Dynamic selection of regressors: those with the least error nearby."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Regressor
from assay.core.parameters import Choice
from assay.core.stored import FloatArray
from assay.core.targets import numeric_target
from assay.ensembles.committees.committee import numbers_of
from assay.ensembles.committees.dynamic_selection import DYNAMIC, DynamicSelection
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult
from assay.types import TableLike, Target

__all__ = ["DynamicSelectionRegressor"]


class DynamicSelectionRegressor(DynamicSelection, Regressor):
    r"""Ask, for each row, the regressors that did well on rows near it.

    With :math:`e_j(x)` the mean absolute error of member j on the ``n_neighbors`` nearest rows that it did not learn
    from, "best" asks the member with the least, "weighted" averages all by :math:`1 / e_j`. :meth:`gain` tests whether
    that beats the best single member.

    Cost: fit ``cv`` + 1 times that of the members; predict that of all members and of a search for neighbours; memory
    O(n d) for the rows that are searched.

    Parameters
    ----------
    estimators : list of (name, regressor), default None
        The members; "drop" in place of one leaves it out. None is ridge regression, a tree and boosted trees.
    method : "best" or "weighted", default "weighted"
    n_neighbors : int, default 7
    metric : as of KNeighborsRegressor, default "heom"
    cv : int, splitter or list of (train, test), default None, five folds
    n_jobs : int or None, default None
        Most fits at a time.
    verbose : bool, default False
        Accepted; progress is shown where somebody watches.
    views : dict from names of members to lists of columns, default None
        The columns, by name or number, that a member sees; members that are not named see all. So several measurements
        of the same things, each with its own columns, have members of their own.
    on_error : "raise" or "leave out", default "raise"
        What becomes of a member that fails: the error is raised, or the others go on and ``failures_`` says why.

    Attributes
    ----------
    estimators_ : list of fitted members      neighbors_ : the search for validation rows
    failures_ : dict from the names of members left out to what they said
    errors_ : (members, rows) their absolute errors

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import DynamicSelectionRegressor
    >>> from assay.linear import LinearRegression
    >>> from assay.trees import DecisionTreeRegressor
    >>> x = np.linspace(-1, 1, 200)
    >>> y = np.where(x < 0, 3 * x, np.sign(np.sin(20 * x)))
    >>> members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=4))]
    >>> DynamicSelectionRegressor(members, cv=10).fit(x[:, None], y).predict([[0.5]]).shape
    (1,)

    See Also
    --------
    StackingRegressor, VotingRegressor

    References
    ----------
    - Woods, K., Kegelmeyer, W. P. and Bowyer, K. (1997). Combination of multiple classifiers using local accuracy
      estimates. IEEE Transactions on Pattern Analysis and Machine Intelligence 19(4), 405-410. doi:10.1109/34.588027
    """

    _task = "regressor"
    card = Card(
        "dynamic selection",
        "for each row the members that did well on its neighbours",
        learns=(
            "the members that did well nearby",
            "errors of the members on the nearest unseen rows",
            "a search for neighbours",
            "stored",
        ),
    )
    accepts = {**DYNAMIC, "method": Choice("best", "weighted")}
    stored = {"errors_": FloatArray("l", "r", low=0)}

    def __init__(
        self,
        estimators: Any = None,
        method: str = "weighted",
        n_neighbors: int = 7,
        *,
        metric: Any = "heom",
        cv: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.method = method
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles.committees.voting_regressor import VotingRegressor

        return VotingRegressor()._default_members()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        parts, rows = self._unseen(X, y, w, False, lambda j, model, some: numbers_of(model, some)[:, None])
        self._fit_all(X, y, w)
        self.errors_ = np.abs(np.hstack(parts).T - y[rows])
        self._keep_neighbors(X, rows)

    def weights(self, X: TableLike) -> np.ndarray:
        """(members, n) what each member counts for each row."""
        return self._weights(self._admit(X))

    def _weights(self, X: Any) -> np.ndarray:
        nearby = self.errors_[:, self._near(X)].mean(axis=2)
        least = nearby.min(axis=0)
        if self.method == "best":
            return np.eye(len(nearby))[nearby.argmin(axis=0)].T
        share = np.where(least > 0, least / np.where(nearby > 0, nearby, 1.0), nearby == 0)
        return share / share.sum(axis=0)

    def _predict(self, X: Any) -> np.ndarray:
        outputs = np.stack(self._ask_all(X, lambda j, model, some: numbers_of(model, some)))
        return (self._weights(X) * outputs).sum(axis=0)

    def gain(self, X: TableLike, y: Target) -> TestResult:
        """The paired t test, on rows that were not used to fit, of the best single member against this selection.

        Absolute errors are compared row by row; an estimate above 0 says that the selection errs less. The best member
        is the one with the least mean error on the validation rows, so it is chosen without these rows.
        """
        values = self._admit(X)
        outputs = np.stack(self._ask_all(values, lambda j, model, some: numbers_of(model, some)))
        truth = numeric_target(y, outputs.shape[1], f"{type(self).__name__}.gain")
        single = outputs[int(self.errors_.mean(axis=1).argmin())]
        ours = (self._weights(values) * outputs).sum(axis=0)
        return t_test(np.abs(single - truth), np.abs(ours - truth), paired=True)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs = np.stack(self._ask_all(X, lambda j, model, some: numbers_of(model, some)))
        weights, nearby = self._weights(X), self.errors_[:, self._near(X)].mean(axis=2)
        names = [name for name, _ in self._members()]

        def said(i: int) -> list[Section]:
            lines = [
                [name, float(nearby[j, i]), float(weights[j, i]), float(outputs[j, i])]
                for j, name in enumerate(names)
            ]
            return [Section("Members", ["member", "mean error nearby", "weight", "answer"], lines)]

        return Reasons(said)
