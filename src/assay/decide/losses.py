"""Losses: what each action costs under each truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, FloatArray, Plain
from assay.errors import ParameterError
from assay.types import Floats, Losses

__all__ = ["LossMatrix", "as_loss"]


@dataclass(frozen=True)
class LossMatrix:
    """A loss table whose rows are actions and whose columns are classes.

    Attributes
    ----------
    actions : tuple of A names; often, but not always, the classes
    classes : tuple of K labels
    costs : (A, K), or (n, A, K) if every row of the data has costs of its own
        ``costs[i, k]`` is what action i costs when the truth is class k.
    """

    actions: tuple[Any, ...]
    classes: tuple[Any, ...]
    costs: np.ndarray
    stored = {
        "actions": Each(Plain(), "a"),
        "classes": Each(Plain(), "K"),
        "costs": FloatArray("a", "K"),
    }

    @property
    def per_row(self) -> bool:
        """Whether each row of the data has a table of its own."""
        return self.costs.ndim == 3

    def of(self, chosen: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(n,) what the chosen actions cost, given the true classes (both as numbers).

        >>> from assay.decide import as_loss
        >>> as_loss({("ill", "well"): 3}, ["ill", "well"]).of(np.array([0, 0, 1]), np.array([0, 1, 0]))
        array([0., 3., 1.])
        """
        rows = (np.arange(len(chosen)),) if self.per_row else ()
        costs: Floats = self.costs[*rows, chosen, truth]
        return costs


def as_loss(
    loss: Losses | LossMatrix | None,
    classes: Iterable[Any],
    actions: Iterable[Any] | None = None,
    who: str = "as_loss",
) -> LossMatrix:
    """Read a loss in any of its forms.

    Parameters
    ----------
    loss : None, dict, array (A, K) or (n, A, K), or LossMatrix
        None is the 0/1 loss: right costs 0, wrong costs 1. A dict has keys (predicted, true) and may name only
        the pairs that differ from the 0/1 loss; an action that is not a class must name all K truths. The
        rows of an array are actions, its columns truths, both in the order of ``actions`` and ``classes``.
    classes : K labels
    actions : names of the A rows of an array; None takes the classes if A = K, else the numbers 0 to A - 1

    Examples
    --------
    Calling a healthy customer a defaulter costs 1, the reverse 10, and to ask a colleague 2 in either case:

    >>> from assay.decide import as_loss
    >>> table = as_loss({("no", "yes"): 10, ("ask", "yes"): 2, ("ask", "no"): 2}, ["no", "yes"])
    >>> table.actions
    ('no', 'yes', 'ask')
    >>> table.costs
    array([[ 0., 10.],
           [ 1.,  0.],
           [ 2.,  2.]])
    """
    labels = tuple(v.item() if isinstance(v, np.generic) else v for v in classes)
    K = len(labels)
    if isinstance(loss, LossMatrix):
        if loss.classes != labels:
            raise ParameterError(
                f"{who}: the loss is for classes {list(loss.classes)}, here they are {list(labels)}."
            )
        return loss
    if isinstance(loss, Mapping):
        if actions is not None:
            raise ParameterError(
                f"{who}: a loss given as a dict names its actions itself; leave actions out."
            )
        return _from_pairs(loss, labels, who)
    if loss is None:
        return LossMatrix(labels, labels, 1.0 - np.eye(K))
    try:
        costs = np.asarray(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{who}: loss must be a dict {{(predicted, true): cost}} or an array of numbers, "
            f"got {type(loss).__name__}."
        ) from None
    if costs.ndim not in (2, 3) or costs.shape[-1] != K or costs.shape[-2] == 0:
        raise ParameterError(
            f"{who}: loss must have one row per action and one column per class: shape (actions, {K}), or "
            f"(rows, actions, {K}) for costs that differ from row to row; got shape {costs.shape}."
        )
    _finite(costs, who)
    A = costs.shape[-2]
    if actions is None:
        names = labels if A == K else tuple(range(A))
    else:
        names = tuple(actions)
        if len(names) != A or len(set(names)) != A:
            raise ParameterError(
                f"{who}: the loss has {A} actions, so {A} different names; got {list(names)}."
            )
    return LossMatrix(names, labels, costs)


def _from_pairs(pairs: Mapping[Any, Any], labels: tuple[Any, ...], who: str) -> LossMatrix:
    for key in pairs:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise ParameterError(f"{who}: the keys of a loss are pairs (predicted, true), got {key!r}.")
        if key[1] not in labels:
            raise ParameterError(
                f"{who}: the loss names the truth {key[1]!r}, which is not among classes {list(labels)}."
            )
    extra = list(dict.fromkeys(action for action, _ in pairs if action not in labels))
    for action in extra:
        open_truths = [truth for truth in labels if (action, truth) not in pairs]
        if open_truths:
            raise ParameterError(
                f"{who}: {action!r} is not a class ({list(labels)}), so its loss must be given for every truth; "
                f"missing: {open_truths}. Is it a misspelt class?"
            )
    actions = labels + tuple(extra)
    costs = np.vstack([1.0 - np.eye(len(labels)), np.zeros((len(extra), len(labels)))])
    for (predicted, truth), cost in pairs.items():
        try:
            costs[actions.index(predicted), labels.index(truth)] = cost
        except (TypeError, ValueError):
            raise ParameterError(
                f"{who}: the loss of {(predicted, truth)} must be a number, got {cost!r}."
            ) from None
    _finite(costs, who)
    return LossMatrix(actions, labels, costs)


def _finite(costs: np.ndarray, who: str) -> None:
    if not np.isfinite(costs).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(costs))[0])
        raise ParameterError(
            f"{who}: loss{list(at)} is {costs[at]}, expected finite numbers. To forbid an action, give it a loss "
            "far above the others."
        )
