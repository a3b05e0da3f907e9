"""Multidimensional scaling by stress majorisation, metric and non-metric."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.stored import Integer, Scalar
from assay.distances.metric import METRIC
from assay.errors import AssayWarning, ParameterError, warn_user
from assay.reduce.embedding.classical_scaling import checked_distances, classical_scaling
from assay.reduce.embedding.embedding import Embedding
from assay.reduce.embedding.majorization import best_run, place_by_stress
from assay.types import Estimator, MetricLike, RandomState, TableLike, Target

__all__ = ["MDS"]


class MDS(Embedding):
    r"""Points whose distances differ least from those of the rows, in the sum of squares over all pairs.

    .. math:: \sigma(Z) = \sum_{i<j} (d_{ij}(Z) - \delta_{ij})^2                                          \quad (1)

    Each step moves the points to :math:`Z \leftarrow \frac1n B(Z) Z` (the Guttman transform), with
    :math:`b_{ij} = -\delta_{ij} / d_{ij}(Z)` and rows that sum to 0; it never raises (1). With ``metric_mds=False``
    only the order of the distances counts: :math:`\delta` is replaced at each step by numbers nearest to the current
    distances that rise with it (isotonic regression). New rows are placed by the weights that rebuild them of their
    neighbours, or by the point of least stress to all training points (``extension="stress"``). Names, parameters and
    answers are scikit-learn's; ``extension`` is ours.

    Cost: fit O(n^2 (d + k t)) for t steps; transform O(n d) a row; memory O(n^2).

    Parameters
    ----------
    n_components : int, default 2
    metric_mds : bool, default True
        Whether distances count, or their order alone.
    n_init : int, default 1
        Runs from drawn starts, of which the one with the least stress is kept.
    init : "random" or "classical_mds", default "random"
        Where runs begin; the classical solution is one start, the same every time.
    max_iter : int, default 300
    verbose : int, default 0
        Accepted as scikit-learn's; ``history_`` has the stress of every step.
    eps : float, default 1e-6
        A run ends when a step lowers the stress by less than this share of the sum of squared distances.
    n_jobs : int or None, default None
        Accepted; runs share the machine's threads, with the same result.
    random_state : int, RandomState or None, default None
    dissimilarity : "euclidean" or "precomputed"
        An older name of ``metric``.
    metric : str, callable or Metric, default "euclidean"
        Any of our metrics (:func:`assay.distances.metric_of`), or "precomputed".
    metric_params : dict or None, default None
    normalized_stress : bool or "auto", default "auto"
        Whether ``stress_`` is Kruskal's stress-1; "auto": for the non-metric kind.
    extension : "auto", "weights", "stress", LocalWeights or regressor, default "auto"
        How new rows are placed.

    Attributes
    ----------
    embedding_ : (n, k)      stress_ : float      n_iter_ : steps of the best run
    dissimilarity_matrix_ : (n, n) the distances      history_ : the raw stress after each step

    Examples
    --------
    >>> from assay.reduce import MDS
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    >>> MDS(init="classical_mds").fit(X).stress_ < 1e-12
    True

    See Also
    --------
    ClassicalMDS, smacof

    References
    ----------
    - Borg, I. and Groenen, P. J. F. (2005). Modern Multidimensional Scaling: Theory and Applications. Springer, 2nd
      edition.
    - Kruskal, J. B. (1964). Nonmetric multidimensional scaling: a numerical method. Psychometrika 29, 115-129.
      doi:10.1007/BF02289694
    """

    card = Card("mds", "points whose distances differ least from the given ones")
    accepts = {
        **Embedding.accepts,
        "metric_mds": Flag(),
        "n_init": Count(1),
        "init": Choice("random", "classical_mds"),
        "max_iter": Count(1),
        "verbose": Count(0) | Flag(),
        "eps": Range(0),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
        "random_state": Seed(),
        "dissimilarity": Choice("deprecated", "euclidean", "precomputed"),
        "metric": METRIC | Flag(),
        "normalized_stress": Flag() | Choice("auto"),
    }
    stored = {"stress_": Scalar(low=0), "n_iter_": Integer(low=1)}
    ways = ("weights", "stress")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        n_init: int = 1,
        init: str = "random",
        max_iter: int = 300,
        verbose: int = 0,
        eps: float = 1e-6,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        dissimilarity: str = "deprecated",
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        normalized_stress: bool | str = "auto",
        extension: str | Estimator | None = "auto",
    ):
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.extension = extension

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None, init: ArrayLike | None = None) -> Self:  # type: ignore[override]
        """Find coordinates for the rows of X, from the start ``init`` (n, k) if there is one; y is ignored."""
        self._start = init
        try:
            return super().fit(X)
        finally:
            del self._start

    def fit_transform(
        self, X: TableLike, y: Target | None = None, init: ArrayLike | None = None
    ) -> np.ndarray:  # type: ignore[override]
        """(n, k) the coordinates of the rows of X."""
        return self.fit(X, y, init).embedding_.copy()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.dissimilarity != "deprecated":
            if not isinstance(self.metric, bool) and self.metric != "euclidean":
                raise ParameterError(
                    f"{type(self).__name__}: You provided both `dissimilarity` and `metric`. Please use only `metric`."
                )
            warn_user(
                f"{type(self).__name__}: The `dissimilarity` parameter is deprecated. Use `metric` instead.",
                FutureWarning,
            )
        if self.extension == "stress" and not self._distances_count:
            raise ParameterError(
                f"{type(self).__name__}: extension='stress' needs distances, the non-metric kind keeps their "
                "order alone. Use extension='weights'."
            )
        if isinstance(self.metric, bool):
            warn_user(
                f"{type(self).__name__}: Use metric_mds={self.metric} instead of metric={self.metric}.",
                FutureWarning,
            )

    @property
    def _distances_count(self) -> bool:
        """Whether scaling is metric."""
        return self.metric if isinstance(self.metric, bool) else self.metric_mds

    def _metric(self, schema: Any) -> Any:
        from assay.distances.metric import metric_of

        named = self.metric if self.dissimilarity == "deprecated" else self.dissimilarity
        if isinstance(named, bool):
            named = "euclidean"
        return metric_of(named, metric_params=self.metric_params, schema=schema)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = "precomputed" in (self.metric, self.dissimilarity)
        return tags

    def _embed(self, X: Any) -> np.ndarray:
        who = type(self).__name__
        if X.shape[0] == X.shape[1] and not self.distance_.precomputed:
            warn_user(
                f"{who}: The provided input is a square matrix, whose rows are taken as rows of a table. For distances "
                "set metric='precomputed'.",
                AssayWarning,
            )
        D = checked_distances(self.distance_.between(X, X), who)
        start = self._start
        if start is None and self.init == "classical_mds":
            start = classical_scaling(D, self.n_components).coordinates
        normalized = (
            not self._distances_count if self.normalized_stress == "auto" else bool(self.normalized_stress)
        )
        run = best_run(
            D, metric=self._distances_count, n_components=self.n_components, init=start,
            n_init=1 if self._start is None and start is not None else self.n_init, max_iter=self.max_iter,
            eps=self.eps, normalized=normalized, random_state=self.random_state, who=who,
        )  # fmt: skip
        self.stress_, self.n_iter_ = run.reported(normalized), run.n_iter
        self.history_ = [{"iteration": t + 1, "stress": stress} for t, stress in enumerate(run.history)]
        return run.Z

    def _place(self, X: Any, way: str) -> np.ndarray:
        start = self._local_weights().place(X, self._search, self.embedding_)
        return place_by_stress(start, self.embedding_, self.distance_.between(X, self._fit_X))

    @property
    def dissimilarity_matrix_(self) -> np.ndarray:
        """(n, n) the distances of the training rows."""
        self._ready()
        return checked_distances(self.distance_.between(self._fit_X, self._fit_X), type(self).__name__)
