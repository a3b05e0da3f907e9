"""Multiple testing: p-values adjusted for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import psi

from assay.errors import ParameterError
from assay.stats.checks import is_whole

__all__ = [
    "adjust",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "finner",
    "hochberg",
    "holm",
    "holm_sidak",
    "hommel",
    "sidak",
]

Numbers = Sequence[float] | np.ndarray


def adjust(p: Numbers, method: str = "holm", tests: int | None = None) -> np.ndarray:
    """Adjusted p-values by the method of that name: what is at most alpha may be called significant.

    ===================== ================ ==================================================
    method                controls         holds for
    ===================== ================ ==================================================
    bonferroni            any false claim  every kind of dependence
    sidak                 any false claim  independent tests (and t tests against one control)
    holm                  any false claim  every kind of dependence; never worse than bonferroni
    holm_sidak, finner    any false claim  as sidak, sharper
    hochberg, hommel      any false claim  independent or positively dependent tests
    benjamini_hochberg    share of false   independent or positively dependent tests
    benjamini_yekutieli   share of false   every kind of dependence
    none                  nothing          one planned test
    ===================== ================ ==================================================

    Parameters
    ----------
    p : (r,) p-values; NaN (a test without a decision) stays NaN and does not count as a test
    method : str, one of the names above; a hyphen or a blank may stand for the underscore
    tests : int, default None for r
        m, how many tests were made in all, if p holds only the smallest of them.

    Examples
    --------
    >>> from assay.stats import adjust
    >>> adjust([0.001, 0.02, 0.03], "bonferroni").tolist()
    [0.003, 0.06, 0.09]
    >>> adjust([0.03, float("nan"), 0.02], "holm").tolist()
    [0.04, nan, 0.04]

    See Also
    --------
    holm, hochberg, hommel, benjamini_hochberg

    References
    ----------
    - Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
      6(2), 65-70.
    - García, S. and Herrera, F. (2008). An extension on statistical comparisons of classifiers over multiple data
      sets for all pairwise comparisons. Journal of Machine Learning Research 9, 2677-2694.
    """
    name = method_name(method)
    if name not in METHODS:
        raise ParameterError(f"adjust: method must be one of {', '.join(METHODS)}, got {method!r}.")
    return METHODS[name](p, tests)


def method_name(method: object) -> str:
    """How a method is spelled here: a hyphen or a blank may stand for the underscore, None is no method.

    >>> from assay.stats.significance.multiple_tests import method_name
    >>> method_name("Holm-Sidak")
    'holm_sidak'
    """
    return method.lower().replace("-", "_").replace(" ", "_") if isinstance(method, str) else ""


def bonferroni(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values :math:`\min(1, m p_i)`; parameters as in `adjust`.

    >>> from assay.stats import bonferroni
    >>> bonferroni([0.001, 0.02, 0.4]).tolist()
    [0.003, 0.06, 1.0]

    See Also
    --------
    sidak, holm, adjust

    References
    ----------
    - Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56(293),
      52-64.
    """
    return _stepped("bonferroni", p, tests, lambda p, j, m: m * p, None)


