"""Policies of one decision compared by a log: what each would have earned, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.base import clone, is_classifier

from assay.core.explanation import text_table
from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.evaluate.prepared import prepared
from assay.learners import find_learner, is_learner
from assay.reinforcement.bandits.off_policy import OffPolicyValue, off_policy_value
from assay.sentence import Sentence
from assay.tables import Table
from assay.types import Estimator, Labels, RandomState, TableLike

__all__ = ["PolicyValues", "compare_policies"]

LEAST_PROPENSITY = (
    0.01  # below which an estimated one is taken for this, so that no row has a weight above 100
)
LOGGED = "as logged"
NEARLY_SURE = 0.95  # estimated probability of what was done, from which on the context gives it away
MOST_SURE_ROWS = 0.5  # share of such rows up to which the log is still that of a choice
MANY_ACTIONS = 10  # up to which each may be taken once
LEAST_ROWS = 2  # for an interval
ALL_EXPLAINED = 0.95  # of the variance of an action's rewards, which contexts known before it hardly explain
FEW_ROWS = 10  # in effect, by which a normal interval cannot be trusted
_LENGTHS = "contexts, actions and rewards must be of the same length."


@dataclass(frozen=True)
class PolicyValues(Sentence):
    """What policies would have earned on the decisions of a log, best first.

    Attributes
    ----------
    values : dict of policy to OffPolicyValue
    differences : dict of policy to (difference, low, high) against what was done
    actions : names of the actions      level : of the intervals
    choices : (n,) the action that the learned policy takes in each row, None without a learner
    notes : sentences on how it was estimated
    """

    values: dict[str, OffPolicyValue]
    differences: dict[str, tuple[float, float, float]]
    actions: list[Any]
    level: float
    choices: np.ndarray | None
    notes: list[str]

    @property
    def best(self) -> str:
        """The policy with the highest estimate."""
        return next(iter(self.values))

    def to_records(self) -> list[dict[str, Any]]:
        """A line for each policy, best first."""
        return [
            {
                "policy": name,
                "value": value.estimate,
                "low": value.interval[0],
                "high": value.interval[1],
                "difference": self.differences[name][0],
                "difference_low": self.differences[name][1],
                "difference_high": self.differences[name][2],
                "method": value.method,
                "effective_rows": value.effective_rows,
            }
            for name, value in self.values.items()
        ]

    def __str__(self) -> str:
        share = f"{self.level:.0%} interval"
        head = ["policy", "value", share, "against the log", share, "rows in effect"]
        rows = [
            [
                r["policy"],
                f"{r['value']:.4g}",
                f"{r['low']:.4g} to {r['high']:.4g}",
                "" if r["policy"] == LOGGED else f"{r['difference']:+.4g}",
                "" if r["policy"] == LOGGED else f"{r['difference_low']:+.4g} to {r['difference_high']:+.4g}",
                f"{r['effective_rows']:.0f}",
            ]
            for r in self.to_records()
        ]
        return "\n".join([text_table(head, rows), *self.notes])


def compare_policies(
    X: TableLike | None,
    action: Labels,
    reward: ArrayLike,
    *,
    propensity: ArrayLike | None = None,
    learner: Estimator | str | None = None,
    policies: Mapping[str, ArrayLike] | None = None,
    folds: int = 5,
    level: float = 0.95,
    random_state: RandomState = 0,
) -> PolicyValues:
    """What policies would have earned on the decisions of a log, beside what was earned.

    Judged are: each action taken always, all actions at random, ``policies`` that are given, and with a ``learner`` the
    policy that takes the action with the highest predicted reward. All predictions are out of fold: for each fold, one
    model an action learns from the rows of the other folds in which that action was taken. With them, values are doubly
    robust; without a learner they are self-normalised inverse propensities (see `off_policy_value`).

    Without ``propensity``, the probability of what was done is estimated out of fold from X by logistic regression, or
    without X from the shares of the actions. Values are then right only if whatever decided the actions is in X.

    Parameters
    ----------
    X : table of contexts, or None
    action : (n,) names or numbers of the actions that were taken
    reward : (n,) what they earned
    propensity : (n,) the probabilities with which they were taken, default None
    learner : regressor, classifier of rewards 0 and 1, or short name of one, default None
    policies : dict of name to (n,) actions, or (n, K) probabilities in the sorted order of the actions
    folds : int, default 5
    level : float, default 0.95
    random_state : seed of the folds

    Returns
    -------
    PolicyValues

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate import compare_policies
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> offer = rng.choice(["call", "mail"], 2000)
    >>> bought = (rng.random(2000) < np.where((age > 40) == (offer == "call"), 0.6, 0.2)).astype(float)
    >>> result = compare_policies({"age": age}, offer, bought, propensity=np.full(2000, 0.5), learner="tree")
    >>> result.best, bool(result.differences["by model"][1] > 0)
    ('by model', True)

    See Also
    --------
    assay.reinforcement.off_policy_value, assay.reinforcement.ModelBandit

    References
    ----------
    - Dudik, M., Langford, J. and Li, L. (2011). Doubly robust policy evaluation and learning. International Conference
      on Machine Learning, 1097-1104.
    """
    who = "compare_policies"
    if policies is not None and not isinstance(policies, Mapping):
        raise ParameterError("policies must be a dict of names to actions", who=who, got=policies)
    actions, codes, earned = _log(action, reward, who)
    n, K = len(codes), len(actions)
    table = None if X is None else Table.of(X, who=who)
    if table is not None and len(table) != n:
        raise DataError(_LENGTHS, who=who)
    check_count(who, "folds", folds, low=2)
    if learner is not None and table is None:
        raise ParameterError("a learner needs contexts to predict from: give X.", who=who)
    fold = as_generator(random_state, who).permutation(np.arange(n) % min(folds, n))
    notes = list[str]()
    p = _propensity(propensity, table, codes, K, fold, notes, who)
    predicted = None if learner is None else _predicted(learner, table, codes, earned, K, fold, who)
    candidates: dict[str, Any] = {f"always {name}": np.full(n, k) for k, name in enumerate(actions)}
    candidates["at random"] = np.full((n, K), 1 / K)
    choices = None
    if predicted is not None:
        choices = predicted.argmax(axis=1)
        candidates["by model"] = choices
        if _explained(earned, predicted[np.arange(n), codes], codes) > ALL_EXPLAINED:
            notes.append(
                "The rewards are foretold nearly without error: is a column of the contexts known only after the "
                "decision? Leave it out if so."
            )
    for name, policy in (policies or {}).items():
        if str(name) in candidates or str(name) == LOGGED:
            raise ParameterError(f"{name!r} is judged already; give the policy another name.", who=who)
        candidates[str(name)] = _coded(policy, actions, n, str(name), who)
    method = None if predicted is not None else "self-normalised"
    values = {
        name: off_policy_value(codes, earned, p, policy, predicted=predicted, method=method, level=level)
        for name, policy in candidates.items()
        if predicted is not None or _overlaps(policy, codes)
    }
    values[LOGGED] = _as_logged(earned, level)
    unheard = [name for name in candidates if name not in values]
    if unheard:
        notes.append(f"Not judged, since the log has no such decision: {', '.join(unheard)}.")
    few = [name for name, value in values.items() if value.effective_rows < FEW_ROWS and name != LOGGED]
    if few:
        notes.append(f"Fewer than {FEW_ROWS} rows in effect, so that intervals say little: {', '.join(few)}.")
    differences = {name: _against(value, earned, level) for name, value in values.items()}
    best_first = dict(sorted(values.items(), key=lambda item: -item[1].estimate))
    taken = None if choices is None else np.array(actions, dtype=object)[choices]
    return PolicyValues(best_first, differences, actions, level, taken, notes)


def _log(action: Any, reward: Any, who: str) -> tuple[list[Any], np.ndarray, np.ndarray]:
    try:
        done: Any = np.asarray(action)
    except ValueError:  # lists of different lengths
        raise DataError(
            "actions must be a list of names or numbers, one for each decision.", who=who
        ) from None
    try:
        earned = np.asarray(reward, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("rewards must be numbers.", who=who) from None
    n = len(earned) if earned.ndim == 1 else 0
    if earned.ndim != 1 or done.shape != (n,):
        raise DataError(_LENGTHS, who=who)
    if n < LEAST_ROWS:
        raise DataError(f"an interval needs two decisions or more, got {n}.", who=who)
    if not np.isfinite(earned).all():
        raise DataError(
            f"rewards must be finite numbers; row {int(np.argmin(np.isfinite(earned))) + 1} is not.", who=who
        )
    gap = [i for i, value in enumerate(done.tolist()) if value is None or value != value]
    if gap:
        raise DataError(f"the action of row {gap[0] + 1} is missing.", who=who)
    try:
        names, codes = np.unique(done, return_inverse=True)
    except TypeError:
        raise DataError("actions must be all names or all numbers.", who=who) from None
    if len(names) < 2:
        raise DataError(
            f"all rows have the action {names.tolist()[0]!r}, so no other can be judged.", who=who
        )
    if len(names) > max(MANY_ACTIONS, n // 2):
        raise DataError(
            f"{n} decisions are of {len(names)} actions, the first {names.tolist()[0]!r}: hardly any is taken "
            "twice, so nothing says what another would earn. Group them, or name the column of actions.",
            who=who,
        )
    return names.tolist(), codes, earned


def _propensity(
    propensity: Any,
    table: Table | None,
    codes: np.ndarray,
    K: int,
    fold: np.ndarray,
    notes: list[str],
    who: str,
) -> np.ndarray:
    n = len(codes)
    if propensity is not None:
        try:
            p = np.asarray(propensity, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("propensities must be numbers.", who=who) from None
        right = (p > 0) & (p <= 1)
        if p.shape != (n,) or not right.all():
            where = "" if p.shape != (n,) else f"; row {(i := int(np.argmin(right))) + 1} has {p[i]:g}"
            raise DataError(f"propensities must be above 0 and at most 1, one for each row{where}.", who=who)
        return p
    if table is None:
        notes.append("Propensities are the shares of the actions in the log.")
        shares: np.ndarray = np.bincount(codes, minlength=K) / n
        return np.take(shares, codes)
    from assay.linear import LogisticRegression

    model = prepared("logistic", LogisticRegression(), table, scale=True).estimator
    chances = np.empty(n)
    for f in np.unique(fold):
        train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        classes = np.unique(codes[train])
        if len(classes) == 1:
            chances[test] = np.where(codes[test] == classes[0], 1.0, 0.0)
            continue
        fitted = clone(model).fit(table[train], codes[train])
        posterior = fitted.predict_proba(table[test])
        place = np.full(K, -1)
        place[fitted.classes_] = np.arange(len(classes))
        place_of_action = place[codes[test]]
        chances[test] = np.where(place_of_action >= 0, posterior[np.arange(len(test)), place_of_action], 0.0)
    low = int((chances < LEAST_PROPENSITY).sum())
    notes.append(
        "Propensities are estimated from the contexts by logistic regression: right only if whatever decided the "
        "actions is among them." + (f" {low} of them are raised to {LEAST_PROPENSITY}." if low else "")
    )
    sure = float((chances > NEARLY_SURE).mean())
    if sure > MOST_SURE_ROWS:
        notes.append(
            f"In {sure:.0%} of the rows the context gives away what was done: what other actions would have earned "
            "there rests on the model alone, and intervals are too narrow. Leave out columns that follow from the "
            "action."
        )
    return np.maximum(chances, LEAST_PROPENSITY)


def _predicted(
    learner: Any, table: Any, codes: np.ndarray, earned: np.ndarray, K: int, fold: np.ndarray, who: str
) -> np.ndarray:
    """(n, K) rewards by one model an action, each row by models that have not seen its fold."""
    binary = bool(np.isin(earned, (0, 1)).all())
    if isinstance(learner, str):
        kind = "classifier" if binary and is_learner(learner, "classifier") else "regressor"
        entry = find_learner(learner, kind)
        ready = prepared(entry.name, entry.make(), table, entry.scale).estimator
    else:
        ready = prepared(type(learner).__name__, learner, table).estimator
    classifies = is_classifier(ready)
    if classifies and not binary:
        raise ParameterError("a classifier predicts rewards of 0 and 1 alone; give a regressor.", who=who)
    predicted = np.empty((len(codes), K))
    for f in np.unique(fold):
        test = np.flatnonzero(fold == f)
        for k in range(K):
            train = np.flatnonzero((fold != f) & (codes == k))
            rewards = earned[train]
            if len(np.unique(rewards)) < 2:
                predicted[test, k] = rewards[0] if len(rewards) else earned[fold != f].mean()
                continue
            model = clone(ready).fit(table[train], rewards.astype(int) if classifies else rewards)
            rows = table[test]
            predicted[test, k] = model.predict_proba(rows)[:, 1] if classifies else model.predict(rows)
    return predicted


def _coded(policy: Any, actions: list[Any], n: int, name: str, who: str) -> np.ndarray:
    """A policy's actions by number, or its probabilities."""
    answers: np.ndarray = np.asarray(policy)
    if answers.shape == (n, len(actions)) and answers.dtype.kind in "biuf":
        return answers
    if answers.shape != (n,):
        raise DataError(
            f"policy {name!r} must have an action for each of the {n} rows, or (n, {len(actions)}) probabilities.",
            who=who,
        )
    number = {value: k for k, value in enumerate(actions)}
    unknown = [value for value in answers.tolist() if value not in number]
    if unknown:
        raise DataError(
            f"policy {name!r} takes {unknown[0]!r}, which is no action of the log: {actions}.", who=who
        )
    return np.array([number[value] for value in answers.tolist()])


