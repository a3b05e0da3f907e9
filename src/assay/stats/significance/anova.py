"""Analysis of variance: do several learners have one mean, over folds that are independent or shared?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, stdtr, stdtrit

from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.checks import _as_floats
from assay.stats.significance.equal_variances import levene
from assay.stats.significance.samples import both, named_samples, named_table
from assay.stats.significance.summary import squarable
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative

__all__ = ["Anova", "Source", "anova", "contrast"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """One line of the table: where variation comes from. f and p are NaN for the error and the total."""

    name: str
    ss: float
    df: float
    ms: float = np.nan
    f: float = np.nan
    p: float = np.nan


@dataclass(frozen=True, eq=False)
class Anova(Sentence):
    """Result of `anova`: the test, its table, and what the comparisons of pairs need.

    Attributes
    ----------
    test : TestResult of the learners' F
    names, means, counts : one per learner
    table : `Source` lines: learners, (blocks), error, total
    eta_squared, omega_squared : share of the variation that the learners explain, as seen and corrected for chance
    error_ms, error_df : the estimate of the error variance
    epsilon : Greenhouse and Geisser's measure of how far blocked values are from equal variances of differences
        (1: as assumed; 1 / (L - 1): as far as can be); NaN without blocks
    corrected_p : p-value with both degrees of freedom multiplied by epsilon; NaN without blocks
    doubts : sentences on assumptions that the data contradict
    """

    test: TestResult
    names: tuple[str, ...]
    means: Floats
    counts: NDArray[np.int64]
    table: tuple[Source, ...]
    eta_squared: float
    omega_squared: float
    error_ms: float
    error_df: float
    blocked: bool = False
    epsilon: float = np.nan
    corrected_p: float = np.nan
    doubts: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = max(len(s.name) for s in self.table)
        lines = [f"{'':<{width}}  {'SS':>12} {'df':>6} {'MS':>12} {'F':>10} {'p':>10}"]
        for s in self.table:
            shown = [f"{s.ss:>12.6g}", f"{s.df:>6g}"]
            shown += ["" if np.isnan(v) else f"{v:>{w}.5g}" for v, w in ((s.ms, 12), (s.f, 10), (s.p, 10))]
            lines.append(f"{s.name:<{width}}  {' '.join(shown)}".rstrip())
        return "\n".join([*lines, str(self.test), *self.doubts])


def anova(
    *data: Any,
    blocked: bool = False,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> Anova:
    r"""Compare the means of L learners: variation between them against variation within.

    .. math:: SS_b = \sum_j n_j(m_j-m)^2,\quad SS_w = \sum_j\sum_i(X_{ij}-m_j)^2,\quad
              F = \frac{SS_b/(L-1)}{SS_w/(N-L)} \sim F_{L-1,\,N-L}                                   \quad (1)

    If all learners saw the same K folds (or data sets), a fold that is hard for one is hard for all. Taking the
    folds as blocks removes that from the error:

    .. math:: SS_{blocks} = L\sum_i(m_{i\cdot}-m)^2,\quad SS_e = SS_w - SS_{blocks},\quad
              F = \frac{SS_b/(L-1)}{SS_e/((L-1)(K-1))}                                               \quad (2)

    It assumes values that are independent given learner and block, normal, with one variance. Folds of one
    cross-validation share training rows, so that a p-value just below alpha is weak evidence; over data sets of
    different kinds use `friedman`.

    Parameters
    ----------
    data : a table (K, L) with a column per learner (array, data frame, or dict of samples), or L samples
    blocked : bool, default False
        Whether row i of all columns is the same fold. Rows with a missing cell are then left out.
    names : L names, default the columns' own or 1, 2, ...
    alpha : float

    Returns
    -------
    Anova, to be given to `post_hoc` or `contrast`

    Examples
    --------
    >>> from assay.stats import anova
    >>> errors = {"A1": [.10, .12, .11, .13, .14], "A2": [.15, .16, .14, .17, .18], "A3": [.11, .13, .12, .12, .15]}
    >>> print(anova(errors).test)
    analysis of variance: statistic 9.5616 with 2 and 12 degrees of freedom, p = 0.003: significant at 0.05.
    >>> print(anova(errors, blocked=True))
                        SS     df           MS          F          p
    learners    0.00465333      2    0.0023267     53.692 2.3108e-05
    blocks      0.00257333      4   0.00064333     14.846 0.00089897
    error      0.000346667      8   4.3333e-05
    total       0.00757333     14
    blocked analysis of variance: statistic 53.6923 with 2 and 8 degrees of freedom, p < 0.001: significant at 0.05.

    See Also
    --------
    post_hoc, contrast, kruskal_wallis, levene

    References
    ----------
    - Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    """
    check_alpha(alpha, "anova")
    if blocked:
        table = data[0] if len(data) == 1 else dict(enumerate(data, 1))
        labels, X, _, why = named_table(table, names, "anova")
        squarable(X, "anova")
        return _blocked(labels, X, alpha, why)
    labels, samples, why = named_samples(data, names, "anova")
    squarable(np.concatenate(samples), "anova")
    return _one_way(labels, samples, alpha, why)


def contrast(
    result: Anova,
    weights: ArrayLike,
    *,
    planned: bool = True,
    alpha: float | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    r"""One question about the means, such as the variants of A against the variants of B.

    .. math:: t = \frac{\sum_jc_jm_j}{\sqrt{MS_e\sum_jc_j^2/n_j}} \sim t_{df_e},\qquad \sum_jc_j = 0

    Parameters
    ----------
    result : result of `anova`
    weights : (L,) that sum to 0
    planned : bool, default True
        False if the question came up from looking at the means: Scheffe's test, t^2 / (L - 1) against F, holds
        for all contrasts at once. It has two sides only.
    alpha : float, default that of ``result``
    alternative : "two-sided", "greater" or "less"

    Examples
    --------
    >>> from assay.stats import anova, contrast
    >>> errors = {"A1": [.10, .12, .11, .13, .14], "A2": [.15, .16, .14, .17, .18], "A3": [.11, .13, .12, .12, .15]}
    >>> result = contrast(anova(errors), [-0.5, 1, -0.5])
    >>> round(result.estimate, 6), round(result.statistic, 6)
    (0.037, 4.330522)

    See Also
    --------
    anova, post_hoc

    References
    ----------
    - Scheffé, H. (1953). A method for judging all contrasts in the analysis of variance. Biometrika 40(1-2),
      87-104.
    """
    if not isinstance(result, Anova):
        raise ParameterError(f"contrast: expected the result of anova, got {type(result).__name__}.")
    c = _as_floats(weights, "contrast: weights")
    alpha = result.test.alpha if alpha is None else check_alpha(alpha, "contrast")
    check_alternative(alternative, "contrast")
    L = len(result.names)
    if c.shape != (L,) or not np.isfinite(c).all():
        raise ParameterError(f"contrast: expected {L} finite weights, one per learner, got {weights!r}.")
    if abs(c.sum()) > 1e-9 * np.abs(c).sum() or not c.any():
        raise ParameterError(
            f"contrast: weights must sum to 0 and not all be 0, got a sum of {c.sum():g}. "
            "Give each side weights that sum to 1, and one of them a minus."
        )
    if not planned and alternative != "two-sided":
        raise ParameterError("contrast: a question from looking at the data (planned=False) has two sides.")
    squarable(c, "contrast: weights")
    estimate, df = float(c @ result.means), result.error_df
    error = float(np.sqrt(result.error_ms * np.sum(c**2 / result.counts)))
    t, why = _ratio(estimate, error, float(np.abs(c) @ np.abs(result.means)))
    if planned:
        two = float(2 * stdtr(df, -abs(t)))
        p = two if alternative == "two-sided" else float(stdtr(df, -t if alternative == "greater" else t))
        tail = alpha / 2 if alternative == "two-sided" else alpha
        width = float(-stdtrit(df, tail)) * error
    else:
        from scipy.special import fdtri

        p = float(fdtrc(L - 1, df, t**2 / (L - 1)))
        width = float(np.sqrt((L - 1) * fdtri(L - 1, df, 1 - alpha))) * error
    low = -np.inf if alternative == "less" else estimate - width
    high = np.inf if alternative == "greater" else estimate + width
    name = "contrast" if planned else "Scheffe's contrast"
    return TestResult(name, t, p, df, alternative, alpha, estimate, low, high, why)


def _one_way(labels: tuple[str, ...], samples: list[Floats], alpha: float, why: str) -> Anova:
    counts = np.array([len(x) for x in samples])
    N, L = int(counts.sum()), len(samples)
    if N <= L:
        raise DataError(
            "anova: every sample has one value; without replication there is no error to test with."
        )
    means = np.array([x.mean() for x in samples])
    grand = float(np.concatenate(samples).mean())
    between = float(counts @ (means - grand) ** 2)
    within = float(sum(np.sum((x - m) ** 2) for x, m in zip(samples, means)))
    between, within = _rounded(np.concatenate(samples), between, within)
    spread = levene(*samples, alpha=alpha) if counts.min() > 1 and counts.max() > 2 else None
    doubts: tuple[str, ...] = ()
    if spread is not None and spread.rejected:
        doubts = (
            f"The variances differ (Brown-Forsythe p = {spread.p:.3g}): prefer kruskal_wallis, or values on a "
            "scale on which they spread alike.",
        )
    f, p, note = _f(between, L - 1, within, N - L)
    test = TestResult(
        "analysis of variance", f, p, (float(L - 1), float(N - L)), alpha=alpha, why=both(note, why)
    )
    lines = (
        Source("learners", between, L - 1, between / (L - 1), f, p),
        Source("error", within, N - L, within / (N - L)),
        Source("total", between + within, N - 1),
    )
    return Anova(test, labels, means, counts, lines, *_sizes(lines), within / (N - L), N - L, doubts=doubts)


def _blocked(labels: tuple[str, ...], X: Floats, alpha: float, why: str) -> Anova:
    K, L = X.shape
    means, grand = X.mean(axis=0), X.mean()
    between = float(K * np.sum((means - grand) ** 2))
    blocks = float(L * np.sum((X.mean(axis=1) - grand) ** 2))
    error = float(np.sum((X - means - X.mean(axis=1, keepdims=True) + grand) ** 2))  # (2)
    between, blocks, error = _rounded(X, between, blocks, error)
    df = (L - 1) * (K - 1)
    f, p, note = _f(between, L - 1, error, df)
    fb, pb, _ = _f(blocks, K - 1, error, df)
    epsilon = _greenhouse_geisser(X) if error > 0 else np.nan
    doubts: tuple[str, ...] = ()
    corrected = p
    if not np.isnan(epsilon):
        corrected = float(fdtrc(epsilon * (L - 1), epsilon * df, f))
        if (p <= alpha) != (corrected <= alpha):
            doubts = (
                f"Differences of learners vary unequally (epsilon {epsilon:.2f}): corrected for that, "
                f"p = {corrected:.3g}, and the decision changes.",
            )
    test = TestResult(
        "blocked analysis of variance", f, p, (float(L - 1), float(df)), alpha=alpha, why=both(note, why)
    )
    lines = (
        Source("learners", between, L - 1, between / (L - 1), f, p),
        Source("blocks", blocks, K - 1, blocks / (K - 1), fb, pb),
        Source("error", error, df, error / df),
        Source("total", between + blocks + error, K * L - 1),
    )
    counts = np.full(L, K)
    return Anova(
        test, labels, means, counts, lines, *_sizes(lines), error / df, df, True, epsilon, corrected, doubts
    )


def _greenhouse_geisser(X: Floats) -> float:
    """epsilon = tr(S)^2 / ((L - 1) tr(S^2)) for the covariance S of the columns, centred in rows and columns."""
    R = X - X.mean(axis=0) - X.mean(axis=1, keepdims=True) + X.mean()
    S = R.T @ R
    return float(np.trace(S) ** 2 / ((X.shape[1] - 1) * np.sum(S * S)))


def _sizes(lines: tuple[Source, ...]) -> tuple[float, float]:
    """eta^2 = SS_b / SS_T and omega^2 = (SS_b - df MS_e) / (SS_T + MS_e); 0 when nothing varies."""
    learners, error, total = lines[0], lines[-2], lines[-1]
    if total.ss == 0:
        return 0.0, 0.0
    return learners.ss / total.ss, (learners.ss - learners.df * error.ms) / (total.ss + error.ms)


def _rounded(X: Floats, *sums: float) -> tuple[float, ...]:
    """Sums of squares that are nothing but rounding become 0."""
    noise = X.size * (8 * np.finfo(float).eps * float(np.abs(X).max())) ** 2
    return tuple(0.0 if s <= noise else s for s in sums)


def _f(ss: float, df: float, error: float, error_df: float) -> tuple[float, float, str]:
    if error > 0:
        f = (ss / df) / (error / error_df)
        return f, float(fdtrc(df, error_df, f)), ""
    if ss > 0:
        return np.inf, 0.0, "Nothing varies within the learners, so that any difference counts as certain."
    return 0.0, 1.0, "All values are equal."


def _ratio(estimate: float, error: float, scale: float) -> tuple[float, str]:
    if error > 0:
        return estimate / error, ""
    if abs(estimate) <= 1e-13 * scale:
        return 0.0, "Nothing varies within the learners, and the means are equal."
    return float(np.copysign(np.inf, estimate)), "Nothing varies within the learners."
