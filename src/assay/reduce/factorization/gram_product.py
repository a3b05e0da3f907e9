"""Products with the Gram matrix of rows, X'X, that is never made."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import assay.reduce.factorization._gram_product as _native
from assay.core.parallel import in_threads
from assay.core.sums import Block, Rows, Source

__all__ = ["gram_inner", "gram_product", "padded", "products_at", "sparse_product", "sparse_rows"]

LANES = 8  # to a multiple of which native code wants rows filled up with zeros
MOST_PARTS = 4  # of a sparse table, each with sums of its own
ENTRIES_PER_SUM = 64  # entries of a part for each column, so that adding up parts costs little
ROWS_IN_A_THREAD = 4096
_NO_WEIGHTS = np.empty(0)


def gram_product(source: Source, V: np.ndarray) -> np.ndarray:
    r""":math:`\sum_i w_i x_i x_i^TV` for vectors V (d, b), one pass over the rows, dense or sparse.

    >>> import numpy as np
    >>> from assay.core.sums import Rows
    >>> from assay.reduce.factorization.gram_product import gram_product
    >>> gram_product(Rows(np.array([[3.0, 0.0], [4.0, 5.0]])), np.eye(2))
    array([[25., 20.],
           [20., 25.]])
    """
    if isinstance(source, Rows) and not isinstance(source.X, np.ndarray):
        return _of_block(
            Block(source.X, None, source.w), V
        )  # whole: each block would have a sum as large as V
    return source.add_up(lambda block: _of_block(block, V))


def _of_block(block: Block, V: np.ndarray) -> np.ndarray:
    X, w = block.X, block.w
    if isinstance(X, np.ndarray):
        products = X @ V
        return X.T @ (products if w is None else products * w[:, None])
    table, wide = sparse_rows(X), padded(V)
    weights = _NO_WEIGHTS if w is None else np.ascontiguousarray(w, dtype=np.float64)
    n, parts = X.shape[0], int(np.clip(X.nnz // (ENTRIES_PER_SUM * len(V)), 1, MOST_PARTS))
    ends = np.searchsorted(X.indptr, np.linspace(0, X.nnz, parts + 1)[1:-1]).tolist()

    def part(rows: tuple[int, int]) -> np.ndarray:
        out = np.zeros_like(wide)
        _native.gram_product(table, weights, wide, out, *rows)
        return out

    bounds = [0, *ends, n]
    sums = in_threads(part, list(pairwise(bounds)))
    for other in sums[1:]:
        sums[0] += other
    return np.ascontiguousarray(sums[0][:, : V.shape[1]])


def gram_inner(source: Source, V: np.ndarray) -> np.ndarray:
    r""":math:`\sum_i w_i V^Tx_i x_i^TV` for vectors V (d, b), at half the cost of ``gram_product``.

    >>> import numpy as np
    >>> from assay.core.sums import Rows
    >>> from assay.reduce.factorization.gram_product import gram_inner
    >>> gram_inner(Rows(np.array([[3.0, 0.0], [4.0, 5.0]])), np.array([[1.0], [1.0]]))
    array([[90.]])
    """
    return source.add_up(lambda block: _inner_of_block(block, V))


def _inner_of_block(block: Block, V: np.ndarray) -> np.ndarray:
    n, total = block.X.shape[0], np.zeros((V.shape[1], V.shape[1]))
    for start in range(0, n, ROWS_IN_A_THREAD):
        rows = slice(start, start + ROWS_IN_A_THREAD)
        X = block.X if n <= ROWS_IN_A_THREAD else block.X[rows]
        Z = X @ V if isinstance(X, np.ndarray) else sparse_product(sparse_rows(X), X.shape[0], V)
        total += Z.T @ (Z if block.w is None else Z * block.w[rows, None])
    return total


def sparse_product(table: Any, n: int, V: np.ndarray) -> np.ndarray:
    """(n, b) the product of a sparse table of n rows (``sparse_rows``) with V (d, b)."""
    wide = padded(V)
    out = np.empty((n, wide.shape[1]))

    def some(start: int) -> None:
        _native.sparse_product(table, wide, out, start, min(start + ROWS_IN_A_THREAD, n))

    in_threads(some, range(0, n, ROWS_IN_A_THREAD))
    return np.ascontiguousarray(out[:, : V.shape[1]])


def products_at(X: Any, W: np.ndarray, H: np.ndarray) -> np.ndarray:
    """(nnz,) the products of rows of W (n, k) and columns of H (k, d) at the entries of a CSR matrix."""
    out = np.empty(X.nnz)
    _native.products_at(sparse_rows(X), padded(W), padded(np.asarray(H).T), out)
    return out


def sparse_rows(X: Any) -> Any:
    """A CSR matrix as native code takes it."""
    return _native.SparseRows(
        start=np.ascontiguousarray(X.indptr, dtype=np.int64),
        column=np.ascontiguousarray(X.indices, dtype=np.int32),
        value=np.ascontiguousarray(X.data, dtype=np.float64),
        columns=X.shape[1],
    )


def padded(A: np.ndarray) -> np.ndarray:
    """A (m, b) with columns of zeros up to a multiple of LANES; A itself where there is nothing to add."""
    m, b = A.shape
    if b % LANES == 0 and A.dtype == np.float64 and A.flags.c_contiguous:
        return A
    out = np.zeros((m, -(-b // LANES) * LANES))
    out[:, :b] = A
    return out
