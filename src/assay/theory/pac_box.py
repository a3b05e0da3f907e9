"""Learning an axis-aligned box by the tightest box around the positives: rows, error, confidence, and a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.theory._checks import counts, one_count, plain, rate, scalar, share, whole_up
from assay.types import RandomState

__all__ = ["BoxStudy", "pac_box_delta", "pac_box_epsilon", "pac_box_sample_size", "simulate_pac_box"]

_BLOCK = 2**22  # numbers drawn at once


def pac_box_sample_size(eps: ArrayLike, delta: ArrayLike, columns: ArrayLike = 2) -> Any:
    r"""Rows after which the tightest box around the positives has error eps at most, with probability 1 - delta.

    .. math:: n \ge \frac{2 d}\epsilon \ln\frac{2 d}\delta

    in d dimensions; in the plane :math:`(4/\epsilon) \ln(4/\delta)`. The error lies in 2d strips along the sides;
    each is missed by all rows with probability :math:`(1 - \epsilon/2d)^n` at most. It holds for every distribution
    of the rows and is conservative, because corners are counted twice.

    Parameters
    ----------
    eps, delta : between 0 and 1
    columns : d

    Examples
    --------
    >>> from assay.theory import pac_box_sample_size
    >>> pac_box_sample_size(0.1, 0.05), pac_box_sample_size(0.01, 0.01)
    (176, 2397)

    See Also
    --------
    pac_box_epsilon, pac_box_delta, simulate_pac_box

    References
    ----------
    - Valiant, L. G. (1984). A theory of the learnable. Communications of the ACM 27(11), 1134-1142.
      doi:10.1145/1968.1972
    - Blumer, A., Ehrenfeucht, A., Haussler, D. and Warmuth, M. K. (1989). Learnability and the Vapnik-Chervonenkis
      dimension. Journal of the ACM 36(4), 929-965. doi:10.1145/76359.76371
    """
    who = "pac_box_sample_size"
    eps, delta, sides = (
        share(eps, who, "eps"),
        share(delta, who, "delta"),
        2 * counts(columns, who, "columns"),
    )
    return whole_up(sides / eps * np.log(sides / delta), who)


def pac_box_epsilon(n: ArrayLike, delta: ArrayLike, columns: ArrayLike = 2) -> Any:
    r"""The error that the tightest box exceeds with probability delta at most: :math:`(2d/n) \ln(2d/\delta)`, up to 1.

    >>> from assay.theory import pac_box_epsilon
    >>> round(pac_box_epsilon(176, 0.05), 5), pac_box_epsilon(10, 0.05)
    (0.09959, 1.0)
    """
    who = "pac_box_epsilon"
    n, delta, sides = counts(n, who, "n"), share(delta, who, "delta"), 2 * counts(columns, who, "columns")
    return plain(np.minimum(1.0, sides / n * np.log(sides / delta)))


def pac_box_delta(n: ArrayLike, eps: ArrayLike, columns: ArrayLike = 2) -> Any:
    r"""The probability, at most, that the error is above eps: :math:`2d\, e^{-\epsilon n / 2d}`, up to 1.

    >>> from assay.theory import pac_box_delta
    >>> round(pac_box_delta(176, 0.1), 5), pac_box_delta(10, 0.1)
    (0.04911, 1.0)
    """
    who = "pac_box_delta"
    n, eps, sides = counts(n, who, "n"), share(eps, who, "eps"), 2 * counts(columns, who, "columns")
    return plain(np.minimum(1.0, sides * np.exp(-eps * n / sides)))


@dataclass(frozen=True)
class BoxStudy:
    """Errors of the tightest box in repeated samples, beside what is promised.

    Attributes
    ----------
    errors : (runs,) the probability of the region where box and truth differ
    eps : the error asked about
    promised : how often the error may exceed eps at most
    """

    errors: NDArray[np.float64]
    eps: float
    promised: float

    @property
    def observed(self) -> float:
        """How often the error exceeded eps."""
        return float(np.mean(self.errors > self.eps))

    @property
    def mean(self) -> float:
        """The mean error."""
        return float(self.errors.mean())


def simulate_pac_box(
    n: int, eps: float = 0.1, *, low: ArrayLike = 0.25, high: ArrayLike = 0.75, columns: int = 2, runs: int = 2000,
    random_state: RandomState = 0,
) -> BoxStudy:  # fmt: skip
    """Draw n rows from the unit cube, learn the tightest box around those in the true box, measure its error; repeat.

    Parameters
    ----------
    n, eps : rows, and the error asked about
    low, high : corners of the true box, a number or one per column
    columns : d
    runs : int

    Examples
    --------
    >>> from assay.theory import simulate_pac_box
    >>> study = simulate_pac_box(176, 0.1)
    >>> study.observed, round(study.promised, 3), round(study.mean, 3)
    (0.0, 0.049, 0.022)
    """
    who = "simulate_pac_box"
    n, d, runs = one_count(n, who, "n"), one_count(columns, who, "columns"), one_count(runs, who, "runs")
    sides = [rate(v, who, name) for v, name in ((low, "low"), (high, "high"))]
    if any(side.shape not in ((), (1,), (d,)) for side in sides):
        raise ParameterError(
            f"{who}: low and high must be a number or one per column, {d}; got {low!r} and {high!r}."
        )
    a, b = (np.broadcast_to(side, d) for side in sides)
    if not (a < b).all():
        raise ParameterError(f"{who}: low must be below high in every column, got {low!r} and {high!r}.")
    eps = scalar(share(eps, who, "eps"), who, "eps")
    rng, errors = as_generator(random_state, who), np.empty(runs)
    step = max(1, _BLOCK // (n * d))
    for start in range(0, runs, step):
        X = rng.random((min(step, runs - start), n, d))
        inside = np.all((a <= X) & (b >= X), axis=2, keepdims=True)
        lowest = np.where(inside, X, np.inf).min(axis=1)
        highest = np.where(inside, X, -np.inf).max(axis=1)
        volume = np.prod(np.maximum(highest - lowest, 0.0), axis=1)  # no positive: an empty box
        errors[start : start + step] = np.prod(b - a) - volume
    return BoxStudy(errors, eps, pac_box_delta(n, eps, d))
