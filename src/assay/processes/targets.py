"""Targets of a regression: one or several columns of numbers, some of them missing, brought to a common scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import plain_values
from assay.errors import DataError

__all__ = ["Targets", "refuse_far_rows"]

ROUNDING = 10 * np.finfo(float).eps  # share of the mean below which a standard deviation is none
LARGEST = 1e60  # beyond it squares of slopes of the evidence, in units of small noise, are no finite numbers
FARTHEST = 1e150  # of training rows, whose squared distances must be finite numbers


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
    def of(cls, y: Any, n: int, who: str, normalised: bool = False, further: bool = False) -> Targets:
        """The targets y of n rows: numbers, (n,) or (n, t); of ``further`` rows a target may be missing in all."""
        if y is None:
            raise DataError(f"{who} requires y to be passed, but the target y is None.")
        try:
            values = _numbers(y)
        except (TypeError, ValueError):
            raise DataError(
                "y must hold numbers, or several columns of them. For classes: GaussianProcessClassifier.",
                who=who,
            ) from None
        if values.ndim not in (1, 2) or len(values) != n:
            raise DataError(f"X has {n} rows and y has the shape {values.shape}.", who=who)
        several = values.ndim == 2
        values = values if several else values[:, None]
        _refuse_unusable(values, who, further)
        mean, scale = np.zeros(values.shape[1]), np.ones(values.shape[1])
        if normalised and not further:
            mean, scale = _mean_and_scale(values)
        elif not normalised and (largest := float(np.nanmax(np.abs(values), initial=0.0))) > LARGEST:
            raise DataError(
                f"y has values as large as {largest:.3g}, too large for the slopes of the evidence. Set "
                "normalize_y=True, or choose another unit.",
                who=who,
            )
        return cls(values, mean, scale, several)

    @property
    def normalised(self) -> np.ndarray:
        """(n, t) the values of mean 0 and standard deviation 1, if that was asked for."""
        return (self.values - self.mean) / self.scale


def _numbers(y: Any) -> np.ndarray:
    values = np.array(plain_values(y))
    if values.dtype.kind == "c":
        raise TypeError("complex numbers")
    return values.astype(np.float64)


def _mean_and_scale(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(t,) the means and the standard deviations, 1 of a constant; numbers near the ends of float64 do not overflow."""
    unit = np.nanmax(np.abs(values), axis=0)
    unit[unit == 0] = 1.0
    mean, sd = np.nanmean(values / unit, axis=0), np.nanstd(values / unit, axis=0)
    constant = sd <= ROUNDING * np.abs(mean)
    return mean * unit, np.where(constant, 1.0, sd * unit)


def _refuse_unusable(values: np.ndarray, who: str, further: bool) -> None:
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
    if missing.all(axis=0).any() and not further:
        raise DataError(
            f"target {int(missing.all(axis=0).argmax()) + 1} of {values.shape[1]} has no values.", who=who
        )


def refuse_far_rows(X: Any, who: str) -> None:
    """Refuse training rows whose squared distances overflow: no kernel could tell them apart, nor learn a scale."""
    values = X if isinstance(X, np.ndarray) else getattr(X, "data", None)  # of a sparse matrix
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > FARTHEST:
        raise DataError(
            f"X has values as large as {largest:.3g}, whose squared distances are no finite numbers. Scale the columns "
            "first: StandardScaler.",
            who=who,
        )
