"""Paired tests against worked numbers, and by simulation: they must not cry wolf."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.stats.significance.paired_t import paired_t, paired_t_all
from assay.stats.significance.summary import Summary
from assay.stats.significance.z_test import z_test

FIRST = np.array([0.20, 0.18, 0.22, 0.19, 0.21, 0.17, 0.23, 0.20, 0.19, 0.21])
SECOND = np.array([0.17, 0.18, 0.19, 0.18, 0.20, 0.16, 0.19, 0.18, 0.18, 0.17])


@pytest.mark.capability("IML-19-12")
def test_paired_t_plain_corrected_and_one_sided():
    # Oracle: IML 19.11.2, ten folds of two learners.
    plain = paired_t(FIRST - SECOND)
    assert_allclose([plain.estimate, plain.statistic, plain.p], [0.02, 4.47213595, 0.00154989], atol=5e-9)
    corrected = paired_t(FIRST - SECOND, ratio=1 / 9)
    assert_allclose([corrected.statistic, corrected.p], [3.07793506, 0.01318387], atol=5e-9)
    greater = paired_t(FIRST - SECOND, ratio=1 / 9, alternative="greater")
    less = paired_t(FIRST - SECOND, ratio=1 / 9, alternative="less")
    assert_allclose([greater.p, less.p], [corrected.p / 2, 1 - corrected.p / 2], rtol=1e-9)


def test_the_interval_touches_zero_exactly_when_p_is_alpha():
    result = paired_t(FIRST - SECOND, ratio=1 / 9)
    edge = paired_t(FIRST - SECOND, ratio=1 / 9, alpha=result.p)
    assert_allclose(edge.low, 0, atol=1e-12)
    assert_allclose(edge.high, 2 * result.estimate, rtol=1e-9)


def test_equal_on_every_split_is_no_difference():
    result = paired_t(np.zeros(10), ratio=1 / 9)
    assert (result.p, result.estimate, result.low, result.high) == (1.0, 0.0, 0.0, 0.0)
    assert "equal on every split" in result.test


def test_the_same_difference_everywhere_is_judged_by_the_folds_of_one_repetition():
    result = paired_t(np.full(100, 0.1), ratio=1 / 9, folds=10)
    assert result.p == 2.0**-9 and np.isnan(result.low) and "sign test" in result.test
    assert paired_t(np.full(2, 0.1), ratio=1).p == 0.5
    assert paired_t(np.full(10, -0.1), alternative="greater").p == 1.0
    assert paired_t(np.full(10, -0.1), alternative="less").p == 2.0**-10


def test_all_pairs_at_once_are_the_pairs_one_by_one():
    rng = np.random.default_rng(0)
    D = rng.normal(0.01, 0.02, (20, 6))
    D[:, 2], D[:, 4] = 0.0, 0.125
    for alternative in ("two-sided", "greater", "less"):
        options = {"ratio": 0.25, "alpha": 0.1, "alternative": alternative, "folds": 5}
        together = paired_t_all(D, **options)
        for result, d in zip(together, D.T):
            alone = paired_t(d, **options)
            assert result.test == alone.test and result.why == alone.why
            assert_allclose(
                [result.statistic, result.p, result.estimate, result.low, result.high],
                [alone.statistic, alone.p, alone.estimate, alone.low, alone.high],
                rtol=1e-12,
            )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_as_scipy(alternative):
    """Peer: SciPy 1.17, ttest_rel with its confidence interval; it has no correction."""
    from scipy.stats import ttest_rel

    theirs = ttest_rel(FIRST, SECOND, alternative=alternative)
    low, high = theirs.confidence_interval(0.9)
    ours = paired_t(FIRST - SECOND, alternative=alternative, alpha=0.1)
    assert_allclose(
        [ours.statistic, ours.p, ours.low, ours.high], [theirs.statistic, theirs.pvalue, low, high]
    )


@pytest.mark.capability("DC-113")
def test_two_data_sets_known_by_their_summaries():
    # Oracle: DC 10.12, exercise 19. 3 % for A with deviation 7 %, and 1 % for B with 0.1 %, each on 100 folds.
    first = paired_t(Summary(0.03, 0.07, 100), alternative="greater")
    assert_allclose([first.statistic, first.p], [4.2857, 2.12e-5], rtol=2.5e-3)
    second = paired_t(Summary(-0.01, 0.001, 100), alternative="less")
    assert_allclose([second.statistic, second.p], [-100, 1.5e-101], rtol=5e-2)
    assert first.rejected and second.rejected
    large = [
        z_test(Summary(m, s, 100), alternative=side)
        for m, s, side in [(0.03, 0.07, "greater"), (-0.01, 0.001, "less")]
    ]
    assert_allclose(large[0].p, 9.11e-6, rtol=5e-4)
    assert large[1].p < 1e-300 and large[1].statistic == pytest.approx(-100)


@pytest.mark.capability("DC-113")
def test_a_summary_says_what_its_values_say():
    d = FIRST - SECOND
    whole, brief = paired_t(d, 1 / 9), paired_t(Summary.of(d), 1 / 9)
    assert_allclose([whole.statistic, whole.p, whole.low], [brief.statistic, brief.p, brief.low], rtol=1e-12)
    assert paired_t(Summary(0.1, 0.0, 10)).p == 2.0**-9 and paired_t(Summary(0.0, 0.0, 10)).p == 1.0


def test_one_split_or_a_missing_value_cannot_be_tested():
    with pytest.raises(DataError, match="2 splits"):
        paired_t([0.1])
    with pytest.raises(DataError, match="row 2 "):
        paired_t([0.1, np.nan])
    with pytest.raises(DataError, match="2 splits"):
        paired_t(Summary(0.1, 0.0, 1))
    with pytest.raises(DataError, match="table of at least two"):
        paired_t_all(np.zeros((1, 4)))
    with pytest.raises(ParameterError, match="ratio"):
        paired_t([0.1, 0.2], ratio=-1)


# Simulation. Two classes, Gaussian, means -d/2 and +d/2 in two columns that are alike and independent. The
# learner of column j puts its threshold midway between the class means of its training rows, so both learners
# have the same true error: any significant difference is a false alarm.


def simulate(n, design, worlds, seed, shift=1.0):
    """Per world: (J, 2) errors on the splits, (J, 2) true errors of what was learned; test rows per training row."""
    from scipy.special import ndtr

    y = np.repeat([0, 1], n // 2)
    splits = list(Resampling.of(design).splits(y, seed))
    X = np.random.default_rng(seed).normal(size=(worlds, n, 2)) + (y[:, None] - 0.5) * shift
    seen, true = [], []
    for s in splits:
        part, label = X[:, s.train], y[s.train]
        threshold = (part[:, label == 0].mean(axis=1) + part[:, label == 1].mean(axis=1)) / 2  # (worlds, 2)
        wrong = (X[:, s.test] > threshold[:, None]) != (y[s.test] == 1)[:, None]
        seen.append(wrong.mean(axis=1))
        true.append((ndtr(-threshold - shift / 2) + ndtr(threshold - shift / 2)) / 2)
    ratio = len(splits[0].test) / len(splits[0].train)
    return np.stack(seen, axis=1), np.stack(true, axis=1), ratio


@pytest.mark.parametrize("design", ["10-fold", "5x10", "10xholdout"])
def test_false_alarms_stay_near_the_level_and_the_plain_test_raises_more(design):
    worlds = 600
    seen, _, ratio = simulate(60, design, worlds, seed=5)
    differences = seen[..., 0] - seen[..., 1]
    corrected = np.mean([paired_t(d, ratio).p <= 0.05 for d in differences])
    plain = np.mean([paired_t(d).p <= 0.05 for d in differences])
    allowed = 0.05 + 2.5 * np.sqrt(
        0.05 * 0.95 / worlds
    )  # 0.072: two and a half standard errors above the level
    assert corrected <= allowed
    assert plain > corrected
    if design != "10-fold":
        assert plain > 0.2  # repetitions make the plain test sure of anything


@pytest.mark.parametrize("design", ["10-fold", "5x10"])
def test_intervals_cover_the_true_error(design):
    worlds = 500
    seen, true, ratio = simulate(100, design, worlds, seed=11)
    target = true[..., 0].mean()  # expected error of the learner on as many training rows
    bounds = np.array([corrected_interval(v, ratio) for v in seen[..., 0]])
    covered = np.mean((bounds[:, 0] <= target) & (target <= bounds[:, 1]))
    assert covered >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / worlds)


@pytest.mark.parametrize("folds", [0, -3, 2.5, "a"])
def test_folds_are_counted(folds):
    with pytest.raises(ParameterError, match="folds must be a whole number from 1"):
        paired_t([0.1, 0.1, 0.1], folds=folds)