def _explained(earned: np.ndarray, predicted: np.ndarray, codes: np.ndarray) -> float:
    """The share that predictions explain of the variance of rewards around the mean of their action.

    What the actions explain by themselves does not count: 0 where each of them always earned the same.
    """
    unit = float(np.abs(earned).max()) or 1.0
    spread = sum(float(np.var(x) * len(x)) for x in _by_action(earned / unit, codes) if x.min() < x.max())
    return 1 - float(np.sum((earned / unit - predicted / unit) ** 2)) / spread if spread > 0 else 0.0


def _by_action(earned: np.ndarray, codes: np.ndarray) -> list[np.ndarray]:
    return np.split(earned[np.argsort(codes, kind="stable")], np.cumsum(np.bincount(codes))[:-1])


def _overlaps(policy: np.ndarray, codes: np.ndarray) -> bool:
    rows = np.arange(len(codes))
    return bool((policy[rows, codes] > 0).any() if policy.ndim == 2 else (policy == codes).any())


def _as_logged(earned: np.ndarray, level: float) -> OffPolicyValue:
    n, (mean, low, high) = len(earned), _difference(earned, level)
    error = float(earned.std(ddof=1) / np.sqrt(n))
    return OffPolicyValue("mean of the log", mean, error, (low, high), level, float(n), 1.0, earned)


def _against(value: OffPolicyValue, earned: np.ndarray, level: float) -> tuple[float, float, float]:
    """The difference from what was earned; no surer than the value itself."""
    gap, low, high = _difference(value.terms - earned, level)
    half = value.interval[1] - value.estimate
    plain = _difference(value.terms, level)
    extra = max(0.0, half - (plain[2] - plain[0]))
    return gap, low - extra, high + extra


def _difference(terms: np.ndarray, level: float) -> tuple[float, float, float]:
    mean, error = float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(terms)))
    half = float(norm.ppf((1 + level) / 2)) * error
    return mean, mean - half, mean + half
