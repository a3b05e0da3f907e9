"""Paired tests against worked numbers, and by simulation: they must not cry wolf."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling, corrected_interval, mcnemar, paired_t, wilson_interval

FIRST = np.array([0.20, 0.18, 0.22, 0.19, 0.21, 0.17, 0.23, 0.20, 0.19, 0.21])
SECOND = np.array([0.17, 0.18, 0.19, 0.18, 0.20, 0.16, 0.19, 0.18, 0.18, 0.17])


@pytest.mark.capability("IML-19-12")
def test_paired_t_plain_corrected_and_one_sided():
    # Oracle: IML 19.11.2, ten folds of two learners.
    plain = paired_t(FIRST - SECOND)
    assert_allclose([plain.difference, plain.statistic, plain.p], [0.02, 4.47213595, 0.00154989], atol=5e-9)
    corrected = paired_t(FIRST - SECOND, ratio=1 / 9)
    assert_allclose([corrected.statistic, corrected.p], [3.07793506, 0.01318387], atol=5e-9)
    greater = paired_t(FIRST - SECOND, ratio=1 / 9, alternative="greater")
    less = paired_t(FIRST - SECOND, ratio=1 / 9, alternative="less")
    assert_allclose([greater.p, less.p], [corrected.p / 2, 1 - corrected.p / 2], rtol=1e-9)


def test_the_interval_touches_zero_exactly_when_p_is_alpha():
    found = paired_t(FIRST - SECOND, ratio=1 / 9)
    edge = paired_t(FIRST - SECOND, ratio=1 / 9, alpha=found.p)
    assert_allclose(edge.low, 0, atol=1e-12)
    assert_allclose(edge.high, 2 * found.difference, rtol=1e-9)


@pytest.mark.capability("IML-19-11")
@pytest.mark.parametrize(
    ("pair", "corrected", "uncorrected", "exact"),
    [((15, 5), (4.05, 0.04417134), (5, 0.02534732), 0.04138947),
     ((25, 10), (5.6, 0.01796048), None, 0.01667385),
     ((6, 4), (0.1, 0.75182963), None, 0.75390625)],
)  # fmt: skip
def test_mcnemar_in_its_three_forms(pair, corrected, uncorrected, exact):
    assert_allclose(mcnemar(*pair, "corrected"), corrected, atol=5e-9)
    assert_allclose(mcnemar(*pair, "exact")[1], exact, atol=5e-9)
    if uncorrected:
        assert_allclose(mcnemar(*pair, "uncorrected"), uncorrected, atol=5e-9)
    assert mcnemar(*pair) == (mcnemar(*pair, "exact" if sum(pair) < 25 else "corrected"))


def test_mcnemar_without_disagreement_or_with_even_disagreement_says_one():
    assert mcnemar(0, 0) == (0.0, 1.0)
    assert mcnemar(20, 20) == (0.0, 1.0)
    with pytest.raises(ParameterError, match="method"):
        mcnemar(1, 2, "approximate")


def test_equal_on_every_split_is_no_difference():
    found = paired_t(np.zeros(10), ratio=1 / 9)
    assert (found.p, found.difference, found.low, found.high) == (1.0, 0.0, 0.0, 0.0)
    assert "equal on every split" in found.test


def test_the_same_difference_everywhere_is_judged_by_the_folds_of_one_repetition():
    found = paired_t(np.full(100, 0.1), ratio=1 / 9, folds=10)
    assert found.p == 2.0**-9 and np.isnan(found.low) and "sign test" in found.test
    assert paired_t(np.full(2, 0.1), ratio=1).p == 0.5
    assert paired_t(np.full(10, -0.1), alternative="greater").p == 1.0
    assert paired_t(np.full(10, -0.1), alternative="less").p == 2.0**-10


def test_one_split_or_a_hole_cannot_be_tested():
    with pytest.raises(DataError, match="two splits"):
        paired_t([0.1])
    with pytest.raises(DataError, match="two splits"):
        paired_t([0.1, np.nan])


def test_intervals_by_hand():
    # Oracle: IML 19.8.
    errors = [0.12, 0.15, 0.11, 0.14, 0.13, 0.16, 0.10, 0.12, 0.15, 0.12]
    assert_allclose(corrected_interval(errors, 0), (0.11609596, 0.14390404), atol=5e-9)
    low, high = corrected_interval(errors, 1 / 9)
    assert_allclose((high - low) / (0.14390404 - 0.11609596), np.sqrt((1 / 10 + 1 / 9) / (1 / 10)), rtol=1e-6)
    assert_allclose(wilson_interval(0.15, 100), (0.09305985, 0.23283560), atol=5e-9)
    assert wilson_interval(0.0, 50)[0] == 0.0 and wilson_interval(1.0, 50)[1] == 1.0
    assert np.isnan(corrected_interval([0.1, 0.1, 0.1], 0.5)).all()


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
