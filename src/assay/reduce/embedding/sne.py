"""Stochastic neighbour embedding with Gaussians in both spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import progress
from assay.core.stored import Each, Integer, Plain, Scalar
from assay.errors import DataError, ParameterError
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.reduce.embedding.neighbor_probabilities import conditional_probabilities
from assay.reduce.embedding.starts import start_places
from assay.types import Estimator, MetricLike, RandomState

__all__ = ["SNE"]

FIRST_SPREAD = 1e-2  # of the start: far enough from one point that the steps find their direction


class SNE(Embedding):
    r"""Stochastic neighbour embedding: each row's probabilities of its neighbours are matched, Gaussian in both spaces.

    .. math:: p_{j|i} \propto e^{-\beta_i \|x_i - x_j\|^2}, \quad q_{j|i} \propto e^{-\|z_i - z_j\|^2}, \qquad
              \min_z C = \sum_i \sum_j p_{j|i} \ln \frac{p_{j|i}}{q_{j|i}}                   \quad (1)

    .. math:: \frac{\partial C}{\partial z_i} = 2 \sum_j (p_{j|i} - q_{j|i} + p_{i|j} - q_{i|j})(z_i - z_j)   \quad (2)

    The widths :math:`\beta_i` make :math:`2^{H_i}` the perplexity. C is lowered by quasi-Newton steps, each of which
    goes downhill (``history_``). Far rows crowd in the middle of such a map, which :class:`TSNE` mends by its longer
    tails. New rows: the weights that rebuild a row of its neighbours (``extension``).

    Cost: fit O(n^2) an iteration; transform O(n d) a row; memory O(n^2).

    Parameters
    ----------
    n_components : int, default 2
    perplexity : float, default 30
        About how many neighbours a row has; less than the number of rows.
    max_iter : int, default 300
    tol : float, default 1e-6
        Largest entry of the gradient, as a share of the number of rows, at which to stop.
    metric, metric_params : as of :class:`TSNE`
    init : "pca", "random" or array (n, n_components), default "pca"
    random_state : int, RandomState or None, default None
        Only for ``init="random"``.
    extension : "auto", "weights", LocalWeights or a regressor, default "auto"

    Attributes
    ----------
    embedding_ : (n, n_components)      kl_divergence_ : float, C at the end
    n_iter_ : int      history_ : list of dict, C after each iteration
    extension_ : how new rows are placed

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.reduce import SNE
    >>> sne = SNE().fit(load_iris().data)
    >>> all(a["divergence"] >= b["divergence"] for a, b in zip(sne.history_, sne.history_[1:]))
    True

    See Also
    --------
    TSNE, trustworthiness

    References
    ----------
    - Hinton, G. E. and Roweis, S. T. (2002). Stochastic neighbor embedding. Advances in Neural Information Processing
      Systems 15, 833-840.
    """

    card = Card("sne", "a map that matches Gaussian probabilities of neighbours")
    accepts = {
        **Embedding.accepts,
        "perplexity": Range(0, open="low"),
        "max_iter": Count(1),
        "tol": Range(0),
        "init": Choice("pca", "random") | Any_("an array", lambda v: isinstance(v, np.ndarray)),
        "random_state": Seed(),
    }
    stored = {
        "kl_divergence_": Scalar(),
        "n_iter_": Integer(low=0),
        "history_": Each(Plain()),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        max_iter: int = 300,
        tol: float = 1e-6,
        metric: MetricLike = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        init: str | ArrayLike = "pca",
        random_state: RandomState = None,
        extension: str | Estimator | None = "auto",
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.random_state = random_state
        self.extension = extension

    def _embed(self, X: Any) -> np.ndarray:
        from scipy.optimize import minimize

        n, m = X.shape[0], self.n_components
        if n < 2:
            raise DataError(f"{type(self).__name__}: a map needs at least 2 rows, got {n} sample.")
        if self.perplexity >= n:
            raise ParameterError(
                f"{type(self).__name__}: perplexity ({self.perplexity}) must be less than n_samples ({n})."
            )
        graph = neighbor_graph(self._search, n - 1, who=type(self).__name__)
        graph.data = conditional_probabilities(graph.data, graph.indptr, self.perplexity)
        P = graph.toarray()
        known = float((graph.data[graph.data > 0] * np.log(graph.data[graph.data > 0])).sum())
        start = start_places(self, X)
        if not isinstance(self.init, np.ndarray):
            start *= FIRST_SPREAD / max(float(start.std()), np.finfo(float).tiny)
        self.history_ = []
        with progress(self.max_iter, "SNE") as bar:

            def follow(intermediate_result: Any) -> None:
                self.history_.append(
                    {
                        "iteration": len(self.history_) + 1,
                        "divergence": float(intermediate_result.fun) + known,
                    }
                )
                bar.advance()

            result = minimize(
                lambda z: neighbor_loss(z.reshape(n, m), P),
                start.ravel(),
                jac=True,
                method="L-BFGS-B",
                callback=follow,
                options={
                    "maxiter": self.max_iter,
                    "maxfun": 20 * self.max_iter,
                    "gtol": self.tol * n,
                    "ftol": 0,
                },
            )
        self.n_iter_, self.kl_divergence_ = int(result.nit), float(result.fun) + known
        places = result.x.reshape(n, m)
        return places - places.mean(axis=0)


def neighbor_loss(z: np.ndarray, P: np.ndarray) -> tuple[float, np.ndarray]:
    """(1) without the term that does not depend on the map, and (2) as one vector; P (n, n) has rows p(. | i)."""
    squares = (z * z).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * (z @ z.T), 0.0)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1, keepdims=True)  # so that no row's weights all vanish
    Q = np.exp(nearest - apart)
    total = Q.sum(axis=1, keepdims=True)
    Q /= total
    np.fill_diagonal(apart, 0.0)
    loss = float((P * apart).sum() + (P.sum(axis=1) * (np.log(total) - nearest)[:, 0]).sum())
    off = P - Q * P.sum(axis=1, keepdims=True)
    off += off.T
    gradient = 2.0 * (off.sum(axis=1)[:, None] * z - off @ z)
    return loss, gradient.ravel()
