"""The objective of Huber regression, and its minimum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.sums import Rows
from assay.errors import DataError
from assay.linear.regression.least_squares import TINY
from assay.linear.regression.least_squares_sums import moments_of
from assay.linear.regression.tube_program import fit_tube
from assay.optimize.lbfgs import lbfgs
from assay.optimize.newton import newton, newton_step
from assay.optimize.objective import Optimum

__all__ = ["HuberLoss", "minimise"]

MIN_SCALE = 1e-8  # sigma, in units of the spread of y, where Newton steps turn back
MAX_NEWTON_STEPS = 30  # Newton steps for all variables at once; usually 4 to 8
NEWTON_COLUMNS = 1500  # columns from which second derivatives cost more than they save


class HuberLoss:
    """(1) per unit of weight, as a function of (w, b, sigma); columns and y in standard units, about their means.

    With ``floor`` given, sigma stays there and is no variable any more.
    """

    def __init__(self, X: Any, y: np.ndarray, w: Any, epsilon: float, alpha: float, constant: bool):
        self.X, self.y, self.epsilon, self.constant = X, y, epsilon, constant
        n, d = X.shape
        total = float(n if w is None else w.sum())
        self.v = np.full(n, 1 / n) if w is None else w / total
        with np.errstate(over="ignore", invalid="ignore"):
            self.middle = float(self.v @ y) if constant else 0.0
            spread = float(np.sqrt(self.v @ (y - self.middle) ** 2))
            self.mean, S = self._moments(w)
        square = np.diagonal(S) if S.ndim == 2 else S
        if not np.isfinite(S).all() or not np.isfinite(spread):
            raise DataError(
                "HuberRegressor: the squares of X or y are too large to be added up. Divide by a power of ten."
            )
        self.dead = square <= TINY
        self.scale = np.where(self.dead, 1.0, np.sqrt(np.where(self.dead, 1.0, square)))
        self.origin = np.zeros(d)
        if (
            isinstance(X, np.ndarray) and (np.abs(self.mean) > 1e3 * self.scale).any()
        ):  # or residuals were rounding
            self.X, self.origin, self.mean = X - self.mean, self.mean, np.zeros(d)
        self.unit = spread if spread**2 > TINY else 1.0  # y in its own standard units
        self.y = (y - self.middle) / self.unit
        self.alpha = alpha / total * self.unit
        self.penalty = self.alpha / self.scale / self.scale
        self.floor: float | None = None
        if d <= NEWTON_COLUMNS:  # G: the sum of v z z' over the rows that are inside, at first all
            self.inside = np.ones(n, dtype=bool)
            self.G = np.zeros((d + constant, d + constant))
            self.G[:d, :d] = S / self.scale / self.scale[:, None]
            if constant:
                self.G[d, d] = 1.0

    def _moments(self, w: Any) -> tuple[np.ndarray, np.ndarray]:
        """Means (0 without a constant) and mean products about them; of many columns their squares only."""
        n, d = self.X.shape
        if d <= NEWTON_COLUMNS:
            sums = Rows(self.X, np.zeros(n, np.int64), w).add_up(lambda b: moments_of(b.X, b.y, b.w, 1, True))
            m, S = sums.mean[0], sums.scatter[0] / sums.count[0]
            return (m, S) if self.constant else (np.zeros(d), S + np.outer(m, m))
        m = np.asarray(self.v @ self.X).ravel()
        squares = self.X.multiply(self.X) if not isinstance(self.X, np.ndarray) else self.X**2
        second = np.asarray(self.v @ squares).ravel()
        return (m, np.maximum(second - m * m, 0.0)) if self.constant else (np.zeros(d), second)

    def start(self, last: Any) -> np.ndarray:
        """The last answer, or least squares."""
        if last is not None:
            w, b, sigma = last
            shift = b + (self.mean + self.origin) @ w - self.middle
            return np.concatenate((w * self.scale, [shift][: self.constant], [sigma])) / self.unit
        d = self.X.shape[1]
        if d > NEWTON_COLUMNS:
            return np.append(np.zeros(d + self.constant), 1.0)
        H = self.G + np.diag(np.append(self.penalty, 0.0) if self.constant else self.penalty)
        w = newton_step(H, -self._down(self.v * self.y))
        r = self._residual(w)
        rms = float(np.sqrt(self.v @ (r * r)))
        return np.append(w, max(rms, MIN_SCALE))

    def without_scale(self) -> np.ndarray:
        """The best w and b as sigma goes to 0: there (1) is least absolute error, a program of its own."""
        price = 2 * self.epsilon
        rows = (self.X, self.y, self.v)
        fit = fit_tube(*rows, above=price, below=price, ridge=2 * self.alpha, intercept=self.constant)
        shift = [fit.intercept + self.mean @ fit.coef][: self.constant]
        return np.concatenate((fit.coef * self.scale, shift))

    def answer(self, x: np.ndarray) -> tuple[np.ndarray, float, float]:
        """w, b and sigma in the user's units."""
        d = self.X.shape[1]
        w = np.where(self.dead, 0.0, x[:d] * (self.unit / self.scale))
        b = float(x[d] * self.unit + self.middle - (self.mean + self.origin) @ w) if self.constant else 0.0
        return w, b, self.unit * float(x[-1] if self.floor is None else self.floor)

    def _residual(self, x: np.ndarray) -> np.ndarray:
        d = self.X.shape[1]
        w = x[:d] / self.scale
        shift = x[d] - self.mean @ w if self.constant else 0.0
        return self.y - self.X @ w - shift

    def _down(self, u: np.ndarray, rows: Any = None) -> np.ndarray:
        """The sum of u_i z_i over the rows, z in standard units and with a 1 at its end for the constant."""
        total = float(u.sum())
        X = self.X if rows is None else self.X[rows]
        down = (np.asarray(u @ X).ravel() - self.mean * total) / self.scale
        return np.append(down, total) if self.constant else down

    def _count(self, inside: np.ndarray) -> None:
        """Add to G the rows that came inside, and take from it those that left."""
        changed = np.flatnonzero(inside != self.inside)
        if len(changed):
            self.G = self.G + self._sum(changed, np.where(inside[changed], self.v[changed], -self.v[changed]))
        self.inside = inside

    def _sum(self, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The sum of u_i z_i z_i' over these rows, some at a time."""
        step = max(256, (1 << 18) // max(1, self.X.shape[1]))
        parts = [self._products(rows[a : a + step], u[a : a + step]) for a in range(0, len(rows), step)]
        return sum(parts[1:], parts[0])

    def _products(self, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The sum of u_i z_i z_i' over some rows, from their products about zero."""
        X, d = self.X[rows], self.X.shape[1]
        X = X if isinstance(X, np.ndarray) else X.toarray()
        first = u @ X
        X = X.astype(np.float64, copy=False)
        square = X.T @ (X * u[:, None])
        square -= np.outer(self.mean, first) + np.outer(first - self.mean * u.sum(), self.mean)
        if not self.constant:
            return square / self.scale / self.scale[:, None]
        G = np.empty((d + 1, d + 1))
        G[:d, :d] = square / self.scale / self.scale[:, None]
        G[:d, d] = G[d, :d] = (first - self.mean * u.sum()) / self.scale
        G[d, d] = u.sum()
        return G

    def _parts(self, x: np.ndarray, second: bool) -> tuple[float, np.ndarray, Any, Any, Any]:
        """The value and gradient of (1); residuals, rows inside, and the sum of v r z over them on request."""
        d = self.X.shape[1]
        sigma = float(x[-1]) if self.floor is None else self.floor
        if not sigma >= MIN_SCALE and self.floor is None:
            return np.inf, np.zeros_like(x), None, None, None
        r = self._residual(x)
        z = r / sigma
        pull = np.clip(z, -self.epsilon, self.epsilon)
        inside = pull == z
        w = x[:d]
        value = sigma + sigma * float(self.v @ (pull * (2 * z - pull))) + float(self.penalty @ (w * w))
        force = self.v * pull
        down = self._down(force)
        inner = None
        if second:  # all rows but those outside
            beyond = np.flatnonzero(~inside)
            inner = sigma * (down - self._down(force[beyond], beyond))
        slope = -2 * down
        slope[:d] += 2 * self.penalty * w
        if self.floor is None:
            slope = np.append(slope, 1.0 - float(self.v @ (pull * pull)))
        return value, slope, r, inside, inner

    def pays_to_rise(self, x: np.ndarray) -> bool:
        """Whether a sigma above the floor would be better."""
        assert self.floor is not None
        pull = np.clip(self._residual(x) / self.floor, -self.epsilon, self.epsilon)
        return float(self.v @ (pull * pull)) > 1.0

    def value_gradient(self, x: np.ndarray, /) -> tuple[float, np.ndarray]:
        """E and its gradient."""
        return self._parts(x, False)[:2]

    def curvature(self, x: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        """E, its gradient and its second derivatives."""
        value, slope, r, inside, inner = self._parts(x, self.floor is None)
        p = len(x)
        if not np.isfinite(value):
            return value, slope, np.eye(p)
        sigma, q = (float(x[-1]), p - 1) if self.floor is None else (self.floor, p)
        H = np.empty((p, p))
        if (
            np.count_nonzero(inside) < q
        ):  # too few rows to bend E in all directions: parabolas that touch it from above
            H[:q, :q] = (2 / sigma) * self._sum(
                np.arange(len(r)), self.v / np.maximum(np.abs(r) / sigma / self.epsilon, 1)
            )
        else:
            self._count(inside)
            H[:q, :q] = (2 / sigma) * self.G
        H.flat[: self.X.shape[1] * (p + 1) : p + 1] += 2 * self.penalty
        if self.floor is None:
            H[:q, q] = H[q, :q] = inner * (2 / sigma**2)
            H[q, q] = 2 * float(self.v[inside] @ r[inside] ** 2) / sigma**3
        return value, slope, H


def minimise(loss: HuberLoss, start: np.ndarray, tol: float, max_iter: int) -> Optimum:
    """Newton steps; where they run against sigma = 0, the answer there, or from above to where sigma should be."""
    if loss.X.shape[1] > NEWTON_COLUMNS:
        return lbfgs(loss, start, tol=tol, max_iter=10 * max_iter)
    optimum = newton(loss, start, tol=tol, max_iter=min(max_iter, MAX_NEWTON_STEPS))
    if optimum.reason == "gradient" or (optimum.reason == "iterations" and max_iter <= MAX_NEWTON_STEPS):
        return optimum
    typical = _median(np.abs(loss.y - _median(loss.y, loss.v)), loss.v)  # outliers do not affect it
    least = 1e-7 * (typical or 1.0)  # below it, residuals are rounding
    history, loss.floor = optimum.history, least
    optimum = newton(loss, loss.without_scale(), tol=tol, max_iter=MAX_NEWTON_STEPS)
    if loss.pays_to_rise(optimum.w):  # sigma comes down from above, and stays where it should
        x, sigma = start[:-1], 1.0
        while not loss.pays_to_rise(x) and sigma > least:
            loss.floor = sigma = max(sigma / 5, least)
            x = newton(loss, x, tol=tol, max_iter=MAX_NEWTON_STEPS).w
        loss.floor = None
        optimum = newton(loss, np.append(x, sigma), tol=tol, max_iter=max_iter)
    history = history + [
        replace(record, iteration=len(history) + i) for i, record in enumerate(optimum.history)
    ]
    sound = loss.floor is not None or optimum.reason != "iterations"
    return replace(optimum, converged=sound, reason="value" if sound else "iterations", history=history)


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    """The smallest value up to which at least half of the weight lies."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])
