"""Which rows stand for all others in a low-rank approximation of a kernel matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.core.sums import Rows
from assay.distances.lloyd import lloyd
from assay.distances.spread import spread
from assay.errors import DataError
from assay.kernels.gram_rows import GramRows, finite
from assay.kernels.kernel import Kernel

__all__ = ["LANDMARKS", "PivotedCholesky", "k_means_centers", "leverage_landmarks", "pivoted_cholesky"]

LANDMARKS = ("random", "cholesky", "random cholesky", "k-means", "leverage")
MOST_ROUNDS = 20  # of Lloyd's algorithm; centres as landmarks need not be exact
SAMPLE_FACTOR = 2  # rows for a first approximation, from which leverages follow, for each landmark


class PivotedCholesky(NamedTuple):
    """Pivots of a kernel matrix in the order in which they were chosen, and what each of them left over.

    Attributes
    ----------
    pivots : (m,) rows      factor : (n, m) L, K is close to LL'      residual : (m + 1,) trace(K - LL') with 0, 1 ...
        pivots
    """

    pivots: np.ndarray
    factor: np.ndarray
    residual: np.ndarray


def pivoted_cholesky(
    gram: GramRows, n_components: int, tol: float = 1e-12, random: np.random.RandomState | None = None
) -> PivotedCholesky:
    r"""The rows that explain the kernel matrix best, each chosen where the others leave most over.

    With the m pivots so far, :math:`K \approx LL^T`, and the residual :math:`K - LL^T` is positive semidefinite. The
    next pivot is its largest diagonal entry, and its trace bounds the error in every norm:

    .. math:: \|K - LL^T\|_2 \le \|K - LL^T\|_F \le \operatorname{tr}(K - LL^T) \quad (1)

    With ``random`` the next pivot is drawn in proportion to the diagonal instead: it then stands for many rows rather
    than for one that is far from all others, and the trace is close to the least possible on average.

    Cost: O(n m^2), and m rows of the kernel matrix.

    Parameters
    ----------
    gram : GramRows
    n_components : int
        How many pivots at most.
    tol : float, default 1e-12
        End when the trace (1) is below this share of the trace of K.
    random : RandomState, default None
        Draws pivots; None takes the largest entry each time.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Linear, pivoted_cholesky
    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> cholesky = pivoted_cholesky(Linear().gram_rows(X), 4)
    >>> cholesky.pivots, cholesky.residual  # two columns: rank two
    (array([1, 2]), array([16.,  5.,  0.]))

    References
    ----------
    - Chen, Y., Epperly, E. N., Tropp, J. A. and Webber, R. J. (2025). Randomly pivoted Cholesky: practical
      approximation of a kernel matrix with few entry evaluations. Communications on Pure and Applied Mathematics 78(5),
      995-1041. doi:10.1002/cpa.22234
    - Harbrecht, H., Peters, M. and Schneider, R. (2012). On the low-rank approximation by the pivoted Cholesky
      decomposition. Applied Numerical Mathematics 62(4), 428-440. doi:10.1016/j.apnum.2011.10.001
    """
    n = gram.n
    left = np.array(gram.diagonal, dtype=np.float64)
    with np.errstate(over="ignore"):
        total, most = float(left.sum()), min(n_components, n)
    finite(np.append(left, total), "landmarks")
    factor, row = np.empty((most, n)), np.empty((1, n))
    pivots, residual = [], [total]
    while len(pivots) < most:
        j, p = len(pivots), int(np.argmax(left) if random is None else _drawn(left, random))
        if not left[p] > 0 or residual[-1] <= tol * total:
            break
        gram.fill(np.array([p]), None, row)
        factor[j] = (row[0] - factor[:j, p] @ factor[:j]) / np.sqrt(left[p])
        left -= factor[j] ** 2
        pivots.append(p)
        left[pivots] = 0.0  # exactly so
        np.maximum(left, 0.0, out=left)
        residual.append(float(left.sum()))
    return PivotedCholesky(np.array(pivots, dtype=np.int64), factor[: len(pivots)].T, np.array(residual))


def _drawn(weights: np.ndarray, random: np.random.RandomState) -> int:
    """A place drawn in proportion to the weights."""
    sums = np.cumsum(weights)
    place = int(np.searchsorted(sums, random.uniform() * sums[-1], side="right"))
    return place if place < len(weights) and weights[place] > 0 else int(np.argmax(weights))


def k_means_centers(X: Any, n_components: int, random: np.random.RandomState) -> np.ndarray:
    """(m, p) centres of groups of rows, by Lloyd's steps from rows drawn far from each other.

    They are fewer than m where fewer rows differ.

    >>> import numpy as np
    >>> from assay.kernels.approximations.landmarks import k_means_centers
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> np.sort(k_means_centers(X, 2, np.random.RandomState(0)), axis=0).tolist()
    [[0.5], [10.5]]
    """
    if X.ndim != 2:
        raise DataError("k-means centres are means of columns; objects have none. Use landmarks='cholesky'.")
    seeds = spread(X, None, n_components, random)[0]
    return lloyd(Rows(X), seeds, max_iter=MOST_ROUNDS, tol=0.0, empty="drop").centers


def leverage_landmarks(
    kernel: Kernel, X: Any, n_components: int, random: np.random.RandomState
) -> np.ndarray:
    r"""(m,) rows drawn by their ridge leverage, a row that few others resemble sooner than one of many alike.

    .. math:: \ell_i = \bigl[K (K + \lambda I)^{-1}\bigr]_{ii} \quad (1)

    with the ridge for which about m rows suffice, both from a first approximation by twice as many random rows.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.kernels.approximations.landmarks import leverage_landmarks
    >>> X = np.array([[0.0]] * 50 + [[9.0]])  # one row unlike all others
    >>> 50 in leverage_landmarks(RBF(), X, 8, np.random.RandomState(0))
    True

    References
    ----------
    - Musco, C. and Musco, C. (2017). Recursive sampling for the Nystroem method. Advances in Neural Information
      Processing Systems 30.
    """
    gram = kernel.gram_rows(X)
    n, m = gram.n, min(n_components, gram.n)
    sample = np.sort(random.permutation(n)[: SAMPLE_FACTOR * m])
    rows = np.empty((len(sample), n))
    gram.fill(sample, None, rows)
    values, vectors = np.linalg.eigh(rows[:, sample])
    kept = values > max(values[-1], 0.0) * len(sample) * np.finfo(np.float64).eps
    Z = rows.T @ (vectors[:, kept] / np.sqrt(values[kept]))
    left = np.maximum(gram.diagonal - np.einsum("ij,ij->i", Z, Z), 0.0)
    spectrum, axes = np.linalg.eigh(Z.T @ Z)
    ridge = max(
        (spectrum[: max(len(spectrum) - m, 0)].sum() + left.sum()) / m, 1e-12 * max(spectrum[-1], 1e-300)
    )
    leverage = ((Z @ axes) ** 2 / (np.maximum(spectrum, 0.0) + ridge)).sum(axis=1) + np.minimum(
        left / ridge, 1.0
    )
    leverage = np.minimum(leverage, 1.0) + 1e-12
    return np.sort(random.choice(n, size=m, replace=False, p=leverage / leverage.sum()))
