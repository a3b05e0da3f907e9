"""What is measured on the test rows of a fold, and which direction is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import ParameterError

__all__ = ["METRICS", "Metric", "Outcome", "as_metrics"]


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
    """

    truth: np.ndarray
    answer: np.ndarray
    posterior: np.ndarray | None
    K: int
    price: np.ndarray | None = None
    rejected: np.ndarray | None = None

    @property
    def confusion(self) -> np.ndarray:
        """(K, K + 1) counts, true class by answer; the last column counts answers that are no class."""
        answer = np.where(self.answer < 0, self.K, self.answer)
        return np.bincount(self.truth * (self.K + 1) + answer, minlength=self.K * (self.K + 1)).reshape(
            self.K, self.K + 1
        )


@dataclass(frozen=True)
class Metric:
    """One number for one fold.

    Parameters
    ----------
    name : str
        As the table prints it.
    of : function of an Outcome, giving the number; NaN where the fold does not define it
    better : "lower" or "higher"
    words : str
        What it is, in one sentence, for the report.
    rate : bool
        A share of test rows, so that the number of rows alone bounds how sure one can be.
    needs : "posterior", "price" or ""
        What the outcome must hold.
    bounds : the smallest and the largest possible value

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate import METRICS, Outcome
    >>> seen = Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), None, 2)
    >>> METRICS["error"].of(seen), METRICS["balanced error"].of(seen)
    (0.25, 0.5)
    """

    name: str
    of: Callable[[Outcome], float]
    better: str = "lower"
    words: str = ""
    rate: bool = False
    needs: str = ""
    bounds: tuple[float, float] = field(default=(-np.inf, np.inf))

    @property
    def sign(self) -> int:
        """+1 if lower is better, -1 if higher is."""
        return 1 if self.better == "lower" else -1


def error(seen: Outcome) -> float:
    """The share of rows with a wrong answer."""
    return float(np.mean(seen.answer != seen.truth))


def balanced_error(seen: Outcome) -> float:
    """The mean, over the classes that were tested, of the share of their rows with a wrong answer."""
    counts = seen.confusion
    rows = counts.sum(axis=1)
    there = rows > 0
    return float(1 - np.mean(np.diag(counts)[there] / rows[there]))


def f1(seen: Outcome) -> float:
    """The mean over classes of 2 tp / (2 tp + fp + fn); classes neither tested nor answered are left out."""
    counts = seen.confusion
    right = np.diag(counts)
    total = counts.sum(axis=1) + counts[:, : seen.K].sum(axis=0)
    there = total > 0
    return float(np.mean(2 * right[there] / total[there]))


def log_loss(seen: Outcome) -> float:
    """Minus the mean logarithm of the probability given to the true class, which counts as at least 2.2e-16."""
    given = _posterior(seen)[np.arange(len(seen.truth)), seen.truth]
    return float(-np.mean(np.log(np.maximum(given, np.finfo(np.float64).eps))))


def brier(seen: Outcome) -> float:
    """The mean squared distance of the posterior from the truth; of two classes only one is counted."""
    posterior = _posterior(seen)
    truth = np.eye(seen.K)[seen.truth]
    return float(np.mean(np.sum((posterior - truth) ** 2, axis=1)) / (2 if seen.K == 2 else 1))


def auc(seen: Outcome) -> float:
    """P(score of a row of the class > score of another row) + P(equal)/2; mean over classes if more than two.

    A class without test rows, or with nothing else, is left out; NaN if none is left.
    """
    from scipy.stats import rankdata

    posterior = _posterior(seen)
    areas = []
    for k in [1] if seen.K == 2 else range(seen.K):
        own = seen.truth == k
        inside, outside = int(own.sum()), int((~own).sum())
        if inside and outside:
            ranks = rankdata(posterior[:, k])[own].sum()
            areas.append((ranks - inside * (inside + 1) / 2) / (inside * outside))
    return float(np.mean(areas)) if areas else float("nan")


def cost(seen: Outcome) -> float:
    """The mean loss of the decisions, rejected rows included at the price of rejecting."""
    if seen.price is None:
        raise ParameterError("compare: the metric cost needs a loss matrix, loss={(said, truth): cost, ...}.")
    return float(np.mean(seen.price))


def rejected(seen: Outcome) -> float:
    """The share of rows on which the decision is left open."""
    if seen.rejected is None:
        raise ParameterError("compare: the metric rejected needs reject=, the price of leaving a row open.")
    return float(np.mean(seen.rejected))


def _posterior(seen: Outcome) -> np.ndarray:
    if seen.posterior is None:
        return np.full((len(seen.truth), seen.K), np.nan)
    return seen.posterior


_UNIT = (0.0, 1.0)
METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric("error", error, "lower", "share of rows classified wrongly", True, "", _UNIT),
        Metric("accuracy", lambda s: 1 - error(s), "higher", "share of rows classified rightly", True, "", _UNIT),
        Metric("balanced error", balanced_error, "lower", "mean error of the classes", False, "", _UNIT),
        Metric("f1", f1, "higher", "mean over classes of the harmonic mean of precision and recall",
               False, "", _UNIT),
        Metric("log-loss", log_loss, "lower", "mean surprise at the true class, in nats", False, "posterior",
               (0.0, np.inf)),
        Metric("brier", brier, "lower", "mean squared error of the probabilities", False, "posterior",
               (0.0, 2.0)),
        Metric("auc", auc, "higher", "area under the ROC curve, mean over classes if more than two",
               False, "posterior", _UNIT),
        Metric("cost", cost, "lower", "mean loss of the decisions", False, "price"),
        Metric("rejected", rejected, "lower", "share of rows left undecided", True, "price", _UNIT),
    )
}  # fmt: skip


def as_metrics(metrics: Any) -> list[Metric]:
    """Metrics from their names; a Metric stays what it is. The first one ranks.

    >>> from assay.evaluate.metrics import as_metrics
    >>> [m.better for m in as_metrics(["error", "auc"])]
    ['lower', 'higher']
    """
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    found = [m if isinstance(m, Metric) else _named(m) for m in _listed(metrics)]
    if not found:
        raise ParameterError("compare: metrics is empty; name at least one, for example 'error'.")
    names = [m.name for m in found]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"compare: metrics names {next(n for n in names if names.count(n) > 1)!r} twice."
        )
    return found


def _listed(metrics: Any) -> Iterable[Any]:
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"compare: metrics must be a list of names, got {metrics!r}.")
    return list(metrics)


def _named(name: Any) -> Metric:
    key = str(name).strip().lower().replace("_", " ")
    key = {"log loss": "log-loss", "logloss": "log-loss", "f1 macro": "f1", "roc auc": "auc"}.get(key, key)
    if key not in METRICS:
        raise ParameterError(f"compare: there is no metric {name!r}. Known: {', '.join(METRICS)}.")
    return METRICS[key]
