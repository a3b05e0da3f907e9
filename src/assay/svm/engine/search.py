"""Where the search for the multipliers of a dual problem stands."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.svm.engine._solve as _solve
from assay.errors import DataError
from assay.kernels.gram_rows import GramRows
from assay.svm.engine.dual import CONSTRAINTS, Dual, Solution

__all__ = ["Search"]

EPSILON = 1e-15  # relative error of a sum in float64
SINGLE_NOISE = 2e-6  # share of the largest sum by which tens of thousands of steps may blur sums in float32
MOST_BLUR = 1e5  # of larger sums float32 has too few digits, or no numbers
EPSILON_SINGLE, EPSILON_DOUBLE = float(np.finfo(np.float32).eps), float(np.finfo(np.float64).eps)


class Search:
    r"""The multipliers so far, and what native code keeps of the gradient.

    .. math:: F_i = -s_i (Qa + p)_i = G_{i \bmod n} + b_i, \quad G = -K\beta, \quad
              \beta_r = \sum_{i \bmod n = r} s_i a_i, \quad b_i = -s_i (p_i + r_i a_i) \quad (1)

    F is what optimality is about: a pair of multipliers may improve the objective if the one that may rise (:math:`s_i
    a_i`) has the larger F.

    Parameters
    ----------
    gram : GramRows
    dual : Dual
    begun : what native code has done already: alpha, G, base, gap and iterations; None for the start of ``dual``
    """

    def __init__(self, gram: GramRows, dual: Dual, begun: Any = None):
        self.gram, self.dual, self.n, self.m = gram, dual, gram.n, len(dual.sign)
        if self.m not in (self.n, 2 * self.n):
            raise DataError(
                f"the engine: {self.n} training rows need {self.n} or {2 * self.n} multipliers, got {self.m}."
            )
        self.sign, self.upper, self.linear = _numbers(dual.sign), _numbers(dual.upper), _numbers(dual.linear)
        self.ridge = np.zeros(self.m) if dual.ridge is None else _numbers(dual.ridge)
        self.alpha = np.minimum(np.maximum(dual.start, 0.0), self.upper)
        self.diagonal = _numbers(gram.diagonal)
        self.largest = float(np.maximum(self.diagonal.max(initial=0.0), -self.diagonal.min(initial=0.0)))
        if not self.largest < np.inf:
            raise DataError("the engine: the kernel of a training row with itself is no finite number.")
        self.constraint = CONSTRAINTS.index(dual.constraint)
        if begun is not None:
            self.alpha, self.G, self.base = begun.alpha, np.ascontiguousarray(begun.G), begun.base
            self.gap, self.iterations = begun.gap, begun.iterations
            return
        self.base = -self.sign * (self.linear + self.ridge * self.alpha)
        self.G = np.zeros(self.n)
        self.gap, self.iterations = np.inf, 0

    @property
    def beta(self) -> np.ndarray:
        """(n,) the coefficients of the training rows."""
        signed = self.sign * self.alpha
        return signed if self.m == self.n else signed[: self.n] + signed[self.n :]

    def refresh(self, rows: np.ndarray | None = None, dtype: Any = np.float64) -> None:
        """Compute G anew, from values of ``dtype``, for some rows or for all."""
        beta = self.beta
        support = np.flatnonzero(beta)
        wanted = np.arange(self.n) if rows is None else rows
        self.G[wanted] = -self.gram.times(wanted, support, beta[support], dtype) if len(support) else 0.0
        if rows is None:
            self.base = -self.sign * (self.linear + self.ridge * self.alpha)

    def begin(self, K: np.ndarray, places: np.ndarray | None) -> None:
        """Compute G from the whole matrix, K or a part of it, for a start that is not 0."""
        if not self.alpha.any():
            return
        beta, G = self.beta, np.zeros(len(K))
        support = np.flatnonzero(beta)
        rows = support if places is None else places[support]
        _solve.subtract_rows(K, rows, beta[support], 0, len(K), G)
        self.G = G if places is None else G[places]

    def rounding(self, dtype: Any) -> float:
        """By about how much F may be wrong if G was added up from values of ``dtype``."""
        beta, eps = self.beta, EPSILON_SINGLE if dtype == np.float32 else EPSILON_DOUBLE
        return (eps / 2 + EPSILON) * self.largest * float(beta @ beta) ** 0.5

    def steps(self, K: np.ndarray, places: np.ndarray | None, tol: float, most: int) -> int:
        """Steps of all multipliers with the whole matrix, which is K or its rows and columns at these places."""
        done, gap = self._steps(K, places, slice(None), tol, most, self.alpha, self.G, self.base)
        self.gap = max(gap, 0.0)
        return done

    def rough_steps(
        self, K: np.ndarray, places: np.ndarray | None, tol: float, most: int, single: np.ndarray
    ) -> int:
        """Quicker steps, with sums in float32: to ``tol``, or as far as these tell. Then G is computed anew, from K.

        ``single`` is K in float32.
        """
        blur = self.blur(slice(None)) + (0.0 if single is K else self.rounding(np.float32))
        if not blur < MOST_BLUR:
            return 0
        goal = max(tol - 2 * blur, tol / 2, blur)  # so that sums in float64 seldom find more to do
        done, _ = self._steps(
            single, places, slice(None), goal, most, self.alpha, self.G.astype(np.float32), self.base
        )
        if done:
            self.begin(K, places)
        return done

    def steps_of(self, rows: np.ndarray, K: np.ndarray, tol: float, most: int) -> int:
        """Steps of the multipliers of some rows, of which K is the matrix; how many were done."""
        which = self.variables(rows)
        alpha, base, G = self.alpha[which], self.base[which], self.G[rows]
        if K.dtype == np.float32 and self.blur(which) <= min(tol, MOST_BLUR):
            G = G.astype(np.float32)
        done, _ = self._steps(K, None, which, tol, most, alpha, G, base)
        self.alpha[which], self.base[which] = alpha, base
        return done

    def blur(self, which: Any) -> float:
        """By about how much sums in float32 may be wrong after many steps of these multipliers."""
        return SINGLE_NOISE * float(np.abs(self.F[which]).max(initial=0.0))

    def _steps(
        self, K: np.ndarray, places: np.ndarray | None, which: Any, tol: float, most: int, alpha: np.ndarray,
        G: np.ndarray, base: np.ndarray,
    ) -> tuple[int, float]:  # fmt: skip
        """Steps of some multipliers by native code, with sums of the type of G: how many, and the gap then."""
        gap = np.array([np.inf])
        rows = which if isinstance(which, slice) else which[: len(G)]
        done = _solve.steps(
            K=K, places=places, diagonal=self.diagonal[rows], bounds=self._bounds(which), tol=tol, most=most,
            alpha=alpha, G=G, base=base, gap=gap,
        )  # fmt: skip
        self.iterations += done
        return done, float(gap[0])

    def _bounds(self, which: Any = slice(None)) -> Any:
        return _solve.Bounds(
            sign=self.sign[which],
            upper=self.upper[which],
            ridge=self.ridge[which],
            constraint=self.constraint,
        )

    def variables(self, rows: np.ndarray) -> np.ndarray:
        """The multipliers of some rows."""
        return rows if self.m == self.n else np.concatenate([rows, rows + self.n])

    def may_rise(self) -> np.ndarray:
        return np.where(self.sign > 0, self.alpha < self.upper, self.alpha > 0)

    def may_fall(self) -> np.ndarray:
        return np.where(self.sign > 0, self.alpha > 0, self.alpha < self.upper)

    @property
    def F(self) -> np.ndarray:
        return self.base + (self.G if self.m == self.n else np.tile(self.G, 2))

    def violation(self) -> float:
        """By how much the worst pair of multipliers violates the optimality conditions, or a single one does."""
        F, up, down = self.F, self.may_rise(), self.may_fall()
        if self.dual.constraint == "none":
            return max(float(F[up].max(initial=0.0)), -float(F[down].min(initial=0.0)))
        pairs = [self.sign > 0, self.sign < 0] if self.dual.constraint == "each sign" else [True]
        gaps = [F[up & of].max(initial=-np.inf) - F[down & of].min(initial=np.inf) for of in pairs]
        return max(float(max(gaps)), 0.0)

    def objective(self) -> float:
        return 0.5 * float(self.alpha @ (self.linear - self.sign * self.F))

    def solution(self, converged: bool) -> Solution:
        """What was found, with the offset at which all free multipliers lie."""
        F = self.F
        fields = {"alpha": self.alpha, "gradient": -self.sign * F, "objective": self.objective()}
        fields |= {"gap": self.gap, "iterations": self.iterations, "converged": converged}
        if self.dual.constraint == "none":
            return Solution(**fields, offset=0.0, offset_range=(0.0, 0.0), margin=1.0)
        if self.dual.constraint == "sum":
            low, high, offset = self._level(F, np.ones(self.m, dtype=bool))
            return Solution(**fields, offset=offset, offset_range=(low, high), margin=1.0)
        (low1, high1, above), (low2, high2, below) = (
            self._level(F, self.sign == sign) for sign in (1.0, -1.0)
        )
        span = ((low1 + low2) / 2, (high1 + high2) / 2)
        return Solution(**fields, offset=(above + below) / 2, offset_range=span, margin=(below - above) / 2)

    def _level(self, F: np.ndarray, of: np.ndarray) -> tuple[float, float, float]:
        """The F at which all free multipliers lie (between their bounds), else the middle of what the others allow."""
        free = of & (self.alpha > 0) & (self.alpha < self.upper)
        up, down = of & self.may_rise(), of & self.may_fall()
        if free.any():
            level = float(F[free].mean())
            return level, level, level
        low = float(F[up].max()) if up.any() else -np.inf
        high = float(F[down].min()) if down.any() else np.inf
        if not np.isfinite(low + high):  # all at one bound: the nearest value that is allowed
            return low, high, low if np.isfinite(low) else high if np.isfinite(high) else 0.0
        return low, high, (low + high) / 2


def _numbers(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float64)
