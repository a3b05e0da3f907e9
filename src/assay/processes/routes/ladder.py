"""Which way of computing a Gaussian process regression suits a table, announced in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from assay.kernels import Kernel, pivoted_cholesky
from assay.processes.noise import noise_variance, without_noise
from assay.processes.routes.chain import no_chain
from assay.processes.routes.exact import Exact
from assay.processes.routes.inducing_points import InducingPoints
from assay.processes.routes.route import Route
from assay.processes.routes.state_space import StateSpace
from assay.processes.routes.vecchia import Vecchia
from assay.processes.selection import choose_theta
from assay.tables.rows import take_rows

__all__ = ["METHODS", "Step", "choose_route"]

METHODS: dict[str, Callable[[], Route]] = {
    "exact": Exact,
    "line": StateSpace,
    "vecchia": Vecchia,
    "inducing": InducingPoints,
}
MOST_ROWS_ON_A_LINE = 1_000  # by the matrix; beyond them the same numbers come much sooner without it
MOST_ROWS = 5_000  # by the matrix
FEW_COLUMNS = 3  # in which neighbours tell most of what is to be known
TRIAL_ROWS = 400  # on which parameters are found by which methods are compared
SAMPLE = 2_000  # rows among which points are tried
EXPLAINED = 0.05  # of the noise: inducing points that leave less than this lose less than neighbours do
NO_NOISE = 1e-6  # of the variance
CENTRES = 4  # whose neighbours are among the rows of a trial
SHORTER = (0.0, 1.5, 3.0)  # by how much the logs of length scales are shortened for further starts
LEAST_ROWS_FOR_A_TRIAL = 2_000


class Step(NamedTuple):
    """A step of the ladder.

    Attributes
    ----------
    name : str, one of `METHODS`      reason : str, why it was chosen, to be said after a route's words
    kernel : Kernel, where a search for its parameters begins
    """

    name: str
    reason: str
    kernel: Kernel

    @property
    def make(self) -> Callable[[], Route]:
        """What makes a route."""
        return METHODS[self.name]

    def subsets(self, n: int) -> list[tuple[Callable[[], Route], np.ndarray]]:
        """Routes and some of the n rows, on which parameters are approached before all rows are asked."""
        order = np.random.default_rng(0).permutation(n)
        shares = (
            (16, 4) if self.name in ("exact", "line") else (4,)
        )  # of the others, a trial found where to begin
        make = fewer_points if self.name == "inducing" else self.make
        return [(make, np.sort(order[: n // share])) for share in shares]

    @property
    def tolerance(self) -> float:
        """Fall of minus the log evidence that does not matter; an approximation is further off than that."""
        return 1e-6 if self.name in ("exact", "line") else 1e-3


def fewer_points() -> InducingPoints:
    """Inducing points for a part of the rows: half as many, at a quarter of the cost.

    >>> from assay.processes.routes.ladder import fewer_points
    >>> fewer_points().n_inducing
    200
    """
    return InducingPoints(InducingPoints().n_inducing // 2)


def rows_near_and_far(X: Any, order: np.ndarray, size: int) -> np.ndarray:
    """Numbers of rows of which half lie anywhere and half beside one of four: both long and short scales show in them.

    Among a few hundred of many thousand random rows hardly any are near each other, and a function of fine detail looks
    like noise.

    >>> import numpy as np
    >>> from assay.processes.routes.ladder import rows_near_and_far
    >>> rows_near_and_far(np.arange(100.0)[:, None], np.arange(100) * 37 % 100, 16).tolist()
    [0, 1, 11, 12, 22, 37, 38, 48, 59, 74, 75, 85]
    """
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f" or np.isnan(X).any():
        return np.sort(order[:size])
    sd = X.std(axis=0)
    Z = X / np.where(sd > 0, sd, 1.0)
    each = size // (2 * CENTRES)
    rows = [order[: size // 2]]
    for centre in order[:CENTRES]:
        apart = np.einsum("ij,ij->i", Z[order] - Z[centre], Z[order] - Z[centre])
        rows.append(order[np.argsort(apart, kind="stable")[:each]])
    return np.unique(np.concatenate(rows))


def choose_route(
    method: str, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray, search: bool = True
) -> Step:
    """The step of the ladder for a table.

    Up to 5,000 rows, the whole matrix; on a line, from 1,000 rows on, the chain of states if the kernel has one, which
    is exact too. Beyond, in up to three columns, either inducing points or neighbours: parameters are found on 400
    rows, and if 400 points leave less than a twentieth of the noise unexplained, points lose less than neighbours,
    however many rows there are; otherwise the function has more detail than points can hold, and neighbours lose less.
    With more columns inducing points, unless there is no noise, for which they are not made.

    Parameters
    ----------
    method : one of `METHODS`, or "auto"
    kernel : Kernel
    X : the training rows      Y : (n, t) their targets      noise : (n,) or (n, t) its variances
    search : bool, default True
        Whether parameters are searched; otherwise they are taken as the kernel has them.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Matern
    >>> from assay.processes.routes.ladder import choose_route
    >>> choose_route("auto", Matern(), np.zeros((2000, 1)), np.zeros((2000, 1)), np.ones(2000))[:2]
    ('line', ' (one column, 2,000 rows)')
    """
    n, numbers = len(Y), isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"
    asked = " (as asked for)" if method != "auto" else None
    if asked and (method in ("exact", "line") or n < LEAST_ROWS_FOR_A_TRIAL):
        return Step(method, asked, kernel)
    if asked is None:
        if numbers and X.shape[1] == 1 and n > MOST_ROWS_ON_A_LINE and no_chain(kernel) is None:
            return Step("line", f" (one column, {n:,} rows)", kernel)
        if n <= MOST_ROWS or not (kernel.psd_on(X.shape[1]) if numbers else kernel.psd):
            return Step("exact", "", kernel)
    trial = _Trial(kernel, X, Y, noise, search)
    if asked:
        return Step(method, asked, trial.kernel)
    numbers = numbers and not np.isnan(X).any()
    name, why = "inducing", _columns(X)
    if numbers and not trial.noisy:
        name, why = "vecchia", "hardly any noise, for which inducing points are not made"
    elif numbers and X.shape[1] <= FEW_COLUMNS and kernel.stationary:
        left = trial.left_by_points()
        if left > EXPLAINED:
            name, why = "vecchia", f"{why}; points would leave {100 * left:.2g} % of the noise unexplained"
        else:
            why = "a function smooth enough for few points"
    return Step(name, f" ({n:,} rows, {why})", trial.kernel)


def _columns(X: Any) -> str:
    d = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
    return "objects" if not d else f"{d} column{'s' if d > 1 else ''}"


class _Trial:
    """Parameters found on some of the rows, from long and from short length scales, by the whole matrix."""

    def __init__(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray, search: bool):
        self.order = np.random.default_rng(0).permutation(np.flatnonzero(~np.isnan(Y[:, 0])))
        self.X, self.noise = X, noise if noise.ndim == 1 else noise[:, 0]
        rows = rows_near_and_far(X, self.order, min(TRIAL_ROWS, len(self.order)))
        route = Exact().fit(kernel, take_rows(X, rows), Y[rows, :1], self.noise[rows])

        def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = route.log_evidence(theta)
            return -value, -gradient

        self.kernel = kernel
        if search and kernel.free:
            scales = np.array([name.split("[")[0].endswith("length_scale") for name in kernel.theta_names])
            low, high = kernel.bounds.T
            starts = [np.clip(kernel.theta - shorter * scales, low, high) for shorter in SHORTER]
            ends = [
                choose_theta(objective, kernel.with_theta(start), tol=1e-2, random_state=0)
                for start in starts[: None if scales.any() else 1]
            ]
            self.kernel = kernel.with_theta(min(ends, key=lambda end: end.value).theta)
        sample = take_rows(X, np.sort(self.order[:SAMPLE]))
        self.rows = without_noise(self.kernel).gram_rows(sample)
        self.level = float(np.mean(noise_variance(self.kernel, sample)) + np.mean(self.noise))

    @property
    def noisy(self) -> bool:
        """Whether there is noise to speak of."""
        return self.level > NO_NOISE * float(np.mean(self.rows.diagonal))

    def left_by_points(self) -> float:
        """What inducing points leave of a row's variance, in units of its noise."""
        cholesky = pivoted_cholesky(self.rows, InducingPoints().n_inducing, tol=1e-10)
        return float(cholesky.residual[-1]) / self.rows.n / self.level
