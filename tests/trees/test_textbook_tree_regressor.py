"""The textbook's regression tree: its worked example, its errors and leaf values, scikit-learn's tree beside it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from assay.errors import DataError
from assay.trees.node_measures import NumberMeasure
from assay.trees.split_search import SplitSearch
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor

# IML 9.2.2: eight points.
X = np.arange(1.0, 9)[:, None]
R = np.array([1, 1.2, 0.8, 3, 3.2, 2.8, 5, 5.2])


def errors(criterion, leaf):
    measure = NumberMeasure(R, criterion, leaf)
    (found,) = SplitSearch(measure, np.array([0])).columns(X, np.arange(8), np.ones(8))
    return measure.combine(found.weight, found.impurity)


def test_squared_error_of_the_eight_points():
    squared = [2.124286, 1.639167, 0.684, 0.94875, 1.117333, 0.7725, 1.734286]
    assert_allclose(errors("squared", "mean"), squared, atol=5e-7)
    model = TextbookTreeRegressor(max_depth=1).fit(X, R)
    step = model.history_[0]
    assert model.tree_.values[0, 0] == pytest.approx(2.775) and step.impurity == pytest.approx(2.574375)
    assert (step.split.threshold, step.after) == (3.5, pytest.approx(0.684))


@pytest.mark.capability("IML-9-17")
def test_worst_case_error_of_the_eight_points():
    by_mean = [2.228571, 2.533333, 1.36, 1.5, 1.533333, 1.2, 2.571429]
    assert_allclose(errors("worst", "mean"), by_mean, atol=5e-7)
    assert_allclose(errors("worst", "midrange"), [2.2, 2.2, 1.2, 1.2, 1.2, 1.2, 2.1], atol=1e-12)
    model = TextbookTreeRegressor(criterion="worst", leaf_value="mean", max_depth=1).fit(X, R)
    assert (model.history_[0].split.threshold, model.history_[0].after) == (6.5, pytest.approx(1.2))
    assert model.error_bound_ == pytest.approx(1.2)
    middle = TextbookTreeRegressor(criterion="worst", max_depth=1).fit(X, R)  # midrange: four splits tie
    assert (middle.history_[0].split.threshold, middle.error_bound_) == (3.5, pytest.approx(1.2))


@pytest.mark.capability("IML-9-17")
@given(st.floats(0.05, 60.0), st.sampled_from(["mean", "median", "midrange"]))
@settings(max_examples=12, deadline=None)
def test_the_worst_case_threshold_is_a_guarantee(bound, leaf):
    x, y = load_diabetes(return_X_y=True)
    x, y = x[:50], y[:50]
    model = TextbookTreeRegressor(criterion="worst", leaf_value=leaf, error_threshold=bound).fit(x, y)
    assert model.error_bound_ < bound
    assert np.abs(model.predict(x) - y).max() == pytest.approx(model.error_bound_)


@pytest.mark.capability("IML-9-16")
def test_the_median_of_a_leaf_is_not_moved_by_an_outlier():
    x, y = load_diabetes(return_X_y=True)
    y = y.copy()
    y[7] = 1e6
    for criterion in ("absolute", "squared"):
        model = TextbookTreeRegressor(criterion=criterion, leaf_value="median", min_share=0.2).fit(x, y)
        leaf = model.apply(x)
        for i in np.unique(leaf):
            assert model.tree_.values[i, 0] == np.median(y[leaf == i])
    assert model.get_n_leaves() > 2


def test_leaves_grow_in_number_as_the_threshold_falls_and_refine_each_other():
    """IML Figs 9-4, 9-5: one noisy curve, three thresholds, the same greedy splits."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 8, 120))
    y = np.sin(x) + 0.3 * x + rng.normal(0, 0.2, 120)
    trees = [TextbookTreeRegressor(error_threshold=t).fit(x[:, None], y) for t in (0.5, 0.2, 0.05)]
    assert trees[0].get_n_leaves() < trees[1].get_n_leaves() < trees[2].get_n_leaves()
    cuts = [set(t.tree_.threshold[~t.tree_.is_leaf]) for t in trees]
    assert cuts[0] < cuts[1] < cuts[2]


