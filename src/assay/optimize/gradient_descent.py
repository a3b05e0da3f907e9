"""Gradient descent: step after step against the gradient, with a rate that is fixed, planned or searched for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from assay.core.progress import progress
from assay.errors import ParameterError
from assay.optimize.objective import Optimum, Record

__all__ = ["Backtracking", "Bisection", "gradient_descent", "inverse_rate"]


ROUNDING = 8 * float(np.finfo(np.float64).eps)  # relative differences of E below this are rounding


class Slope(Protocol):
    """The interface of an objective of gradient descent."""

    def value_gradient(self, w: np.ndarray, /) -> tuple[float, np.ndarray]:
        """E(w) and its gradient."""
        ...


Point = tuple[np.ndarray, float, np.ndarray]  # w, E(w), its gradient


def gradient_descent(
    objective: Slope,
    start: ArrayLike,
    rate: float | np.ndarray | Callable[[int], float] | Backtracking | Bisection = 0.1,
    *,
    tol: float = 1e-6,
    change: float = 0.0,
    max_iter: int = 1000,
    maximize: bool = False,
    keep: bool | Collection[int] = False,
    watch: Callable[[Record], bool | None] | None = None,
) -> Optimum:
    r"""Minimise (or maximise) E by :math:`w \leftarrow w - \eta\,\partial E/\partial w`.

    Finds a local minimum only. A rate that is too small is slow, one that is too large oscillates or diverges; one rate
    for all weights presumes columns of a common scale.

    Parameters
    ----------
    objective : has ``value_gradient(w)``
    start : (p,) where to begin
    rate : number, or (p,) a number for each weight, or a function of the step's number (1, 2, ...), or a line search,
        ``Bisection()`` or ``Backtracking()``
    tol : stop where no entry of the gradient is larger
    change : stop when a step changes E by no more than this; 0 does not look at it
    max_iter : most steps
    maximize : climb instead
    keep : True keeps the weights of every step in the history; numbers of steps keep those of these steps
    watch : called with the Record of each step, its weights included; True stops ("watch")

    Examples
    --------
    On :math:`E = w^2` each step multiplies w by 1 - 2 eta: it converges for eta below 1 and swings above 1/2.

    >>> from assay.optimize import gradient_descent
    >>> class Square:
    ...     def value_gradient(self, w):
    ...         return float(w @ w), 2 * w
    >>> slow = gradient_descent(Square(), [1.0], 0.1, keep=True, max_iter=3)
    >>> [float(step.weights[0].round(3)) for step in slow.history]
    [1.0, 0.8, 0.64, 0.512]
    >>> gradient_descent(Square(), [1.0], 1.1, max_iter=10_000).reason
    'diverged'

    See Also
    --------
    newton, lbfgs, Backtracking

    References
    ----------
    - Boyd, S. and Vandenberghe, L. (2004). Convex Optimization. Cambridge University Press.
    """
    slope = _Downhill(objective, maximize)
    here = slope(np.array(start, dtype=np.float64))
    _check_rate(rate, here[0].shape)
    if not np.isfinite(here[1]):
        raise ParameterError("gradient_descent: E is not a finite number at the start; choose another start.")
    history: list[Record] = []
    step, before, reason = 0.0, np.inf, "iterations"
    with progress(max_iter, "gradient descent") as bar:
        for iteration in range(max_iter + 1):
            w, value, gradient = here
            steepest = float(np.abs(gradient).max(initial=0.0))
            record = Record(iteration, slope.sign * value, steepest, step, w)
            kept = keep is True or (keep is not False and iteration in keep)
            history.append(record if kept else Record(iteration, slope.sign * value, steepest, step))
            stop = watch is not None and bool(watch(record))
            if steepest <= tol:
                reason = "gradient"
            elif stop:
                reason = "watch"
            elif change > 0 and abs(value - before) <= change:
                reason = "value"
            if reason != "iterations" or iteration == max_iter:
                break
            trial = _stride(slope, here, rate, iteration + 1, step)
            if trial is None:
                reason = "stuck"
                break
            if not np.isfinite(trial[1]) or not np.isfinite(trial[2]).all():
                reason = "diverged"
                break
            with np.errstate(over="ignore"):
                step = float(np.linalg.norm(trial[0] - w))
            before, here = value, trial
            bar.advance()
    w, value, gradient = here
    return Optimum(
        w, slope.sign * value, slope.sign * gradient, reason in ("gradient", "value"), reason, history
    )


def _check_rate(rate: object, shape: tuple[int, ...]) -> None:
    if callable(rate) or isinstance(rate, (Backtracking, Bisection)):
        return
    try:
        right = np.shape(rate) in ((), shape) and bool(np.isfinite(np.asarray(rate, dtype=np.float64)).all())
    except (TypeError, ValueError):
        right = False
    if not right:
        raise ParameterError(
            f"gradient_descent: rate must be a number, {shape[0]} numbers, a function of the step or a search, got "
            f"{rate!r:.80}."
        )


def inverse_rate(rate: float, power: float = 1.0) -> Callable[[int], float]:
    r"""The schedule :math:`\eta_t = \eta / t^p`: large steps first, ever smaller ones later.

    >>> from assay.optimize import inverse_rate
    >>> [inverse_rate(0.5)(t) for t in (1, 2, 5)]
    [0.5, 0.25, 0.1]
    """
    return lambda t: rate / t**power


@dataclass(frozen=True)
class Backtracking:
    r"""Shorten the step until it is worth its length: :math:`E(w - \eta g) \le E(w) - c\,\eta\,g^Tg`.

    Each search begins with twice the step that was good last time.

    Parameters
    ----------
    first : the rate that is tried at the very first      shrink : what it is multiplied by
    enough : c, which part of the promised descent is enough

    Examples
    --------
    >>> from assay.optimize import Backtracking, gradient_descent
    >>> class Square:
    ...     def value_gradient(self, w):
    ...         return float(w @ w), 2 * w
    >>> gradient_descent(Square(), [1.0], Backtracking()).w.round(6)
    array([0.])
    """

    first: float = 1.0
    shrink: float = 0.5
    enough: float = 1e-4

    def search(self, slope: _Downhill, here: Point, last: float) -> Point | None:
        w, value, gradient = here
        square = float(gradient @ gradient)
        if not 0 < square < np.inf:  # it underflows or overflows: nothing to be seen
            return None
        eta = 2 * last / np.sqrt(square) if last else self.first
        for _ in range(100):
            trial = slope(w - eta * gradient)
            if trial[1] <= value - self.enough * eta * square or _level(here, trial):
                return trial
            eta *= self.shrink
        return None


@dataclass(frozen=True)
class Bisection:
    r"""The best step, by halving: the root of the slope :math:`-g^T\nabla E(w - \eta g)` in eta.

    The step is doubled until the ground rises, then the interval is halved until the slope there is a small part of
    the slope here. Of a convex E this is the minimum along the line.

    Parameters
    ----------
    first : the rate that is tried at the very first
    accuracy : which part of the slope may be left over

    Examples
    --------
    >>> from assay.optimize import Bisection, gradient_descent
    >>> class Square:
    ...     def value_gradient(self, w):
    ...         return float(w @ w), 2 * w
    >>> gradient_descent(Square(), [1.0], Bisection()).w.round(6)
    array([0.])
    """

    first: float = 1.0
    accuracy: float = 1e-3

    def search(self, slope: _Downhill, here: Point, last: float) -> Point | None:
        w, value, gradient = here
        square = float(gradient @ gradient)
        if not 0 < square < np.inf:
            return None
        ceiling = value + ROUNDING * abs(value)
        low, high = 0.0, last / np.sqrt(square) if last else self.first
        for _ in range(100):  # double until the ground rises
            trial = slope(w - high * gradient)
            if not trial[1] <= ceiling or trial[2] @ gradient <= 0:
                break
            low, high = high, 2 * high
        for _ in range(200):  # halve what lies between falling and rising
            middle = (low + high) / 2
            trial = slope(w - middle * gradient)
            falling, higher = float(trial[2] @ gradient), not trial[1] <= ceiling
            if not low < middle < high or (abs(falling) <= self.accuracy * square and not higher):
                break
            low, high = (middle, high) if falling > 0 and not higher else (low, middle)
        return trial if trial[1] < value or _level(here, trial) else None


def _level(here: Point, trial: Point) -> bool:
    """Whether E is equal up to rounding although the gradient indicates a descent."""
    same = abs(trial[1] - here[1]) <= ROUNDING * abs(here[1])
    return bool(same and -0.1 < trial[2] @ here[2] / (here[2] @ here[2]) < 0.9)  # far enough, not too far


class _Downhill:
    """E, or -E to maximise; overflow at distant points is ignored."""

    def __init__(self, objective: Slope, maximize: bool):
        self.objective, self.sign = objective, -1.0 if maximize else 1.0

    def __call__(self, w: np.ndarray) -> Point:
        with np.errstate(over="ignore", invalid="ignore"):
            value, gradient = self.objective.value_gradient(w)
        return w, self.sign * float(value), self.sign * np.asarray(gradient, dtype=np.float64)


def _stride(slope: _Downhill, here: Point, rate: object, t: int, last: float) -> Point | None:
    """The next point; None if the line search finds none that is lower."""
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(rate, (Backtracking, Bisection)):
            return rate.search(slope, here, last)
        eta = rate(t) if callable(rate) else np.asarray(rate, dtype=np.float64)
        w, _, gradient = here
        return slope(w - eta * gradient)  # (10-17)
