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
        if np.isnan(self.low) or np.isnan(self.high):
            return f"{self.value:.4f} (no interval{': ' + self.why if self.why else ''})"
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f}, {self.method})"
