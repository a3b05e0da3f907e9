"""Regions bounded by a polynomial as hypotheses: conics, cubics, and what they shatter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from assay.theory._checks import one_count
from assay.theory.labellings import Hypotheses, Labels, Points, Rule
from assay.theory.separators import frame, separated

__all__ = ["Polynomials"]


@dataclass(frozen=True, repr=False)
class Polynomials(Hypotheses):
    r"""Positive where a polynomial of the coordinates is: of degree 2 in the plane, one side of a conic.

    It is a half-space in the monomials, :math:`\binom{d+p}p - 1` of them besides the constant, so that its VC
    dimension is :math:`\binom{d+p}p`; a linear programme per labelling decides.

    Parameters
    ----------
    degree : p

    Examples
    --------
    The exclusive or, which no line can do:

    >>> from assay.theory import Polynomials, shatters
    >>> shatters(Polynomials(degree=2), [(0, 0), (1, 0), (0, 1), (1, 1)]).count, Polynomials(degree=2).vc(2)
    (16, 6.0)
    """

    degree: int = 2
    most = 12

    def __post_init__(self) -> None:
        one_count(self.degree, "Polynomials", "degree")

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"polynomials of degree {self.degree}"

    def rule(self, points: Points, label: Labels) -> Rule | None:
        centre, scale = frame(points, True)
        w = separated(self._monomials((points - centre) / scale), label, True)
        return None if w is None else lambda X: self._monomials((X - centre) / scale) @ w[1:] + w[0] > 0

    def realised(self, points: Points) -> Labels:
        return self.either_sign(points)

    def _monomials(self, X: Points) -> Points:
        d = range(X.shape[1])
        factors = [f for p in range(1, self.degree + 1) for f in combinations_with_replacement(d, p)]
        return np.column_stack([np.prod(X[:, list(f)], axis=1) for f in factors])

    def vc(self, d: int) -> float:
        return float(comb(d + self.degree, self.degree))
