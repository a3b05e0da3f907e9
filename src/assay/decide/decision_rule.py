"""DecisionRule: losses, rejection and new priors for any classifier that has posteriors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Choice, Seed
from assay.core.pipelines import pipeline_steps
from assay.core.stored import FloatArray
from assay.core.targets import label_codes
from assay.decide._meta import Wrapper, posterior_of
from assay.decide.decision import Decision, decide
from assay.decide.losses import LossMatrix, as_loss
from assay.decide.priors import adjust_priors, effective_priors
from assay.decide.reasoning import inner_reasoning
from assay.errors import AssayWarning, ParameterError, warn_user
from assay.types import Estimator, Floats, Label, Losses, Priors, RandomState, TableLike, Target, Weights

__all__ = ["DecisionRule"]


class DecisionRule(Wrapper):
    r"""Believe as the wrapped classifier does, decide by what errors cost.

    .. math:: \text{say } \arg\min_i \sum_k \lambda_{ik} P(C_k|x)
              \text{ if that risk is below the cost of rejecting, else reject}

    A classifier that is already fitted is used as it is, without ``fit``; change losses, rejection or priors
    as often as you like. ``fit`` fits a clone of it, as scikit-learn's meta-estimators do.

    Cost: fit that of the classifier; predict that of the classifier, and O(K^2) a row for the risks; memory O(K^2), and
    the classifier.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, fitted or not; default None is Gaussian naive Bayes
    loss : dict {(predicted, true): cost}, or (A, K) array: rows actions, columns truths; default None, 0/1 loss
        A dict may name only the pairs that differ from the 0/1 loss. Actions need not be classes.
    reject : cost of rejecting a row, default None (never reject)
        A row is rejected unless the least risk is strictly below this cost.
    priors : (K,) class priors where the rule is used, or "observed", default None (as trained)
        "observed" takes the class shares of the rows given to ``fit``: it undoes a ``class_weight``, which
        would count costs twice (there is an ``AssayWarning`` about it).
    trained_priors : (K,) priors behind the posterior; default None asks the wrapped classifier
        (``class_prior_``, ``priors_``, ``class_log_prior_``), else the class shares seen by ``fit``, times the
        classifier's ``class_weight`` if it has one.
    actions : names of the rows of a loss array
    tie : "first" (default), "random" or "reject"
    reject_label : default "reject"
        What a rejected row is called. ``predict`` returns text if the classes are text, an object array if
        they are not; give a number (such as -1) beside numeric classes to get numbers.
    random_state : seed for ``tie="random"``

    Attributes
    ----------
    classes_ : (K,) labels      actions_ : (A,) names of the actions      estimator_ : the fitted classifier

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import DecisionRule
    >>> bayes = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["no", "no", "yes", "yes"])
    >>> bayes.predict([[1.0], [2.9], [3.4], [5.0]])
    array(['no', 'no', 'yes', 'yes'], dtype='<U3')
    >>> careful = DecisionRule(bayes, loss={("yes", "no"): 10, ("no", "yes"): 1}, reject=0.5)
    >>> careful.predict([[1.0], [2.9], [3.4], [5.0]])
    array(['no', 'no', 'reject', 'yes'], dtype='<U6')
    >>> careful.risks([[3.4]]).round(3)
    array([[0.832, 1.68 ]])

    See Also
    --------
    decide : the same for posteriors
    TunedThresholdClassifierCV : a threshold chosen on rows, for probabilities that are not calibrated

    References
    ----------
    - Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory
      16(1), 41-46. doi:10.1109/TIT.1970.1054406
    - Elkan, C. (2001). The foundations of cost-sensitive learning. International Joint Conference on Artificial
      Intelligence, 973-978.
    """

    card = Card("decision rule", "decisions of a classifier by costs, rejection or new priors", wraps=True)
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "loss": Any_(),
        "reject": Any_("a cost, or None"),
        "priors": Any_("a list of probabilities, a dict of them by class, or None"),
        "trained_priors": Any_("a list of probabilities, a dict of them by class, or None"),
        "actions": Any_("a list of names, or None"),
        "reject_label": Any_("a label"),
        "tie": Choice("first", "random", "reject"),
        "random_state": Seed(),
    }
    stored = {"observed_priors_": FloatArray("K", low=0)}

    def __init__(
        self,
        estimator: Estimator | None = None,
        loss: Losses | None = None,
        reject: float | None = None,
        priors: Priors | None = None,
        trained_priors: Priors | None = None,
        *,
        actions: Sequence[Label] | None = None,
        tie: str = "first",
        reject_label: Label = "reject",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.loss = loss
        self.reject = reject
        self.priors = priors
        self.trained_priors = trained_priors
        self.actions = actions
        self.tie = tie
        self.reject_label = reject_label
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **fit_params: Any) -> Self:
        """Fit a clone of the wrapped classifier; X reaches it as it is."""
        values, target, w = self._start(X, y, sample_weight)
        self.estimator_ = self._fit_clone(values, target, w, **fit_params)
        self.observed_priors_ = effective_priors(np.asarray(target), None, w)
        self._table()  # refuse a wrong loss now, not at the first prediction
        if self.priors is None and (self.loss is not None or self.reject is not None):
            self._warn_if_weighed()
        return self

    @property
    def actions_(self) -> np.ndarray:
        """(A,) what the rule may say, apart from rejecting."""
        from assay.decide.decision import name_array

        return name_array(list(self._table().actions))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the wrapped classifier's posterior, under the new priors if there are any."""
        model = self._model()
        P = posterior_of(model, self._admit(X), self.classes_, type(self).__name__)
        if self.priors is None:
            return P
        return adjust_priors(P, self._new_priors(), self._old_priors(model))

    def decide(
        self, X: TableLike, loss: Losses | None = None, reject: ArrayLike | str | None = None
    ) -> Decision:
        """The decisions with their grounds: risks, ties, posterior.

        Parameters
        ----------
        X : table of n rows
        loss : (n, A, K) costs that differ from row to row, or another loss for this call
        reject : number or (n,) costs of rejecting for this call
        """
        P = self.predict_proba(X)
        return decide(
            P,
            self.loss if loss is None else loss,
            self.reject if reject is None else reject,
            classes=self.classes_.tolist(),
            actions=self.actions,
            tie=self.tie,
            reject_label=self.reject_label,
            random_state=self.random_state,
        )

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the actions of least risk, ``reject_label`` where the row is rejected."""
        decision = self.decide(X)
        if decision.may_reject or decision.actions != tuple(self.classes_.tolist()):
            return decision.labels
        actions: np.ndarray = self.classes_[decision.chosen]
        return actions

    def risks(self, X: TableLike) -> np.ndarray:
        """(n, A) expected loss of each action."""
        return self.decide(X).risks

    def mean_loss(self, X: TableLike, y: Target, sample_weight: Any = None) -> float:
        """Average cost of the decisions, given the true classes; a rejected row costs ``reject``."""
        decision = self.decide(X)
        truth = label_codes(y, self.classes_, len(decision), type(self).__name__)
        paid = self._table().of(np.maximum(decision.chosen, 0), truth)
        return float(np.average(np.where(decision.rejected, decision.risk, paid), weights=sample_weight))

    def score(self, X: TableLike, y: Target, sample_weight: Any = None) -> float:
        """Share of rows whose class is predicted; a rejected row, or an action that is no class, counts as not."""
        decision = self.decide(X)
        truth = label_codes(y, self.classes_, len(decision), type(self).__name__)
        actions = [*decision.actions, None]
        names = self.classes_.tolist()
        right = np.array([actions[a] == names[k] and a >= 0 for a, k in zip(decision.chosen, truth)])
        return float(np.average(right, weights=sample_weight))

    def _explain_table(self, X: Any) -> Explanations:
        model, X = self._model(), self._admit(X)
        decision = self.decide(X)
        names = self.classes_.tolist()
        return inner_reasoning(model, X, len(decision)).then(
            type(self).__name__,
            lambda i: self._sections(decision, i, dict(zip(names, map(float, decision.posterior[i])))),
            answers=decision.labels.tolist(),
            classes=names,
            posterior=decision.posterior,
        )

    def _sections(self, decision: Decision, i: int, posterior: dict[Any, float]) -> list[Section]:
        sections, names = [], self.classes_.tolist()
        if self.priors is not None:
            rows = [
                [str(label), float(old), float(new), posterior[label]]
                for label, old, new in zip(names, self._old_priors(self._model()), self._new_priors())
            ]
            sections.append(Section("Change of priors", ["class", "trained", "new", "posterior"], rows))
        return [*sections, self._risk_section(decision, i)]

    def _risk_section(self, decision: Decision, i: int) -> Section:
        costs = self._table().costs
        rows = [
            [str(action), *(float(c) for c in costs[a]), float(decision.risks[i, a])]
            for a, action in enumerate(decision.actions)
        ]
        blank = [""] * len(self.classes_)
        if self.reject is not None:
            rows.append([str(self.reject_label), *blank, float(self.reject)])
        notes = []
        if decision.tied[i]:
            notes.append("Equal risk: " + ", ".join(str(a) for a in decision.ties[i]) + ".")
        if decision.rejected[i] and self.reject is not None:
            notes.append("Rejected: no risk is below the cost of rejecting.")
        heads = ["action", *(f"if {label}" for label in self.classes_.tolist()), "risk"]
        return Section("Expected loss", heads, rows, " ".join(notes))

    def _table(self) -> LossMatrix:
        table = as_loss(
            self.loss, self.classes_, self.actions if self.loss is not None else None, type(self).__name__
        )
        if table.per_row:
            raise ParameterError(
                f"{type(self).__name__}: costs that differ from row to row belong to the rows: "
                "call decide(X, loss=costs)."
            )
        return table

    def _new_priors(self) -> Any:
        if not isinstance(self.priors, str):
            return self.priors
        if self.priors != "observed":
            raise ParameterError(
                f"{type(self).__name__}: priors must be probabilities or 'observed', got {self.priors!r}."
            )
        if not hasattr(self, "observed_priors_"):
            raise ParameterError(
                f"{type(self).__name__}: the class shares are known only after fit; give priors as numbers."
            )
        return self.observed_priors_

    def _old_priors(self, model: Any) -> np.ndarray:
        if self.trained_priors is not None:
            return np.asarray(self.trained_priors, dtype=np.float64)
        for name in ("class_prior_", "priors_"):
            if getattr(model, name, None) is not None:
                return np.asarray(getattr(model, name), dtype=np.float64)
        if hasattr(model, "class_log_prior_"):
            priors: Floats = np.exp(model.class_log_prior_)
            return priors
        if not hasattr(self, "observed_priors_"):
            raise ParameterError(
                f"{type(self).__name__}: {type(model).__name__} does not tell the priors it was trained with; give "
                "trained_priors, the class shares of its training rows."
            )
        return _reweighted(self.observed_priors_, _class_weight(model), self.classes_.tolist())

    def _warn_if_weighed(self) -> None:
        weight = _class_weight(self.estimator_)
        if weight is not None:
            warn_user(
                f"{type(self).__name__}: {type(self.estimator_).__name__} was fitted with class_weight={weight!r}, so "
                "its posteriors are not for the class shares of the data, and costs would count twice. "
                "Set priors='observed' to undo the weights, or leave class_weight out.",
                AssayWarning,
            )


def _class_weight(model: Any) -> Any:
    """The class weights of a classifier, or of the last step of a pipeline."""
    steps = pipeline_steps(model)
    return getattr(steps[-1][1] if steps else model, "class_weight", None)


def _reweighted(shares: np.ndarray, class_weight: Any, labels: list[Any]) -> np.ndarray:
    if class_weight is None:
        return shares
    if isinstance(class_weight, str):  # "balanced"
        return np.full(len(shares), 1 / len(shares))
    weighted = shares * [class_weight.get(label, 1.0) for label in labels]
    reweighted: Floats = weighted / weighted.sum()
    return reweighted
