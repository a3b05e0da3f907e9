"""Reduced-error pruning on the textbook's noisy label, and what it promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.trees.c45_classifier import C45Classifier
from assay.trees.growing import grow, rank_columns
from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import reduced_error
from assay.trees.tree import Tree


# Oracle: IML 9.3: x = 1..10, class 1 iff x > 5, but 3 is labelled 1; a clean pruning set exposes it.
@pytest.mark.capability("IML-9-20")
def test_the_noisy_label_is_cut_off():
    X, y = np.arange(1.0, 11)[:, None], (np.arange(1, 11) > 5).astype(int)
    y[2] = 1
    tree = grow_multiway(X, np.array([0]), y, None, 2, SplitRules())
    assert (tree.n_leaves, tree.threshold[0]) == (4, 5.5)
    fresh = np.append(np.arange(0.7, 10), 3.2)[:, None]
    truth = (fresh[:, 0] > 5).astype(int)
    assert (tree.predict(fresh).argmax(axis=1) != truth).sum() == 2
    pruned = reduced_error(tree, fresh, truth)
    assert_array_equal(pruned.threshold, [5.5, -2, -2])
    assert_array_equal(pruned.predict(fresh).argmax(axis=1), truth)
    assert_allclose(
        pruned.values[1:], [[0.8, 0.2], [0, 1]], rtol=1e-12
    )  # labels and shares of the training rows


@pytest.mark.capability("IML-9-20")
def test_numbers_are_pruned_by_squared_error():
    """Steps at 3.5 and 6.5 are real; the rest of the fully grown tree follows noise."""
    random = np.random.default_rng(0)
    step = lambda x: np.select([x < 3.5, x < 6.5], [1.0, 3.0], 5.0)  # noqa: E731
    x, fresh = np.linspace(1, 8, 200), np.linspace(1.02, 7.98, 300)
    tree = grow(
        rank_columns(x[:, None]),
        step(x) + 0.3 * random.normal(size=200),
        n_classes=0,
        criterion="squared_error",
    )
    target = step(fresh) + 0.3 * random.normal(size=300)
    pruned = reduced_error(tree, fresh[:, None], target, regression=True)
    wrong = lambda t: ((t.predict(fresh[:, None])[:, 0] - target) ** 2).mean()  # noqa: E731
    assert pruned.n_leaves < 0.3 * tree.n_leaves
    assert wrong(pruned) < wrong(tree)
    cuts = pruned.threshold[~pruned.is_leaf]
    assert all(abs(cuts - real).min() < 0.02 for real in (3.5, 6.5))


@pytest.mark.capability("DC-32")
def test_a_fifth_held_out_makes_fewer_leaves_under_label_noise():
    random = np.random.default_rng(3)
    X, fresh = random.random((500, 3)), random.random((3000, 3))
    y = (X[:, 0] + X[:, 1] > 1) ^ (random.random(500) < 0.2)
    options = {"min_samples_leaf": 1, "correction": False, "collapse": False}
    full = C45Classifier(pruning=None, **options).fit(X, y)
    pruned = C45Classifier(pruning="reduced-error", validation_fraction=0.2, random_state=0, **options).fit(
        X, y
    )
    truth = fresh[:, 0] + fresh[:, 1] > 1
    assert pruned.get_n_leaves() < full.get_n_leaves() / 2
    assert pruned.score(fresh, truth) > full.score(fresh, truth)


def test_ties_and_unreached_subtrees():
    leaves = [{"value": [1.0, 0.0], "n": 6}, {"value": [0.4, 0.6], "n": 5}]
    twig = {"feature": 0, "threshold": 2.0, "children": leaves}
    tree = Tree.of(
        {"feature": 0, "threshold": 9.0, "children": [twig, {"value": [0.0, 1.0], "n": 9}]}, n_categories=[0]
    )
    # one pruning row on each side of the twig's test, class 0 and 1: one error as a leaf, none as a twig
    X, y = np.array([[1.0], [3.0], [10.0]]), np.array([0, 1, 1])
    assert reduced_error(tree, X, y).node_count == 5
    # two rows of class 0 and 1 on the right: one error either way; the tie favours the leaf ...
    X, y = np.array([[1.0], [3.0], [3.0], [10.0], [10.0]]), np.array([0, 0, 1, 1, 1])
    assert reduced_error(tree, X, y).node_count == 3
    assert reduced_error(tree, X, y, when="better").node_count == 5  # ... unless it must be better
    # nobody reaches the twig
    assert reduced_error(tree, X[3:], y[3:]).node_count == 1  # and as a leaf the root is right, too
    assert reduced_error(tree, X[3:], y[3:], when="better").node_count == 5


def test_weights_count_as_repeated_rows_do():
    random = np.random.default_rng(5)
    X, y, times = random.random((120, 2)), random.integers(0, 2, 120), random.integers(0, 4, 60)
    tree = grow_multiway(X[:60], np.zeros(2, int), y[:60], None, 2, SplitRules())
    again = 60 + np.repeat(np.arange(60), times)
    a, b = reduced_error(tree, X[60:], y[60:], times.astype(float)), reduced_error(tree, X[again], y[again])
    assert_array_equal(a.threshold, b.threshold)
    assert 1 < a.node_count < tree.node_count


def test_a_row_of_unknown_value_counts_in_fractions():
    """Three quarters of it go left: 0.75 errors of the twig, against 1 of the leaf; then 0.25 against 0."""
    twig = {
        "feature": 0,
        "threshold": 0.5,
        "children": [{"value": [1.0, 0.0], "n": 30}, {"value": [0.0, 1.0], "n": 10}],
    }
    tree = Tree.of(twig, n_categories=[0])
    unknown = np.array([[np.nan]])
    assert reduced_error(tree, unknown, np.array([1])).node_count == 3
    assert reduced_error(tree, unknown, np.array([0])).node_count == 1


@given(
    seed=st.integers(0, 500),
    when=st.sampled_from(["not worse", "better"]),
    missing=st.sampled_from([0.0, 0.2]),
)
@settings(max_examples=30, deadline=None)
def test_the_pruning_rows_never_get_worse(seed, when, missing):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.random(120), random.integers(0, 3, 120)])
    y = (X[:, 0] > 0.5).astype(int) ^ (random.random(120) < 0.3)
    X[random.random(X.shape) < missing] = np.nan
    tree = grow_multiway(X[:60], np.array([0, 3]), y[:60], None, 2, SplitRules())
    pruned = reduced_error(tree, X[60:], y[60:], when=when)

    def right(t):  # the weight that goes to leaves of the row's own class
        return t.predict(X[60:])[np.arange(60), y[60:]].sum()

    hard = lambda t: replace(t, values=np.eye(2)[t.values.argmax(axis=1)])  # noqa: E731
    assert right(hard(pruned)) >= right(hard(tree)) - 1e-9
