"""Random forests: the trees of the grower, the accuracy of the peer, the promises of a forest."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peers
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

import assay
from assay.ensembles.forest import n_features
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.errors import AssayWarning, DataError, DegenerateWarning, ParameterError
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import Tree

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def assert_same_trees(a, b):
    for f in fields(a):
        assert_array_equal(getattr(a, f.name), getattr(b, f.name), err_msg=f.name)


# ---------------------------------------------------------------- what a forest is


@pytest.mark.capability("IML-17-08", "IML-9-41")
def test_a_forest_is_the_mean_of_trees_grown_with_bags_and_draws_of_columns():
    X, y = IRIS
    forest = RandomForestClassifier(8, random_state=7).fit(X, y)
    columns = rank_columns(X)
    mean = np.zeros((150, 3))
    for t, rows in enumerate(forest.estimators_samples_):
        counts = np.bincount(rows, minlength=150)
        tree = grow(columns, y, counts, n_classes=3, max_features=2, seed=own_seed(forest, t))
        assert_same_trees_bitwise(forest.trees_.tree(t), tree)
        mean += tree.predict(X)
    assert_array_equal(forest.predict_proba(X), mean / 8)


def own_seed(forest, t):
    return np.random.RandomState(forest._seeds[t]).randint(2**31)


def assert_same_trees_bitwise(ours, tree):
    for f in fields(Tree):
        if f.name != "surrogates":
            assert_array_equal(getattr(ours, f.name), getattr(tree, f.name), err_msg=f.name)


@pytest.mark.capability("IML-17-08")
def test_the_out_of_bag_posterior_of_a_row_comes_from_trees_that_did_not_see_it():
    X, y = IRIS
    forest = RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, y)
    for i in (0, 70, 133):
        outside = [t for t, rows in enumerate(forest.estimators_samples_) if i not in rows]
        expected = np.mean([forest.trees_.tree(t).predict(X[[i]])[0] for t in outside], axis=0)
        assert_allclose(forest.oob_decision_function_[i], expected, rtol=1e-13)
    assert forest.oob_score_ == np.mean(forest.oob_decision_function_.argmax(axis=1) == y)
    peer = peers.RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, y)
    for a, b in zip(forest.estimators_samples_, peer.estimators_samples_):
        assert_array_equal(a, b)


def test_the_out_of_bag_answer_of_numbers():
    X, y = DIABETES
    forest = RandomForestRegressor(60, random_state=0, oob_score=True).fit(X, y)
    i = 17
    outside = [t for t, rows in enumerate(forest.estimators_samples_) if i not in rows]
    assert_allclose(
        forest.oob_prediction_[i], np.mean([forest.trees_.tree(t).predict(X[[i]]) for t in outside])
    )
    peer = peers.RandomForestRegressor(60, random_state=0, oob_score=True).fit(X, y)
    assert abs(forest.oob_score_ - peer.oob_score_) < 0.03
    scored = RandomForestRegressor(
        60, random_state=0, oob_score=lambda y, p: float(np.abs(y - p).mean())
    ).fit(X, y)
    assert_allclose(scored.oob_score_, np.abs(y - forest.oob_prediction_).mean())


# ---------------------------------------------------------------- the peer


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "settings", [{}, {"criterion": "entropy", "min_samples_leaf": 3, "max_features": None}]
)
def test_as_accurate_as_scikit_learn(load, settings):
    """Peer: RandomForestClassifier, scikit-learn 1.9. The draws of columns differ, so single answers may."""
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours, peer = (
        cross_val_score(cls(40, random_state=0, **settings), X, y, cv=folds)
        for cls in (RandomForestClassifier, peers.RandomForestClassifier)
    )
    assert abs(ours.mean() - peer.mean()) < 0.02


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_as_accurate_as_scikit_learn(criterion):
    X, y = DIABETES[0][:200], DIABETES[1][:200]
    settings = {"criterion": criterion, "min_samples_leaf": 5, "max_features": 4, "random_state": 0}
    ours = cross_val_score(RandomForestRegressor(30, **settings), X, y, cv=4)
    peer = cross_val_score(peers.RandomForestRegressor(30, **settings), X, y, cv=4)
    assert abs(ours.mean() - peer.mean()) < 0.05


def test_without_draws_the_trees_are_those_of_scikit_learn():
    """All columns and the same bags: nothing is left to chance but ties, and leaves of ten rows leave none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32).astype(np.float64)
    y = X @ [1.0, 2.0, -1.0, 0.5] + rng.normal(size=200)
    settings = {"random_state": 3, "min_samples_leaf": 10, "max_features": None}
    ours = RandomForestRegressor(6, **settings).fit(X, y)
    peer = peers.RandomForestRegressor(6, **settings).fit(X, y)
    grid = rng.normal(size=(300, 4)).astype(np.float32).astype(np.float64)
    assert_allclose(ours.predict(grid), peer.predict(grid), rtol=1e-10)
    assert_allclose(ours.feature_importances_, peer.feature_importances_, rtol=1e-8)
    assert_array_equal(ours.apply(grid), peer.apply(grid))
    (path, roots), (peer_path, peer_roots) = ours.decision_path(grid), peer.decision_path(grid)
    assert_array_equal(roots, peer_roots)
    assert_array_equal(path.toarray(), peer_path.toarray())


