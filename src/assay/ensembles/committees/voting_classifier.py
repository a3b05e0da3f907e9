"""A vote of different classifiers: by answers, or by any rule for their posteriors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.learner import Classifier
from assay.core.parameters import Any_, Choice, Flag
from assay.core.stored import FloatArray
from assay.core.targets import EncodedLabels
from assay.ensembles.committees.combining import CLASS_RULES, combine, normalized
from assay.ensembles.committees.committee import COMMITTEE, FOLDS, Committee, elapsed_time
from assay.ensembles.committees.weighing import (
    CLASS_WEIGHINGS,
    accuracy_weights,
    evidence_weights,
    is_weights,
    pool_weights,
    weights_of,
)
from assay.types import TableLike

__all__ = ["VotingClassifier"]

RULE_OF = {"hard": "mean", "soft": "mean"}  # the answers, or the posteriors, are averaged


def _has_posteriors(self: VotingClassifier) -> bool:
    if self.voting == "hard":
        raise AttributeError(f"predict_proba is not available when voting={self.voting!r}")
    return True


class VotingClassifier(Committee, LazyTransforms, Classifier):
    r"""Let different classifiers vote.

    With ``voting="hard"`` each member has one vote, its answer; with ``"soft"`` the posteriors are averaged,

    .. math:: P(k\mid x) = \sum_j w_j P_j(k\mid x), \qquad w_j \ge 0,\ \sum_j w_j = 1        \quad (1)

    and the other rules ("median", "min", "max", "product", "owa", "borda") are those of
    :func:`~assay.ensembles.combine`, brought to sum 1. A committee gains if its members err differently:
    see :func:`~assay.ensembles.diversity`.

    Weights can be learned from rows that the members did not see, with ``cv`` folds: "accuracy" weighs by accuracy,
    "simplex" by the least Brier score of the weighted mean,

    .. math:: w = \arg\min_{w \ge 0, 1^Tw = 1} \sum_t \sum_k \Big(\sum_j w_j P_j(k\mid x^t) - [y^t = k]\Big)^2 \quad (2)

    and "evidence" by the probability that each member gives to all these classes together, :math:`w_j \propto \prod_t
    P_j(y^t\mid x^t)`, the Bayesian combination: with many rows nearly all weight goes to one member.

    Cost: fit that of the members, ``cv`` + 1 times where weights are learned; predict that of all members; memory
    O(n K) for each member.

    Parameters
    ----------
    estimators : list of (name, classifier), default None
        The members; "drop" in place of one leaves it out. None is naive Bayes, logistic regression and a tree.
    voting : "hard", "soft" or a rule, default "hard"
    weights : (members,) numbers, "accuracy", "simplex", "evidence" or None, default None
        None weighs all alike.
    n_jobs : int or None, default None
        Most fits at a time.
    flatten_transform : bool, default True
        Whether ``transform`` of posteriors gives one row of numbers a row, or (members, n, K).
    verbose : bool, default False
        Whether to print how long each member took.
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
    classes_ : (K,)      weights_ : (members,) that sum to 1

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.ensembles import VotingClassifier
    >>> from assay.linear import LogisticRegression
    >>> from assay.trees import DecisionTreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2)
    >>> members = [("bayes", GaussianNB()), ("line", LogisticRegression()), ("tree", tree)]
    >>> VotingClassifier(members).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    0.96
    >>> VotingClassifier(members, voting="soft", weights="simplex").fit(X[::2], y[::2]).weights_.round(2)
    array([0.  , 0.33, 0.67])

    See Also
    --------
    StackingClassifier : learns how to combine      BaggingClassifier : one learner on many samples

    References
    ----------
    - Kittler, J., Hatef, M., Duin, R. P. W. and Matas, J. (1998). On combining classifiers. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 20(3), 226-239. doi:10.1109/34.667881
    """

    card = Card(
        "voting",
        "naive Bayes, logistic regression and a tree vote",
        learns=(
            "a weighted vote or mean of members",
            "that of the members; of learned weights the squared error",
            "that of the members; least squares on the simplex",
            "as the estimator",
        ),
    )
    multiclass = "as the estimator"
    accepts = {
        **COMMITTEE,
        "voting": Choice(
            "hard", "soft", *(rule for rule in CLASS_RULES if rule not in ("mean", "plurality"))
        ),
        "weights": Any_(
            "a list of numbers from 0 up, 'accuracy', 'simplex', 'evidence', or None",
            is_weights(CLASS_WEIGHINGS),
        ),
        "flatten_transform": Flag(),
        "cv": FOLDS,
    }
    stored = {"weights_": FloatArray("*", low=0, high=1)}

    def __init__(
        self,
        estimators: Any = None,
        *,
        voting: str = "hard",
        weights: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: bool = False,
        cv: Any = None,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose
        self.cv = cv
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.bayes import NaiveBayes
        from assay.linear import LogisticRegression
        from assay.trees import DecisionTreeClassifier

        return [
            ("bayes", NaiveBayes()),
            ("logistic", LogisticRegression()),
            ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ]

    def _telling(self, number: int, total: int, name: str) -> Any:
        return elapsed_time(self.verbose, number, total, name)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        target, who = EncodedLabels(y, self.classes_), type(self).__name__
        if self.voting != "hard":
            for _, model in self._members():
                self._require_posterior(model)
        names = [name for name, _ in self._all_pairs()]
        self.weights_ = weights_of(self.weights, names, [name for name, _ in self._members()], who)
        if isinstance(self.weights, str) and len(self._members()) > 1:
            parts, rows = self._unseen(X, target, w, True, lambda j, model, some: self._output(model, some))
            outputs, w_rows = np.stack(parts), None if w is None else w[rows]
            learn = {"accuracy": accuracy_weights, "simplex": pool_weights, "evidence": evidence_weights}[
                self.weights
            ]
            self.weights_ = learn(outputs, y[rows], w_rows)
        self._fit_all(X, target, w)

    def _output(self, model: Any, X: Any) -> np.ndarray:
        """(n, K) the vote or the posterior of one member."""
        ask = self._votes_of if self.voting == "hard" else self._posterior_of
        return ask(model, X, self.classes_)

    def _outputs(self, X: Any) -> np.ndarray:
        """(members, n, K)."""
        return np.stack(self._ask_all(X, lambda j, model, some: self._output(model, some)))

    def _posterior(self, X: Any) -> np.ndarray:
        rule = RULE_OF.get(self.voting, self.voting)
        weights = None if rule in ("min", "max") else self.weights_
        y = combine(self._outputs(X), rule, weights)
        return y if rule == "mean" else normalized(y)

    @available_if(_has_posteriors)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the combined posterior; not of votes (``voting="hard"``)."""
        return super().predict_proba(X)

    @available_if(_has_posteriors)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the combined posterior."""
        return super().predict_log_proba(X)

    def transform(self, X: TableLike) -> np.ndarray:
        """What the members say of each row: (n, members) class numbers, or (n, members K) posteriors."""
        check_is_fitted(self)
        outputs = self._outputs(self._admit(X))
        if self.voting == "hard":
            return outputs.argmax(axis=2).T
        return np.hstack(outputs) if self.flatten_transform else outputs

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        check_is_fitted(self)
        name = type(self).__name__.lower()
        members = [member for member, _ in self._members()]
        if self.voting == "hard":
            return np.array([f"{name}_{member}" for member in members], dtype=object)
        if not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`"
            )
        K = len(self.classes_)
        return np.array([f"{name}_{member}{k}" for member in members for k in range(K)], dtype=object)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        outputs, names = self._outputs(X), [name for name, _ in self._members()]
        heads = ["member", "weight", "answer", *(f"P({label})" for label in self.classes_.tolist())]

        def said(i: int) -> list[Section]:
            lines = [
                [name, float(weight), str(self.classes_[P.argmax()]), *map(float, P)]
                for name, weight, P in zip(names, self.weights_, outputs[:, i])
            ]
            return [Section(f"What {len(names)} members say ({self.voting})", heads, lines)]

        return Reasons(said)
