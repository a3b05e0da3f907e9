"""An ensemble of the regressors of a library that do best together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Regressor
from assay.ensembles.committees.committee import numbers_of
from assay.select.members.ensemble_selection import EnsembleSelection
from assay.select.members.select_members import WITH_REPLACEMENT

__all__ = ["EnsembleSelectionRegressor"]


class EnsembleSelectionRegressor(EnsembleSelection, Regressor):
    r"""Average the regressors of a library that do best together.

    As :class:`EnsembleSelectionClassifier`, with numbers: :math:`y(x) = \sum_j w_j d_j(x)`.

    Cost: fit ``cv`` + 1 times that of the members; predict that of the chosen members; memory O(n) for each member.

    Parameters
    ----------
    estimators : list of (name, regressor), default None
        The library. None is ridge regression, a tree and boosted trees.
    search : str, default "forward with replacement"
        Or "forward", "backward", "floating", "backward floating", "beam", "exhaustive".
    metric : name of a measure, default None: "mse"
    max_size : int, default 30
        Most steps with replacement.
    cv : int, splitter, list of (train, test), "prefit" or None, default None, five folds
        "prefit" takes models that came fitted; then give rows that they did not learn from.
    n_jobs : int or None, default None
        Most fits at a time.
    verbose : bool, default False
        Accepted; progress is shown where somebody watches.
    views : dict from names of members to lists of columns, default None
    on_error : "raise" or "leave out", default "raise"
        What becomes of a member that fails: the error is raised, or the others go on and ``failures_`` says why.

    Attributes
    ----------
    library_ : names of all members      chosen_ : of those that were chosen      estimators_ : the chosen ones, fitted
    failures_ : dict from the names of members left out to what they said
    weights_ : (members,)      single_ : (members,) the measure of each alone, out of fold
    value_ : the measure of the chosen ones together      metric_ : its name

    Examples
    --------
    >>> from assay.linear import Ridge
    >>> from assay.select import EnsembleSelectionRegressor
    >>> from assay.trees import DecisionTreeRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> library = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3))]
    >>> model = EnsembleSelectionRegressor(library).fit(X, y)
    >>> model.chosen_, bool(model.value_ <= model.single_.min())
    (['ridge', 'tree'], True)

    See Also
    --------
    StackingRegressor, VotingRegressor

    References
    ----------
    - Caruana, R., Niculescu-Mizil, A., Crew, G. and Ksikes, A. (2004). Ensemble selection from libraries of models.
      International Conference on Machine Learning. doi:10.1145/1015330.1015432
    """

    _task = "regressor"
    card = Card(
        "ensemble selection",
        "the models of a library that do best together",
        learns=(
            "a mean of chosen models",
            "squared error, or another measure, on unseen rows",
            "one model after the other",
            "greedy",
        ),
    )

    def __init__(
        self,
        estimators: Any = None,
        search: str = WITH_REPLACEMENT,
        *,
        metric: str | None = None,
        max_size: int = 30,
        cv: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.search = search
        self.metric = metric
        self.max_size = max_size
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles import VotingRegressor

        return VotingRegressor()._default_members()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._select(X, y, w, False, lambda j, model, some: numbers_of(model, some)[:, None])

    def _predict(self, X: Any) -> np.ndarray:
        return self._mean(X, lambda j, model, some: numbers_of(model, some))[1]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, _ = self._mean(X, lambda j, model, some: numbers_of(model, some))
        weights = self.weights_[self.weights_ > 0]

        def table(i: int) -> list[Section]:
            lines = [[n, float(w), float(d)] for n, w, d in zip(self.chosen_, weights, outputs[:, i])]
            title = f"Chosen members ({len(self.chosen_)} of {len(self.library_)})"
            return [Section(title, ["member", "weight", "answer"], lines)]

        return Reasons(table)
