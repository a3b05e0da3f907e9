"""Kernel matrices: whether they are ones, how to repair those that are not, centring, normalising, alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, DegenerateError, ParameterError

__all__ = [
    "GramReport",
    "RepairedGram",
    "center_gram",
    "check_gram",
    "kernel_alignment",
    "normalize_gram",
    "repair_gram",
]

TOLERANCE = 1e-10  # of the largest eigenvalue: what rounding may leave below 0


@dataclass(frozen=True, eq=False)
class GramReport:
    """What `check_gram` sees in a matrix.

    Attributes
    ----------
    n : int
    symmetric : bool, up to the tolerance      asymmetry : float, the largest difference of K and its transpose
    eigenvalues : (n,) of the symmetric part, ascending
    smallest, largest : float, the first and last of them
    psd : bool, whether it is symmetric and has no eigenvalue below minus the tolerance
    rank : int, eigenvalues above the tolerance in size
    sentence : str, the finding in words
    """

    n: int
    symmetric: bool
    asymmetry: float
    eigenvalues: np.ndarray
    psd: bool
    rank: int
    sentence: str

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue."""
        return float(self.eigenvalues[0])

    @property
    def largest(self) -> float:
        """The largest eigenvalue."""
        return float(self.eigenvalues[-1])

    def __repr__(self) -> str:
        return f"GramReport: {self.sentence}"


def check_gram(K: np.ndarray, tol: float = TOLERANCE) -> GramReport:
    """Whether a matrix is a kernel matrix: symmetric and positive semidefinite (Mercer's condition for these rows).

    Parameters
    ----------
    K : (n, n) array
    tol : float, default 1e-10
        How far below 0 an eigenvalue may lie, and how far K may differ from its transpose, as a share of the largest
        eigenvalue.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Sigmoid, check_gram
    >>> check_gram(Sigmoid(2.0, 1.0)(np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])))
    GramReport: symmetric, but not positive semidefinite: 1 of 3 eigenvalues below 0, the smallest is -0.0855.

    See Also
    --------
    repair_gram
    """
    K = _square(K, "check_gram")
    n = len(K)
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    size = max(abs(eigenvalues[0]), abs(eigenvalues[-1]))
    asymmetry = float(np.abs(K - K.T).max())
    symmetric = asymmetry <= tol * max(size, np.abs(K).max())
    limit = max(tol, n * np.finfo(float).eps) * size
    rank, below = int((np.abs(eigenvalues) > limit).sum()), int((eigenvalues < -limit).sum())
    if not symmetric:
        sentence = f"not symmetric: K and its transpose differ by up to {asymmetry:.3g}"
    elif below:
        sentence = (
            f"symmetric, but not positive semidefinite: {below} of {n} eigenvalues below 0, the smallest is "
            f"{eigenvalues[0]:.3g}"
        )
    else:
        sentence = f"symmetric and positive semidefinite, of rank {rank} of {n}"
    return GramReport(n, symmetric, asymmetry, eigenvalues, symmetric and not below, rank, sentence + ".")


@dataclass(frozen=True, eq=False)
class RepairedGram:
    """A kernel matrix made positive semidefinite, and the same change for new rows.

    Attributes
    ----------
    K : (n, n) the repaired matrix
    how : str
    change : float, the size of what was changed as a share of the matrix (Frobenius norms)
    changed : int, the number of eigenvalues that were changed
    sentence : str, what was done in words
    """

    K: np.ndarray
    how: str
    change: float
    changed: int
    sentence: str
    map_: np.ndarray | None = None  # (n, n) what rows are multiplied by; None leaves them as they are

    def rows(self, values: ArrayLike) -> np.ndarray:
        """(q, n) values of new rows with the training rows, repaired as the matrix was.

        Clipping and flipping multiply the matrix by a map; the same map applied to a row of the training matrix gives
        the row of the repaired one. Shifting changes what a row has with itself only, so other rows stay.
        """
        values = np.asarray(values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.K):
            raise DataError(
                f"RepairedGram.rows: each row must hold its values with the {len(self.K)} training rows, got the shape "
                f"{values.shape}."
            )
        return values if self.map_ is None else values @ self.map_

    def __repr__(self) -> str:
        return f"RepairedGram: {self.sentence}"


