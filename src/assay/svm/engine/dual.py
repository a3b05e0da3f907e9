"""The quadratic programs of kernel machines, and their solutions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["CONSTRAINTS", "Dual", "Solution"]

CONSTRAINTS = ("sum", "each sign", "none")  # as the native code numbers them


@dataclass(frozen=True, eq=False)
class Dual:
    r"""A quadratic program over the n training rows.

    .. math:: \min_a \tfrac12 a^TQa + p^Ta, \quad 0 \le a_i \le u_i, \quad
              Q_{ij} = s_i s_j K(i \bmod n, j \bmod n) + [i = j]\,r_i \quad (1)

    Parameters
    ----------
    sign : (m,) s, -1 or 1; m is n, or 2 n for machines with two multipliers a row
    linear : (m,) p
    upper : (m,) u, may be infinite
    start : (m,) where the search begins; it decides the constant of the constraint
    constraint : "sum" (s'a is constant: a bias), "each sign" (the sums of a over s = 1 and over s = -1 are: a bias and
        nu), or "none"
    ridge : (m,) r, above 0 for squared slacks
    """

    sign: np.ndarray
    linear: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    constraint: str = "sum"
    ridge: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    r"""What the engine found.

    Attributes
    ----------
    alpha : (m,) the multipliers
    gradient : (m,) Qa + p
    offset : float, the bias: a decision value is sum_i s_i a_i K(x_i, x) + offset; 0 without a constraint
    offset_range : (low, high), where the bias may lie; apart only if no multiplier is strictly between its bounds
    margin : float, with the constraint "each sign" the margin rho, else 1
    objective : float, the value of (1) at alpha
    gap : float, by how much the worst pair violates the optimality conditions
    iterations : int
    converged : bool
    spans : (m,) squared spans of the support vectors (`assay.svm.span`), or None where they were not computed
    weights : (r,) of the columns of the factor of a linear kernel, to more digits than the multipliers give them; None
        where the multipliers are enough
    """

    alpha: np.ndarray
    gradient: np.ndarray
    offset: float
    offset_range: tuple[float, float]
    margin: float
    objective: float
    gap: float
    iterations: int
    converged: bool
    spans: np.ndarray | None = None
    weights: np.ndarray | None = None
