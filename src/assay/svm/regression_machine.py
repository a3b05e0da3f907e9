"""What the regression machines share: two multipliers a row, and a tube around the function."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core import Regressor
from assay.core.targets import numeric_target
from assay.kernels import Linear
from assay.svm.engine import Dual, Solution
from assay.svm.exact_machine import LANDMARKS, ExactMachine
from assay.types import TableLike, Target

__all__ = ["RegressionMachine"]

ON_THE_TUBE = 1e-6  # how far from the edge of the tube, in units of y, a row still counts as on it


class RegressionMachine(ExactMachine, Regressor):
    """Base of the machines that predict numbers.

    A machine writes ``_dual(y, weight, unit)``, with the multipliers of residuals above 0 first and those below behind
    them, and ``_width(solution)``, the half width of its tube; y is in units of ``unit``.
    """

    C: float | str
    _for_more_rows: ClassVar[str] = LANDMARKS.format("LandmarkSVR")

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        gram = self._learn_kernel(X, y, w)
        dual, middle, unit = self._problem(y, weight)
        self._weigh_cost([gram], [dual])
        solution = self._solve(gram, dual)
        above, below = np.split(solution.alpha, 2)
        coef = above - below
        support = np.flatnonzero(coef)
        offset = unit * solution.offset + middle
        self._keep(X, support, unit * coef[None, support], offset, [solution], unit)
        self.n_iter_ = solution.iterations
        self.epsilon_ = unit * self._width(solution)
        self._conclude([solution])

    def _problem(self, y: np.ndarray, weight: np.ndarray) -> tuple[Dual, float, float]:
        """The quadratic program, and the middle and the unit that y is measured by in it."""
        middle, unit = scale_of(y, weight) if isinstance(self.C, str) else (0.0, 1.0)
        return self._dual((y - middle) / unit, weight, unit), middle, unit

    def _another_way(self) -> str:
        return " LinearSVR solves a problem like it in any units." if isinstance(self.kernel_, Linear) else ""

    def _predict(self, X: Any) -> np.ndarray:
        return self._outputs(X)[:, 0]

    def tube_status(self, X: TableLike, y: Target) -> np.ndarray:
        """(n,) where each row lies: "inside" the tube of half width ``epsilon_``, "on" its edge, or "outside".

        Of training rows, those inside have no part in the function, those on the edge a free multiplier, and those
        outside a multiplier at its bound.
        """
        values = self._admit(X)
        truth = numeric_target(y, values.shape[0], type(self).__name__)
        beyond = np.abs(truth - self._predict(values)) - self.epsilon_
        edge = max(ON_THE_TUBE, 2 * self.tol)
        return np.where(np.abs(beyond) <= edge, "on", np.where(beyond < 0, "inside", "outside"))

    @property
    def _price(self) -> float:
        """C in the unit of y: "scale" has y in standard deviations, so that 1 is what suits it."""
        return 1.0 if isinstance(self.C, str) else float(self.C)

    def _dual(self, y: np.ndarray, weight: np.ndarray, unit: float) -> Dual:
        raise TypeError(f"{type(self).__name__} must define _dual")

    def _width(self, solution: Solution) -> float:
        raise TypeError(f"{type(self).__name__} must define _width")


def scale_of(y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The mean and the standard deviation of y; 1 for the latter if all are equal.

    >>> import numpy as np
    >>> from assay.svm.regression_machine import scale_of
    >>> scale_of(np.array([1.0, 5.0, 8.0]), np.array([1.0, 1.0, 0.0])), scale_of(np.ones(3), np.ones(3))
    ((3.0, 2.0), (1.0, 1.0))
    """
    size = float(np.abs(y).max()) or 1.0  # squares of what is left are numbers
    parts = y / size
    middle = float(np.average(parts, weights=weight))
    spread = float(np.sqrt(np.average((parts - middle) ** 2, weights=weight)))
    return size * middle, size * spread if spread > 0 else 1.0
