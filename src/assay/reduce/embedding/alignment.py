"""Matrices whose smallest eigenvectors fit the local models of all neighbourhoods together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parallel import end_if_abandoned
from assay.errors import ParameterError

__all__ = ["hessian_alignment", "modified_alignment", "tangent_alignment", "weight_alignment"]

NUMBERS_AT_A_TIME = 1 << 21  # of neighbourhoods in memory at a time


def weight_alignment(W: Any) -> Any:
    """(I - W)^T (I - W) of sparse reconstruction weights W."""
    from scipy.sparse import identity

    left = identity(W.shape[0], format="csr") - W
    return (left.T @ left).tocsr()


def _assembled(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]], n: int) -> Any:
    """The sum of small matrices at these rows and columns."""
    from scipy.sparse import coo_matrix

    row, column, value = (np.concatenate([part[t].ravel() for part in parts]) for t in range(3))
    return coo_matrix((value, (row, column)), shape=(n, n)).tocsr()


def _blocks(neighbors: np.ndarray, d: int) -> Any:
    n, k = neighbors.shape
    size = max(1, NUMBERS_AT_A_TIME // (k * max(k, d)))
    for start in range(0, n, size):
        end_if_abandoned()
        yield np.arange(start, min(start + size, n)), neighbors[start : start + size]


def _local(points: np.ndarray, near: np.ndarray) -> np.ndarray:
    """(b, k, d) the neighbours of each row, about their mean, in units of their own."""
    C = points[near]
    C = C - C.mean(axis=1, keepdims=True)
    largest = np.abs(C).max(axis=(1, 2), keepdims=True, initial=0.0)
    return C / np.where(largest > 0, largest, 1.0)


def _placed(near: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    b, k = near.shape
    shape = (b, k, k)
    return np.broadcast_to(near[:, :, None], shape), np.broadcast_to(near[:, None, :], shape), values


def tangent_alignment(points: np.ndarray, neighbors: np.ndarray, m: int) -> Any:
    """Local tangent space alignment: what is left of I after constants and the m main directions of a neighbourhood."""
    n, k = neighbors.shape
    parts = []
    for _, near in _blocks(neighbors, points.shape[1]):
        U = np.linalg.svd(_local(points, near), full_matrices=False)[0][:, :, :m]
        G = np.concatenate([np.full((len(near), k, 1), 1 / np.sqrt(k)), U], axis=2)
        parts.append(_placed(near, np.eye(k) - G @ G.transpose(0, 2, 1)))
    return _assembled(parts, n)


def hessian_alignment(points: np.ndarray, neighbors: np.ndarray, m: int) -> Any:
    """Hessian eigenmaps: the squared second derivatives along the m main directions of a neighbourhood."""
    n, k = neighbors.shape
    second = m * (m + 1) // 2
    if k <= m + second:
        raise ParameterError(
            "for method='hessian', n_neighbors must be greater than [n_components * (n_components + 3) / 2], which is "
            f"{m + second}; got {k}."
        )
    first, second_of = np.triu_indices(m)
    parts = []
    for _, near in _blocks(neighbors, points.shape[1]):
        U = np.linalg.svd(_local(points, near), full_matrices=False)[0][:, :, :m]
        terms = np.concatenate([np.ones((len(near), k, 1)), U, U[:, :, first] * U[:, :, second_of]], axis=2)
        Q = np.linalg.qr(terms)[0][:, :, m + 1 :]  # what products have beyond constants and directions
        parts.append(_placed(near, Q @ Q.transpose(0, 2, 1)))
    return _assembled(parts, n)


def modified_alignment(points: np.ndarray, neighbors: np.ndarray, m: int, tol: float = 1e-12) -> Any:
    """Modified locally linear embedding: several independent weight vectors for each row, not one."""
    n, k = neighbors.shape
    if k < m:
        raise ParameterError(f"modified LLE requires n_neighbors >= n_components, got {k} and {m}.")
    nev = min(points.shape[1], k)
    largest = float(np.abs(points).max(initial=0.0))
    if largest > 0:  # weights do not depend on units; squares must neither overflow nor vanish
        points = points / 2.0 ** np.floor(np.log2(largest))
    values, vectors = np.zeros((n, nev)), np.empty((n, k, k))
    for rows, near in _blocks(neighbors, points.shape[1]):
        C = points[near] - points[rows][:, None, :]
        U, lengths, _ = np.linalg.svd(C, full_matrices=True)
        vectors[rows], values[rows] = U, lengths[:, :nev] ** 2
    ridge = 1e-3 * values.sum(axis=1)
    padded = np.zeros((n, k))
    padded[:, :nev] = values
    sums = vectors.sum(axis=1)  # V^T 1
    scaled = sums / np.where(padded + ridge[:, None] > 0, padded + ridge[:, None], 1.0)
    weights = np.einsum("nij,nj->ni", vectors, scaled)
    weights /= weights.sum(axis=1, keepdims=True)
    used, left = values[:, :m].sum(axis=1), values[:, m:].sum(axis=1)
    eta = np.median(np.divide(left, used, out=np.zeros(n), where=used > 0))
    total = np.cumsum(values, axis=1)
    share = total[:, -1:] / np.where(total[:, :-1] > 0, total[:, :-1], 1.0) - 1
    counts = (share[:, ::-1] < eta).sum(axis=1) + k - nev  # directions that hardly matter, for each row
    parts = []
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        for some in np.array_split(rows, max(1, len(rows) * k * k // NUMBERS_AT_A_TIME)):
            parts += _modified_part(
                some, neighbors[some], vectors[some][:, :, k - count :], weights[some], tol
            )
    return _assembled(parts, n)


def _modified_part(
    rows: np.ndarray, near: np.ndarray, V: np.ndarray, weights: np.ndarray, tol: float
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The terms of rows that have equally many weight vectors, the columns of V turned so that each sums to 1."""
    s = V.shape[2]
    if s == 0:
        return []
    sums = V.sum(axis=1)
    alpha = np.linalg.norm(sums, axis=1) / np.sqrt(s)
    h = alpha[:, None] - sums
    length = np.linalg.norm(h, axis=1, keepdims=True)
    h = np.where(length < tol, 0.0, h / np.where(length < tol, 1.0, length))
    W = V - 2 * (V @ h[:, :, None]) * h[:, None, :] + ((1 - alpha)[:, None] * weights)[:, :, None]
    towards = -W.sum(axis=2)
    at = np.broadcast_to(rows[:, None], near.shape)
    return [
        _placed(near, W @ W.transpose(0, 2, 1)),
        (at, near, towards),
        (near, at, towards),
        (rows, rows, np.full(len(rows), float(s))),
    ]
