"""What classifiers made of binary ones share: tables for the members, their scores, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, is_regressor
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.learner import Classifier, Learner
from assay.core.meta_estimator import MetaEstimator, takes_tables
from assay.core.parameters import Accepted, Any_, Instance
from assay.core.routing import routing_enabled
from assay.core.stored import AnyArray, Boolean, Each, Integer, Object
from assay.errors import DataError, ParameterError
from assay.tables.rows import entries_of_rows, take_rows
from assay.types import TableLike, Target, Weights

__all__ = ["BINARY", "BinaryProblems", "Constant", "member_has", "names_with_reject"]

WORTH_THREADS = 1 << 17  # entries of all sub-problems together

BINARY: Mapping[str, Accepted] = {
    "estimator": Instance(having="fit", words="an estimator with fit") | None,
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
}


def member_has(method: str) -> Callable[[Any], bool]:
    """A condition for ``available_if``: whether the members have a method; if not, their own error says so."""

    def asked(self: BinaryProblems) -> bool:
        members = vars(self).get("estimators_")
        getattr(members[0] if members else self._template(), method)
        return True

    return asked


class BinaryProblems(MetaEstimator):
    """A classifier whose members each separate two groups of classes.

    A member that is a learner of Assay gets a table, encoded once for all members, so that nominal columns stay
    nominal and missing values missing. Any other estimator gets X as it came. In every sub-problem the labels are 0
    and 1; a member's score is its ``decision_function``, else its probability of 1 less one half, or, of a regressor,
    its number less one half: 0 is the boundary in each case.
    """

    _task = ""
    accepts: ClassVar[Mapping[str, Accepted | None]] = BINARY
    stored = {
        "_in_parts": Boolean(),
        "estimators_": Each(Object(BaseEstimator)),
        "classes_": AnyArray("K"),
    }
    estimator: Any
    n_jobs: int | None
    estimators_: list[Any]
    classes_: np.ndarray
    _in_parts: bool = False
    _member_params: Mapping[str, Any] = {}  # besides the weights, while fitting
    __metadata_request__fit = {"sample_weight": UNUSED}  # the members' to ask for

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = get_tags(self._template()).input_tags.pairwise
        return tags

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _default_estimator(self) -> Any:
        from assay.linear import LogisticRegression

        return LogisticRegression()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if fitting:
            self._in_parts = False
        else:
            check_is_fitted(self, "estimators_")
            if self._in_parts:
                return X if hasattr(X, "shape") else np.asarray(X)  # members know their columns by themselves
        return super()._admit(X, fitting)

    def _ready(self) -> None:
        check_is_fitted(self, "estimators_")

    # ------------------------------------------------------------------ metadata for the members

    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **params: Any) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : table of n rows
        y : (n,) class labels
        sample_weight : (n,) what each row counts; None counts each once
        params : passed on to the members that request them, with scikit-learn's metadata routing
        """
        sample_weight, self._member_params = self._for_members("fit", sample_weight, params)
        try:
            return super().fit(X, y, sample_weight)  # type: ignore[misc]
        finally:
            del self._member_params

    def _routes(self) -> dict[str, str]:
        return {method: method for method in ("fit", "partial_fit") if hasattr(type(self), method)}

    def _for_members(
        self, method: str, sample_weight: Any, params: Mapping[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """The weights and the other metadata for the members."""
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing

            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            routed = dict(process_routing(self, method, **weights, **params).estimator[method])
            return routed.pop("sample_weight", None), routed
        if params and method == "fit":
            raise ParameterError(
                f"{type(self).__name__}: fit got {', '.join(sorted(params))}, which reaches the members with metadata "
                "routing only: sklearn.set_config(enable_metadata_routing=True)."
            )
        return sample_weight, dict(params)

    def _part_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """What ``partial_fit`` of the members is given."""
        others = {name: value for name, value in params.items() if name != "sample_weight"}
        weights, others = self._for_members("partial_fit", params.get("sample_weight"), others)
        return others if weights is None else {"sample_weight": weights, **others}

    # ------------------------------------------------------------------ members

    def _fit_member(
        self, X: Any, target: np.ndarray, w: np.ndarray | None, rows: Any = None, n: int = 0
    ) -> Any:
        """A clone fitted with labels 0 and 1; if only one of them is there, what always says it.

        ``rows`` are those of X among all n; None for all.
        """
        if not target.any() or target.all():
            return Constant(int(target[0])).fit(X)
        params = self._member_params if rows is None else entries_of_rows(self._member_params, rows, n)
        return self._fit_clone(X, target, w, **params)

    def _of_each(self, work: Callable[[Any], Any], items: list[Any], entries: float) -> list[Any]:
        """``[work(item) for item in items]``; threads only where there is much to do."""
        few = entries < WORTH_THREADS and takes_tables(self._template())
        return self._each(work, items, 1 if few else self.n_jobs)

    def _score_members(self, X: Any) -> np.ndarray:
        """(n, members) the score of each member, 0 on its boundary."""
        count = len(self.estimators_)
        work = X.shape[0] * count * (X.shape[1] if len(X.shape) > 1 else 1)
        if work < WORTH_THREADS and self.n_jobs in (None, 1):
            return np.column_stack([self._score(k, X) for k in range(count)])
        return np.column_stack(self._of_each(lambda k: self._score(k, X), list(range(count)), work))

    def _score(self, k: int, X: Any) -> np.ndarray:
        return binary_score(self.estimators_[k], self._columns_of(k, X))

    def _columns_of(self, k: int, X: Any) -> Any:
        """The part of X that member k uses."""
        return X

    def _all_or_as_before(self, take: Callable[..., Any], *part: Any) -> Any:
        """``take(self, *part)``; if the first of all parts fails, nothing of it stays, such as wrong classes."""
        return (take if "estimators_" in vars(self) else all_or_nothing(take))(self, *part)

    def _begin_parts(self, classes: Any) -> bool:
        """Whether this is the first call of partial_fit; then the classes are set."""
        who = type(self).__name__
        if "estimators_" not in vars(self):
            if classes is None:
                raise ParameterError(f"{who}: classes must be passed on the first call to partial_fit.")
            self.classes_, self._in_parts = np.unique(classes), True
            return True
        self._in_parts = True
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ParameterError(
                f"{who}: classes={classes!r} is not the same as on last call to partial_fit."
            )
        return False

    def _adopt_columns(self) -> None:
        """Show what the members saw of the table, if that is not known yet."""
        fitted = next((m for m in self.estimators_ if hasattr(m, "n_features_in_")), None)
        for name in ("n_features_in_", "feature_names_in_"):
            if name not in vars(self) and hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    # ------------------------------------------------------------------ answers

    def _member_reasons(
        self, members: np.ndarray, X: Any, title: Callable[[int], str]
    ) -> Callable[[int], list[Section]]:
        """For each row the own reasoning of one member, by its number or -1, if it explains itself."""
        blocks: dict[int, tuple[Explanations, dict[int, int]]] = {}
        for k in np.unique(members[members >= 0]).tolist():
            if isinstance(self.estimators_[k], Classifier):
                some = np.flatnonzero(members == k)
                block = self.estimators_[k]._explain_table(take_rows(X, some))
                blocks[k] = block, {int(i): place for place, i in enumerate(some)}

        def sections(i: int) -> list[Section]:
            k = int(members[i])
            if k not in blocks:
                return []
            block, place = blocks[k]
            return [replace(s, title=f"{title(k)}: {s.title}") for s in block.reasons.sections(place[i])]

        return sections


def binary_score(model: Any, X: Any) -> np.ndarray:
    """(n,) the score of the label 1 by a member, 0 on its boundary."""
    if is_regressor(model):
        return np.asarray(model.predict(X), dtype=np.float64).ravel() - 0.5
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64).ravel()
    return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1] - 0.5


