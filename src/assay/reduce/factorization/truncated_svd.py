"""Leading singular vectors of a table that is not centred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.moments import ClassScatter, class_moments
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Object
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.errors import DegenerateError, ParameterError
from assay.reduce.components.linear_components import LinearComponents
from assay.reduce.components.pca import scatter_of_block
from assay.reduce.components.spectrum import Spectrum, spectrum_of_matrix, spectrum_of_rows, with_fixed_signs
from assay.reduce.factorization.gram_product import LANES, gram_inner, gram_product
from assay.stats.multivariate.leading_eigenvectors import (
    Leading,
    approximate_eigenvectors,
    leading_eigenvectors,
)
from assay.types import RandomState

__all__ = ["TruncatedSVD"]

MOST_COLUMNS = 1000  # of a table whose products of columns are added up and kept
SMALL_SIDES = 500  # up to this many rows and columns the singular values of the rows themselves are computed
FEW_PASSES, SOME_PASSES = 3, 5  # below each of which one pass more makes a difference
SAFE = 1e-30, 1e30  # between these lengths of a whole table its fourth power neither overflows nor vanishes
EXACT = 1e-12  # of the largest squared singular value, that a residual may have where tol is 0


class TruncatedSVD(WithoutTarget, SumLearner, LinearComponents):
    r"""The k directions that hold most of the squared length of the rows, which are not centred: sparse stays sparse.

    .. math:: X = \sum_i a_i u_i v_i^T, \quad a_1 \ge a_2 \ge \dots, \qquad z_i = v_i^Tx            \quad (1)

    The first k terms are the best approximation of X by a matrix of rank k, with the squared error
    :math:`\sum_{i>k} a_i^2` (Eckart and Young). :math:`a_i^2` are the eigenvalues of :math:`X^TX`, and :math:`v_i` its
    eigenvectors: up to 1000 columns that matrix is a sum over rows, the answer is exact, and rows can be added by
    ``partial_fit``. With more columns passes over the rows multiply it with blocks of vectors, from memory, files
    (``fit_blocks``) or a Dask cluster alike. Names, parameters and answers are scikit-learn's.

    Cost: fit O(n d^2 + d^3) up to 1000 columns, else O(N (k + 10)) in each of ``n_iter`` + 1 passes over N entries;
    transform O(k) an entry; memory O(d^2) or O(d k).

    Parameters
    ----------
    n_components : int, default 2
        The number k of directions, at most the number of columns.
    algorithm : "randomized" or "arpack", default "randomized"
        For more than 1000 columns: "randomized" makes a fixed number of passes, "arpack" as many as all digits (or
        ``tol``) need. Up to 1000 columns both are exact.
    n_iter : int, default 5
        Passes of "randomized", not counting the last; of fewer than 5 one more is made and of fewer than 3 two, so that
        the answer is no less exact than scikit-learn's.
    n_oversamples : int, default 10
        Vectors in a block beyond k, and a few more up to a multiple of 8.
    power_iteration_normalizer : "auto", "QR", "LU" or "none", default "auto"
        Accepted as scikit-learn's; blocks are orthonormalised.
    random_state : int, RandomState or None, default None
        The first block; None is always the same one.
    tol : float, default 0
        Of "arpack": residual of a vector as a share of the largest :math:`a_i^2`; 0 is rounding.

    Attributes
    ----------
    components_ : (k, d) unit vectors v, the largest entry of each positive      singular_values_ : (k,) a
    explained_variance_ : (k,) variances of the new columns, divisor n
    explained_variance_ratio_ : (k,) their shares of the variance of all columns

    Examples
    --------
    >>> from assay.reduce import TruncatedSVD
    >>> svd = TruncatedSVD(n_components=1).fit([[3.0, 0.0], [4.0, 5.0]])
    >>> svd.singular_values_.round(6), svd.components_.round(6)
    (array([6.708204]), array([[0.707107, 0.707107]]))
    >>> svd.reconstruction_error([[3.0, 0.0], [4.0, 5.0]]).sum().round(9)    # the square of the other one
    np.float64(5.0)

    See Also
    --------
    PCA, LatentSemanticIndexing

    References
    ----------
    - Eckart, C. and Young, G. (1936). The approximation of one matrix by another of lower rank. Psychometrika 1,
      211-218.
    - Halko, N., Martinsson, P.-G. and Tropp, J. A. (2011). Finding structure with randomness: probabilistic algorithms
      for constructing approximate matrix decompositions. SIAM Review 53, 217-288.
    """

    card = Card("truncated svd", "directions of largest squared length, not centred", also=("svd",))
    accepts = {
        "n_components": Count(1),
        "algorithm": Choice("arpack", "randomized"),
        "n_iter": Count(0),
        "n_oversamples": Count(1),
        "power_iteration_normalizer": Choice("auto", "QR", "LU", "none"),
        "random_state": Seed(),
        "tol": Range(0),
    }
    takes = frozenset({"sparse"})
    stored = {"_sums": Object(ClassScatter)}

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: RandomState = None,
        tol: float = 0.0,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # Learning

    def _learn_from(self, source: Source) -> None:
        d = len(self._names)
        if d > MOST_COLUMNS:
            self._learn_by_passes(source, d)
            return
        self._sums = source.add_up(lambda block: self._summarize(block.X, None, block.w))
        self._solve(self._sums, source if isinstance(source, Rows) else None)

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> ClassScatter:
        if X.shape[1] > MOST_COLUMNS:
            raise ParameterError(
                f"{type(self).__name__}: partial_fit keeps the products of all pairs of columns, at most "
                f"{MOST_COLUMNS} of them, got {X.shape[1]}. Use fit_blocks, which goes over the rows more than once."
            )
        return scatter_of_block(Block(X, None, w))

    def _solve(self, sums: ClassScatter, rows: Rows | None = None) -> None:
        count, mean, d = float(sums.count[0]), sums.mean[0], sums.mean.shape[1]
        k = self._number(d)
        if not count > 0:
            raise DegenerateError(
                f"{type(self).__name__}: all weights are 0, so there is nothing to learn from."
            )
        gram = self._finite(sums.scatter[0] + count * np.outer(mean, mean))
        if rows is not None and max(rows.X.shape) <= SMALL_SIDES:
            spectrum = spectrum_of_rows(_weighted(rows), 1.0, k, exact=True)
        else:
            spectrum = spectrum_of_matrix(gram, k)
            if not spectrum.sound and rows is not None and isinstance(rows.X, np.ndarray):
                spectrum = spectrum_of_rows(_weighted(rows), 1.0, k, exact=True)
        V = spectrum.vectors
        inner = np.maximum(np.einsum("kj,kj->k", V @ sums.scatter[0], V), 0.0)
        self._keep(spectrum, inner / count, float(np.trace(sums.scatter[0])) / count, rows)

    def _learn_by_passes(self, source: Source, d: int) -> None:
        k = self._number(d)
        moments = source.add_up(_column_sums)
        self._finite(np.array([moments.spread]))
        random = random_state_of(0 if self.random_state is None else self.random_state)
        largest = np.sqrt(moments.squares)  # products of products must not overflow or vanish
        unit = 1.0 if SAFE[0] < largest < SAFE[1] or not largest > 0 else 1.0 / largest

        def scaled(block: Any) -> Any:
            return block if unit == 1.0 else block * unit

        def product(block: np.ndarray) -> np.ndarray:
            return np.asarray(scaled(gram_product(source, scaled(block))))

        def inner(block: np.ndarray) -> np.ndarray:
            return gram_inner(source, scaled(block))

        def start() -> np.ndarray:
            b = (k + self.n_oversamples) // LANES * LANES + LANES  # what native code fills up with zeros else
            return random.uniform(-1.0, 1.0, size=(d, min(b, d)))

        if (
            self.algorithm == "arpack"
            and isinstance(source, Rows)
            and source.w is None
            and k < min(source.X.shape)
        ):
            from scipy.sparse.linalg import svds

            X = source.X.astype(np.float64, copy=False)
            _, lengths, vectors = svds(
                scaled(X), k, tol=self.tol, v0=random.uniform(-1.0, 1.0, size=min(X.shape))
            )
            leading = Leading(lengths[::-1] ** 2, vectors[::-1].T, 0.0, 0)
        elif self.algorithm == "arpack":
            leading = leading_eigenvectors(product, start(), k, self.tol or EXACT)
        else:
            products = self.n_iter + (self.n_iter < FEW_PASSES) + (self.n_iter < SOME_PASSES)
            leading = approximate_eigenvectors(product, start(), k, products, inner)
        values = np.maximum(leading.values, 0.0) / unit**2
        spectrum = Spectrum(values, with_fixed_signs(leading.vectors.T), moments.squares, d)
        along = spectrum.vectors @ moments.mean
        variances = np.maximum(values / moments.count - along**2, 0.0)
        self._keep(
            spectrum, variances, moments.spread / moments.count, source if isinstance(source, Rows) else None
        )

    def _keep(self, spectrum: Spectrum, variances: np.ndarray, total: float, rows: Rows | None) -> None:
        k, short = self._number(spectrum.vectors.shape[1]), len(spectrum.values)
        if short < k:  # fewer rows than components: the others have singular value 0
            missing = np.zeros((k - short, spectrum.vectors.shape[1]))
            spectrum = Spectrum(
                np.pad(spectrum.values, (0, k - short)),
                np.vstack([spectrum.vectors, missing]),
                spectrum.total,
                k,
            ).determined()
            variances = np.pad(variances, (0, k - short))
        single = np.float32 if rows is not None and rows.X.dtype == np.float32 else np.float64
        self.components_ = np.ascontiguousarray(spectrum.vectors, dtype=single)
        self.singular_values_ = np.sqrt(spectrum.values).astype(single)
        self.explained_variance_ = variances.astype(single)
        self.explained_variance_ratio_ = (variances / total if total > 0 else np.zeros(k)).astype(single)
        self._n_features_out = k

    def _number(self, d: int) -> int:
        if self.n_components > d or (self.algorithm == "arpack" and self.n_components == d and d > 1):
            limit = "less than" if self.algorithm == "arpack" else "at most"
            raise ParameterError(
                f"{type(self).__name__}: n_components={self.n_components} must be {limit} the {d} columns."
            )
        return self.n_components


@dataclass
class _ColumnSums:
    """What is known of the columns after one pass: weight, means, squared deviations of all, squares of all."""

    count: float
    mean: np.ndarray
    spread: float
    squares: float

    def __add__(self, other: _ColumnSums) -> _ColumnSums:
        count = self.count + other.count
        share = other.count / count if count > 0 else 0.0
        gap = other.mean - self.mean
        spread = self.spread + other.spread + self.count * share * float(gap @ gap)
        return _ColumnSums(count, self.mean + share * gap, spread, self.squares + other.squares)


def _column_sums(block: Block) -> _ColumnSums:
    X, w = block.X, block.w
    if isinstance(X, np.ndarray):
        moments = class_moments(X, np.zeros(len(X), dtype=np.int64), w, 1)
        count, mean, spread = float(moments.count[0]), moments.mean[0], float(moments.scatter.sum())
        return _ColumnSums(count, mean, spread, spread + count * float(mean @ mean))
    count = float(X.shape[0] if w is None else w.sum())
    sums = np.asarray(X.sum(axis=0) if w is None else X.T @ w, dtype=np.float64).ravel()
    values = X.data.astype(np.float64)
    each = values if w is None else values * np.repeat(w, np.diff(X.indptr))
    squares, mean = float(values @ each), sums / count if count > 0 else sums
    return _ColumnSums(count, mean, max(squares - count * float(mean @ mean), 0.0), squares)


def _weighted(rows: Rows) -> np.ndarray:
    X = rows.X if isinstance(rows.X, np.ndarray) else rows.X.toarray()
    X = X.astype(np.float64)
    return X if rows.w is None else X * np.sqrt(rows.w)[:, None]