@pytest.mark.parametrize(
    ("criterion", "peers"), [("squared", "squared_error"), ("absolute", "absolute_error")]
)
def test_same_tree_as_scikit_learn(criterion, peers):
    """Peer: DecisionTreeRegressor 1.9, which keeps X in single precision.

    Not compared: which of two columns is tested where both separate the same rows (the peer draws lots).
    """
    x, y = load_diabetes(return_X_y=True)
    x = (x + np.random.default_rng(0).normal(0, 1e-5, x.shape)).astype(np.float32).astype(float)
    y = y + np.random.default_rng(1).normal(0, 1e-3, len(y))
    peer = DecisionTreeRegressor(criterion=peers, max_depth=4, random_state=0).fit(x, y)
    ours = TextbookTreeRegressor(criterion=criterion, max_depth=4).fit(x, y)
    assert_array_equal(ours.tree_.n_node_samples, peer.tree_.n_node_samples)
    assert_allclose(ours.predict(x), peer.predict(x), rtol=1e-12)
    assert_allclose(ours.tree_.impurity, peer.tree_.impurity, rtol=1e-9)


@pytest.mark.parametrize("nominal", ["n-way", "binary grouping", "one-vs-rest"])
@pytest.mark.parametrize("criterion", ["squared", "absolute", "worst"])
def test_categories_and_missing_values(criterion, nominal):
    frame = pd.DataFrame({"kind": list("aabbccddee"), "x": [1.0, 2, 1, 2, np.nan, 2, 1, 2, 1, 2]})
    y = np.array([0, 0, 5, 5, 9, 9, 0, 0, 5, 5.0])
    model = TextbookTreeRegressor(criterion=criterion, nominal=nominal).fit(frame, y)
    assert_allclose(model.predict(frame), y, atol=1e-12)
    assert model.error_bound_ <= 1e-12
    with_missing = frame.assign(kind=None)
    assert np.isfinite(model.predict(with_missing)).all()


def test_a_missing_value_is_answered_by_the_mixture_of_the_branches():
    model = TextbookTreeRegressor(max_depth=1).fit([[0.0], [0], [0], [1]], [2.0, 2, 2, 10])
    assert model.predict([[np.nan]])[0] == pytest.approx(0.75 * 2 + 0.25 * 10)


def test_numbers_far_from_zero_lose_no_digits():
    model = TextbookTreeRegressor(max_depth=1).fit(X, R + 1e9)
    assert model.history_[0].split.threshold == 3.5


def test_several_targets_are_refused():
    with pytest.raises(DataError, match="2 columns"):
        TextbookTreeRegressor().fit(X, np.column_stack([R, R]))


def test_numbers_too_large_to_be_squared_are_refused():
    with pytest.raises(DataError, match="y holds numbers too large to be squared"):
        TextbookTreeRegressor().fit(X, R * 1e200)


def test_growing_tells_how_far_it_has_come_and_can_be_stopped():
    from assay.core.progress import listen

    seen = []
    with listen(seen.append):
        TextbookTreeRegressor().fit(X, R)
    assert {e.description for e in seen} == {"growing a tree"}
    assert seen[-1].done == pytest.approx(8) and seen[-1].state == "finished"

    def stop(event):
        raise KeyboardInterrupt

    model = TextbookTreeRegressor()
    with pytest.raises(KeyboardInterrupt), listen(stop):
        model.fit(X, R)
    assert not hasattr(model, "tree_")


@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_the_order_of_rows_makes_no_difference(seed):
    rng = np.random.default_rng(seed)
    x, y, w = rng.integers(0, 5, (30, 2)).astype(float), rng.normal(size=30), rng.uniform(0.5, 2, 30)
    mixed = rng.permutation(30)
    for criterion in ("squared", "absolute", "worst"):
        one = TextbookTreeRegressor(criterion=criterion).fit(x, y, sample_weight=w)
        other = TextbookTreeRegressor(criterion=criterion).fit(x[mixed], y[mixed], sample_weight=w[mixed])
        assert_allclose(one.predict(x), other.predict(x), atol=1e-12)
