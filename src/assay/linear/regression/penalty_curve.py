"""What cross-validation found out about each penalty: a curve to look at, and the choice made on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import FloatArray, Integer

__all__ = ["PenaltyCurve"]


@dataclass(frozen=True)
class PenaltyCurve:
    """The score of each penalty in each fold.

    Attributes
    ----------
    name : of the penalty's parameter, "alpha" or "C"
    penalty : (m,) the strongest first
    scores : (m, folds)
    measure : of what the scores are        greater_is_better : whether a high score is a good one
    chosen : which penalty was taken

    Examples
    --------
    The second penalty has the smallest error; the first is within one standard error of it:

    >>> import numpy as np
    >>> from assay.linear import PenaltyCurve
    >>> errors = np.array([[2.0, 2.2, 2.4], [1.7, 2.2, 2.4], [3.0, 3.0, 3.6]])
    >>> curve = PenaltyCurve("alpha", np.array([1.0, 0.1, 0.01]), errors, "mean squared error", False, 1)
    >>> curve.best, curve.within_one_standard_error
    (1, 0)
    >>> print(curve)
       alpha  mean squared error  standard error
           1                 2.2          0.1155
         0.1                 2.1          0.2082  chosen
        0.01                 3.2             0.2
    """

    name: str
    penalty: np.ndarray
    scores: np.ndarray
    measure: str
    greater_is_better: bool
    chosen: int
    stored = {
        "penalty": FloatArray("m"),
        "scores": FloatArray("m", "*"),
        "chosen": Integer(below="m"),
    }

    @property
    def mean(self) -> np.ndarray:
        """(m,) over the folds."""
        return self.scores.mean(axis=1)

    @property
    def error(self) -> np.ndarray:
        """(m,) standard errors of the means: standard deviation (divisor folds - 1) over the root of the folds."""
        folds = self.scores.shape[1]
        return self.scores.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(self.scores))

    @property
    def best(self) -> int:
        """The penalty of the best mean, the strongest among equals."""
        return int(np.argmax(self._gain))

    @property
    def within_one_standard_error(self) -> int:
        """The strongest penalty whose mean is within one standard error, that of the best, of the best mean."""
        best = self.best
        return int(np.argmax(self._gain >= self._gain[best] - self.error[best]))

    @property
    def _gain(self) -> np.ndarray:
        return self.mean if self.greater_is_better else -self.mean

    def __str__(self) -> str:
        lines = [f"{self.name:>8}  {self.measure}  standard error"]
        for i, (value, mean, error) in enumerate(zip(self.penalty, self.mean, self.error)):
            line = f"{value:8.4g}  {mean:{len(self.measure)}.4g}  {error:14.4g}"
            lines.append(line + ("  chosen" if i == self.chosen else ""))
        return "\n".join(lines)
