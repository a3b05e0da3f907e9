"""Where a new row falls among the coordinates of the training rows, by the weights that rebuild it of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import Integer, Scalar
from assay.distances.metric import Metric
from assay.distances.search import Searcher
from assay.errors import ParameterError
from assay.types import PointsLike

__all__ = ["LocalWeights", "local_weights", "weights_of_gram"]

BLOCK = 1 << 21  # numbers of neighbourhoods in memory at a time
USUAL_NEIGHBORS = 5  # neighbours of a new row where nothing says how many


@dataclass(frozen=True)
class LocalWeights:
    r"""Place a new row at the weighted mean of its neighbours' coordinates.

    .. math:: \min_w \Big\|x - \sum_s w_s x_s\Big\|^2, \quad \sum_s w_s = 1, \qquad z = \sum_s w_s z_s

    over the nearest training rows :math:`x_s` with coordinates :math:`z_s`. A training row gets its own
    coordinates (equal ones the mean of theirs).

    Parameters
    ----------
    n_neighbors : int or None, default None
        None takes the number of neighbours of the embedding, or 5; never more than there are rows.
    reg : float, default 1e-3
        What is added to the diagonal of the neighbours' Gram matrix, as a share of its trace.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import metric_of, searcher
    >>> from assay.reduce import LocalWeights
    >>> line = searcher(np.array([[0.0], [1.0], [2.0], [4.0]]), "euclidean")
    >>> LocalWeights(2, reg=1e-9).place([[3.0]], line, np.array([[0.0], [10.0], [20.0], [40.0]])).round(4)
    array([[30.]])

    See Also
    --------
    graph_connectivity, KernelPCA

    References
    ----------
    - Saul, L. K. and Roweis, S. T. (2003). Think globally, fit locally: unsupervised learning of low dimensional
      manifolds. Journal of Machine Learning Research 4, 119-155.
    """

    n_neighbors: int | None = None
    reg: float = 1e-3
    stored = {"n_neighbors": Integer(low=1) | None, "reg": Scalar(low=0)}

    def __post_init__(self) -> None:
        k = self.n_neighbors
        check_count("LocalWeights", "n_neighbors", k, none=True)
        if not self.reg >= 0:
            raise ParameterError(f"LocalWeights: reg must be a number from 0 up, got {self.reg!r}.")

    def place(self, Q: PointsLike, search: Searcher, coordinates: np.ndarray) -> np.ndarray:
        """(q, m) the coordinates of new rows Q, from those (n, m) of the rows that are searched."""
        if not hasattr(Q, "shape"):
            Q = np.asarray(Q, dtype=np.float64)
        k = self._most(search)
        out = np.empty((Q.shape[0], coordinates.shape[1]))
        size = max(1, BLOCK // (k * (k + Q.shape[1])))
        for start in range(0, Q.shape[0], size):
            rows, _, weights = self.neighbors(Q[start : start + size], search)
            out[start : start + size] = np.einsum("qk,qkm->qm", weights, coordinates[rows])
        return out

    def neighbors(self, Q: Any, search: Searcher) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, k) the neighbours of each row of a block, their distances, and their weights."""
        distances, rows = search.nearest(Q, self._most(search))
        weights = local_weights(Q, search.X, rows, distances, search.metric, self.reg)
        same = distances == 0
        on_rows = same.any(axis=1)
        weights[on_rows] = same[on_rows] / same[on_rows].sum(axis=1, keepdims=True)
        return rows, distances, weights

    def _most(self, search: Searcher) -> int:
        return min(USUAL_NEIGHBORS if self.n_neighbors is None else self.n_neighbors, search.n)


def local_weights(
    Q: Any, X: Any, rows: np.ndarray, distances: np.ndarray, metric: Metric, reg: float = 1e-3
) -> np.ndarray:
    r"""(q, k) the weights, of sum 1, by which the neighbours of each query rebuild it best.

    In Euclidean space the Gram matrix :math:`G_{st} = (x - x_s)^T(x - x_t)` is made of the rows; for any other metric
    of distances, :math:`G_{st} = (d_s^2 + d_t^2 - d_{st}^2) / 2`.

    Parameters
    ----------
    Q : (q, d) queries      X : (n, d) rows; or distances to the rows, if these are precomputed
    rows, distances : (q, k) the neighbours of each query
    metric : Metric
    reg : float
        Share of the trace of G that is added to its diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import metric_of
    >>> from assay.reduce.embedding.extension import local_weights
    >>> X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    >>> Q, near = np.array([[1.0, 1.0]]), np.array([[0, 1, 2]])
    >>> local_weights(Q, X, near, np.array([[2.0, 5.0, 5.0]]) ** 0.5, metric_of("euclidean"), 1e-12).round(6)
    array([[0.333333, 0.333333, 0.333333]])
    """
    largest = distances.max(axis=1, initial=0.0)
    unit = np.where(
        (largest > 0) & np.isfinite(largest), largest, 1.0
    )  # weights do not depend on it, powers do
    if metric.power == 2:
        points, asked = metric.points(X), metric.points(Q)
        if hasattr(points, "tocsr"):
            near = np.stack([points[some].toarray() for some in rows])
            asked = asked.toarray()
        else:
            near = np.asarray(points, dtype=np.float64)[rows]
        C = near - np.asarray(asked, dtype=np.float64)[:, None, :]
        spread = np.abs(C).max(axis=(1, 2), initial=0.0)
        C /= np.where(spread > 0, spread, 1.0)[:, None, None]
        G = C @ C.transpose(0, 2, 1)
    else:
        between = _between_neighbors(X, rows, metric) / unit[:, None, None]
        squares = (distances / unit[:, None]) ** 2
        G = (squares[:, :, None] + squares[:, None, :] - between**2) / 2
        values, vectors = np.linalg.eigh(G)  # distances that no points have make it indefinite
        G = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
    return weights_of_gram(G, reg)


def weights_of_gram(G: np.ndarray, reg: float) -> np.ndarray:
    """(q, k) solutions of (G + reg trace(G) I) w = 1, scaled to sum 1; by least squares where G is singular."""
    k = G.shape[1]
    trace = np.trace(G, axis1=1, axis2=2)
    ridge = reg * np.where(trace > 0, trace, 1.0)
    G = G + ridge[:, None, None] * np.eye(k)
    ones = np.ones((len(G), k, 1))
    try:
        w = np.linalg.solve(G, ones)[..., 0]
    except np.linalg.LinAlgError:
        w = (np.linalg.pinv(G, hermitian=True) @ ones)[..., 0]
    total = w.sum(axis=1, keepdims=True)
    usable = np.isfinite(total) & (np.abs(total) > 0)
    return np.where(usable, w / np.where(usable, total, 1.0), 1.0 / k)


def _between_neighbors(X: Any, rows: np.ndarray, metric: Metric) -> np.ndarray:
    """(q, k, k) the distances of the neighbours of each query to each other."""
    out = np.empty((len(rows), rows.shape[1], rows.shape[1]))
    for q, some in enumerate(rows):
        if metric.precomputed:
            out[q] = X[some][:, some].toarray() if hasattr(X, "tocsr") else X[np.ix_(some, some)]
        else:
            out[q] = metric.between(X[some], X[some])
    return out
