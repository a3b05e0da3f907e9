"""What all predictive distributions share: checks, intervals, values of the probability integral transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.types import RandomState, RowIndex

__all__ = ["Predictive", "bisect", "bisect_whole", "block_rows", "check_coverage"]

Floats = NDArray[np.float64]
BLOCK_NUMBERS = 2**20  # numbers of a (rows, terms) table that are in memory at a time


class Predictive:
    r"""The distributions of n numbers, one for each row, with the parameters as arrays of length n.

    With the distribution function :math:`F_i` of row i,

    .. math:: \mathrm{crps}_i(y) = \int (F_i(t) - [y \le t])^2\,dt
                                 = E|Y_i-y| - \tfrac12 E|Y_i-Y_i'|                                 \quad (1)

    is the continuous ranked probability score, in the units of y: 0 is best, and for a distribution that is a single
    point it is the absolute error. ``logpdf`` is the log density, or the log probability for counts.

    A family of your own gives ``parameters`` (the names of its arrays), ``mean``, ``sd``, ``_quantile``, ``_cdf``,
    ``_logpdf`` and ``_crps``.

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Normal
    >>> distribution = Normal([10.0, 20.0], [1.0, 2.0])
    >>> lower, upper = distribution.interval(0.9)
    >>> lower.round(3), upper.round(3)
    (array([ 8.355, 16.71 ]), array([11.645, 23.29 ]))
    >>> distribution.cdf([10, 22]).round(4), distribution.crps([10, 22]).round(4)
    (array([0.5   , 0.8413]), array([0.2337, 1.2049]))

    See Also
    --------
    Density

    References
    ----------
    - Gneiting, T. and Raftery, A. E. (2007). Strictly Proper Scoring Rules, Prediction, and Estimation. Journal of the
      American Statistical Association 102, 359-378.
    - Jordan, A., Krueger, F. and Lerch, S. (2019). Evaluating Probabilistic Forecasts with scoringRules. Journal of
      Statistical Software 90(12).
    """

    parameters: ClassVar[tuple[str, ...]] = ()
    discrete: ClassVar[bool] = False  # whether single numbers have a probability above 0

    def _keep(self, **arrays: ArrayLike) -> None:
        """Store the parameters as arrays of one length; each must be finite."""
        arrays_of = {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()}
        for name, value in arrays_of.items():
            if value.ndim > 1 or np.isnan(value).any():
                what = "NaN" if value.ndim <= 1 else f"shape {value.shape}"
                raise ParameterError(
                    f"{type(self).__name__}: {name} must be one number for each row, got {what}."
                )
        try:
            shape = np.broadcast_shapes((1,), *(value.shape for value in arrays_of.values()))
        except ValueError:
            sizes = ", ".join(f"{name} {value.size}" for name, value in arrays_of.items())
            raise ParameterError(
                f"{type(self).__name__}: its parameters have different lengths: {sizes}."
            ) from None
        for name, value in arrays_of.items():
            setattr(self, name, value if value.shape == shape else np.full(shape, value))

    def _require(self, name: str, low: float, strict: bool = True, high: float = np.inf) -> None:
        """Raise unless all values of a parameter are above (or at) ``low`` and finite."""
        value = getattr(self, name)
        wrong = ~((value > low) if strict else (value >= low)) | ~(value <= high) | ~np.isfinite(value)
        if wrong.any():
            i = int(np.argmax(wrong))
            bound = f"{'above' if strict else 'at least'} {low:g}" if np.isfinite(low) else "finite"
            raise ParameterError(
                f"{type(self).__name__}: {name} must be {bound}, got {value[i]:g} for row {i}."
            )

    def __len__(self) -> int:
        return len(getattr(self, self.parameters[0]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} row{'s' * (len(self) != 1)})"

    # ------------------------------------------------------------------ what is asked of it

    @property
    def mean(self) -> Floats:
        """(n,) the expected number."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its mean is.")

    @property
    def sd(self) -> Floats:
        """(n,) the standard deviation."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its standard deviation is.")

    def quantile(self, p: ArrayLike) -> Floats:
        """(n,) the smallest number with at least the probability p at or below it; (n, P) for a list of P."""
        levels = np.asarray(p, dtype=np.float64)
        if levels.ndim > 1 or not levels.size or not ((levels > 0) & (levels < 1)).all():
            raise ParameterError(
                f"{type(self).__name__}: p must be a number (or a list of them) above 0 and below 1, got {p!r}."
            )
        if levels.ndim == 0:
            return self._quantile(float(levels))
        return np.column_stack([self._quantile(float(level)) for level in levels])

    def cdf(self, y: ArrayLike) -> Floats:
        """(n,) the probability of a number at or below y."""
        return self._cdf(self._at(y))

    def logpdf(self, y: ArrayLike) -> Floats:
        """(n,) the log density at y; the log probability of y for counts."""
        with np.errstate(divide="ignore"):
            return self._logpdf(self._at(y))

    def crps(self, y: ArrayLike) -> Floats:
        """(n,) the continuous ranked probability score (1) of y."""
        return self._crps(self._at(y))

    def interval(self, coverage: float = 0.9) -> tuple[Floats, Floats]:
        """(n,) lower and (n,) upper ends: half of the remaining probability lies on either side."""
        tail = (1 - check_coverage(coverage, type(self).__name__)) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def pit(self, y: ArrayLike, random_state: RandomState = None) -> Floats:
        """(n,) values of the probability integral transform: uniform from 0 to 1 if the distributions are right.

        F(y) where the distribution is continuous; where y has a probability of its own, a number drawn uniformly from
        F just below y to F(y).

        >>> from assay.stats.distributions.predictive import Normal
        >>> Normal([0.0, 0.0], 1.0).pit([0.0, 1.0]).round(4)
        array([0.5   , 0.8413])
        """
        at = self._at(y)
        high = self._cdf(at)
        if not self.discrete:
            return high
        low = self._cdf_below(at)
        share = as_generator(random_state, type(self).__name__).random(len(at))
        return low + share * (high - low)

    def take(self, rows: RowIndex) -> Self:
        """The distributions of some rows: their numbers, a slice or a mask."""
        chosen = object.__new__(type(self))
        for name in self.parameters:
            setattr(chosen, name, getattr(self, name)[rows])
        return chosen

    # ------------------------------------------------------------------ what a family writes

    def _quantile(self, p: float) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} does not say what its quantiles are.")

    def _cdf(self, y: Floats) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} does not say what its distribution function is.")

    def _cdf_below(self, y: Floats) -> Floats:
        """The probability of a number below y."""
        return self._cdf(y)

    def _logpdf(self, y: Floats) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} does not say what its density is.")

    def _crps(self, y: Floats) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} does not say what its score is.")

    def _at(self, y: ArrayLike) -> Floats:
        at = np.asarray(y, dtype=np.float64)
        if at.ndim == 0:
            at = np.full(len(self), at)
        if at.shape != (len(self),):
            raise DataError(
                f"{type(self).__name__}: expected a number for each of {len(self)} rows, got shape {at.shape}."
            )
        if np.isnan(at).any():
            raise DataError(f"{type(self).__name__}: y has {int(np.isnan(at).sum())} missing values (NaN).")
        return at


def check_coverage(coverage: float, who: str) -> float:
    """The coverage, if it is a share of the rows.

    >>> from assay.stats.distributions.predictive.predictive import check_coverage
    >>> check_coverage(0.9, "interval")
    0.9
    """
    if (
        isinstance(coverage, bool)
        or not isinstance(coverage, (int, float, np.number))
        or not 0 < coverage < 1
    ):
        raise ParameterError(f"{who}: coverage must be a number above 0 and below 1, got {coverage!r}.")
    return float(coverage)


def block_rows(n: int, terms: int) -> list[slice]:
    """Slices of n rows, so that rows times terms fit into some megabytes.

    >>> from assay.stats.distributions.predictive.predictive import block_rows
    >>> block_rows(3, 2**19)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, BLOCK_NUMBERS // max(terms, 1))
    return [slice(a, min(a + step, n)) for a in range(0, n, step)]


