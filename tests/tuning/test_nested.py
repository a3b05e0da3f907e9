"""Tuning: the choice is made by inner splits alone, the error judged by rows that had no part in it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.errors import AssayError, DataError, ParameterError
from assay.evaluate import Resampling
from assay.neighbors import KNeighborsClassifier
from assay.tables.data import load_breast_cancer, load_german_credit, load_iris, load_wine
from assay.tuning import Tuned, nested

TREE = DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_the_choice_is_that_of_scikit_learns_search_on_the_same_splits(load):
    """Peer: GridSearchCV, scikit-learn 1.9, with our inner splits as cv."""
    X, y = load()
    grid = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 10]}
    codes = (
        (y != y[0]).astype(int) if len(set(y)) == 2 else np.unique(y, return_inverse=True)[1]
    )  # as they appear
    pairs = [(s.train, s.test) for s in Resampling.of("4-fold").splits(codes, 0)]
    ours = Tuned(TREE, grid, inner="4-fold", metric="accuracy").fit(X.values, y)
    # the peer takes the mean over splits in the same way, but breaks ties by its own order of the grid
    theirs = GridSearchCV(TREE, grid, cv=pairs).fit(X.values, y)
    means = {tuple(sorted(s.items())): v for s, v in ours.results_}
    for setting, mean in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"]):
        assert_allclose(means[tuple(sorted(setting.items()))], mean, atol=1e-12)
    assert_allclose(ours.best_score_, theirs.best_score_, atol=1e-12)
    assert (ours.predict(X.values) == clone_fit(TREE, ours.best_params_, X.values, y)).all()


def clone_fit(learner, setting, X, y):
    return type(learner)(**{**learner.get_params(), **setting}).fit(X, y).predict(X)


def test_nested_is_a_plain_double_loop():
    X, y = load_wine()
    grid = {"max_depth": [1, 2, 4]}
    found = nested(TREE, grid, X.values, y, outer="3-fold", inner="3-fold", random_state=2)
    codes = np.unique(y, return_inverse=True)[1]
    errors, chosen = [], []
    for outer in Resampling.of("3-fold").splits(codes, 2):
        Z, t = X.values[outer.train], y[outer.train]
        means = []
        for depth in grid["max_depth"]:
            tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
            means.append(
                np.mean(
                    [
                        np.mean(tree.fit(Z[s.train], t[s.train]).predict(Z[s.test]) != t[s.test])
                        for s in Resampling.of("3-fold").splits(codes[outer.train], 2)
                    ]
                )
            )
        depth = grid["max_depth"][int(np.argmin(means))]
        chosen.append({"max_depth": depth})
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(Z, t)
        errors.append(np.mean(tree.predict(X.values[outer.test]) != y[outer.test]))
    assert found.chosen == chosen
    assert_allclose(found.comparison.values("tuned"), errors, atol=1e-12)
    assert_allclose(found.mean, np.mean(errors), atol=1e-12)
    assert sum(count for _, count in found.votes) == 3 and "chosen on" in str(found)


def test_the_winners_own_splits_flatter_where_there_is_nothing_to_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.permutation(np.arange(60) % 2)
    grid = {"random_state": list(range(25)), "max_features": [1]}
    found = nested(DecisionTreeClassifier(), grid, X, y, outer="4-fold", inner="3-fold")
    assert found.inner.mean() < 0.45 and found.optimism > 0.03
    assert found.low < 0.5 < found.high


def test_tuned_learners_take_part_beside_searches_and_pipelines():
    X, y = load_iris()
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    result = compare(
        {
            "ours": Tuned("knn", {"n_neighbors": [1, 9]}, inner="3-fold"),
            "pipe": Tuned(pipe, {"logisticregression__C": [0.01, 1.0]}, inner="3-fold", metric="log-loss"),
            "theirs": GridSearchCV(TREE, {"max_depth": [1, 3]}, cv=3),
            "plain": TREE,
        },
        X,
        y,
        design="3-fold",
        metrics=["error", "brier"],
    )
    assert result.failures == {}
    assert all(set(c) == {"max_depth"} for c in result.chosen("theirs"))
    assert all(c == {"logisticregression__C": 1.0} for c in result.chosen("pipe"))
    assert result.chosen("plain") == [None] * 3
    assert np.isfinite(result.values("ours", "brier")).all()


def test_missing_values_and_categories_are_prepared_inside_the_inner_splits():
    X, y = load_german_credit()
    frame = pd.DataFrame(X.to_columns())
    frame.iloc[::7, 1] = None
    result = compare(
        {"tuned": Tuned("lda", {"shrinkage": [None, "auto"], "solver": ["lsqr"]}, inner="2-fold")},
        frame[:300],
        y[:300],
        design="2-fold",
    )
    assert result.failures == {} and result.prepared["tuned"] == ""


def test_a_setting_that_fails_is_passed_over_and_if_all_fail_it_says_why():
    X, y = load_iris()
    model = Tuned(TREE, {"max_depth": [-1, 2]}).fit(X.values, y)
    assert model.best_params_ == {"max_depth": 2} and np.isnan(model.results_[0][1])
    with pytest.raises(DataError, match="no setting could be judged"):
        Tuned(TREE, {"max_depth": [-1]}).fit(X.values, y)
    with pytest.raises(DataError, match="nested: failed on 2 of 2 splits"):
        nested(TREE, {"max_depth": [-1]}, X, y, outer="2-fold")


@pytest.mark.parametrize(
    ("options", "words"),
    [({"grid": "max_depth"}, "grid must be"), ({"grid": {"depth": [1]}}, "does not take"),
     ({"metric": "cost"}, "needs to know what"),
         ({"inner": "often"}, "design must be"), ({"metric": "luck"}, "no metric")],
)  # fmt: skip
def test_wrong_settings_are_refused(options, words):
    with pytest.raises(AssayError, match=words):
        Tuned(**{"estimator": TREE, "grid": {"max_depth": [1, 2]}, **options}).fit(*load_iris())


def test_odds_are_there_only_where_the_learner_has_them():
    from sklearn.svm import LinearSVC

    assert not hasattr(Tuned(LinearSVC(), {"C": [1.0]}), "predict_proba")
    assert hasattr(Tuned(TREE, {"max_depth": [1]}), "predict_proba")


def test_inner_splits_keep_groups_together():
    """Ten copies of each row are a group: one neighbour knows a copy, unless the group is kept whole."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(30, 2)), 10, axis=0)
    y, groups = np.repeat(rng.permutation(30) % 2, 10), np.repeat(np.arange(30), 10)
    grid = {"n_neighbors": [1, 100]}
    parted, whole = Tuned("knn", grid).fit(X, y), Tuned("knn", grid).fit(X, y, groups=groups)
    assert parted.best_score_ == 0 and whole.best_score_ > 0.2
    assert nested("knn", grid, X, y, groups=groups).optimism < 0.2 < nested("knn", grid, X, y, outer=list(
        GroupKFold(5).split(X, y, groups))).optimism  # fmt: skip
    with pytest.raises(DataError, match="Tuned: X has 300 rows, so groups must have 300 entries"):
        Tuned("knn", grid).fit(X, y, groups=[1, 2])


