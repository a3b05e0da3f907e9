"""What a conditional is: the distribution of a node given its parents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.tables import Column

__all__ = [
    "Conditional",
    "configuration_names",
    "configurations",
    "design_columns",
    "number_given",
    "numbers_given",
    "present_state",
]

YES = {"true", "yes", "t", "y", "1", "present", "on", "+", "positive"}


class Conditional:
    """Base of the conditionals of nodes with states; a node of numbers has a LinearGaussianConditional.

    One method says all: ``table(column, parents)``, the probabilities of the node's states for each configuration of
    its parents, the last of which runs quickest.
    """

    def table(self, column: Column, parents: Sequence[Column]) -> np.ndarray:
        """(q, r) the probabilities of r states for each of q configurations of the parents."""
        raise TypeError(f"{type(self).__name__} must define table")

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        """How many free numbers it has."""
        raise TypeError(f"{type(self).__name__} must define n_parameters")

    def fitted(
        self, counts: np.ndarray, column: Column, parents: Sequence[Column], alpha: float = 0.0
    ) -> Conditional:
        """The same kind of conditional, learned from (q, r) counts (whole, weighted or expected)."""
        raise TypeError(f"{type(self).__name__} must define fitted")

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        """Raise a DataError that names the node if the conditional does not fit it."""
        numbers = [p.name for p in parents if not p.coded]
        if numbers:
            raise DataError(
                f"{who}: node {column.name!r} has states and the parent {numbers[0]!r} is a number; "
                f"{type(self).__name__} needs parents with states. Cut the number into intervals, or use a "
                "SoftmaxConditional and observe the parent."
            )


def present_state(column: Column) -> int:
    """The code of the state that says yes: the one called yes, true, 1, present ..., else the second.

    >>> from assay.graphs.conditionals.conditional import present_state
    >>> from assay.tables import Column
    >>> present_state(Column("rain", "nominal", ("yes", "no"))), present_state(Column("x", "nominal", ("a", "b")))
    (0, 1)
    """
    for code, state in enumerate(column.categories):
        if str(state).strip().lower() in YES:
            return code
    return min(1, len(column.categories) - 1)


def configurations(parents: Sequence[Column]) -> np.ndarray:
    """(q, k) the codes of all configurations of parents with states, the last runs quickest."""
    sizes = [len(p.categories) for p in parents]
    if not sizes:
        return np.zeros((1, 0), np.int64)
    return np.stack(np.unravel_index(np.arange(int(np.prod(sizes))), sizes), axis=1).astype(np.int64)


def configuration_names(parents: Sequence[Column]) -> list[tuple[Any, ...]]:
    """The states of all configurations, in the order of :func:`configurations`."""
    return list(product(*(p.categories for p in parents)))


def design_columns(parents: Sequence[Column]) -> tuple[np.ndarray, list[str]]:
    """(q, p) what a linear predictor sees of each configuration of its parents, and what the columns are called.

    A parent of two states is 1 where it says yes, else 0; one of m states has m - 1 indicators, the first is left out.
    """
    codes = configurations(parents)
    columns, names = [], []
    for j, parent in enumerate(parents):
        if len(parent.categories) <= 2:
            yes = present_state(parent)
            columns.append(codes[:, j] == yes)
            names.append(f"{parent.name}={parent.categories[yes]}")
        else:
            for c in range(1, len(parent.categories)):
                columns.append(codes[:, j] == c)
                names.append(f"{parent.name}={parent.categories[c]}")
    if not columns:
        return np.zeros((len(codes), 0)), names
    return np.stack(columns, axis=1).astype(np.float64), names


def numbers_given(values: Any, who: str, what: str) -> np.ndarray:
    """A parameter of a conditional as numbers.

    >>> from assay.graphs.conditionals.conditional import numbers_given
    >>> numbers_given([1, 2], "LogisticConditional", "weights")
    array([1., 2.])
    """
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{who}: {what} must be numbers, got {values!r}.") from None


def number_given(value: Any, who: str, what: str) -> float:
    """The same of one number."""
    numbers = numbers_given(value, who, what)
    if numbers.size != 1:
        raise ParameterError(f"{who}: {what} must be one number, got {value!r}.")
    return float(numbers.item())
