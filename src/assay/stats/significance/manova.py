"""Multivariate analysis of variance: do learners differ in several criteria taken together?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from assay.errors import DataError, DegenerateError
from assay.sentence import Sentence
from assay.stats.checks import as_matrix
from assay.stats.significance.samples import checked_names
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["Manova", "manova"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Manova(Sentence):
    """Result of `manova`.

    Attributes
    ----------
    test : TestResult by Wilks' lambda
    wilks, pillai, hotelling_lawley, roy : TestResult each; the statistic is the F, the value the ``estimate``
    bartlett : TestResult of Bartlett's chi-squared for Wilks' lambda
    names, criteria, means (L, p) : what was compared
    H, E : (p, p) sums of squares and products between learners, and of the error
    roots : eigenvalues of H E^-1, largest first
    directions : (p, s) weights of the criteria that separate the learners best, one column per root,
        scaled to unit error variance
    """

    wilks: TestResult
    pillai: TestResult
    hotelling_lawley: TestResult
    roy: TestResult
    bartlett: TestResult
    names: tuple[str, ...]
    criteria: tuple[str, ...]
    means: Floats
    H: Floats
    E: Floats
    roots: Floats
    directions: Floats

    @property
    def test(self) -> TestResult:
        return self.wilks

    def __str__(self) -> str:
        lines = [
            f"multivariate analysis of variance: {len(self.names)} learners, {len(self.criteria)} criteria"
        ]
        lines += [
            f"  {t.test:<24} {t.estimate:>10.6f}  F {t.statistic:.4f} ({t.df[0]:g}, {t.df[1]:g})  p {t.p:.4g}"  # type: ignore[index]
            for t in (self.wilks, self.pillai, self.hotelling_lawley, self.roy)
        ]
        return "\n".join([*lines, self.test.why] if self.test.why else lines)


def manova(
    *groups: Any,
    blocked: bool = False,
    names: Sequence[str] | None = None,
    criteria: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> Manova:
    r"""Compare the mean vectors of L learners, such as their precision and recall over folds.

    With sums of squares and products between learners and within,

    .. math:: H = \sum_jn_j(m_j-m)(m_j-m)^T,\qquad E = \sum_j(n_j-1)S_j                              \quad (1)

    and roots :math:`\lambda_i` of :math:`HE^{-1}`, four statistics test whether H is large:
    Wilks :math:`\prod\frac1{1+\lambda_i}` (2), Pillai :math:`\sum\frac{\lambda_i}{1+\lambda_i}` (3),
    Hotelling-Lawley :math:`\sum\lambda_i` (4), Roy :math:`\lambda_1` (5).

    Each is turned into an F. Wilks' is exact for two criteria, one criterion, or two or three learners; all four
    are exact, and the same, for two learners; Roy's F is otherwise an upper bound, so that its p-value is too
    small. Pillai's suffers least when covariances differ (see `box_m`). Pairs are compared afterwards by
    `hotelling`, criteria by `anova`.

    Parameters
    ----------
    groups : one (n_j, p) table per learner (rows are folds, columns criteria), or one dict of them,
        or one (L, K, p) array
    blocked : bool, default False
        Whether row i of all tables is the same fold: the folds' mean vectors are then removed from E.
    names, criteria : default the dict's keys and the columns' own, or 1, 2, ...
    alpha : float

    Examples
    --------
    >>> from assay.stats import manova
    >>> result = manova(
    ...     [(.80, .10), (.82, .12), (.79, .15), (.85, .11), (.81, .13)],
    ...     [(.84, .14), (.86, .17), (.83, .16), (.88, .15), (.85, .19)],
    ...     [(.81, .18), (.80, .20), (.84, .21), (.83, .19), (.82, .22)],
    ... )
    >>> print(result)
    multivariate analysis of variance: 3 learners, 2 criteria
      Wilks' lambda              0.106761  F 11.3328 (4, 22)  p 3.809e-05
      Pillai's trace             1.261992  F 10.2600 (4, 24)  p 5.463e-05
      Hotelling-Lawley trace     4.912682  F 13.2134 (4, 12.2353)  p 0.0002163
      Roy's largest root         4.062459  F 24.3748 (2, 12)  p 5.941e-05

    See Also
    --------
    hotelling, anova, box_m

    References
    ----------
    - Rencher, A. C. (2002). Methods of Multivariate Analysis, second edition. Wiley.
    """
    check_alpha(alpha, "manova")
    keys = None
    if len(groups) == 1:
        if isinstance(groups[0], Mapping):
            keys, groups = list(groups[0]), tuple(groups[0].values())
        elif np.ndim(groups[0]) == 3:
            groups = tuple(np.asarray(groups[0]))
    if len(groups) < 2:
        raise DataError(f"manova: expected a table for each of two or more learners, got {len(groups)}.")
    labels = checked_names(keys if names is None else names, len(groups), "manova")
    tables = [as_matrix(g, f"manova: {n}") for n, g in zip(labels, groups)]
    squarable(np.concatenate([t.ravel() for t in tables]), "manova")
    p = tables[0].shape[1]
    if any(t.shape[1] != p for t in tables):
        raise DataError(
            f"manova: the tables have {[t.shape[1] for t in tables]} columns; criteria must agree."
        )
    wanted = criteria if criteria is not None else getattr(groups[0], "columns", None)
    criteria = checked_names(list(wanted) if wanted is not None else None, p, "manova: criteria")
    means, H, E, error_df = _sums(tables, blocked)
    roots, directions = _roots(H, E, error_df)
    return _statistics(labels, criteria, means, H, E, roots, directions, len(tables) - 1, error_df, alpha)


def _sums(tables: list[Floats], blocked: bool) -> tuple[Floats, Floats, Floats, int]:
    counts = np.array([len(t) for t in tables])
    means = np.array([t.mean(axis=0) for t in tables])
    between = means - np.concatenate(tables).mean(axis=0)
    H = (between.T * counts) @ between  # (1)
    left = [t - m for t, m in zip(tables, means)]
    error_df = int(counts.sum()) - len(tables)
    if blocked:
        if np.ptp(counts):
            raise DataError(f"manova: blocked tables must have the same rows, got {counts.tolist()} of them.")
        common = np.mean(left, axis=0)
        left = [part - common for part in left]
        error_df = (len(tables) - 1) * (int(counts[0]) - 1)
    E = sum(part.T @ part for part in left)
    p = len(E)
    if error_df < p:
        raise DataError(
            f"manova: {p} criteria need more than {error_df} degrees of freedom for the error. "
            "Use more folds or fewer criteria."
        )
    return means, H, E, error_df


def _roots(H: Floats, E: Floats, error_df: int) -> tuple[Floats, Floats]:
    from scipy.linalg import eigh

    scale = np.sqrt(np.diag(E))
    rank = np.linalg.matrix_rank(E / np.outer(scale, scale), hermitian=True) if scale.min() > 0 else 0
    if rank < len(E):
        raise DegenerateError(
            f"manova: the error matrix is singular ({len(E)} criteria). "
            "Drop a criterion that does not vary within the learners or that the others determine."
        )
    roots, V = eigh(H / np.outer(scale, scale), E / np.outer(scale, scale), check_finite=False)
    V = V[:, ::-1] / scale[:, None] * np.sqrt(error_df)
    return np.maximum(roots[::-1], 0.0), V * np.sign(V[np.abs(V).argmax(axis=0), np.arange(len(E))])


def _statistics(
    names: tuple[str, ...], criteria: tuple[str, ...], means: Floats, H: Floats, E: Floats, roots: Floats,
    directions: Floats, q: int, v: int, alpha: float,
) -> Manova:  # fmt: skip
    """p criteria, q degrees of freedom between learners, v of the error; Rao's, Pillai's and McKeon's F."""
    p = len(E)
    s, m, n = min(p, q), (abs(p - q) - 1) / 2, (v - p - 1) / 2
    why = ""

    def tested(name: str, value: float, f: float, df1: float, df2: float) -> TestResult:
        tail = float(fdtrc(df1, df2, f))
        return TestResult(name, float(f), tail, (df1, df2), alpha=alpha, estimate=value, why=why)

    log_wilks = -float(np.sum(np.log1p(roots)))
    wilks = float(np.exp(log_wilks))  # (2)
    t = np.sqrt((p * p * q * q - 4) / (p * p + q * q - 5)) if p * p + q * q > 5 else 1.0
    df2 = (v - (p - q + 1) / 2) * t - (p * q - 2) / 2
    F = np.expm1(-log_wilks / t) * df2 / (p * q)
    if s > 2:
        why = "With three or more criteria and four or more learners the F of Wilks' lambda is an approximation."
    first = tested("Wilks' lambda", wilks, F, float(p * q), float(df2))
    why = ""
    pillai = float(np.sum(roots / (1 + roots)))  # (3)
    df1, df2 = s * (2 * m + s + 1), s * (2 * n + s + 1)
    complement = float(np.sum(1 / (1 + roots[:s])))  # s - pillai, without cancellation
    second = tested("Pillai's trace", pillai, pillai / complement * df2 / df1, df1, df2)
    trace = float(np.sum(roots))  # (4)
    if n > 0:
        whole, part = (p + 2 * n) * (q + 2 * n), 2 * (2 * n + 1) * (n - 1)
        df1, df2 = float(p * q), 4 + (p * q + 2) * part / (whole - part)
        third = tested("Hotelling-Lawley trace", trace, df2 / df1 * trace / ((df2 - 2) / (2 * n)), df1, df2)
    else:
        df1, df2 = s * (2 * m + s + 1), max(2 * (s * n + 1), 1e-9)
        third = tested("Hotelling-Lawley trace", trace, df2 / df1 * trace / s, df1, df2)
    r = max(p, q)
    if s > 1:
        why = "An upper bound of F: the true p-value is larger."
    fourth = tested(
        "Roy's largest root", float(roots[0]), roots[0] * (v - r + q) / r, float(r), float(v - r + q)
    )
    chi2 = -(v + q - (p + q + 1) / 2) * log_wilks
    bartlett = TestResult(
        "Bartlett's chi-squared", float(chi2), float(chdtrc(p * q, chi2)), float(p * q), alpha=alpha,
        estimate=wilks,
    )  # fmt: skip
    return Manova(
        first, second, third, fourth, bartlett, names, criteria, means, H, E, roots[:s], directions[:, :s]
    )