def repair_gram(K: np.ndarray, how: Literal["clip", "flip", "shift"] = "clip") -> RepairedGram:
    r"""Make a symmetric matrix positive semidefinite; an asymmetric one is replaced by the mean with its transpose.

    With :math:`K = V \Lambda V^T`:

    ======= ============================================ ==========================================================
    how     repaired matrix                              it takes negative eigenvalues for
    ======= ============================================ ==========================================================
    "clip"  :math:`V \max(\Lambda, 0) V^T`               noise: the nearest positive semidefinite matrix
    "flip"  :math:`V |\Lambda| V^T`                      information, as the singular values of K
    "shift" :math:`K - \min(\lambda_{min}, 0) I`         too small self-similarities; only the diagonal changes
    ======= ============================================ ==========================================================

    Parameters
    ----------
    K : (n, n) array
    how : "clip", "flip" or "shift", default "clip"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import repair_gram
    >>> repaired = repair_gram([[0.0, 2.0], [2.0, 0.0]])  # eigenvalues -2 and 2
    >>> repaired.K
    array([[1., 1.],
           [1., 1.]])
    >>> repaired
    RepairedGram: clipped 1 of 2 eigenvalues below 0 (the smallest was -2); the matrix changed by 71 %.

    See Also
    --------
    check_gram

    References
    ----------
    - Chen, Y., Garcia, E. K., Gupta, M. R., Rahimi, A. and Cazzanti, L. (2009). Similarity-based classification:
      concepts and algorithms. Journal of Machine Learning Research 10, 747-776.
    """
    if how not in ("clip", "flip", "shift"):
        raise ParameterError(f"repair_gram: how must be 'clip', 'flip' or 'shift', got {how!r}.")
    K = _square(K, "repair_gram")
    S = (K + K.T) / 2
    values, vectors = np.linalg.eigh(S)
    below = int((values < 0).sum())
    rows_map = None
    if not below:
        repaired = S
    elif how == "shift":
        repaired = S - values[0] * np.eye(len(S))
    else:
        repaired = (vectors * (np.maximum(values, 0) if how == "clip" else np.abs(values))) @ vectors.T
        repaired = (repaired + repaired.T) / 2
        rows_map = (
            vectors * ((values > 0) if how == "clip" else np.where(values < 0, -1.0, 1.0))
        ) @ vectors.T
    norm = np.linalg.norm(K)
    change = float(np.linalg.norm(repaired - K) / norm) if norm else 0.0
    word = {"clip": "clipped", "flip": "flipped", "shift": "shifted"}[how]
    if not below:
        sentence = "nothing to repair" + (" but the asymmetry" if change else "")
    else:
        sentence = (
            f"{word} {below} of {len(K)} eigenvalues below 0 (the smallest was {values[0]:.3g}); the matrix changed by "
            f"{100 * change:.2g} %"
        )
    return RepairedGram(repaired, how, change, below, sentence + ".", rows_map)


