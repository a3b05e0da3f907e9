"""Effects of settings: what each factor of a learner does to the response, alone and together with another."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import fdtrc

from assay.errors import ParameterError
from assay.metrics.measure import Measure
from assay.stats.significance.test_result import TestResult, shown_p

if TYPE_CHECKING:
    from assay.experiments.study import Study

__all__ = ["FactorEffects", "Term", "factor_effects", "factorial_anova"]


@dataclass(frozen=True)
class Term:
    """One line of the analysis: a factor, or two factors together.

    Attributes
    ----------
    factors : one or two names
    levels : of a single factor, its levels; empty for two together
    means : of a single factor, the mean response at each level
    ss, df : sum of squares and degrees of freedom
    test : TestResult of the F test; its p is NaN, with a reason, where no degrees of freedom are left for the error
    """

    factors: tuple[str, ...]
    levels: tuple[Any, ...]
    means: tuple[float, ...]
    ss: float
    df: int
    test: TestResult

    @property
    def name(self) -> str:
        return " x ".join(self.factors)


@dataclass(frozen=True)
class FactorEffects:
    """Effects of a learner's settings on the response; ``print`` it.

    Attributes
    ----------
    terms : list of Term, single factors first
    blocks : what the blocks are, "data sets" or "splits"
    error_ss, error_df : residual sum of squares and degrees of freedom
    best : dict of factor to level of the run with the best mean
    notes : sentences
    """

    family: str
    response: str
    terms: list[Term]
    blocks: str
    n_blocks: int
    error_ss: float
    error_df: int
    best: dict[str, Any]
    notes: list[str]

    def __str__(self) -> str:
        lines = [f"{self.family}: effects on {self.response}, {self.n_blocks} {self.blocks} as blocks", ""]
        width = max(len(t.name) for t in self.terms)
        for t in self.terms:
            means = ", ".join(f"{level}: {mean:.4f}" for level, mean in zip(t.levels, t.means))
            p = "" if np.isnan(t.test.p) else f"F {t.test.statistic:.4g}, {shown_p(t.test.p)}"
            lines.append(f"  {t.name:<{width}}  {p:<24}  {means}".rstrip())
        chosen = ", ".join(f"{k}={v}" for k, v in self.best.items())
        lines += ["", f"Best run: {chosen}."]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def factor_effects(study: Study, family: str | None, metric: Measure) -> FactorEffects:
    """The effects of one learner's settings over the data sets of a study, or over the splits if there is one only."""
    families = list(dict.fromkeys(e["family"] for e in study.manifest.learners if e["factors"]))
    if not families:
        raise ParameterError("no learner here has settings that vary, so there are no effects.", who="study")
    if family is None and len(families) > 1:
        raise ParameterError(f"effects of which learner? Name one of: {', '.join(families)}.", who="study")
    family = families[0] if family is None else family
    if family not in families:
        raise ParameterError(
            f"{family!r} has no settings that vary. Those that have: {', '.join(families)}.", who="study"
        )
    variants = [e for e in study.manifest.learners if e["family"] == family]
    columns = [study.learners.index(e["name"]) for e in variants]
    notes = []
    if len(study.data) > 1:
        table, blocks = study.table(metric.name)[:, columns], "data sets"
    else:
        result, blocks = study.comparison(study.data[0]), "splits"
        table = np.column_stack([result.values(e["name"], metric.name) for e in variants])
        notes.append(
            "Splits of one data set share training rows, so p-values are smaller than they should be; with several "
            "data sets these would be the blocks."
        )
    whole = np.isfinite(table).all(axis=1)
    if not whole.all():
        notes.append(f"{int((~whole).sum())} of {len(whole)} {blocks} lack a run and are left out.")
    if not whole.any():
        raise ParameterError(
            f"no {blocks[:-1]} has all runs of {family}, so effects cannot be estimated.", who="study"
        )
    runs = [e["factors"] for e in variants]
    terms, error_ss, error_df = factorial_anova(runs, table[whole], study.alpha)
    means = metric.sign * table[whole].mean(axis=0)
    best = runs[int(np.argmin(np.round(means, 12)))]
    return FactorEffects(
        family, metric.name, terms, blocks, int(whole.sum()), error_ss, error_df, best, notes
    )


