"""Fisher's exact test of two items, for many rules at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError

__all__ = ["fisher_p"]


def fisher_p(xy: ArrayLike, x: Any, y: Any, n: Any) -> np.ndarray:
    r"""Fisher's exact test: how probable at least xy common baskets are if X and Y are independent.

    .. math:: p = \sum_{k \ge xy} \binom{x}{k} \binom{n - x}{y - k} \Big/ \binom{n}{y}

    The sum is taken over the shorter tail, term by term until the rest adds nothing. Weights must be whole numbers.

    Parameters
    ----------
    xy, x, y : arrays of whole numbers of baskets with both sides, with X, with Y
    n : number of all baskets

    Examples
    --------
    The lady who tells 3 of 4 cups: (16 + 1) / 70.

    >>> from assay.associations.fisher import fisher_p
    >>> round(float(fisher_p(3, 4, 4, 8)), 6)
    0.242857
    """
    from scipy.special import gammaln

    counts = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (xy, x, y, n)))
    shape = counts[0].shape
    k, x, y, n = (np.rint(np.ravel(v)) for v in counts)
    for rounded, exact in zip((k, x, y, n), counts):
        if np.any(np.abs(rounded - np.ravel(exact)) > 1e-6 * np.maximum(1.0, rounded)):
            raise DataError(
                "fisher_p: the counts must be whole numbers, and weighted baskets do not have them. Use chi_square."
            )
    upper = k > x * y / n  # the shorter tail: from xy upwards, or from xy - 1 downwards
    start = np.where(upper, k, k - 1)
    slack = n - x - y
    possible = (start >= np.maximum(0, -slack)) & (start <= np.minimum(x, y))
    at = np.where(possible, start, np.maximum(0, -slack))
    parts = (at, x - at, y - at, slack + at)
    log_term = gammaln(x + 1) + gammaln(n - x + 1) + gammaln(y + 1) + gammaln(n - y + 1) - gammaln(n + 1)
    log_term -= sum(gammaln(part + 1) for part in parts)
    term = np.where(possible, np.exp(log_term), 0.0)
    total = term.copy()
    live = np.flatnonzero(term > 0)
    t, a, up = term[live], at[live], upper[live]
    xs, ys, rs = x[live], y[live], slack[live]
    while len(live):
        # t(k + 1) / t(k) = (x - k) (y - k) / ((k + 1) (n - x - y + k + 1)), and its inverse downwards
        higher = (xs - a) * (ys - a) / np.maximum((a + 1) * (rs + a + 1), 1.0)
        lower = a * (rs + a) / np.maximum((xs - a + 1) * (ys - a + 1), 1.0)
        t = t * np.where(up, higher, lower)
        a = np.where(up, a + 1, a - 1)
        total[live] += t
        keep = t > 1e-17 * total[live]
        live, t, a, up, xs, ys, rs = (v[keep] for v in (live, t, a, up, xs, ys, rs))
    return np.clip(np.where(upper, total, 1 - total), 0.0, 1.0).reshape(shape)
