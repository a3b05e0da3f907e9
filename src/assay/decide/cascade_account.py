"""What each level of a cascade did with some rows, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.explanation import text_table

__all__ = ["CascadeAccount", "CascadeLevel"]


@dataclass(frozen=True)
class CascadeLevel:
    """What one level of a cascade did with some rows.

    Attributes
    ----------
    name : str      reject : its cost of rejecting, or None      use_cost : what it costs to ask it about a row
    asked, decided, rejected, errors : how many rows it was asked about, answered, passed on, and got wrong
    loss : float
        What its answers cost; rows that the last level rejects cost its ``reject``.
    """

    name: str
    reject: float | None
    use_cost: float
    asked: int
    decided: int
    rejected: int
    errors: int
    loss: float


@dataclass(frozen=True)
class CascadeAccount:
    """The levels of a cascade in order, and what the whole of it costs."""

    levels: tuple[CascadeLevel, ...]

    @property
    def cost(self) -> float:
        """What all questions and all answers cost together."""
        return float(sum(level.asked * level.use_cost + level.loss for level in self.levels))

    @property
    def cost_per_row(self) -> float:
        """The same for one row; 0 if there are none."""
        return self.cost / self.levels[0].asked if self.levels and self.levels[0].asked else 0.0

    @property
    def use_cost_per_row(self) -> float:
        """What asking the levels about one row costs on average; 0 if there are none."""
        asked = sum(level.asked * level.use_cost for level in self.levels)
        return asked / self.levels[0].asked if self.levels and self.levels[0].asked else 0.0

    def __str__(self) -> str:
        heads = ["level", "reject at", "asked", "decided", "rejected", "errors", "cost of use", "loss"]
        rows: list[list[Any]] = [
            [
                *(a.name, "" if a.reject is None else a.reject, a.asked, a.decided, a.rejected, a.errors),
                *(a.asked * a.use_cost, a.loss),
            ]
            for a in self.levels
        ]
        return text_table(heads, rows) + f"\n  {self.cost:.6g} in all, {self.cost_per_row:.4g} per row"
