"""Class probabilities and numbers from the rules that fire, and the conflict resolution policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.parallel import in_threads
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.measures import laplace, weighted_chi_square

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = [
    "EQUAL",
    "ballots",
    "best_order",
    "distribution",
    "mean_votes",
    "numbers_of",
    "rules_numbers",
    "rules_posterior",
    "shares",
    "tie_order",
    "voting_order",
]

AHEAD = 1e-9  # by how much, in parts, a rule's answer is kept before classes that its rows have more often
TINY = 1e-12  # no rule that fires has less weight than this
EQUAL = 1e-12  # sums of chi-squares and mean accuracies that differ by less, in parts, are equal
CELLS = 1 << 22  # rows times rules of one piece of work


def rules_posterior(base: RuleBase, values: Any, covered: np.ndarray | None = None) -> np.ndarray:
    """(n, K) the probability of each class by the policy of a rule base.

    Parameters
    ----------
    values : (n, d) float block      covered : (n, R) bool which rules cover each row, if that is known already
    """
    if base.classes is None:
        raise ValueError("rules_posterior: rules whose answers are numbers have no class probabilities.")
    probabilities = base._given  # (R + 1, K), the default last
    if base.policy == "first":
        return probabilities[base._firing.first(values) if covered is None else _first(covered)]
    if base.policy == "best":
        order = best_order(base)
        rows = base._firing.covers(values) if covered is None else covered
        return probabilities[np.append(order, -1)[_first(rows[:, order])]]
    weights = base._ballots

    def piece(rows: slice) -> np.ndarray:
        fired = base._firing.covers(values[rows]) if covered is None else covered[rows]
        if base.policy == "laplace":
            return shares(base, mean_votes(base, fired))
        return shares(base, _voting(base, fired).astype(np.float64) @ weights)

    return np.vstack(in_threads(piece, _pieces(values.shape[0], len(base.rules))))


def shares(base: RuleBase, votes: np.ndarray) -> np.ndarray:
    """(n, K) each class's share of the votes; where there are none, the default.

    Of classes with the most votes, the one that :func:`tie_order` names first is put ahead where that is not the first.
    """
    if base.policy in ("chi_square", "laplace"):
        K, top = votes.shape[1], votes.max(axis=1, initial=0.0)
        rank = np.empty(K, np.int64)
        rank[tie_order(base)] = np.arange(K)
        best = votes >= top[:, None] * (1 - EQUAL)
        tied = np.flatnonzero((best.sum(axis=1) > 1) & (top > 0))
        votes = votes.copy()
        votes[tied, np.where(best[tied], rank, K).argmin(axis=1)] = top[tied] * (1 + AHEAD)
    total = votes.sum(axis=1, keepdims=True)
    return np.where(total > 0, votes / np.where(total > 0, total, 1.0), base._given[-1])


def tie_order(base: RuleBase) -> list[int]:
    """The classes in the order in which equal votes are decided: as they stand, or the largest first."""
    K = len(base.classes or ())
    if base.policy not in ("chi_square", "laplace") or not base.totals:
        return list(range(K))
    return np.argsort(-np.asarray(base.totals), kind="stable").tolist()


def voting_order(base: RuleBase) -> np.ndarray:
    """(R,) the rules in the order in which they are tried: as they stand, or most confident first."""
    if base.policy != "laplace":
        return np.arange(len(base.rules))
    return np.argsort(-base._ballots.max(axis=1, initial=0.0), kind="stable")


def mean_votes(base: RuleBase, fired: np.ndarray) -> np.ndarray:
    """(n, K) the mean weight of the voting rules of each class; 0 if there are none."""
    order, votes = voting_order(base), np.zeros((len(fired), len(base.classes or ())))
    for k in range(votes.shape[1]):
        mine = order[base._ballots[order, k] > 0]
        heard = _voting(base, fired[:, mine])
        votes[:, k] = heard.astype(np.float64) @ base._ballots[mine, k] / np.maximum(heard.sum(axis=1), 1)
    return votes


def rules_numbers(base: RuleBase, values: Any) -> np.ndarray:
    """(n,) the numbers of a rule base by its policy: the first rule's, or the mean of all that cover a row.

    NaN where no rule covers a row and there is no default.
    """
    default = np.nan if base.default is None else base.default
    if base.policy == "first":
        first, out = base._firing.first(values), np.empty(values.shape[0])
        for r in np.unique(first):
            rows = first == r
            out[rows] = numbers_of(default if r < 0 else base.rules[r].answer, values[rows])
        return out
    weights = np.ones(len(base.rules))
    if base.policy == "support":
        weights = np.array([max(rule.n, TINY) for rule in base.rules])

    def piece(rows: slice) -> np.ndarray:
        block = values[rows]
        fired = _voting(base, base._firing.covers(block)) * weights
        total, out = fired.sum(axis=1), np.zeros(block.shape[0])
        for r in np.flatnonzero(fired.any(axis=0)):
            out += fired[:, r] * numbers_of(base.rules[r].answer, block)
        defaults = np.full(len(out), numbers_of(default, block))
        return np.divide(out, total, out=defaults, where=total > 0)

    return np.concatenate(in_threads(piece, _pieces(values.shape[0], len(base.rules))))


def numbers_of(answer: Any, values: Any) -> Any:
    """What a rule of numbers answers for the rows of a block: one number, or one for each."""
    return answer.values(values) if isinstance(answer, LinearAnswer) else float(answer)


def distribution(base: RuleBase, rule: int) -> np.ndarray:
    """(K,) the class probabilities where one rule decides; -1 means the default.

    Counts are smoothed; the answer itself is never behind another class, so that a rule predicts its own answer.
    A rule that was never measured is sure of its answer.
    """
    classes: Any = base.classes
    answer = base.default if rule < 0 else base.rules[rule].answer
    counts = base.default_counts if rule < 0 else base.rules[rule].counts
    if answer is None:
        counts = base.totals or (1.0,) * len(classes)
    if not sum(counts) and answer is not None:
        return np.array([float(c == answer) for c in classes])
    p = np.asarray(counts, np.float64) + base.smoothing
    if answer is not None and answer in classes:
        others, k = np.arange(len(p)) != classes.index(answer), classes.index(answer)
        if len(p) > 1 and p[k] <= p[others].max():
            p[k] = p[others].max() * (1 + AHEAD)
    return p / p.sum() if p.sum() > 0 else np.full(len(p), 1.0 / len(p))


def best_order(base: RuleBase) -> np.ndarray:
    """(R,) the rules, most confident first: the order of the policy "best"."""
    classes = [base.classes.index(rule.answer) for rule in base.rules]  # type: ignore[union-attr]
    return np.argsort(-base._given[np.arange(len(classes)), classes], kind="stable")


def ballots(base: RuleBase) -> np.ndarray:
    """(R, K) what each rule adds to the classes when it fires.

    The numbers are rounded to multiples of one small power of two, so that their sums are exact in whatever order
    they are added: here, in a database, or in exported code.
    """
    probabilities, K = base._given[:-1], len(base.classes or ())
    if base.policy == "counts":
        raw = [rule.counts if sum(rule.counts) else row for rule, row in zip(base.rules, probabilities)]
        weights = np.array(raw, np.float64).reshape(-1, K)
    else:
        classes = [base.classes.index(rule.answer) for rule in base.rules]  # type: ignore[union-attr]
        rows, weights = np.arange(len(classes)), np.zeros((len(classes), K))
        weights[rows, classes] = np.maximum(_weights(base, probabilities[rows, classes]), TINY)
    total = weights.sum()
    if not 0 < total < np.inf:
        return weights
    unit = 2.0 ** (np.ceil(np.log2(total)) - 50)
    return np.where(weights > 0, np.maximum(np.round(weights / unit), 1.0), 0.0) * unit


def _weights(base: RuleBase, confidence: np.ndarray) -> Any:
    """(R,) what each rule's vote weighs."""
    K = len(base.classes or ())
    if base.policy in ("chi_square", "laplace"):
        p = np.array([rule.correct or 0.0 for rule in base.rules])
        n = np.array([rule.n for rule in base.rules]) - p
        if base.policy == "laplace":
            return np.where(p + n > 0, laplace(p, n, K), 1.0)
        of_class = dict(zip(base.classes or (), base.totals))
        P = np.array([of_class.get(rule.answer, 0.0) for rule in base.rules])
        known = (p + n > 0) & (P > 0)
        adds = np.where(known, weighted_chi_square(p, n, P, sum(base.totals) - P), 0.0)
        return np.where(known, adds, adds.max(initial=0.0) or 1.0)  # a new rule is as strong as the strongest
    support = [_support(rule, base.smoothing, K) for rule in base.rules]
    weights = {"votes": 1.0, "confidence": confidence, "support": np.array(support)}
    return confidence * support if base.policy == "product" else weights[base.policy]


def _support(rule: Any, smoothing: float, K: int) -> float:
    """The share of all rows that the rule covers rightly; 1 if it was never measured."""
    if not rule.total:
        return 1.0
    return ((rule.correct or 0.0) + smoothing) / (rule.total + K * smoothing)


def _voting(base: RuleBase, covered: np.ndarray) -> np.ndarray:
    """The rules that cover a row, of more than ``top`` the first ones."""
    if base.top is None:
        return covered
    return covered & (np.cumsum(covered, axis=1) <= base.top)


def _pieces(n: int, R: int) -> list[slice]:
    step = max(1, CELLS // max(R, 1))
    return [slice(a, a + step) for a in range(0, n, step)] or [slice(0, 0)]


def _first(covered: np.ndarray) -> np.ndarray:
    """(n,) the first true column of each row; -1 if there is none."""
    if covered.shape[1] == 0:
        return np.full(len(covered), -1)
    return np.where(covered.any(axis=1), covered.argmax(axis=1), -1)
