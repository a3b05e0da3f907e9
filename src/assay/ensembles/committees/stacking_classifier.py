"""Stacked generalization for classes: a classifier that learns from the outputs of others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.meta_estimator import aligned, predicted_codes
from assay.core.multi_target import MultiTargetClassifier
from assay.core.targets import EncodedLabels, side_by_side
from assay.ensembles.committees.committee import numbers_of
from assay.ensembles.committees.stacking import Stacking
from assay.errors import ParameterError
from assay.types import TableLike

__all__ = ["StackingClassifier"]


def _final_has(method: str) -> Any:
    def asked(self: StackingClassifier) -> bool:
        getattr(vars(self).get("final_estimator_") or self._final(), method)
        return True

    return asked


class StackingClassifier(Stacking, LazyTransforms, MultiTargetClassifier):
    r"""Let a classifier learn how to combine others, from their outputs for rows that they did not learn from.

    Each member j is fitted without each of the folds and answers for its rows; the outputs :math:`d_j(x)` (posteriors,
    without that of the first of two classes) are the columns from which the final estimator f learns,

    .. math:: P(k\mid x) = f_k(d_1(x), \dots, d_L(x))                                  \quad (1)

    and then the members are fitted to all rows. A member that remembers its training rows gains nothing by that.
    Unlike weights of a vote, those of f may be negative. A ``Pipeline(PCA(), LogisticRegression())`` as f combines
    decorrelated outputs (eigenclassifiers), a tree shows in which cases which member counts, a ``StackingClassifier``
    makes a further layer.

    ``fit(X, y, groups=...)`` keeps rows of one group on one side of every fold, ``fit(X, y, times=...)`` takes blocks
    of later rows as folds. Rows that no test fold has (the first ones by time) are left out of (1), not invented.

    y may have several columns, one for each target, if the members and the final estimator take that (trees, forests,
    neighbours): outputs for all targets are then the columns for f, and ``classes_`` is a list.

    Cost: fit ``cv`` + 1 times that of the members, and the final estimator's; predict that of all members; memory
    O(n K) for each member.

    Parameters
    ----------
    estimators : list of (name, classifier), default None
        The members; a regressor learns the numbers of the classes. "drop" in place of one leaves it out. None is
         naive Bayes, logistic regression and a tree.
    final_estimator : classifier, default None
        What combines the outputs; None is LogisticRegression.
    cv : int, splitter, list of (train, test), "prefit" or None, default None, five folds
        "prefit" uses members that came fitted; then give rows that they did not learn from.
    stack_method : "auto", "predict_proba", "decision_function" or "predict", default "auto"
        The outputs; "auto" takes the first that a member has.
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
    final_estimator_ : what combines them      stack_method_ : the output taken of each
    classes_ : (K,)

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.ensembles import StackingClassifier
    >>> from assay.neighbors import KNeighborsClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StackingClassifier([("bayes", GaussianNB()), ("near", KNeighborsClassifier())]).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]), model.transform(X[:1]).shape
    (0.96, (1, 6))

    See Also
    --------
    VotingClassifier : fixed weights, or weights on the simplex

    References
    ----------
    - Wolpert, D. H. (1992). Stacked generalization. Neural Networks 5(2), 241-259. doi:10.1016/S0893-6080(05)80023-1
    - Ting, K. M. and Witten, I. H. (1999). Issues in stacked generalization. Journal of Artificial Intelligence
      Research 10, 271-289. doi:10.1613/jair.594
    """

    card = Card(
        "stacking",
        "logistic regression on the outputs of naive Bayes, logistic regression and a tree",
        learns=(
            "a learner of the answers of others",
            "that of the final estimator, on unseen rows",
            "that of the final estimator",
            "as the estimator",
        ),
    )
    multiclass = "as the estimator"

    def __init__(
        self,
        estimators: Any = None,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles.committees.voting_classifier import VotingClassifier

        return VotingClassifier()._default_members()

    def _default_final(self) -> Any:
        from assay.linear import LogisticRegression

        return LogisticRegression()

    def _may_be_member(self, model: Any) -> bool:
        return is_classifier(model) or is_regressor(model)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            several = all(
                get_tags(m).target_tags.multi_output for m in (self._final(), *dict(self._members()).values())
            )
        except (ParameterError, AttributeError, TypeError):
            return tags  # fit will say what is wrong
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = several
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_outputs_ = 1
        self._stack(X, EncodedLabels(y, self.classes_), w, True)

    def _learn_several(self, X: Any, codes: np.ndarray, w: np.ndarray | None) -> None:
        labels = side_by_side([labels[column] for labels, column in zip(self.classes_, codes.T)])
        self._stack(X, labels, w, False)

    def _posteriors(self, X: Any) -> list[np.ndarray]:
        return self.final_estimator_.predict_proba(self._answers_of(X))

    def _labels_of_targets(self, X: Any) -> np.ndarray:
        return np.asarray(self.final_estimator_.predict(self._answers_of(X)))

    def _columns(self, model: Any, method: str, X: Any) -> np.ndarray:
        if isinstance(self.classes_, list):
            return _of_targets(getattr(model, method)(X))
        if method == "predict" and is_regressor(model):
            return numbers_of(model, X)[:, None]
        if method == "predict":
            return predicted_codes(model, X, self.classes_).astype(np.float64)[:, None]
        block = np.asarray(getattr(model, method)(X), np.float64)
        if method == "predict_proba":
            block = aligned(block, model.classes_, self.classes_)
            return block[:, 1:] if block.shape[1] == 2 else block
        if block.ndim == 1:
            return block[:, None]
        fill = block.min(initial=0.0)
        return (
            aligned(block, model.classes_, self.classes_, fill)
            if block.shape[1] == len(model.classes_)
            else block
        )

    def _width(self, j: int) -> int:
        if isinstance(self.classes_, list):
            return _width_of_targets(self.classes_, self.stack_method_[j])
        K, method = len(self.classes_), self.stack_method_[j]
        return 1 if method == "predict" or K == 2 else K

    def _posterior(self, X: Any) -> np.ndarray:
        P = np.asarray(self.final_estimator_.predict_proba(self._answers_of(X)), np.float64)
        return aligned(P, self.final_estimator_.classes_, self.classes_)  # (1)

    def _choose(self, X: Any) -> np.ndarray:
        return predicted_codes(self.final_estimator_, self._answers_of(X), self.classes_)

    @available_if(_final_has("predict"))
    def predict(self, X: TableLike, **predict_params: Any) -> np.ndarray:
        """(n,) the class that the final estimator answers; parameters go to it."""
        if not predict_params:
            return super().predict(X)
        Z = self._answers_of(self._admit(X))
        return np.asarray(self.final_estimator_.predict(Z, **predict_params))

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior by the final estimator."""
        return super().predict_proba(X)

    @available_if(_final_has("decision_function"))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """The scores by the final estimator."""
        Z = self._answers_of(self._admit(X))
        return self.final_estimator_.decision_function(Z)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, names = self._outputs(X), [name for name, _ in self._members()]
        heads = ["member", "output", *(f"{k}" for k in range(max(block.shape[1] for block in outputs)))]

        def said(i: int) -> list[Section]:
            lines = [
                [name, method, *map(float, block[i])]
                for name, method, block in zip(names, self.stack_method_, outputs)
            ]
            padded = [[*line, *[""] * (len(heads) - len(line))] for line in lines]
            return [Section(f"Outputs that {type(self.final_estimator_).__name__} combines", heads, padded)]

        return Reasons(said)


def _of_targets(output: Any) -> np.ndarray:
    """(n, columns) what a member says of several targets: numbers, or posteriors without the first of two classes."""
    if not isinstance(output, list):
        return np.asarray(output, np.float64)
    return np.hstack([P[:, 1:] if P.shape[1] == 2 else P for P in output])


def _width_of_targets(classes: list[np.ndarray], method: str) -> int:
    """How many columns that has."""
    if method != "predict_proba":
        return len(classes)
    return sum(1 if len(labels) == 2 else len(labels) for labels in classes)
