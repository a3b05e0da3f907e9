"""Which test fits the design of a comparison, for one pair of learners and for all of them at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import DataError
from assay.evaluate.one_split import no_test, tests_of_rows
from assay.evaluate.verdict import turned
from assay.metrics.measure import Measure
from assay.metrics.outcome import SAFE_SIZE
from assay.stats.bayesian.correlated_t import correlated_t
from assay.stats.bayesian.rope_posterior import RopePosterior
from assay.stats.effects.cohen import hedges_g
from assay.stats.effects.dominance import discordant_odds
from assay.stats.effects.effect_size import EffectSize
from assay.stats.significance.cochran_q import cochran_q
from assay.stats.significance.five_by_two import five_by_two_f
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.paired_t import paired_t, paired_t_all
from assay.stats.significance.summary import NO_SPREAD
from assay.stats.significance.test_result import TestResult
from assay.types import Bools

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = [
    "any_difference",
    "effect_of",
    "pair_tests",
    "practical",
    "safe_unit",
    "test_rows_per_training_row",
    "tested_alone",
    "usual_rope",
]  # fmt: skip

_LEAST_SPREAD = 1e-20  # a sum of squares below this share of the values' own is rounding


def pair_tests(result: Comparison, m: Measure) -> dict[tuple[str, str], TestResult]:
    """The test of every pair of learners that finished.

    Five halvings used both ways: the combined 5 x 2 cv F test. One split, or each row tested alone and once:
    McNemar's test on the rows; by another metric on one split, DeLong's test or a paired bootstrap. Several splits:
    the t test with the variance corrected for splits that share rows. Where two differ alike on every split there is
    no variance: then, by error or accuracy, McNemar's test on the rows of the first repetition, each tested once.
    """
    names = result.finished
    pairs = list(combinations(names, 2))
    values = {name: result.values(name, m.name) for name in names}
    if result.task == "regression" and _by_rows(result, m):
        return tests_of_rows(result, m)
    if not _unweighted(result) and tested_alone(result):
        rows = np.concatenate(result.weights)
        return {(a, b): _on_weighted_rows(values[a] - values[b], rows, result.alpha) for a, b in pairs}
    if m.counts_errors and (tested_alone(result) or len(result.places) == 1):
        return {(a, b): _on_rows(result, a, b, m) for a, b in pairs}
    if len(result.places) == 1:
        return tests_of_rows(result, m)
    whole, unit = all(np.isfinite(v).all() for v in values.values()), safe_unit(list(values.values()))
    if unit != 1:
        in_units = _tests_over_splits(result, m, pairs, {name: v / unit for name, v in values.items()}, whole)
        return {pair: _in_unit(test, unit) for pair, test in in_units.items()}
    return _tests_over_splits(result, m, pairs, values, whole)


def safe_unit(values: Any) -> float:
    """1, or for numbers so large or small that their squares leave the range of floats, a power of two near them.

    >>> from assay.evaluate.pairs import safe_unit
    >>> safe_unit([0.5, 3.0]), 1e149 < safe_unit([1e150]) < 1e151
    (1.0, True)
    """
    finite = np.abs(np.asarray(values, dtype=np.float64))
    largest = float(finite[np.isfinite(finite)].max(initial=0.0))
    return (
        1.0
        if largest == 0 or SAFE_SIZE[0] < largest < SAFE_SIZE[1]
        else float(2.0 ** (np.frexp(largest)[1] - 1))
    )


def _in_unit(test: TestResult, unit: float) -> TestResult:
    return replace(test, estimate=test.estimate * unit, low=test.low * unit, high=test.high * unit)


def _tests_over_splits(
    result: Comparison, m: Measure, pairs: list[tuple[str, str]], values: dict[str, np.ndarray], whole: bool
) -> dict[tuple[str, str], TestResult]:
    """By the values of the metric on the splits; ``whole`` if all of them are known."""
    if result.design.five_by_two and len(result.places) == 10 and whole:
        return {(a, b): _five_by_two(values[a] - values[b], result.alpha) for a, b in pairs}
    if pairs and whole and len(result.places) >= 2:
        differences = np.column_stack([values[a] - values[b] for a, b in pairs])
        ratio = test_rows_per_training_row(result, np.ones(len(differences), dtype=bool))
        tests = paired_t_all(differences, ratio, alpha=result.alpha, folds=_folds(result))
        by_row = m.counts_errors and _unweighted(result)
        return {
            (a, b): _alike_on_every_split(result, a, b, m, t) if by_row and np.isinf(t.statistic) else t
            for (a, b), t in zip(pairs, tests, strict=True)
        }
    return {(a, b): _one_pair(result, a, b, values[a] - values[b], m) for a, b in pairs}


def any_difference(result: Comparison, m: Measure) -> TestResult:
    r"""One test of all learners: are their means equal?

    Over J splits, the F test of learners against learners x splits, with the variance of a mean corrected for splits
    that share rows; for two learners it is the square of the corrected t:

    .. math:: F = \frac{\tfrac1{L-1}\sum_l (\bar v_l - \bar v)^2}
                       {\left(\tfrac1J + \tfrac{n_{test}}{n_{train}}\right) MS_E}, \qquad
              MS_E = \frac{\sum_{lj} (v_{lj} - \bar v_l - \bar v_j + \bar v)^2}{(L-1)(J-1)}    \quad (1)

    On one split, or where each row is tested alone and once, Cochran's Q of the rows' errors.
    """
    names, alpha = result.finished, result.alpha
    L = len(names)
    if L < 2:
        return no_test("fewer than two learners finished", alpha)
    values = np.array([result.values(name, m.name) for name in names])
    defined = np.isfinite(values).all(axis=0)
    J = int(defined.sum())
    if m.counts_errors and _unweighted(result) and (tested_alone(result) or len(result.places) == 1):
        wrong = np.column_stack([_wrong(result, name) for name in names])
        test = cochran_q(wrong, alpha=alpha)
        return replace(test, test=f"{test.test} on {len(wrong)} test rows")
    if J < 2:
        return no_test("fewer than two splits define it for all learners", alpha)
    from scipy.special import fdtrc

    V = values[:, defined]
    means = V.mean(axis=1, keepdims=True)
    residuals = V - means - V.mean(axis=0) + V.mean()
    between, within = float(means.var(ddof=1)), float((residuals**2).sum()) / ((L - 1) * (J - 1))
    name, df = "corrected F test of all learners", (float(L - 1), float((L - 1) * (J - 1)))
    if within <= _LEAST_SPREAD * max(float((V**2).max()), between):
        same = between <= _LEAST_SPREAD * float((V**2).max())
        why = (
            "The learners are equal on every split." if same else "The learners differ alike on every split."
        )
        return TestResult(name, 0.0 if same else np.inf, 1.0 if same else 0.0, df, alpha=alpha, why=why)
    F = between / ((1 / J + test_rows_per_training_row(result, defined)) * within)  # (1)
    return TestResult(name, F, float(fdtrc(*df, F)), df, alpha=alpha)


def practical(result: Comparison, a: str, b: str, m: Measure, rope: float) -> RopePosterior:
    """How probable it is that a is lower than b by more than ``rope``, equal for all purposes, or higher."""
    differences = result.values(a, m.name) - result.values(b, m.name)
    defined = np.isfinite(differences)
    if defined.sum() < 2:
        raise DataError(
            f"the Bayesian test of {a} and {b} needs at least two splits that define {m.name}, "
            f"{result.design.name} has {int(defined.sum())}.",
            who="compare",
        )
    return correlated_t(differences[defined], ratio=test_rows_per_training_row(result, defined), rope=rope)


def usual_rope(result: Comparison) -> float | None:
    """The difference of the first metric that does not matter, if nobody says: 0.01, or of a metric in units of the
    target a hundredth of the best learner's value, in two digits; None where that is not known.

    >>> from assay import compare
    >>> from assay.evaluate.pairs import usual_rope
    >>> from assay.tables.data import load_iris
    >>> usual_rope(compare(["majority"], load_iris(), design="3-fold"))
    0.01
    """
    m = result.metrics[0]
    if result.task == "classification" or np.isfinite(m.bounds[1]):
        return 0.01
    best = result.ranking()[0].mean if result.ranking() else np.nan
    return float(f"{abs(best) / 100:.2g}") if np.isfinite(best) else None


def effect_of(result: Comparison, a: str, b: str, m: Measure) -> EffectSize:
    """Hedges' g of the paired differences over the splits; where rows are the sample, the odds of who errs alone."""
    if m.counts_errors and _unweighted(result) and (tested_alone(result) or len(result.places) == 1):
        wrong_a, wrong_b = _wrong(result, a), _wrong(result, b)
        only = int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum())
        return discordant_odds(*only, alpha=result.alpha)
    differences = result.values(a, m.name) - result.values(b, m.name)
    defined = np.isfinite(differences)
    if defined.sum() >= 2:
        unit = safe_unit([result.values(name, m.name) for name in (a, b)])
        first, second = (result.values(name, m.name)[defined] / unit for name in (a, b))
        return hedges_g(first, second, paired=True, alpha=result.alpha)
    raise DataError(
        f"an effect size of {a} and {b} needs at least two splits that define {m.name}, or the error on "
        "one split of rows without weights.",
        who="compare",
    )


