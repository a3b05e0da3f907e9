"""The mean, or another rule, of different regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.learner import Regressor
from assay.core.parameters import Any_, Choice
from assay.core.stored import FloatArray
from assay.ensembles.committees.combining import NUMBER_RULES, combine
from assay.ensembles.committees.committee import COMMITTEE, FOLDS, Committee, elapsed_time, numbers_of
from assay.ensembles.committees.weighing import NUMBER_WEIGHINGS, error_weights, is_weights, weights_of
from assay.errors import ParameterError
from assay.types import TableLike

__all__ = ["VotingRegressor"]


class VotingRegressor(Committee, LazyTransforms, Regressor):
    r"""Average different regressors.

    .. math:: y(x) = \sum_j w_j d_j(x), \qquad \sum_j w_j = 1                            \quad (1)

    or, with another rule for ``voting``, the median, the least, the greatest or an ordered mean ("owa") of the members'
    numbers, see :func:`~assay.ensembles.combine`. Weights can be learned from rows that the members did not see, with
    ``cv`` folds: "simplex" has the least squared error of all weights from 0 up, "variance" the least variance of the
    error of all weights, :math:`w \propto C^{-1}1` with the covariance C of the members' errors; some may be negative;
    "evidence" the likelihood of each member's errors as Gaussian noise, :math:`w_j \propto MSE_j^{-n/2}`.

    Cost: fit that of the members, ``cv`` + 1 times where weights are learned; predict that of all members; memory O(n)
    for each member.

    Parameters
    ----------
    estimators : list of (name, regressor), default None
        The members; "drop" in place of one leaves it out. None is ridge regression, a tree and boosted trees.
    weights : (members,) numbers, "simplex", "variance", "evidence" or None, default None
        None weighs all alike.
    n_jobs : int or None, default None
        Most fits at a time.
    verbose : bool, default False
        Whether to print how long each member took.
    voting : "mean", "median", "min", "max" or "owa", default "mean"
    cv : int, splitter or list of (train, test), default None, five folds
        Rows for learned weights.
    views : dict from names of members to lists of columns, default None
        The columns, by name or number, that a member sees; members that are not named see all. So several measurements
        of the same things, each with its own columns, have members of their own.
    on_error : "raise" or "leave out", default "raise"
        What becomes of a member that fails: the error is raised, or the others go on and ``failures_`` says why.

    Attributes
    ----------
    estimators_ : list of fitted members      named_estimators_ : the same by name
    failures_ : dict from the names of members left out to what they said
    weights_ : (members,) that sum to 1

    Examples
    --------
    >>> from assay.ensembles import VotingRegressor
    >>> from assay.linear import Ridge
    >>> from assay.trees import DecisionTreeRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3))]
    >>> model = VotingRegressor(members, weights="simplex").fit(X[::2], y[::2])
    >>> model.weights_.round(2), model.score(X[1::2], y[1::2]) > 0.4
    (array([0.98, 0.02]), True)

    See Also
    --------
    StackingRegressor : learns how to combine      ambiguity_decomposition : what a mean gains

    References
    ----------
    - Krogh, A. and Vedelsby, J. (1995). Neural network ensembles, cross validation, and active learning. Advances in
      Neural Information Processing Systems 7, 231-238.
    - Perrone, M. P. and Cooper, L. N. (1993). When networks disagree: ensemble methods for hybrid neural networks. In
      Neural Networks for Speech and Image Processing, 126-142. Chapman and Hall.
    """

    _task = "regressor"
    card = Card(
        "voting",
        "ridge regression, a tree and boosted trees, averaged",
        learns=(
            "a weighted vote or mean of members",
            "that of the members; of learned weights the squared error",
            "that of the members; least squares on the simplex",
            "as the estimator",
        ),
    )
    accepts = {
        **COMMITTEE,
        "weights": Any_(
            "a list of numbers from 0 up, 'simplex', 'variance', 'evidence', or None",
            is_weights(NUMBER_WEIGHINGS),
        ),
        "voting": Choice(*NUMBER_RULES),
        "cv": FOLDS,
    }
    stored = {"weights_": FloatArray("*")}

    def __init__(
        self,
        estimators: Any = None,
        *,
        weights: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        voting: str = "mean",
        cv: Any = None,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.voting = voting
        self.cv = cv
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles.hist_gradient_boosting import HistGradientBoostingRegressor
        from assay.linear import Ridge
        from assay.trees import DecisionTreeRegressor

        return [
            ("ridge", Ridge(0.1)),
            ("tree", DecisionTreeRegressor(max_depth=4, random_state=0)),
            ("boosting", HistGradientBoostingRegressor(max_iter=50, random_state=0)),
        ]

    def _telling(self, number: int, total: int, name: str) -> Any:
        return elapsed_time(self.verbose, number, total, name)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        names = [name for name, _ in self._all_pairs()]
        self.weights_ = weights_of(self.weights, names, [name for name, _ in self._members()], who)
        if isinstance(self.weights, str) and len(self._members()) > 1:
            if self.voting != "mean":
                raise ParameterError(
                    f"weights={self.weights!r} are those of a mean, voting is {self.voting!r}.", who=who
                )
            parts, rows = self._unseen(
                X, y, w, False, lambda j, model, some: numbers_of(model, some)[:, None]
            )
            outputs = np.column_stack(parts).T
            self.weights_ = error_weights(outputs, y[rows], None if w is None else w[rows], self.weights, who)
        self._fit_all(X, y, w)

    def _outputs(self, X: Any) -> np.ndarray:
        """(members, n)."""
        return np.stack(self._ask_all(X, lambda j, model, some: numbers_of(model, some)))

    def _predict(self, X: Any) -> np.ndarray:
        if self.voting == "mean":
            return np.tensordot(self.weights_, self._outputs(X), axes=1)  # (1)
        return combine(
            self._outputs(X), self.voting, None if self.voting in ("min", "max") else self.weights_
        )

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, members) the number that each member answers."""
        check_is_fitted(self)
        return self._outputs(self._admit(X)).T

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        check_is_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}_{member}" for member, _ in self._members()], dtype=object)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, names = self._outputs(X), [name for name, _ in self._members()]

        def said(i: int) -> list[Section]:
            lines = [[n, float(w), float(d)] for n, w, d in zip(names, self.weights_, outputs[:, i])]
            return [
                Section(
                    f"What {len(names)} members say ({self.voting})", ["member", "weight", "answer"], lines
                )
            ]

        return Reasons(said)
