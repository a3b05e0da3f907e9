"""Comparisons of pairs of means after an analysis of variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, fdtri, stdtr, stdtrit

from assay.errors import ParameterError
from assay.stats.checks import one_of
from assay.stats.distributions.studentized_range import (
    dunnett_quantile,
    dunnett_sf,
    studentized_range_quantile,
    studentized_range_sf,
)
from assay.stats.significance.anova import Anova
from assay.stats.significance.multiple_tests import METHODS, adjust, method_name
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.samples import both, place_of

__all__ = ["post_hoc"]

Floats = NDArray[np.float64]
WORDS = {
    "lsd": "least significant difference (each pair by itself)",
    "tukey": "Tukey's honestly significant difference",
    "scheffe": "Scheffe's test of all contrasts",
    "dunnett": "Dunnett's comparison with a control",
}


def post_hoc(
    result: Anova,
    method: str = "tukey",
    *,
    control: int | str | None = None,
    better: str = "higher",
) -> PostHoc:
    r"""Compare the means of learners in pairs, with the error variance that all of them share.

    .. math:: t_{ij} = \frac{m_i-m_j}{\sqrt{MS_e(1/n_i+1/n_j)}} \sim t_{df_e},\qquad q_{ij} = \sqrt2\,|t_{ij}|

    ============ ================================================ =======================================
    method       a pair differs if                                use it
    ============ ================================================ =======================================
    tukey        q is above the studentized range of L means      for all pairs (Tukey-Kramer if n differ)
    lsd          t is significant by itself                       after a significant F of three learners
    bonferroni   p times the number of pairs is at most alpha     for a few pairs
    holm         as bonferroni, in steps                          never worse than bonferroni
    scheffe      t^2 / (L - 1) is above F                         along with contrasts found afterwards
    dunnett      t is above the largest of L - 1 correlated t     against a control
    ============ ================================================ =======================================

    All other names of `adjust` may be used like holm.

    Parameters
    ----------
    result : result of `anova`, whose alpha holds here
    method : str
    control : name or number, default None for all pairs
        Compare all others with this one only; "dunnett" needs it.
    better : "higher" or "lower"
        Which means come first in the ordering.

    Examples
    --------
    >>> from assay.stats import anova, post_hoc
    >>> errors = {"A1": [.10, .12, .11, .13, .14], "A2": [.15, .16, .14, .17, .18], "A3": [.11, .13, .12, .12, .15]}
    >>> print(post_hoc(anova(errors), "tukey", better="lower"))
    Tukey's honestly significant difference, at 0.05; a difference above 0.02632 is significant:
      A1      0.1200  a
      A3      0.1260  a
      A2      0.1600  b

    See Also
    --------
    anova, contrast, letters

    References
    ----------
    - Tukey, J. W. (1949). Comparing individual means in the analysis of variance. Biometrics 5(2), 99-114.
    - Dunnett, C. W. (1955). A multiple comparison procedure for comparing several treatments with a control.
      Journal of the American Statistical Association 50(272), 1096-1121.
    """
    if not isinstance(result, Anova):
        raise ParameterError(f"post_hoc: expected the result of anova, got {type(result).__name__}.")
    name = method_name(method)
    if name not in WORDS and name not in METHODS:
        known = ", ".join([*WORDS, *METHODS])
        raise ParameterError(f"post_hoc: method must be one of {known}, got {method!r}.")
    one_of(better, ("higher", "lower"), "post_hoc", "better")
    L, df, alpha = len(result.names), result.error_df, result.test.alpha
    place = None if control is None else place_of(control, result.names, "post_hoc")
    if name == "dunnett" and place is None:
        raise ParameterError("post_hoc: Dunnett's test compares with a control; name it: control=...")
    if name == "tukey" and place is not None:
        raise ParameterError("post_hoc: Tukey's test is one of all pairs. With a control: dunnett, holm.")
    error = np.sqrt(result.error_ms * np.add.outer(1 / result.counts, 1 / result.counts))
    t = _t(np.subtract.outer(result.means, result.means), error, float(np.abs(result.means).max()))
    pairs = _compared(L, place)
    raw = np.where(np.eye(L, dtype=bool), 1.0, 2 * stdtr(df, -np.abs(t)))
    adjusted, width = _decide(name, result, t, raw, pairs, place, alpha)
    note = ""
    if name in ("lsd", "none") and not result.test.rejected:
        note = "The test of all means does not reject, so that a pair that differs here may well be chance."
    compared = np.zeros((L, L), dtype=bool)
    compared[pairs] = compared[pairs[::-1]] = True
    off = ~compared & ~np.eye(L, dtype=bool)
    for matrix in (raw, adjusted):
        matrix[off] = np.nan
    margin = np.where(compared, width * error, np.nan)
    words = WORDS.get(name, f"t tests of pairs, adjusted by {name.replace('_', '-')}")
    return PostHoc(
        words, result.test, result.names, result.means, t, raw, adjusted, margin, better, place,
        both(note, result.test.why),
    )  # fmt: skip


def _decide(
    name: str, result: Anova, t: Floats, raw: Floats, pairs: tuple, place: int | None, alpha: float
) -> tuple[Floats, Floats | float]:
    """Adjusted p-values (L, L), and by how many standard errors a pair must differ."""
    L, df, m = len(result.names), result.error_df, len(pairs[0])
    adjusted = raw.copy()
    width: Floats | float = np.nan
    if name == "tukey":
        values = studentized_range_sf(np.minimum(np.sqrt(2) * np.abs(t[pairs]), 1e6), L, df)
        width = studentized_range_quantile(alpha, L, df) / np.sqrt(2)
    elif name == "scheffe":
        values = fdtrc(L - 1, df, t[pairs] ** 2 / (L - 1))
        width = float(np.sqrt((L - 1) * fdtri(L - 1, df, 1 - alpha)))
    elif name == "dunnett" and place is not None:
        others = np.delete(result.counts, place)
        loadings = np.sqrt(others / (others + result.counts[place]))
        values = dunnett_sf(np.minimum(np.abs(t[pairs]), 1e6), loadings, df)
        width = dunnett_quantile(alpha, loadings, df)
    else:
        values = adjust(raw[pairs], "none" if name == "lsd" else name)
        level = {"bonferroni": alpha / m, "sidak": -np.expm1(np.log1p(-alpha) / m)}
        level |= {"lsd": alpha, "none": alpha}
        if name in level:
            width = float(-stdtrit(df, level[name] / 2))
    values = np.where(np.isinf(t[pairs]), 0.0, values)
    adjusted[pairs] = adjusted[pairs[::-1]] = values
    return adjusted, width


def _compared(L: int, place: int | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if place is None:
        return np.triu_indices(L, 1)
    others = np.delete(np.arange(L), place)
    return np.full(L - 1, place), others


def _t(difference: Floats, error: Floats, scale: float) -> Floats:
    """difference / error; without any error a difference is infinite and equality is 0."""
    sure = np.where(np.abs(difference) > 1e-13 * scale, np.copysign(np.inf, difference), 0.0)
    return np.divide(difference, error, out=sure, where=error > 0)