def tested_alone(result: Comparison) -> bool:
    """Whether each row is tested by itself and once, as leave-one-out does: then rows, not splits, are the sample."""
    rows = result.tests
    return len(rows) > 1 and all(len(t) == 1 for t in rows) and len({int(t[0]) for t in rows}) == len(rows)


def test_rows_per_training_row(result: Comparison, defined: np.ndarray) -> float:
    """Test rows per training row of the splits that count; a row that a bootstrap draws twice is one row."""
    test = np.array([len(t) for t in result.tests])[defined].mean()
    if result.design.kind == "bootstrap":
        return float(test / (result.data.rows - test))
    return float(test / np.array([place[2] for place in result.places])[defined].mean())


test_rows_per_training_row.__test__ = False  # type: ignore[attr-defined]  # a ratio, not a test of ours


def _by_rows(result: Comparison, m: Measure) -> bool:
    """Whether the predicted numbers of single rows are the sample: each tested alone, or all in order of time."""
    return (
        len(result.places) == 1
        or tested_alone(result)
        or (result.design.kind == "time" and hasattr(m.of, "influence") and _unweighted(result))
    )


def _folds(result: Comparison) -> int:
    return sum(1 for place in result.places if place[0] == result.places[0][0])


def _one_pair(result: Comparison, a: str, b: str, differences: np.ndarray, m: Measure) -> TestResult:
    defined = np.isfinite(differences)
    if defined.sum() >= 2:
        ratio = test_rows_per_training_row(result, defined)
        return paired_t(differences[defined], ratio, alpha=result.alpha, folds=_folds(result))
    gap = float(differences[defined].mean()) if defined.any() else np.nan
    why = "one split alone shows no variation" if defined.any() else "no split defines it for both"
    return replace(no_test(why, result.alpha), estimate=gap)


