"""Costs of predictions: expected cost under a loss matrix, and accuracy weighted by the classes' costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights
from assay.decide.losses import as_loss
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import labelled, numbers, one_column
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.tables.row_names import row_name
from assay.types import Labels, Losses, Target, Weights

__all__ = ["cost_per_row", "cost_sensitive_accuracy", "expected_cost"]


def cost_per_row(
    truth: Target,
    answer: Target,
    loss: Losses | str | None = None,
    *,
    classes: Labels | None = None,
    reject: Any = None,
) -> np.ndarray:
    """(n,) cost of each prediction.

    Parameters
    ----------
    truth : (n,) labels
    answer : (n,) predicted labels, or actions of the loss
    loss : {(predicted, true): cost} or a table (actions, classes), as in :func:`assay.decide.as_loss`; None is 0/1
    classes : the order of a table's columns; default the sorted labels of truth and answer
    reject : cost of "reject", a number or one per row; None treats it as any other action

    Examples
    --------
    >>> from assay.metrics import cost_per_row
    >>> cost_per_row(["ill", "well", "ill"], ["well", "ill", "ill"], {("well", "ill"): 10})
    array([10.,  1.,  0.])
    """
    who = "cost_per_row"
    y, z = one_column(truth, who, "the truth"), one_column(answer, who, "the answer")
    if len(y) != len(z) or not len(y):
        raise DataError(f"{len(y)} true labels and {len(z)} predictions.", who=who)
    if reject is not None:
        reject = numbers(reject, who, "reject", (0, 1))
        if reject.size not in (1, len(y)):
            raise DataError(f"reject must be one cost or one per row ({len(y)}), got {reject.size}.", who=who)
    rejected = (
        np.array([str(v) == "reject" for v in z.tolist()])
        if reject is not None
        else np.zeros(len(z), dtype=bool)
    )
    names = _classes(y, z[~rejected], loss, classes, who)
    table = as_loss(loss, names, who=who)
    action_of = {v: k for k, v in enumerate(table.actions)}
    code_of = {v: k for k, v in enumerate(table.classes)}
    chosen = _codes(z, action_of, rejected, who, "answer")
    codes = _codes(y, code_of, np.zeros(len(y), dtype=bool), who, "true label")
    cost = table.of(chosen, codes)
    return np.where(rejected, reject, cost) if rejected.any() else cost


def _classes(y: np.ndarray, z: np.ndarray, loss: Any, classes: Any, who: str) -> list[Any]:
    if classes is not None:
        return list(np.asarray(classes).tolist())
    if hasattr(loss, "classes"):
        return list(loss.classes)
    classes_of_rows = set(y.tolist())
    if isinstance(loss, dict):  # an action of the loss need not be a class
        actions, true_classes = {predicted for predicted, _ in loss}, {t for _, t in loss}
        classes_of_rows |= true_classes | {
            v for v in set(z.tolist()) if v not in actions or v in true_classes
        }
    else:
        classes_of_rows |= set(z.tolist())
    try:
        return sorted(classes_of_rows)
    except TypeError:
        raise DataError("the truth and the answer have labels of different types.", who=who) from None


def _codes(values: np.ndarray, place: dict[Any, int], skipped: np.ndarray, who: str, what: str) -> np.ndarray:
    codes = np.array([place.get(v, -1) for v in values.tolist()], dtype=np.int64)
    lost = (codes < 0) & ~skipped
    if lost.any():
        row = int(np.argmax(lost))
        raise DataError(
            f"the {what} {values[row]!r} of {row_name(row)} is not in the loss, which knows {list(place)}.",
            who=who,
        )
    return np.maximum(codes, 0)


def expected_cost(
    truth: Target,
    answer: Target,
    loss: Losses | None = None,
    *,
    classes: Labels | None = None,
    reject: ArrayLike | str | None = None,
    sample_weight: Weights | None = None,
) -> float:
    r"""The mean cost of the predictions, :math:`\frac1n\sum_i \lambda(\hat y_i, y_i)`: the empirical risk.

    Parameters
    ----------
    truth, answer, loss, classes, reject : as in :func:`cost_per_row`
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import expected_cost
    >>> expected_cost(["ill", "well", "ill", "well"], ["well", "ill", "ill", "well"], {("well", "ill"): 10})
    2.75
    """
    paid = cost_per_row(truth, answer, loss, classes=classes, reject=reject)
    return float(
        np.average(paid, weights=check_weights(sample_weight, len(paid), "expected_cost", squared=True))
    )


def cost_sensitive_accuracy(
    truth: Target, answer: Target, cost: ArrayLike, *, sample_weight: Weights | None = None
) -> float:
    r"""Accuracy with each row weighted by the cost of an error on its class.

    .. math:: A = \frac{\sum_k c_k n_k a_k}{\sum_k c_k n_k}

    with the classes' costs :math:`c_k`, rows :math:`n_k` and accuracies :math:`a_k`; equal costs give the accuracy.

    Parameters
    ----------
    truth, answer : (n,) labels
    cost : {class: cost}, or (K,) in the order of the sorted labels of truth and answer
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import cost_sensitive_accuracy
    >>> cost_sensitive_accuracy(["no", "no", "yes"], ["no", "no", "no"], {"no": 1, "yes": 8})
    0.2
    """
    who = "cost_sensitive_accuracy"
    pair = labelled(truth, answer, who, sample_weight)
    names = pair.labels.tolist()
    if isinstance(cost, dict):
        missing = [v for v in names if v not in cost]
        if missing:
            raise ParameterError(f"cost has no entry for class {missing[0]!r}.", who=who)
        cost = [cost[v] for v in names]
    c = numbers(cost, who, "cost")
    if c.shape != (pair.K,) or (c < 0).any():
        raise ParameterError(
            f"cost must be {pair.K} numbers from 0 up, one per class, got {cost!r}.", who=who
        )
    table = pair.table()
    whole = float(c @ table.sum(axis=1))
    if not whole > 0:
        raise ParameterError("the classes tested cost nothing, so there is nothing to weigh by.", who=who)
    return float(c @ np.diagonal(table) / whole)


def _price(outcome: Outcome) -> np.ndarray:
    if outcome.price is None:
        raise ParameterError(
            "the metric cost needs a loss matrix, loss={(predicted, true): cost, ...}.", who="compare"
        )
    return outcome.price


def _rejected(outcome: Outcome) -> np.ndarray:
    if outcome.rejected is None:
        raise ParameterError(
            "the metric rejected needs reject=, the price of leaving a row open.", who="compare"
        )
    return outcome.rejected


COST = Measure(
    "cost", OfRows(_price), "lower", "mean loss of the decisions", "costs", functions=(expected_cost,)
)
REJECTED = Measure(
    "rejected",
    OfRows(_rejected, share=True),
    "lower",
    "share of rows left undecided",
    "costs",
    bounds=(0.0, 1.0),
)
