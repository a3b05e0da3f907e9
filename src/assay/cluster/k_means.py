"""k-means: groups of rows around their means."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.cluster.center_clusterer import CenterClusterer
from assay.cluster.starts import STARTS, start_centers
from assay.core import Card
from assay.core.moments import class_moments
from assay.core.parameters import Array, Choice, Count, Flag, Function, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.distances.lloyd import Run, lloyd
from assay.errors import DataError, warn_user
from assay.mixture.mixture_learner import start_rows
from assay.types import RandomState

__all__ = ["KMeans", "k_means"]

RESTARTS_OF_DRAWN_STARTS = 10  # what n_init="auto" means for starts that are not spread out


class KMeans(WithoutTarget, CenterClusterer):
    r"""Put rows into k groups, so that they are near to the mean of their group.

    .. math:: E = \sum_i w_i \min_k \|x_i - m_k\|^2                                   \quad (1)

    falls with each of two steps: every row goes to the nearest centre (among equals the first), every centre to the
    mean of its rows. It ends in a minimum that depends on where it began: ``n_init`` starts, the best is kept. Groups
    are the cells of the centres, and so of like extent in all directions: columns should share a scale.

    In memory, bounds on the distances spare most of them and leave the result as it is; blocks from disk
    (``fit_blocks``) and Dask collections are added up by plain passes to the same centres. From the same start,
    centres, labels and iterations are those of scikit-learn's class of this name, whose parameters come first;
    ``empty`` and ``keep_path`` are ours, and so are the starts "mean" and "component".

    Cost: fit O(n k d) an iteration, mostly much less; predict O(k d) a row; memory O(n d) to fit, O(k d) kept beside
    ``labels_``.

    Parameters
    ----------
    n_clusters : int, default 8
    init : str, (k, p) array or callable, default "k-means++"
        "k-means++": rows that lie apart; "random": rows at random; "mean": the mean of all rows and small random
        vectors; "component": means of the rows in k equal intervals of the first principal component; or centres, or a
        function of X, n_clusters and random_state that returns some.
    n_init : "auto" or int, default "auto"
        Starts; "auto" is 1 for "k-means++", "component" and given centres, else 10.
    max_iter : int, default 300
    tol : float, default 1e-4
        Stop when the centres' squared ways together are at most this share of the mean variance of the columns.
    verbose, copy_x : accepted for scikit-learn's sake
    random_state : int, RandomState or None, default None
    algorithm : "lloyd" or "elkan", default "lloyd"
        Accepted: the quickest way is taken, and the result does not depend on it.
    empty : "farthest", "drop" or "keep", default "farthest"
        What becomes of a centre without rows: it takes the row that is farthest from its centre, is left out (fewer
        than k groups remain), or stays where it is.
    keep_path : bool, default False
        Whether ``history_`` keeps the centres and the loss of each iteration, for a plot of the way.

    Attributes
    ----------
    cluster_centers_ : (k, p)      labels_ : (n,)      inertia_ : float, (1)      n_iter_ : int
    history_ : list of dict, one for each iteration: iteration, changed (rows), shift; with ``keep_path`` also loss and
        centers, before the step

    Examples
    --------
    >>> from assay.cluster import KMeans
    >>> X = [[1], [2], [3], [10], [11], [12], [20]]
    >>> model = KMeans(3, init="component").fit(X)
    >>> model.cluster_centers_.ravel().round(6).tolist(), round(model.inertia_, 6)
    ([2.0, 11.0, 20.0], 4.0)
    >>> model.predict([[7], [18]]).tolist()
    [1, 2]

    See Also
    --------
    MiniBatchKMeans, BisectingKMeans, KMedoids, GaussianMixture, choose_clusters

    References
    ----------
    - Lloyd, S. P. (1982). Least squares quantization in PCM. IEEE Transactions on Information Theory 28(2), 129-137.
      doi:10.1109/TIT.1982.1056489
    - Hamerly, G. (2010). Making k-means even faster. Proceedings of the SIAM International Conference on Data Mining,
      130-140. doi:10.1137/1.9781611972801.12
    - Ding, Y., Zhao, Y., Shen, X., Musuvathi, M. and Mytkowicz, T. (2015). Yinyang k-means: a drop-in replacement of
      the classic k-means with consistent speedup. Proceedings of Machine Learning Research 37, 579-587.
    """

    card = Card("k-means", "k groups of rows around their means", also=("kmeans",), scale=True)
    accepts = {
        "n_clusters": Count(1),
        "init": Choice(*STARTS) | Function() | Array(2),
        "n_init": Choice("auto") | Count(1),
        "max_iter": Count(1),
        "tol": Range(0),
        "verbose": Flag() | Count(0),
        "random_state": Seed(),
        "copy_x": Flag(),
        "algorithm": Choice("lloyd", "elkan"),
        "empty": Choice("farthest", "drop", "keep"),
        "keep_path": Flag(),
    }
    stored = {"n_iter_": Integer(low=0)}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: RandomState = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        empty: str = "farthest",
        keep_path: bool = False,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.empty = empty
        self.keep_path = keep_path

    def _learn_from(self, source: Source) -> None:
        who, n = type(self).__name__, source.count()
        if n < self.n_clusters:
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        moments = source.add_up(_column_moments)
        total = float(moments.count[0])
        tol = self.tol * float(np.mean(moments.scatter[0])) / total
        draw = random_state_of(self.random_state)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn_user(
                f"{who}: algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
            )
        sparse = isinstance(source, Rows) and hasattr(source.X, "tocsr")
        center = 0.0 if sparse else moments.mean[0]  # differences of large numbers keep their digits
        rows: Source
        if isinstance(source, Rows):
            X = source.X.astype(np.float64) if sparse else np.ascontiguousarray(source.X - center)
            rows, begin = Rows(X, None, source.w), (X, source.w)
        else:
            some = start_rows(source, n, draw)
            rows, begin = _Centred(source, center), (some.X - center, some.w)
        best = self._best(rows, begin, center, tol, draw, who)
        self.cluster_centers_ = best.centers + center
        self.inertia_, self.n_iter_, self.history_ = best.loss, best.n_iter, best.history
        for record in self.history_:
            if "centers" in record:
                record["centers"] = (np.asarray(record["centers"]) + center).tolist()
        self.__dict__.pop("labels_", None)
        if best.labels is not None:
            self.labels_ = best.labels
            groups = len(np.unique(best.labels))
            if groups < self.n_clusters and self.empty != "drop":
                warn_user(
                    f"{who}: Number of distinct clusters ({groups}) found smaller than n_clusters "
                    f"({self.n_clusters}). Possibly due to duplicate points in X.",
                    ConvergenceWarning,
                )

    def _best(
        self,
        rows: Source,
        begin: tuple[Any, Any],
        center: Any,
        tol: float,
        draw: np.random.RandomState,
        who: str,
    ) -> Run:
        array = not isinstance(self.init, str) and not callable(self.init)
        spread_out = array or self.init in ("k-means++", "component")
        starts = (
            (1 if spread_out else RESTARTS_OF_DRAWN_STARTS) if self.n_init == "auto" else int(self.n_init)
        )
        if array and starts > 1:
            warn_user(
                f"{who}: Explicit initial center position passed: performing only one init in {who} instead of "
                f"n_init={starts}.",
                RuntimeWarning,
            )
            starts = 1
        best: Run | None = None
        for _ in range(starts):
            first = start_centers(self.init, begin[0], begin[1], self.n_clusters, draw, who)
            first = first - center if array else first
            run = lloyd(rows, first, max_iter=self.max_iter, tol=tol, empty=self.empty, path=self.keep_path)
            if best is None or (run.loss < best.loss and not _same_groups(run.labels, best.labels)):
                best = run
        assert best is not None
        return best


class _Centred(Source):
    """The rows of a source less one point."""

    def __init__(self, source: Source, center: Any):
        self.source, self.center = source, center

    def add_up(self, summarize: Any) -> Any:
        center = self.center

        def centred(block: Block) -> Any:
            X = np.asarray(block.X.toarray() if hasattr(block.X, "tocsr") else block.X, dtype=np.float64)
            return summarize(Block(X - center, None, block.w))

        return self.source.add_up(centred)


def _column_moments(block: Block) -> Any:
    X = block.X.toarray() if hasattr(block.X, "tocsr") else block.X
    X = np.ascontiguousarray(X, dtype=np.float64)
    return class_moments(X, np.zeros(len(X), dtype=np.int64), None, 1)


def _same_groups(labels: np.ndarray | None, other: np.ndarray | None) -> bool:
    """Whether two labellings are the same up to the names of the groups."""
    if labels is None or other is None:
        return False
    pairs = len(np.unique(labels.astype(np.int64) * (int(other.max()) + 1) + other))
    return pairs == len(np.unique(labels)) == len(np.unique(other))


def k_means(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    init: Any = "k-means++",
    n_init: int | str = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: RandomState = None,
    copy_x: bool = True,
    algorithm: str = "lloyd",
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """The centres, labels and loss (and iterations) of :class:`KMeans`, as a function.

    Cost: as :class:`KMeans`.

    Parameters
    ----------
    X, sample_weight : as KMeans.fit
    n_clusters, init, n_init, max_iter, verbose, tol, random_state, copy_x, algorithm : as KMeans
    return_n_iter : bool, default False

    Examples
    --------
    >>> from assay.cluster import k_means
    >>> centers, labels, loss = k_means([[1.0], [2.0], [10.0], [12.0]], 2, random_state=0)
    >>> sorted(centers.ravel().tolist()), loss
    ([1.5, 11.0], 2.5)

    See Also
    --------
    KMeans
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    answer = (model.cluster_centers_, model.labels_, model.inertia_)
    return (*answer, model.n_iter_) if return_n_iter else answer
