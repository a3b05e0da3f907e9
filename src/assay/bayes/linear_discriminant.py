"""Linear discriminant analysis: one Gaussian per class, one covariance for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.bayes.covariance_estimates import (
    BlendedRows,
    Covariances,
    empirical,
    from_estimator,
    ledoit_wolf,
    ledoit_wolf_of_rows,
    shrunk,
    shrunk_rows,
    total_scatter,
)
from assay.bayes.gaussian_classifier import SingularCovarianceError, check_overflow, class_priors, log_of
from assay.bayes.low_rank import LowRank, few_rows, whitening_of_rows
from assay.bayes.shared_covariance import SharedCovariance, whitening
from assay.core import Card
from assay.core.lazy_answers import LazyTransforms
from assay.core.moments import ClassScatter, RowScatter, class_scatter
from assay.core.parameters import Array, Choice, Count, Flag, Instance, Range
from assay.core.stored import FloatArray, Integer, Object
from assay.core.sums import Source
from assay.errors import DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.types import Estimator, Priors, TableLike


class LinearDiscriminantAnalysis(LazyTransforms, SharedCovariance):
    r"""Gaussian classes with one shared covariance: linear boundaries, or a projection that separates them.

    Each class is a Gaussian with its own mean and a covariance shared by all classes. The quadratic terms of
    the K log densities then cancel, and what is left is linear in x:

    .. math:: g_k(x) = \ln\pi_k + x^T\Sigma^{-1}m_k - \tfrac12 m_k^T\Sigma^{-1}m_k               \quad (1)

    with the pooled covariance, divided by n (maximum likelihood, not n - K):

    .. math:: \Sigma = \tfrac1n\sum_i (x_i-m_{y_i})(x_i-m_{y_i})^T                               \quad (2)

    The posterior is the softmax of g. ``transform`` gives Fisher's discriminant coordinates
    :math:`W^T(x-\bar x)`, at most K - 1, whose directions maximise the scatter between classes per unit of
    scatter within them, :math:`S_B w = \lambda S_W w`.

    A drop-in for scikit-learn's class of this name, that also takes ``sample_weight``, blocks of rows and
    ``partial_fit``, since all it needs are sums. It computes in float64; for rows of float32 coef_, intercept_,
    scalings_ and xbar_ are float32, too. With fewer rows than columns it works with the Gram matrix of the rows, and
    makes no matrix of all columns unless ``covariance_`` is read.

    Collinear and constant columns do no harm with the solvers "svd" and "lsqr": directions without
    within-class scatter are left out. With "eigen" they are an error, unless shrinkage is given. Classes that
    are single points throughout (no within-class scatter at all) are an error; one class alone is always the
    answer.

    Cost: fit O(n d^2 + d^3), with fewer rows than columns O(n^2 d); predict O(d K) a row; memory O(min(n, d) d) to fit
    and for more rows to come, O(d K) for the answers.

    Parameters
    ----------
    solver : "svd", "lsqr" or "eigen", default "svd"
        How the answer is read off the sums. "svd": through the eigenvalues of the within-class
        correlations; those with a root below ``tol`` count as zero. "lsqr": the same with rounding as tolerance, and
        no ``transform``.
        "eigen": the generalised eigenproblem. Given ``priors`` move the constants in (1), and with "lsqr" and
        "eigen" they also weigh the classes' covariances in (2), as in scikit-learn.
    shrinkage : None, "auto" or a number from 0 to 1, default None
        Blend of :math:`\Sigma` with a multiple of the identity ("lsqr", "eigen" only). "auto" takes the share
        of Ledoit and Wolf, which needs a second pass over the rows and so excludes ``partial_fit``.
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares. Scaled to sum 1, with a warning, if they do not.
    n_components : int, default None
        How many coordinates ``transform`` gives; None is min(K - 1, d).
    store_covariance : bool, default False
        Keep ``covariance_`` with the solver "svd" too; the others always keep it.
    tol : float, default 1e-4
        Where a singular value counts as zero ("svd"): of the standardised rows within classes, and of the
        class means relative to the largest.
    covariance_estimator : object with ``fit`` and ``covariance_``, default None
        Estimates the covariance of each class instead ("lsqr", "eigen"; rows in memory, no weights).

    Attributes
    ----------
    coef_ : (K, d), or (1, d) for two classes      intercept_ : (K,) or (1,)
    means_ : (K, d)      priors_ : (K,)      xbar_ : (d,) the means weighted by the priors
    covariance_ : (d, d), see store_covariance; of fewer rows than columns computed on access
    scalings_ : (d, r) the directions of ``transform``, largest coefficient positive ("svd", "eigen")
    explained_variance_ratio_ : (n_components,) each direction's share of the separation

    Examples
    --------
    Means 1 and 5, variance 1, so the log odds are 4 (x - 3):

    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[3.0], [3.25]]).round(4)
    array([[0.5   , 0.5   ],
           [0.2689, 0.7311]])
    >>> model.transform([[3.0], [4.0]])
    array([[0.],
           [1.]])

    See Also
    --------
    QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis, FisherDiscriminant

    References
    ----------
    - Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7(2),
      179-188. doi:10.1111/j.1469-1809.1936.tb02137.x
    - Rao, C. R. (1948). The utilization of multiple measurements in problems of biological classification. Journal
      of the Royal Statistical Society B 10(2), 159-203.
    - Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices.
      Journal of Multivariate Analysis 88(2), 365-411. doi:10.1016/S0047-259X(03)00096-4
    """

    card = Card(
        "lda",
        "one Gaussian per class, one covariance for all",
        also=("linear discriminant",),
        suits="numeric",
        learns=(
            "a Gaussian of each class, one covariance",
            "negative log joint likelihood",
            "moments and an eigendecomposition",
            "analytic",
        ),
    )
    kept_in_single = ("coef_", "intercept_", "scalings_", "xbar_")
    accepts = {
        "solver": Choice("svd", "lsqr", "eigen"),
        "shrinkage": Choice("auto") | Range(0, 1) | None,
        "priors": Array(1) | None,
        "n_components": Count() | None,
        "store_covariance": Flag(),
        "tol": Range(0),
        "covariance_estimator": Instance(having="fit") | None,
    }
    stored = {
        "_sums": Object(ClassScatter, RowScatter, K="K", d="p"),
        "coef_": FloatArray("K | 1", "p"),
        "intercept_": FloatArray("K | 1"),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
        "covariance_": FloatArray("p", "p"),
        "xbar_": FloatArray("p"),
        "scalings_": FloatArray("p", "*"),
        "explained_variance_ratio_": FloatArray("*"),
        "_n_features_out": Integer(),
    }

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Priors | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Estimator | None = None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who = type(self).__name__
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError(
                f"{who}: shrinkage not supported with 'svd' solver. Use solver='lsqr' or 'eigen'."
            )
        if self.covariance_estimator is not None:
            if self.solver == "svd":
                raise ParameterError(
                    f"{who}: covariance estimator is not supported with svd solver. Try another solver: 'lsqr' or "
                    "'eigen'."
                )
            if self.shrinkage not in (None, 0):
                raise ParameterError(
                    f"{who}: covariance_estimator and shrinkage parameters are not None. Only one of the two can be "
                    "set."
                )

    @property
    def _looks_twice(self) -> bool:
        return self.shrinkage == "auto" or self.covariance_estimator is not None

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        by_class = self._looks_twice or (
            self.priors is not None and (self.solver != "svd" or self.store_covariance)
        )
        return class_scatter(X, y, w, len(self.classes_), pooled=not by_class)

    def _learn_rows(self, source: Source) -> None:
        few = None if self.covariance_estimator is not None else few_rows(source, len(self.classes_))
        if few is not None:
            self._sums = few
            self._solve(few)
            return
        self._sums = sums = source.add_up(self._summarize_block)
        covariances = None
        if self.covariance_estimator is not None:
            covariances = from_estimator(
                type(self).__name__, self.covariance_estimator, source, len(self.classes_)
            )
        elif self.shrinkage == "auto":
            covariances = ledoit_wolf(source, sums)
        self._solve(sums, covariances)

    def _solve(self, sums: ClassScatter | RowScatter, covariances: Covariances | None = None) -> None:
        who, K = type(self).__name__, len(self.classes_)
        self.__dict__.pop("covariance_", None)
        if covariances is None and self._looks_twice and isinstance(sums, ClassScatter):
            raise ParameterError(
                f"{who}: shrinkage='auto' and covariance_estimator look at the rows twice. Use fit or fit_blocks, or "
                "give shrinkage as a number."
            )
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        if sums.rows.sum() <= np.count_nonzero(sums.rows):
            raise DegenerateError(
                f"{who}: The number of samples must be more than the number of classes, got n_samples = "
                f"{sums.rows.sum()} and {K} class{'' if K == 1 else 'es'}."
            )
        self.means_ = sums.mean
        self.priors_ = class_priors(who, self.priors, sums.count, self.classes_)
        self.xbar_ = self.priors_ @ self.means_
        self._n_features_out = self._components(sums.mean.shape[1])
        self._warn_of_pure_columns(sums)
        if isinstance(sums, RowScatter):
            self._by_rows(sums)
        elif self.solver == "svd":
            self._by_svd(sums)
        elif self.solver == "lsqr":
            self._by_least_squares(sums, covariances)
        else:
            self._by_eigenvectors(sums, covariances)

    def _warn_of_pure_columns(self, sums: ClassScatter | RowScatter) -> None:
        """Warn of columns that are constant in every class but differ between classes."""
        squares = sums.squares if isinstance(sums, RowScatter) else np.diagonal(sums.scatter.sum(axis=0))
        still = squares == 0
        means = sums.mean[sums.count > 0]
        revealing = np.flatnonzero(still & (means != means[0]).any(axis=0))
        if (
            len(revealing)
            and not still.all()
            and self.shrinkage is None
            and self.covariance_estimator is None
        ):
            more = f" (and {len(revealing) - 1} more)" if len(revealing) > 1 else ""
            warn_user(
                f"{type(self).__name__}: column {self._names[revealing[0]]}{more} is constant within each class but "
                "differs between classes, so it tells classes apart on its own; it has no spread to be weighed by "
                "and is left out. Is it the target in disguise? With shrinkage above 0 it is used.",
                DegenerateWarning,
            )

    def _components(self, d: int) -> int:
        most = min(len(self.classes_) - 1, d)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"{type(self).__name__}: n_components cannot be larger than min(n_features, n_classes - 1) = {most}, "
                f"got {self.n_components}."
            )
        return most if self.n_components is None else self.n_components

    def _by_svd(self, sums: ClassScatter) -> None:
        n = sums.count.sum()
        if self.store_covariance:
            self.covariance_ = self._within(sums, None)
        within = sums.scatter.sum(axis=0) / n  # (2)
        P = self._whitening(within, self.tol)
        self._project(n, P, (P, within @ P))

    def _project(self, n: float, P: np.ndarray, shape: LowRank | tuple[np.ndarray, np.ndarray]) -> None:
        """Scores and directions from a whitener P of the covariance."""
        gap = self.means_ - self.xbar_
        _, S, Vt = np.linalg.svd((np.sqrt(n * self.priors_)[:, None] * gap) @ P, full_matrices=False)
        self.explained_variance_ratio_ = _shares(S**2)[: self._n_features_out]
        rank = np.sum(S / S[0] > self.tol) if S[0] > 0 else 0
        self.scalings_ = _upright(P @ Vt.T[:, :rank])
        z = gap @ self.scalings_
        weights, constants = z @ self.scalings_.T, log_of(self.priors_) - 0.5 * np.sum(z * z, axis=1)
        self._publish(weights, constants - weights @ self.xbar_)
        self._settle(self.xbar_, weights, constants, shape)

    def _whitening(self, within: np.ndarray, tol: float = 0.0) -> np.ndarray:
        P = whitening(within, tol)
        self._refuse_points(P.size)
        return P

    def _refuse_points(self, rank: int) -> None:
        if not rank:
            raise DegenerateError(
                f"{type(self).__name__}: no column varies within a class, so there is no covariance to measure by. "
                "NearestMean needs none."
            )

    def _within(self, sums: ClassScatter, covariances: Covariances | None) -> np.ndarray:
        """The classes' covariances weighed by the priors; for class shares that is (2)."""
        if covariances is not None:
            S = np.tensordot(self.priors_, covariances.of_classes, 1)
        elif len(sums.scatter) == len(self.priors_):
            S = np.tensordot(self.priors_, empirical(sums).of_classes, 1)
        else:
            S = sums.scatter[0] / sums.count.sum()
        return shrunk(S, self.shrinkage) if covariances is None and self.shrinkage else S

    def _by_least_squares(self, sums: ClassScatter, covariances: Covariances | None) -> None:
        self.covariance_ = S = self._within(sums, covariances)
        P = self._whitening(S)
        inverse = P @ P.T
        self._finish((self.means_ - self.xbar_) @ inverse, self.xbar_ @ inverse, (P, S @ P))

    def _by_eigenvectors(self, sums: ClassScatter, covariances: Covariances | None) -> None:
        from scipy.linalg import eigh

        self.covariance_ = S = self._within(sums, covariances)
        total = covariances.total if covariances is not None else total_scatter(sums) / sums.count.sum()
        total = shrunk(total, self.shrinkage) if covariances is None and self.shrinkage else total
        self._refuse_singular(self._whitening(S).shape[1], len(S))
        values, vectors = eigh(total - S, S)
        values, vectors = values[::-1], vectors[:, ::-1]
        self.explained_variance_ratio_ = _shares(values)[: self._n_features_out]
        self.scalings_ = _upright(vectors)
        gap = self.means_ - self.xbar_
        shape = vectors, S @ vectors
        self._finish(gap @ vectors @ vectors.T, self.xbar_ @ vectors @ vectors.T, shape)

    def _refuse_singular(self, rank: int, d: int) -> None:
        if rank < d:
            raise SingularCovarianceError(
                f"{type(self).__name__}: the within-class covariance is singular (rank {rank} of {d}: collinear "
                "or constant columns). Use solver='svd', or give shrinkage."
            )

    # ------------------------------------------------------------------ fewer rows than columns

    def _by_rows(self, sums: RowScatter) -> None:
        """The same from the Gram matrix of the rows, without a matrix of all columns."""
        n, F = sums.count.sum(), sums.deviations
        if self.solver == "svd":
            within = whitening_of_rows(F / np.sqrt(n), self.tol)  # (2)
            self._refuse_points(within.rank)
            self._project(n, within.whitener, within)
            if self.store_covariance:
                self.covariance_ = F.T @ (F * self._row_shares(sums)[:, None])
            return
        if self.shrinkage == "auto":
            within_rows = ledoit_wolf_of_rows(sums, self.priors_)
        else:
            within_rows = shrunk_rows(F * np.sqrt(self._row_shares(sums))[:, None], self.shrinkage or 0.0)
        shape = within_rows.shape()
        self._refuse_points(shape.rank)
        if self.solver == "eigen":
            self._refuse_singular(shape.rank, F.shape[1])
            pooled = sums.pooled()
            total = (
                ledoit_wolf_of_rows(pooled, np.ones(1))
                if self.shrinkage == "auto"
                else shrunk_rows(pooled.deviations / np.sqrt(n), self.shrinkage)
            )
            self._directions_of_rows(within_rows, total, shape)
        self._finish(shape.solve(self.means_ - self.xbar_), shape.solve(self.xbar_[None])[0], shape)

    def _row_shares(self, sums: RowScatter) -> np.ndarray:
        """(m,) what the square of each deviation counts: priors over the weight of its class."""
        return (self.priors_ / np.where(sums.count > 0, sums.count, 1.0))[sums.classes]

    def _directions_of_rows(self, within: BlendedRows, total: BlendedRows, shape: LowRank) -> None:
        r"""The eigenvectors of S^-1 (T - S): where both are round across the rows' span Q, they lie in it."""
        from scipy.linalg import eigh

        d, K = self.means_.shape[1], self._n_features_out
        scale = np.sqrt(within.diagonal)
        Q = LowRank.of_rows(np.vstack([total.F, within.F]), scale=scale).axes
        A, B = (total.F / scale) @ Q, (within.F / scale) @ Q
        ratio = total.diagonal / within.diagonal - 1
        inside = A.T @ A - B.T @ B + Q.T @ (ratio[:, None] * Q)
        values, vectors = eigh(inside, B.T @ B + np.eye(Q.shape[1]))
        values, vectors = values[::-1], vectors[:, ::-1]
        exact = np.ptp(ratio) <= 1e-12 * (1 + np.abs(ratio).max())
        if (
            not exact or len(values) < K or (K and values[K - 1] < ratio[0])
        ):  # directions across the rows matter
            values, vectors = _leading_directions(within, total, shape, K)
            everything = float(
                np.sum(shape.solve(total.F) * total.F) + shape.inverse_diagonal @ total.diagonal - d
            )
        else:
            vectors = Q @ vectors / scale[:, None]
            everything = values.sum() + (d - Q.shape[1]) * ratio[0]
        self.explained_variance_ratio_ = values[:K] / everything if everything > 0 else np.zeros(K)
        self.scalings_ = _upright(vectors)

    def __getattr__(self, name: str) -> Any:
        if name == "covariance_" and vars(self).get("solver", "svd") != "svd":
            shape = self._shape  # of a fit on few rows: large, so it is computed on access
            if shape is not None:
                return shape.dense()
            if "_root" in vars(self):
                return self._root @ self._root.T
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _finish(
        self, weights: np.ndarray, common: np.ndarray, shape: LowRank | tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Scores about the mean, and coefficients about the origin, from the solutions for m_k - xbar and xbar."""
        constants = log_of(self.priors_) - 0.5 * np.sum(weights * (self.means_ - self.xbar_), axis=1)
        coef = weights + common
        self._publish(coef, log_of(self.priors_) - 0.5 * np.sum(coef * self.means_, axis=1))  # (1)
        self._settle(self.xbar_, weights, constants, shape)

    def _publish(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        if len(coef) == 2:
            with np.errstate(invalid="ignore"):
                coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores ``X @ coef_.T + intercept_``; with two classes (n,), the log odds of the second.

        Score 0 is a tie, which ``predict`` gives to ``classes_[0]``.
        """
        self._ready()
        if len(self.classes_) == 2 or self.solver == "svd":
            return super().decision_function(X)
        return self._admit(X) @ self.coef_.T + self.intercept_

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, n_components) the rows in discriminant coordinates; in each class they have unit variance."""
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        X = self._admit(X)
        directions = self.scalings_[:, : self._n_features_out]
        return (X - self.xbar_) @ directions if self.solver == "svd" else X @ directions

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the coordinates that ``transform`` gives."""
        self._ready()
        k = min(self._n_features_out, self.scalings_.shape[1])
        return np.array([f"{type(self).__name__.lower()}{j}" for j in range(k)], dtype=object)


