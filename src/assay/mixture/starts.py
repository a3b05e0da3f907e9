"""Where a mixture begins: responsibilities from k-means, from k-means++, or at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.sums import Rows
from assay.distances.lloyd import lloyd
from assay.distances.spread import spread

__all__ = ["STARTS", "k_means", "start"]

STARTS = ("kmeans", "k-means++", "random", "random_from_data")
MOST_STEPS = 300  # of k-means
LEAST_MOVE = (
    1e-4  # of all centres together, as a share of the columns' mean variance, that k-means goes on for
)


def start(how: str, X: np.ndarray, w: Any, K: int, draw: np.random.RandomState) -> np.ndarray:
    """(n, K) responsibilities, drawn in the order in which scikit-learn draws them.

    >>> import numpy as np
    >>> from assay.mixture.starts import start
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> start("kmeans", X, None, 2, np.random.RandomState(0)).argmax(axis=1).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    n = len(X)
    if how == "random":
        shares = draw.uniform(size=(n, K))
        shares /= shares.sum(axis=1)[:, None]
    elif how == "kmeans":
        shares = np.zeros((n, K))
        shares[np.arange(n), k_means(X, w, K, draw)[1]] = 1
    else:
        if how == "random_from_data":
            rows = draw.choice(n, size=K, replace=False)
        else:
            rows = spread(X, w, K, draw)[1]
        shares = np.zeros((n, K))
        shares[rows, np.arange(K)] = 1
    return shares if w is None else shares * w[:, None]


def k_means(
    X: np.ndarray, w: Any, K: int, draw: np.random.RandomState | None
) -> tuple[np.ndarray, np.ndarray]:
    """Lloyd's steps: the centres (K, d), and the centre of each row (n,).

    They start from k-means++ or, without a source of random numbers, from K slices of equal weight across the rows'
    longest axis, which follow neither the order of the rows nor whether a row weighs twice or is there twice.

    >>> import numpy as np
    >>> from assay.mixture.starts import k_means
    >>> centers, labels = k_means(np.array([[0.0], [1.0], [9.0], [10.0]]), None, 2, np.random.RandomState(0))
    >>> sorted(centers.ravel().tolist())
    [0.5, 9.5]
    """
    center = np.average(X, axis=0, weights=w)
    X = np.ascontiguousarray(X - center, dtype=np.float64)
    squares = np.einsum("ij,ij->i", X, X)
    goes_on = LEAST_MOVE * float(np.average(squares, weights=w)) / X.shape[1]
    first = _slices(X, w, K) if draw is None else spread(X, w, K, draw)[0]
    run = lloyd(Rows(X, None, w), first, max_iter=MOST_STEPS, tol=goes_on)
    assert run.labels is not None  # of rows in memory
    return run.centers + center, run.labels.astype(np.int64)


def _slices(X: np.ndarray, w: Any, K: int) -> np.ndarray:
    """(K, d) the means of K slices of equal weight across the longest axis of centred rows."""
    weights = np.ones(len(X)) if w is None else w
    axis = np.linalg.eigh((weights * X.T) @ X)[1][:, -1]
    places, code = np.unique(
        np.round(X @ (axis * np.sign(axis[np.argmax(np.abs(axis))])), 9), return_inverse=True
    )
    mass = np.bincount(code.ravel(), weights, len(places))
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()  # rows in one place are in one slice
    label = np.minimum((K * middle).astype(np.int64), K - 1)[code.ravel()]
    counts = np.bincount(label, weights, K)
    sums = np.array([np.bincount(label, weights * column, K) for column in X.T]).T
    return sums / np.where(counts > 0, counts, 1.0)[:, None]
