"""t-SNE: maps in which neighbours stay neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.stored import Each, Integer, Plain, Scalar
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.reduce.embedding import _tsne
from assay.reduce.embedding.connectivity import MOST_SIZES, Connectivity, connectivity_of
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.neighbor_probabilities import (
    WORTH_SHARING,
    conditional_probabilities,
    joint_probabilities,
    neighbors_for,
    with_crew,
)
from assay.reduce.embedding.starts import start_places
from assay.types import Estimator, MetricLike, RandomState

__all__ = ["TSNE"]

EXPLORATION = 250  # iterations with early exaggeration
CHECK = 50  # iterations between two looks at the divergence
MOST_COMPONENTS = 64  # that the native sums have room for
METHODS = {"auto": 0, "exact": 1, "barnes_hut": 2, "fft": 3}
QUERIES_IN_BLOCK = 2048


class TSNE(Embedding):
    r"""t-distributed stochastic neighbour embedding: a map in one to three columns that keeps neighbourhoods.

    Each row i has neighbours with Gaussian probabilities :math:`p_{j|i}`, of a width that makes :math:`2^{H_i}` the
    perplexity. In the map, the probability of a pair falls with the distance as Student's t does:

    .. math:: p_{ij} = \frac{p_{j|i} + p_{i|j}}{2n}, \quad q_{ij} = \frac{w_{ij}}{\sum_{k \ne l} w_{kl}}, \quad
              w_{ij} = \Big(1 + \frac{\|z_i - z_j\|^2}{\nu}\Big)^{-\frac{\nu+1}2}, \qquad
              \min_z \sum_{ij} p_{ij} \ln \frac{p_{ij}}{q_{ij}}                              \quad (1)

    with :math:`\nu = \max(1, m - 1)` for m columns, by gradient descent with momentum; during the first 250 iterations
    the p's are exaggerated, so that groups find together. Distances between far groups and the sizes of groups mean
    little in such a map, and it is one of several: look at ``kl_divergence_`` and :func:`trustworthiness`.

    New rows are placed among the training rows, which stay where they are, by minimising (1) for each new row alone
    (``extension="gradient"``); the answer for a row does not depend on the others. A training row keeps its place; one
    that equals several is placed at the mean of theirs.

    Names, parameters and attributes are scikit-learn's. The gradient for more than two columns is that of (1)
    (scikit-learn's has a wrong power there), and the neighbours are exact. The number of threads changes nothing.

    Cost: fit O(n (k + log n)) an iteration, k = 3 perplexity, after the search of neighbours; transform O(n) a row and
    step; memory O(n k). With ``method="exact"``, O(n^2) of both.

    Parameters
    ----------
    n_components : int, default 2
        Columns of the map; more than three only by ``method="exact"``.
    perplexity : float, default 30
        About how many neighbours a row has; less than the number of rows.
    early_exaggeration : float, default 12
        Factor of the p's in the first 250 iterations.
    learning_rate : float or "auto", default "auto"
        "auto" is n / early_exaggeration / 4, at least 50.
    max_iter : int, default 1000
    n_iter_without_progress : int, default 300
        Iterations without a lower divergence after which to stop; looked at every 50.
    min_grad_norm : float, default 1e-7
        Length of the gradient at which to stop.
    metric : str, callable or Metric, default "euclidean"
        Any of :mod:`assay.distances`, "heom" for mixed tables with missing values, or "precomputed".
    metric_params : dict or None, default None
        Arguments of the metric.
    init : "pca", "random" or array (n, n_components), default "pca"
    verbose : int, default 0
        From 1 up, what happens is printed.
    random_state : int, RandomState or None, default None
        Only for ``init="random"``.
    method : "auto", "barnes_hut", "fft" or "exact", default "auto"
        How the sums over all pairs are made: over the cells of a tree (one to three columns), from a grid by Fourier
        transforms (one or two columns; best for many rows), or pair by pair. "auto" takes what is quickest. "exact"
        also takes all rows as neighbours.
    angle : float, default 0.5
        A cell of the tree whose side is below this times its distance is one point; 0 is exact.
    n_jobs : int or None, default None
        Accepted as scikit-learn's.
    extension : "auto", "gradient", "weights", LocalWeights or a regressor, default "auto"
        How new rows are placed; "auto" is "gradient".

    Attributes
    ----------
    embedding_ : (n, n_components) the map      kl_divergence_ : float, (1) at its end
    learning_rate_ : float      n_iter_ : int, the number of the last iteration, from 0
    history_ : list of dict, the divergence every 50 iterations; of the exaggerated p's in the first 250
    extension_ : how new rows are placed

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.reduce import TSNE, trustworthiness
    >>> X = load_iris().data
    >>> tsne = TSNE().fit(X)
    >>> tsne.embedding_.shape, tsne.kl_divergence_ < 0.2
    ((150, 2), True)
    >>> bool(trustworthiness(X, tsne.embedding_) > 0.98)
    True
    >>> tsne.transform([[5.0, 3.3, 1.4, 0.2]]).shape
    (1, 2)

    See Also
    --------
    SNE, PCA, trustworthiness

    References
    ----------
    - van der Maaten, L. and Hinton, G. (2008). Visualizing data using t-SNE. Journal of Machine Learning Research 9,
      2579-2605.
    - van der Maaten, L. (2014). Accelerating t-SNE using tree-based algorithms. Journal of Machine Learning Research
      15, 3221-3245.
    - Linderman, G. C., Rachh, M., Hoskins, J. G., Steinerberger, S. and Kluger, Y. (2019). Fast interpolation-based
      t-SNE for improved visualization of single-cell RNA-seq data. Nature Methods 16, 243-245.
    - Essmann, U. et al. (1995). A smooth particle mesh Ewald method. Journal of Chemical Physics 103, 8577-8593.
    """

    card = Card("t-sne", "a map in which neighbours stay neighbours")
    accepts = {
        **Embedding.accepts,
        "perplexity": Range(0, open="low"),
        "early_exaggeration": Range(1),
        "learning_rate": Range(0, open="low") | Choice("auto"),
        "max_iter": Count(250),
        "n_iter_without_progress": Count(-1),
        "min_grad_norm": Range(0),
        "init": Choice("pca", "random") | Any_("an array", lambda v: isinstance(v, np.ndarray)),
        "verbose": Count(0) | Flag(),
        "random_state": Seed(),
        "method": Choice(*METHODS),
        "angle": Range(0, 1),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
    }
    stored = {
        "kl_divergence_": Scalar(),
        "learning_rate_": Scalar(low=0),
        "n_iter_": Integer(low=0),
        "history_": Each(Plain()),
    }
    ways = ("gradient", "weights")

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        early_exaggeration: float = 12.0,
        learning_rate: float | str = "auto",
        max_iter: int = 1000,
        n_iter_without_progress: int = 300,
        min_grad_norm: float = 1e-7,
        metric: MetricLike = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        init: str | ArrayLike = "pca",
        verbose: int = 0,
        random_state: RandomState = None,
        method: str = "auto",
        angle: float = 0.5,
        n_jobs: int | None = None,
        extension: str | Estimator | None = "auto",
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.n_iter_without_progress = n_iter_without_progress
        self.min_grad_norm = min_grad_norm
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.angle = angle
        self.n_jobs = n_jobs
        self.extension = extension

    @property
    def _dof(self) -> int:
        return max(self.n_components - 1, 1)

    def _embed(self, X: Any) -> np.ndarray:
        n = X.shape[0]
        self._refuse(X)
        exact = self.method == "exact"
        k = n - 1 if exact else neighbors_for(self.perplexity, n - 1)
        self._tell(f"Computing {k} nearest neighbors...")
        P = joint_probabilities(self._search, self.perplexity, k, type(self).__name__)
        self._tell(f"Computed conditional probabilities for sample {n} / {n}")
        self._warn_of_components(connectivity_of(P), k)
        y = start_places(self, X)
        rate = max(n / self.early_exaggeration / 4, 50.0)
        self.learning_rate_ = rate if self.learning_rate == "auto" else float(self.learning_rate)
        edges = _tsne.Edges(
            start=P.indptr.astype(np.int64),
            other=P.indices.astype(np.int32),
            p=P.data.astype(np.float32),
            points=n,
        )
        with_crew(lambda crew: self._descend(edges, y, crew), P.nnz)
        return y

    def _warn_of_components(self, report: Connectivity, k: int) -> None:
        if report.connected:
            return
        shown = ", ".join(map(str, report.sizes[:MOST_SIZES])) + (
            ", ..." if report.n_components > MOST_SIZES else ""
        )
        warn_user(
            f"{type(self).__name__}: The graph of {k} neighbors has {report.n_components} components (of {shown} "
            "rows). Nothing pulls them together, so how they lie to each other on the map says nothing of the rows. "
            "Raise perplexity, or map each by itself; graph_connectivity says how many neighbours join them.",
            DegenerateWarning,
        )

    def _refuse(self, X: Any) -> None:
        """Complain about what parameters and rows do not allow together."""
        who, n = type(self).__name__, X.shape[0]
        if n < 2:
            raise DataError(f"{who}: a map needs at least 2 rows, got {n} sample.")
        if self.perplexity >= n:
            raise ParameterError(
                f"{who}: perplexity ({self.perplexity}) must be less than n_samples ({n}); about a third of it is "
                "the most that makes sense."
            )
        if self.n_components > 3 and self.method in ("barnes_hut", "fft"):
            raise ParameterError(
                f"{who}: 'n_components' should be inferior to 4 for the {self.method} algorithm, got "
                f"{self.n_components}. Use method='exact'."
            )
        if self.n_components > 2 and self.method == "fft":
            raise ParameterError(
                f"{who}: method='fft' makes maps of one or two columns. Use method='barnes_hut'."
            )
        if self.n_components > MOST_COMPONENTS:
            raise ParameterError(
                f"{who}: n_components must be at most {MOST_COMPONENTS}, got {self.n_components}."
            )
        if self.distance_.precomputed:
            if isinstance(self.init, str) and self.init == "pca":
                raise ParameterError(
                    f'{who}: The parameter init="pca" cannot be used with metric="precomputed". Use init="random".'
                )
            if (X.data if hasattr(X, "tocsr") else X).min(initial=0.0) < 0:
                raise DataError(
                    f'{who}: Negative values in data: with metric="precomputed", X should contain positive distances.'
                )
            if self.method == "exact" and hasattr(X, "tocsr"):
                raise TypeError(
                    f'{who}: method="exact" does not accept sparse precomputed distances; all pairs must be known. '
                    'Use method="barnes_hut" or a dense matrix.'
                )

    def _descend(self, edges: _tsne.Edges, y: np.ndarray, crew: _tsne.Crew) -> None:
        """Gradient descent on the places y, first with early exaggeration."""
        self.history_ = []
        with progress(self.max_iter, "t-SNE") as bar:
            last = self._phase(edges, y, crew, bar, 0, EXPLORATION, self.early_exaggeration, 0.5)
            self._tell(
                f"KL divergence after {last + 1} iterations with early exaggeration: {self.kl_divergence_:f}"
            )
            if last < EXPLORATION - 1 or self.max_iter > EXPLORATION:
                last = self._phase(edges, y, crew, bar, last + 1, self.max_iter, 1.0, 0.8)
        self.n_iter_ = last
        self._tell(f"KL divergence after {last + 1} iterations: {self.kl_divergence_:f}")

    def _phase(
        self,
        edges: _tsne.Edges,
        y: np.ndarray,
        crew: _tsne.Crew,
        bar: Any,
        begin: int,
        end: int,
        exaggeration: float,
        momentum: float,
    ) -> int:
        """Iterations begin ... end - 1, or fewer; gives the number of the last."""
        state = _tsne.State(y=y, velocity=np.zeros_like(y), gains=np.ones_like(y))
        patience = EXPLORATION if exaggeration > 1 and end == EXPLORATION else self.n_iter_without_progress
        most = max(1, CHECK if len(y) < 4000 else min(CHECK // 2, 500_000 // len(y)))
        best, best_at, at = np.inf, begin, begin
        while at < end:
            steps = min(most, end - at, CHECK - at % CHECK)
            at += steps
            looked_at, measured = at % CHECK == 0, at % CHECK == 0 or at == end
            plan = _tsne.Plan(
                method=METHODS[self.method],
                angle=float(self.angle),
                exaggeration=float(exaggeration),
                momentum=momentum,
                rate=self.learning_rate_,
                steps=steps,
                dof=self._dof,
                measure=measured,
            )
            divergence, norm = _tsne.descend(edges, state, plan, crew)
            if not np.isfinite(norm) or not np.isfinite(y).all():
                raise DegenerateError(
                    f"{type(self).__name__}: the points fly apart at iteration {at} with learning_rate="
                    f"{self.learning_rate_:g}. Lower learning_rate or early_exaggeration."
                )
            bar.advance(steps)
            if not measured:
                continue
            self.kl_divergence_ = float(divergence)
            self.history_.append({"iteration": at, "divergence": float(divergence), "gradient": float(norm)})
            if not looked_at:
                continue
            self._tell(
                f"Iteration {at}: error = {divergence:.7f}, gradient norm = {norm:.7f} ({CHECK} iterations)",
                2,
            )
            if divergence < best:
                best, best_at = divergence, at
            elif at - best_at > patience:
                self._tell(
                    f"Iteration {at}: did not make any progress during the last {patience} episodes. Finished.",
                    2,
                )
                break
            if norm <= self.min_grad_norm:
                self._tell(f"Iteration {at}: gradient norm {norm:f}. Finished.", 2)
                break
        return at - 1

    def _tell(self, words: str, level: int = 1) -> None:
        if int(self.verbose) >= level:
            print(f"[t-SNE] {words}")

    # New rows

    def _place(self, X: Any, way: str) -> np.ndarray:
        k = neighbors_for(self.perplexity, len(self.embedding_))
        placed = np.empty((X.shape[0], self._n_features_out))
        with progress(X.shape[0], "placing rows") as bar:
            for first in range(0, X.shape[0], QUERIES_IN_BLOCK):
                block = X[first : first + QUERIES_IN_BLOCK]
                placed[first : first + block.shape[0]] = self._place_block(block, k)
                bar.advance(block.shape[0])
        return placed

    def _place_block(self, X: Any, k: int) -> np.ndarray:
        distances, rows = self._search.nearest(X, k)
        start = np.arange(0, distances.size + 1, k, dtype=np.int64)
        p = conditional_probabilities(distances.ravel(), start, min(self.perplexity, k))
        edges = _tsne.Edges(
            start=start,
            other=rows.ravel().astype(np.int32),
            p=p.astype(np.float32),
            points=len(self.embedding_),
        )
        placed = np.empty((len(rows), self._n_features_out))
        with_crew(
            lambda crew: _tsne.place(edges, self.embedding_, self._dof, placed, crew),
            WORTH_SHARING if len(rows) > 1 else 0,
        )
        same = distances == 0
        for i in np.flatnonzero(same.any(axis=1)):  # a training row, or several that are equal
            placed[i] = self.embedding_[rows[i][same[i]]].mean(axis=0)
        return placed
