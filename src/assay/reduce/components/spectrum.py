"""Eigenvalues and eigenvectors of a covariance matrix: from sums over rows, or from the rows where these are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.reduce.components.some_eigenpairs import some_eigenpairs

__all__ = ["Spectrum", "spectrum_of_matrix", "spectrum_of_rows", "with_fixed_signs"]

SAFE = 1e-140, 1e140  # largest entries of a matrix between which its eigenvalues can be computed as it is
FEW_OF_ALL = 0.3  # up to this share of the eigenvectors they are computed apart from the others
SOUND_RATIO = (
    1e-10  # of the largest eigenvalue, below which squaring the data has cost the digits of an eigenvalue
)

MOST_WORK_ON_ZEROS = 10**8  # numbers touched to determine vectors of eigenvalue 0
SHORTEST_LEFT = (
    1e-3  # of an axis outside of the vectors so far, that still gives its direction with enough digits
)


@dataclass(frozen=True)
class Spectrum:
    r"""The leading part of :math:`S = \sum_i \lambda_i v_i v_i^T`.

    values : (k,) eigenvalues, the largest first      vectors : (k, d) unit vectors
    total : the sum of all eigenvalues      size : how many of them can differ from 0, min(n, d)
    """

    values: np.ndarray
    vectors: np.ndarray
    total: float
    size: int

    def first(self, k: int) -> Spectrum:
        """The k largest alone."""
        return Spectrum(self.values[:k], self.vectors[:k], self.total, self.size)

    @property
    def rest(self) -> float:
        """The mean of the eigenvalues that are left out; 0 if none are."""
        left_out = self.size - len(self.values)
        return max(0.0, self.total - float(self.values.sum())) / left_out if left_out > 0 else 0.0

    @property
    def sound(self) -> bool:
        """Whether no eigenvalue is so small that rounding of squares can have changed it."""
        if not len(self.values) or not self.values[0] > 0:
            return True
        zero = len(self.vectors[0]) * np.finfo(float).eps * self.values[0]
        return not np.any((self.values > zero) & (self.values < SOUND_RATIO * self.values[0]))

    def determined(self) -> Spectrum:
        """The same, with vectors of eigenvalue 0 that depend on the others alone and not on rounding."""
        d = self.vectors.shape[1]
        solid = self.values > d * np.finfo(float).eps * self.values.max(initial=0.0)
        if solid.all() or np.sum(~solid) ** 2 * d > MOST_WORK_ON_ZEROS:
            return self
        completed = _complement(self.vectors[solid], int(np.sum(~solid)))
        if completed is None:
            return self
        vectors = np.vstack([self.vectors[solid], with_fixed_signs(completed)])
        return Spectrum(np.where(solid, self.values, 0.0), vectors, self.total, self.size)


def spectrum_of_matrix(S: np.ndarray, k: int | None = None, size: int | None = None) -> Spectrum:
    """The k largest eigenvalues of a symmetric matrix S (d, d) and their vectors; None takes all.

    >>> import numpy as np
    >>> from assay.reduce.components.spectrum import spectrum_of_matrix
    >>> spectrum = spectrum_of_matrix(np.array([[5.2, 3.6], [3.6, 5.2]]), 1)
    >>> spectrum.values.round(6), spectrum.vectors.round(6), round(spectrum.rest, 6)
    (array([8.8]), array([[0.707107, 0.707107]]), 1.6)
    """
    d = len(S)
    values, vectors = _largest(S, d if k is None else min(k, d))
    return Spectrum(values, with_fixed_signs(vectors.T), float(np.trace(S)), d if size is None else size)


def spectrum_of_rows(A: np.ndarray, divisor: float, k: int | None = None, exact: bool = False) -> Spectrum:
    r"""The eigenvalues of :math:`A^TA / c` for centred rows A (m, d).

    For m < d the small matrix :math:`AA^T = VEV^T` has the same ones, and the vectors are :math:`A^Tv_i/\sqrt{E_i}`.
    Where that would cost digits, or with ``exact``, the singular values of A itself are computed.
    """
    m, d = A.shape
    most = min(m, d)
    k = most if k is None else min(k, most)
    total = float(np.einsum("ij,ij->", A, A)) / divisor
    if not exact and 0 < k <= FEW_OF_ALL * m:
        values, V = _largest(A @ A.T, k)
        spectrum = Spectrum(values / divisor, np.empty((k, d)), total, most)
        if values[-1] > 0 and spectrum.sound:
            vectors = (V / np.sqrt(values)).T @ A
            return Spectrum(spectrum.values, with_fixed_signs(vectors), total, most)
    from scipy.linalg import svd

    _, s, vectors = svd(A, full_matrices=False, check_finite=False)
    return Spectrum(s[:k] ** 2 / divisor, with_fixed_signs(vectors[:k]), total, most)


def with_fixed_signs(vectors: np.ndarray) -> np.ndarray:
    """Each row with the sign that makes its largest entry positive: eigenvectors have none of their own.

    Of entries that are equally large up to rounding it is the first.

    >>> import numpy as np
    >>> from assay.reduce.components.spectrum import with_fixed_signs
    >>> with_fixed_signs(np.array([[0.6, -0.8], [0.8, 0.6]]))
    array([[-0.6,  0.8],
           [ 0.8,  0.6]])
    """
    sizes = np.abs(vectors)
    largest = np.argmax(sizes >= sizes.max(axis=1, keepdims=True, initial=0) * (1 - 1e-9), axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), largest])
    return vectors * np.where(signs == 0, 1.0, signs)[:, None]


def _complement(V: np.ndarray, m: int) -> np.ndarray | None:
    """m orthonormal vectors orthogonal to the rows of V: what is left of the first axes that are not among these."""
    d, basis = V.shape[1], V
    for j in range(d):
        left = np.zeros(d)
        left[j] = 1.0
        for _ in range(2):  # once more takes away what rounding left
            left -= basis.T @ (basis @ left)
        length = float(np.linalg.norm(left))
        if length > SHORTEST_LEFT:
            basis = np.vstack([basis, left / length])
            if len(basis) == len(V) + m:
                return basis[len(V) :]
    return None


def _largest(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(k,) the largest eigenvalues, none below 0, and (d, k) their vectors."""
    d, largest = len(S), float(np.abs(S).max(initial=0.0))
    if (
        largest > 0 and not SAFE[0] < largest < SAFE[1]
    ):  # where steps of the decomposition would leave the range
        unit = 2.0 ** np.floor(np.log2(largest))
        values, vectors = _largest(S / unit, k)
        return values * unit, vectors
    if 0 < k <= FEW_OF_ALL * d:
        values, vectors = some_eigenpairs(S, d - k, d - 1)
    else:
        values, vectors = np.linalg.eigh(S)
        values, vectors = values[d - k :], vectors[:, d - k :]
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