def bisect_whole(cdf: Callable[[Floats], Floats], p: float, start: Floats) -> Floats:
    """(n,) the smallest whole number from 0 with cdf at least p; ``start`` is where it is looked for first.

    >>> import numpy as np
    >>> from assay.stats.distributions.predictive.predictive import bisect_whole
    >>> bisect_whole(lambda k: 1 - 0.5 ** (k + 1), 0.9, np.array([1.0, 8.0]))
    array([3., 3.])
    """
    p = p * (1 - 1e-13)  # rounding of the distribution function
    low, high = np.full(len(start), -1.0), np.maximum(np.ceil(start), 1.0)
    short = cdf(high) < p
    while short.any():
        low[short] = high[short]
        high[short] = 2 * high[short] + 1
        short &= cdf(high) < p
    while (high - low > np.maximum(1.0, 1e-15 * high)).any():
        middle = np.floor((low + high) / 2)
        enough = cdf(middle) >= p
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return high


def bisect(cdf: Callable[[Floats], Floats], p: float, start: Floats) -> Floats:
    """(n,) the number above 0 with cdf p, to full precision; ``start`` is where it is looked for first.

    >>> import numpy as np
    >>> from assay.stats.distributions.predictive.predictive import bisect
    >>> bisect(lambda t: 1 - np.exp(-t), 0.5, np.array([9.0]))
    array([0.69314718])
    """
    low, high = np.log(start), np.log(start)
    step = np.ones(len(start))
    while (above := cdf(np.exp(low)) >= p).any() and (low > -740).any():
        low = np.where(above, np.maximum(low - step, -745.0), low)
        step *= 2
        if (low[above] <= -745).all():
            break
    step[:] = 1.0
    while (below := cdf(np.exp(high)) < p).any():
        high = np.where(below, np.minimum(high + step, 709.0), high)
        step *= 2
        if (high[below] >= 709).all():
            break
    for _ in range(64):
        middle = (low + high) / 2
        enough = cdf(np.exp(middle)) >= p
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return np.exp((low + high) / 2)