@pytest.mark.parametrize("weight", [None, "balanced", "balanced_subsample", {0: 1, 1: 5}])
def test_class_weights_as_scikit_learn(weight):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300, :4], y[:300]
    settings = {"class_weight": weight, "max_depth": 3, "max_features": None, "random_state": 0}
    ours = RandomForestClassifier(5, **settings).fit(X, y)
    peer = peers.RandomForestClassifier(5, **settings).fit(X, y)
    assert_allclose(ours.predict_proba(X).mean(axis=0), peer.predict_proba(X).mean(axis=0), atol=0.01)


def test_sample_weights_are_chances_to_be_drawn():
    X, y = IRIS
    w = 1.0 + np.arange(150) % 4
    w[:50] = 0
    ours = RandomForestClassifier(5, random_state=0).fit(X, y, sample_weight=w)
    peer = peers.RandomForestClassifier(5, random_state=0).fit(X, y, sample_weight=w)
    for a, b in zip(ours.estimators_samples_, peer.estimators_samples_):
        assert_array_equal(a, b)
    assert ours.predict_proba(X)[:, 0].max() == 0


# ---------------------------------------------------------------- tables


def loans(n=300):
    rng = np.random.default_rng(1)
    job = rng.choice(["none", "clerk", "nurse", "smith"], n)
    age = np.where(rng.random(n) < 0.2, np.nan, rng.uniform(20, 60, n))
    good = (np.isin(job, ["clerk", "nurse"]) ^ (rng.random(n) < 0.1)) & ~np.isnan(age)
    return pd.DataFrame({"job": job, "age": age}), np.where(good, "pays", "fails")


def test_raw_tables_with_categories_and_gaps():
    X, y = loans()
    forest = RandomForestClassifier(60, random_state=0, oob_score=True).fit(X, y)
    assert forest.oob_score_ > 0.85
    assert_array_equal(forest.predict_proba(X[["age", "job"]]), forest.predict_proba(X))
    with pytest.warns(assay.errors.SchemaWarning, match="unseen"):
        strange = forest.predict_proba(pd.DataFrame({"job": ["pilot"], "age": [30.0]}))
    missing = forest.predict_proba(pd.DataFrame({"job": [None], "age": [30.0]}))
    assert_array_equal(strange, missing)


