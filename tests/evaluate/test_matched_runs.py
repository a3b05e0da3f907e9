"""Numbers of given runs: ranked, with the tests of classification."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from assay.errors import DataError, ParameterError
from assay.evaluate import compare_runs

FIRST, SECOND = [1.2, 0.8, 1.5, 1.1, 0.9, 1.4], [1.0, 0.7, 1.6, 0.9, 0.7, 1.1]


@pytest.mark.capability("IML-19-21")
def test_policies_by_their_returns_over_matched_starts():
    # Oracle: IML 19.16, exercises 9 and 10: the same paired test on losses and on returns.
    result = compare_runs({"a": FIRST, "b": SECOND})
    verdict = result.test("a", "b")
    assert_allclose([verdict.result.statistic, verdict.result.p], [2.66556995, 0.04458482], atol=5e-9)
    assert result.best == "a" and compare_runs({"a": FIRST, "b": SECOND}, better="lower").best == "b"
    assert_allclose(result.test("b", "a").result.statistic, -2.66556995, atol=5e-9)
    assert "a has a higher return than b by 0.1500" in str(verdict)
    assert "corrected" not in str(verdict)


def test_p_values_are_adjusted_over_all_pairs_and_letters_follow():
    rng = np.random.default_rng(0)
    start = rng.normal(size=20)
    values = {name: start + shift + rng.normal(scale=0.1, size=20) for name, shift in zip("abc", (0, 0, 1))}
    result = compare_runs(values, name="cost", better="lower")
    plain = [stats.ttest_rel(values[a], values[b]).pvalue for a, b in ("ab", "ac", "bc")]
    assert_allclose(result.test("a", "b").adjusted, max(plain))
    assert [s.letters for s in result.ranking()] == ["a", "a", "b"]
    low, high = stats.t.interval(0.95, 19, values["c"].mean(), stats.sem(values["c"]))
    last = result.ranking()[-1]
    assert_allclose([last.low, last.high], [low, high])
    text = str(result)
    assert "cost" in text and "On the same 20 runs for each" in text and "+1.0" in text


def test_runs_of_their_own_are_tested_by_welch():
    result = compare_runs({"a": FIRST, "b": SECOND[:5]}, paired=False)
    theirs = stats.ttest_ind(FIRST, SECOND[:5], equal_var=False)
    assert_allclose(result.test("a", "b").result.p, theirs.pvalue)
    assert "runs of each by themselves" in str(result)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: compare_runs({"a": FIRST}), ParameterError, "at least two names"),
        (lambda: compare_runs({"a": FIRST, "b": SECOND[:5]}), DataError, "a 6, b 5.*paired=False"),
        (
            lambda: compare_runs({"a": FIRST, "b": [1.0, np.nan]}),
            DataError,
            "b needs at least two finite numbers",
        ),
        (lambda: compare_runs({"a": FIRST, "b": SECOND}, better="most"), ParameterError, "higher"),
        (
            lambda: compare_runs({"a": FIRST, "b": SECOND}).test("a", "c"),
            ParameterError,
            "there is no 'c' here",
        ),
        (lambda: compare_runs({"a": FIRST, "b": SECOND}).test("a", "a"), ParameterError, "against itself"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
