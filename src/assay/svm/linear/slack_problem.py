r"""What linear machines minimise: a ridge on the weights, and slacks of the rows outside a tube around their targets.

.. math:: E(w, b) = \tfrac12\lVert w\rVert^2 + \tfrac12\left(\tfrac bs\right)^2
          + \sum_i u_i\,(t_i - f_i - \epsilon)_+^p + l_i\,(f_i - t_i - \epsilon)_+^p,\qquad f_i = w^Tx_i + b  \quad (1)

Classes are the targets -1 and +1 without a tube: a row of the positive class pays for being below its target
(:math:`u_i = C`, :math:`l_i = 0`), one of the negative class for being above (:math:`u_i = 0`, :math:`l_i = C`), which
is the hinge for p = 1 and its square for p = 2. Regression pays on both sides. The constant b is the weight of a column
of s (``intercept_scaling``), and so is penalised as LIBLINEAR does; without one, s = 0.

The dual of (1) has a multiplier :math:`\beta_i` for each row, with :math:`v = \sum_i \beta_i (x_i, s)`:

.. math:: -\tfrac12\lVert v\rVert^2 - \sum_i \tfrac12 r_i\beta_i^2 - t_i\beta_i + \epsilon|\beta_i|          \quad (2)

For p = 1 it is bounded by :math:`-l_i\le\beta_i\le u_i` and r = 0; for p = 2 it has the signs alone and
:math:`r_i = 1/(2u_i)` or :math:`1/(2l_i)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError

__all__ = ["LinearSolution", "SlackProblem"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SlackProblem:
    """(1) for one score.

    Attributes
    ----------
    X : (n, d) float64, C-ordered array or CSR matrix
    target, above, below : (n,) t, u and l
    epsilon : half the width of the tube      power : p, 1 or 2      constant : s, 0 for none
    """

    X: Any
    target: Floats
    above: Floats
    below: Floats
    epsilon: float
    power: int
    constant: float

    @property
    def dense(self) -> bool:
        """Whether X is an array."""
        return isinstance(self.X, np.ndarray)

    def scores(self, v: Floats) -> Floats:
        """(n,) f of weights v = (w, b / s), or w alone."""
        d = self.X.shape[1]
        z = np.asarray(self.X @ v[:d]).ravel()
        return z + self.constant * v[d] if self.constant else z

    def slopes(self, G: Floats) -> Floats:
        """(X, s)' G."""
        g = np.asarray(self.X.T @ G).ravel()
        return np.append(g, self.constant * G.sum()) if self.constant else g

    def loss(self, z: Floats) -> float:
        """The slacks of rows with scores z, as (1) prices them."""
        r = self.target - z
        over, under = np.maximum(r - self.epsilon, 0.0), np.maximum(-r - self.epsilon, 0.0)
        return float(self.above @ over**self.power + self.below @ under**self.power)

    def value(self, v: Floats) -> float:
        """E of (1)."""
        return 0.5 * float(v @ v) + self.loss(self.scores(v))

    def ridge(self) -> Floats:
        """(n,) r of (2)."""
        if self.power == 1:
            return np.zeros(len(self.target))
        return 0.5 / np.maximum(self.above, self.below)

    def gap(self, v: Floats, beta: Floats) -> tuple[float, float]:
        """E at v, and its distance from (2), v being made of beta."""
        value = self.value(v)
        curved = 0.5 * float(self.ridge() @ (beta * beta))
        dual = (
            0.5 * float(v @ v) + curved - float(self.target @ beta) + self.epsilon * float(np.abs(beta).sum())
        )
        return value, value + dual

    def check_sizes(self, who: str) -> None:
        """Refuse numbers whose squares or products with C overflow."""
        values = self.X if self.dense else self.X.data
        with np.errstate(over="ignore", invalid="ignore"):
            largest = max(float(np.abs(values).max(initial=0.0)), 1.0)
            reach = largest * largest * max(float(self.above.max()), float(self.below.max()), 1.0)
        if not np.isfinite(reach * len(self.target) * max(self.X.shape[1], 1)):
            raise DataError(
                f"{who}: X has values too large to be squared. Divide their columns by some power of ten."
            )


@dataclass(frozen=True)
class LinearSolution:
    """Weights v = (w, b / s), steps made, and whether the minimum was reached; ``gap`` is how far E may be above it."""

    v: Floats
    n_iter: int
    converged: bool
    value: float
    gap: float
