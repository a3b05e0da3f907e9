"""Coordinates of least stress, by majorisation: each step moves all points to where the wanted distances pull them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import assay.reduce.embedding._stress as _stress
from assay.core.parallel import end_if_abandoned, in_threads
from assay.core.seeds import random_state_of
from assay.errors import DataError, ParameterError, warn_user
from assay.reduce.embedding.classical_scaling import checked_distances
from assay.types import RandomState

__all__ = ["Pull", "Run", "best_run", "majorize", "monotone_fit", "place_by_stress", "pulled", "smacof"]

PAIRS_AT_A_TIME = 1 << 18  # in one piece of work
EQUAL = 1e-13  # share of the largest distance by which equal ones may differ by rounding
SMALL_STEP = 1e-9  # share of the largest coordinate below which a new point has come to rest


@dataclass(frozen=True)
class Pull:
    """What all pairs do to the points: T, S (k, n), the weighted stress, and sums of squared distances."""

    T: np.ndarray
    S: np.ndarray
    stress: float
    squares: float
    weighted_squares: float


@dataclass(frozen=True)
class Run:
    """One run of majorisation: (n, k) coordinates, raw stress, sum of squared distances, and steps."""

    Z: np.ndarray
    stress: float
    squares: float
    n_iter: int
    history: list[float]

    @property
    def stress_1(self) -> float:
        """Kruskal's stress-1, sqrt(stress / sum of squared distances)."""
        return float(np.sqrt(self.stress / self.squares)) if self.squares > 0 else 0.0

    def reported(self, normalized: bool) -> float:
        """Stress-1 if it is to be normalised, else the raw stress."""
        return self.stress_1 if normalized else self.stress


