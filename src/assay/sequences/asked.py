"""What forecasts and draws may be asked for: a sentence for everything else."""

from __future__ import annotations

from typing import Any

from assay.core.parameters import Count, Range, check

__all__ = ["check_draw", "check_forecast"]

OPEN_SHARE = Range(0, 1, open="()")


def check_forecast(who: str, coverage: Any, **steps: Any) -> None:
    """How many rows ahead, and the share of draws that the band holds."""
    check(
        who, {**{name: Count(1) for name in steps}, "coverage": OPEN_SHARE}, {**steps, "coverage": coverage}
    )


def check_draw(who: str, n_states: int = 1, currstate: Any = None, **rows: Any) -> None:
    """How many rows, and in which state they begin."""
    accepts = {**{name: Count(1) for name in rows}, "currstate": Count(0, n_states - 1) | None}
    check(who, accepts, {**rows, "currstate": currstate})
