"""Increasing maps of a numeric target to a scale on which a regressor works better, and back.

A fitted map has ``transform``, ``inverse_transform`` and ``log_derivative`` (the logarithm of the Jacobian, by which a
density on the new scale becomes one of the target), and says how a mean on the new scale becomes the target's mean.
Power transformations, whose exponent is estimated, are in :mod:`assay.prepare.power_transforms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from assay.core.stored import FloatArray, Kind
from assay.errors import DataError
from assay.tables.row_names import row_name

__all__ = ["Identity", "Log", "Log1p", "NormalScores", "SquareRoot", "TargetTransform", "normal_nodes"]

LARGEST = float(np.finfo(np.float64).max)
LARGEST_EXPONENT = float(np.log(LARGEST))
MOST_KNOTS = 2000  # points of the empirical distribution function that are kept
MOST_CELLS = 1_000_000  # rows times nodes of an expectation that are in memory at once


@dataclass(frozen=True)
class TargetTransform:
    """An increasing map of numbers; every method works entry by entry, on arrays of any shape."""

    stored: ClassVar[dict[str, Kind]] = {}
    name: ClassVar[str] = "identity"
    lowest: ClassVar[float] = -np.inf  # the domain is what lies above; its end is part of it if closed
    closed: ClassVar[bool] = False

    @classmethod
    def fitted(cls, y: np.ndarray, w: np.ndarray | None, who: str) -> TargetTransform:
        """The map that suits targets y, (n,), of weights w."""
        cls.check(y, who)
        return cls()

    @classmethod
    def check(cls, y: np.ndarray, who: str) -> None:
        """Raise for the first target outside of the domain."""
        outside = y < cls.lowest if cls.closed else y <= cls.lowest
        if outside.any():
            i = int(np.argmax(outside))
            others = [f'"{other}" ({domain})' for other, domain in DOMAINS.items() if other != cls.name]
            raise DataError(
                f'transformer="{cls.name}" needs targets {DOMAINS[cls.name]}, {row_name(i)} of y is {y[i]:g}. '
                f"Others: {', '.join(others)}.",
                who=who,
            )

    def within(self, y: np.ndarray) -> np.ndarray:
        """Whether numbers lie in the domain."""
        return y >= self.lowest if self.closed else y > self.lowest

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The numbers on the new scale."""
        return np.asarray(y, np.float64)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The targets that numbers on the new scale stand for; never NaN, never infinite."""
        return np.asarray(z, np.float64)

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """log dz/dy at targets y."""
        return np.zeros(np.shape(y))

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        return target

    def expected(self, z: np.ndarray, residuals: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """(n,) the mean of the target at z + residual, for residuals (m,) of weights that sum to 1."""
        means = np.empty(len(z))
        step = max(1, MOST_CELLS // len(residuals))
        for start in range(0, len(z), step):
            rows = slice(start, start + step)
            means[rows] = self.inverse_transform(z[rows, None] + residuals) @ shares
        return means

    def expected_normal(self, z: np.ndarray, sd: float) -> np.ndarray:
        """(n,) the mean of the target when the new scale is normal with mean z and standard deviation sd."""
        nodes, shares = normal_nodes()
        return self.expected(z, sd * nodes, shares)


@dataclass(frozen=True)
class Identity(TargetTransform):
    """The target as it is."""

    def expected(self, z: np.ndarray, residuals: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The number itself: no bias comes of a map that is linear."""
        return np.asarray(z, np.float64)


