"""Extremely randomised trees: drawn thresholds, the accuracy of the peer, the promises of a forest."""

import numpy as np
import pytest
import sklearn.ensemble as peers
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

import assay
from assay.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from assay.trees.growing import grow, rank_columns


def test_a_forest_is_the_mean_of_trees_with_drawn_thresholds():
    X, y = load_iris(return_X_y=True)
    forest = ExtraTreesClassifier(6, random_state=7).fit(X, y)
    columns = rank_columns(X)
    settings = {"n_classes": 3, "max_features": 2, "splitter": "random"}
    seeds = [np.random.RandomState(seed).randint(2**31) for seed in forest._seeds]
    trees = [grow(columns, y, seed=seed, **settings) for seed in seeds]
    assert_allclose(forest.predict_proba(X), np.mean([tree.predict(X) for tree in trees], axis=0), rtol=1e-13)
    assert_array_equal(forest.estimators_samples_[2], np.arange(150))


def test_thresholds_are_drawn_uniformly_between_the_extremes_of_a_node():
    X = np.array([[0.0], [0.1], [0.2], [10.0]])
    forest = ExtraTreesRegressor(2000, max_depth=1, random_state=0).fit(X, [0.0, 1.0, 2.0, 3.0])
    cuts = np.sort(forest.trees_.threshold)
    assert len(cuts) == 2000
    assert_allclose(np.quantile(cuts, [0.1, 0.5, 0.9]), [1, 5, 9], atol=0.4)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("settings", [{}, {"bootstrap": True, "criterion": "entropy", "max_features": None}])
def test_as_accurate_as_scikit_learn(load, settings):
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours, peer = (
        cross_val_score(cls(40, random_state=0, **settings), X, y, cv=folds)
        for cls in (ExtraTreesClassifier, peers.ExtraTreesClassifier)
    )
    assert abs(ours.mean() - peer.mean()) < 0.03  # five rows of wine


def test_numbers_as_accurate_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours, peer = (
        cross_val_score(cls(60, random_state=0, min_samples_leaf=3), X, y, cv=5)
        for cls in (ExtraTreesRegressor, peers.ExtraTreesRegressor)
    )
    assert abs(ours.mean() - peer.mean()) < 0.03


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_a_saved_forest_is_small_and_comes_back_bit_for_bit(cls, tmp_path):
    X, y = load_digits(return_X_y=True)
    forest = cls(20, random_state=0).fit(X, y)
    assay.save(forest, tmp_path / "forest.assay")
    again = assay.load(tmp_path / "forest.assay")
    assert (tmp_path / "forest.assay").stat().st_size <= 24 * forest.trees_.node_count
    assert_array_equal(again.predict(X), forest.predict(X))


def test_rows_with_weights_count_as_repeated_rows():
    """Without bags the weights go into the counts, and a drawn threshold does not look at weights."""
    X, y = load_iris(return_X_y=True)
    w = 1 + np.arange(150) % 3
    weighed = ExtraTreesClassifier(10, random_state=0).fit(X, y, sample_weight=w)
    repeated = ExtraTreesClassifier(10, random_state=0).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_dense_sparse_and_single_precision_give_the_same_forest(cls):
    X, y = load_digits(n_class=4, return_X_y=True)
    forest = cls(4, random_state=0).fit(X, y)
    for other in (csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        again = cls(4, random_state=0).fit(other, y)
        assert_array_equal(again.trees_.threshold, forest.trees_.threshold)
        assert_array_equal(again.predict(other), forest.predict(X))
