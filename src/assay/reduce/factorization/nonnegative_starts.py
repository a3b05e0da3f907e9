"""Where nonnegative factorisation starts: from singular vectors, or at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.core.sums import Rows
from assay.errors import ParameterError
from assay.reduce.factorization.gram_product import gram_inner, gram_product
from assay.stats.multivariate.leading_eigenvectors import approximate_eigenvectors

__all__ = ["start_factors"]

SMALL_SIDE = 500  # up to the square of it as many entries, all singular vectors are computed
OVERSAMPLES = 10
PRODUCTS = 7
SMALLEST_ENTRY = 1e-6  # of the largest, below which an entry of singular vectors is 0


def start_factors(
    X: Any, k: int, init: str | None, w: np.ndarray | None, random_state: Any, who: str
) -> tuple[np.ndarray, np.ndarray]:
    """W (n, k) and H (k, d) for a nonnegative table; rows weigh w.

    "nndsvd" takes of each pair of singular vectors the larger of its positive and its negative part (Boutsidis and
    Gallopoulos 2008); "nndsvda" fills zeros with the mean of X, "nndsvdar" with small random numbers; "random" draws
    both from half a normal distribution. None is "nndsvda", or "random" for more factors than rows or columns.
    """
    n, d = X.shape
    if init is None:
        init = "nndsvda" if k <= min(n, d) else "random"
    if init != "random" and k > min(n, d):
        raise ParameterError(
            f"{who}: init = '{init}' can only be used when n_components <= min(n_samples, n_features), got "
            f"n_components={k} for {n} rows and {d} columns."
        )
    random = random_state_of(random_state)
    mean = _mean(X, w)
    if init == "random":
        size = np.sqrt(mean / k)
        H = size * np.abs(random.standard_normal(size=(k, d)))
        return size * np.abs(random.standard_normal(size=(n, k))), H
    U, s, V = _leading(X, k, w, random)
    W, H = np.zeros((n, k)), np.zeros((k, d))
    weight = np.ones(n) if w is None else w
    W[:, 0], H[0] = np.sqrt(s[0]) * np.abs(U[:, 0]), np.sqrt(s[0]) * np.abs(V[:, 0])
    for j in range(1, k):
        parts = [(np.maximum(sign * U[:, j], 0), np.maximum(sign * V[:, j], 0)) for sign in (1, -1)]
        sizes = [(np.sqrt(weight @ x**2), np.linalg.norm(y)) for x, y in parts]
        (x, y), (a, b) = max(zip(parts, sizes), key=lambda pair: pair[1][0] * pair[1][1])
        if a > 0 and b > 0:
            length = np.sqrt(s[j] * a * b)
            W[:, j], H[j] = length * x / a, length * y / b
    W[SMALLEST_ENTRY * W.max() > W], H[SMALLEST_ENTRY * H.max() > H] = 0, 0
    if init == "nndsvda":
        W[W == 0], H[H == 0] = mean, mean
    elif init == "nndsvdar":
        W[W == 0] = np.abs(mean * random.standard_normal(size=int(np.sum(W == 0))) / 100)
        H[H == 0] = np.abs(mean * random.standard_normal(size=int(np.sum(H == 0))) / 100)
    return W, H


def _leading(X: Any, k: int, w: np.ndarray | None, random: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Left vectors (n, k) of which sum w u^2 is 1, singular values, right vectors (d, k)."""
    n, d = X.shape
    root = np.ones(n) if w is None else np.sqrt(w)
    if n * d <= SMALL_SIDE**2:
        A = (X if isinstance(X, np.ndarray) else X.toarray()) * root[:, None]
        U, s, V = np.linalg.svd(A, full_matrices=False)
        U, s, V = U[:, :k] / np.where(root > 0, root, 1.0)[:, None], s[:k], V[:k].T
    else:
        start = random.normal(size=(d, min(k + OVERSAMPLES, d)))
        source = Rows(X, None, w)
        values, V, *_ = approximate_eigenvectors(
            lambda B: gram_product(source, B), start, k, PRODUCTS, lambda B: gram_inner(source, B)
        )
        s = np.sqrt(np.maximum(values, 0.0))
        U = np.asarray(X @ V) / np.where(s > 0, s, 1.0)
    signs = np.sign(V[np.abs(V).argmax(axis=0), np.arange(k)])
    signs[signs == 0] = 1
    return U * signs, s, V * signs


def _mean(X: Any, w: np.ndarray | None) -> float:
    if w is None:
        return float(X.mean())
    return float(w @ np.asarray(X.sum(axis=1)).ravel() / (w.sum() * X.shape[1]))
