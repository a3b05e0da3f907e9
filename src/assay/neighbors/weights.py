"""What the neighbours' votes weigh: alike, by their distance, or by a kernel of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import Choice, Function
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.errors import DegenerateError

__all__ = ["WEIGHTS", "Neighborhoods", "weigh"]

WEIGHTS = Choice("uniform", "distance", "squared_exponential", *KERNELS, *ALIASES) | Function() | None


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """The neighbours of several queries, one after the other.

    Parameters
    ----------
    start : (q + 1,) where the neighbours of each query begin
    rows : their numbers
    distances : their distances
    reach : (q,) how far each neighbourhood extends: the k-th distance, or the radius
    k : how many neighbours each query has, or None if that differs
    """

    start: np.ndarray
    rows: np.ndarray
    distances: np.ndarray
    reach: np.ndarray
    k: int | None = None

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def query(self) -> np.ndarray:
        """The query of each neighbour."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @property
    def empty(self) -> np.ndarray:
        """(q,) which queries have no neighbour."""
        return np.diff(self.start) == 0

    def largest(self, values: np.ndarray) -> np.ndarray:
        """For each neighbour, the largest value in its neighbourhood."""
        nonempty = ~self.empty
        best = np.zeros(len(self))
        if nonempty.any():
            best[nonempty] = np.maximum.reduceat(values, self.start[:-1][nonempty])
        return best[self.query]


def weigh(
    near: Neighborhoods,
    weights: str | Callable[..., Any] | None,
    bandwidth: float | None,
    who: str,
) -> np.ndarray:
    r"""What each neighbour weighs; only the ratios within a neighbourhood matter.

    - "uniform" or None: 1;
    - "distance": :math:`1/d`; if some are at distance 0, they weigh 1 and the others nothing;
    - "squared_exponential": :math:`e^{-d^2/t^2}`, and a kernel by its name: :math:`K(d/h)`, where t and h are the
      ``bandwidth``, or by default how far the neighbourhood extends. Each neighbourhood is scaled so that its largest
      weight is 1, so nothing underflows; one in which all weigh nothing counts all alike;
    - a function: its values of the distances; those with infinite weight, if there are any, count alone.
    """
    d = near.distances
    if weights is None or weights == "uniform":
        return np.ones(len(d))
    if callable(weights):
        return _of_function(near, weights, who)
    if weights == "distance":
        zero = d == 0
        exact = near.largest(zero.astype(np.float64)) > 0
        tiny = ~zero & (d < 1e-300)  # whose inverses would be endless: the farthest weighs 1 there
        unit = np.where(near.largest(tiny * 1.0) > 0, near.largest(d), 1.0) if tiny.any() else 1.0
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            inverse = np.minimum(unit / d, 1e300)
        return np.where(exact, zero, inverse)
    width = near.reach[near.query] if bandwidth is None else np.full(len(d), float(bandwidth))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        u = np.where(d == 0, 0.0, d / width)
        logs = -u * u if weights == "squared_exponential" else kernel_of(weights)._logs(u)
        logs = np.maximum(
            logs, -1e300
        )  # so that the nearest of those that weigh nothing can be distinguished
        top = near.largest(logs)
        return np.where(top <= -1e300, 1.0, np.exp(logs - top))


def _of_function(near: Neighborhoods, weights: Callable[..., Any], who: str) -> np.ndarray:
    """The user's function of distances: a (q, k) array, or where the numbers differ an array of arrays."""
    if near.k is not None:
        values = np.asarray(weights(near.distances.reshape(-1, near.k)), dtype=np.float64).ravel()
    else:
        parts = np.empty(len(near), dtype=object)
        parts[:] = [near.distances[a:b] for a, b in zip(near.start, near.start[1:])]
        result = weights(parts)
        values = np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in result])
    if values.shape != near.distances.shape or np.isnan(values).any() or (values < 0).any():
        raise DegenerateError(
            f"{who}: the weights function must give one number from 0 up for each distance; it gave other ones."
        )
    if (near.largest(values) == 0).any():
        raise DegenerateError(
            f"{who}: All neighbors of some sample is getting zero weights. Change the weights function, so that one "
            "neighbour counts."
        )
    endless = np.isinf(values)
    return (
        np.where(near.largest(endless.astype(np.float64)) > 0, endless, values) if endless.any() else values
    )
