"""Looking several splits ahead."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor

# The exclusive or of x0 and x1, and a noise column that agrees with the class a little more often than not.
X = np.array([[a, b, 0.0] for a in (0, 1) for b in (0, 1) for _ in range(4)])
Y = (X[:, 0] != X[:, 1]).astype(int)
X[:, 2] = [1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0]


@pytest.mark.capability("IML-9-43")
def test_two_steps_ahead_find_the_exclusive_or_behind_noise():
    greedy = TextbookTreeClassifier().fit(X, Y)
    assert greedy.history_[0].split.column == 2 and len(greedy.history_) > 3
    ahead = TextbookTreeClassifier(look_ahead=2).fit(X, Y)
    assert [step.split.column for step in ahead.history_] == [0, 1, 1]
    assert ahead.get_n_leaves() == 4 and ahead.score(X, Y) == 1.0
    assert ahead.history_[0].after == 0.0  # what two steps can reach


@pytest.mark.capability("IML-9-43")
def test_three_steps_ahead_find_parity():
    bits = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2, dtype=float)
    y = bits.sum(axis=1) % 2
    noise = y.copy()
    noise[[0, 3, 5, 9, 14]] = 1 - noise[[0, 3, 5, 9, 14]]
    table = np.column_stack([noise, bits])
    assert TextbookTreeClassifier(look_ahead=2).fit(table, y).history_[0].split.column == 0
    model = TextbookTreeClassifier(look_ahead=3).fit(table, y)
    assert model.get_n_leaves() == 8 and 0 not in model.tree_.feature


def test_one_step_is_taken_where_one_step_does():
    """Any column in front of the one that decides would also reach purity in two steps; the shorter way wins."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 3))
    y = (table[:, 2] > 0).astype(int)
    model = TextbookTreeClassifier(look_ahead=2).fit(table, y)
    assert len(model.history_) == 1 and model.history_[0].split.column == 2


def test_looking_one_step_ahead_is_the_greedy_tree():
    from assay.trees.criteria import entropy
    from assay.trees.look_ahead import best_split_ahead
    from assay.trees.node_measures import ClassMeasure
    from assay.trees.split_search import SplitSearch

    rng = np.random.default_rng(2)
    table, y = rng.normal(size=(30, 3)).round(1), rng.integers(0, 2, 30)
    table[3:6, 1] = np.nan
    search = SplitSearch(ClassMeasure(y, 2, entropy), np.zeros(3, int))
    rows, w = np.arange(30), np.ones(30)
    before = search.measure.node(rows, w)
    one, _ = best_split_ahead(search, table, rows, w, before, 1)
    greedy, _ = search.best(table, rows, w, before)
    assert (one.column, one.threshold) == (greedy.column, greedy.threshold)
    assert one.decrease == pytest.approx(greedy.decrease, abs=1e-12)


def test_regression_looks_ahead_too():
    y = 5.0 * Y + 0.01 * X[:, 2]
    model = TextbookTreeRegressor(look_ahead=2, error_threshold=0.01).fit(X, y)
    assert model.get_n_leaves() == 4
    assert_array_equal([s.split.column for s in model.history_], [0, 1, 1])


def test_nothing_to_split_is_a_leaf():
    assert TextbookTreeClassifier(look_ahead=2).fit(np.ones((4, 2)), [0, 1, 0, 1]).get_n_leaves() == 1
