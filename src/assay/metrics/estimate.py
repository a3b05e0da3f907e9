"""A number with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.sentence import Sentence

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate(Sentence):
    """A value with its confidence interval.

    Parameters
    ----------
    value : float
    low, high : float
        The interval that holds the true value in 1 - alpha of all samples; NaN where there is none.
    method : str
        How the interval was computed, such as "Wilson".
    alpha : float
    why : str
        What is unusual about it, or "".

    Examples
    --------
    >>> from assay.metrics import Estimate
    >>> print(Estimate(0.97368, 0.92548, 0.99102, "Wilson"))
    0.9737 (0.9255 to 0.9910, Wilson)
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    method: str = ""
    alpha: float = 0.05
    why: str = ""

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        value, low, high = self._spelt()
        if np.isnan(self.low) or np.isnan(self.high):
            return f"{value} (no interval{': ' + self.why if self.why else ''})"
        return f"{value} ({low} to {high}, {self.method})"

    @property
    def short(self) -> str:
        """For a cell of a table: the value and its interval, without the method.

        >>> from assay.metrics import Estimate
        >>> Estimate(1234567.0, 1200000.0, 1270000.0, "t").short, Estimate(float("nan"), why="not tested").short
        ('1.2346e+06 (1.2e+06 to 1.27e+06)', '- (not tested)')
        """
        value, low, high = self._spelt()
        if np.isnan(self.value):
            return f"- ({self.why})"
        return f"{value} ({self.why})" if np.isnan(self.low) else f"{value} ({low} to {high})"

    def _spelt(self) -> list[str]:
        """Value, low and high: with four decimals, or five digits where these would be too many or too few."""
        numbers = [self.value, self.low, self.high]
        largest = max((abs(v) for v in numbers if np.isfinite(v)), default=0.0)
        return [f"{v:.4f}" if largest == 0 or 1e-4 <= largest < 1e5 else f"{v:.5g}" for v in numbers]