def test_dense_sparse_and_single_precision_give_the_same_forest():
    X, y = load_digits(n_class=4, return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    for other in (csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        again = RandomForestClassifier(5, random_state=0).fit(other, y)
        assert_same_trees(again.trees_, forest.trees_)
        assert_array_equal(again.predict_proba(other), forest.predict_proba(X))


def test_several_outputs():
    X, y = DIABETES
    Y = np.column_stack([y, 2 * y + 1])
    forest = RandomForestRegressor(10, random_state=0, oob_score=True, max_depth=4)
    with pytest.warns(DegenerateWarning, match="in every bag"):
        forest.fit(X, Y)
    assert forest.predict(X).shape == forest.oob_prediction_.shape == (442, 2)
    assert_allclose(forest.predict(X)[:, 1], 2 * forest.predict(X)[:, 0] + 1)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_strange_tables(cls):
    one = cls(3, random_state=0).fit([[1.0, np.nan]], [1])
    assert_array_equal(one.predict([[5.0, 2.0]]), [1])
    same = cls(20, random_state=0, bootstrap=False).fit([[1.0], [1.0], [1.0], [1.0]], [0, 1, 1, 1])
    assert_array_equal(same.feature_importances_, [0.0])
    assert_allclose(same.predict([[1.0]]), 1 if cls is RandomForestClassifier else 0.75)


# ---------------------------------------------------------------- promises


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_neither_threads_nor_a_warm_start_change_a_tree(cls, monkeypatch):
    X, y = IRIS
    monkeypatch.setattr("assay.threads._cores", lambda: 2)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    two = cls(12, random_state=5, n_jobs=2).fit(X, y)
    one = cls(12, random_state=5, n_jobs=1).fit(X, y)
    assert_same_trees(two.trees_, one.trees_)
    warm = cls(5, random_state=5, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=12).fit(X, y)
    assert_same_trees(warm.trees_, one.trees_)
    assert_array_equal(warm._seeds, one._seeds)
    with pytest.warns(AssayWarning, match="without increasing n_estimators"):
        warm.fit(X, y)
    with pytest.raises(ParameterError, match="n_estimators=3 must be larger or equal"):
        warm.set_params(n_estimators=3).fit(X, y)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_a_saved_forest_is_small_and_comes_back_bit_for_bit(cls, tmp_path):
    X, y = load_digits(return_X_y=True)
    forest = cls(30, random_state=0, oob_score=False).fit(X, y)
    path = tmp_path / "forest.assay"
    assay.save(forest, path)
    again = assay.load(path)
    assert path.stat().st_size <= 24 * forest.trees_.node_count
    assert_same_trees(again.trees_, forest.trees_)
    assert_array_equal(again.predict(X), forest.predict(X))
    assert_array_equal(again.feature_importances_, forest.feature_importances_)
    assert_array_equal(again.estimators_samples_[3], forest.estimators_samples_[3])


def test_a_compact_forest_answers_the_same_and_knows_less(tmp_path):
    X, y = IRIS
    forest = RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, y)
    small = forest.compact()
    assert_array_equal(small.predict_proba(X), forest.predict_proba(X))
    sizes = []
    for name, model in (("all", forest), ("small", small)):
        assay.save(model, tmp_path / name)
        sizes.append((tmp_path / name).stat().st_size)
    assert sizes[1] < 0.7 * sizes[0]
    with pytest.raises(ValueError, match="made compact"):
        _ = small.feature_importances_
    with pytest.raises(ValueError, match="does not know the bags"):
        _ = small.estimators_samples_


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_estimators_are_trees_of_their_own(cls):
    X, y = IRIS
    forest = cls(6, random_state=0, max_depth=3).fit(X, y)
    mean = np.mean([tree.predict(X) for tree in forest.estimators_], axis=0)
    assert len(forest) == len(forest.estimators_) == 6
    assert forest[0] is forest.estimators_[0]
    assert [tree.random_state for tree in forest] == forest._seeds.tolist()
    if cls is RandomForestRegressor:
        assert_allclose(mean, forest.predict(X))
    else:
        posteriors = [tree.predict_proba(X) for tree in forest.estimators_]
        assert_allclose(np.mean(posteriors, axis=0), forest.predict_proba(X))
    assert max(tree.get_depth() for tree in forest.estimators_) == 3


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_a_tree_fitted_again_with_its_bag_is_the_same_tree(cls):
    X, y = IRIS
    forest = cls(4, random_state=3, max_features=2).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_):
        again = clone(tree).fit(X[rows], y[rows])
        assert_array_equal(again.tree_.threshold, tree.tree_.threshold)
        assert_allclose(again.tree_.values, tree.tree_.values, rtol=1e-12)


