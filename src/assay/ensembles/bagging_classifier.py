"""Bagging for classes: the mean posterior, or the vote, of classifiers fitted to random samples of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.meta_estimator import aligned, predicted_codes
from assay.core.parameters import Choice
from assay.core.stored import FloatArray, Scalar
from assay.core.targets import EncodedLabels
from assay.ensembles.bagging import BAGGING, Bagging
from assay.ensembles.out_of_bag import mean_of_outsiders
from assay.tables.rows import take_columns, take_rows
from assay.trees.shap import column_reasons
from assay.types import Estimator, RandomState, TableLike

__all__ = ["BaggingClassifier"]

NO_METADATA: Mapping[str, Any] = MappingProxyType({})  # nothing is passed on to the members


def _has_scores(self: BaggingClassifier) -> bool:
    models = getattr(self, "estimators_", None) or [self._template()]
    return hasattr(models[0], "decision_function")


class BaggingClassifier(Bagging, Classifier):
    r"""Average many classifiers, each fitted to rows drawn at random.

    A classifier that changes much with its training rows (a tree, a network) errs differently on every bag, and the
    mean of L such errors is smaller. With the posteriors :math:`P_l` of L members

    .. math:: P(k\mid x) = \frac1L\sum_{l=1}^L P_l(k\mid x)                       \quad (1)

    or, with ``combine="vote"`` (or members without posteriors), the share of members whose answer is k. Drawing with
    replacement is bagging (Breiman 1996), without replacement pasting, drawing columns random subspaces, and both
    random patches. Members trained without a row estimate how well the ensemble does, see
    :mod:`~assay.ensembles.out_of_bag`.

    Cost: fit T times the estimator; predict O(T) times the estimator's; memory O(n d) to fit, and T estimators kept.

    Parameters
    ----------
    estimator : classifier, default None
        What is fitted with each bag; None is a DecisionTreeClassifier.
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
        Whether to estimate the accuracy with the rows outside of the bags.
    warm_start : bool, default False
        Keep the members of the last fit and add to them until there are ``n_estimators``.
    n_jobs : int or None, default None
        Most members at work at a time. Members that are learners of Assay work in threads, and None takes as many as
        the machine has; others work in processes, and None is one.
    random_state : int, RandomState or None, default None
        The bag of member t depends on this and on t alone.
    verbose : int, default 0
        Passed on to joblib; progress is shown anyway where somebody watches.
    combine : "average" or "vote", default "average"
        How the members' answers are put together, see (1).

    Attributes
    ----------
    classes_ : (K,)      n_classes_ : int
    estimator_ : the estimator whose clones are the members
    estimators_, estimators_features_, estimators_samples_ : lists
        The members, and the columns and the rows that each was fitted with.
    oob_score_, oob_decision_function_ : float, (n, K)
        With ``oob_score``: accuracy and (1) by the members trained without the row.

    Examples
    --------
    >>> from assay.bayes import NaiveBayes
    >>> from assay.ensembles import BaggingClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(NaiveBayes(), 40, oob_score=True, random_state=0).fit(X, y)
    >>> round(model.oob_score_, 2), model.predict(X[:2])
    (0.95, array([0, 0]))

    See Also
    --------
    RandomForestClassifier, BaggingRegressor, AdaBoostClassifier

    References
    ----------
    - Breiman, L. (1996). Bagging predictors. Machine Learning 24, 123-140. doi:10.1007/BF00058655
    - Ho, T. K. (1998). The random subspace method for constructing decision forests. IEEE Transactions on Pattern
      Analysis and Machine Intelligence 20(8), 832-844. doi:10.1109/34.709601
    """

    card = Card(
        "bagging",
        "ten trees on samples of the rows vote",
        settings={"random_state": 0},
        learns=(
            "a mean of learners of resampled rows",
            "that of the estimator",
            "independent fits",
            "as the estimator",
        ),
    )
    multiclass = "as the estimator"
    accepts = {**BAGGING, "combine": Choice("average", "vote")}
    stored = {
        "oob_decision_function_": FloatArray("n", "K"),
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
        combine: str = "average",
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
        from assay.trees.decision_tree_classifier import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.n_classes_ = len(self.classes_)
        self._fit_members(X, EncodedLabels(y, self.classes_), w)
        if self.oob_score:
            self.oob_decision_function_, _ = mean_of_outsiders(
                self.estimators_samples_,
                lambda t, rows: self._member_posterior(t, X, rows),
                len(y),
                self.n_classes_,
            )
            self.oob_score_ = float(np.mean(np.argmax(self.oob_decision_function_, axis=1) == y))

    def _member_posterior(self, t: int, X: Any, rows: np.ndarray) -> np.ndarray:
        return self._ask(self.estimators_[t], take_columns(take_rows(X, rows), self.estimators_features_[t]))

    def _posterior(self, X: Any, routed: Any = NO_METADATA) -> np.ndarray:
        ask = lambda model, columns: self._ask(model, columns, routed)  # noqa: E731
        return sum(self._answers(X, ask)) / len(self.estimators_)  # (1)

    def _ask(self, model: Any, X: Any, routed: Any = NO_METADATA) -> np.ndarray:
        """(n, K) the posterior of one member, in the order of all classes."""
        if self.combine == "average" and hasattr(model, "predict_proba"):
            shares = np.asarray(model.predict_proba(X, **routed.get("predict_proba", {})))
            return aligned(shares, model.classes_, self.classes_)
        params = routed.get("predict", {})
        if params:
            codes = np.searchsorted(self.classes_, np.asarray(model.predict(X, **params)))
        else:
            codes = predicted_codes(model, X, self.classes_)
        return np.eye(len(self.classes_))[codes]

    def _routes(self) -> dict[str, str]:
        member = self._template()
        shares = (
            "predict_proba" if self.combine == "average" and hasattr(member, "predict_proba") else "predict"
        )
        logs = shares == "predict_proba" and hasattr(member, "predict_log_proba")
        routes = {"fit": "fit", "predict": shares, "predict_proba": shares}
        routes["predict_log_proba"] = "predict_log_proba" if logs else shares
        return routes | {"decision_function": "decision_function"}

    def predict(self, X: TableLike, **params: Any) -> np.ndarray:
        """(n,) the most probable class; ``params`` go to the members that request them, by metadata routing."""
        if not params:
            return super().predict(X)
        routed = self._for_members("predict", params)
        return self.classes_[np.argmax(self._posterior(self._admit(X), routed), axis=1)]

    def predict_proba(self, X: TableLike, **params: Any) -> np.ndarray:
        """(n, K) the mean posterior, or the votes; ``params`` as in :meth:`predict`."""
        if not params:
            return super().predict_proba(X)
        return self._posterior(self._admit(X), self._for_members("predict_proba", params))

    def predict_log_proba(self, X: TableLike, **params: Any) -> np.ndarray:
        """(n, K) the logarithm of the posterior; ``params`` as in :meth:`predict`."""
        if not params:
            return super().predict_log_proba(X)
        routed, values = self._for_members("predict_log_proba", params), self._admit(X)
        if "predict_log_proba" not in self._routes().values():
            with np.errstate(divide="ignore"):
                return np.log(self._posterior(values, routed))

        def logs(model: Any, columns: Any) -> np.ndarray:
            log_posterior = np.asarray(
                model.predict_log_proba(columns, **routed.get("predict_log_proba", {}))
            )
            return aligned(log_posterior, model.classes_, self.classes_, -np.inf)

        return np.logaddexp.reduce(self._answers(values, logs)) - np.log(len(self.estimators_))

    @available_if(_has_scores)
    def decision_function(self, X: TableLike, **params: Any) -> np.ndarray:
        """(n,) or (n, K) the mean of the members' scores; ``params`` as in :meth:`predict`."""
        more = self._for_members("decision_function", params).get("decision_function", {})
        values = self._admit(X)
        each = self._answers(values, lambda model, columns: model.decision_function(columns, **more))
        return sum(each) / len(self.estimators_)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        answers = np.stack(self._answers(X, self._ask))  # (T, n, K)
        heads = ["class", "votes", "mean probability", "lowest", "highest"]

        def votes(i: int) -> list[Section]:
            P = answers[:, i]
            counts = np.bincount(np.argmax(P, axis=1), minlength=len(self.classes_))
            lines = [
                [str(label), int(v), float(p), float(low), float(high)]
                for label, v, p, low, high in zip(self.classes_, counts, P.mean(0), P.min(0), P.max(0))
            ]
            return [Section(f"Votes of {len(P)} members", heads, lines)]

        mean, outputs = answers.mean(axis=0), [f"the probability of {label}" for label in self.classes_]
        known = None
        if self.combine == "average":
            known = self._column_contributions(X, mean, outputs, np.argmax(mean, axis=1))
        return Reasons(votes) if known is None else column_reasons(known, rows, votes)
