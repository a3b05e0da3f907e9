"""Expected value and expected utility of actions with uncertain outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.decide.priors import check_priors
from assay.errors import DataError, ParameterError
from assay.types import Scores

__all__ = ["certainty_equivalent", "expected_utility"]


def expected_utility(
    outcomes: ArrayLike, probabilities: Scores, utility: Callable[[np.ndarray], Any] | None = None
) -> Any:
    r"""What an action is worth on average.

    .. math:: EU(\alpha) = \sum_k P_k\, U(\text{outcome of } \alpha \text{ in state } k)

    Parameters
    ----------
    outcomes : (K,) gains of one action in each state, or (A, K), one row per action
    probabilities : (K,) of the states
    utility : function of an array of outcomes, default None (an outcome is worth itself: the expected value)

    Examples
    --------
    A fair coin that pays 5 on tails; then the same coin for a prize of 500, seen by someone cautious:

    >>> from assay.decide import expected_utility
    >>> expected_utility([5, 0], [0.5, 0.5]), expected_utility([500, 0], [0.5, 0.5])
    (2.5, 250.0)
    >>> float(np.square(expected_utility([500, 0], [0.5, 0.5], np.sqrt)).round(6))  # worth a sure 125
    125.0

    See Also
    --------
    certainty_equivalent

    References
    ----------
    - von Neumann, J. and Morgenstern, O. (1944). Theory of Games and Economic Behavior. Princeton University Press.
    """
    V = _outcomes(outcomes, "expected_utility")
    P = check_priors(probabilities, V.shape[-1], "probabilities")
    worth = V if utility is None else np.asarray(utility(V), dtype=np.float64)
    if worth.shape != V.shape:
        raise ParameterError(
            f"expected_utility: utility must return one number per outcome ({V.shape}), got shape {worth.shape}."
        )
    if np.isnan(worth).any():
        raise DataError("expected_utility: the utility of an outcome is NaN.")
    held = np.where(P > 0, worth, 0.0)  # a state that cannot happen is worth nothing, even if infinitely bad
    total = held @ P
    return float(total) if V.ndim == 1 else total


def certainty_equivalent(
    outcomes: ArrayLike, probabilities: Scores, utility: Callable[[np.ndarray], Any], *, xtol: float = 1e-12
) -> float:
    r"""The sure amount worth as much as an uncertain action: :math:`U(c) = EU(\alpha)`.

    Below the expected value for a risk-averse (concave) utility, above it for a risk-loving one.
    ``utility`` must increase.

    >>> from assay.decide import certainty_equivalent
    >>> round(certainty_equivalent([500, 0], [0.5, 0.5], np.sqrt), 6)
    125.0
    """
    V = _outcomes(outcomes, "certainty_equivalent")
    if V.ndim != 1:
        raise DataError("certainty_equivalent: expected the outcomes of one action.")
    goal = expected_utility(V, probabilities, utility)
    low, high = float(V.min()), float(V.max())
    if low == high:
        return low
    from scipy.optimize import brentq

    def gap(c: float) -> float:
        return float(np.asarray(utility(np.array([c])))[0] - goal)

    if not gap(low) <= 0 <= gap(high):
        raise ParameterError(
            "certainty_equivalent: the utility must be finite and increase with the outcome."
        )
    return float(brentq(gap, low, high, xtol=xtol * max(1.0, abs(low), abs(high))))


def _outcomes(outcomes: Any, who: str) -> np.ndarray:
    V = np.asarray(outcomes, dtype=np.float64)
    if V.ndim not in (1, 2) or not V.size or not np.isfinite(V).all():
        raise DataError(f"{who}: expected (K,) or (A, K) finite outcomes, got shape {V.shape}.")
    return V