@dataclass(frozen=True)
class Log(TargetTransform):
    """z = log y, for targets above 0; differences on the new scale are ratios of targets."""

    name: ClassVar[str] = "log"
    lowest: ClassVar[float] = 0.0

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The logarithms; minus infinity at 0 and below."""
        return np.log(np.where(self.within(y), y, 1.0)) + np.where(self.within(y), 0.0, -np.inf)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """e to the power of z."""
        return np.exp(np.minimum(z, LARGEST_EXPONENT))

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """-log y."""
        return -self.transform(y)

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        return f"log({target})"

    def expected(self, z: np.ndarray, residuals: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """exp(z) times the mean of exp(residual): one factor for all rows."""
        peak = float(residuals.max())
        return self.inverse_transform(z + peak + np.log(np.exp(residuals - peak) @ shares))

    def expected_normal(self, z: np.ndarray, sd: float) -> np.ndarray:
        """exp(z + sd^2 / 2), the mean of a lognormal distribution."""
        return self.inverse_transform(z + sd**2 / 2)


@dataclass(frozen=True)
class Log1p(TargetTransform):
    """z = log(1 + y), for targets above -1, such as counts with zeros."""

    name: ClassVar[str] = "log1p"
    lowest: ClassVar[float] = -1.0

    def transform(self, y: np.ndarray) -> np.ndarray:
        """log(1 + y); minus infinity at -1 and below."""
        return np.log1p(np.where(self.within(y), y, 0.0)) + np.where(self.within(y), 0.0, -np.inf)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """exp(z) - 1."""
        return np.expm1(np.minimum(z, LARGEST_EXPONENT))

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """-log(1 + y)."""
        return -self.transform(y)

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        return f"log(1 + {target})"

    def expected(self, z: np.ndarray, residuals: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """As for the logarithm, less 1."""
        return Log().expected(z, residuals, shares) - 1.0

    def expected_normal(self, z: np.ndarray, sd: float) -> np.ndarray:
        """As for the logarithm, less 1."""
        return Log().expected_normal(z, sd) - 1.0


@dataclass(frozen=True)
class SquareRoot(TargetTransform):
    """z = sqrt(y), for targets from 0; it makes the variance of counts even."""

    name: ClassVar[str] = "sqrt"
    lowest: ClassVar[float] = 0.0
    closed: ClassVar[bool] = True

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The square roots; minus infinity below 0."""
        return np.sqrt(np.maximum(y, 0.0)) + np.where(self.within(y), 0.0, -np.inf)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The squares; 0 below 0, so that the map never falls."""
        return np.clip(z, 0.0, np.sqrt(LARGEST)) ** 2

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """-log(2 sqrt(y)), which is infinite at 0."""
        with np.errstate(divide="ignore"):
            return -np.log(2.0) - 0.5 * np.log(np.maximum(y, 0.0))

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        return f"sqrt({target})"


@dataclass(frozen=True)
class NormalScores(TargetTransform):
    r"""z = the standard normal quantile of the target's rank, as van der Waerden's scores.

    A target of which a share F lies below and a share f is equal has the score :math:`\Phi^{-1}(F + f/2)`. Between
    distinct targets the map is linear; beyond them it goes on with the slope of the whole.
    """

    stored: ClassVar[dict[str, Kind]] = {
        "values": FloatArray("m", finite=True),
        "scores": FloatArray("m", finite=True),
    }
    name: ClassVar[str] = "rank"

    values: np.ndarray
    scores: np.ndarray

    @classmethod
    def fitted(cls, y: np.ndarray, w: np.ndarray | None, who: str) -> NormalScores:
        """Scores of the (weighted) ranks of y."""
        values, place = np.unique(y, return_inverse=True)
        counts = np.bincount(place, weights=w)
        values, counts = values[counts > 0], counts[counts > 0]
        shares = (np.cumsum(counts) - counts / 2) / counts.sum()
        if len(values) > MOST_KNOTS:
            kept = np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).round().astype(np.int64))
            values, shares = values[kept], shares[kept]
        return cls(values, ndtri(shares))

    def _check_stored(self) -> None:
        if not len(self.values) or (np.diff(self.values) <= 0).any() or (np.diff(self.scores) <= 0).any():
            raise ValueError("values and scores must increase.")

    def transform(self, y: np.ndarray) -> np.ndarray:
        """The scores."""
        return _piecewise(np.asarray(y, np.float64), self.values, self.scores)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The targets of scores."""
        return _piecewise(np.asarray(z, np.float64), self.scores, self.values)

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """The logarithm of the slope."""
        slopes = _slopes(self.values, self.scores)
        return np.log(slopes[np.searchsorted(self.values, y, side="right")])

    def phrase(self, target: str) -> str:
        """The new scale in words."""
        return f"normal score of {target}"


def _slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(m + 1,) of a piecewise linear map: below the first knot, between knots, above the last."""
    if len(x) == 1:
        return np.ones(2)
    whole = (y[-1] / 2 - y[0] / 2) / (x[-1] / 2 - x[0] / 2)  # halves: the range of numbers near 1e308
    return np.concatenate([[whole], np.diff(y) / np.diff(x), [whole]])


def _piecewise(at: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    slopes = _slopes(x, y)
    inside = np.interp(at, x, y)
    below, above = np.minimum(at - x[0], 0.0), np.maximum(at - x[-1], 0.0)
    return np.clip(inside + below * slopes[0] + above * slopes[-1], -LARGEST, LARGEST)


def normal_nodes(nodes: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Hermite nodes of the standard normal distribution, and their weights, which sum to 1."""
    at, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return at, weights / weights.sum()


DOMAINS = {
    "log": "above 0",
    "log1p": "above -1",
    "sqrt": "from 0 up",
    "box-cox": "above 0",
    "yeo-johnson": "of any sign",
    "rank": "of any sign",
}
