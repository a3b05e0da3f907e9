"""Coordinates from a matrix of distances: its squares centred twice are dot products, whose eigenvectors are axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.reduce.embedding._geodesics as _geodesics
from assay.core.parallel import in_threads
from assay.errors import DataError
from assay.reduce.components.some_eigenpairs import some_eigenpairs
from assay.reduce.components.spectrum import with_fixed_signs

__all__ = [
    "Scaling",
    "additive_constant",
    "centred_products",
    "checked_distances",
    "classical_scaling",
    "place",
]

ROWS_FOR_LANCZOS = 200  # from which few eigenvalues are found by Lanczos steps
SHARE_FOR_LANCZOS = 0.05  # share of the rows that is few
ROWS_AT_A_TIME = 512  # of a product in one piece of work
ZERO_SHARE = 1e-12  # of the largest eigenvalue, below which an eigenvalue is rounding
ASYMMETRY = 1e-10  # share of the largest distance by which two that should be equal may differ
EXTENTS_AWAY = (
    1e12  # extents of the scaled rows: from there on less than four digits of a place are not rounding
)
SAFE = 1e100, 1e-100  # largest distances whose squares and sums of squares stay in range


@dataclass(frozen=True)
class Scaling:
    r"""Eigenpairs of :math:`B = -\frac12 J D^{(2)} J` and what they leave out.

    values : (k,) eigenvalues, the largest first      vectors : (n, k)
    total : the sum of all eigenvalues, the negative ones counted as such
    means : (m,) the means of the columns of :math:`D^{(2)}`, by which new rows are centred
    """

    values: np.ndarray
    vectors: np.ndarray
    total: float
    means: np.ndarray

    @property
    def coordinates(self) -> np.ndarray:
        """(n, k) sqrt(lambda_j) c_j; 0 where an eigenvalue is not above 0."""
        return self.vectors * np.sqrt(np.maximum(self.values, 0.0))

    def place(self, distances: np.ndarray) -> np.ndarray:
        r"""(q, k) coordinates of rows whose distances (q, n) to the scaled rows are known.

        .. math:: z_j = -\tfrac1{2\sqrt{\lambda_j}} c_j^T(\delta - \bar\delta)
        """
        return place(distances, self.values, self.coordinates, self.means)


def place(
    distances: np.ndarray,
    values: np.ndarray,
    coordinates: np.ndarray,
    means: np.ndarray,
    who: str = "",
    first: int = 0,
) -> np.ndarray:
    """(q, k) what `Scaling.place` says, from the coordinates of the scaled rows; ``first`` is the first row's number.

    A square of a distance d is known up to 1e-16 d^2, and the coordinate is of the size of d: so far away it is lost.
    """
    most, extent = distances.max(axis=1, initial=0.0), float(np.abs(coordinates).max(initial=0.0))
    if extent > 0 and (most > EXTENTS_AWAY * extent).any():
        i = int(np.argmax(most > EXTENTS_AWAY * extent))
        raise DataError(
            f"row {first + i + 1} lies {most[i]:.3g} from a training row, and these no more than {extent:.3g} from "
            "their middle: its place is lost in rounding. Look at its numbers, or leave it out.",
            who=who,
        )
    axes = coordinates / np.where(values > 0, values, np.inf)
    axes = axes - axes.mean(axis=0)  # 0 but for rounding, so that what all squares have in common drops out
    return -0.5 * ((distances * distances - means) @ axes)


def classical_scaling(distances: np.ndarray, k: int) -> Scaling:
    """The k leading axes of a symmetric (n, n) matrix of distances.

    Few axes of many rows by Lanczos steps that square the distances while they multiply, so that no second matrix is
    made; else by a full decomposition.
    """
    n = len(distances)
    k = min(k, n)
    unit = _unit(distances)
    D = distances if unit == 1 else distances / unit
    means = _squared_product(D, np.full((n, 1), 1.0 / n))[:, 0]
    total = 0.5 * float(means.sum())
    if n > ROWS_FOR_LANCZOS and k <= SHARE_FOR_LANCZOS * n:
        from scipy.sparse.linalg import LinearOperator, eigsh

        def centred(v: np.ndarray) -> np.ndarray:
            v = v.reshape(n, -1)
            product = -0.5 * _squared_product(D, v - v.mean(axis=0))
            return product - product.mean(axis=0)

        start = np.random.RandomState(0).uniform(-1, 1, n)
        operator = LinearOperator((n, n), matvec=centred, matmat=centred, dtype=np.float64)
        values, vectors = eigsh(operator, k, which="LA", v0=start)
    else:
        values, vectors = some_eigenpairs(centred_products(D), n - k, n - 1)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], with_fixed_signs(vectors[:, order].T).T
    values = np.where(np.abs(values) > ZERO_SHARE * np.abs(values).max(initial=0.0), values, 0.0)
    with np.errstate(over="ignore"):
        square = np.float64(unit) ** 2
        means, total = means * square, float(total * square)
    return Scaling(squarable(values * square, total), np.ascontiguousarray(vectors), total, means)


def squarable(values: np.ndarray, total: float) -> np.ndarray:
    """The eigenvalues, unless the squares of the distances left the range of numbers."""
    if not np.isfinite(total):
        raise DataError(
            "the distances are too large to be squared. Divide them, or the columns, by a power of ten."
        )
    return values


def centred_products(distances: np.ndarray) -> np.ndarray:
    r"""(n, n) the dot products of centred points with these distances, :math:`B = -\frac12 J D^{(2)} J`.

    >>> import numpy as np
    >>> from assay.reduce import centred_products
    >>> rectangle = [[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0]]
    >>> centred_products(np.array(rectangle))[0]
    array([ 6.25,  1.75, -6.25, -1.75])
    """
    B = np.asarray(distances, dtype=np.float64) ** 2
    B -= B.mean(axis=0)
    B -= B.mean(axis=1, keepdims=True)
    B *= -0.5
    return B


def additive_constant(distances: np.ndarray) -> float:
    r"""The smallest c for which :math:`d_{rs} + c` (r other than s) are distances of points.

    It is the largest real eigenvalue of :math:`\begin{pmatrix}0&2B\\-I&-4B_1\end{pmatrix}`, with :math:`B_1` as B but
    from the distances themselves. Distances of points have c = 0.

    Cost: O(n^3), of a matrix of twice the rows.

    >>> import numpy as np
    >>> from assay.reduce import additive_constant
    >>> star = [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]]
    >>> round(additive_constant(np.array(star)), 6)
    0.366025

    References
    ----------
    - Cailliez, F. (1983). The analytical solution of the additive constant problem. Psychometrika 48, 305-308.
      doi:10.1007/BF02294026
    """
    D = np.asarray(distances, dtype=np.float64)
    n, unit = len(D), _unit(D)
    D = D / unit
    linear = D - D.mean(axis=0)
    linear -= linear.mean(axis=1, keepdims=True)
    M = np.block([[np.zeros((n, n)), 2 * centred_products(D)], [-np.eye(n), 2 * linear]])
    values = np.linalg.eigvals(M)
    scale = np.abs(values).max(initial=0.0)
    real = values.real[np.abs(values.imag) <= 1e-7 * scale]
    return float(max(real.max(initial=0.0), 0.0)) * unit


def checked_distances(D: np.ndarray, who: str) -> np.ndarray:
    """A symmetric matrix of distances; of one that is symmetric but for rounding, the mean of both halves."""
    D = np.asarray(D, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise DataError(
            f"{who}: distances must be a square matrix, got one of {' x '.join(map(str, D.shape))}."
        )
    if not np.isfinite(D).all() or (D < 0).any():
        raise DataError(f"{who}: distances must be finite numbers, none below 0.")
    if not np.array_equal(D, D.T):
        i, j = np.unravel_index(int(np.argmax(np.abs(D - D.T))), D.shape)
        if abs(D[i, j] - D[j, i]) > ASYMMETRY * D.max():
            raise DataError(
                f"{who}: Array must be symmetric: the distance of rows {i + 1} and {j + 1} is {D[i, j]:g}, that of "
                f"{j + 1} and {i + 1} is {D[j, i]:g}. Take their mean: (D + D.T) / 2."
            )
        D = (D + D.T) / 2
    if D.diagonal().any():  # a missing value is away from itself, a row is not
        D = D * (1 - np.eye(len(D)))
    return D


def _unit(D: np.ndarray) -> float:
    """A power of 2 by which distances are divided whose squares would leave the range of numbers."""
    largest = float(D.max(initial=0.0))
    return 1.0 if largest == 0 or SAFE[1] < largest < SAFE[0] else float(2.0 ** np.floor(np.log2(largest)))


def _squared_product(D: np.ndarray, V: np.ndarray) -> np.ndarray:
    """(n, k) the product of the squared entries of D with V."""
    D, V = np.ascontiguousarray(D, dtype=np.float64), np.ascontiguousarray(V)
    out = np.empty((len(D), V.shape[1]))

    def rows(first: int) -> None:
        some = slice(first, first + ROWS_AT_A_TIME)
        _geodesics.squared_product(D[some], V, out[some])

    in_threads(rows, range(0, len(D), ROWS_AT_A_TIME))
    return out