def center_gram(K: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    r"""The kernel matrix after the mean of the training rows' features is taken away.

    .. math:: K_c = (I - U/n)\, K\, (I - U/n), \quad U_{ij} = 1 \quad (1)

    Parameters
    ----------
    K : (n, n) values of the training rows
    rows : (q, n) values of new rows with the training rows, default None
        Given, these are centred by the same mean and returned.

    Examples
    --------
    >>> from assay.kernels import center_gram
    >>> center_gram([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    K = _square(K, "center_gram")
    values = K if rows is None else _beside(rows, K, "center_gram")
    return values - values.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()


def normalize_gram(K: np.ndarray, rows: np.ndarray | None = None, diagonal: Any = None) -> np.ndarray:
    r"""The kernel matrix of features of length 1, :math:`K_{ij} / \sqrt{K_{ii} K_{jj}}`.

    Parameters
    ----------
    K : (n, n) values of the training rows
    rows : (q, n) values of new rows with the training rows, default None
        Given, these are normalised and returned.
    diagonal : (q,) values of the new rows with themselves, with ``rows``

    Examples
    --------
    >>> from assay.kernels import normalize_gram
    >>> normalize_gram([[4.0, 2.0], [2.0, 9.0]]).round(4)
    array([[1.    , 0.3333],
           [0.3333, 1.    ]])
    """
    K = _square(K, "normalize_gram")
    if rows is None:
        lengths = _lengths(np.diagonal(K))
        normalized = K / lengths[:, None] / lengths
        np.fill_diagonal(normalized, 1.0)
        return normalized
    if diagonal is None:
        raise ParameterError("normalize_gram: new rows need their own values, diagonal=kernel.diagonal(X).")
    values = _beside(rows, K, "normalize_gram")
    return values / _lengths(np.asarray(diagonal, dtype=np.float64))[:, None] / _lengths(np.diagonal(K))


def _lengths(diagonal: np.ndarray) -> np.ndarray:
    if not (diagonal > 0).all():
        raise DegenerateError(
            f"normalize_gram: row {int(np.argmin(diagonal)) + 1} has {diagonal.min():.3g} as its own value, expected "
            "one above 0."
        )
    return np.sqrt(diagonal)


def kernel_alignment(
    K: np.ndarray, target: Any, *, center: bool = True, classes: bool | None = None
) -> float:
    r"""How well a kernel matrix fits a target: the cosine of the angle between the two matrices.

    .. math:: A = \frac{\langle K, L \rangle}{\|K\| \|L\|}, \quad L = y y^T \quad (1)

    for numbers y, and for classes L = 1 in the same class, -1/(c - 1) in different ones of c classes (for two classes
    :math:`y y^T` of -1 and 1). Centred matrices tell more, since a constant part of K fits nothing.

    Parameters
    ----------
    K : (n, n) array
    target : (n,) classes or numbers, or another (n, n) kernel matrix
    center : bool, default True
    classes : bool, default None
        Whether the target's values are classes; None takes whole numbers and text for classes, others for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import kernel_alignment
    >>> K = np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> round(kernel_alignment(K, ["a", "a", "b"], center=False), 6)
    1.0

    References
    ----------
    - Cristianini, N., Shawe-Taylor, J., Elisseeff, A. and Kandola, J. (2001). On kernel-target alignment. Advances in
      Neural Information Processing Systems 14.
    - Cortes, C., Mohri, M. and Rostamizadeh, A. (2012). Algorithms for learning kernels based on centered alignment.
      Journal of Machine Learning Research 13, 795-828.
    """
    K, target = _square(K, "kernel_alignment"), np.asarray(target)
    if target.ndim == 2:
        L = _square(target, "kernel_alignment")
    elif target.dtype.kind not in "f" if classes is None else classes:
        codes = np.unique(target, return_inverse=True)[1].ravel()
        L = np.where(codes[:, None] == codes, 1.0, -1.0 / max(int(codes.max()), 1))
    else:
        numbers = target.astype(np.float64)
        L = np.outer(numbers, numbers)
    if len(L) != len(K):
        raise DataError(f"kernel_alignment: K is of {len(K)} rows, the target of {len(L)}.")
    if center:
        K, L = center_gram(K), center_gram(L)
    norms = float(np.linalg.norm(K) * np.linalg.norm(L))
    return float((K * L).sum() / norms) if norms else 0.0


def _square(K: Any, who: str) -> np.ndarray:
    try:
        K = np.asarray(K, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: K must be a square matrix of numbers, got {type(K).__name__}.") from None
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise DataError(f"{who}: K must be a square matrix, got the shape {K.shape}.")
    if not np.isfinite(K).all():
        raise DataError(f"{who}: K has values that are no finite numbers.")
    return K


def _beside(rows: Any, K: np.ndarray, who: str) -> np.ndarray:
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(K):
        raise DataError(
            f"{who}: rows must hold values with the {len(K)} training rows, got the shape {values.shape}."
        )
    return values
