"""One forest for several targets: the mean of their impurities, as the peer has it."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peers
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.ensembles.extra_trees import ExtraTreesClassifier
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.errors import DataError, ParameterError
from assay.neighbors import KNeighborsClassifier, KNeighborsRegressor
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).astype(np.float32).astype(np.float64)
Y = np.column_stack(
    [X[:, 0] + X[:, 1] > 0, np.digitize(X[:, 2] + RNG.normal(size=200) / 2, [-0.7, 0.7])]
).astype(int)


@pytest.mark.parametrize(
    "limit", [{}, {"min_impurity_decrease": 0.02}, {"ccp_alpha": 0.01}, {"criterion": "entropy"}]
)
def test_same_forest_as_scikit_learn(limit):
    """All columns and large leaves: nothing is left to chance, so posteriors and importances agree."""
    settings = {"random_state": 1, "max_features": None, "min_samples_leaf": 12, **limit}
    ours = RandomForestClassifier(5, **settings).fit(X, Y)
    peer = peers.RandomForestClassifier(5, **settings).fit(X, Y)
    for a, b in zip(ours.predict_proba(X), peer.predict_proba(X)):
        assert_allclose(a, b, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(ours.feature_importances_, peer.feature_importances_, rtol=1e-8)
    assert_allclose(ours.trees_.tree(0).impurity, peer.estimators_[0].tree_.impurity, atol=1e-12)
    assert ours.n_classes_ == [2, 3]


def test_labels_of_several_kinds_of_words():
    words = np.column_stack([np.where(Y[:, 0], "yes", "no"), np.array(["low", "mid", "high"])[Y[:, 1]]])
    forest = RandomForestClassifier(20, random_state=0).fit(X, words)
    assert (forest.predict(X) == words).mean() > 0.95
    assert [c.tolist() for c in forest.classes_] == [["no", "yes"], ["high", "low", "mid"]]


@pytest.mark.parametrize("cls", [RandomForestClassifier, ExtraTreesClassifier])
def test_out_of_bag_of_several_targets(cls):
    both = np.column_stack([Y[:, 0], 1 - Y[:, 0]])
    forest = cls(60, random_state=0, bootstrap=True, oob_score=True).fit(X, both)
    assert forest.oob_decision_function_.shape == (200, 2, 2)
    assert_allclose(forest.oob_decision_function_[:, 0, 0], forest.oob_decision_function_[:, 1, 1])
    assert 0.8 < forest.oob_score_ < 1
    with pytest.raises(ParameterError, match="cannot be used to compute OOB estimates"):
        cls(5, bootstrap=True, oob_score=True).fit(X, Y)


def test_it_can_be_saved_and_grown_further(tmp_path):
    forest = RandomForestClassifier(4, random_state=0, warm_start=True).fit(X, Y)
    assay.save(forest, tmp_path / "forest.assay")
    again = assay.load(tmp_path / "forest.assay")
    for a, b in zip(again.predict_proba(X), forest.predict_proba(X)):
        assert_array_equal(a, b)
    forest.set_params(n_estimators=9).fit(X, Y)
    cold = RandomForestClassifier(9, random_state=0).fit(X, Y)
    assert_array_equal(forest.trees_.impurity, cold.trees_.impurity)
    assert_array_equal(forest.predict(X), cold.predict(X))


def test_a_warm_start_with_other_columns_or_classes_is_refused():
    for table, target in ((X[:, :3], Y[:, 0]), (X, Y[:, 1]), (X, Y)):
        forest = RandomForestClassifier(2, random_state=0, warm_start=True).fit(X, Y[:, 0])
        with pytest.raises(DataError, match="must be the same"):
            forest.set_params(n_estimators=3).fit(table, target)


def test_weights_within_bags_are_those_of_each_target_multiplied():
    bags = RandomForestClassifier(6, class_weight="balanced_subsample", max_depth=1, random_state=0).fit(X, Y)
    for t, rows in enumerate(bags.estimators_samples_):
        share = [np.bincount(Y[rows, o])[Y[rows, o]] for o in range(2)]
        weight = np.sum(len(rows) / (2 * share[0]) * len(rows) / (3 * share[1]))
        assert_allclose(bags.trees_.tree(t).weighted_n_node_samples[0], weight)


def test_weights_of_classes_and_reasons_for_several_targets():
    weighed = RandomForestClassifier(3, class_weight=[{0: 1, 1: 5}, {0: 1, 1: 1, 2: 1}], random_state=0).fit(
        X, Y
    )
    plain = RandomForestClassifier(3, random_state=0).fit(X, Y)
    assert weighed.predict_proba(X)[0][:, 1].mean() > plain.predict_proba(X)[0][:, 1].mean()
    explained = plain.explain(X[:1])
    assert explained.answer == plain.predict(X[:1])[0].tolist()
    titles = [section.title for section in explained.sections]
    assert titles[:2] == ["Targets", "Votes of 3 trees"] and len(titles) == 4
    member = plain.estimators_[0]
    assert member.tree_.value.shape[1:] == (2, 3)
    assert_allclose(member.predict_proba(X)[1], np.split(plain.trees_.tree(0).predict(X), [2], axis=1)[1])


def test_targets_of_different_kinds_keep_their_kinds():
    X = np.arange(12.0)[:, None]
    y = np.array([["a", 1]] * 6 + [["b", 2]] * 6, dtype=object)
    answers = RandomForestClassifier(5, bootstrap=False, random_state=0).fit(X, y).predict(X)
    assert answers.tolist() == y.tolist()


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(), RandomForestClassifier(3), KNeighborsClassifier(3), DecisionTreeRegressor(),
     RandomForestRegressor(3), KNeighborsRegressor(3)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_explanations_name_the_targets_as_the_frame_does(model, tmp_path):
    X = np.arange(20.0)[:, None]
    targets = pd.DataFrame({"ill": (X[:, 0] > 9).astype(int), "old": (X[:, 0] % 2).astype(int)})
    model.fit(X, targets)
    assay.save(model, tmp_path / "model.assay")
    for told in (str(model.explain(X[:1])), str(assay.load(tmp_path / "model.assay").explain(X[:1]))):
        assert "ill" in told and "old" in told and "y0" not in told
    assert "y0" in str(model.fit(X, targets.to_numpy()).explain(X[:1]))
