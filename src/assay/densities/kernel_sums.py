"""Kernel sums over many weighted points, for kernel densities and Parzen classifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

import assay.densities._kernel_sums as _kernel_sums
from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.core.stored import FloatArray, Text
from assay.densities.kernels import KERNELS, Kernel
from assay.errors import DataError

__all__ = ["GEOMETRIES", "KernelSums"]

LEAF = 96  # points in a leaf of the tree, at most
QUERIES = 64  # in one piece of work
PAIRS = 1 << 18  # in one piece of work that is done in logarithms
FAINT = 1e-250  # sums below it have lost terms that are too small for a number
GEOMETRIES = ("euclidean", "manhattan", "chebyshev", "product")
SHAPES = {name: code for code, name in enumerate((
    "gaussian", "box", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "cosine", "exponential",
    "logistic",
))}  # as the native code numbers them  # fmt: skip


@dataclass(frozen=True, eq=False)
class KernelSums:
    r"""Weighted points, for sums

    .. math:: S(q) = \sum_t w_t\,k\!\left(s_t\,D(q, x^t)/h\right) \quad (1)

    with the profile k of a kernel. A tree of boxes leaves out what a bound on the error allows, by default only what
    is lost in rounding; sums too small for a number are found in logarithms.

    Parameters
    ----------
    X : (n, d) points
    weights : (n,) above 0
    narrow : (n,) s_t, which makes the kernel of a point narrower, or None for 1
    geometry : "euclidean", "manhattan", "chebyshev", or "product"
        The distance D; "product" multiplies one profile for each coordinate instead.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities.kernel_sums import KernelSums
    >>> from assay.densities.kernels import kernel_of
    >>> points = KernelSums(np.array([[0.0], [1.0]]), np.array([1.0, 3.0]))
    >>> np.exp(points.log_sums(np.array([[0.5]]), kernel_of("triangular"), 1.0))   # (1 + 3) / 2
    array([2.])
    """

    X: np.ndarray
    weights: np.ndarray
    narrow: np.ndarray | None = None
    geometry: str = "euclidean"
    stored = {
        "X": FloatArray("n", "d", finite=True),
        "weights": FloatArray("n", low=0, finite=True),
        "narrow": FloatArray("n", low=0, finite=True) | None,
        "geometry": Text(*GEOMETRIES),
    }

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_tree"}

    def log_sums(
        self,
        Q: np.ndarray,
        kernel: Kernel,
        h: float | np.ndarray,
        *,
        cut: float = np.inf,
        atol: float = 0.0,
        rtol: float = 0.0,
        leave_out: np.ndarray | None = None,
    ) -> np.ndarray:
        """(q,) the logarithm of (1).

        Parameters
        ----------
        Q : (q, d) queries
        kernel : Kernel
        h : number, or (q,) one for each query
            The width.
        cut : float
            Points farther than so many widths count nothing.
        atol, rtol : float
            How wrong (1) may be: by ``atol + rtol * S``.
        leave_out : (q,) the row that each query leaves out, -1 for none
        """
        check_points(Q, self.X, self.weights, self.narrow)
        Q = np.ascontiguousarray(Q, dtype=np.float64)
        h = np.broadcast_to(np.asarray(h, dtype=np.float64), len(Q)).copy()
        leave_out = np.full(len(Q), -1) if leave_out is None else np.asarray(leave_out, dtype=np.int64)
        known = kernel.name in SHAPES and KERNELS[kernel.name] is kernel  # else it is the user's own
        if not known or not np.all((h > 1e-150) & (h < 1e150)):  # whose squares are no numbers
            return self._in_logarithms(Q, kernel, h, cut, leave_out)
        place, tree = self._tree
        places = np.where(leave_out < 0, -1, place[leave_out])
        exponent = self._exponent
        atol = float(np.ldexp(atol, -exponent))
        out = np.empty(len(Q))
        code, shape = GEOMETRIES.index(self.geometry), SHAPES[kernel.name]

        def some(start: int) -> None:
            part = slice(start, start + QUERIES)
            _kernel_sums.sums(
                tree=tree,
                Q=Q[part],
                h=h[part],
                left_out=places[part],
                shape=shape,
                geometry=code,
                cut=cut,
                atol=atol,
                rtol=rtol,
                out=out[part],
            )

        in_pieces(some, range(0, len(Q), QUERIES), None if len(Q) * len(self.X) > 1 << 17 else 1)
        faint = np.flatnonzero(~(out >= FAINT)) if np.isinf(kernel.support) else np.empty(0, np.int64)
        with np.errstate(divide="ignore"):
            out = np.log(out) + exponent * np.log(2.0)
        if len(faint):
            out[faint] = self._in_logarithms(Q[faint], kernel, h[faint], cut, leave_out[faint])
        return out

    @property
    def _exponent(self) -> int:
        """Of the power of 2 that the tree divides weights by, so that sums of any weights are equally far from 0."""
        return int(np.frexp(self.weights.max())[1]) - 1

    @cached_property
    def _tree(self) -> tuple[np.ndarray, _kernel_sums.BoxTree]:
        """The place of each row in the order of the leaves, and what native code takes."""
        n, d = self.X.shape
        levels = max(0, int(np.ceil(np.log2(n / LEAF))))
        nodes = (2 << levels) - 1
        X, order = np.ascontiguousarray(self.X, dtype=np.float64), np.empty(n, np.int64)
        lo, hi = np.empty((nodes, d)), np.empty((nodes, d))
        _kernel_sums.grow(X, levels, order, lo, hi)
        weights = np.ldexp(self.weights[order].astype(np.float64), -self._exponent)
        packed, mass = np.empty(n * d), np.empty(nodes)
        _kernel_sums.pack(X, order, weights, levels, packed, mass)
        narrow, box = np.empty(0), np.empty((0, 2))
        if self.narrow is not None:
            narrow, box = self.narrow[order].astype(np.float64), np.empty((nodes, 2))
            starts = [0, n]
            for level in range(levels + 1):  # the nodes of a level lie side by side
                cuts = np.array(starts[:-1])
                at = slice((1 << level) - 1, (2 << level) - 1)
                box[at, 0], box[at, 1] = np.minimum.reduceat(narrow, cuts), np.maximum.reduceat(narrow, cuts)
                starts = [s for a, b in pairwise(starts) for s in (a, a + (b - a) // 2)] + [n]
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        return place, _kernel_sums.BoxTree(
            packed=packed,
            weights=weights,
            narrow=narrow,
            lo=lo,
            hi=hi,
            mass=mass,
            narrow_box=box,
            levels=levels,
        )

    def _in_logarithms(
        self, Q: np.ndarray, kernel: Kernel, h: np.ndarray, cut: float, leave_out: np.ndarray
    ) -> np.ndarray:
        """(1) by looking at every point, safe from underflow."""
        out = np.empty(len(Q))
        size = max(1, PAIRS // len(self.X))

        def some(start: int) -> None:
            part = slice(start, start + size)
            logs = self._log_profiles(Q[part], kernel, h[part, None], cut)
            left_out = np.flatnonzero(leave_out[part] >= 0)
            logs[left_out, leave_out[part][left_out]] = -np.inf
            with np.errstate(divide="ignore"):
                out[part] = log_sum(logs + np.log(self.weights))

        in_pieces(some, range(0, len(Q), size))
        return out

    def _log_profiles(self, Q: np.ndarray, kernel: Kernel, h: np.ndarray, cut: float) -> np.ndarray:
        """(q, n) log k of each query and point; gaps are divided by h before they are squared, at any scale."""
        s = 1.0 if self.narrow is None else self.narrow
        total = np.zeros((len(Q), len(self.X)))
        for j in range(self.X.shape[1]):
            with np.errstate(over="ignore"):
                gap = s * (np.abs(Q[:, j, None] - self.X[:, j]) / h)
                if self.geometry == "euclidean":
                    total += gap * gap
                elif self.geometry == "manhattan":
                    total += gap
                elif self.geometry == "chebyshev":
                    np.maximum(total, gap, out=total)
                else:
                    total += log_profile(kernel, gap, cut)
        if self.geometry == "product":
            return total
        return log_profile(kernel, np.sqrt(total) if self.geometry == "euclidean" else total, cut)


def in_pieces(work: Callable[[int], None], starts: range, n_threads: int | None = None) -> None:
    """Call ``work`` for the blocks that begin at these rows, on threads, with progress."""
    with progress(len(starts), "densities") as bar:

        def block(start: int) -> None:
            work(start)
            bar.advance()

        in_threads(block, starts, n_threads)


def check_points(Q: np.ndarray, X: np.ndarray, *each: np.ndarray | None) -> None:
    """Refuse points, perhaps from an untrusted file, whose shapes do not match."""
    if X.ndim != 2 or not len(X) or Q.shape[1:] != X.shape[1:]:
        raise DataError(f"kernel sums: {X.shape} points do not fit queries of shape {Q.shape}.")
    if any(values is not None and values.shape != (len(X),) for values in each):
        raise DataError("kernel sums: expected one weight and one width for each point.")


def log_sum(logs: np.ndarray) -> np.ndarray:
    """(q,) log of the sum of exp of each row; minus infinity for a row of nothing else."""
    top = logs.max(axis=1)
    safe = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return safe + np.log(np.exp(logs - safe[:, None]).sum(axis=1))


def log_profile(kernel: Kernel, u: np.ndarray, cut: float) -> np.ndarray:
    """log k of lengths, none beyond the cut."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(u <= cut, kernel.log_profile(u), -np.inf)
