"""Do samples vary alike? Levene's test and Brown and Forsythe's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import fdtrc

from assay.errors import DataError
from assay.stats.checks import one_of
from assay.stats.significance.samples import both, named_samples
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["levene"]


def levene(
    *data: Any, centre: str = "median", names: Sequence[str] | None = None, alpha: float = 0.05
) -> TestResult:
    r"""Test equal variances by an analysis of variance of the distances to each sample's centre.

    With :math:`Z_{ij}=|X_{ij}-c_j|`, the statistic is the F of the Z. Distances to the median (Brown and Forsythe)
    keep the level for skewed samples; distances to the mean (Levene) have more power for normal ones.

    Parameters
    ----------
    data : a table with a column per learner, a dict of samples, or the samples themselves
    centre : "median" or "mean"
    names : names for messages
    alpha : float

    Examples
    --------
    >>> from assay.stats import levene
    >>> print(levene([1, 2, 3, 4], [2, 6, 10, 14]))
    Brown-Forsythe test of equal variances: statistic 6.3529 with 1 and 6 degrees of freedom, p = 0.045:
    significant at 0.05.

    See Also
    --------
    box_m, anova

    References
    ----------
    - Levene, H. (1960). Robust tests for equality of variances. In Contributions to Probability and Statistics,
      278-292. Stanford University Press.
    - Brown, M. B. and Forsythe, A. B. (1974). Robust tests for the equality of variances. Journal of the American
      Statistical Association 69(346), 364-367.
    """
    check_alpha(alpha, "levene")
    one_of(centre, ("median", "mean"), "levene", "centre")
    labels, samples, why = named_samples(data, names, "levene")
    squarable(np.concatenate(samples), "levene")
    if min(len(x) for x in samples) < 2:
        small = next(n for n, x in zip(labels, samples) if len(x) < 2)
        raise DataError(f"levene: {small} has one value; a variance needs two.")
    if max(len(x) for x in samples) < 3:
        raise DataError(
            "levene: of two values each has the same distance to the centre; one sample must have three or more."
        )
    at = np.median if centre == "median" else np.mean
    Z = [np.abs(x - at(x)) for x in samples]
    counts = np.array([len(z) for z in Z])
    L, N = len(Z), int(counts.sum())
    means = np.array([z.mean() for z in Z])
    between = float(counts @ (means - np.concatenate(Z).mean()) ** 2)
    within = float(sum(np.sum((z - m) ** 2) for z, m in zip(Z, means)))
    if within > 1e-28 * max(between, float(np.max(np.abs(np.concatenate(samples)))) ** 2):
        f = between / (L - 1) / (within / (N - L))
        p, note = float(fdtrc(L - 1, N - L, f)), ""
    else:
        same = between <= 1e-28 * max(1.0, float(np.max(means)) ** 2)
        f, p = (0.0, 1.0) if same else (np.inf, 0.0)
        note = "Within each sample all distances to the centre are equal."
    name = (
        "Brown-Forsythe test of equal variances" if centre == "median" else "Levene's test of equal variances"
    )
    return TestResult(name, f, p, (float(L - 1), float(N - L)), alpha=alpha, why=both(note, why))
