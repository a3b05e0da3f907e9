"""One driver of EM: two steps by turns, a record of each iteration, and a check that the likelihood never falls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError, warn_user

__all__ = ["EMRun", "expectation_maximization"]

SLACK = 1e-8  # of the likelihood, by which rounding may lower it
State = TypeVar("State")


@dataclass(frozen=True)
class EMRun(Generic[State]):
    """Where EM ended: the state, its log likelihood, those on the way, and whether it converged."""

    state: State
    log_likelihood: float
    history: list[float]
    converged: bool


def expectation_maximization(
    step: Callable[[State], tuple[State, float]],
    state: State,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
    monotone: bool = True,
    who: str = "EM",
) -> EMRun[State]:
    """Take steps until the log likelihood rises by less than ``tol``.

    Parameters
    ----------
    step : function of a state that gives the next one and the log likelihood (or bound) of the one before
    state : where it begins
    max_iter : int
    tol : float
    monotone : bool
        Whether a likelihood that falls is an error: it says that a step is wrong, or that something was added to it.
    who : the learner, for messages

    Examples
    --------
    The mean of numbers that are each 1 or 3 with equal weights, by halves of the way:

    >>> from assay.mixture import expectation_maximization
    >>> run = expectation_maximization(lambda m: ((m + 2.0) / 2, -((m - 2.0) ** 2)), 0.0, tol=1e-10)
    >>> round(run.state, 4), run.converged
    (2.0, True)

    See Also
    --------
    GaussianMixture, BernoulliMixture, MixedMixture, FactorAnalyzerMixture

    References
    ----------
    - Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM
      algorithm. Journal of the Royal Statistical Society B 39(1), 1-38.
    """
    history: list[float] = []
    last = -np.inf
    for _ in range(max_iter):
        after, value = step(state)
        if not np.isfinite(value):
            raise DegenerateError(
                f"{who}: some rows have density 0 under all components. Smooth the estimates."
            )
        history.append(float(value))
        if monotone and value < last - SLACK * (1 + abs(last)):
            raise DegenerateError(
                f"{who}: the log likelihood fell from {last:.8g} to {value:.8g} in iteration {len(history)}, which no "
                "step of EM may do."
            )
        if value - last < tol:
            return EMRun(state, float(value), history, True)
        state, last = after, value
    if max_iter > 0:
        warn_user(
            f"{who}: the likelihood still rose after {max_iter} iterations. Increase max_iter or tol.",
            ConvergenceWarning,
        )
    return EMRun(state, float(last), history, False)


def best_of(runs: list[EMRun[Any]]) -> EMRun[Any]:
    """The run with the highest likelihood."""
    return max(runs, key=lambda run: run.log_likelihood)
