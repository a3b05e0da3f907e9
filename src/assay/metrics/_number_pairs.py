"""Inputs of measures of predicted numbers: one column or several, read and checked once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import numbers
from assay.metrics.outcome import Outcome


@dataclass(frozen=True)
class NumberPair:
    """True and predicted numbers of the same rows.

    truth, answer : (k, n), a row for each column of the target; weight : (n,) or None; multioutput : how the columns'
    values are put together: a word, or (k,) weights
    """

    truth: np.ndarray
    answer: np.ndarray
    weight: np.ndarray | None
    multioutput: Any
    who: str

    @property
    def n(self) -> int:
        return int(self.truth.shape[1])

    def outcomes(self) -> Iterator[Outcome]:
        """Each column by itself."""
        for y, z in zip(self.truth, self.answer):
            yield Outcome(y, z, None, 0, weight=self.weight)

    def put_together(self, values: Any, spreads: Any = None) -> Any:
        """One number of the columns' values, or all of them if asked for "raw_values"."""
        if isinstance(self.multioutput, str) and self.multioutput == "raw_values":
            return np.array(values)
        if len(values) == 1:
            return float(values[0])
        if isinstance(self.multioutput, str) or self.multioutput is None:
            by_spread = self.multioutput == "variance_weighted" and np.any(spreads)
            return float(np.average(values, weights=spreads if by_spread else None))
        return float(np.average(values, weights=self.multioutput))

    def of(self, form: Callable[[Outcome], float]) -> Any:
        """The measure of each column, put together."""
        return self.put_together([form(outcome) for outcome in self.outcomes()])


def number_pair(
    y_true: Any,
    y_pred: Any,
    who: str,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    words: tuple[str, ...] = ("raw_values", "uniform_average"),
) -> NumberPair:
    """Read true and predicted numbers; sentences in scikit-learn's words where its users know them."""
    y, z = (_columns(v, who, what) for v, what in ((y_true, "y_true"), (y_pred, "y_pred")))
    if y.shape[1] != z.shape[1]:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {y.shape[1]} true values, {z.shape[1]} "
            "predictions.",
            who=who,
        )
    if len(y) != len(z):
        raise DataError(f"y_true and y_pred have different number of output ({len(y)}!={len(z)}).", who=who)
    w = check_weights(sample_weight, y.shape[1], who, squared=True)
    if isinstance(multioutput, str):
        if multioutput not in words:
            raise ParameterError(
                f"multioutput must be one of {', '.join(words)} or weights of the columns, got {multioutput!r}.",
                who=who,
            )
    elif multioutput is not None:
        multioutput = numbers(multioutput, who, "multioutput")
        if len(y) == 1:
            raise ParameterError("Custom weights are useful only in multi-output cases.", who=who)
        if len(multioutput) != len(y):
            raise ParameterError(
                f"There must be equally many custom weights ({len(multioutput)}) as outputs ({len(y)}).",
                who=who,
            )
        if not multioutput.sum() != 0:
            raise ParameterError("the weights of the columns, multioutput, add up to 0.", who=who)
    return NumberPair(y, z, w, multioutput, who)


def one_column_pair(y_true: Any, y_pred: Any, who: str, sample_weight: Any = None) -> Outcome:
    """Read true and predicted numbers of one column."""
    pair = number_pair(y_true, y_pred, who, sample_weight)
    if len(pair.truth) > 1:
        raise DataError(f"Multioutput not supported in {who}: y_true has {len(pair.truth)} columns.", who=who)
    return next(pair.outcomes())


def _columns(y: Any, who: str, what: str) -> np.ndarray:
    """(k, n) float64, contiguous columns."""
    values = numbers(y, who, what, (1, 2))
    return values[None] if values.ndim == 1 else np.ascontiguousarray(values.T)