def sidak(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values :math:`1-(1-p_i)^m`, exact for independent tests; parameters as in `adjust`.

    >>> from assay.stats import sidak
    >>> sidak([0.1, 0.5]).round(4).tolist()
    [0.19, 0.75]

    See Also
    --------
    bonferroni, holm_sidak, adjust

    References
    ----------
    - Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate normal distributions. Journal
      of the American Statistical Association 62(318), 626-633.
    """
    return _stepped("sidak", p, tests, lambda p, j, m: _any_of(p, m), None)


def holm(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values: below alpha they are wrong about any true hypothesis with probability alpha at most.

    With p sorted upwards, :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`.

    Parameters
    ----------
    p : (r,) p-values
    tests : int, default None for r
        m, how many tests were made in all, if p holds only the smallest of them.

    Examples
    --------
    >>> from assay.stats import holm
    >>> holm([.001, .02, .03])
    array([0.003, 0.04 , 0.04 ])

    See Also
    --------
    bonferroni, hochberg, hommel, holm_sidak

    References
    ----------
    - Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
      6(2), 65-70.
    """
    return _stepped("holm", p, tests, lambda p, j, m: (m - j + 1) * p, "down")


def holm_sidak(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Sidak's adjustment in Holm's steps, :math:`\max_{j\le i} 1-(1-p_{(j)})^{m-j+1}`; parameters as in `adjust`.

    >>> from assay.stats import holm_sidak
    >>> holm_sidak([0.1, 0.5]).round(4).tolist()
    [0.19, 0.5]

    See Also
    --------
    holm, sidak, finner

    References
    ----------
    - Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
      6(2), 65-70.
    - Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate normal distributions. Journal
      of the American Statistical Association 62(318), 626-633.
    """
    return _stepped("holm_sidak", p, tests, lambda p, j, m: _any_of(p, m - j + 1), "down")


def finner(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Finner's steps, :math:`\max_{j\le i} 1-(1-p_{(j)})^{m/j}`: for comparisons with a control (Garcia 2010).

    >>> from assay.stats import finner
    >>> finner([0.1, 0.5]).round(4).tolist()
    [0.19, 0.5]

    See Also
    --------
    holm, holm_sidak

    References
    ----------
    - Finner, H. (1993). On a monotonicity problem in step-down multiple test procedures. Journal of the American
      Statistical Association 88(423), 920-923.
    """
    return _stepped("finner", p, tests, lambda p, j, m: _any_of(p, m / j), "down")


def hochberg(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Holm's factors taken from the largest down, :math:`\min_{j\ge i} (m-j+1)p_{(j)}`; parameters as in `adjust`.

    >>> from assay.stats import hochberg
    >>> hochberg([0.02, 0.03]).tolist()
    [0.03, 0.03]

    See Also
    --------
    holm, hommel

    References
    ----------
    - Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of significance. Biometrika 75(4),
      800-802. doi:10.1093/biomet/75.4.800
    """
    return _stepped("hochberg", p, tests, lambda p, j, m: (m - j + 1) * p, "up")


def hommel(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Closed testing with Simes' test: never less powerful than Hochberg. Cost O(m^2).

    A set of hypotheses is rejected if :math:`\min_j \tfrac{s}{j} p_{(j)} \le \alpha` over its s members; the
    adjusted p-value is the largest over all sets that hold the hypothesis (Wright 1992). Parameters as in `adjust`.

    >>> from assay.stats import hommel
    >>> hommel([0.01, 0.02, 0.022]).round(4).tolist()
    [0.022, 0.022, 0.022]

    See Also
    --------
    hochberg, holm

    References
    ----------
    - Hommel, G. (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test.
      Biometrika 75(2), 383-386. doi:10.1093/biomet/75.2.383
    """

    def closed(p: np.ndarray, m: int) -> np.ndarray:
        p = np.concatenate([p, np.ones(m - len(p))])  # those not shown are at most 1
        rank = np.arange(1, m + 1)
        adjusted = np.maximum(p, np.min(m * p / rank))  # the set of all
        from_there = np.zeros(m + 1)  # what holds for a hypothesis and all with larger p-values
        for s in range(m - 1, 1, -1):
            others = m - s + 1  # each of these goes with the s - 1 largest
            least = s * np.min(p[others:] / rank[1:s])
            bound = s * p[:others]
            np.minimum(bound, least, out=bound)
            np.maximum(adjusted[:others], bound, out=adjusted[:others])
            from_there[others] = bound[-1]
        return np.maximum(adjusted, np.maximum.accumulate(from_there[:m]))

    return _sorted("hommel", p, tests, closed)


def benjamini_hochberg(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values: of what is called significant at alpha, a share of alpha at most is expected to be chance.

    With p sorted upwards, :math:`\tilde p_{(i)} = \min_{j \ge i} \min(1, m\, p_{(j)} / j)`, for tests that are
    independent or depend on each other positively.

    Parameters
    ----------
    p : (r,) p-values
    tests : int, default None for r
        m, how many tests were made in all, if p holds only the smallest of them.

    Examples
    --------
    >>> from assay.stats import benjamini_hochberg
    >>> benjamini_hochberg([.001, .02, .03])
    array([0.003, 0.03 , 0.03 ])

    See Also
    --------
    benjamini_yekutieli, adjust

    References
    ----------
    - Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a practical and powerful approach
      to multiple testing. Journal of the Royal Statistical Society B 57(1), 289-300.
    """
    return _stepped("benjamini_hochberg", p, tests, lambda p, j, m: m * p / j, "up")


def benjamini_yekutieli(p: Numbers, tests: int | None = None) -> np.ndarray:
    r"""Benjamini-Hochberg times :math:`\sum_{j\le m} 1/j`, for any dependence; parameters as in `adjust`.

    >>> from assay.stats import benjamini_yekutieli
    >>> benjamini_yekutieli([0.01, 0.04]).round(4).tolist()
    [0.03, 0.06]

    See Also
    --------
    benjamini_hochberg, adjust

    References
    ----------
    - Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under
      dependency. Annals of Statistics 29(4), 1165-1188. doi:10.1214/aos/1013699998
    """
    harmonic = lambda m: float(psi(m + 1) - psi(1))  # noqa: E731
    return _stepped("benjamini_yekutieli", p, tests, lambda p, j, m: harmonic(m) * m * p / j, "up")


METHODS = {
    "bonferroni": bonferroni,
    "sidak": sidak,
    "holm": holm,
    "holm_sidak": holm_sidak,
    "finner": finner,
    "hochberg": hochberg,
    "hommel": hommel,
    "benjamini_hochberg": benjamini_hochberg,
    "benjamini_yekutieli": benjamini_yekutieli,
    "none": lambda p, tests=None: _stepped("none", p, tests, lambda p, j, m: p, None),
}


def _any_of(p: np.ndarray, m: np.ndarray | float) -> np.ndarray:
    """1 - (1 - p)^m without losing the digits of a small p."""
    with np.errstate(divide="ignore"):  # p = 1
        return -np.expm1(m * np.log1p(-p))


def _stepped(who: str, p: Numbers, tests: int | None, factor, direction: str | None) -> np.ndarray:  # type: ignore[no-untyped-def]
    """factor(p, j, m) of the sorted p-values, made monotone from below ("down") or from above ("up")."""

    def steps(p: np.ndarray, m: int) -> np.ndarray:
        raw = factor(p, np.arange(1, len(p) + 1), m)
        if direction == "down":
            return np.maximum.accumulate(raw)
        return np.minimum.accumulate(raw[::-1])[::-1] if direction == "up" else raw

    return _sorted(who, p, tests, steps)


def _sorted(who: str, p: Numbers, tests: int | None, steps) -> np.ndarray:  # type: ignore[no-untyped-def]
    """steps(sorted p-values, m), put back in order; NaN stays where it is."""
    try:
        raw = np.asarray(p, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"expected p-values, got {p!r}.", who=who) from None
    if raw.ndim != 1:
        raise ParameterError(f"expected a list of p-values, got shape {raw.shape}.", who=who)
    if ((raw < 0) | (raw > 1)).any():
        raise ParameterError(f"p-values lie between 0 and 1, got {raw[(raw < 0) | (raw > 1)][0]:g}.", who=who)
    if tests is not None and not is_whole(tests, len(raw)):
        raise ParameterError(
            f"tests must be a whole number, at least that of p-values, {len(raw)}, got {tests!r}.", who=who
        )
    known = ~np.isnan(raw)
    m = int(known.sum()) if tests is None else int(tests)
    adjusted = np.full(len(raw), np.nan)
    if known.any():
        values = raw[known]
        order = np.argsort(values, kind="stable")
        inner = np.empty(len(values))
        inner[order] = np.minimum(1.0, steps(values[order], m)[: len(values)])
        adjusted[known] = inner
    return adjusted
