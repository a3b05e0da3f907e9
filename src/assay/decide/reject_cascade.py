"""A cascade of classifiers: what one refuses goes to the next, which costs more and knows more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons
from assay.core.fitting import all_or_nothing
from assay.core.meta_estimator import takes_tables
from assay.core.parameters import Any_, Choice, Range
from assay.core.stored import Each, Object, Scalar
from assay.core.targets import EncodedLabels, label_codes
from assay.decide._meta import MetaClassifier, posterior_of
from assay.decide.cascade_account import CascadeAccount, CascadeLevel
from assay.decide.decision import decide, name_array
from assay.decide.level_folds import LevelFolds
from assay.decide.losses import as_loss
from assay.decide.reasoning import inner_reasoning
from assay.ensembles.committees.folds import is_cv, row_column
from assay.errors import DataError, ParameterError
from assay.tables import RowNames
from assay.tables.rows import row_count, take_rows
from assay.types import Label, Losses, RowLabels, Splitter, TableLike, Target, Weights

__all__ = ["CascadeAccount", "CascadeLevel", "RejectCascade"]


class RejectCascade(MetaClassifier):
    r"""Ask a cheap classifier first, and a costlier one about the rows that it rejects, level by level.

    Level l answers with the action of least risk if that risk is below its cost of rejecting, else the
    row goes to level l + 1:

    .. math:: \text{level } l \text{ answers } \iff \min_i R_l(\alpha_i|x) < \lambda_l              \quad (1)

    A sensible :math:`\lambda_l` is what the next level costs, its use and the loss that is to be
    expected from there on:

    .. math:: \lambda_l = c_{l+1} + \tfrac1n \sum_t \min(\min_i R_{l+1}(\alpha_i|x^t), \lambda_{l+1})   \quad (2)

    so that cheap next levels make a level reject readily; the last level's :math:`\lambda` is the cost of a human.

    Cost: fit that of all levels, cv + 1 times where rejects are estimated; predict that of the first level, and of
    further ones for the rows they get, O(K^2) a row for the risks; memory O(n K) to fit, and all levels kept.

    Parameters
    ----------
    estimators : list of classifiers with ``predict_proba``, or None
        The levels.
        From cheap to costly; None is Gaussian naive Bayes, then logistic regression.
    rejects : float, list of floats, or "expected", default 0.1
        :math:`\lambda` of every level but the last: one for all, one for each, or by (2), with posteriors from
        cross-validation.
    reject : float or None, default None
        :math:`\lambda` of the last level: what a row costs that no level answers. None lets the last level answer all.
    costs : list of floats or None
        What it costs to ask each level about a row; None is 0.
    loss : as in DecisionRule, default None, the 0/1 loss
    train_on : "all", "rejected" or "doubtful", default "all"
        Whether each level learns from all rows, from those that the level before rejects, or from those that it rejects
        or gets wrong when they are left out of its training rows, by ``cv``: the exceptions to a rule. If these are of
        one class, from the same rows as the level before.
    cv : int, splitter or list of (train, test), default 5
        Folds for "expected" and "doubtful". ``fit(X, y, groups=...)`` keeps rows of one group on one side of each,
        ``fit(X, y, times=...)`` takes blocks of later rows as folds; a splitter's folds are those of all rows, at every
        level. Rows that no fold answers for, because its training rows are of one class or none, are neither doubtful
        nor counted in (2).
    reject_label : default "reject"

    Attributes
    ----------
    estimators_ : list of fitted classifiers      classes_ : (K,)
    rejects_ : list of the costs of rejecting, one for each level

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import RejectCascade
    >>> from assay.trees import C45Classifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]], list("aaababbb")
    >>> model = RejectCascade([GaussianNB(), C45Classifier()], rejects=0.2, costs=[1, 10]).fit(X, y)
    >>> model.level([[0.0], [3.5], [7.0]])
    array([0, 1, 0])
    >>> account = model.account(X, y)
    >>> account.levels[0].rejected == account.levels[1].asked
    True

    See Also
    --------
    DecisionRule : one classifier that rejects

    References
    ----------
    - Alpaydin, E. and Kaynak, C. (1998). Cascading classifiers. Kybernetika 34(4), 369-374.
    - Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on Information Theory
      16(1), 41-46. doi:10.1109/TIT.1970.1054406
    """

    card = Card(
        "reject cascade",
        "a cheap classifier first, a costlier one for the rows that it rejects",
        also=("cascade",),
        wraps=True,
    )
    accepts = {
        "estimators": Any_(
            "a list of classifiers, or None",
            lambda v: (
                v is None
                or (isinstance(v, (list, tuple)) and len(v) > 0 and all(hasattr(m, "fit") for m in v))
            ),
        ),
        "rejects": Any_(
            "a cost, a list of costs, or 'expected'",
            lambda v: not isinstance(v, str) or v == "expected",
        ),
        "reject": Range(0) | None,
        "costs": Any_("a list of costs, or None"),
        "loss": Any_(),
        "train_on": Choice("all", "rejected", "doubtful"),
        "cv": Any_(
            "a whole number from 2 up, a splitter, or a list of splits", lambda v: v is not None and is_cv(v)
        ),
        "reject_label": Any_("a label"),
    }
    stored = {
        "estimators_": Each(Object(BaseEstimator), "l"),
        "rejects_": Each(Scalar() | None, "l"),
        "_use_costs": Each(Scalar(low=0), "l"),
    }

    renamed = {"levels": "estimators", "levels_": "estimators_"}  # in model files of earlier versions

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        rejects: ArrayLike | str = 0.1,
        reject: float | None = None,
        *,
        costs: ArrayLike | None = None,
        loss: Losses | None = None,
        train_on: str = "all",
        cv: Splitter = 5,
        reject_label: Label = "reject",
    ):
        self.estimators = estimators
        self.rejects = rejects
        self.reject = reject
        self.costs = costs
        self.loss = loss
        self.train_on = train_on
        self.cv = cv
        self.reject_label = reject_label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(level).input_tags for level in self._levels()]
        tags.input_tags.sparse = all(t.sparse for t in inner)
        tags.input_tags.allow_nan = all(t.allow_nan for t in inner)
        tags.input_tags.string = all(t.string for t in inner)
        tags.input_tags.categorical = all(t.categorical for t in inner)
        return tags

    def _template(self) -> Any:
        """One of the levels; if some take no tables, one of these."""
        return next((level for level in self._levels() if not takes_tables(level)), self._levels()[0])

    def _levels(self) -> list[Any]:
        if self.estimators is not None:
            return list(self.estimators)
        from assay.bayes import GaussianNB
        from assay.linear import LogisticRegression

        return [GaussianNB(), LogisticRegression()]

    @all_or_nothing
    def fit(
        self,
        X: TableLike,
        y: Target,
        sample_weight: Weights | None = None,
        *,
        groups: RowLabels | None = None,
        times: RowLabels | None = None,
    ) -> Self:
        """Fit a clone of each level; X reaches them as it is.

        Parameters
        ----------
        X : table of n rows      y : (n,) classes      sample_weight : (n,) what each row counts
        groups : (n,) rows of one group are never answered for by a level that learned from others of it
        times : (n,) when each row was: levels answer for rows later than those that they learned from
        """
        who = type(self).__name__
        X, target, w = self._start(X, y, sample_weight)
        n = len(target)
        of_rows = {"groups": groups, "times": times}
        columns = {name: row_column(column, n, name, who) for name, column in of_rows.items()}
        split = {name: column for name, column in columns.items() if column is not None}
        folds = LevelFolds(self.cv, X, target, w, split, who)
        as_loss(self.loss, self.classes_, None, who)  # refuse a wrong loss now
        if self.reject_label in self.classes_.tolist():
            raise ParameterError(f"{who}: reject_label {self.reject_label!r} is the name of a class.")
        self._use_costs = self._list_of("costs", self.costs, len(self._levels()), 0.0)
        self.rejects_ = self._thresholds(folds, target, w)
        self.estimators_: list[Any] = []
        rows = np.arange(n)
        for number, template in enumerate(self._levels()):
            self.estimators_.append(folds.fit(template, rows))
            if self.train_on != "all" and number + 1 < len(self._levels()):
                aside = self._set_aside(number, template, folds, X, target, rows)
                if len(np.unique(target.codes[aside])) > 1:  # else there is nothing to tell apart among them
                    rows = aside
        return self

    def _set_aside(
        self, number: int, template: Any, folds: LevelFolds, X: Any, target: EncodedLabels, rows: np.ndarray
    ) -> np.ndarray:
        """The rows of a level, (rows,), that the next one learns from."""
        if self.train_on == "rejected":
            rejected: np.ndarray = rows[self._decide(number, take_rows(X, rows)).rejected]
            return rejected
        P, answered = folds.posteriors(template, rows)
        if not len(answered):
            return answered
        decision = decide(P, self.loss, self.rejects_[number], classes=self.classes_.tolist())
        doubtful: np.ndarray = answered[decision.rejected | (P.argmax(axis=1) != target.codes[answered])]
        return doubtful

    def _thresholds(
        self, folds: LevelFolds, target: EncodedLabels, w: np.ndarray | None
    ) -> list[float | None]:
        """The cost of rejecting of each level."""
        levels = self._levels()
        if not isinstance(self.rejects, str):
            return [*self._list_of("rejects", self.rejects, len(levels) - 1, 0.0), self.reject]
        thresholds: list[float | None] = [self.reject]
        after = self.reject
        for number in range(len(levels) - 1, 0, -1):
            P, answered = folds.posteriors(levels[number], np.arange(len(target)))
            if not len(answered):
                raise DataError(
                    "rejects='expected' needs answers for rows that levels did not learn from: folds whose training "
                    "rows are of two classes or more, and of other groups. Give rejects as numbers instead.",
                    who=type(self).__name__,
                )
            risk = decide(P, self.loss, classes=self.classes_.tolist()).risks.min(axis=1)
            paid = risk if after is None else np.minimum(risk, after)
            weights = None if w is None else w[answered]
            after = float(self._use_costs[number] + np.average(paid, weights=weights))  # (2)
            thresholds.insert(0, after)
        return thresholds

    def _list_of(self, name: str, costs: Any, length: int, default: float) -> list[float]:
        values = [default] * length if costs is None else costs
        values = [values] * length if np.isscalar(values) else list(values)
        if len(values) != length or not all(
            isinstance(v, (int, float, np.integer, np.floating)) and v >= 0 for v in values
        ):
            raise ParameterError(
                f"{type(self).__name__}: {name} must be {length} number(s) from 0 up for {len(self._levels())} levels, "
                f"got {costs!r}."
            )
        return [float(v) for v in values]

    # ------------------------------------------------------------------ answers

    def _decide(self, number: int, X: Any) -> Any:
        P = posterior_of(self.estimators_[number], X, self.classes_, type(self).__name__)
        return decide(P, self.loss, self.rejects_[number], classes=self.classes_.tolist())

    def _ready(self) -> None:
        if "estimators_" not in vars(self):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call fit with some rows first."
            )

    def _run(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[Any, ...]]:
        """For each row the level that answered (or the last one), what, its posterior and risk; and all actions."""
        X = self._admit(X)
        strange = {c for model in self.estimators_ for c in model.classes_.tolist()} - set(
            self.classes_.tolist()
        )
        if strange:
            raise ParameterError(
                f"{type(self).__name__}: a level knows the class {strange.pop()!r}, the cascade not."
            )
        n, K = row_count(X, type(self).__name__), len(self.classes_)
        level, chosen = np.zeros(n, np.int64), np.full(n, -1)
        P, risk, rows = np.zeros((n, K)), np.zeros(n), np.arange(n)
        actions: tuple[Any, ...] = tuple(self.classes_.tolist())
        for number in range(len(self.estimators_)):
            decision = self._decide(number, X if number == 0 else take_rows(X, rows))
            level[rows], chosen[rows], P[rows] = number, decision.chosen, decision.posterior
            risk[rows], actions = decision.risks.min(axis=1), decision.actions
            rows = rows[decision.rejected]
            if not len(rows):
                break
        return level, chosen, P, risk, actions

    def level(self, X: TableLike) -> np.ndarray:
        """(n,) the number of the level that answers each row, from 0; the last one also if it rejects."""
        return self._run(X)[0]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the posterior of the level that saw the row last."""
        return self._run(X)[2]

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) what the first level says that does not reject the row; the reject label if all do."""
        _, chosen, _, _, actions = self._run(X)
        if self.rejects_[-1] is None and actions == tuple(self.classes_.tolist()):
            names = self.classes_
        else:
            names = name_array(actions if self.rejects_[-1] is None else [*actions, self.reject_label])
        answers: np.ndarray = names[chosen]
        return answers

    def account(self, X: TableLike, y: Target) -> CascadeAccount:
        """What each level did with some rows, and what that costs, given their classes."""
        level, chosen, _, _, actions = self._run(X)
        truth = label_codes(y, self.classes_, len(level), type(self).__name__)
        table = as_loss(self.loss, self.classes_)
        right = (
            np.array([*actions, None], dtype=object)[chosen]
            == np.array(self.classes_.tolist(), object)[truth]
        )
        paid = table.of(np.maximum(chosen, 0), truth)
        levels = []
        for number, model in enumerate(self.estimators_):
            here, last = level == number, number == len(self.estimators_) - 1
            answered = here & (chosen >= 0)
            human = float((here & (chosen < 0)).sum()) * float(self.rejects_[-1] or 0.0) if last else 0.0
            asked = int((level >= number).sum())
            levels.append(
                CascadeLevel(
                    type(model).__name__,
                    self.rejects_[number],
                    self._use_costs[number],
                    asked,
                    int(answered.sum()),
                    asked - int(answered.sum()),
                    int((answered & ~right).sum()),
                    float(paid[answered].sum()) + human,
                )
            )
        return CascadeAccount(tuple(levels))

    def _explain_table(self, X: Any) -> Explanations:
        X = self._admit(X)
        level, _, P, _, _ = self._run(X)
        inner, place = {}, np.zeros(len(level), int)
        decisions = []
        for number, model in enumerate(self.estimators_):
            some = np.flatnonzero(level == number)
            place[some] = np.arange(len(some))
            if len(some):
                inner[number] = inner_reasoning(model, take_rows(X, some), len(some))
            asked = np.flatnonzero(level >= number)
            if len(asked):
                decisions.append(
                    (self._decide(number, take_rows(X, asked)), {int(i): t for t, i in enumerate(asked)})
                )

        def own(i: int) -> list[Section]:
            lines = []
            for number, (decision, at) in enumerate(decisions[: level[i] + 1]):
                t, cost = at[i], self.rejects_[number]
                says = "passes on" if decision.rejected[t] else str(decision.labels[t])
                least = float(decision.risks[t].min())
                lines.append(
                    [type(self.estimators_[number]).__name__, least, "" if cost is None else cost, says]
                )
            reasons = inner[level[i]].reasons.sections(place[i])
            return [*reasons, Section("Levels", ["level", "least risk", "reject at", "answer"], lines)]

        who = [f"{type(self).__name__} of {inner[k]._who(p)}" for k, p in zip(level, place)]
        rows = [inner[k].rows[p] for k, p in zip(level, place)]
        return Explanations(
            who, self.predict(X).tolist(), rows, Reasons(own), self.classes_.tolist(), P, RowNames.of(X)
        )
