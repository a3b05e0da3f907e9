"""The tail of a descent over rows: Newton's steps of all coefficients that are strictly between their bounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["face_steps"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

MOST_FREE = 800  # directions whose matrix is factored
MOST_WORK = 3e9  # multiplications of all steps together
JITTERS = (1e-15, 1e-13, 1e-11)  # shares of the diagonal that are added to it: copies of a row have one image
ROUNDING = 1e-11  # share of the largest slope that is none


def face_steps(
    A: Floats,
    low: Floats,
    high: Floats,
    slopes: Callable[[Rows], Floats],
    products: Callable[[Rows], Floats],
    move: Callable[[Rows, Floats], None],
) -> int:
    r"""Move the free coefficients to the minimum of the quadratic function on their face; how many steps it took.

    Descent over one row at a time zigzags where several rows pull at each other. With the bounds that hold taken as
    given, what is left is a quadratic function of the free coefficients, those of a row adding up to a constant. One of
    them, r, makes up for the others, so that a direction is :math:`z_{ik} = e_{ik} - e_{ir}`, and

    .. math:: Hz = -Z^Tg, \quad H_{(ik)(jl)} = K_{ij}\,([k=l] - [k=r_j] - [r_i=l] + [r_i=r_j]) \quad (1)

    is solved; the step ends at the first bound, which then holds too, and the next one begins there. At the minimum of
    a face the rows whose bounded coefficients would fall are freed, until there are none, or the work is too much.

    Parameters
    ----------
    A : (n, K) the coefficients, changed in place      low, high : (n, K) their bounds
    slopes : of some rows, the (r, K) slopes of the objective
    products : of some rows, the (r, r) matrix of their kernel
    move : takes some rows and the (r, K) changes of their coefficients

    References
    ----------
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, second edition, 16.5. Springer.
    """
    free, everyone, work, made = (low < A) & (high > A), np.arange(len(A)), 0.0, 0
    while work < MOST_WORK:
        free &= free.sum(axis=1, keepdims=True) > 1
        rows = np.flatnonzero(free.any(axis=1))
        count = int(free.sum()) - len(rows)
        if count > MOST_FREE:
            break
        work += count**3 / 3 + 10.0 * count**2 + 1e5
        share = _step(A, low, high, free, rows, slopes(rows), products(rows), move) if count else 1.0
        if share is None:
            break
        made += 1
        if share == 1.0 and not _release(A, low, high, slopes(everyone), free):
            break
    return made


def _step(
    A: Floats,
    low: Floats,
    high: Floats,
    free: NDArray[np.bool_],
    rows: Rows,
    g: Floats,
    K: Floats,
    move: Callable[[Rows, Floats], None],
) -> float | None:
    """One step on the face; those at whose bounds it ends leave ``free``. Its share of the way, or None."""
    some, below, above, at = free[rows], low[rows], high[rows], np.arange(len(rows))
    before = A[rows]
    room = np.where(some, np.minimum(before - below, above - before), -1.0)
    place = np.argmax(room, axis=1)  # r of (1)
    some = some.copy()
    some[at, place] = False
    i, k = np.nonzero(some)
    r = place[i]
    same = (k[:, None] == k).astype(float) - (k[:, None] == r) - (r[:, None] == k) + (r[:, None] == r)
    H, g = K[np.ix_(i, i)] * same, g[i, k] - g[i, r]
    z = _solved(H, -g)
    if z is None or not float(g @ z) <= 0:
        return None
    D = np.zeros(some.shape)
    D[i, k] = z
    D[at, place] = -D.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(D < 0, (below - before) / D, np.where(D > 0, (above - before) / D, np.inf))
    share = min(1.0, float(room.min()))
    if not np.isfinite(D).all():
        return None
    after = np.clip(before + share * D, below, above)
    stopped = (room <= share) & (share < 1)
    after[stopped & (D < 0)] = below[stopped & (D < 0)]
    after[stopped & (D > 0)] = above[stopped & (D > 0)]
    A[rows] = after
    move(rows, after - before)
    free[rows] &= ~stopped
    return share


def _release(A: Floats, low: Floats, high: Floats, g: Floats, free: NDArray[np.bool_]) -> bool:
    """Free the two coefficients of each row by which the objective falls fastest; whether it falls anywhere."""
    fall, rise = np.where(low < A, g, -np.inf), np.where(high > A, g, np.inf)
    rows, top, bottom = np.arange(len(A)), fall.argmax(axis=1), rise.argmin(axis=1)
    size = ROUNDING * float(np.abs(g).max(initial=0.0))
    gain = np.where(top != bottom, fall[rows, top] - rise[rows, bottom], 0.0)
    which = np.flatnonzero((gain > size) & ~(free[rows, top] & free[rows, bottom]))
    free[which, top[which]] = free[which, bottom[which]] = True
    return len(which) > 0


def _solved(H: Floats, wanted: Floats) -> Floats | None:
    """Hz = wanted with as little added to the diagonal as makes H definite; None if it is no kernel matrix."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    diagonal = np.diagonal(H)
    for jitter in JITTERS:
        stiff = H.copy()
        stiff.flat[:: len(H) + 1] += jitter * len(H) * np.maximum(diagonal, np.finfo(float).tiny)
        try:
            return cho_solve(cho_factor(stiff, lower=True, overwrite_a=True, check_finite=False), wanted)
        except LinAlgError:
            continue
    return None
