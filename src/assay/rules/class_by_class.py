"""Rules class by class: the order of the classes, and what each leaves to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.conditions import RowTest
from assay.errors import ParameterError
from assay.rules.growing import ClassRows, Draft, RankedTable

__all__ = ["class_by_class", "class_sequence"]


def class_sequence(order: Any, classes: np.ndarray, totals: np.ndarray, who: str) -> np.ndarray:
    """(K,) class codes in the order in which they get their rules; the last one is the default.

    Parameters
    ----------
    order : "rarest first", or all labels      totals : (K,) weight of each class
        Classes of equal weight stand in the order of ``classes``.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rules.class_by_class import class_sequence
    >>> class_sequence("rarest first", np.array(["a", "b", "c"]), np.array([5.0, 2.0, 9.0]), "Learner")
    array([1, 0, 2])
    """
    if isinstance(order, str):
        return np.argsort(totals, kind="stable")
    place = {label: k for k, label in enumerate(classes.tolist())}
    given = np.asarray(order, dtype=object).ravel().tolist()
    if len(given) != len(place) or set(given) != set(place):
        raise ParameterError(
            f"{who}: class_order must list each class once: {', '.join(map(repr, place))}; got {order!r}."
        )
    return np.array([place[label] for label in given])


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
    found: list[tuple[tuple[RowTest, ...], int]] = []
    rows, order = np.arange(table.n), table.order
    for k in sequence[:-1].tolist():
        positive = y[rows] == k
        if not positive.any():
            continue
        data = ClassRows(table, rows, positive, order)
        order, left = data.order, np.ones(len(rows), bool)
        for draft in learn(k, data):
            found.append((table.conditions(draft), k))
            left &= ~data.covers(draft)
        rows = rows[left]
    return found