def pulled(delta: np.ndarray, Z: np.ndarray, power: float = 0.0, slopes: bool = False) -> Pull:
    """The sums of `_stress.pull` over all pairs, in threads over rows; the same whatever their number."""
    k, n = Z.shape
    cuts = _cuts(n)

    def part(rows: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        T, S, sums = np.zeros((k, n)), np.zeros((k, n) if slopes else (0, 0)), np.zeros(3)
        _stress.pull(delta=delta, Z=Z, power=power, first=rows[0], last=rows[1], T=T, S=S, sums=sums)
        return T, S, sums

    parts = in_threads(part, list(pairwise(cuts)))
    T, S, sums = (sum(some[1:], some[0]) for some in zip(*parts))
    return Pull(T, S, *map(float, sums))


def _cuts(n: int) -> list[int]:
    """Rows at which the pairs i < j are cut into pieces of about equal size."""
    pieces = max(1, n * (n - 1) // 2 // PAIRS_AT_A_TIME)
    shares = 1 - np.sqrt(1 - np.arange(pieces + 1) / pieces)
    return np.unique(np.round(shares * n).astype(int)).tolist()


def majorize(
    delta: np.ndarray,
    Z: np.ndarray,
    max_iter: int,
    eps: float,
    fit: Callable[[np.ndarray, int], np.ndarray] | None,
) -> Run:
    """SMACOF from a start Z (n, k): until a step lowers the stress by less than eps of the sum of squared distances.

    ``fit`` turns the distances of a configuration into those wanted next (non-metric scaling); None wants ``delta``.
    """
    n, old, history = len(Z), np.inf, []
    at, wanted = np.ascontiguousarray(Z.T), delta
    if fit is not None:
        wanted = fit(_distances(at), 0)
    pull = pulled(wanted, at)
    for step in range(max_iter):
        end_if_abandoned()
        at = pull.T / n
        if fit is None:
            pull = pulled(wanted, at)  # the stress of this configuration and the next step in one pass
            stress, squares = pull.stress, pull.squares
        else:
            apart = _distances(at)
            stress, squares = float(((apart - wanted) ** 2).sum()), float((apart**2).sum())
        history.append(stress)
        if (old - stress) < eps * squares or step == max_iter - 1 or squares == 0:
            break
        old = stress
        if fit is not None:
            wanted = fit(apart, step + 1)
            pull = pulled(wanted, at)
    return Run(np.ascontiguousarray(at.T), stress, squares, step + 1, history)


def _distances(at: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import pdist

    return pdist(at.T)


def monotone_fit(delta: np.ndarray, n: int) -> Callable[[np.ndarray, int], np.ndarray]:
    """The wanted distances of non-metric scaling: those nearest to the current ones that rise with delta.

    Pairs whose delta is equal want the same distance; pairs of delta 0 are left out. At the first step delta itself is
    wanted. All are scaled so that the mean of their squares is 1.
    """
    from scipy.optimize import isotonic_regression

    known = np.flatnonzero(delta > 0)
    if not len(known):
        raise DataError("non-metric scaling needs distances above 0, all are 0.")
    order = np.argsort(delta[known], kind="stable")
    rises = np.diff(delta[known][order]) > EQUAL * delta.max()
    group = np.empty(len(known), np.int64)
    group[order] = np.concatenate([[0], np.cumsum(rises)])
    sizes = np.bincount(group).astype(np.float64)

    def fit(apart: np.ndarray, step: int) -> np.ndarray:
        wanted = np.zeros(len(delta))
        if step == 0:
            wanted[known] = delta[known]
        else:
            means = np.bincount(group, apart[known]) / sizes
            wanted[known] = isotonic_regression(means, weights=sizes).x[group]
        total = float((wanted**2).sum())
        return wanted * np.sqrt(n * (n - 1) / 2 / total) if total > 0 else wanted

    return fit


def smacof(
    dissimilarities: ArrayLike,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: ArrayLike | None = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: RandomState = None,
    return_n_iter: bool = False,
    normalized_stress: bool | str = "auto",
) -> Any:
    r"""Coordinates of least stress for given distances, as a function: see :class:`MDS`.

    Cost: O(n^2 k) a step; memory O(n^2).

    Parameters
    ----------
    dissimilarities : (n, n) symmetric
    metric : bool, default True
        Whether the distances themselves are wanted (metric), or only their order.
    n_components, n_init, max_iter, eps, normalized_stress : as in :class:`MDS`
    init : (n, k) array or None
        The start; None draws ``n_init`` of them.
    n_jobs, verbose : accepted; runs are made in the machine's threads, with the same result
    random_state : int, RandomState or None
    return_n_iter : bool, default False
        Whether the number of steps is returned as well.

    Returns
    -------
    Z : (n, k) coordinates      stress : float      n_iter : int, if asked for

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import smacof
    >>> square = [[0, 1, 2**0.5, 1], [1, 0, 1, 2**0.5], [2**0.5, 1, 0, 1], [1, 2**0.5, 1, 0]]
    >>> Z, stress = smacof(square, init=np.array([[0, 0], [1, 0.2], [1, 1], [0, 0.7]]), eps=1e-12)
    >>> round(stress, 6)
    0.0

    See Also
    --------
    MDS, ClassicalMDS

    References
    ----------
    - De Leeuw, J. and Mair, P. (2009). Multidimensional scaling using majorization: SMACOF in R. Journal of
      Statistical Software 31(3), 1-30. doi:10.18637/jss.v031.i03
    """
    normalized = not metric if normalized_stress == "auto" else bool(normalized_stress)
    run = best_run(
        checked_distances(np.asarray(dissimilarities), "smacof"),
        metric=metric, n_components=n_components, init=init, n_init=n_init, max_iter=max_iter, eps=eps,
        normalized=normalized, random_state=random_state, who="smacof",
    )  # fmt: skip
    stress = run.reported(normalized)
    return (run.Z, stress, run.n_iter) if return_n_iter else (run.Z, stress)


def best_run(
    distances: np.ndarray, *, metric: bool, n_components: int, init: Any, n_init: int, max_iter: int, eps: float,
    normalized: bool, random_state: Any, who: str,
) -> Run:  # fmt: skip
    """The run of least stress among those from the given start, or from ``n_init`` drawn ones."""
    n = len(distances)
    delta = distances[np.triu_indices(n, 1)]
    if init is not None:
        start = np.array(init, dtype=np.float64)
        if start.ndim != 2 or len(start) != n:
            raise ParameterError(
                f"{who}: init matrix should be of shape ({n}, {n_components}), got {start.shape}."
            )
        if n_init != 1:
            warn_user(
                f"{who}: Explicit initial positions passed: performing only one init of the MDS instead of {n_init}."
            )
        starts = [start]
    else:
        random = random_state_of(random_state)
        starts = [random.uniform(size=(n, n_components)) for _ in range(n_init)]
    unit = float(delta.max(initial=0.0)) or 1.0
    rescale = not 1e-100 < unit < 1e100  # squares of such distances would leave the range of numbers
    if rescale:
        delta, starts = delta / unit, [start / unit for start in starts]

    def descend(start: np.ndarray) -> Run:
        return majorize(delta, start, max_iter, eps, None if metric else monotone_fit(delta, n))

    runs = in_threads(descend, starts)
    best = min(runs, key=lambda run: run.reported(normalized))
    if rescale and metric:
        stresses = [stress * unit * unit for stress in best.history]
        best = Run(best.Z * unit, stresses[-1], best.squares * unit * unit, best.n_iter, stresses)
    return best


def place_by_stress(
    start: np.ndarray, coordinates: np.ndarray, wanted: np.ndarray, power: float = 0.0, max_iter: int = 300
) -> np.ndarray:
    r"""(q, k) points of least stress to fixed points, by majorisation from a start.

    .. math:: z \leftarrow \sum_s w_s\big(z_s + \delta_s (z - z_s) / |z - z_s|\big) / \sum_s w_s, \; w_s = \delta_s^{-p}

    A point at distance 0 from a fixed one stays where it is.

    Parameters
    ----------
    start : (q, k)      coordinates : (n, k) of the fixed points      wanted : (q, n) distances
    power : of the weights; 0 weighs all alike
    """
    Z = start.copy()
    size = max(1, PAIRS_AT_A_TIME // max(1, coordinates.size))
    for first in range(0, len(Z), size):
        end_if_abandoned()
        z, delta = Z[first : first + size], wanted[first : first + size]
        free = np.flatnonzero((delta > 0).all(axis=1))
        delta = delta[free]
        with np.errstate(divide="ignore"):
            w = delta**-power if power else np.ones_like(delta)
        w = w / w.sum(axis=1, keepdims=True)
        for _ in range(max_iter):
            apart = z[free, None, :] - coordinates
            d = np.sqrt(np.einsum("qsk,qsk->qs", apart, apart))
            ratio = np.divide(w * delta, d, out=np.zeros_like(d), where=d > 0)
            moved = w @ coordinates + np.einsum("qs,qsk->qk", ratio, apart)
            step = np.abs(moved - z[free]).max(initial=0.0)
            z[free] = moved
            if step <= SMALL_STEP * np.abs(coordinates).max(initial=0.0):
                break
    return Z