def says_one(model: Any, X: Any, score: np.ndarray) -> np.ndarray:
    """(n,) whether a member answers 1; its score decides wherever answers are known to follow it."""
    if is_regressor(model) or isinstance(model, (Classifier, Constant, LinearClassifierMixin)):
        return score > 0
    return np.asarray(model.predict(X)) == 1


class Constant(ClassifierMixin, BaseEstimator):
    """The member of a sub-problem in which only one label occurs: it always answers it.

    Parameters
    ----------
    label : 0 or 1
    """

    storable = True  # as the answer of a problem with one class
    stored = {
        **Learner.stored,
        "label": Integer(high=1),
    }

    def __init__(self, label: int = 0):
        self.label = label

    def fit(self, X: Any, y: Any = None) -> Constant:
        """Take note of the number of columns."""
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1] if len(X.shape) > 1 else 1
        return self

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the label."""
        return np.full(X.shape[0], self.label)

    def decision_function(self, X: Any) -> np.ndarray:
        """(n,) 1 for the label 1, -1 for the label 0."""
        return np.full(X.shape[0], 2.0 * self.label - 1.0)

    def predict_proba(self, X: Any) -> np.ndarray:
        """(n, 2) certainty."""
        return np.tile([1.0 - self.label, float(self.label)], (X.shape[0], 1))


def names_with_reject(classes: np.ndarray, label: Any) -> np.ndarray:
    """(K + 1,) the classes and, last, what a refusal is called; text or numbers if all are, else objects.

    >>> from assay.ensembles.binary_problems import names_with_reject
    >>> names_with_reject(np.array(["a", "b"]), "reject")
    array(['a', 'b', 'reject'], dtype='<U6')
    >>> names_with_reject(np.array([1, 2]), "reject")
    array([1, 2, 'reject'], dtype=object)
    """
    names = [*classes.tolist(), label.item() if isinstance(label, np.generic) else label]
    kinds = {type(name) for name in names}
    if kinds == {str} or kinds == {bool} or kinds <= {int, float}:
        return np.array(names)
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects


def refuse_label_of_a_class(who: str, classes: np.ndarray, label: Any) -> None:
    """A refusal needs a name of its own."""
    if label in classes.tolist():
        raise ParameterError(
            f"{who}: reject_label {label!r} is the name of a class, so refused rows could not be distinguished "
            "from it. Choose another label."
        )


def refuse_one_class(who: str, classes: np.ndarray) -> None:
    """A comparison of classes needs two."""
    if len(classes) < 2:
        raise DataError(
            f"{who} can not be fit when only one class is present: y holds {classes.tolist()[0]!r} alone. "
            "Give rows of another class."
        )