def factorial_anova(
    runs: Sequence[dict[str, Any]], response: np.ndarray, alpha: float = 0.05
) -> tuple[list[Term], float, int]:
    r"""Analysis of variance of runs over blocks: each factor, and each two together, after all others.

    With every run in each of B blocks, block means cancel, and a term's sum of squares is B times what it explains
    of the run means beyond the other terms of its order and below; for a full factorial design that is the classical
    decomposition. Error is what is left within blocks:

    .. math:: F = \frac{SS_{term}/df_{term}}{SS_e/df_e},\qquad
              SS_e = \sum_{b,r}(y_{br}-\bar y_{b\cdot})^2 - SS_{model}

    Parameters
    ----------
    runs : R dicts of factor to level
    response : (B, R)

    Returns
    -------
    list of Term, error sum of squares, error degrees of freedom

    Examples
    --------
    >>> from assay.experiments.factors import factorial_anova
    >>> runs = [{"a": 0, "b": 0}, {"a": 1, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 1}]
    >>> terms, _, _ = factorial_anova(runs, np.array([[1.0, 3.0, 1.0, 3.0], [2.0, 4.0, 2.0, 4.5]]))
    >>> [(t.name, round(t.ss, 3)) for t in terms]
    [('a', 9.031), ('b', 0.031), ('a x b', 0.031)]
    """
    B, R = response.shape
    names = list(dict.fromkeys(name for run in runs for name in run))
    codes = {name: _codes([run.get(name) for run in runs]) for name in names}
    varied = [name for name in names if codes[name][1].max() > 0]
    if not varied:
        raise ParameterError("no factor has more than one level, so there are no effects.", who="experiment")
    mean = response.mean(axis=0)
    single = {(name,): _dummies(codes[name][1]) for name in varied}
    double = {(a, b): _products(single[a,], single[b,]) for a, b in combinations(varied, 2)}
    everything = [np.ones((R, 1)), *single.values(), *double.values()]
    full_rank, full_ss = _explained(everything, mean)
    within = float(((response - response.mean(axis=1, keepdims=True)) ** 2).sum())
    error_df = B * R - B - (full_rank - 1)
    error_ss = max(within - B * full_ss, 0.0)
    terms = []
    for order, pool in ((1, single), (2, double)):
        for term, columns in pool.items():
            others = [np.ones((R, 1)), *(m for k, m in single.items() if k != term)]
            if order == 2:
                others += [m for k, m in double.items() if k != term]
            without_rank, without = _explained(others, mean)
            with_rank, with_ss = _explained([*others, columns], mean)
            df, ss = with_rank - without_rank, B * max(with_ss - without, 0.0)
            if df == 0:
                continue  # aliased with other terms in these runs
            levels, which = codes[term[0]] if order == 1 else ((), np.zeros(R, dtype=int))
            means = tuple(float(mean[which == k].mean()) for k in range(len(levels)))
            terms.append(
                Term(term, levels, means, ss, df, _tested(ss, df, error_ss, error_df, within, alpha))
            )
    return terms, error_ss, error_df


def _tested(ss: float, df: int, error_ss: float, error_df: int, total: float, alpha: float) -> TestResult:
    test = "F test of a factor"
    if error_df < 1:
        why = "every difference is taken up by a term; more data sets or splits would tell."
        return TestResult(test, np.nan, np.nan, (df, error_df), alpha=alpha, why=why)
    if error_ss <= 1e-12 * total or total == 0.0:
        nothing = ss <= 1e-12 * total or total == 0.0
        why = "All runs are equal." if nothing else "There is no error at all beside this effect."
        return TestResult(test, 0.0 if nothing else np.inf, 1.0 if nothing else 0.0, (df, error_df), alpha=alpha,
                          why=why)  # fmt: skip
    f = (ss / df) / (error_ss / error_df)
    return TestResult(test, f, float(fdtrc(df, error_df, f)), (df, error_df), alpha=alpha)


def _codes(levels: list[Any]) -> tuple[tuple[Any, ...], np.ndarray]:
    """The distinct levels, numbers and words in their order, and the number of each run's level."""
    distinct: list[Any] = []
    for level in levels:
        if level not in distinct:
            distinct.append(level)
    with suppress(TypeError):  # levels of several kinds stay in the order of their first run
        distinct.sort()
    return tuple(distinct), np.array([distinct.index(level) for level in levels])


def _dummies(codes: np.ndarray) -> np.ndarray:
    """(R, k - 1) contrasts that sum to zero."""
    k = int(codes.max()) + 1
    return (np.eye(k)[:, 1:] - np.eye(k)[:, :1])[codes]


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), -1)


def _explained(columns: list[np.ndarray], y: np.ndarray) -> tuple[int, float]:
    """Rank of the columns, and the sum of squares about the mean that they explain."""
    X = np.hstack(columns)
    u, s, _ = np.linalg.svd(X, full_matrices=False)
    rank = int((s > s[0] * 1e-10).sum())
    fitted = u[:, :rank].T @ (y - y.mean())
    return rank, float(fitted @ fitted)
