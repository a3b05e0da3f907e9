"""Mean, standard deviation and number of values: all that a z or t test needs of a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import as_sample, is_number, is_whole

__all__ = ["NO_SPREAD", "Summary", "sample", "squarable"]

LARGEST = 1e150  # the square of a larger value is not a number any more
SMALLEST = 1e-150  # the square of a smaller one is nothing
NO_SPREAD = 1e-10  # a standard deviation below this share of differences is rounding
NO_SPREAD_OF_VALUES = 1e-12  # the same of values, which have lost no digits yet


@dataclass(frozen=True)
class Summary:
    r"""A sample that is known by its mean, its standard deviation and its size only.

    Goes wherever a test or an interval takes values, for numbers read in a paper.

    .. math:: m = \tfrac1n\sum_i x_i, \qquad s^2 = \tfrac1{n-1}\sum_i (x_i - m)^2

    Parameters
    ----------
    mean : float
    sd : float
        With divisor n - 1; NaN for a single value.
    n : int

    Examples
    --------
    >>> from assay.stats import Summary
    >>> Summary.of([1, 2, 3])
    Summary(mean=2.0, sd=1.0, n=3)
    """

    mean: float
    sd: float
    n: int

    def __post_init__(self) -> None:
        if not is_whole(self.n, 1):
            raise ParameterError(f"Summary: n must be a whole number from 1, got {self.n!r}.")
        known = (is_number(self.sd) and self.sd >= 0) or (self.n == 1 and np.isnan(self.sd))
        if not is_number(self.mean) or not known or max(abs(self.mean), self.sd) > LARGEST:
            raise ParameterError(
                f"Summary: mean must be finite and sd a number from 0, got {self.mean!r} and {self.sd!r}."
            )

    @classmethod
    def of(cls, values: ArrayLike | Summary, who: str = "Summary") -> Summary:
        """The summary of values; a summary stays what it is."""
        if isinstance(values, Summary):
            return values
        v = sample(values, who, least=1)
        return cls(float(v.mean()), float(v.std(ddof=1)) if len(v) > 1 else np.nan, len(v))

    @property
    def constant(self) -> bool:
        """Whether the values do not vary beyond rounding (two or more values)."""
        return bool(self.sd <= NO_SPREAD_OF_VALUES * abs(self.mean))


def sample(values: ArrayLike, who: str, least: int = 2, what: str = "values") -> np.ndarray:
    """(n,) finite float64, or an error that says what is wrong.

    >>> from assay.stats.significance.summary import sample
    >>> sample([1, 2], "t_test")
    array([1., 2.])
    """
    v = as_sample(values, who) if np.size(values) else np.zeros(0)
    if len(v) < least:
        raise DataError(f"needs at least {least} {what}, got {len(v)}.", who=who)
    return squarable(v, who)


def squarable(v: np.ndarray, who: str) -> np.ndarray:
    """The values themselves, unless their squares would overflow, or vanish."""
    largest = np.abs(v).max(initial=0.0)
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise DataError(
            f"the largest value is {largest:.3g}, whose square no float holds. Use other units.", who=who
        )
    return v
