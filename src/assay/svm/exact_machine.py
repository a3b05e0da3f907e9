"""What machines share that solve their problem exactly: how long that will take, and what to do if it is too long."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from assay.errors import AssayWarning, warn_user
from assay.kernels import GramRows, MatrixRows
from assay.svm.engine import Dual, Estimate, estimate
from assay.svm.kernel_machine import KernelMachine
from assay.types import TableLike, Target, Weights

__all__ = ["LANDMARKS", "ExactMachine"]

LONG_FIT_SECONDS = 300.0  # on one thread, from which a fit says beforehand how long it will take
LEAST_ROWS_ESTIMATED = 20_000  # with fewer, a fit is seldom long
MOST_PILOTS = 6  # problems of one fit that are tried on few rows
LANDMARKS = (
    "{} learns from all of the rows in time that grows with their number alone; its error_bound_ says which share of "
    "the kernel it leaves over."
)


class _Posed(Exception):
    """The problems of a fit are known, and nothing is to be solved."""


class ExactMachine(KernelMachine):
    """A machine whose fit is one quadratic program, or several of them.

    Before it solves them it calls ``_weigh_cost`` with their kernel matrices and duals.
    """

    _posed: list[tuple[GramRows, Dual]] | None = (
        None  # where a fit leaves its problems instead of solving them
    )
    _for_more_rows: ClassVar[str] = LANDMARKS.format("LandmarkSVC")

    def fit_cost(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Estimate:
        """About what ``fit`` with these arguments will cost, by a pilot on a thousand rows; nothing is fitted.

        Takes some hundredths of a second. Of a machine that searches for C it is the cost of one fit with C = 1, of one
        that learns its kernel that of one round.

        Parameters
        ----------
        X, y, sample_weight : as of fit

        Examples
        --------
        >>> from assay.svm import SVC
        >>> from sklearn.datasets import make_moons
        >>> cost = SVC(gamma=1.0).fit_cost(*make_moons(5000, noise=0.3, random_state=0))
        >>> 300 < cost.support < 5000, cost.values  # kernel values
        (True, 25000000)
        """
        planner = clone(self)
        planner._posed = []
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        with suppress(_Posed):
            planner.fit(X, y, **weights)
        return _summed(planner._posed, self.tol, self.cache_size)

    def _weigh_cost(self, grams: Sequence[GramRows], duals: Sequence[Dual]) -> None:
        """Leave the problems to ``fit_cost``; if their solution will take long, say so."""
        problems = list(zip(grams, duals))
        if self._posed is not None:
            self._posed.extend(problems)
            raise _Posed
        rows = sum(gram.n for gram in grams)
        if rows < LEAST_ROWS_ESTIMATED or isinstance(
            grams[0], MatrixRows
        ):  # whoever has a matrix has its cost
            return
        cost = _summed(problems, self.tol, self.cache_size)
        if cost.seconds < LONG_FIT_SECONDS:
            return
        warn_user(
            f"{type(self).__name__}: on one thread this fit will take about {cost.seconds / 60:,.0f} minutes: {cost}. "
            f"{self._for_more_rows} fit_cost tells beforehand.",
            AssayWarning,
        )


def _summed(problems: Sequence[tuple[GramRows, Dual]], tol: float, cache_size: float) -> Estimate:
    """The cost of all problems, of which a few are tried."""
    if not problems:
        return Estimate(0, 0, 0, 0.0, 0.0)
    places = np.unique(np.linspace(0, len(problems) - 1, MOST_PILOTS).astype(np.int64)).tolist()
    costs = [estimate(*problems[p], tol=tol, cache_size=cache_size) for p in places]
    times = len(problems) / len(costs)

    def total(values: Any) -> float:
        return times * float(sum(values))

    return Estimate(
        round(total(cost.support for cost in costs)),
        round(total(cost.steps for cost in costs)),
        round(total(cost.values for cost in costs)),
        max(cost.megabytes for cost in costs),
        total(cost.seconds for cost in costs),
    )
