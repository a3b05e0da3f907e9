"""A likelihood that EM never lowers, checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.errors import DegenerateWarning, warn_user

__all__ = ["warn_if_fell"]

FALLING = 1e-6  # of the log likelihood, relative: more is reported


def warn_if_fell(history: Sequence[float], who: str) -> None:
    """A DegenerateWarning if the log likelihood fell by more than rounding from one step of EM to the next."""
    fell = [b - a for a, b in pairwise(history) if b < a - FALLING * max(1.0, abs(a))]
    if fell:
        warn_user(
            f"{who}: the log likelihood fell by {-min(fell):.3g} in a step of EM, which the arithmetic forbids; "
            "variances near zero are the usual cause.",
            DegenerateWarning,
        )
