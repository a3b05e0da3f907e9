"""Response surface: a second-order polynomial of the factors, its stationary point, and the path of steepest ascent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, stdtr

from assay.errors import DataError, ParameterError
from assay.experiments.designs.fractional import word
from assay.experiments.designs.run_table import RunTable, as_numbers, names_of
from assay.stats.checks import is_number, is_whole
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import TestResult

__all__ = ["ResponseSurface"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResponseSurface:
    r"""A fitted surface :math:`\hat y = b_0 + b^Tx + x^TBx` (1) in coded units; made by `ResponseSurface.fit`.

    B is symmetric: its diagonal holds the quadratic coefficients, and off the diagonal stands half of each
    interaction's. The stationary point is :math:`x_s = -\tfrac12B^{-1}b` (2); eigenvalues of B that are all
    negative make it a maximum, all positive a minimum, both signs a saddle, one near 0 a ridge.

    Attributes
    ----------
    terms : names of the coefficients: "1", "A", "A^2", "AB"
    coefficients, standard_errors, t, p : one per term; the last three NaN if there are no more runs than terms
    sigma, df : residual standard deviation, and its degrees of freedom
    r_squared, adjusted_r_squared
    lack_of_fit : TestResult of the residuals beyond pure error, or None without replicated runs
    b0, b, B : the parts of (1)
    stationary, stationary_value : (2) in coded units and the surface there; NaN if B is singular
    eigenvalues, axes : of B, the smallest first, and as columns the directions they belong to
    """

    names: tuple[str, ...]
    terms: tuple[str, ...]
    coefficients: Floats
    standard_errors: Floats
    t: Floats
    p: Floats
    sigma: float
    df: int
    r_squared: float
    adjusted_r_squared: float
    lack_of_fit: TestResult | None
    b0: float
    b: Floats
    B: Floats
    stationary: Floats
    stationary_value: float
    eigenvalues: Floats
    axes: Floats
    ends: tuple[tuple[Any, Any], ...] | None = None

    @classmethod
    def fit(
        cls, design: RunTable | ArrayLike, response: ArrayLike, *, names: Sequence[str] | None = None
    ) -> ResponseSurface:
        """Fit the surface by least squares.

        Parameters
        ----------
        design : `RunTable` (`central_composite`, `box_behnken`, `three_level`), or a matrix (n, F) in coded units
        response : (n,)
        names : F names, for a matrix

        Examples
        --------
        >>> from assay.experiments import ResponseSurface, central_composite
        >>> design = central_composite(2)
        >>> a, b = design.coded.T
        >>> surface = ResponseSurface.fit(design, 80 + 4 * a + 2 * b - 3 * a**2 - 2 * b**2 + a * b)
        >>> surface.stationary.round(6).tolist(), round(surface.stationary_value, 6), surface.kind
        ([0.782609, 0.695652], 82.26087, 'maximum')
        """
        table = isinstance(design, RunTable)
        X = as_numbers(design.coded if isinstance(design, RunTable) else design, "ResponseSurface: design")
        y = as_numbers(response, "ResponseSurface: response")
        if X.ndim != 2 or not X.size or not np.isfinite(X).all():
            raise DataError(
                f"ResponseSurface: expected a finite table of runs and factors, got shape {X.shape}."
            )
        if y.shape != (len(X),) or not np.isfinite(y).all():
            raise DataError(
                f"ResponseSurface: expected {len(X)} finite responses, one per run, got shape {y.shape}. "
                "A run that failed has to be repeated or left out of both."
            )
        squarable(y, "ResponseSurface")
        F = X.shape[1]
        if names is None:
            names = names_of(design, F)
        if len(names) != F:
            raise ParameterError(f"ResponseSurface: expected {F} names, got {len(names)}.")
        terms, Z = _terms(X, tuple(names))
        if np.linalg.matrix_rank(Z) < len(terms):
            raise DataError(
                f"ResponseSurface: {len(X)} runs at these levels cannot tell {len(terms)} coefficients apart. "
                "Every factor needs three levels, and every pair its corners: central_composite, box_behnken."
            )
        ends = tuple((v[0], v[-1]) for v in design.levels.values()) if table else None  # type: ignore[union-attr]
        return _fitted(cls, tuple(names), terms, X, Z, y, ends)

    @property
    def kind(self) -> str:
        """What the stationary point is: "maximum", "minimum", "saddle point" or "ridge"."""
        v = self.eigenvalues
        if _flat(v, self.coefficients):
            return "ridge"
        return "maximum" if (v < 0).all() else "minimum" if (v > 0).all() else "saddle point"

    def predict(self, X: ArrayLike) -> Floats:
        """The surface at points (n, F) in coded units."""
        X = np.atleast_2d(as_numbers(X, "ResponseSurface: points"))
        if X.ndim != 2 or X.shape[1] != len(self.b):
            raise DataError(
                f"ResponseSurface: expected points of {len(self.b)} coded levels, got shape {X.shape}."
            )
        return self.b0 + X @ self.b + np.einsum("ij,jk,ik->i", X, self.B, X)  # (1)

    def decoded(self, x: ArrayLike) -> dict[str, float]:
        """A point in coded units as levels of the factors; as it is if the design was a matrix."""
        x = as_numbers(x, "ResponseSurface: point")
        if x.shape != self.b.shape:
            raise DataError(f"ResponseSurface: expected {len(self.b)} coded levels, got shape {x.shape}.")
        if self.ends is None:
            return dict(zip(self.names, x.tolist()))
        return {
            n: float(low + (c + 1) / 2 * (high - low)) for n, (low, high), c in zip(self.names, self.ends, x)
        }

    def best_within(self, radius: float = 1.0, *, goal: str = "maximum") -> Floats:
        """The best point not farther than radius from the centre: the centre of the next design.

        The Lagrange condition (B - m I) x = -b / 2 is solved for the multiplier m that puts x on the sphere,
        unless the summit itself lies inside.
        """
        sign = _goal(goal)
        if not is_number(radius) or not radius > 0:
            raise ParameterError(f"ResponseSurface: radius must be above 0, got {radius!r}.")
        values, V = np.linalg.eigh(sign * self.B)  # maximise: the largest eigenvalue is the last
        c = V.T @ (sign * self.b) / 2
        scale = max(float(np.abs(values).max()), float(np.abs(c).max()), 1e-300)
        if values[-1] < -1e-12 * scale and np.linalg.norm(c / values) <= radius:
            return V @ (-c / values)  # (2)
        return V @ _on_sphere(values, c, radius, scale)

    def steepest(self, steps: int = 5, step: float = 0.5, *, goal: str = "maximum") -> Floats:
        """(steps + 1, F) points from the centre, at distances step, 2 step, ..., each the best at its distance.

        Near the centre this is the path of steepest ascent along b; farther out it bends with the surface.
        """
        sign = _goal(goal)
        if not is_whole(steps, 1) or not is_number(step) or not step > 0:
            raise ParameterError(
                f"ResponseSurface: steps must be from 1 and step above 0, got {steps!r} and {step!r}."
            )
        values, V = np.linalg.eigh(sign * self.B)
        c = V.T @ (sign * self.b) / 2
        scale = max(float(np.abs(values).max()), float(np.abs(c).max()), 1e-300)
        path = [np.zeros(len(self.b))]
        path += [V @ _on_sphere(values, c, step * k, scale) for k in range(1, steps + 1)]
        return np.array(path)

    def __str__(self) -> str:
        width = max(len(t) for t in self.terms)
        lines = [f"{'':<{width}}  {'coefficient':>11} {'std. error':>11} {'p':>8}"]
        for row in zip(self.terms, self.coefficients, self.standard_errors, self.p):
            tail = "" if np.isnan(row[3]) else f" {row[2]:>11.4g} {row[3]:>8.4f}"
            lines.append(f"{row[0]:<{width}}  {row[1]:>11.5g}{tail}")
        where = ", ".join(f"{n} {v:.4g}" for n, v in self.decoded(self.stationary).items())
        if self.kind == "ridge":
            lines.append("A ridge: along one direction the surface does not bend.")
        else:
            lines.append(f"The {self.kind}, {self.stationary_value:.5g}, is at {where}.")
        return "\n".join(lines)


def _terms(X: Floats, names: tuple[str, ...]) -> tuple[tuple[str, ...], Floats]:
    F = X.shape[1]
    pairs = list(combinations(range(F), 2))
    terms = ("1", *names, *(f"{n}^2" for n in names), *(word(names, frozenset(p)) for p in pairs))
    products = [X[:, i] * X[:, j] for i, j in pairs]
    return terms, np.column_stack([np.ones(len(X)), X, X**2, *products])


def _fitted(
    cls: type[ResponseSurface], names: tuple[str, ...], terms: tuple[str, ...], X: Floats, Z: Floats,
    y: Floats, ends: Any,
) -> ResponseSurface:  # fmt: skip
    n, m, F = len(y), len(terms), len(names)
    Q, R = np.linalg.qr(Z)
    beta = np.linalg.solve(R, Q.T @ y)
    beta[np.abs(beta) * np.abs(Z).max(axis=0) <= 1e-14 * np.abs(y).max()] = 0.0  # rounding
    left = y - Z @ beta
    left[np.abs(left) <= 1e-13 * max(float(np.abs(y).max()), 1e-300)] = 0.0
    rss, df = float(left @ left), n - m
    sigma = float(np.sqrt(rss / df)) if df else np.nan
    se = sigma * np.linalg.norm(np.linalg.inv(R), axis=1)
    t = np.full(m, np.nan)
    p = t.copy()
    if df:
        certain = np.where(beta == 0, 0.0, np.copysign(np.inf, beta))
        t = np.divide(beta, se, out=certain, where=se > 0)
        p = 2 * stdtr(df, -np.abs(t))
    total = float(np.sum((y - y.mean()) ** 2))
    r2 = 1 - rss / total if total > 0 else 1.0
    adjusted = 1 - (1 - r2) * (n - 1) / df if df else np.nan
    b = beta[1 : F + 1]
    B = np.diag(beta[F + 1 : 2 * F + 1])
    for (i, j), value in zip(combinations(range(F), 2), beta[2 * F + 1 :]):
        B[i, j] = B[j, i] = value / 2
    values, axes = np.linalg.eigh(B)
    at = np.full(F, np.nan) if _flat(values, beta) else -0.5 * np.linalg.solve(B, b)  # (2)
    value = float(beta[0] + b @ at / 2)
    return cls(
        names, terms, beta, se, t, p, sigma, df, r2, adjusted, _lack_of_fit(X, y, rss, df), float(beta[0]), b,
        B, at, value, values, axes, ends,
    )  # fmt: skip


def _flat(eigenvalues: Floats, coefficients: Floats) -> bool:
    """Whether the surface does not bend along some direction, but for rounding."""
    size = np.abs(eigenvalues)
    return bool(size.min() <= max(1e-9 * size.max(), 1e-13 * np.abs(coefficients).sum()))


def _lack_of_fit(X: Floats, y: Floats, rss: float, df: int) -> TestResult | None:
    """Residuals beyond what replicated runs differ by: F = (RSS - PE) / (df - df_pe) over PE / df_pe."""
    _, cell, times = np.unique(X.round(9), axis=0, return_inverse=True, return_counts=True)
    cell = cell.ravel()
    pure_df = len(y) - len(times)
    more = df - pure_df
    if pure_df == 0 or more <= 0:
        return None
    pure = float(np.sum((y - (np.bincount(cell, y) / times)[cell]) ** 2))
    extra = max(rss - pure, 0.0)
    name, frees = "lack of fit", (float(more), float(pure_df))
    noise = 1e-26 * max(float(np.abs(y).max()) ** 2, 1e-300)
    if pure <= noise:
        sure = extra > noise
        return TestResult(
            name, np.inf if sure else 0.0, 0.0 if sure else 1.0, frees, why="Replicated runs agree exactly."
        )
    f = extra / more / (pure / pure_df)
    return TestResult(name, f, float(fdtrc(*frees, f)), frees)


def _on_sphere(values: Floats, c: Floats, radius: float, scale: float) -> Floats:
    """Maximise 2 c.x + sum values x^2 on |x| = radius: x = c / (m - values) with m above the largest value."""
    from scipy.optimize import brentq

    top = values[-1]
    free = np.abs(values - top) <= 1e-12 * scale
    if np.abs(c[free]).max() <= 1e-14 * scale:  # no gradient along the top direction
        x = np.zeros(len(c))
        x[~free] = c[~free] / (top - values[~free])
        if (remaining := radius**2 - float(x @ x)) >= 0:
            x[-1] = np.sqrt(remaining)
            return x
    low = top + np.linalg.norm(c[free]) / radius * 0.5 + 1e-15 * scale
    while np.linalg.norm(c / (low - values)) < radius:
        low = top + (low - top) / 2
    high = top + np.linalg.norm(c) / radius + scale
    m = brentq(lambda m: np.linalg.norm(c / (m - values)) - radius, low, high, xtol=1e-15 * scale, rtol=1e-14)
    x = c / (m - values)
    return x * (radius / np.linalg.norm(x))


def _goal(goal: str) -> float:
    if goal not in ("maximum", "minimum"):
        raise ParameterError(f"ResponseSurface: goal must be maximum or minimum, got {goal!r}.")
    return 1.0 if goal == "maximum" else -1.0
