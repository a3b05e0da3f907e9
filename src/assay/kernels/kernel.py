"""Base class of the kernel functions: fitted once to a table, then evaluated for many pairs of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core.parallel import in_threads
from assay.core.stored import Kind
from assay.kernels.gram_rows import GramRows, KernelRows
from assay.tables.rows import row_count

__all__ = ["Kernel", "mirror"]

PAIRS_A_BLOCK = 1 << 20  # pairs of rows in one piece of work
GRAM_ROWS_A_BLOCK = (
    128  # of a kernel matrix: what such a block computes left of its diagonal is computed twice
)


@dataclass(frozen=True, eq=False)
class Kernel:
    r"""A similarity of two rows that is an inner product of their images in some space of features.

    .. math:: K(a, b) = \langle\phi(a), \phi(b)\rangle \quad (1)

    A kernel is immutable: ``learn`` returns a new one, fitted to the training rows. A new kernel writes ``_block``,
    and ``diagonal`` if that is known without pairs.
    """

    takes: ClassVar[frozenset[str]] = frozenset()  # of "nominal", "missing", "sparse", "objects"
    precomputed: ClassVar[bool] = False  # whether rows are values of the kernel already
    function: ClassVar[bool] = False  # whether it is the user's own code, which threads do not speed up
    stored: ClassVar[Mapping[str, Kind] | None] = {}

    @property
    def name(self) -> str:
        """Its name in `kernel_of`."""
        return type(self).__name__.lower()

    def learn(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Kernel:
        """The kernel fitted to the training rows X, their targets y and weights w."""
        return self

    def __call__(self, A: Any, B: Any = None) -> np.ndarray:
        """(n, m) the values for all pairs of rows of A and of B; without B those of A among themselves."""
        return self.gram(A) if B is None else self.between(A, B)

    def between(self, A: Any, B: Any) -> np.ndarray:
        """(n, m) the values for all pairs of rows of A and of B."""
        A, B = self._prepared(A), self._prepared(B)
        n, m = row_count(A, self.name), row_count(B, self.name)
        out = np.empty((n, m))
        size = max(1, PAIRS_A_BLOCK // max(m, 1))

        def some(start: int) -> None:
            out[start : start + size] = self._block(A[start : start + size], B)

        in_threads(some, range(0, n, size), 1 if self.function else None)
        return out

    def gram(self, A: Any) -> np.ndarray:
        """(n, n) the kernel matrix of the rows of A, exactly symmetric."""
        A = self._prepared(A)
        n = row_count(A, self.name)
        K, size = np.empty((n, n)), max(1, min(GRAM_ROWS_A_BLOCK, PAIRS_A_BLOCK // max(n, 1)))

        def some(start: int) -> None:
            K[start : start + size, start:] = self._block(A[start : start + size], A[start:])

        in_threads(some, range(0, n, size), 1 if self.function else None)
        mirror(K)
        return K

    def diagonal(self, A: Any) -> np.ndarray:
        """(n,) K(a, a) for each row of A."""
        A = self._prepared(A)
        return np.array(
            [self._block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(row_count(A, self.name))]
        )

    def gram_rows(self, X: Any) -> GramRows:
        """Rows of the kernel matrix of the training rows, computed when they are asked for."""
        return KernelRows(self, X)

    def combine(self, Q: Any, S: Any, coef: np.ndarray) -> np.ndarray:
        """(q, k) sum_j coef[j] K(q, s_j) for (m, k) coefficients of the rows of S; blocks of Q at a time."""
        q, m = row_count(Q, self.name), row_count(S, self.name)
        out = np.empty((q, coef.shape[1]))
        size = max(1, PAIRS_A_BLOCK // max(m, 1))
        for start in range(0, q, size):
            out[start : start + size] = self.between(Q[start : start + size], S) @ coef
        return out

    def _prepared(self, X: Any) -> Any:
        """The rows as ``_block`` wants them."""
        return X

    def _block(self, A: Any, B: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _block")


def mirror(K: np.ndarray) -> None:
    """Make K exactly symmetric: what is above the diagonal also stands below.

    >>> import numpy as np
    >>> from assay.kernels.kernel import mirror
    >>> K = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> mirror(K)
    >>> K
    array([[1., 2.],
           [2., 3.]])
    """
    n, size = len(K), 256
    for start in range(0, n, size):
        stop = min(start + size, n)
        corner = np.triu(K[start:stop, start:stop])
        K[start:stop, start:stop] = corner + np.triu(corner, 1).T
        K[stop:, start:stop] = K[start:stop, stop:].T
