"""An ensemble of the classifiers of a library that do best together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.targets import EncodedLabels
from assay.select.members.ensemble_selection import EnsembleSelection
from assay.select.members.select_members import WITH_REPLACEMENT
from assay.stats.significance.mcnemar import mcnemar
from assay.types import TableLike, Target

__all__ = ["EnsembleSelectionClassifier"]


class EnsembleSelectionClassifier(EnsembleSelection, Classifier):
    r"""Average the classifiers of a library that do best together.

    Out-of-fold posteriors of all members are combined greedily by :func:`~assay.select.select_members`, and the chosen
    members, weighed by how often they were taken, are fitted to all rows:
    :math:`P(k|x) = \sum_j w_j P_j(k|x)`. A library of many models, such as those that a search over parameters leaves
    behind, becomes an ensemble without a further learner.

    Cost: fit ``cv`` + 1 times that of the members; predict that of the chosen members; memory O(n K) for each member.

    Parameters
    ----------
    estimators : list of (name, classifier), default None
        The library. None is naive Bayes, logistic regression and a tree.
    search : str, default "forward with replacement"
        Or "forward", "backward", "floating", "backward floating", "beam", "exhaustive".
    metric : name of a measure, default None: "log-loss"
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
    value_ : the measure of the chosen ones together      metric_ : its name      classes_ : (K,)

    Examples
    --------
    >>> from assay.select import EnsembleSelectionClassifier
    >>> from assay.bayes import GaussianNB
    >>> from assay.neighbors import KNeighborsClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> library = [("bayes", GaussianNB()), *((f"{k}-nn", KNeighborsClassifier(k)) for k in (1, 5, 15))]
    >>> model = EnsembleSelectionClassifier(library, metric="error").fit(X, y)
    >>> bool(model.value_ <= model.single_.min())
    True

    See Also
    --------
    StackingClassifier, VotingClassifier

    References
    ----------
    - Caruana, R., Niculescu-Mizil, A., Crew, G. and Ksikes, A. (2004). Ensemble selection from libraries of models.
      International Conference on Machine Learning. doi:10.1145/1015330.1015432
    """

    card = Card(
        "ensemble selection",
        "the models of a library that do best together",
        learns=(
            "a mean of chosen models",
            "log loss, or another measure, on unseen rows",
            "one model after the other",
            "greedy",
        ),
    )
    multiclass = "as the estimator"

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
        from assay.ensembles import VotingClassifier

        return VotingClassifier()._default_members()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._select(X, EncodedLabels(y, self.classes_), w, True, self._ask)

    def _ask(self, j: int, model: Any, X: Any) -> np.ndarray:
        return self._posterior_of(model, X, self.classes_)

    def _posterior(self, X: Any) -> np.ndarray:
        return self._mean(X, self._ask)[1]

    def gain(self, X: TableLike, y: Target) -> Any:
        """McNemar's test, on new rows, of the chosen member with the largest weight against the ensemble."""
        truth, values = np.asarray(y), self._admit(X)
        outputs, mean = self._mean(values, self._ask)
        weights = self.weights_[self.weights_ > 0]
        single = self.classes_[outputs[int(weights.argmax())].argmax(axis=1)] != truth
        ours = self.classes_[mean.argmax(axis=1)] != truth
        return mcnemar(int((single & ~ours).sum()), int((ours & ~single).sum()), n=len(truth))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, _ = self._mean(X, self._ask)
        weights = self.weights_[self.weights_ > 0]
        heads = ["member", "weight", *(f"P({label})" for label in self.classes_.tolist())]

        def table(i: int) -> list[Section]:
            lines = [[n, float(w), *map(float, P)] for n, w, P in zip(self.chosen_, weights, outputs[:, i])]
            return [Section(f"Chosen members ({len(self.chosen_)} of {len(self.library_)})", heads, lines)]

        return Reasons(table)
