"""Lloyd's two steps, until nothing moves: rows to their nearest centre, centres to the mean of their rows.

In memory with bounds that spare most distances, on a stream or a cluster by plain passes of sums; the centres are the
same up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.distances._lloyd as _lloyd
from assay.core.parallel import in_threads
from assay.core.sums import Block, Rows, Source
from assay.errors import DegenerateError

__all__ = ["CenterSums", "Run", "center_sums", "half_gaps", "label_rows", "lloyd", "squared_distances"]

PANEL = 16  # centres whose distances the native code computes together
MOST_GROUPS = 16  # of centres, each with a bound for every row
ROWS_OF_A_BLOCK = 16384  # that a thread takes at a time
ROWS_OF_A_SPARSE_BLOCK = 4096
NO_WEIGHTS = np.empty(0)


@dataclass(frozen=True)
class CenterSums:
    """What a block of rows adds: weight and sum of the rows of each centre, the loss, and whether labels changed."""

    counts: np.ndarray  # (K,)
    sums: np.ndarray  # (K, d)
    loss: float = 0.0
    far: tuple[
        tuple[float, float, tuple[float, ...], int], ...
    ] = ()  # the farthest rows: gap, weight, row, centre

    def __add__(self, other: CenterSums) -> CenterSums:
        many = max(len(self.far), len(other.far))
        far = tuple(sorted(self.far + other.far, key=lambda row: -row[0])[:many])
        return CenterSums(self.counts + other.counts, self.sums + other.sums, self.loss + other.loss, far)


@dataclass(frozen=True)
class Run:
    """The end of one start."""

    centers: np.ndarray  # (K, d)
    labels: np.ndarray | None  # (n,) of rows in memory
    loss: float
    n_iter: int
    history: list[dict[str, Any]]
    converged: bool


def lloyd(
    source: Source,
    centers: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    empty: str = "farthest",
    path: bool = False,
) -> Run:
    """From given centres to centres that no step moves, or by less than ``tol`` (their squared ways together).

    Parameters
    ----------
    source : rows
    centers : (K, d)
    max_iter : int
    tol : float
    empty : "farthest", "drop" or "keep"
        What a centre without rows does: it takes the row that is farthest from its centre, is left out, or stays.
    path : bool
        Whether the history keeps the centres.
    """
    if isinstance(source, Rows):
        return _in_memory(source, centers, max_iter, tol, empty, path)
    return _in_passes(source, centers, max_iter, tol, empty, path)


def _in_memory(source: Rows, centers: np.ndarray, max_iter: int, tol: float, empty: str, path: bool) -> Run:
    X, w = source.X, source.w
    state = (_Sparse if hasattr(X, "tocsr") else _Dense)(X, w, len(centers))
    history: list[dict[str, Any]] = []
    converged = False
    shift = np.zeros(len(centers))
    for iteration in range(1, max_iter + 1):
        changed = state.assign(centers, shift)
        moved, kept = _means(state, centers, empty)
        if kept is not None:
            centers, moved = centers[kept], moved[kept]
            state = type(state)(X, w, len(centers))
            state.assign(centers, np.zeros(len(centers)))
        ways = moved - centers
        ways *= ways
        squares = ways.sum(axis=1)
        shift = np.sqrt(squares)
        record: dict[str, Any] = {
            "iteration": iteration,
            "changed": int(changed),
            "shift": float(shift.sum()),
        }
        if path:
            record["loss"] = label_rows(X, w, centers)[1]
            record["centers"] = centers.tolist()
        history.append(record)
        centers = moved
        if changed == 0:
            converged = True
            break
        if squares.sum() <= tol:
            converged = True
            break
    labels, loss = label_rows(X, w, centers)
    if path:
        history.append(
            {
                "iteration": len(history) + 1,
                "changed": 0,
                "shift": 0.0,
                "loss": loss,
                "centers": centers.tolist(),
            }
        )
    return Run(centers, labels, loss, iteration, history, converged)


def _in_passes(source: Source, centers: np.ndarray, max_iter: int, tol: float, empty: str, path: bool) -> Run:
    history: list[dict[str, Any]] = []
    last, converged = np.inf, False
    for iteration in range(1, max_iter + 1):
        total = center_sums(source, centers, len(centers) if empty == "farthest" else 0)
        moved, kept = _means(total, centers, empty)
        if kept is not None:
            centers, moved = centers[kept], moved[kept]
        shift = float(np.sum((moved - centers) ** 2))
        record: dict[str, Any] = {"iteration": iteration, "loss": total.loss, "shift": float(np.sqrt(shift))}
        if path:
            record["centers"] = centers.tolist()
        history.append(record)
        centers = moved
        if shift <= tol or total.loss >= last:
            converged = True
            break
        last = total.loss
    return Run(centers, None, center_sums(source, centers).loss, iteration, history, converged)


def _means(total: Any, centers: np.ndarray, empty: str) -> tuple[np.ndarray, np.ndarray | None]:
    """New centres by the policy for those without rows, and which are kept if some are left out."""
    counts, sums = total.counts, total.sums
    if not np.isfinite(sums).all():
        raise DegenerateError("k-means: the sums of rows overflow. Scale the columns.")
    if (counts > 0).all():
        return sums / counts[:, None], None
    none = np.flatnonzero(~(counts > 0))
    if empty == "farthest":
        counts, sums = counts.copy(), sums.copy()
        for k, (gap, weight, row, label) in zip(none, total.farthest(len(none), centers)):
            if gap <= 0:  # all rows lie on centres: nothing is gained
                break
            counts[label] -= weight
            sums[label] -= weight * np.asarray(row)
            counts[k], sums[k] = weight, weight * np.asarray(row)
    moved = np.where(counts[:, None] > 0, sums / np.where(counts > 0, counts, 1.0)[:, None], centers)
    return moved, np.flatnonzero(counts > 0) if empty == "drop" else None


class _Dense:
    """Rows in memory, with the bounds of each."""

    def __init__(self, X: np.ndarray, w: np.ndarray | None, K: int):
        n = len(X)
        panels = -(-K // PANEL)
        groups = -(-panels // -(-panels // MOST_GROUPS))
        self.X, self.w = X, w
        self.labels = np.full(n, -1, dtype=np.int32)
        self.upper, self.lower = np.zeros(n), np.zeros((n, groups))
        self.counts, self.sums = np.zeros(K), np.zeros((K, X.shape[1]))

    def assign(self, centers: np.ndarray, shift: np.ndarray) -> int:
        """Every row to its nearest centre; how many have changed it."""
        centers, apart = np.ascontiguousarray(centers), half_gaps(centers)

        def some(start: int) -> tuple[int, np.ndarray, np.ndarray]:
            rows = slice(start, start + ROWS_OF_A_BLOCK)
            counts, sums = np.zeros(len(centers)), np.zeros(centers.shape)
            changed = _lloyd.move(
                X=self.X[rows],
                w=NO_WEIGHTS if self.w is None else self.w[rows],
                centers=centers,
                shift=shift,
                apart=apart,
                labels=self.labels[rows],
                upper=self.upper[rows],
                lower=self.lower[rows],
                counts=counts,
                sums=sums,
            )
            return changed, counts, sums

        total, blocks = 0, range(0, len(self.X), ROWS_OF_A_BLOCK)
        for changed, counts, sums in in_threads(some, blocks) if len(blocks) > 1 else [some(0)]:
            total += changed
            if changed:
                self.counts += counts
                self.sums += sums
        if self.w is None:
            np.rint(self.counts, out=self.counts)
        else:
            self.counts[np.abs(self.counts) < 1e-12 * np.sum(self.w)] = 0.0
            present = np.bincount(self.labels, self.w > 0, len(self.counts)) > 0
            self.counts[~present] = 0.0
        return total

    def farthest(self, many: int, centers: np.ndarray) -> list[tuple[float, float, np.ndarray, int]]:
        """The rows that are farthest from their centres: gap, weight, row, centre."""
        return _farthest(self.X, self.w, self.labels, centers, many)


class _Sparse:
    """Sparse rows in memory."""

    def __init__(self, X: Any, w: np.ndarray | None, K: int):
        self.X, self.w = X, w
        self.labels = np.full(X.shape[0], -1, dtype=np.int32)
        self.counts, self.sums = np.zeros(K), np.zeros((K, X.shape[1]))

    def assign(self, centers: np.ndarray, shift: np.ndarray) -> int:
        """Every row to its nearest centre; how many have changed it."""
        before = self.labels
        self.labels = label_rows(self.X, self.w, centers)[0]
        total = _sparse_sums(self.X, self.w, self.labels, len(centers))
        self.counts, self.sums = total.counts, total.sums
        return int(np.sum(before != self.labels))

    def farthest(self, many: int, centers: np.ndarray) -> list[tuple[float, float, np.ndarray, int]]:
        """The rows that are farthest from their centres: gap, weight, row, centre."""
        return _farthest(self.X, self.w, self.labels, centers, many)


def _farthest(X: Any, w: Any, labels: np.ndarray, centers: np.ndarray, many: int) -> list[Any]:
    gaps = np.empty(X.shape[0])
    for start in range(0, len(gaps), ROWS_OF_A_SPARSE_BLOCK):
        rows = slice(start, start + ROWS_OF_A_SPARSE_BLOCK)
        block = X[rows].toarray() if hasattr(X, "tocsr") else X[rows]
        gaps[rows] = np.sum((block - centers[labels[rows]]) ** 2, axis=1)
    if w is not None:
        gaps[w <= 0] = -1.0
    order = np.argsort(-gaps, kind="stable")[:many]
    block = X[order].toarray() if hasattr(X, "tocsr") else X[order]
    return [(gaps[i], 1.0 if w is None else w[i], row, int(labels[i])) for i, row in zip(order, block)]


def _sparse_sums(X: Any, w: Any, labels: np.ndarray, K: int) -> CenterSums:
    from assay.core.csr import compressed_matrix

    n = X.shape[0]
    weights = np.ones(n) if w is None else np.asarray(w, dtype=np.float64)
    members = compressed_matrix(
        "csr_matrix", weights, labels.astype(np.int64), np.arange(n + 1, dtype=np.int64), (n, K)
    )
    return CenterSums(
        np.bincount(labels, weights, K), np.asarray((members.T @ X).todense(), dtype=np.float64)
    )


def half_gaps(centers: np.ndarray) -> np.ndarray:
    """(K,) half the distance of each centre to the nearest other one, a little less so that it stays a bound."""
    out = np.empty(len(centers))
    _lloyd.half_gaps(centers, out)
    return out


def label_rows(
    X: Any, w: np.ndarray | None, centers: np.ndarray, gaps: np.ndarray = NO_WEIGHTS
) -> tuple[np.ndarray, float]:
    """(n,) the nearest centre of each row, among equals the first, and the weighted sum of squared distances, which
    are written into ``gaps`` (n,), if that is given.

    >>> import numpy as np
    >>> from assay.distances.lloyd import label_rows
    >>> label_rows(np.array([[0.0], [3.0], [10.0]]), None, np.array([[1.0], [9.0]]))
    (array([0, 0, 1], dtype=int32), 6.0)
    """
    n, d = X.shape
    labels = np.empty(n, dtype=np.int32)
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    if hasattr(X, "tocsr"):
        loss = 0.0
        for start in range(0, n, ROWS_OF_A_SPARSE_BLOCK):
            rows = slice(start, start + ROWS_OF_A_SPARSE_BLOCK)
            apart = squared_distances(X[rows], centers)
            labels[rows] = np.argmin(apart, axis=1)
            least = apart[np.arange(len(apart)), labels[rows]]
            if len(gaps):
                gaps[rows] = least
            loss += float(least.sum() if w is None else least @ w[rows])
        return labels, loss

    def some(start: int) -> float:
        rows = slice(start, start + ROWS_OF_A_BLOCK)
        return _lloyd.label(
            X=np.ascontiguousarray(X[rows], dtype=np.float64),
            w=NO_WEIGHTS if w is None else w[rows],
            centers=centers,
            labels=labels[rows],
            counts=np.empty(0),
            sums=np.empty((0, d)),
            gaps=gaps[rows],
        )

    return labels, float(sum(in_threads(some, range(0, n, ROWS_OF_A_BLOCK))))


def center_sums(source: Source, centers: np.ndarray, far: int = 0) -> CenterSums:
    """One pass: what the rows nearest to each centre weigh and add up to, the loss, and the ``far`` farthest rows."""
    centers = np.ascontiguousarray(centers, dtype=np.float64)

    def summarize(block: Block) -> CenterSums:
        if hasattr(block.X, "tocsr"):
            labels, loss = label_rows(block.X, block.w, centers)
            part = _sparse_sums(block.X, block.w, labels, len(centers))
            rows = _farthest(block.X, block.w, labels, centers, far) if far else []
            return PassSums(part.counts, part.sums, loss, _plain(rows))
        X = np.ascontiguousarray(block.X, dtype=np.float64)
        labels, gaps = np.empty(len(X), dtype=np.int32), np.empty(len(X) if far else 0)
        counts, sums = np.zeros(len(centers)), np.zeros(centers.shape)
        loss = _lloyd.label(
            X=X,
            w=NO_WEIGHTS if block.w is None else block.w,
            centers=centers,
            labels=labels,
            counts=counts,
            sums=sums,
            gaps=gaps,
        )
        order = np.argsort(-gaps, kind="stable")[:far]
        rows = [(gaps[i], 1.0 if block.w is None else block.w[i], X[i], int(labels[i])) for i in order]
        return PassSums(counts, sums, loss, _plain(rows))

    return source.add_up(summarize)


def _plain(rows: list[Any]) -> tuple[Any, ...]:
    return tuple((float(gap), float(weight), tuple(row.tolist()), label) for gap, weight, row, label in rows)


class PassSums(CenterSums):
    """The sums of a pass over a stream, with the rows that are farthest from their centres."""

    def __add__(self, other: CenterSums) -> PassSums:
        total = CenterSums.__add__(self, other)
        return PassSums(total.counts, total.sums, total.loss, total.far)

    def farthest(self, many: int, centers: np.ndarray) -> tuple[Any, ...]:
        """The rows that are farthest from their centres: gap, weight, row, centre."""
        return self.far[:many]


def squared_distances(X: Any, centers: np.ndarray) -> np.ndarray:
    """(n, K) squared distances of rows, dense or sparse, from centres."""
    if hasattr(X, "tocsr"):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        out = squares[:, None] - 2 * np.asarray(X @ centers.T) + np.sum(centers**2, axis=1)
        return np.maximum(out, 0.0)
    X = np.asarray(X, dtype=np.float64)
    out = np.empty((len(X), len(centers)))
    for k, center in enumerate(centers):
        gaps = X - center
        out[:, k] = np.einsum("ij,ij->i", gaps, gaps)
    return out
