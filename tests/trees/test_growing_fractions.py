"""Rows that miss a value go both ways in fractions: the grower against the textbook's search, and by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes

import assay
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.errors import ParameterError
from assay.trees.criteria import impurity_function
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.decision_tree_regressor import DecisionTreeRegressor
from assay.trees.extra_tree import ExtraTreeClassifier
from assay.trees.generate_tree import generate_tree
from assay.trees.growing import grow, rank_columns
from assay.trees.node_measures import ClassMeasure, NumberMeasure
from assay.trees.split_search import SplitSearch
from assay.trees.tree import LEAF, SUBSET

NAN = np.nan
ERRORS = {"squared_error": ("squared", "mean"), "absolute_error": ("absolute", "median")}


def tree_by_the_book(X, y, w, K, criterion, n_categories, leaf, split):
    """The same tree by the textbook's search in NumPy: known rows judge a test, the others are spread over its sides.

    Two classes and squared errors: the cuts through the ordered categories; more classes: all groupings.
    """
    if K:
        measure = ClassMeasure(y, K, impurity_function(criterion))
    else:
        measure = NumberMeasure(y, *ERRORS[criterion])
    row = w.mean() * (1 - 1e-9)
    search = SplitSearch(
        measure,
        n_categories,
        nominal="binary grouping",
        min_weight=leaf * row,
        max_categories=16 if K > 2 else 2,
    )

    def is_leaf(rows, v, value, impurity, depth):
        return v.sum() < max(split, 2 * leaf) * row or impurity <= 0

    return generate_tree(
        X, w, measure, lambda rows, v, before: search.best(X, rows, v, before), is_leaf, n_categories
    )[0]


def assert_same_tests(a, b):
    """Node by node; the two sides of a grouping may have changed places."""
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        assert (a.feature[i], a.kind[i]) == (b.feature[j], b.kind[j])
        assert_allclose(a.weighted_n_node_samples[i], b.weighted_n_node_samples[j], rtol=1e-9)
        assert_allclose(a.value[i], b.value[j], atol=1e-9)
        assert_allclose(a.impurity[i], b.impurity[j], atol=1e-9)
        assert (a.n_node_samples[i], a.missing[i]) == (b.n_node_samples[j], -1)
        if a.kind[i] == LEAF:
            continue
        ours, book = list(a.children(i)), list(b.children(j))
        weight = a.weighted_n_node_samples[ours[0]]
        if a.kind[i] == SUBSET and abs(weight - b.weighted_n_node_samples[book[0]]) > 1e-9 * weight:
            book.reverse()
        assert_allclose(a.threshold[i], b.threshold[j], rtol=1e-12)
        todo += zip(ours, book, strict=True)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    target=st.sampled_from(
        [
            (2, "gini"),
            (2, "entropy"),
            (3, "gini"),
            (3, "entropy"),
            (0, "squared_error"),
            (0, "absolute_error"),
        ]
    ),
    weighted=st.booleans(),
    limits=st.sampled_from([(1, 2), (3, 2), (1, 9)]),
)
def test_the_same_tree_as_the_textbook(seed, target, weighted, limits):
    rng = np.random.default_rng(seed)
    (K, criterion), (leaf, split) = target, limits
    n = int(rng.integers(5, 50))
    X = np.column_stack([rng.integers(0, 6, n), rng.normal(size=n), rng.integers(0, 4, n)]).astype(float)
    X[rng.random(X.shape) < rng.uniform(0, 0.4)] = NAN
    n_categories = np.array([0, 0, 0 if criterion == "absolute_error" else 4], np.int32)
    w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    y = rng.integers(0, K, n) if K else rng.normal(size=n)
    tree = grow(
        rank_columns(X, n_categories),
        y,
        w if weighted else None,
        n_classes=K,
        criterion=criterion,
        missing="spread",
        min_samples_leaf=leaf,
        min_samples_split=max(split, 2 * leaf),
    )
    assert_same_tests(tree, tree_by_the_book(X, y, w, K, criterion, n_categories, leaf, split))
    assert_allclose(tree.weighted_n_node_samples[tree.is_leaf].sum(), w.sum(), rtol=1e-9)


def test_a_row_is_divided_as_the_others_are():
    """Cut at 2.5: three rows below, two above; the row without a value, class b, adds 3/5 and 2/5 to them."""
    X = [[1], [2], [2], [3], [4], [NAN]]
    model = DecisionTreeClassifier(missing="spread", max_depth=1).fit(X, list("aaabbb"))
    tree = model.tree_
    assert tree.threshold[0] == 2.5 and tree.missing[0] == -1
    assert_allclose(tree.weighted_n_node_samples, [6, 3.6, 2.4], rtol=1e-14)
    assert_allclose(tree.values[1], [3 / 3.6, 0.6 / 3.6], rtol=1e-14)
    assert_allclose(model.predict_proba([[NAN]]), [[0.5, 0.5]], rtol=1e-14)  # 3.6/6 times 3/3.6
    assert_array_equal(model.predict(np.repeat([[0.0], [9.0], [NAN]], 4, axis=0)), list("aaaabbbbaaaa"))
    assert "is missing: the answer is the mean over all branches" in str(model.explain([[NAN]]))
    numbers = DecisionTreeRegressor(missing="spread", max_depth=1).fit(X, [0, 0, 0, 5, 5, 5])
    assert_allclose(numbers.predict([[NAN], [0], [9]]), [2.5, 5 * 0.6 / 3.6, 5], rtol=1e-14)


@pytest.mark.parametrize("missing", ["learned", "surrogate", "spread"])
def test_three_ways_to_go_on_without_a_value(missing, tmp_path):
    """A tenth of the values taken out: each way keeps most of the accuracy, also in a file."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.1] = NAN
    model = DecisionTreeClassifier(missing=missing, min_samples_leaf=5).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.88
    assay.save(model, tmp_path / "tree.assay")
    assert_array_equal(assay.load(tmp_path / "tree.assay").predict_proba(X), model.predict_proba(X))
    X, y = load_diabetes(return_X_y=True)
    X[rng.random(X.shape) < 0.1] = NAN
    assert DecisionTreeRegressor(missing=missing, min_samples_leaf=20).fit(X, y).score(X, y) > 0.35


