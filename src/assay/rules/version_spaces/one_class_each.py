"""One hypothesis for each class, of any kind, and a refusal where none or several of them say yes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner
from assay.core.meta_estimator import MetaEstimator, fit_to
from assay.core.parameters import Any_, Choice
from assay.core.stored import Each, FloatArray, Object
from assay.core.targets import label_codes
from assay.errors import ParameterError
from assay.rules.version_spaces.one_answer import answers_with_reject, refuse_label_of_a_class
from assay.tables import Table
from assay.types import Estimator, Label, TableLike, Target

__all__ = ["OneClassEach"]


class OneClassEach(MetaEstimator, Classifier):
    r"""Learn for each class a hypothesis that says yes or no, and answer where exactly one says yes.

    To hypothesis k the rows of class k are positive and all others negative. Two classes have two hypotheses
    as well, one of the positive and one of the negative rows, so that a row like neither can be refused. Classes may
    have hypotheses of different kinds. A row that is taken for another class counts twice in the summed error,

    .. math:: E = \sum_t \sum_k 1(h_k(x^t) \ne r_k^t)                                               \quad (1)

    once for the hypothesis that misses it and once for the one that claims it.

    Cost: fit K times the estimator, each time O(n d) for the table; predict O(K) times the estimator's; memory O(n d)
    to fit, and K estimators kept.

    Parameters
    ----------
    estimator : classifier, dict {label: classifier}, or None, default None
        What is fitted for each class, with labels 0 and 1; classes that a dict does not name get a box, as all do with
        None. Learners of Assay see the columns as they are, others numbers.
    decision : "argmax" or "reject", default "argmax"
        "reject" answers the class whose hypothesis alone says yes, and refuses where none or several do; "argmax"
        answers always: the most probable class, by the hypotheses' probabilities of yes divided by their sum. Where all
        are 0 the class shares of the training rows take their place.
    reject_label : default "reject"

    Attributes
    ----------
    estimators_ : list of K fitted hypotheses; None if there is only one class

    Examples
    --------
    >>> from assay.rules import BallClassifier, BoxClassifier, OneClassEach
    >>> X = [[1, 1], [2, 2], [1, 2], [6, 6], [7, 7], [6, 7]]
    >>> kinds = {"near": BoxClassifier("specific", positive=1), "far": BallClassifier("specific", positive=1)}
    >>> model = OneClassEach(kinds, decision="reject").fit(X, ["near"] * 3 + ["far"] * 3)
    >>> model.predict([[1.5, 1.5], [6.6, 6.6], [4, 4]])
    array(['near', 'far', 'reject'], dtype='<U6')

    See Also
    --------
    BoxClassifier, BallClassifier, assay.ensembles.OneVsRestClassifier

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "one class each",
        "one yes/no hypothesis for each class, exactly one must say yes",
        learns=(
            "a description of each class",
            "that of the descriptions",
            "that of the descriptions",
            "as the estimator",
        ),
    )
    multiclass = "one-vs-rest"

    takes = frozenset({"nominal", "missing"})
    _reads_itself = True
    accepts = {
        "estimator": Any_(
            "a classifier, a dict of classifiers by label, or None",
            lambda v: (
                v is None
                or (all(hasattr(e, "fit") for e in v.values()) if isinstance(v, dict) else hasattr(v, "fit"))
            ),
        ),
        "decision": Choice("argmax", "reject"),
        "reject_label": Any_("a label"),
    }
    stored = {
        "_shares": FloatArray("K"),
        "estimators_": Each(Object(BaseEstimator), "K"),
    }

    def __init__(
        self, estimator: Estimator | None = None, *, decision: str = "argmax", reject_label: Label = "reject"
    ):
        self.estimator = estimator
        self.decision = decision
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = (
            self.estimator is None
        )  # boxes around classes that overlap overlap too
        return tags

    def _learn(self, X: Table, y: np.ndarray, w: np.ndarray | None) -> None:
        who, labels = type(self).__name__, self.classes_.tolist()
        if self.decision == "reject":
            refuse_label_of_a_class(who, self.classes_, self.reject_label)
        unknown = [k for k in self.estimator if k not in labels] if isinstance(self.estimator, dict) else []
        if unknown:
            raise ParameterError(f"{who}: estimator names the class {unknown[0]!r}, but y has {labels}.")
        totals = np.bincount(y, w, minlength=len(labels))
        self._shares = totals / totals.sum()
        self.estimators_: list[Any] = [
            self._fit_one(label, X, (y == k).astype(np.int64), w) if len(labels) > 1 else None
            for k, label in enumerate(labels)
        ]

    def _fit_one(self, label: Any, X: Table, target: np.ndarray, w: np.ndarray | None) -> Any:
        prototype = self.estimator.get(label) if isinstance(self.estimator, dict) else self.estimator
        model = self._default_estimator() if prototype is None else clone(prototype)
        return fit_to(model, self._seen_by(model, X), target, w, type(self).__name__)

    def _default_estimator(self) -> Any:
        from assay.rules.version_spaces.box_classifier import BoxClassifier

        return BoxClassifier(positive=1)

    def _template(self) -> Any:
        several = isinstance(self.estimator, dict)
        return (
            next(iter(self.estimator.values()), self._default_estimator()) if several else super()._template()
        )

    def _seen_by(self, model: Any, X: Table) -> Any:
        """The table as it is for learners of Assay, the block of numbers for others."""
        return X if isinstance(model, Learner) else X.values

    def fires(self, X: TableLike) -> np.ndarray:
        """(n, K) bool: which hypotheses accept the row."""
        return self._fires(self._admit(X))

    def _fires(self, X: Table) -> np.ndarray:
        if self.estimators_[0] is None:
            return np.ones((len(X), 1), bool)
        fired = [np.asarray(model.predict(self._seen_by(model, X))) == 1 for model in self.estimators_]
        return np.column_stack(fired)

    def _posterior(self, X: Table) -> np.ndarray:
        if self.estimators_[0] is None:
            return np.ones((len(X), 1))
        scores = []
        for model in self.estimators_:
            block = self._seen_by(model, X)
            if hasattr(model, "predict_proba"):
                scores.append(np.asarray(model.predict_proba(block))[:, 1])
            else:
                scores.append((np.asarray(model.predict(block)) == 1).astype(np.float64))
        yes = np.column_stack(scores)
        total = yes.sum(axis=1, keepdims=True)
        return np.where(total > 0, yes / np.where(total > 0, total, 1.0), self._shares)

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class; with ``decision="reject"`` the reject label where none or several accept the row."""
        if self.decision != "reject":
            return super().predict(X)
        fires = self._fires(self._admit(X))
        chosen = np.where(fires.sum(axis=1) == 1, fires.argmax(axis=1), -1)
        return answers_with_reject(self.classes_, chosen, self.reject_label)

    def summed_error(self, X: TableLike, y: Target) -> int:
        """The number of errors of the hypotheses, summed over classes and rows: (1)."""
        fires = self.fires(X)
        codes = label_codes(y, self.classes_, len(fires), type(self).__name__)
        return int((fires != (codes[:, None] == np.arange(len(self.classes_)))).sum())  # (1)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        fires = self._fires(X)
        inner = {
            k: model._explain_table(self._seen_by(model, X)).reasons
            for k, model in enumerate(self.estimators_)
            if isinstance(model, Classifier) and fires[:, k].any()
        }

        def sections(i: int) -> list[Section]:
            lines = [
                [str(label), type(model).__name__ if model is not None else "always", "yes" if yes else "no"]
                for label, model, yes in zip(self.classes_, self.estimators_, fires[i])
            ]
            answers = Section("What each hypothesis says", ["class", "hypothesis", "answer"], lines)
            return [answers] + [
                replace(section, title=f"{self.classes_[k]}: {section.title}")
                for k, reasons in inner.items()
                if fires[i, k]
                for section in reasons.sections(i)
            ]

        return Reasons(sections)

    def __str__(self) -> str:
        if "estimators_" not in vars(self):
            return repr(self)
        lines = []
        for label, model in zip(self.classes_, self.estimators_):
            lines += [f"{label}", *(f"  {line}" for line in str(model or "anything").splitlines())]
        return "\n".join(lines)
