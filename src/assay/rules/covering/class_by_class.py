"""Rules class by class: the order of the classes, and what each leaves to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.rulebase.conditions import RowTest
from assay.rules.covering.growing import ClassRows, Draft, RankedTable

__all__ = ["class_by_class", "class_sequence", "rarest_first"]


def rarest_first(totals: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The class codes by their weight; classes of equal weight in the order in which the rows show them first.

    Parameters
    ----------
    totals : (K,) weights      y : (n,) codes of the rows that weigh something

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rules.covering.class_by_class import rarest_first
    >>> rarest_first(np.array([2.0, 1.0, 2.0]), np.array([2, 0, 2, 1, 0]))
    array([1, 2, 0])
    """
    first = np.full(len(totals), len(y))
    np.minimum.at(first, y, np.arange(len(y)))
    return np.lexsort((first, totals))


def class_sequence(
    order: Any, classes: np.ndarray, y: np.ndarray, w: np.ndarray | None, who: str
) -> tuple[np.ndarray, np.ndarray]:
    """The class codes in the order in which they get their rules, the last one the default; and their weights.

    Parameters
    ----------
    order : "rarest first", or all labels
        Classes of equal weight stand in the order in which the rows show them first.
    classes : (K,) labels      y : (n,) codes      w : (n,) weights or None

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rules.covering.class_by_class import class_sequence
    >>> class_sequence("rarest first", np.array(["a", "b", "c"]), np.array([2, 0, 2, 1, 0]), None, "Learner")
    (array([1, 2, 0]), array([2., 1., 2.]))
    """
    totals = np.bincount(y, w, minlength=len(classes)).astype(np.float64)
    if isinstance(order, str):
        return rarest_first(totals, y if w is None else y[w > 0]), totals
    place = {label: k for k, label in enumerate(classes.tolist())}
    labels = np.asarray(order, dtype=object).ravel().tolist()
    if len(labels) != len(place) or set(labels) != set(place):
        raise ParameterError(
            f"{who}: class_order must list each class once: {', '.join(map(repr, place))}; got {order!r}."
        )
    return np.array([place[label] for label in labels]), totals


def class_by_class(
    table: RankedTable,
    y: np.ndarray,
    sequence: np.ndarray,
    learn: Callable[[int, ClassRows], list[Draft]],
) -> list[tuple[tuple[RowTest, ...], int]]:
    """Rules of each class but the last, from the rows that no rule of an earlier class covers.

    Parameters
    ----------
    y : (n,) class codes      sequence : (K,) the classes in order
    learn : function of a class code and its ClassRows; gives its rules in order
    """
    rules: list[tuple[tuple[RowTest, ...], int]] = []
    rows, order = np.arange(table.n), table.order
    for k in sequence[:-1].tolist():
        positive = y[rows] == k
        if not positive.any():
            continue
        data = ClassRows(table, rows, positive, order)
        order, left = data.order, np.ones(len(rows), bool)
        for draft in learn(k, data):
            rules.append((table.conditions(draft), k))
            left &= ~data.covers(draft)
        rows = rows[left]
    return rules
