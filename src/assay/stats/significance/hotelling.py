"""Hotelling's T squared: several criteria at once, of pairs or of two samples."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.stats.checks import _as_floats, as_matrix, is_number
from assay.stats.significance.summary import squarable
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["Hotelling", "hotelling"]


@dataclass(frozen=True)
class Hotelling(TestResult):
    """A TestResult with what to look at after a rejection.

    Attributes
    ----------
    f : float
        The statistic T squared, scaled to follow F with ``df`` degrees of freedom.
    mean : (p,) mean difference of each criterion
    direction : (p,) the weights of the criteria that separate the two best, of length 1
    univariate : list of TestResult
        The t test of each criterion alone.
    """

    f: float = np.nan
    mean: np.ndarray = field(default_factory=lambda: np.zeros(0))
    direction: np.ndarray = field(default_factory=lambda: np.zeros(0))
    univariate: list[TestResult] = field(default_factory=list)


def hotelling(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    paired: bool = False,
    mean: ArrayLike | None = None,
    ridge: float = 0.0,
    alpha: float = 0.05,
) -> Hotelling:
    r"""Test whether two learners differ in any of p criteria, such as precision and recall.

    Differences over K folds, mean m and covariance S:

    .. math:: T^2 = K\, m^T S^{-1} m, \qquad \frac{K-p}{p(K-1)} T^2 \sim F_{p,\,K-p}            \quad (1)

    Two samples, with the pooled covariance :math:`S_p` and the difference :math:`\Delta` of their means:

    .. math:: T^2 = \frac{n_1n_2}{n_1+n_2}\, \Delta^T S_p^{-1} \Delta, \qquad
              \frac{n_1+n_2-p-1}{p(n_1+n_2-2)} T^2 \sim F_{p,\,n_1+n_2-p-1}                      \quad (2)

    After a rejection look at ``univariate``, or at ``direction``, :math:`S^{-1}m`. With one criterion it is
    the square of the t test.

    Parameters
    ----------
    first : (K, p) differences, or values of the first learner
    second : (n2, p) values of the second one, default None
    paired : bool
        Whether the rows of first and second belong together.
    mean : (p,) the difference of the hypothesis, default zero
    ridge : float
        Added to the diagonal of a covariance that has no inverse, as a share of its mean; p is then rough.

    Returns
    -------
    Hotelling, with T squared as statistic

    Examples
    --------
    >>> from assay.stats import hotelling
    >>> d = [(.03, .01), (.02, -.01), (.04, .02), (.01, 0), (.03, -.02),
    ...      (.02, .01), (.05, 0), (0, .01), (.03, -.01), (.02, .02)]
    >>> result = hotelling(d)
    >>> round(result.statistic, 4), round(result.f, 4), round(result.p, 5)
    (31.8288, 14.1461, 0.00236)

    See Also
    --------
    manova, t_test, box_m

    References
    ----------
    - Hotelling, H. (1931). The generalization of Student's ratio. Annals of Mathematical Statistics 2(3), 360-378.
      doi:10.1214/aoms/1177732979
    - Rencher, A. C. (2002). Methods of Multivariate Analysis, second edition. Wiley.
    """
    from scipy.special import fdtrc

    alpha = check_alpha(alpha, "hotelling")
    a = squarable(as_matrix(first, "hotelling"), "hotelling")
    b = None if second is None else squarable(as_matrix(second, "hotelling"), "hotelling")
    if paired or b is None:
        if paired and (b is None or b.shape != a.shape):
            raise DataError("hotelling: pairs need two tables of the same shape.")
        a, b = (a if b is None else a - b), None
    p = a.shape[1]
    null = np.zeros(p) if mean is None else _as_floats(mean, "hotelling: mean")
    if null.shape != (p,) or not np.isfinite(null).all() or not (is_number(ridge) and ridge >= 0):
        raise ParameterError(
            f"hotelling: mean must be {p} finite numbers and ridge from 0, got {mean!r}, {ridge!r}."
        )
    n, size, gap, S = _moments(a, b, null)
    df2 = n + 1 - p  # K - p, or n1 + n2 - p - 1
    if df2 < 1:
        raise DataError(
            f"hotelling: {p} criteria need more than {p} rows beyond the groups, got {n + 1} in all."
        )
    sizes = np.abs(a if b is None else np.vstack([a, b])).max(axis=0)
    weights, why = _solved(S, gap, sizes, ridge)
    T2 = float(size * gap @ weights)  # (1), (2)
    F = df2 / (p * n) * T2
    alone = [
        t_test(x, y, mean=m, equal_variances=True, alpha=alpha)
        for x, y, m in zip(a.T, [None] * p if b is None else b.T, null.tolist())
    ]
    return Hotelling(
        "Hotelling's T squared" if b is None else "two-sample Hotelling's T squared", T2,
        float(fdtrc(p, df2, F)), (p, df2), alpha=alpha, why=why, f=F, mean=gap + null,
        direction=_of_length_one(weights), univariate=alone,
    )  # fmt: skip


def _moments(
    a: np.ndarray, b: np.ndarray | None, null: np.ndarray
) -> tuple[int, float, np.ndarray, np.ndarray]:
    """Degrees of freedom of the covariance, the factor in front of T squared, the gap, the covariance."""
    if b is None:
        n = len(a) - 1
        return n, float(len(a)), a.mean(axis=0) - null, _scatter(a) / max(n, 1)
    if b.shape[1] != a.shape[1]:
        raise DataError(f"hotelling: both samples need the same criteria, got {a.shape[1]} and {b.shape[1]}.")
    n = len(a) + len(b) - 2
    size = len(a) * len(b) / (len(a) + len(b))
    return n, size, a.mean(axis=0) - b.mean(axis=0) - null, (_scatter(a) + _scatter(b)) / max(n, 1)


def _solved(S: np.ndarray, gap: np.ndarray, sizes: np.ndarray, ridge: float) -> tuple[np.ndarray, str]:
    """Inverse covariance times the gap, computed on standardised criteria so that units do not matter."""
    spread = np.sqrt(np.diag(S))
    flat = np.flatnonzero(spread <= 1e-12 * sizes)
    scale = np.where(spread > 0, spread, 1.0)
    R = S / np.outer(scale, scale)
    rank = len(S) if not len(flat) and np.linalg.cond(R) < 1e12 else int(np.linalg.matrix_rank(R))
    if rank == len(S) and not len(flat):
        return np.linalg.solve(R, gap / scale) / scale, ""
    if not ridge:
        reason = (
            f"criterion {flat[0]} does not vary"
            if len(flat)
            else f"the criteria depend on each other (rank {rank} of {len(S)})"
        )
        raise DataError(f"hotelling: {reason}. Leave a criterion out, or give ridge, such as 0.01.")
    S = S + ridge * max(np.trace(S) / len(S), np.finfo(float).tiny) * np.eye(len(S))
    return np.linalg.solve(
        S, gap
    ), f"The covariance has no inverse; {ridge:g} of its mean was added, so p is rough."


def _scatter(a: np.ndarray) -> np.ndarray:
    centred = a - a.mean(axis=0)
    return centred.T @ centred


def _of_length_one(weights: np.ndarray) -> np.ndarray:
    largest = float(np.abs(weights).max())
    return weights / largest / np.linalg.norm(weights / largest) if largest else weights
