"""Effect sizes: a number, its interval, and a verbal label with its source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from assay.sentence import Sentence
from assay.stats.significance.test_result import shown_confidence

__all__ = ["SCALES", "EffectSize"]

WORDS = ("negligible", "small", "medium", "large")

# thresholds of small, medium and large, with their source
SCALES: dict[str, tuple[tuple[float, float, float], str]] = {
    "Cohen's d": ((0.2, 0.5, 0.8), "Cohen 1988"),
    "Hedges' g": ((0.2, 0.5, 0.8), "Cohen 1988"),
    "Cohen's h": ((0.2, 0.5, 0.8), "Cohen 1988"),
    "Cliff's delta": ((0.147, 0.33, 0.474), "Romano et al. 2006"),
    "Vargha and Delaney's A": ((0.56, 0.64, 0.71), "Vargha and Delaney 2000"),
    "rank-biserial correlation": ((0.1, 0.3, 0.5), "Cohen 1988, for a correlation"),
    "odds of who errs alone": ((1.68, 3.47, 6.71), "Chen, Cohen and Chen 2010"),
}


@dataclass(frozen=True)
class EffectSize(Sentence):
    """How large a difference is, whatever its p; print it for a sentence.

    Attributes
    ----------
    measure : str
    value : float
    low, high : interval at 1 - alpha; NaN where there is none
    alpha : float
    why : str
        What is unusual about it, or "".

    Examples
    --------
    >>> from assay.stats import EffectSize
    >>> effect = EffectSize("Cohen's d", 0.55, 0.1, 1.0)
    >>> effect.word
    'medium'
    >>> print(effect)
    Cohen's d 0.55 (95% interval 0.10 to 1.00): medium (Cohen 1988).
    """

    measure: str
    value: float
    low: float = np.nan
    high: float = np.nan
    alpha: float = 0.05
    why: str = ""

    @property
    def word(self) -> str:
        """Negligible, small, medium or large; the direction does not matter."""
        size = abs(self.value)
        if self.measure.startswith("Vargha"):
            size = max(self.value, 1 - self.value)
        elif self.measure.startswith("odds"):
            size = max(self.value, 1 / self.value if self.value else np.inf)
        return WORDS[bisect_right(SCALES[self.measure][0], size)]

    def __str__(self) -> str:
        sure = (
            ""
            if np.isnan(self.low)
            else f" ({shown_confidence(self.alpha)} interval {self.low:.2f} to {self.high:.2f})"
        )
        why = f" {self.why}" if self.why else ""
        return f"{self.measure} {self.value:.2f}{sure}: {self.word} ({SCALES[self.measure][1]}).{why}"
