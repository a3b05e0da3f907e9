"""One against the rest: a binary classifier for each class."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Classifier, python_label, python_labels
from assay.core.parameters import Any_, Choice
from assay.core.scores import winner
from assay.core.stored import Boolean
from assay.core.targets import check_weights, label_codes, plain_values
from assay.ensembles.binary_problems import (
    BINARY,
    BinaryProblems,
    member_has,
    names_with_reject,
    refuse_label_of_a_class,
)
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.tables.rows import take_rows
from assay.types import Estimator, Label, Labels, TableLike, Target, Weights

__all__ = ["OneVsRestClassifier"]

RARE_SHARE = 0.2  # of the rows; the member of a rarer class may reject everything
MAX_CHECKED = 1000  # rows of a rare class on which its member is checked


class OneVsRestClassifier(BinaryProblems, Classifier):
    r"""Fit one binary classifier per class against all others, and answer the class with the highest score.

    Member k learns class k against all other rows. With its score :math:`g_k` (positive: class k)

    .. math:: \hat y = \arg\max_k g_k(x)                                                            \quad (1)

    or, with ``decision="reject"``, the only class whose score is positive, and a refusal where none or several are.
    The largest score compares members fairly only if their scores are on one scale. Probabilities are
    the members' own, divided by their sum; where all are 0 each class gets the same.

    Two classes need one member. A target with several columns of 0 and 1 has labels that do not exclude each other:
    each gets a member, and ``predict`` gives all labels whose score is positive.

    Cost: fit K times the estimator on all O(n d) entries; predict O(K) times the estimator's; memory O(n d) to fit, and
    K estimators kept.

    Parameters
    ----------
    estimator : classifier or regressor, default None
        What is fitted for each class, with labels 0 and 1; None is a LogisticRegression. Learners of Assay get raw
        tables.
    n_jobs : int or None, default None
        Most members at work at a time. Members that are learners of Assay work in threads, and None takes as many as
        the machine has; others work in processes, and None is one.
    verbose : int, default 0
        Of no effect; progress is shown where somebody watches.
    decision : "argmax" or "reject", default "argmax"
        Whether (1) answers always, or only where exactly one score is positive.
    reject_label : default "reject"
        What a refused row is called: ``predict`` returns text if the classes are text, else an object array, unless
        a number (such as -1) stands beside numeric classes.

    Attributes
    ----------
    estimators_ : list of K members (one for two classes)
    classes_ : (K,)      n_classes_ : int      multilabel_ : bool
    label_binarizer_ : scikit-learn's LabelBinarizer of the target

    Warns
    -----
    AssayWarning
        If a class with less than a fifth of the rows is lost: its member rejects each of its rows.

    Examples
    --------
    Three groups in a row; the middle one lies on no side of a plane alone:

    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.ensembles import OneVsRestClassifier
    >>> X, y = [[-3.0], [-2.0], [-0.5], [0.5], [2.0], [3.0]], ["left", "left", "middle", "middle", "right", "right"]
    >>> model = OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject").fit(X, y)
    >>> model.predict([[-4.0], [0.0], [4.0]])
    array(['left', 'reject', 'right'], dtype='<U6')

    See Also
    --------
    OneVsOneClassifier, OutputCodeClassifier

    References
    ----------
    - Rifkin, R. and Klautau, A. (2004). In defense of one-vs-all classification. Journal of Machine Learning
      Research 5, 101-141.
    """

    card = Card(
        "one vs rest",
        "one classifier for each class against all others",
        also=("ovr",),
        learns=(
            "a classifier of each class against the others",
            "that of the estimator, for each class",
            "that of the estimator",
            "as the estimator",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        **BINARY,
        "verbose": Any_("a whole number or a flag", lambda v: isinstance(v, (Integral, bool))),
        "decision": Choice("argmax", "reject"),
        "reject_label": Any_("a label"),
    }
    stored = {
        "_of_several": Boolean(),
        "_sparse_target": Boolean(),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
        decision: str = "argmax",
        reject_label: Label = "reject",
    ):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.decision = decision
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = False
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **params: Any) -> Self:
        """Fit a member for each class.

        Parameters
        ----------
        X : table of n rows
        y : (n,) class labels, or (n, K) of 0 and 1, dense or sparse, for labels that do not exclude each other
        sample_weight : (n,) what each row counts; None counts each once
        params : passed on to the members that request them, with scikit-learn's metadata routing
        """
        indicators = _indicators(y)
        if indicators is None:
            self._of_several, self._sparse_target = False, False
            return super().fit(X, y, sample_weight, **params)
        self._check_parameters()
        if self.decision == "reject":
            raise ParameterError(
                "OneVsRestClassifier: y has several labels a row, so there is no one answer to reject. Use "
                "decision='argmax'."
            )
        values = self._admit(X, fitting=True)
        if indicators.shape[0] != values.shape[0]:
            raise DataError(
                f"OneVsRestClassifier: X has {values.shape[0]} rows and y has {indicators.shape[0]}."
            )
        self._of_several, self._sparse_target = True, hasattr(y, "tocsc")
        self.classes_ = np.arange(indicators.shape[1])
        sample_weight, self._member_params = self._for_members("fit", sample_weight, params)
        try:
            self._fit_members(values, indicators.T, check_weights(sample_weight, values))
        finally:
            del self._member_params
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        if self.decision == "reject" and K > 2:
            refuse_label_of_a_class(type(self).__name__, self.classes_, self.reject_label)
        targets = (y == 1)[None] if K <= 2 else y == np.arange(K)[:, None]
        self._fit_members(X, targets, w)
        if K > 2:
            self._warn_of_rejecting(X, y)

    def _fit_members(self, X: Any, targets: np.ndarray, w: np.ndarray | None) -> None:
        for k, target in enumerate(targets):
            if target.all() or not target.any():
                negation = "" if target.any() else "not "
                named = (
                    f"Label {negation}{self.classes_[k]}"
                    if len(self.classes_) > 1
                    else f"Label {self.classes_[0]}"
                )
                warn_user(
                    f"OneVsRestClassifier: {named} is present in all training examples, so there is nothing to "
                    "separate it from; it is always answered.",
                    AssayWarning,
                )
        self.estimators_ = self._of_each(
            lambda target: self._fit_member(X, target.astype(np.int64), w),
            list(targets),
            targets.size * X.shape[-1],
        )
        self._adopt_columns()

    def _warn_of_rejecting(self, X: Any, y: np.ndarray) -> None:
        """Warn of rare classes whose member rejects each of their rows."""
        counts = np.bincount(y, minlength=len(self.classes_))
        lost = []
        for k in np.flatnonzero(counts < RARE_SHARE * len(y)):
            class_rows = np.flatnonzero(y == k)[:MAX_CHECKED]
            if not (self._score(int(k), take_rows(X, class_rows)) > 0).any():
                lost.append(k)
        if lost:
            k = min(lost, key=lambda k: counts[k])
            more = f" (and {len(lost) - 1} more classes)" if len(lost) > 1 else ""
            warn_user(
                f"OneVsRestClassifier: class {self.classes_[k]} has {counts[k]} of {len(y)} rows, and its member "
                f"rejects each of them{more}: the other classes outweigh it. Balance the estimator "
                "(class_weight='balanced' or sample_weight), or use OneVsOneClassifier, whose members are fitted to "
                "two classes each.",
                AssayWarning,
            )

    @available_if(member_has("partial_fit"))
    def partial_fit(self, X: TableLike, y: Target, classes: Labels | None = None, **params: Any) -> Self:
        """Let each member learn some more rows.

        Parameters
        ----------
        X, y : some rows; labels, not columns of them
        classes : all class labels; needed in the first call, since some rows may lack some
        params : passed on to the members, such as sample_weight
        """
        return self._all_or_as_before(OneVsRestClassifier._take, X, y, classes, self._part_params(params))

    def _take(self, X: Any, y: Any, classes: Any, params: dict[str, Any]) -> Self:
        """One block of rows."""
        self._check_parameters()
        if self._begin_parts(classes):
            self._of_several, self._sparse_target = False, False
            count = 1 if len(self.classes_) <= 2 else len(self.classes_)
            self.estimators_ = [clone(self._template()) for _ in range(count)]
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        codes = label_codes(y, self.classes_, n, "OneVsRestClassifier")
        single = len(self.estimators_) == 1

        def more(k: int) -> None:
            target = (codes == (1 if single else k)).astype(np.int64)
            self.estimators_[k].partial_fit(X, target, classes=np.array([0, 1]), **params)

        self._of_each(more, list(range(len(self.estimators_))), n * len(self.estimators_))
        self._adopt_columns()
        return self

    @property
    def multilabel_(self) -> bool:
        """Whether the labels do not exclude each other."""
        return self._of_several

    @property
    def label_binarizer_(self) -> Any:
        """scikit-learn's LabelBinarizer, as fitted to the target."""
        from sklearn.preprocessing import LabelBinarizer

        made = LabelBinarizer(sparse_output=True)
        made.classes_, made.sparse_input_ = self.classes_, self._sparse_target
        kind = "binary" if len(self.classes_) <= 2 else "multiclass"
        made.y_type_ = "multilabel-indicator" if self._of_several else kind
        return made

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the answers; of labels that do not exclude each other (n, K) of 0 and 1, sparse if the target was."""
        values = self._admit(X)
        if not self._of_several:
            chosen = self._chosen(self._score_members(values))
            names = names_with_reject(self.classes_, self.reject_label) if self._may_reject else self.classes_
            return names[chosen]
        yes = (self._score_members(values) > 0).astype(np.int64)
        if not self._sparse_target:
            return yes
        from scipy.sparse import csr_array

        return csr_array(yes)

    @property
    def _may_reject(self) -> bool:
        return self.decision == "reject" and len(self.estimators_) > 1

    def _chosen(self, scores: np.ndarray) -> np.ndarray:
        """(n,) the number of the answered class, -1 for none."""
        if scores.shape[1] == 1:
            return np.minimum((scores[:, 0] > 0).astype(np.int64), len(self.classes_) - 1)
        best = winner(scores)  # (1)
        return np.where((scores > 0).sum(axis=1) == 1, best, -1) if self._may_reject else best

    def _choose(self, X: Any) -> np.ndarray:
        return self._chosen(self._score_members(X))

    @available_if(member_has("decision_function"))
    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) for two classes, else (n, K): the score of each member."""
        scores = self._score_members(self._admit(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @available_if(member_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the members' probabilities of yes, made to sum to 1 if the classes exclude each other."""
        return self._posterior(self._admit(X))

    @available_if(member_has("predict_proba"))
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _posterior(self, X: Any) -> np.ndarray:
        posteriors = self._of_each(
            lambda m: np.asarray(m.predict_proba(X))[:, 1], self.estimators_, X.shape[0]
        )
        yes = np.column_stack(posteriors)
        if self._of_several:
            return yes
        if yes.shape[1] == 1:
            return np.hstack((1 - yes, yes))[:, : len(self.classes_)]
        total = yes.sum(axis=1, keepdims=True)
        return np.divide(yes, total, out=np.full_like(yes, 1 / yes.shape[1]), where=total > 0)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        scores = self._score_members(X)
        single = scores.shape[1] == 1
        labels = self.classes_[-1:] if single else self.classes_
        members = np.full(len(scores), -1)
        if self._of_several:
            answers: list[Any] = [python_labels(self.classes_[g > 0]) for g in scores]
        else:
            codes = self._chosen(scores)
            answers = [python_label(self.classes_[k]) if k >= 0 else self.reject_label for k in codes]
            known = np.isin(np.array(answers, dtype=object), self.classes_.astype(object))
            members = np.where(known, 0 if single else codes, -1)
        inner = self._member_reasons(members, X, lambda k: f"Member {labels[k]}")
        note = "To a member 1 is its class, and 0 all others."

        def sections(i: int) -> list[Section]:
            lines = [[str(c), float(g), "yes" if g > 0 else "no"] for c, g in zip(labels, scores[i])]
            heads = ["class", "score", "answer"]
            return [Section("The score of each member for its class", heads, lines, note), *inner(i)]

        posterior = self._posterior(X) if hasattr(self, "predict_proba") else None
        return Explanations(
            type(self).__name__, answers, rows, Reasons(sections), python_labels(self.classes_), posterior
        )


def _indicators(y: Any) -> np.ndarray | None:
    """(n, K) of bool, if y has columns of 0 and 1; None if it is one column of labels."""
    if y is None or (isinstance(y, np.ndarray) and y.ndim == 1):
        return None
    block = y.toarray() if hasattr(y, "toarray") else np.asarray(plain_values(y))
    if block.ndim != 2 or block.shape[1] < 2:
        return None
    if not np.isin(block, (0, 1)).all():
        raise DataError(
            "OneVsRestClassifier: y has several columns, expected 0 and 1 in them (multilabel-indicator); "
            "multiclass-multioutput targets are not supported. Fit one classifier for each column."
        )
    return block != 0