def test_monotonic_constraints_hold():
    X, y = DIABETES
    signs = [0, 0, 1, 0, 0, 0, 0, 0, -1, 0]
    forest = RandomForestRegressor(20, random_state=0, monotonic_cst=signs, min_samples_leaf=5).fit(X, y)
    row = np.repeat(X[:20], 30, axis=0)
    for column, sign in ((2, 1), (8, -1)):
        moved = row.copy()
        moved[:, column] = np.tile(np.linspace(-0.1, 0.15, 30), 20)
        steps = np.diff(forest.predict(moved).reshape(20, 30), axis=1)
        assert (sign * steps >= -1e-9).all()
    with pytest.raises(ParameterError, match="not supported with multiclass"):
        RandomForestClassifier(monotonic_cst=[1, 0, 0, 0]).fit(*IRIS)


def test_pruning_and_limits_make_smaller_trees():
    X, y = load_breast_cancer(return_X_y=True)
    whole = RandomForestClassifier(5, random_state=0).fit(X, y)
    for limit in (
        {"ccp_alpha": 0.02},
        {"max_leaf_nodes": 4},
        {"min_impurity_decrease": 0.02},
        {"max_samples": 30},
    ):
        assert (
            RandomForestClassifier(5, random_state=0, **limit).fit(X, y).trees_.node_count
            < whole.trees_.node_count
        )
    shares = RandomForestClassifier(
        5, random_state=0, min_samples_leaf=0.1, min_weight_fraction_leaf=0.2
    ).fit(X, y)
    leaves = [shares.trees_.tree(t) for t in range(5)]
    assert min(tree.weighted_n_node_samples[tree.is_leaf].min() for tree in leaves) >= 0.2 * len(y)


def test_the_explanation_adds_up():
    X, y = loans()
    forest = RandomForestClassifier(15, random_state=0).fit(X, y)
    told = forest.explain(X.iloc[[3]])
    votes, added = told.sections
    assert sum(row[1] for row in votes.rows) == 15
    total = {row[0]: row[2] for row in added.rows}["sum"]
    assert_allclose(total, told.posterior[told.answer], atol=1e-9)
    numbers = RandomForestRegressor(15, random_state=0).fit(*DIABETES)
    told = numbers.explain(DIABETES[0][:1])
    assert_allclose(told.sections[1].rows[-1][2], numbers.predict(DIABETES[0][:1])[0])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"bootstrap": False, "max_samples": 10}, "cannot be set if `bootstrap=False`"),
        ({"max_features": "many"}, "max_features must be"),
        ({"criterion": "mse"}, "criterion must be one of 'gini'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong, said):
    with pytest.raises(ParameterError, match=said):
        RandomForestClassifier(**wrong).fit(*IRIS)


def test_poisson_forests_refuse_negative_numbers():
    with pytest.raises(DataError, match="negative"):
        RandomForestRegressor(criterion="poisson").fit([[0.0], [1.0]], [-1.0, 1.0])
    with pytest.raises(DataError, match="not positive"):
        RandomForestRegressor(criterion="poisson").fit([[0.0], [1.0]], [0.0, 0.0])


def test_how_many_columns_a_node_looks_at():
    assert [n_features(m, 30) for m in ("sqrt", "log2", None, 3, 0.5, 40)] == [5, 4, 30, 3, 15, 30]
    assert [n_features(m, 1) for m in ("sqrt", "log2", 0.1)] == [1, 1, 1]


def test_targets_that_cannot_be_added_up_are_refused():
    X, y = np.arange(40.0)[:, None], np.where(np.arange(40) % 2, 1.7e308, 1.1e308)
    with pytest.raises(DataError, match="too large to be added up"):
        RandomForestRegressor(3).fit(X, y)
    small = RandomForestRegressor(3, random_state=0).fit(X, y / 2.0**10).predict(X)
    assert np.isfinite(small).all()


def test_the_estimator_of_a_forest_is_known_before_and_after_fitting():
    forest = RandomForestClassifier(3, max_depth=2)
    assert forest.estimator.get_params()["max_depth"] == 2
    forest.fit([[0.0], [1.0]], [0, 1])
    assert type(forest.estimator_) is type(forest.estimator) is type(forest.estimators_[0])
