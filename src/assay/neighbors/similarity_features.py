"""Similarity features: a row is described by how similar it is to rows seen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from assay.core import Card, Transformer
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Choice, Count, Function, Instance, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, Integer, Object, ObjectRows, Scalar, TableRows
from assay.core.targets import plain_values
from assay.errors import DataError, DegenerateError
from assay.kernels import Kernel, choose_templates
from assay.kernels.objects import objects_of
from assay.kernels.templates import TEMPLATES
from assay.neighbors.neighbor_learner import NeighborLearner
from assay.neighbors.prototypes import COMPARING
from assay.tables import RowNames
from assay.types import MetricLike, RandomState, TableLike, Target

__all__ = ["SimilarityFeatures"]


class SimilarityFeatures(NeighborLearner, Transformer):
    r"""Replace each row by the vector of its similarities to training rows (the empirical kernel map).

    .. math:: x \mapsto [s(x, x^1), \dots, s(x, x^N)]^T \quad (1)

    with a similarity made of a distance D,

    ============  =========================================
    "gaussian"    :math:`\exp(-\gamma D^2)`
    "laplacian"   :math:`\exp(-\gamma D)`
    "inverse"     :math:`1 / (1 + \gamma D)`
    "distance"    :math:`-D`
    "linear"      the dot product :math:`x \cdot x^t`
    ============  =========================================

    or any function of two rows, or any :class:`~assay.kernels.Kernel`, which may compare strings, trees or graphs.
    Whatever can be compared becomes a table of numbers for any learner: mixed tables with ``metric="auto"``, distances
    of one's own, sequences, images. The dot product of such features is `assay.kernels.EmpiricalKernel`.

    Cost: fit O(N d) for N reference rows; transform O(N d) a row; memory O(N d) kept, O(n N) comes out.

    Parameters
    ----------
    similarity : one of the words above, a function of two rows, or a Kernel, default "gaussian"
    gamma : float, default None
        None takes 1 / median of :math:`D^2` ("gaussian") or of D (the others) between the landmarks.
    n_landmarks : int, default None
        Compare with that many training rows; None takes all.
    landmarks : "random", "centers", "covering" or "by class", default "random"
        Rows drawn at random, rows in the middle of groups, rows that no other row is far from, or the latter for each
        class of y; see :func:`assay.kernels.choose_templates`.
    metric : str or function, default "auto"
        Any name that :func:`assay.distances.metric_of` knows.
    p : float, default 2
    metric_params : dict, default None
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    landmarks_ : (m,) the rows that others are compared with, counted from 0      distance_ : Metric
    gamma_ : float

    Examples
    --------
    >>> from assay.neighbors import SimilarityFeatures
    >>> SimilarityFeatures("inverse", gamma=1.0).fit_transform([[0.0], [1.0], [3.0]])
    array([[1.        , 0.5       , 0.25      ],
           [0.5       , 1.        , 0.33333333],
           [0.25      , 0.33333333, 1.        ]])
    >>> SimilarityFeatures().fit([[0.0], [1.0], [3.0]]).get_feature_names_out().tolist()
    ['row 1', 'row 2', 'row 3']

    See Also
    --------
    NearestNeighbors, TripletMetric, KNeighborsTransformer

    References
    ----------
    - Schölkopf, B., Mika, S., Burges, C. J. C., Knirsch, P., Müller, K.-R., Rätsch, G. and Smola, A. J. (1999).
      Input space versus feature space in kernel-based methods. IEEE Transactions on Neural Networks 10(5),
      1000-1017.
    - Pekalska, E. and Duin, R. P. W. (2005). The Dissimilarity Representation for Pattern Recognition. World
      Scientific.
    """

    card = Card(
        "similarities",
        "similarities to training rows as columns",
        also=("empirical kernel map",),
        scale=True,
        settings={"random_state": 0},
    )
    accepts = {
        "similarity": Choice("gaussian", "laplacian", "inverse", "distance", "linear")
        | Function()
        | Instance(Kernel),
        "gamma": Range(0, open="low") | None,
        "n_landmarks": Count(1) | None,
        "landmarks": Choice(*TEMPLATES),
        **COMPARING,
        "random_state": Seed(),
    }
    stored = {
        "_fit_X": TableRows("m", "p") | ObjectRows("m"),
        "kernel_": Object(Kernel, d="p"),
        "n_samples_fit_": Integer(),
        "gamma_": Scalar() | None,
        "landmarks_": CodeArray("m"),
    }

    def __init__(
        self,
        similarity: Any = "gaussian",
        *,
        gamma: float | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "random",
        metric: MetricLike = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ):
        self.similarity = similarity
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.random_state = random_state

    algorithm, leaf_size = "auto", 30

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric or the kernel takes; a dot product takes numbers."""
        if isinstance(self.similarity, Kernel):
            return vars(self).get("kernel_", self.similarity).takes
        return frozenset({"sparse"}) if self.similarity == "linear" else super().takes

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Remember the rows of X, or some of them; y, the classes, is looked at for landmarks "by class" only."""
        return super().fit(X, y)

    def _check_parameters(self) -> None:
        self.__dict__.pop("kernel_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if "objects" not in self.takes:
            return super()._admit(X, fitting)
        if fitting:
            for name in ("schema_", "design_", "n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)  # of an earlier fit to a table
            self.row_names_ = RowNames.of(X).stored()
        else:
            self._ready()
        return objects_of(X, type(self).__name__)

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        if isinstance(self.metric, str) and self.metric == "precomputed":
            raise DataError(
                "SimilarityFeatures: a table of distances needs no map: give it to the learner as it is."
            )
        labels = None if y is None or self.landmarks != "by class" else np.asarray(plain_values(y))
        comparison: Any
        if isinstance(self.similarity, Kernel):
            kernel = self.similarity
            if "objects" not in kernel.takes:
                kernel = kernel.with_schema(self.schema_)
            self.kernel_ = comparison = kernel.learn(X)
            self._fit_X, self.n_samples_fit_, self.gamma_ = X, X.shape[0], None
        else:
            self._store(X)
            comparison = self.distance_
        self.landmarks_ = choose_templates(
            comparison, X, self.n_landmarks, self.landmarks, labels, random_state_of(self.random_state)
        )
        self._fit_X = self._fit_X[self.landmarks_]
        if not isinstance(self.similarity, Kernel):
            self.gamma_ = float(self.gamma) if self.gamma is not None else self._usual_gamma()

    def _usual_gamma(self) -> float:
        if callable(self.similarity) or self.similarity in ("linear", "distance"):
            return 1.0
        some = self._fit_X[:: max(1, self._fit_X.shape[0] // 1000)]
        apart = self.distance_.between(some, some)
        apart = apart[np.triu_indices(len(apart), 1)]
        apart = apart[apart > 0]
        if not len(apart):
            return 1.0
        middle = float(np.median(apart))
        if self.similarity == "gaussian" and not 1e-140 < middle < 1e140:
            raise DegenerateError(
                f"SimilarityFeatures: half of the rows are {middle:.3g} or more apart, a distance whose square is no "
                "number. Divide the columns by their spread first, or give gamma."
            )
        return 1 / (middle * middle if self.similarity == "gaussian" else middle)

    def _transform(self, X: Any) -> np.ndarray:
        landmarks = self._fit_X
        if "kernel_" in vars(self):
            return self.kernel_.between(X, landmarks)
        g: Any = self.gamma_
        if callable(self.similarity):
            A, B = (t if isinstance(t, np.ndarray) else t.toarray() for t in (X, landmarks))
            return np.array([[self._asked(a, b) for b in B] for a in A]).reshape(len(A), len(B))
        if self.similarity == "linear":
            with np.errstate(over="ignore", invalid="ignore"):
                product = X @ landmarks.T
            product = product if isinstance(product, np.ndarray) else product.toarray()
            if not np.isfinite(product).all():
                raise DegenerateError(
                    "SimilarityFeatures: a dot product of rows is too large for a number. Divide the columns by their "
                    "spread first."
                )
            return product
        D = self.distance_.between(X, landmarks)
        with np.errstate(over="ignore"):  # rows so far apart have the similarity 0
            if self.similarity == "gaussian":
                return np.exp(-((np.sqrt(g) * D) ** 2))
            if self.similarity == "laplacian":
                return np.exp(-g * D)
            return 1 / (1 + g * D) if self.similarity == "inverse" else -D

    def _asked(self, a: np.ndarray, b: np.ndarray) -> float:
        """What the user's function says of two rows."""
        similarity = self.similarity(a, b)
        try:
            value = float(np.asarray(similarity, dtype=np.float64).item())
        except (TypeError, ValueError):
            value = np.nan
        if np.isnan(value):
            raise DataError(
                f"SimilarityFeatures: similarity must give one number for two rows, got {similarity!r}."
            )
        return value

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns, which are those of the landmarks."""
        if "objects" not in self.takes:
            return super().get_feature_names_out(input_features)
        self._ready()
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> list[str]:
        return [self._cases(int(i)) for i in self.landmarks_]

    @property
    def _n_features_out(self) -> int:
        return len(self.landmarks_)
