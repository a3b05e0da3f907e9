"""Supervised discretisation of a numeric column by entropy, stopped by the MDL principle."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError

__all__ = ["cut_between", "mdl_cuts"]

EQUAL = 1e-10  # two entropies whose sums differ by less, in parts of the sum, are equal


def mdl_cuts(x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
    r"""Cut points of one column, found by halving entropy while that shortens the description of the classes.

    The cut with the smallest mean entropy of its two sides is taken if its gain exceeds the bits that code its
    position and the classes of its sides; then each side is cut by itself (Fayyad and Irani). For N rows with k
    classes and entropy H, cut into sides of k1 and k2 classes with entropies H1 and H2:

    .. math::

        H - \tfrac{N_1}{N} H_1 - \tfrac{N_2}{N} H_2 > \frac{\log_2(N - 1) + \Delta}{N},  \qquad (1)

        \Delta = \log_2(3^k - 2) - k H + k_1 H_1 + k_2 H_2 .                             \qquad (2)

    An interval holds its upper end: :math:`x \le` cut. Cuts lie halfway between neighbouring numbers; among equal
    cuts the lowest is taken. A row of weight 2 is two rows. Missing numbers are left out. Cost: one sort, then
    O(n) for each level of cuts.

    Parameters
    ----------
    x : (n,) numbers      y : (n,) classes      sample_weight : (n,) or None

    Returns
    -------
    (c,) the cuts in ascending order; none if no cut is worth its bits

    Examples
    --------
    >>> from assay.stats.information.mdl_cuts import mdl_cuts
    >>> mdl_cuts([1, 2, 3, 4, 10, 11, 12, 13], list("aaaabbbb"))
    array([7.])
    >>> mdl_cuts([1, 2, 3, 4, 5, 6, 7, 8], list("abababab"))
    array([], dtype=float64)

    See Also
    --------
    entropy, mutual_information

    References
    ----------
    - Fayyad, U. M. and Irani, K. B. (1993). Multi-interval discretization of continuous-valued attributes for
      classification learning. International Joint Conference on Artificial Intelligence, 1022-1027.
    """
    numbers, classes = np.asarray(x, np.float64).ravel(), np.asarray(y)
    w = np.ones(len(numbers)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if not len(numbers) == len(classes) == len(w):
        raise DataError(
            f"mdl_cuts: x has {len(numbers)} numbers, y {len(classes)} classes, sample_weight {len(w)} weights; "
            "expected as many of each."
        )
    kept = np.flatnonzero(~np.isnan(numbers) & (w > 0))
    order = kept[np.argsort(numbers[kept], kind="stable")]
    return np.array(sorted(_Sorted(numbers[order], classes[order], w[order]).cuts()), np.float64)


def cut_between(low: float, high: float) -> float:
    """Halfway between two numbers, such that ``low <= cut < high`` whatever the rounding.

    >>> from assay.stats.information.mdl_cuts import cut_between
    >>> cut_between(1.0, 2.0), cut_between(1.0, np.nextafter(1.0, 2.0))
    (1.5, 1.0)
    """
    cut = low / 2 + high / 2
    return float(cut if low <= cut < high else low)


class _Sorted:
    """The rows in ascending order, and what a cut anywhere among them needs.

    With f(c) = c log2 c, the entropy of counts c_k with sum N is (f(N) - sum_k f(c_k)) / N. A row that joins a side
    changes one class count of it, so that a running sum over the rows gives all cuts at once, whatever the number
    of classes.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, w: np.ndarray):
        self.x, self.w = x, w
        self.y = np.unique(y, return_inverse=True)[1].ravel()
        by_class = np.argsort(self.y, kind="stable")
        first = np.searchsorted(self.y[by_class], np.arange(self.y.max(initial=-1) + 1))
        self.rank = np.empty(len(x), np.int64)  # how many rows of its class are before it, and their weight
        self.rank[by_class] = np.arange(len(x)) - first[self.y[by_class]]
        before = np.concatenate([[0.0], np.cumsum(w[by_class])])
        self.weight = np.empty(len(x))
        self.weight[by_class] = before[:-1] - before[first[self.y[by_class]]]

    def cuts(self) -> list[float]:
        cuts, todo = [], [(0, len(self.x))]
        while todo:
            start, stop = todo.pop()
            at = self._best(start, stop)
            if at is not None:
                cuts.append(cut_between(self.x[at - 1], self.x[at]))
                todo += [(start, at), (at, stop)]
        return cuts

    def _best(self, start: int, stop: int) -> int | None:
        """Where the right side of the best cut of some rows begins; None if no cut is worth it."""
        x, y, w = self.x[start:stop], self.y[start:stop], self.w[start:stop]
        ends = np.flatnonzero(x[1:] > x[:-1])  # the last row of the left side
        N = w.sum()
        if not len(ends) or N < 2:
            return None
        K = int(y.max()) + 1
        rows, total = np.bincount(y, minlength=K), np.bincount(y, w, minlength=K)
        first = np.full(K, len(y))
        np.minimum.at(first, y, np.arange(len(y)))
        present = np.flatnonzero(rows)
        offset = np.zeros(K)
        offset[present] = self.weight[start + first[present]]
        ranks = np.zeros(K, np.int64)
        ranks[present] = self.rank[start + first[present]]
        c = np.maximum(self.weight[start:stop] - offset[y], 0.0)
        remaining = np.maximum(total[y] - c, w)  # the class's weight on the right before the row leaves it
        left = np.cumsum(_f(c + w) - _f(c))[ends]  # sum_k f(c_k) of the left side
        right = _f(total).sum() + np.cumsum(_f(np.maximum(remaining - w, 0.0)) - _f(remaining))[ends]
        N1 = np.cumsum(w)[ends]
        N2 = np.maximum(N - N1, 0.0)
        bits = _f(N1) - left + _f(N2) - right  # N1 H1 + N2 H2
        best = int(np.argmax(bits <= bits.min() + EQUAL * (1 + _f(N))))
        rank = self.rank[start:stop] - ranks[y]
        k, k1 = len(present), int((rank[: ends[best] + 1] == 0).sum())
        k2 = int((rank[ends[best] + 1 :] == rows[y[ends[best] + 1 :]] - 1).sum())
        H = (_f(N) - _f(total).sum()) / N
        H1, H2 = (_f(N1[best]) - left[best]) / N1[best], (_f(N2[best]) - right[best]) / N2[best]
        delta = _log2_power(k) - k * H + k1 * H1 + k2 * H2  # (2)
        gain = H - bits[best] / N
        pays = gain > (np.log2(N - 1) + delta) / N + EQUAL  # (1)
        return start + int(ends[best]) + 1 if pays else None


def _f(c: np.ndarray | float) -> np.ndarray:
    """c log2 c, 0 at 0."""
    return np.asarray(c) * np.log2(np.where(np.asarray(c) > 0, c, 1.0))


def _log2_power(k: int) -> float:
    """log2(3^k - 2), which for many classes is k log2 3."""
    return float(np.log2(3.0**k - 2)) if k < 500 else k * float(np.log2(3.0))
