"""What ``verbose`` prints while boosting: one line for some of the rounds, as scikit-learn has it."""

from __future__ import annotations

import time
from typing import Any

__all__ = ["RoundPrinter"]


class RoundPrinter:
    """Prints the loss and the time left after round 1 to 10, then every 10th, every 100th, and so on.

    With ``verbose`` above 1 every round has a line; with 0 nothing is printed.

    Examples
    --------
    >>> from assay.ensembles.boosting_report import RoundPrinter
    >>> printer = RoundPrinter(verbose=2, total=2, out_of_bag=False)
          Iter       Train Loss   Remaining Time
    >>> printer.show({"round": 1, "train_score": 0.5}, seconds=3.0)
             1           0.5000            3.00s
    """

    def __init__(self, verbose: int, total: int, out_of_bag: bool, done: int = 0):
        self.verbose, self.total, self.out_of_bag = int(verbose), total, out_of_bag
        self.first, self.every, self.start = done, 1, time.monotonic()
        if self.verbose:
            names = ["Train Loss", *(["OOB Improve"] if out_of_bag else []), "Remaining Time"]
            print(f"{'Iter':>10}", *(f"{name:>16}" for name in names))

    def show(self, record: dict[str, Any], seconds: float | None = None) -> None:
        """The line of a round, if it has one; ``seconds`` are what is left, by default from the pace so far."""
        if not self.verbose:
            return
        i, done = record["round"], record["round"] - self.first
        if i % self.every == 0:
            if seconds is None:
                seconds = (self.total - i) * (time.monotonic() - self.start) / done
            left = f"{seconds / 60:.2f}m" if seconds > 60 else f"{seconds:.2f}s"
            numbers = [record["train_score"]]
            numbers += [record.get("oob_improvement", float("nan"))] if self.out_of_bag else []
            print(f"{i:>10}", *(f"{number:>16.4f}" for number in numbers), f"{left:>16}")
        if self.verbose == 1 and i // (self.every * 10) > 0:
            self.every *= 10