def _leading_directions(
    within: BlendedRows, total: BlendedRows, shape: LowRank, K: int
) -> tuple[np.ndarray, np.ndarray]:
    """(K,) and (d, K) the largest eigenvalues of S^-1 (T - S), and the eigenvectors v with v' S v = 1.

    By Lanczos steps of O(m d) with the symmetric R^-1 (T - S) R^-T of a root S = R R'; ``shape`` is S once more.
    """
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    d = len(shape.scale)
    if not K:
        return np.empty(0), np.empty((d, 0))
    spare = total.diagonal - within.diagonal

    def apply(u: np.ndarray) -> np.ndarray:
        v = shape.unroot(u, transposed=True)
        v = (total.F @ v) @ total.F - (within.F @ v) @ within.F + spare * v
        return shape.unroot(v)

    start = np.random.default_rng(0).standard_normal(d)  # the same in every fit
    operator = LinearOperator((d, d), matvec=apply, dtype=np.float64)
    try:
        values, vectors = eigsh(operator, k=K, which="LA", v0=start)
    except ArpackError:  # many equal eigenvalues
        S = within.dense()
        values, directions = eigh(total.dense() - S, S)
        return values[: -K - 1 : -1], directions[:, : -K - 1 : -1]
    order = np.argsort(-values, kind="stable")
    directions = np.column_stack([shape.unroot(vectors[:, k], transposed=True) for k in order])
    return values[order], directions


def _shares(values: np.ndarray) -> np.ndarray:
    """Each value's share of the sum; of a sum of zero, zero."""
    total = values.sum()
    return values / total if total > 0 else np.zeros_like(values)


def _upright(directions: np.ndarray) -> np.ndarray:
    """The sign of each column such that its largest coefficient is positive."""
    if not directions.size:
        return directions
    top = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    return directions * np.where(top < 0, -1.0, 1.0)