def test_without_missing_values_it_is_the_ordinary_tree_that_spreads_later():
    X, y = load_breast_cancer(return_X_y=True)
    plain, ready = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier(missing="spread").fit(X, y)
    assert_array_equal(ready.tree_.threshold, plain.tree_.threshold)
    assert (ready.tree_.missing == -1).all()
    assert_allclose(ready.predict_proba(np.full((1, 30), NAN)), ready.tree_.values[:1], rtol=1e-12)


def test_limits_on_leaves_columns_and_direction():
    X, y = load_breast_cancer(return_X_y=True)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = NAN
    options = {"missing": "spread", "random_state": 0}
    whole = DecisionTreeClassifier(**options).fit(X, y)
    best_first = DecisionTreeClassifier(max_leaf_nodes=10**6, **options).fit(X, y)
    assert_array_equal(best_first.tree_.threshold, whole.tree_.threshold)
    assert_array_equal(best_first.tree_.values, whole.tree_.values)
    assert DecisionTreeClassifier(max_leaf_nodes=7, **options).fit(X, y).get_n_leaves() == 7
    some = DecisionTreeClassifier(max_features=3, **options).fit(X, y)
    assert some.tree_.feature[0] != whole.tree_.feature[0] and some.score(X, y) > 0.9
    rising = DecisionTreeClassifier(monotonic_cst=[-1] + [0] * 29, **options).fit(X[:, :30], y)
    line = np.repeat(X[:1], 50, axis=0)
    line[:, 0] = np.linspace(5, 30, 50)
    assert (np.diff(rising.predict_proba(line)[:, 1]) <= 1e-12).all()


def test_a_long_chain_of_fractions():
    """The largest number is cut off, time after time; a row without a value is in all leaves, and adds up to one."""
    n = 400
    X, y = np.append(np.arange(n, dtype=float), NAN)[:, None], np.append(2.0 ** np.arange(n), 0)
    tree = grow(rank_columns(X), y, n_classes=0, criterion="squared_error", missing="spread")
    assert tree.max_depth > 150 and tree.n_leaves > 300  # then numbers are too small to be squared
    assert_allclose(tree.weighted_n_node_samples[tree.is_leaf].sum(), n + 1, rtol=1e-9)


def test_boosted_trees_and_tables_with_missing_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200), "kind": rng.choice(["red", "green", "blue"], 200)})
    y = np.where((X["kind"] == "red") | (X["size"] > 1), "yes", "no")
    X.loc[::7, "kind"], X.loc[3::9, "size"] = None, NAN
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, missing="spread"), n_estimators=5)
    assert boosted.fit(X, y).score(X, y) > 0.85
    assert_allclose(boosted.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("model", [ExtraTreeClassifier(missing="spread"),
                                   DecisionTreeClassifier(missing="spread", splitter="random")])  # fmt: skip
def test_random_cuts_cannot_be_spread(model):
    with pytest.raises(ParameterError, match="missing='spread' needs splitter='best'"):
        model.fit([[0.0], [NAN]], [0, 1])
