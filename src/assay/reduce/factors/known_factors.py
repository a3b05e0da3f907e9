"""Factor analysis of what known factors leave of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.moments import class_scatter
from assay.errors import DataError, DegenerateError
from assay.reduce.factors.factor_analysis import FactorAnalysis
from assay.stats.checks import as_matrix

__all__ = ["FactorsBesideKnown", "factors_beside_known"]

WHO = "factors_beside_known"


@dataclass(frozen=True)
class FactorsBesideKnown:
    r"""Loadings of known factors, and the factors of what they leave; made by :func:`factors_beside_known`.

    Parameters
    ----------
    known_loadings : (d, q) what a unit of each known factor adds to each column
    mean, known_mean : (d,) and (q,)
    shares : (d, 3) the shares of each column's variance that known factors, further factors and neither explain
    further : FactorAnalysis of the residuals
    """

    known_loadings: np.ndarray
    mean: np.ndarray
    known_mean: np.ndarray
    shares: np.ndarray
    further: FactorAnalysis

    def residuals(self, X: ArrayLike, known: ArrayLike) -> np.ndarray:
        """(n, d) the rows of X without their mean and without what the known factors add."""
        values, factors = _rows(X, known)
        if values.shape[1] != len(self.mean) or factors.shape[1] != len(self.known_mean):
            raise DataError(
                f"learned from {len(self.mean)} columns and {len(self.known_mean)} known factors, got "
                f"{values.shape[1]} and {factors.shape[1]}.",
                who=WHO,
            )
        return values - self.mean - (factors - self.known_mean) @ self.known_loadings.T

    def transform(self, X: ArrayLike, known: ArrayLike) -> np.ndarray:
        """(n, k) the scores of the further factors."""
        return np.asarray(self.further.transform(self.residuals(X, known)))


def factors_beside_known(
    X: ArrayLike, known: ArrayLike, n_components: int = 1, **settings: Any
) -> FactorsBesideKnown:
    r"""Factors of the columns beside some that are known: these are regressed on, and what is left is analysed.

    With the covariances :math:`S_{zz}` of the known factors and :math:`S_{xz}` of the columns with them,

    .. math:: L = S_{xz} S_{zz}^{-1}, \qquad x - \mu - L(z - m) = Vf + \epsilon                       \quad (1)

    so L are loadings on known factors of variance 1, or what one unit of them adds. A known factor that others
    determine shares its loadings with them (the shortest L).

    Cost: O(n d (d + q)), and that of :class:`FactorAnalysis`.

    Parameters
    ----------
    X : (n, d) numbers without missing values
    known : (n, q) or (n,) the values of the known factors in the same rows
    n_components : int, default 1
        How many factors there are beside them.
    settings : parameters of :class:`FactorAnalysis`, such as ``method="axes"`` or ``rotation="varimax"``

    Examples
    --------
    Grades depend on gifts for words and for numbers; the first was measured by a test.

    >>> import numpy as np
    >>> from assay.reduce import factors_beside_known
    >>> random = np.random.default_rng(0)
    >>> words, numbers = random.normal(size=(2, 3000))
    >>> grades = np.outer(words, [0.8, 0.7, 0.1, 0.0]) + np.outer(numbers, [0.0, 0.3, 0.8, 0.7])
    >>> grades += 0.4 * random.normal(size=grades.shape)
    >>> beside = factors_beside_known(grades, words)
    >>> beside.known_loadings[:, 0].round(1) + 0.0
    array([0.8, 0.7, 0.1, 0. ])
    >>> bool(abs(np.corrcoef(beside.transform(grades, words)[:, 0], numbers)[0, 1]) > 0.9)
    True

    See Also
    --------
    FactorAnalysis
    """
    values, factors = _rows(X, known)
    n, d = values.shape
    both = class_scatter(
        np.column_stack([values, factors]), np.zeros(n, dtype=np.int64), None, 1, pooled=True
    )
    S, mean = both.scatter[0] / max(n, 1), both.mean[0]
    if not np.isfinite(S).all():
        raise DegenerateError("the squares of the columns overflow. Scale the columns first.", who=WHO)
    unit = np.sqrt(np.diag(S)[d:])
    unit[unit == 0] = 1.0
    correlation = S[d:, d:] / unit / unit[:, None]
    loadings = np.linalg.lstsq(correlation, S[d:, :d] / unit[:, None], rcond=None)[0].T / unit
    residuals = values - mean[:d] - (factors - mean[d:]) @ loadings.T
    further = FactorAnalysis(n_components, **settings).fit(residuals)
    variances = np.where(np.diag(S)[:d] > 0, np.diag(S)[:d], 1.0)
    left = np.clip(np.mean(residuals**2, axis=0) / variances, 0.0, 1.0)
    common = further.communalities_ / np.maximum(
        further.communalities_ + further.noise_variance_, np.finfo(float).tiny
    )
    shares = np.column_stack([1 - left, left * common, left * (1 - common)])
    return FactorsBesideKnown(loadings, mean[:d], mean[d:], shares, further)


def _rows(X: ArrayLike, known: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    factors = np.asarray(known)
    values, factors = as_matrix(X, WHO), as_matrix(factors[:, None] if factors.ndim == 1 else factors, WHO)
    if len(values) != len(factors):
        raise DataError(f"X has {len(values)} rows, known has {len(factors)}.", who=WHO)
    return values, factors
