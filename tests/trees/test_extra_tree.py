"""Extremely random trees: their draws, and what they share with the others."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import ExtraTreeClassifier as PeerClassifier
from sklearn.tree import ExtraTreeRegressor as PeerRegressor

from assay.trees.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from assay.trees.growing import grow, rank_columns


def test_thresholds_are_uniform_over_the_range_of_the_node():
    x = np.concatenate([[0.0, 1.0], np.full(500, 0.001)])[:, None]
    y = np.concatenate([[0, 1], np.arange(500) % 2])
    columns = rank_columns(x)
    drawn = [
        grow(columns, y, n_classes=2, splitter="random", max_depth=1, seed=s).threshold[0] for s in range(400)
    ]
    assert kstest(drawn, "uniform").pvalue > 0.01


def test_each_category_is_tossed():
    codes = np.arange(40) % 5
    X, y = codes[:, None].astype(float), np.arange(40) // 20
    columns = rank_columns(X, [5])
    sides = np.zeros(5)
    for seed in range(300):
        tree = grow(columns, y, n_classes=2, splitter="random", max_depth=1, seed=seed)
        chosen = tree.subset(0)
        assert 0 < len(chosen) < 5
        sides[chosen] += 1
    assert_allclose(sides / 300, 0.5, atol=0.1)


def test_of_the_proposals_the_best_is_taken():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 5)), np.arange(200) > 100])
    y = (X[:, 5]).astype(int)
    for seed in range(20):
        assert grow(rank_columns(X), y, n_classes=2, splitter="random", seed=seed).feature[0] == 5


def test_large_and_small_nodes_draw_alike():
    """Ranks in large nodes, numbers side by side in small ones: rows end in the leaf they are counted in."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    for K, y in ((2, rng.integers(0, 2, 6000)), (0, rng.normal(size=6000))):
        tree = grow(
            rank_columns(X, presorted=False),
            y,
            n_classes=K,
            criterion="gini" if K else "squared_error",
            splitter="random",
            max_features=2,
            min_samples_leaf=3,
            seed=5,
        )
        leaf = tree.apply(X)
        nodes = np.unique(leaf)
        assert_array_equal(nodes, np.flatnonzero(tree.is_leaf))
        assert_array_equal(tree.n_node_samples[nodes], np.bincount(leaf)[nodes])
        means = np.bincount(leaf, y)[nodes] / np.bincount(leaf)[nodes]
        assert_allclose(tree.values[nodes, -1], means, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_classifier_as_good_as_scikit_learn(load):
    X, y = load(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=6, random_state=0)
    a = cross_val_score(ExtraTreeClassifier(random_state=0), X, y, cv=cv).mean()
    b = cross_val_score(PeerClassifier(random_state=0), X, y, cv=cv).mean()
    assert abs(a - b) < 0.03
    assert ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y) == 1.0


def test_regressor_as_good_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    cv = RepeatedKFold(n_splits=5, n_repeats=6, random_state=0)
    a = cross_val_score(ExtraTreeRegressor(max_depth=5, random_state=0), X, y, cv=cv).mean()
    b = cross_val_score(PeerRegressor(max_depth=5, random_state=0), X, y, cv=cv).mean()
    assert abs(a - b) < 0.06
    assert_array_equal(ExtraTreeRegressor(random_state=0).fit(X, y).predict(X), y)


def test_defaults_are_those_of_scikit_learn():
    for ours, peer in ((ExtraTreeClassifier, PeerClassifier), (ExtraTreeRegressor, PeerRegressor)):
        theirs = peer().get_params()
        assert {name: ours().get_params()[name] for name in theirs} == theirs


def test_dense_sparse_and_single_precision_draw_the_same_tree():
    rng = np.random.default_rng(0)
    X = (rng.integers(-3, 4, (500, 6)) * (rng.random((500, 6)) < 0.5)).astype(np.float64)
    y = rng.integers(0, 2, 500)
    first = ExtraTreeClassifier(random_state=3).fit(X, y).tree_
    for other in (sp.csr_matrix(X), X.astype(np.float32), np.asfortranarray(X)):
        tree = ExtraTreeClassifier(random_state=3).fit(other, y).tree_
        assert_array_equal(tree.threshold, first.threshold)
        assert_array_equal(tree.feature, first.feature)


@pytest.mark.parametrize("seed", range(6))
def test_surrogates_of_random_cuts(seed):
    """Both sides of every cut hold rows that know the answer, also where one value or category is all there is."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 2, 120), rng.integers(0, 3, 120), rng.normal(size=120)]).astype(
        float
    )
    X[rng.random(X.shape) < 0.4] = np.nan
    y = rng.integers(0, 3, 120)
    for splitter in ("random", "best"):
        for take in (1, None):
            tree = grow(
                rank_columns(X, [2, 0, 0]),
                y,
                n_classes=3,
                splitter=splitter,
                max_features=take,
                missing="surrogate",
                seed=seed,
            )
            tree.check()
            leaf = tree.apply(X)
            nodes = np.flatnonzero(tree.is_leaf)
            assert_array_equal(
                tree.n_node_samples[nodes], np.bincount(leaf, minlength=tree.node_count)[nodes]
            )
            assert (tree.n_node_samples > 0).all()


def test_a_mixed_table_with_missing_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice(list("abcdefgh"), 200), "age": rng.normal(40, 10, 200)})
    y = np.where(X.town.isin(list("ace")) | (X.age > 50), "in", "out")
    X.loc[::9, "age"] = np.nan
    X.loc[::11, "town"] = None
    for seed in range(5):
        model = ExtraTreeClassifier(random_state=seed, max_features=None).fit(X, y)
        assert model.score(X, y) > 0.95
