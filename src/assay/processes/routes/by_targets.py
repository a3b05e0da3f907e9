"""Several targets that have not all rows in common."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from assay.core.stored import Each, FloatArray, IntArray, Object
from assay.kernels import Kernel
from assay.processes.routes.route import Route
from assay.processes.routes.support import Support
from assay.tables.rows import take_rows

__all__ = ["ByTargets", "route_of_targets"]


class ByTargets(Route):
    """Targets of which each is known for some of the rows: a route for those that share rows and noise.

    All have one kernel: the log evidence is the sum over the groups of targets.

    Attributes
    ----------
    routes : list of Route      columns : list of (k,) which targets each has      rows : list of (m,) their rows
    """

    stored = {
        "routes": Each(Object(Route)),
        "columns": Each(IntArray("*", low=0)),
        "rows": Each(IntArray("*", low=0)),
        "Y": FloatArray("n", "t"),  # NaN where a target is missing
        "noise": FloatArray("n", low=0, finite=True) | FloatArray("n", "t", low=0, finite=True),
    }
    routes: list[Route]
    columns: list[np.ndarray]
    rows: list[np.ndarray]

    _make: Callable[[], Route]  # until fit has made the routes

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        """Keep the rows; Y (n, t) is NaN where a target is missing, the noise may be (n,) or (n, t)."""
        noises = np.broadcast_to(noise[:, None] if noise.ndim == 1 else noise, Y.shape)
        groups: dict[bytes, list[int]] = {}
        for j in range(Y.shape[1]):
            known = ~np.isnan(Y[:, j])
            groups.setdefault(known.tobytes() + noises[known, j].tobytes(), []).append(j)
        self.columns = [np.array(columns) for columns in groups.values()]
        self.rows = [np.flatnonzero(~np.isnan(Y[:, columns[0]])) for columns in self.columns]
        self.routes = []
        for rows, columns in zip(self.rows, self.columns):
            part = self._make().fit(
                kernel, take_rows(X, rows), Y[np.ix_(rows, columns)], noises[rows, columns[0]].copy()
            )
            self.routes.append(part)
        del self._make
        return super().fit(kernel, X, Y, noise)

    def _check_stored(self) -> None:
        columns = np.sort(np.concatenate(self.columns)) if self.columns else np.zeros(0)
        sizes = [(len(route.Y), route.Y.shape[1]) for route in self.routes]
        if not np.array_equal(columns, np.arange(self.Y.shape[1])):
            raise ValueError("the groups of targets do not share out all targets")
        if sizes != [(len(rows), len(some)) for rows, some in zip(self.rows, self.columns)]:
            raise ValueError("the groups of targets do not have the rows and targets that are named")

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"{self.routes[0].words}, for {len(self.routes)} groups of targets with the same rows"

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        parts = [route.log_evidence(theta, gradient) for route in self.routes]
        return sum(value for value, _ in parts), np.sum([slope for _, slope in parts], axis=0)

    def _condition(self) -> None:
        for route in self.routes:
            route.condition(self.kernel)
        self.jitter = max(route.jitter for route in self.routes)

    def mean(self, Q: Any) -> np.ndarray:
        return self._spread([route.mean(Q) for route in self.routes])

    def variance(self, Q: Any) -> np.ndarray:
        return self._spread([route.variance(Q)[:, None] for route in self.routes])

    def covariance(self, Q: Any) -> np.ndarray:
        return self._spread([route.covariance(Q)[..., None] for route in self.routes])

    def support(self, x: Any) -> Support:
        first = next(i for i, columns in enumerate(self.columns) if columns[0] == 0)
        support, rows = self.routes[first].support(x), self.rows[first]
        return support if support.points else dataclasses.replace(support, places=rows[support.places])

    def slopes(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        means, variances = zip(*(route.slopes(x) for route in self.routes))
        return self._spread(list(means)), self._spread([variance[:, None] for variance in variances])

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        means, variances = np.full(self.Y.shape, np.nan), np.full(self.Y.shape, np.nan)
        for route, rows, columns in zip(self.routes, self.rows, self.columns):
            means[np.ix_(rows, columns)], variances[np.ix_(rows, columns)] = route.leave_one_out()
        return means, variances

    def leave_out(self, folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        means, variances = np.full(self.Y.shape, np.nan), np.full(self.Y.shape, np.nan)
        for route, rows, columns in zip(self.routes, self.rows, self.columns):
            some = [np.flatnonzero(np.isin(rows, fold)) for fold in folds]
            answers = route.leave_out([fold for fold in some if len(fold)])
            means[np.ix_(rows, columns)], variances[np.ix_(rows, columns)] = answers
        return means, variances

    def log_pseudo_likelihood(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        parts = [route.log_pseudo_likelihood(theta) for route in self.routes]
        return sum(value for value, _ in parts), np.sum([slope for _, slope in parts], axis=0)

    def extend(self, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        empty = copy.copy(self.routes[0])
        self._make = lambda: copy.copy(empty)
        return super().extend(X, Y, noise)

    def _spread(self, parts: list[np.ndarray]) -> np.ndarray:
        """The groups' answers (..., k) or (..., 1) by the places of their targets."""
        out = np.empty((*parts[0].shape[:-1], self.Y.shape[1]))
        for part, columns in zip(parts, self.columns):
            out[..., columns] = part
        return out


def route_of_targets(make: Callable[[], Route], Y: np.ndarray, noise: np.ndarray) -> Route:
    """One route if all targets have all rows and one noise (n,), else one for each group of them."""
    if not np.isnan(Y).any() and noise.ndim == 1:
        return make()
    route = ByTargets()
    route._make = make
    return route
