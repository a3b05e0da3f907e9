"""The Nystroem method: rows described by their kernel values with a few landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core import Card, PassLearner
from assay.core.parameters import Any_, Choice, Count, Instance, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, FloatArray, Object, ObjectRows, Scalar, TableRows
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Rows, Source
from assay.core.takes import takes_of_part
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.kernels.approximations.feature_map import FeatureMap
from assay.kernels.approximations.landmarks import (
    LANDMARKS,
    k_means_centers,
    leverage_landmarks,
    pivoted_cholesky,
)
from assay.kernels.given import FunctionKernel
from assay.kernels.gram_rows import finite
from assay.kernels.kernel import Kernel
from assay.kernels.names import kernel_of
from assay.kernels.objects import objects_of
from assay.types import RandomState, TableLike

__all__ = ["Nystroem"]

MOST_CANDIDATES = 100_000  # rows among which landmarks are chosen and from which the kernel learns
ROWS_A_BLOCK = 1 << 13  # whose kernel values are in memory at a time
KERNEL = Any_(
    "the name of a kernel, a function of two rows, or a Kernel",
    lambda value: isinstance(value, (str, Kernel)) or callable(value),
)


class Nystroem(WithoutTarget, PassLearner, FeatureMap):
    r"""Describe each row by its kernel values with m landmarks, so that dot products are close to the kernel.

    With the landmarks :math:`c_1, \dots, c_m` and their kernel matrix :math:`K_{cc}`,

    .. math:: z(x) = K_{cc}^{-1/2}\,[K(x, c_1), \dots, K(x, c_m)]^T, \qquad z(a)^Tz(b) \approx K(a, b), \quad (1)

    exact where a or b is a landmark, and the best approximation by functions of the landmarks. What is left over,
    :math:`r(x) = K(x, x) - \|z(x)\|^2 \ge 0`, bounds the error: :math:`|K(a, b) - z(a)^Tz(b)| \le \sqrt{r(a)r(b)}`;
    ``residual`` has it for any rows. A linear learner on these columns is close to a kernel machine at a cost that
    grows with the rows alone. Unlike random features this works for every kernel: names, functions, kernels of mixed
    tables, strings and graphs.

    The landmarks are rows drawn at random (the same ``random_state`` draws those of scikit-learn), or better ones:
    "cholesky" takes each next one where the others leave most over, and knows the error; "random cholesky" draws it in
    proportion to what they leave over, which is better where many rows are far from all others; "leverage" draws rows
    that few others resemble; "k-means" takes centres of groups of rows of numbers. The learner goes over blocks and
    Dask collections in a few passes; from more than 100,000 rows, better landmarks are chosen among that many drawn
    ones.

    Cost: fit O(m^2 d + m^3), with "cholesky" and "leverage" O(n m^2) more; transform O(m d + m^2) a row; memory
    O(m d + m^2).

    Parameters
    ----------
    kernel : str, callable of two rows, or Kernel, default "rbf"
        "precomputed" takes kernel values with all training rows as columns.
    gamma : float, default None
        None is 1 / d, and 1 for "chi2". This, coef0 and degree are for kernels by name.
    coef0 : float, default None
        None is 1.
    degree : float, default None
        None is 3.
    kernel_params : dict, default None
        More arguments of a function of two rows.
    n_components : int, default 100
        m.
    random_state : int, RandomState or None, default None
    n_jobs : int, default None
        Accepted as scikit-learn does; threads are used as they are worth it.
    landmarks : "random", "cholesky", "random cholesky", "k-means" or "leverage", default "random"

    Attributes
    ----------
    components_ : (m, d) or (m,) the landmarks
    component_indices_ : (m,) their places among the training rows, or None for centres
    normalization_ : (m, m) the inverse square root of their kernel matrix
    kernel_ : Kernel, fitted to the training rows
    error_bound_ : float, the share of the trace of the kernel matrix that is left over; of "cholesky" and
        "random cholesky" only

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Nystroem
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> Z = Nystroem(gamma=0.5, n_components=3, random_state=0).fit_transform(X)
    >>> (Z @ Z.T).round(3)  # with all rows as landmarks it is exact
    array([[1.   , 0.607, 0.135],
           [0.607, 1.   , 0.607],
           [0.135, 0.607, 1.   ]])

    See Also
    --------
    RBFSampler, FourierFeatures, PolynomialCountSketch

    References
    ----------
    - Williams, C. K. I. and Seeger, M. (2001). Using the Nystroem method to speed up kernel machines. Advances in
      Neural Information Processing Systems 13.
    - Zhang, K., Tsang, I. W. and Kwok, J. T. (2008). Improved Nystroem low-rank approximation and error analysis.
      Proceedings of the 25th International Conference on Machine Learning, 1232-1239. doi:10.1145/1390156.1390311
    """

    card = Card("nystroem", "kernel values with a few landmarks as columns", scale=True)
    most_candidates: int = MOST_CANDIDATES
    accepts = {
        "kernel": KERNEL,
        "gamma": Range(0) | None,
        "coef0": Range() | None,
        "degree": Range(1) | None,
        "kernel_params": Instance(dict, words="a dict") | None,
        "n_components": Count(1),
        "random_state": Seed(),
        "n_jobs": Count(-(2**31)) | None,
        "landmarks": Choice(*LANDMARKS),
    }
    stored = {
        "components_": TableRows("m", "p") | ObjectRows("m"),
        "component_indices_": CodeArray("m") | None,
        "normalization_": FloatArray("m", "m", finite=True),
        "kernel_": Object(Kernel, d="p"),
        "error_bound_": Scalar(0),
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        landmarks: str = "random",
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the kernel can use of a table as it is."""
        return takes_of_part(self, "kernel_", self._kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def residual(self, X: TableLike) -> np.ndarray:
        """(n,) what the landmarks leave over of each row: ``K(x, x) - |z(x)|^2``."""
        rows = self._admit(X)
        if self.kernel_.precomputed:
            raise DataError(
                "Nystroem: kernel values with the training rows do not say K(x, x). Use a Kernel."
            )
        Z = self._transform(rows)
        return np.maximum(self.kernel_.diagonal(rows) - np.einsum("ij,ij->i", Z, Z), 0.0)

    def _check_parameters(self) -> None:
        self.__dict__.pop("kernel_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if "objects" not in self.takes:
            return super()._admit(X, fitting)
        if fitting:
            for name in ("schema_", "design_", "n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)  # of an earlier fit to a table
        else:
            self._ready()
        return objects_of(X, type(self).__name__)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns: "nystroem0", "nystroem1", ..."""
        if "objects" not in self.takes:
            return super().get_feature_names_out(input_features)
        self._ready()
        return np.array(self._names_out(), dtype=object)

    def _kernel(self) -> Kernel:
        """The kernel that the parameters say, before it learns."""
        named = isinstance(self.kernel, str) and self.kernel != "precomputed"
        if not named and not (self.gamma is self.coef0 is self.degree is None):
            raise ParameterError(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel."
            )
        if not named:
            plain = (
                callable(self.kernel)
                and not isinstance(self.kernel, Kernel)
                and not hasattr(self.kernel, "theta")
            )
            if plain:
                return FunctionKernel(self.kernel, "rows", self.kernel_params or {})
            return kernel_of(self.kernel, schema=getattr(self, "schema_", None))
        settings = {
            "gamma": 1.0 if self.kernel == "chi2" else "auto",
            "coef0": 1.0,
            "degree": 3.0,
            **(self.kernel_params or {}),
        }
        settings |= {name: value for name in settings if (value := getattr(self, name, None)) is not None}
        name = {"polynomial": "poly"}.get(self.kernel, self.kernel)
        return kernel_of(name, **settings, schema=getattr(self, "schema_", None))

    def _learn_from(self, source: Source) -> None:
        n, random = source.count(), random_state_of(self.random_state)
        if self.n_components > n:
            warn_user(
                "Nystroem: n_components > n_samples. This is not possible.\nn_components was set to n_samples, which "
                "results in inefficient evaluation of the full kernel.",
                AssayWarning,
            )
        m, order, kernel = min(self.n_components, n), random.permutation(n), self._kernel()
        if kernel.precomputed and not (isinstance(source, Rows) and source.X.shape[0] == source.X.shape[1]):
            raise DataError(
                "Nystroem: a precomputed kernel is a square matrix in memory, all training rows with each other."
            )
        places = np.arange(n) if n <= self.most_candidates else np.sort(order[: self.most_candidates])
        candidates = source.take(places)
        self.kernel_ = kernel.learn(candidates)
        self.__dict__.pop("error_bound_", None)
        chosen: Any = order[:m]
        if self.landmarks in ("cholesky", "random cholesky"):
            draws = random if self.landmarks == "random cholesky" else None
            cholesky = pivoted_cholesky(self.kernel_.gram_rows(candidates), m, random=draws)
            chosen = places[cholesky.pivots] if len(cholesky.pivots) else order[:1]
            self.error_bound_ = (
                float(cholesky.residual[-1] / cholesky.residual[0]) if cholesky.residual[0] > 0 else 0.0
            )
        elif self.landmarks == "leverage":
            chosen = places[leverage_landmarks(self.kernel_, candidates, m, random)]
        elif self.landmarks == "k-means":
            chosen = None
        self.component_indices_ = chosen
        self._keep(k_means_centers(candidates, m, random) if chosen is None else source.take(chosen))

    def _keep(self, components: Any) -> None:
        """The landmarks, and the inverse square root of their kernel matrix."""
        if self.kernel_.precomputed:
            K = np.ascontiguousarray(components[:, self.component_indices_], dtype=np.float64)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                K = self.kernel_.gram(components)
        finite(K, type(self).__name__)
        values, vectors = np.linalg.eigh(K)
        size = np.abs(values)
        kept = size > max(1e-12, len(K) * np.finfo(np.float64).eps * size.max())
        scaled = np.sign(values) / np.sqrt(np.where(kept, size, 1.0)) * kept
        self.normalization_ = (vectors * scaled) @ vectors.T
        self.components_, self._n_features_out = components, len(K)
        if getattr(components, "dtype", None) == np.float32:
            self.normalization_ = self.normalization_.astype(np.float32)

    def _transform(self, X: Any) -> np.ndarray:
        landmarks = self.components_
        if self.kernel_.precomputed:
            X, landmarks = np.asarray(X)[:, self.component_indices_], self.component_indices_
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        Z, weights = (
            np.empty((X.shape[0], self._n_features_out), dtype),
            self.normalization_.T.astype(np.float64),
        )
        for start in range(0, X.shape[0], ROWS_A_BLOCK):
            rows = slice(start, start + ROWS_A_BLOCK)
            Z[rows] = self.kernel_.between(X[rows], landmarks) @ weights  # (1)
        return Z

    def _check_stored(self) -> None:
        """Raise a ValueError if landmarks and kernel do not belong together."""
        if "kernel_" not in vars(self):
            return
        if self.kernel_.precomputed and (
            self.component_indices_ is None or self.component_indices_.max() >= self.n_features_in_
        ):
            raise ValueError("a landmark lies beyond the training rows")
        if (self.components_.ndim == 1) != ("objects" in self.kernel_.takes):
            raise ValueError("the landmarks are not what the kernel compares")
