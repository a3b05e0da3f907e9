"""Dealing rows by time and by lot: nothing from the future, nothing cut apart, shares as theory says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import TimeSeriesSplit

from assay.evaluate.deal import bootstrap_rows, time_blocks


@pytest.mark.parametrize("options", [{}, {"gap": 3}, {"window": 10}, {"gap": 2, "window": 5}])
@pytest.mark.parametrize("n", [30, 47])
def test_blocks_of_rows_in_order_are_those_of_scikit_learn(n, options):
    """Peer: TimeSeriesSplit, scikit-learn 1.9; its max_train_size is our window."""
    peer = TimeSeriesSplit(5, gap=options.get("gap", 0), max_train_size=options.get("window"))
    for ours, theirs in zip(time_blocks(None, n, 5, **options), peer.split(np.zeros(n)), strict=True):
        assert_array_equal(ours[0], theirs[0])
        assert_array_equal(ours[1], theirs[1])


@given(st.lists(st.integers(0, 12), min_size=12, max_size=60), st.integers(1, 4), st.integers(0, 4))
@settings(deadline=None, max_examples=60)
def test_whatever_teaches_was_before_whatever_is_tested(times, folds, gap):
    times = np.array(times)
    tested = []
    for train, test in time_blocks(times, len(times), folds, gap):
        if len(train) and len(test):
            assert times[train].max() < times[test].min()  # strictly: a moment is never cut apart
        tested.extend(test)
    assert len(tested) == len(set(tested))
    if len(np.unique(times)) == len(times):
        assert len(tested) == len(times) // (folds + 1) * folds


def test_dates_in_any_order_are_put_in_order():
    days = np.datetime64("2024-01-01") + np.array([5, 3, 1, 0, 4, 2])
    ((train, test),) = time_blocks(days, 6, 1)
    assert train.tolist() == [3, 2, 5] and test.tolist() == [1, 4, 0]


@pytest.mark.capability("DC-110", "IML-19-06")
def test_the_share_of_rows_that_no_draw_takes():
    # Oracles: (1 - 1/N)^N = .34867844 (10), .36603234 (100), limit .36787944; 1 - that = .649506 (11),
    # .633968 (100), .632305 (1000).
    assert_allclose([(1 - 1 / n) ** n for n in (10, 100)], [0.34867844, 0.36603234], atol=5e-9)
    assert_allclose(
        [1 - (1 - 1 / n) ** n for n in (11, 100, 1000)], [0.649506, 0.633968, 0.632305], atol=5e-7
    )
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    out = [100 - len(np.unique(bootstrap_rows(y, rng))) for _ in range(2000)]
    # variance of the number of rows left out: n p (1 - p) + n (n - 1) (q - p^2), q = (1 - 2/n)^n
    p, q = 0.99**100, 0.98**100
    sd = np.sqrt(100 * p * (1 - p) + 9900 * (q - p * p))
    assert abs(np.mean(out) - 100 * p) < 4 * sd / np.sqrt(2000)


def test_a_draw_has_two_classes_and_leaves_rows_to_test():
    rng = np.random.default_rng(1)
    y = np.array([0, 0, 0, 1])
    for _ in range(200):
        drawn = bootstrap_rows(y, rng)
        assert len(drawn) == 4 and set(y[drawn]) == {0, 1} and len(np.unique(drawn)) < 4
    groups = np.repeat(np.arange(5), [1, 2, 3, 4, 5])
    y = np.arange(15) % 2
    for _ in range(50):
        times = np.bincount(bootstrap_rows(y, rng, groups), minlength=15)
        assert all(len(set(times[groups == g])) == 1 for g in range(5))  # a group comes whole
