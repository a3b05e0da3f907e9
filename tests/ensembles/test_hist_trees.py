"""Trees end to end: scores by the book, on every way through the native code; broken trees are refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.ensembles.hist_trees import BoostedTrees


def scores_by_the_book(trees, X, K):
    """(n, K) sums of leaves, one row and one tree at a time."""
    out = np.zeros((len(X), K))
    for i, x in enumerate(X):
        for t in range(trees.n_trees):
            first = node = trees.start[t]
            while (j := trees.column[node]) >= 0:
                if np.isnan(x[j]):
                    left = trees.missing_left[node]
                elif trees.n_categories[j]:
                    word = trees.sets[trees.set_start[node] + int(x[j]) // 32]
                    left = (int(word) >> (int(x[j]) % 32)) & 1
                else:
                    left = x[j] <= trees.number[node]
                node = node + 1 if left else first + trees.right[node]
            out[i, t % K] += trees.number[node]
    return out


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X["kind"] = rng.choice(list("uvwxyz"), n)
    X.loc[rng.random(n) < 0.2, "a"] = np.nan
    y = X["b"].to_numpy() + np.nan_to_num(X["a"]) + 3 * (X["kind"] == "w") + 0.1 * rng.normal(size=n)
    return X, y


@pytest.mark.parametrize("leaves", [2, 31, 64, 65, None])
@pytest.mark.parametrize("n", [1, 7, 31, 32, 33, 200])
def test_scores_are_those_of_the_book(n, leaves):
    X, y = mixed()
    model = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=leaves, min_samples_leaf=1).fit(X, y)
    numeric = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=leaves, min_samples_leaf=1).fit(
        X[list("abcd")], y
    )
    for trees, values in (
        (model.trees_, model._admit(X.iloc[:n])),
        (numeric.trees_, numeric._admit(X[list("abcd")].iloc[:n])),
    ):
        found = trees.add_scores(values, np.zeros((n, 1)))
        assert_allclose(found, scores_by_the_book(trees, values, 1), rtol=1e-13, atol=1e-13)


def test_scores_of_classes_and_of_float32():
    X, y = mixed()
    X, y = X[list("abcd")].to_numpy(np.float32), np.digitize(y, [-1, 1])
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    found = model.trees_.add_scores(X, np.zeros((len(X), 3)))
    assert_allclose(found, scores_by_the_book(model.trees_, X.astype(float), 3), rtol=1e-13, atol=1e-13)


def test_a_row_has_the_same_score_alone_and_among_others():
    X, y = mixed(3000)
    model = HistGradientBoostingRegressor(max_iter=20, max_leaf_nodes=80).fit(X, y)
    together = model.predict(X)
    assert_array_equal([model.predict(X.iloc[[i]])[0] for i in range(40)], together[:40])
    assert_array_equal(model.predict(X.iloc[:50]), together[:50])


def test_a_tree_alone_answers_as_within_the_sum():
    X, y = mixed()
    model = HistGradientBoostingRegressor(max_iter=4).fit(X, y)
    values = model._admit(X)
    for t in range(4):
        alone = model.trees_.tree(t).predict(values)
        within = model.trees_.add_scores(values, np.zeros((len(X), 1)), t, t + 1)
        assert_allclose(alone, within, rtol=1e-14)


def test_trees_that_do_not_hold_together_are_refused():
    X, y = mixed()
    trees = HistGradientBoostingRegressor(max_iter=2).fit(X, y).trees_
    parts = {name: getattr(trees, name) for name in trees.__dataclass_fields__}
    m, test = len(trees.column), int(np.argmax(trees.set_start[1:] > trees.set_start[:-1]))
    spoilt = [
        ("column", 0, 99),
        ("column", 0, -7),
        ("column", m - 1, 0),  # the last node would have no children
        ("right", 0, m + 5),
        ("right", 0, 0),  # round and round
        ("right", 0, -3),
        ("start", 1, m + 1),
        ("start", 1, -1),
        ("set_start", test + 1, trees.set_start[test]),
        ("missing_left", 0, 2),
        ("n_categories", 4, 1000),
        ("n_categories", 0, -5),
    ]
    for name, at, value in spoilt:
        array = parts[name].copy()
        array[at] = value
        broken = BoostedTrees(**{**parts, name: array})
        with pytest.raises(ValueError, match="do not hold together"):
            broken.add_scores(np.zeros((50, 5)), np.zeros((50, 1)))
    with pytest.raises(ValueError, match="do not hold together"):
        BoostedTrees(**{**parts, "number": parts["number"][:-1]}).add_scores(
            np.zeros((1, 5)), np.zeros((1, 1))
        )
    with pytest.raises(ValueError, match="columns of the model"):
        trees.add_scores(np.zeros((50, 3)), np.zeros((50, 1)))
    with pytest.raises(ValueError, match="columns of the model"):
        trees.add_scores(np.zeros((50, 5)), np.zeros((50, 0)))  # no score to add to


def test_a_crossed_tree_is_refused():
    """A right child before the end of the left part."""
    trees = BoostedTrees(
        start=np.array([0, 5], np.int32),
        column=np.array([0, 0, -1, -1, -1], np.int32),
        number=np.array([0.0, 1.0, 5.0, 6.0, 7.0]),
        right=np.array([3, 4, -1, -1, -1], np.int32),
        missing_left=np.zeros(5, np.uint8),
        rows=np.ones(5, np.int32),
        gain=np.zeros(5, np.float32),
        set_start=np.zeros(6, np.int32),
        sets=np.zeros(0, np.uint32),
        n_categories=np.zeros(1, np.int32),
    )
    with pytest.raises(ValueError, match="do not hold together"):
        trees.add_scores(np.linspace(-2, 2, 64)[:, None], np.zeros((64, 1)))


@pytest.mark.parametrize("name", ["rows", "gain"])
def test_a_stored_tree_has_rows_and_a_gain_for_each_node(name):
    trees = (
        HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=1).fit([[1.0], [2.0]], [0.0, 8.0]).trees_
    )
    trees._check_stored()
    with pytest.raises(ValueError, match="each node needs a number of rows and a gain"):
        replace(trees, **{name: getattr(trees, name)[:-1]})._check_stored()
    with pytest.raises(ValueError, match="do not hold together"):
        replace(trees, right=trees.right[::-1].copy())._check_stored()


def test_stored_trees_are_trees():
    """Of a node with two parents, or none, the two ways of walking would not say the same."""
    trees = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=1, max_leaf_nodes=4)
    trees = trees.fit(np.arange(8.0)[:, None], [0.0, 1.0, 5.0, 7.0, 20.0, 24.0, 40.0, 60.0]).trees_
    trees._check_stored()
    for i in np.flatnonzero(trees.column >= 0):
        for child in range(i + 2, len(trees.column)):
            if child != trees.right[i]:
                right = trees.right.copy()
                right[i] = child
                with pytest.raises(ValueError, match="do not hold together"):
                    replace(trees, right=right)._check_stored()
    alone = trees.column.copy()
    alone[0] = -1  # a leaf, with nodes behind it
    with pytest.raises(ValueError, match="do not hold together"):
        replace(trees, column=alone)._check_stored()
