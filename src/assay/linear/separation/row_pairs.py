"""Rows against the classes they are not in, and what weights and multipliers do to such pairs.

A row i of class c and another class k make one pair, a vector :math:`z_{ik} = x_i (e_c - e_k)^T` that weights turn
into a margin and multipliers into a balance. Weights are (p, K); since only differences count, those of class 0 are
kept 0, and vectors of all weights, "flat", leave them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["RowPairs", "independent"]

# A margin below this share of the sizes that were added and subtracted (columns have size 1) is 0.
ZERO = 1e-9


class RowPairs:
    """The pairs of rows X, (n, p) dense or sparse, of classes y, 0..K-1.

    A constant, if the scores have one, is a column of X. The columns of X should be of similar size and linearly
    independent.
    """

    def __init__(self, X: Any, y: np.ndarray, K: int):
        self.X, self.y, self.K = X, y, K
        self.n, self.p = X.shape
        self.rows = np.arange(self.n)
        self.size = abs(X)
        self.own = np.zeros((self.n, K), dtype=bool)
        self.own[self.rows, y] = True

    def margins(self, W: np.ndarray) -> np.ndarray:
        """(n, K) the margin of each pair; 0 for a row's own class and wherever it is 0 up to rounding."""
        scores, sizes = np.asarray(self.X @ W), np.asarray(self.size @ np.abs(W)) + np.abs(W).sum(axis=0)
        margin = scores[self.rows, self.y][:, None] - scores
        size = sizes[self.rows, self.y][:, None] + sizes
        margin[np.abs(margin) <= ZERO * size] = 0.0
        return margin

    def probabilities(self, W: np.ndarray, open: np.ndarray) -> tuple[np.ndarray, float]:
        """(n, K) the softmax of the scores over a row's own class and its open ones, and minus the log likelihood."""
        scores = np.where(open | self.own, np.asarray(self.X @ W), -np.inf)
        score_of_class = scores[self.rows, self.y][:, None]
        top = scores.max(axis=1, keepdims=True)
        P = np.exp(scores - top)
        total = P.sum(axis=1, keepdims=True)
        return P / total, float((np.log(total) + top - score_of_class).sum())

    def flat_weights(self, W: np.ndarray) -> np.ndarray:
        return W[:, 1:].T.ravel()

    def weights(self, w: np.ndarray) -> np.ndarray:
        W = np.zeros((self.p, self.K))
        W[:, 1:] = w.reshape(self.K - 1, self.p).T
        return W

    def flat_gradient(self, R: np.ndarray) -> np.ndarray:
        return self.flat_weights(np.asarray(self.X.T @ R))

    def raw_margins(self, W: np.ndarray) -> np.ndarray:
        scores = np.asarray(self.X @ W)
        return scores[self.rows, self.y][:, None] - scores

    def net(self, lam: np.ndarray) -> np.ndarray:
        """(n, K) what multipliers of pairs add to each row and class."""
        net = -lam
        net[self.rows, self.y] += lam.sum(axis=1)
        return net

    def vectors(self, i: np.ndarray, k: np.ndarray) -> np.ndarray:
        """(pairs, p (K - 1)) the rows z."""
        x = self.X[i] if isinstance(self.X, np.ndarray) else self.X[i].toarray()
        Z = np.zeros((len(i), self.K, self.p))
        at = np.arange(len(i))
        Z[at, self.y[i]] += x
        Z[at, k] -= x
        return Z[:, 1:].reshape(len(i), -1)

    def _weighted(self, c: np.ndarray) -> np.ndarray:
        """X^T diag(c) X"""
        if isinstance(self.X, np.ndarray):
            return self.X.T @ (self.X * c[:, None])
        return (self.X.T @ self.X.multiply(c[:, None]).tocsr()).toarray()

    def _blocks(self, coefficient: Callable[[int, int], np.ndarray]) -> np.ndarray:
        """The matrix with blocks X^T diag(coefficient(a, b)) X of classes a, b from 1 on."""
        p, H = self.p, np.empty((self.p * (self.K - 1),) * 2)
        for a in range(1, self.K):
            for b in range(a, self.K):
                part = self._weighted(coefficient(a, b))
                H[(a - 1) * p : a * p, (b - 1) * p : b * p] = part
                H[(b - 1) * p : b * p, (a - 1) * p : a * p] = part.T
        return H

    def curvature(self, P: np.ndarray) -> np.ndarray:
        return self._blocks(lambda a, b: P[:, a] * ((a == b) - P[:, b]))

    def gram(self, lam: np.ndarray) -> np.ndarray:
        """sum of lam_ik z_ik z_ik^T"""
        total = lam.sum(axis=1)

        def coefficient(a: int, b: int) -> np.ndarray:
            if a == b:
                return lam[:, a] + self.own[:, a] * total
            return -(self.own[:, a] * lam[:, b] + self.own[:, b] * lam[:, a])

        return self._blocks(coefficient)


def independent(gram: np.ndarray) -> np.ndarray:
    """The columns that are no combination of those before, by elimination in their matrix of products."""
    G, kept = gram.copy(), []
    size = gram.diagonal().copy()
    for j in range(len(G)):
        if G[j, j] > 1e-11 * size[j] and size[j] > 0:
            kept.append(j)
            G[j + 1 :, j + 1 :] -= np.outer(G[j + 1 :, j], G[j, j + 1 :] / G[j, j])
    return np.array(kept, dtype=np.intp)
