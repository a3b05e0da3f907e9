"""Stacked generalization for numbers: a regressor that learns from the answers of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.learner import Regressor
from assay.ensembles.committees.committee import numbers_of
from assay.ensembles.committees.stacking import STACKING, Stacking
from assay.types import TableLike

__all__ = ["StackingRegressor"]


class StackingRegressor(Stacking, LazyTransforms, Regressor):
    r"""Let a regressor learn how to combine others, from their answers for rows that they did not learn from.

    .. math:: y(x) = f(d_1(x), \dots, d_L(x))                                          \quad (1)

    where f has learned from answers by members fitted without the row's fold; then the members are fitted to all rows.
    ``LinearRegression(positive=True)`` as f has weights from 0 up, ``VotingRegressor(weights="simplex")`` such that
    also sum to 1.

    Cost: fit ``cv`` + 1 times that of the members, and the final estimator's; predict that of all members; memory O(n)
    for each member.

    Parameters
    ----------
    estimators : list of (name, regressor), default None
        The members; "drop" in place of one leaves it out. None is ridge regression, a tree and boosted trees.
    final_estimator : regressor, default None
        What combines the answers; None is RidgeCV.
    cv : int, splitter, list of (train, test), "prefit" or None, default None, five folds
        "prefit" uses members that came fitted; then give rows that they did not learn from. Rows that no test fold has
        are left out of (1), not invented. A number keeps ``groups`` together and follows ``times``, if fit is given
        these.
    n_jobs : int or None, default None
        Most fits at a time.
    passthrough : bool, default False
        Whether the final estimator sees the columns of X as well.
    verbose : int, default 0
        Accepted; progress is shown where somebody watches.
    views : dict from names of members to lists of columns, default None
        The columns, by name or number, that a member sees; members that are not named see all. So several measurements
        of the same things, each with its own columns, have members of their own.
    on_error : "raise" or "leave out", default "raise"
        What becomes of a member that fails: the error is raised, or the others go on and ``failures_`` says why.

    Attributes
    ----------
    estimators_ : list of fitted members      named_estimators_ : the same by name
    failures_ : dict from the names of members left out to what they said
    final_estimator_ : what combines them      stack_method_ : "predict" for each

    Examples
    --------
    >>> from assay.ensembles import StackingRegressor
    >>> from assay.linear import Ridge
    >>> from assay.trees import DecisionTreeRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3))]
    >>> StackingRegressor(members).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.4
    True

    See Also
    --------
    VotingRegressor : fixed weights, or weights on the simplex

    References
    ----------
    - Breiman, L. (1996). Stacked regressions. Machine Learning 24, 49-64. doi:10.1007/BF00117832
    - Wolpert, D. H. (1992). Stacked generalization. Neural Networks 5(2), 241-259. doi:10.1016/S0893-6080(05)80023-1
    """

    _task = "regressor"
    card = Card(
        "stacking",
        "ridge regression on the answers of ridge regression, a tree and boosted trees",
        learns=(
            "a learner of the answers of others",
            "that of the final estimator, on unseen rows",
            "that of the final estimator",
            "as the estimator",
        ),
    )
    stack_method = "predict"
    accepts = {name: accepted for name, accepted in STACKING.items() if name != "stack_method"}

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles.committees.voting_regressor import VotingRegressor

        return VotingRegressor()._default_members()

    def _default_final(self) -> Any:
        from assay.linear import RidgeCV

        return RidgeCV()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._stack(X, y, w, False)

    def _columns(self, model: Any, method: str, X: Any) -> np.ndarray:
        return numbers_of(model, X)[:, None]

    def _predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.final_estimator_.predict(self._answers_of(X)), np.float64).reshape(-1)  # (1)

    def predict(self, X: TableLike, **predict_params: Any) -> Any:
        """(n,) the answer of the final estimator; parameters (such as ``return_std``) go to it."""
        if not predict_params:
            return super().predict(X)
        Z = self._answers_of(self._admit(X))
        return self.final_estimator_.predict(Z, **predict_params)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, names = np.hstack(self._outputs(X)), [name for name, _ in self._members()]

        def said(i: int) -> list[Section]:
            lines = [[name, float(d)] for name, d in zip(names, outputs[i])]
            return [
                Section(
                    f"Answers that {type(self.final_estimator_).__name__} combines",
                    ["member", "answer"],
                    lines,
                )
            ]

        return Reasons(said)
