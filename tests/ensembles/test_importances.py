"""How much columns matter: against the peer, by hand, and for columns of noise."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes

from assay.ensembles.extra_trees import ExtraTreesClassifier
from assay.ensembles.importances import impurity_importances, permutation_importances, unbiased_importances
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.errors import DataError, DegenerateError, ParameterError


def coin_and_noise(n=400):
    """One column decides four times in five; the other is noise with many values."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, n), rng.normal(size=n)])
    return X, np.where(rng.random(n) < 0.2, 1 - X[:, 0], X[:, 0]).astype(int)


def test_impurity_importances_are_the_mean_over_trees():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(12, random_state=0).fit(X, y)
    each = [forest.trees_.tree(t).compute_feature_importances() for t in range(12)]
    assert_allclose(impurity_importances(forest), np.mean(each, axis=0), rtol=1e-10)
    assert_allclose(forest.feature_importances_.sum(), 1)


@pytest.mark.parametrize("classes", [True, False])
def test_unbiased_importances_by_hand(classes):
    """Collected row by row on the way down, as the formula says."""
    X, y = coin_and_noise(60)
    forest = (RandomForestClassifier if classes else RandomForestRegressor)(
        3, random_state=0, max_depth=3
    ).fit(X, y)
    z = np.eye(2)[y] if classes else y[:, None].astype(float)
    total = np.zeros(2)
    for t, bag in enumerate(forest.estimators_samples_):
        tree, outside = forest.trees_.tree(t), np.setdiff1d(np.arange(60), bag)
        for i in outside:
            way = [node for node, _ in tree.path(X[i])]
            for above, below in pairwise(way):
                change = tree.values[below] - tree.values[above]
                total[tree.feature[above]] += change @ z[i] / len(outside) / 3
    assert_allclose(unbiased_importances(forest, X, y), total, atol=1e-12)


def test_noise_with_many_values_gets_credit_only_from_the_biased_measure():
    X, y = coin_and_noise()
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    assert forest.feature_importances_[1] > 0.3
    unbiased = unbiased_importances(forest, X, y)
    assert abs(unbiased[1]) < 0.04 < 0.12 < unbiased[0]
    mean, error = permutation_importances(forest, X, y)
    assert abs(mean[1]) < 0.05 < 0.1 < mean[0]
    assert (error > 0).all()


def test_permutation_importance_of_an_untested_column_is_zero():
    X, y = load_diabetes(return_X_y=True)
    X = np.column_stack([X[:, [2, 8]], np.zeros(len(y))])
    forest = RandomForestRegressor(20, random_state=0, min_samples_leaf=5).fit(X, y)
    mean, error = permutation_importances(forest, X, y, n_repeats=3)
    assert mean[2] == error[2] == 0
    assert (mean[:2] > 0.05).all()
    again, _ = permutation_importances(forest, X, y, n_repeats=3)
    assert_allclose(again, mean)


def test_what_cannot_be_asked_is_refused_in_a_sentence():
    X, y = coin_and_noise(60)
    with pytest.raises(DegenerateError, match="every tree has seen every row"):
        unbiased_importances(ExtraTreesClassifier(3, random_state=0).fit(X, y), X, y)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="expected the table that the forest was fitted with, got 10 rows"):
        permutation_importances(forest, X[:10], y[:10])
    with pytest.raises(DegenerateError, match="made compact"):
        impurity_importances(forest.compact())


def test_what_cannot_be_asked_says_why():
    X, y = load_breast_cancer(return_X_y=True)
    compact = RandomForestClassifier(3, random_state=0).fit(X, y).compact()
    several = RandomForestClassifier(3, random_state=0).fit(X, np.c_[y, y])
    for importances in (unbiased_importances, permutation_importances):
        with pytest.raises(
            DegenerateError, match="a forest made compact does not know the bags of its trees"
        ):
            importances(compact, X, y)
        with pytest.raises(DataError, match="are for one target of classes"):
            importances(several, X, np.c_[y, y])
        with pytest.raises(ParameterError, match="expected a forest"):
            importances("forest", X, y)
