"""Targets of a regression: one or several columns of numbers, some of them missing, brought to a common scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import plain_values
from assay.errors import DataError

__all__ = ["Targets"]

ROUNDING = 10 * np.finfo(float).eps  # share of the mean below which a standard deviation is none


@dataclass(frozen=True)
class Targets:
    """The targets as they came, and how they are normalised.

    Attributes
    ----------
    values : (n, t), NaN where one of several targets is missing
    mean, scale : (t,) what is taken away from the values, and what they are divided by
    several : bool
        Whether they came as a table, of one column or more.
    """

    values: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    several: bool

    @classmethod
    def of(cls, y: Any, n: int, who: str, normalised: bool = False) -> Targets:
        """The targets y of n rows: numbers, (n,) or (n, t)."""
        if y is None:
            raise DataError(f"{who} requires y to be passed, but the target y is None.")
        try:
            values = np.array(plain_values(y), dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                "y must hold numbers, or several columns of them. For classes: GaussianProcessClassifier.",
                who=who,
            ) from None
        if values.ndim not in (1, 2) or len(values) != n:
            raise DataError(f"X has {n} rows and y has the shape {values.shape}.", who=who)
        several = values.ndim == 2
        values = values if several else values[:, None]
        _refuse_unusable(values, who)
        mean, scale = np.zeros(values.shape[1]), np.ones(values.shape[1])
        if normalised:
            mean, sd = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
            scale = np.where(sd <= ROUNDING * np.abs(mean), 1.0, sd)
            scale[scale == 0] = 1.0
        return cls(values, mean, scale, several)

    @property
    def normalised(self) -> np.ndarray:
        """(n, t) the values of mean 0 and standard deviation 1, if that was asked for."""
        return (self.values - self.mean) / self.scale


def _refuse_unusable(values: np.ndarray, who: str) -> None:
    if np.isinf(values).any():
        raise DataError("y contains infinity. Drop the rows, or transform the target.", who=who)
    missing = np.isnan(values)
    if not missing.any():
        return
    if values.shape[1] == 1:
        raise DataError(
            f"y contains NaN in {int(missing.sum())} of {len(values)} rows. Drop them: they say nothing. Of several "
            "targets, some may be missing.",
            who=who,
        )
    if missing.all(axis=0).any():
        raise DataError(
            f"target {int(missing.all(axis=0).argmax()) + 1} of {values.shape[1]} has no values.", who=who
        )
