"""The large-margin problem of nearest neighbours, and its minimiser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from assay.neighbors.triplets import Triplets

__all__ = ["LargeMargin", "Minimum"]

FIRST_WIDTH, LAST_WIDTH = 0.5, 1e-12  # over which the hinge's corner is rounded
NARROWER = 4.0  # each width over the next one
FEW_NEW = 0.01  # share of new impostors up to which the width shrinks
SCALES = 2.0 ** np.arange(-2.0, 4.0, 0.5)  # of the start, tried around a mean target distance of 1
LEAST_SPREAD = (
    1e-6  # of the targets in a direction, as a share of the largest, by which the minimiser scales it
)
REMEMBERED_STEPS = 20  # by L-BFGS
STEPS_BETWEEN = 50  # two searches for impostors
ROUNDED_SHARE = 0.5  # of the distance to the bound that the rounding may explain before it shrinks
HALVINGS = 20  # of a step in M until it helps
NEW_IMPOSTORS = (
    64  # of a row in one search, the nearest: far from the optimum nearly all rows may be impostors
)


@dataclass(frozen=True)
class Minimum:
    """A map whose metric costs little, and what is known of the least cost."""

    L: np.ndarray  # (r, d) in the columns of the table
    objective: float
    bound: float  # no metric costs less
    iterations: int
    settled: bool


@dataclass
class LargeMargin:
    r"""The objective of large-margin metrics in coordinates that make it round.

    .. math:: E(M) = (1-\mu) \sum_{ij} w_i D(x_i, x_j)
              + \mu \sum_{ijl} w_i \max(0,\; 1 + D(x_i, x_j) - D(x_i, x_l)) \quad (1)

    is convex in M. Coordinates :math:`z = A(x - \bar x)` are chosen so that the first sum is the trace of the matrix
    there, whatever the units of the columns. The minimiser works on L with :math:`M = L^T L` (a full set of directions
    leaves no local minimum) and on hinges whose corner is rounded over a width that shrinks step by step. The slopes
    :math:`\alpha_{ijl} \in [0, \mu w_i]` of the rounded hinges are multipliers of the dual

    .. math:: \max \sum_{ijl} \alpha_{ijl} \quad\text{with}\quad
              G_0 + \sum_{ijl} \alpha_{ijl}(C_{ij} - C_{il}) \succeq 0 \quad (2)

    (:math:`G_0 = (1-\mu)\sum_{ij} w_i C_{ij}`, :math:`C_{ij} = (z_i-z_j)(z_i-z_j)^T`) once they are multiplied by the
    largest share up to 1 that keeps the matrix positive. So every step has a bound of the least cost.

    Parameters
    ----------
    X : (n, d)      y : (n,) classes      w : (n,) weights
    targets : (n, k) rows of the same class, -1 for none
    others : (n, m) the only impostors that count, -1 for none; None counts all rows of other classes
    mu : weight of the second sum
    convex : whether the map may have as many directions as it likes
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    targets: np.ndarray
    others: np.ndarray | None
    mu: float
    convex: bool = True
    triplets: Triplets = field(init=False)
    pull: np.ndarray = field(init=False)  # (p, p) G_0 of (2)
    into: np.ndarray = field(init=False)  # (p, d) A: from columns to coordinates
    back: np.ndarray = field(init=False)  # (d, p) maps of the columns to maps of the coordinates

    def __post_init__(self) -> None:
        scale = np.where(np.ptp(self.X, axis=0) > 0, self.X.std(axis=0), 1.0)
        Z = (self.X - self.X.mean(axis=0)) / scale
        _, spread, V = np.linalg.svd(Z, full_matrices=False)
        V = V[spread > 1e-10 * spread[0]]  # directions in which the rows do not vary have no say
        self.into, self.back = V / scale, scale[:, None] * V.T
        Z = Z @ V.T
        size, U = np.linalg.eigh(self._pull_of(Z))
        root = np.sqrt(np.maximum(size, LEAST_SPREAD * size[-1]) if size[-1] > 0 else np.ones_like(size))
        self.into, self.back = (U / root).T @ self.into, self.back @ (U * root)
        Z = np.ascontiguousarray(Z @ (U / root))
        self.pull = self._pull_of(Z)
        # in few directions nearly all rows may be impostors, and a list of them takes longer than looking at all
        every = not self.convex and self.others is None
        self.triplets = Triplets(Z, self.y, self.w, self.targets, self.others, every)

    def _pull_of(self, Z: np.ndarray) -> np.ndarray:
        """G_0 of (2), from the differences themselves: copies of a row pull nothing at all."""
        i, t = np.nonzero(self.targets >= 0)
        apart = Z[i] - Z[self.targets[i, t]]
        return (1 - self.mu) * (apart * self.w[i, None]).T @ apart

    def value(self, L: np.ndarray) -> float:
        """(1) over the impostors that were met so far."""
        costs = self.triplets.costs(L)
        return (1 - self.mu) * costs.pull + self.mu * costs.hinge

    def rounded(self, L: np.ndarray, width: float) -> tuple[float, np.ndarray]:
        """(1) with rounded hinges, and its gradient."""
        costs = self.triplets.costs(L, self.mu, width)
        return (1 - self.mu) * costs.pull + self.mu * costs.smooth, 2 * costs.slope.T @ self.triplets.X

    def bound(self, L: np.ndarray, width: float) -> float:
        """The value of (2) at the slopes of the rounded hinges, made feasible."""
        costs = self.triplets.costs(L, self.mu, width)
        push = self.mu * self.triplets.scatter(costs.target_push, -costs.impostor_push)
        size, U = np.linalg.eigh(self.pull)
        pulled = size > 1e-12 * size[-1]
        free = U[:, ~pulled]  # directions without any pull allow no push at all
        if free.size and np.linalg.eigvalsh(free.T @ push @ free)[0] < -1e-12 * np.abs(push).max():
            return 0.0
        if not pulled.any():
            return self.mu * costs.force
        root = U[:, pulled] / np.sqrt(size[pulled])
        least = np.linalg.eigvalsh(root.T @ push @ root)[0]
        return float(self.mu * costs.force * min(1.0, 1.0 / max(-least, 1e-300)))

    def start(self, directions: int, L: np.ndarray | None = None) -> np.ndarray:
        """A map to begin with: the one given, or the widest directions at the best of a few scales."""
        if L is not None:
            return L @ self.back
        Z = self.triplets.X
        if (
            directions < Z.shape[1]
        ):  # the widest, in coordinates where targets are equally far apart everywhere
            L = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)[2][:directions]
        else:
            L = np.linalg.qr(self.back)[1]  # Euclid's distance of the columns
        pulls = self.triplets.costs(L).pull / max(self.w @ (self.targets >= 0).sum(axis=1), 1e-300)
        L = L / np.sqrt(pulls) if pulls > 0 else L
        self.triplets.extend(L, NEW_IMPOSTORS)
        return min((scale * L for scale in SCALES), key=self.value)

    def minimise(
        self,
        L: np.ndarray,
        tol: float,
        max_iter: int,
        watch: Callable[[dict[str, float]], None],
    ) -> Minimum:
        """The least cost from a start on; ``watch`` gets a record of each width, whose objective never rises."""
        self.triplets.extend(L, NEW_IMPOSTORS)
        best, bound, width = (self.value(L), L), 0.0, FIRST_WIDTH
        left, settled, last, calm = max_iter, False, np.inf, 0
        watch(self._record(*best, bound))
        while left > 0 and not settled and width > LAST_WIDTH:
            L, steps = self._descend(L, width, min(left, STEPS_BETWEEN), 1e-5 * tol)
            left -= max(1, steps)
            bound = max(bound, self.bound(L, width)) if self.convex else 0.0
            known, rounded = len(self.triplets.impostors), self.rounded(L, width)[0]
            new = self.triplets.extend(L, NEW_IMPOSTORS)
            value = self.value(L)
            best = min(best, (value, L), key=lambda pair: pair[0])
            watch(self._record(*best, bound))
            settled = new == 0 and best[0] - bound <= tol * best[0]
            exhausted = steps < STEPS_BETWEEN or value - rounded >= ROUNDED_SHARE * (value - bound)
            if new <= FEW_NEW * known and exhausted:
                width /= NARROWER
                calm = calm + 1 if abs(last - value) <= (0.1 if self.convex else 1.0) * tol * value else 0
                settled |= new == 0 and calm >= 1 + self.convex
                last = value
            elif self.convex:
                L = self._clip(L, width)
        return Minimum(best[1] @ self.into, best[0], bound, max_iter - left, settled or left > 0)

    def _clip(self, L: np.ndarray, width: float) -> np.ndarray:
        """One step down the gradient of M, its negative eigenvalues clipped: it finds directions that L has lost."""
        start, M = self.rounded(L, width)[0], L.T @ L
        costs = self.triplets.costs(L, self.mu, width)
        G = self.pull + self.mu * self.triplets.scatter(costs.target_push, -costs.impostor_push)
        step = np.linalg.norm(M) / max(float(np.linalg.norm(G)), 1e-300)
        for _ in range(HALVINGS):
            size, U = np.linalg.eigh(M - step * G)
            clipped = np.sqrt(np.maximum(size, 0.0))[:, None] * U.T
            if self.rounded(clipped, width)[0] < start:
                return clipped
            step /= 2
        return L

    def _descend(self, L: np.ndarray, width: float, most: int, tol: float) -> tuple[np.ndarray, int]:
        """The map after some steps of L-BFGS on hinges rounded over a width, and how many steps."""
        from scipy.optimize import minimize

        def flat(values: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = self.rounded(values.reshape(L.shape), width)
            return value, gradient.ravel()

        options = {"maxiter": most, "maxcor": REMEMBERED_STEPS, "ftol": tol, "gtol": 0.0}
        end = minimize(flat, L.ravel(), jac=True, method="L-BFGS-B", options=options)
        return end.x.reshape(L.shape), int(end.nit)

    def _record(self, value: float, L: np.ndarray, bound: float) -> dict[str, float]:
        costs = self.triplets.costs(L)
        return {
            "objective": value,
            "bound": bound,
            "within margin": costs.active,
            "violations": costs.crossed,
        }
