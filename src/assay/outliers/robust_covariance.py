"""The covariance with the least determinant: of the half of the rows that lie most closely together."""

from __future__ import annotations

import numpy as np

from assay.core.progress import track
from assay.distances.mahalanobis import inverse_of, mean_of

__all__ = ["least_determinant"]

BEST = 10  # starts that are followed to the end
FLAT = 1e-12  # variances below so much of the largest, in units of the columns, are none


def least_determinant(
    X: np.ndarray, size: int, n_starts: int, draw: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Location, covariance and support of the ``size`` rows whose covariance has the least determinant.

    From the mean and covariance of d + 1 rows drawn at random, concentration steps take the ``size`` nearest rows by
    Mahalanobis' distance and compute mean and covariance of these,

    .. math:: H \leftarrow \{\text{the } h \text{ rows with least } D^2_H(x)\} \quad (1)

    which never raises the determinant (Rousseeuw and Van Driessen 1999). After two steps the ten best starts go on to
    the end. The winner's covariance is made consistent at the Gaussian by the median of :math:`D^2` over that of
    :math:`\chi^2_d` (2), rows beyond the 0.975 quantile are left out, and location and covariance are computed once
    more of the others (3).

    Parameters
    ----------
    X : (n, d)
    size : how many rows, from d + 1 to n
    n_starts : subsets drawn
    draw : RandomState

    Returns
    -------
    location : (d,)      covariance : (d, d)      support : (n,) bool

    Examples
    --------
    >>> import numpy as np
    >>> from assay.outliers.robust_covariance import least_determinant
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [90.0]])
    >>> least_determinant(X, 4, 20, np.random.RandomState(0))[0]
    array([2.])
    """
    from scipy.stats import chi2

    n, d = X.shape
    centre = np.median(X, axis=0)
    largest = np.abs(X - centre).max(axis=0)
    unit = np.ldexp(
        1.0, np.frexp(largest)[1]
    )  # of each column: scales change nothing, but their squares may be lost
    X = (X - centre) / unit
    starts = []
    for _ in track(range(n_starts), "least determinant"):
        rows = draw.permutation(n)[: d + 1]
        starts.append(_concentrate(X, rows, size, 2))
    starts.sort(key=lambda s: s[0])
    best = min((_concentrate(X, rows, size, 100) for _, rows in starts[:BEST]), key=lambda s: s[0])
    location, covariance = _moments(X[best[1]])
    d = max(1, best[0][0])  # directions in which the rows vary
    squares = _squares(X, location, covariance)
    middle = _middle(squares)
    if middle > 0:
        covariance = covariance * middle / chi2.ppf(0.5, d)  # (2)
        support = _squares(X, location, covariance) <= chi2.ppf(0.975, d)
    else:  # more than half of the rows lie on a plane
        support = squares <= 0
    location, covariance = _moments(X[support])  # (3)
    if middle > 0:
        covariance = covariance * _middle(_squares(X, location, covariance)) / chi2.ppf(0.5, d)
    return centre + unit * location, covariance * unit[:, None] * unit, support


def _concentrate(
    X: np.ndarray, rows: np.ndarray, size: int, steps: int
) -> tuple[tuple[int, float], np.ndarray]:
    """Rank and log determinant after some steps (1), and the rows."""
    for _ in range(steps):
        squares = _squares(X, *_moments(X[rows]))
        after = np.sort(np.argsort(squares, kind="stable")[:size])
        if np.array_equal(after, rows):
            break
        rows = after
    return _volume(_moments(X[rows])[1]), rows


def _volume(covariance: np.ndarray) -> tuple[int, float]:
    """The rank of a covariance and the log of its determinant over the directions of that rank: planes come first."""
    unit = np.sqrt(np.diag(covariance))
    unit[unit == 0] = 1.0
    values = np.linalg.eigvalsh(covariance / unit[:, None] / unit)
    rank = int(np.count_nonzero(values > FLAT * max(values[-1], 1e-300)))
    largest = np.linalg.eigvalsh(covariance)[len(values) - rank :]
    return rank, float(np.log(np.maximum(largest, 1e-300)).sum())


def _moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = mean_of(X)
    centred = X - mean
    return mean, centred.T @ centred / len(X)


def _middle(squares: np.ndarray) -> float:
    """The median of the squared distances of the rows that lie on the plane, if there is one."""
    return float(np.median(squares[np.isfinite(squares)]))


def _squares(X: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """(n,) Mahalanobis' squared distances; what leaves the plane of a singular covariance is farthest of all."""
    apart = X - mean
    squares = np.maximum(np.einsum("ij,ij->i", apart @ inverse_of(covariance), apart), 0.0)
    spread = np.sqrt(np.diag(covariance))
    unit = np.where(spread > 0, spread, np.abs(apart).max(axis=0))
    unit[unit == 0] = 1.0
    values, vectors = np.linalg.eigh(covariance / unit[:, None] / unit)
    flat = vectors[:, values <= FLAT * max(values[-1], 1e-300)]
    if flat.shape[1]:
        apart = apart / unit
        off = np.sum((apart @ flat) ** 2, axis=1)
        lost = FLAT * len(X) * values[-1] + 1e-18 * np.sum(
            apart * apart, axis=1
        )  # rows of the plane have no more
        squares = np.where(off > lost, np.inf, squares)
    return squares
