"""Principal components analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtri

from assay.core import Card
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.sum_learner import PassLearner, WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, DegenerateError, ParameterError
from assay.reduce.components.gaussian_components import GaussianComponents
from assay.reduce.components.missing_moments import expected_scatter
from assay.reduce.components.number_of_components import (
    average_eigenvalue_rule,
    components_by_evidence,
    components_for_share,
    parallel_analysis,
)
from assay.reduce.components.sparse_scatter import centred_spectrum, sparse_scatter
from assay.reduce.components.spectrum import Spectrum, spectrum_of_matrix, spectrum_of_rows
from assay.reduce.components.subspace import random_spectrum
from assay.types import RandomState

__all__ = ["PCA", "rows_of", "scatter_of_block"]

ROWS_BY_SINGULAR_VALUES = 500  # up to this many rows and columns the singular values of the rows are computed
MOST_SPARSE_COLUMNS = 3000  # of a sparse table whose covariance matrix is computed
RULES = ("mle", "average", "parallel")


class PCA(WithoutTarget, PassLearner, GaussianComponents):
    r"""New columns that are uncorrelated, the first with the largest variance that a direction can have.

    With the mean m and the covariance matrix S of the training rows,

    .. math:: S = \sum_i \lambda_i w_i w_i^T, \quad \lambda_1 \ge \lambda_2 \ge \dots, \qquad
              z_i = w_i^T(x - m), \quad \mathrm{Var}(z_i) = \lambda_i                            \quad (1)

    The first k components give the rows back with the smallest squared error that k numbers a row allow,
    :math:`(n-1)\sum_{i>k}\lambda_i`. Columns of large units dominate: standardise them first, or use
    ``standardize=True``, the components of the correlation matrix. Names, parameters and answers are scikit-learn's,
    and the answers are exact unless ``svd_solver="randomized"`` asks for less.

    The learner is a sum: ``fit_blocks`` and Dask give the same numbers (:class:`IncrementalPCA` has ``partial_fit``
    besides). Categories become indicator columns. Missing values are no obstacle: mean and covariance matrix are then
    those of the Gaussian with the largest likelihood of what is known, found by expectation and maximisation with one
    sum over rows a step (missing at random; more rows than columns), and the components of a row with missing values
    are their expectation given what is known of it.

    Cost: fit O(n d min(n, d)); transform O(d k) a row; memory O(d^2), for fewer rows than columns O(n d).

    Parameters
    ----------
    n_components : int, float, str or None, default None
        How many to keep: a number; a share of the variance between 0 and 1; "mle" (Minka's evidence), "average" (those
        above the mean eigenvalue), "parallel" (those above chance, see :func:`parallel_analysis`); None keeps all.
    copy : bool, default True
        Accepted as scikit-learn's; X is never changed.
    whiten : bool, default False
        Whether to divide each component by its standard deviation.
    svd_solver : "auto", "full", "covariance_eigh", "arpack" or "randomized", default "auto"
        "auto" takes the covariance matrix for more rows than columns, the dot products of the rows for fewer, and the
        singular values of the rows themselves where the problem is small or the others would lose digits. "full"
        always takes these. "arpack" is exact as "auto" is. "randomized" projects on random directions first.
    tol : float, default 0
        Accepted as scikit-learn's.
    iterated_power : int or "auto", default "auto"
        Power iterations of "randomized".
    n_oversamples : int, default 10
        Random directions of "randomized" beyond the components.
    power_iteration_normalizer : "auto", "QR", "LU" or "none", default "auto"
        Accepted as scikit-learn's; "randomized" uses QR.
    random_state : int, RandomState or None, default None
        For "randomized" and "parallel".
    standardize : bool, default False
        Whether to divide the columns by their standard deviations: the components of the correlation matrix.
    trim : float or None, default None
        Leave out rows beyond this quantile of the chi-squared distribution of Mahalanobis distances, 0.975 say, and
        estimate again without them: one gross outlier does not turn the components then.

    Attributes
    ----------
    components_ : (k, d) unit vectors, the largest entry of each positive
    explained_variance_ : (k,) the eigenvalues      explained_variance_ratio_ : (k,) their shares of the variance
    singular_values_ : (k,) of the centred rows      mean_ : (d,)      scale_ : (d,), if standardised
    n_components_ : k      n_samples_ : rows, or their total weight
    noise_variance_ : the mean variance of the directions that are left out
    n_trimmed_ : rows that were left out, with ``trim``

    Examples
    --------
    >>> from assay.reduce import PCA
    >>> from assay.tables.data import load_iris
    >>> pca = PCA(n_components=2).fit(load_iris().X)
    >>> pca.explained_variance_.round(6), pca.explained_variance_ratio_.round(4)
    (array([4.228242, 0.242671]), array([0.9246, 0.0531]))
    >>> pca.transform(load_iris().X[:1]).round(4)
    array([[-2.6841,  0.3194]])

    See Also
    --------
    IncrementalPCA, LinearDiscriminantAnalysis

    References
    ----------
    - Jolliffe, I. T. (2002). Principal Component Analysis, second edition. Springer.
    - Tipping, M. E. and Bishop, C. M. (1999). Probabilistic principal component analysis. Journal of the Royal
      Statistical Society B 61, 611-622.
    """

    card = Card("pca", "uncorrelated directions of largest variance", also=("principal components",))
    accepts = {
        "n_components": Count(0) | Range(0, 1, open="both") | Choice(*RULES) | None,
        "copy": Flag(),
        "whiten": Flag(),
        "svd_solver": Choice("auto", "full", "covariance_eigh", "arpack", "randomized"),
        "tol": Range(0),
        "iterated_power": Count(0) | Choice("auto"),
        "n_oversamples": Count(1),
        "power_iteration_normalizer": Choice("auto", "QR", "LU", "none"),
        "random_state": Seed(),
        "standardize": Flag(),
        "trim": Range(0, 1, open="both") | None,
    }
    takes = frozenset({"sparse", "missing"})

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: RandomState = None,
        standardize: bool = False,
        trim: float | None = None,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.standardize = standardize
        self.trim = trim

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows):
            self._refuse_solver(source.X)
            if self._by_rows(source.X, source.w) and not _has_missing(source.X):
                self._learn_rows(source.X, source.w)
                return
        sums = source.add_up(scatter_of_block)
        if np.isnan(sums.mean).any():
            if self.trim is not None:
                raise ParameterError(
                    f"{type(self).__name__}: trim measures distances of whole rows, and values are missing. Leave out "
                    "trim, or impute them first: SimpleImputer."
                )
            sums = expected_scatter(source, self._column_names(), type(self).__name__)
        if self.trim is not None:
            within = _Within(sums, self._divisor(sums.count[0]), self.trim, type(self).__name__)
            trimmed = source.add_up(within.scatter)
            self.n_trimmed_ = round(float(sums.count[0] - trimmed.count[0]))
            sums = trimmed
        self._learn_sums(sums, source.X.dtype if isinstance(source, Rows) else np.dtype(float))

    # Three ways to the eigenvalues

    def _by_rows(self, X: Any, w: np.ndarray | None) -> bool:
        """Whether the rows are few, or the singular values of the rows are asked for."""
        n, d = X.shape
        if w is not None and not isinstance(self.n_components, (int, np.integer)):
            return False  # weights count as repeats, which may outnumber the columns
        if self.trim is not None or self.svd_solver == "covariance_eigh":
            return False
        if not isinstance(X, np.ndarray):
            return d > MOST_SPARSE_COLUMNS
        return self.svd_solver in ("full", "randomized") or n < d or max(n, d) <= ROWS_BY_SINGULAR_VALUES

    def _learn_sums(self, sums: ClassScatter, dtype: Any) -> None:
        divisor, n, d = self._divisor(sums.count[0]), rows_of(sums), sums.mean.shape[1]
        S = self._finite(sums.scatter[0]) / divisor
        scale = None
        if self.standardize:
            scale = np.sqrt(np.diag(S))
            scale[scale == 0] = 1.0
            S = S / (scale * scale[:, None])
        spectrum = spectrum_of_matrix(S, self._at_most(n, d), min(n, d))
        self._keep(spectrum, sums.mean[0], scale, divisor, n, dtype)

    def _learn_rows(self, X: Any, w: np.ndarray | None) -> None:
        n, d = X.shape
        count = float(n if w is None else w.sum())
        divisor, k, scale = self._divisor(count), self._at_most(n, d), None
        if not isinstance(X, np.ndarray):
            if self.standardize:
                raise ParameterError(
                    f"{type(self).__name__}: standardize=True would fill a sparse table of {d} columns. Scale it first "
                    "by StandardScaler(with_mean=False)."
                )
            mean, spectrum = centred_spectrum(X, w, divisor, min(k or d, min(n, d) - 1), self.random_state)
        else:
            mean = np.average(X, axis=0, weights=w).astype(np.float64)
            mean += np.average(
                X - mean, axis=0, weights=w
            )  # exact for a constant column, which has no variance
            A = X - mean
            if w is not None:
                A *= np.sqrt(w)[:, None]
            if self.standardize:
                scale = np.sqrt(np.einsum("ij,ij->j", A, A) / divisor)
                scale[scale == 0] = 1.0
                A /= scale
            with np.errstate(over="ignore"):
                self._finite(np.einsum("ij,ij->", A, A))
            if self.svd_solver == "randomized":
                power = None if self.iterated_power == "auto" else self.iterated_power
                directions = (k or min(n, d), self.n_oversamples, power)
                spectrum = random_spectrum(A, divisor, *directions, random_state=self.random_state)
            else:
                exact = self.svd_solver == "full" or max(n, d) <= ROWS_BY_SINGULAR_VALUES
                spectrum = spectrum_of_rows(A, divisor, k, exact)
        self._keep(spectrum, mean, scale, divisor, n, X.dtype)

    # Numbers of components

    def _at_most(self, n: int, d: int) -> int | None:
        """How many eigenvalues are needed at most; None for all."""
        k = self.n_components
        most = min(n, d)
        if isinstance(k, str) and k == "mle" and n < d:
            raise DataError(
                f"{type(self).__name__}: n_components='mle' is only supported if n_samples >= n_features, got {n} rows "
                f"and {d} columns."
            )
        if isinstance(k, (str, float)) and not isinstance(k, bool):
            return None
        if k is None:
            return most - 1 if self.svd_solver == "arpack" and most > 1 else most
        fewest = int(self.svd_solver in ("arpack", "randomized"))
        if (self.svd_solver == "arpack" and k == most) or not fewest <= k <= most:
            strictly = "strictly less than" if k == most else f"between {fewest} and"
            raise ParameterError(
                f"{type(self).__name__}: n_components={k} must be {strictly} min(n_samples, n_features)={most} with "
                f"svd_solver={self.svd_solver!r}"
            )
        return int(k)

    def _number(self, spectrum: Spectrum, n: int, scaled: bool, variances: np.ndarray | None) -> int:
        k = self.n_components
        if k is None or (isinstance(k, (int, np.integer)) and not isinstance(k, bool)):
            return len(spectrum.values)
        if k == "mle":
            return components_by_evidence(spectrum.values, n)
        everything = np.pad(spectrum.values, (0, spectrum.vectors.shape[1] - len(spectrum.values)))
        if k == "average":
            return average_eigenvalue_rule(everything)
        if k == "parallel":
            seed = 0 if self.random_state is None else self.random_state
            return parallel_analysis(everything, n, None if scaled else variances, random_state=seed)
        return components_for_share(spectrum.values, float(k), spectrum.total)

    def _keep(
        self, spectrum: Spectrum, mean: np.ndarray, scale: Any, divisor: float, n: int, dtype: Any
    ) -> None:
        variances = None
        if self.n_components == "parallel" and scale is None:
            variances = np.einsum("k,kj->j", spectrum.values, spectrum.vectors**2)
        k = self._number(spectrum, n, scale is not None, variances)
        self._keep_spectrum(spectrum.first(k), mean, scale, divisor, n, dtype)

    # Checks

    def _refuse_solver(self, X: Any) -> None:
        k, who = self.n_components, type(self).__name__
        if not isinstance(X, np.ndarray) and self.svd_solver in ("full", "randomized"):
            raise TypeError(
                f'{who}: PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed. See TruncatedSVD for a possible alternative.'
            )
        if self.svd_solver in ("arpack", "randomized") and isinstance(k, str):
            raise ParameterError(
                f"{who}: n_components={k!r} cannot be a string with svd_solver={self.svd_solver!r}"
            )
        if self.svd_solver in ("arpack", "randomized") and isinstance(k, float):
            raise ParameterError(
                f"{who}: n_components={k!r} must be a whole number with svd_solver={self.svd_solver!r}: a share of the "
                "variance needs all components."
            )


def _has_missing(X: Any) -> bool:
    return isinstance(X, np.ndarray) and bool(np.isnan(X).any())


class _Within:
    """The scatter of the rows whose Mahalanobis distance is no larger than chance allows."""

    def __init__(self, sums: ClassScatter, divisor: float, quantile: float, who: str):
        d = sums.mean.shape[1]
        self.limit, self.mean = float(chdtri(d, 1 - quantile)), sums.mean[0]
        S = sums.scatter[0] / divisor
        sd = np.sqrt(np.diag(S))  # distances do not depend on units
        sd[sd == 0] = 1.0
        if not np.isfinite(sd).all():
            raise DegenerateError(
                f"{who}: the squares of the columns overflow. Scale the columns first: StandardScaler."
            )
        spectrum = spectrum_of_matrix(S / sd / sd[:, None])
        if not spectrum.values[-1] > d * np.finfo(float).eps * spectrum.values[0]:
            raise DegenerateError(
                f"{who}: the covariance matrix is singular, so Mahalanobis distances and trim are not defined. Leave "
                "out constant columns and sums of others."
            )
        self.whiten = spectrum.vectors.T / np.sqrt(spectrum.values) / sd[:, None]

    def scatter(self, block: Block) -> ClassScatter:
        X = block.X if isinstance(block.X, np.ndarray) else block.X.toarray()
        Z = (X - self.mean) @ self.whiten
        inside = np.einsum("ij,ij->i", Z, Z) <= self.limit
        return scatter_of_block(Block(X[inside], None, None if block.w is None else block.w[inside]))


def rows_of(sums: ClassScatter) -> int:
    """The number of rows, weights counted as repeats."""
    return int(np.ceil(sums.count[0]))


def scatter_of_block(block: Block) -> ClassScatter:
    """The scatter matrix of rows, dense or sparse, as one class."""
    X, w = block.X, block.w
    if not isinstance(X, np.ndarray):
        return sparse_scatter(X, w)
    return class_scatter(X, np.zeros(len(X), dtype=np.int64), w, 1, pooled=True)
