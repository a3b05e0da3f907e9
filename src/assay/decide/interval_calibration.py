"""How often intervals hold what they promise: coverage and width per nominal level, overall and by group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.types import RowLabels, Target

__all__ = ["IntervalCalibration", "IntervalLine", "interval_calibration"]

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class IntervalLine:
    """What the intervals of one nominal coverage achieve on some rows.

    Attributes
    ----------
    group : the group, or None for all rows      rows : int
    nominal : float, the coverage that was asked for
    coverage : float, the share of rows inside      low, high : its exact binomial interval
    width : float, the mean width      below, above : shares of rows below and above their interval
    """

    group: Hashable
    rows: int
    nominal: float
    coverage: float
    low: float
    high: float
    width: float
    below: float
    above: float

    @property
    def agrees(self) -> bool:
        """Whether the nominal coverage lies within the interval of the achieved one."""
        return self.low <= self.nominal <= self.high


@dataclass(frozen=True)
class IntervalCalibration:
    """Lines of all nominal levels, first of all rows, then group by group; made by `interval_calibration`."""

    lines: tuple[IntervalLine, ...]

    def of(self, group: Hashable = None) -> list[IntervalLine]:
        """The lines of a group; of all rows by default."""
        return [line for line in self.lines if line.group == group]

    @property
    def groups(self) -> list[Hashable]:
        """The groups, in their order."""
        return list(dict.fromkeys(line.group for line in self.lines if line.group is not None))

    def records(self) -> list[dict[str, Any]]:
        """One dict for each line, for a frame or a report."""
        return [dict(vars(line)) for line in self.lines]


def interval_calibration(
    y: Target,
    answers: Any,
    *,
    levels: Sequence[float] = LEVELS,
    groups: RowLabels | None = None,
    confidence: float = 0.95,
) -> IntervalCalibration:
    """Compare nominal and achieved coverage of prediction intervals.

    Parameters
    ----------
    y : (n,) the true numbers
    answers : predictive distribution of the n rows, or dict from nominal coverages to (n, 2) intervals
    levels : the nominal coverages that a distribution is asked for
    groups : (n,), or None
        Whether the promise also holds for each group; it need not, since conformal intervals promise it on average
    confidence : of the Clopper-Pearson interval around each share

    Examples
    --------
    >>> import numpy as np
    >>> from assay.decide import interval_calibration
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> table = interval_calibration(y, {0.5: np.tile([1.5, 3.5], (4, 1))}, groups=["a", "a", "b", "b"])
    >>> [(line.group, line.coverage, line.width) for line in table.lines]
    [(None, 0.5, 2.0), ('a', 0.5, 2.0), ('b', 0.5, 2.0)]

    See Also
    --------
    ConformalRegressor, set_coverage

    References
    ----------
    - Gneiting, T., Balabdaoui, F. and Raftery, A. E. (2007). Probabilistic forecasts, calibration and sharpness.
      Journal of the Royal Statistical Society B 69, 243-268.
    """
    who = "interval_calibration"
    truth = np.asarray(y, dtype=np.float64)
    if truth.ndim != 1 or not len(truth) or not np.isfinite(truth).all():
        raise DataError(f"{who}: y must be finite numbers, one for each row, got shape {truth.shape}.")
    if not 0 < confidence < 1:
        raise ParameterError(f"{who}: confidence must be above 0 and below 1, got {confidence!r}.")
    if not isinstance(answers, Mapping):
        answers = {float(level): np.column_stack(answers.interval(level)) for level in levels}
    ends = {float(level): _checked(level, pair, len(truth)) for level, pair in answers.items()}
    parts: list[tuple[Hashable, np.ndarray]] = [(None, np.arange(len(truth)))]
    if groups is not None:
        names = np.asarray(groups)
        if names.shape != truth.shape:
            raise DataError(
                f"{who}: expected a group for each of {len(truth)} rows, got shape {names.shape}."
            )
        parts += [(name, np.flatnonzero(names == name)) for name in np.unique(names).tolist()]
    return IntervalCalibration(
        tuple(
            _line(group, level, truth[rows], pair[rows], confidence)
            for group, rows in parts
            for level, pair in sorted(ends.items())
        )
    )


def _checked(level: Any, pair: Any, n: int) -> np.ndarray:
    ends = np.asarray(pair, dtype=np.float64)
    if not 0 < float(level) < 1 or ends.shape != (n, 2) or not (ends[:, 0] <= ends[:, 1]).all():
        raise DataError(
            f"interval_calibration: expected a coverage between 0 and 1 with ({n}, 2) low and high ends, got {level!r} "
            f"with shape {ends.shape}."
        )
    return ends


def _line(group: Hashable, level: float, y: np.ndarray, ends: np.ndarray, confidence: float) -> IntervalLine:
    from scipy.special import betaincinv

    n, below, above = len(y), int((y < ends[:, 0]).sum()), int((y > ends[:, 1]).sum())
    k, tail = n - below - above, (1 - confidence) / 2
    return IntervalLine(
        group=group,
        rows=n,
        nominal=level,
        coverage=k / n,
        low=float(betaincinv(k, n - k + 1, tail)) if k else 0.0,
        high=float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0,
        width=float((ends[:, 1] - ends[:, 0]).mean()),
        below=below / n,
        above=above / n,
    )