def test_by_time_the_inner_splits_are_by_time_too():
    X, y = load_iris()
    found = nested("lda", {"shrinkage": [None]}, X, y, times=np.arange(150) * 77 % 150)
    assert found.comparison.design.name == "5-time"
    assert found.comparison.candidates["tuned"].learner.inner == "3-time"


@pytest.mark.parametrize(("inner", "kind"), [(None, "time"), ("2-time", "time"), ("2-fold", "folds")])
def test_a_tuned_learner_of_a_comparison_follows_its_times(inner, kind, monkeypatch):
    """By default too; a design of one's own that is another stays as it is."""
    days = np.random.default_rng(0).permutation(90)
    X, y = np.random.default_rng(1).normal(size=(90, 2)), np.random.default_rng(2).integers(0, 2, 90)
    plain, splits = Tuned._splits, []

    def watched(self, data, seed):
        found = plain(self, data, seed)
        splits.append((data.times, found))
        return found

    monkeypatch.setattr(Tuned, "_splits", watched)
    tuned = Tuned("tree", {"min_samples_leaf": [1, 5]}, inner)
    compare([tuned, "majority"], X, y, design="2-time", times=days)
    assert len(splits) == 2
    for times, (plan, pairs) in splits:
        assert plan.kind == kind
        if kind == "time":
            assert all(times[pair.train].max() < times[pair.test].min() for pair in pairs)


@pytest.mark.parametrize("grid", [{"n_neighbors": []}, {"n_neighbors": 3}, "knn"])
def test_a_grid_that_is_none_is_said_before_the_work(grid):
    with pytest.raises(ParameterError, match="grid must be a dict of parameter to list of values"):
        nested("knn", grid, *load_iris())


@pytest.mark.parametrize("estimator", ["knn", KNeighborsClassifier()])
def test_a_tuned_learner_explains_by_the_reasons_of_the_chosen_setting(estimator):
    X, y = load_iris()
    model = Tuned(estimator, {"n_neighbors": [3]}, inner="2-fold").fit(X, y)
    explained = model.explain(X[:1])
    assert "3 of 150 training rows that decided" in str(explained)
    assert f"answers {model.predict(X[:1])[0]} " in str(explained)


def test_a_tuned_estimator_of_another_library_is_explained_by_its_answer():
    X, y = load_iris()
    model = Tuned(DecisionTreeClassifier(random_state=0), {"max_depth": [2]}, inner="2-fold").fit(X, y)
    assert "Tuned answers" in str(model.explain(X[:1]))