def _unweighted(result: Comparison) -> bool:
    return not result.settings.get("weighted", False)


def _wrong(result: Comparison, name: str, splits: int | None = None) -> np.ndarray:
    """(n,) bool: whether the answer is wrong, on the test rows of all splits, or of so many."""
    answers = [np.asarray(cell.answer) for cell in result.cells[name][:splits]]
    wrong: Bools = np.concatenate(answers) != np.concatenate(result.truths[:splits])
    return wrong


def _five_by_two(differences: np.ndarray, alpha: float) -> TestResult:
    r"""The F test, and the differences :math:`\delta` that it would not reject:

    .. math:: \sum_{ij} (p_i^{(j)} - \delta)^2 \le 2 F_{10,5;1-\alpha} \sum_i s_i^2            \quad (2)
    """
    from scipy.special import fdtri

    test = five_by_two_f(differences.reshape(5, 2), alpha=alpha)
    p = differences.reshape(5, 2)
    spread = float(((p - p.mean(axis=1, keepdims=True)) ** 2).sum())
    room = (2 * fdtri(10, 5, 1 - alpha) * spread - float(((p - p.mean()) ** 2).sum())) / 10  # (2)
    if not np.isfinite(test.statistic) or room < 0:
        return test
    half = float(np.sqrt(room))
    return replace(test, low=test.estimate - half, high=test.estimate + half)


def _alike_on_every_split(
    result: Comparison, a: str, b: str, m: Measure, without_spread: TestResult
) -> TestResult:
    """The rows of the first repetition as the sample, where the splits show a difference but no variance."""
    test = _on_rows(result, a, b, m, _folds(result))
    if test.p > without_spread.p:  # a repetition of one split, as a bootstrap has, knows fewer rows
        return without_spread
    why = f"The difference is {without_spread.estimate:+.4f} on every split, so the splits show no variance."
    return replace(test, estimate=without_spread.estimate, why=why)


def _on_rows(result: Comparison, a: str, b: str, m: Measure, splits: int | None = None) -> TestResult:
    """The rows themselves are the sample, for each was tested once."""
    wrong_a, wrong_b = _wrong(result, a, splits), _wrong(result, b, splits)
    if not _unweighted(result):
        gaps = m.sign * (wrong_a.astype(np.float64) - wrong_b)
        return _on_weighted_rows(gaps, np.concatenate(result.weights), result.alpha)
    n = len(wrong_a)
    test = mcnemar(int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum()), n=n, alpha=result.alpha)
    test = replace(test, test=f"{test.test} on {n} test rows")
    return test if m.sign > 0 else turned(test)


def _on_weighted_rows(d: np.ndarray, weights: np.ndarray, alpha: float) -> TestResult:
    r"""Weighted rows: :math:`\hat\delta = \sum w_i d_i/\sum w_i` with the standard error of a ratio,
    :math:`\sqrt{\sum w_i^2 (d_i - \hat\delta)^2} / \sum w_i`. Rows that count nothing are left out."""
    from scipy.special import ndtr, ndtri

    d, weights = d[np.isfinite(d) & (weights > 0)], weights[np.isfinite(d) & (weights > 0)]
    if not len(d):
        return no_test("no row that counts defines it for both", alpha)
    share = weights / weights.sum()
    gap = float(share @ d)
    error = float(np.sqrt((share**2 * (d - gap) ** 2).sum()))
    name = f"z test of {len(d)} weighted test rows"
    if error <= NO_SPREAD * abs(gap):
        if gap:
            return replace(no_test("every row that counts differs alike", alpha), estimate=gap)
        why = "The two err on the same rows."
        return TestResult(
            name, 0.0, 1.0, alpha=alpha, estimate=0.0, low=0.0, high=0.0, why=why, code="z_test"
        )
    half = float(-ndtri(alpha / 2)) * error
    z = gap / error
    p = 2 * float(ndtr(-abs(z)))
    return TestResult(name, z, p, alpha=alpha, estimate=gap, low=gap - half, high=gap + half, code="z_test")
