"""What a learner answered on the test rows of a fold, and what can be measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.metrics import _tables
from assay.metrics._given import Scored
from assay.metrics.areas import area_of
from assay.metrics.calibration import _error as _calibration_error

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """What a learner answered on the test rows of one fold.

    Parameters
    ----------
    truth : (n,) class codes 0..K-1
    answer : (n,) class codes; -1 for an answer that is no class, such as "reject"
    posterior : (n, K) or None for a learner without probabilities
    K : number of classes
    price : (n,) what the decision on each row cost, or None if no loss was given
    rejected : (n,) bool, or None if rejecting was not allowed
    weight : (n,) how much each row counts, or None if all count alike
    labels : (K,) the classes' labels, or None for the codes themselves
    """

    truth: np.ndarray
    answer: np.ndarray
    posterior: np.ndarray | None
    K: int
    price: np.ndarray | None = None
    rejected: np.ndarray | None = None
    weight: np.ndarray | None = None
    labels: np.ndarray | None = None

    @property
    def confusion(self) -> np.ndarray:
        """(K, K + 1) counts or weights, true class by answer; the last column is of answers that are no class."""
        answer = np.where(self.answer < 0, self.K, self.answer)
        cells = np.bincount(
            self.truth * (self.K + 1) + answer, weights=self.weight, minlength=self.K * (self.K + 1)
        )
        return cells.reshape(self.K, self.K + 1)

    @property
    def square(self) -> np.ndarray:
        """(K + 1, K + 1) the confusion with a class of its own, never true, for answers that are no class."""
        return np.vstack([self.confusion, np.zeros(self.K + 1, dtype=np.int64)])

    def mean(self, values: np.ndarray) -> float:
        """The mean over rows, each counting as much as it weighs; NaN if none weighs anything."""
        if self.weight is None:
            return float(np.mean(values))
        return float(np.average(values, weights=self.weight)) if self.weight.any() else float("nan")

    def take(self, rows: np.ndarray) -> Outcome:
        """Some of the rows."""

        def part(v: np.ndarray | None) -> np.ndarray | None:
            return None if v is None else v[rows]

        return Outcome(
            self.truth[rows], self.answer[rows], part(self.posterior), self.K, part(self.price), part(self.rejected),
            part(self.weight), self.labels,
        )  # fmt: skip


def error(seen: Outcome) -> float:
    """The share of rows with a wrong answer."""
    return seen.mean(seen.answer != seen.truth)


def accuracy(seen: Outcome) -> float:
    """The share of rows with the right answer."""
    return 1 - error(seen)


def of_table(function: Callable[[np.ndarray], Any], seen: Outcome) -> float:
    """A function of the confusion table, in which answers that are no class are wrong."""
    return float(function(seen.square))


def of_classes(function: Callable[[np.ndarray], np.ndarray], seen: Outcome) -> float:
    """The mean over the K classes of what the confusion table says of each; NaN ones are left out."""
    return float(_tables.mean_of_those_there(function(seen.square)[: seen.K]))


def of_class(function: Callable[[np.ndarray], np.ndarray], label: str, seen: Outcome) -> float:
    """What the confusion table says of one class, which is named as it prints; NaN where nothing defines it."""
    labels = [str(v) for v in (range(seen.K) if seen.labels is None else seen.labels.tolist())]
    if label not in labels:
        raise ParameterError(f"compare: a metric is of class {label!r}, the classes are {', '.join(labels)}.")
    return float(function(seen.square)[labels.index(label)])


def log_loss(seen: Outcome) -> float:
    """Minus the mean logarithm of the probability given to the true class, which counts as at least 2.2e-16."""
    given = _posterior(seen)[np.arange(len(seen.truth)), seen.truth]
    return seen.mean(-np.log(np.maximum(given, np.finfo(np.float64).eps)))


def brier(seen: Outcome) -> float:
    """The mean squared distance of the posterior from the truth; of two classes only one is counted."""
    off = _posterior(seen).copy()
    off[np.arange(len(off)), seen.truth] -= 1
    return seen.mean(np.einsum("ij,ij->i", off, off)) / (2 if seen.K == 2 else 1)


def of_scores(function: Callable[[Scored], float], seen: Outcome) -> float:
    """What a class's column says of it, mean over classes if more than two.

    A class without test rows that weigh something, or with nothing else, is left out; NaN if none is left.
    """
    if seen.weight is not None and not seen.weight.all():
        seen = seen.take(np.flatnonzero(seen.weight))
    if seen.posterior is None:
        return float("nan")
    found = []
    for k in [1] if seen.K == 2 else range(seen.K):
        own = seen.truth == k
        if own.any() and not own.all():
            found.append(function(Scored(own, seen.posterior[:, k], seen.weight, k)))
    return float(np.mean(found)) if found else float("nan")


def gini(seen: Outcome) -> float:
    """Twice the area under the ROC curve less one."""
    return 2 * of_scores(area_of, seen) - 1


def lift(share: float, seen: Outcome) -> float:
    """How many times as many rows of the class the best share holds as rows drawn by lot; mean over classes."""
    from assay.metrics.gains import lift_score

    return of_scores(lambda s: lift_score(s.positive, s.score, share=share, sample_weight=s.weight), seen)


def ece(seen: Outcome) -> float:
    """Mean distance of what came true from what was forecast, in 15 bins of equal width."""
    if seen.posterior is None:
        return float("nan")
    return _calibration_error(np.clip(seen.posterior, 0, 1), seen.truth, seen.weight)


def top_k(k: int, seen: Outcome) -> float:
    """The share of rows whose class is among the k most probable ones; of equals the later class counts."""
    if seen.posterior is None:
        return float("nan")
    P, own = seen.posterior, seen.posterior[np.arange(len(seen.truth)), seen.truth][:, None]
    ahead = (own < P) | ((own == P) & (np.arange(seen.K) > seen.truth[:, None]))
    return seen.mean(ahead.sum(axis=1) < k)


def cost(seen: Outcome) -> float:
    """The mean loss of the decisions, rejected rows included at the price of rejecting."""
    if seen.price is None:
        raise ParameterError("compare: the metric cost needs a loss matrix, loss={(said, truth): cost, ...}.")
    return seen.mean(seen.price)


def rejected(seen: Outcome) -> float:
    """The share of rows on which the decision is left open."""
    if seen.rejected is None:
        raise ParameterError("compare: the metric rejected needs reject=, the price of leaving a row open.")
    return seen.mean(seen.rejected)


def _posterior(seen: Outcome) -> np.ndarray:
    if seen.posterior is None:
        return np.full((len(seen.truth), seen.K), np.nan)
    return seen.posterior
