"""What all multivariate trees share."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay import trees
from assay.core.progress import listen
from assay.errors import DataError, ParameterError

NAMES = [
    "FisherTreeClassifier",
    "LDATreeClassifier",
    "LinearCombinationTreeClassifier",
    "LinearMachineTreeClassifier",
    "NeuralTreeClassifier",
    "OC1Classifier",
    "OmnivariateTreeClassifier",
    "QuadraticTreeClassifier",
    "SoftMarginTreeClassifier",
    "SphereTreeClassifier",
]
X, Y = load_iris(return_X_y=True)
every = pytest.mark.parametrize("name", NAMES)


def make(name, **settings):
    if name == "OmnivariateTreeClassifier":  # eleven fits a node
        settings = {"min_samples_test": 60, "hidden": 2, **settings}
    return getattr(trees, name)(**{"random_state": 0, **settings})


@every
def test_full_grown_trees_know_their_rows(name):
    model = make(name).fit(X, Y)
    assert model.score(X, Y) == 1.0
    tree = model.tree_
    tree._check_stored()
    assert_allclose(tree.value.sum(axis=1), 1)
    assert_array_equal(
        np.bincount(model.apply(X), minlength=tree.node_count)[tree.is_leaf],
        tree.n_node_samples[tree.is_leaf],
    )
    inner = np.flatnonzero(~tree.is_leaf)
    assert [tree.n_node_samples[tree.children(i)].sum() for i in inner] == tree.n_node_samples[inner].tolist()


@every
def test_limits_are_kept(name):
    assert make(name, max_depth=1).fit(X, Y).get_depth() == 1
    small = make(name, min_samples_leaf=10).fit(X, Y).tree_
    assert small.n_node_samples[small.is_leaf].min() >= 10
    share = make(name, min_samples_leaf=0.1).fit(X, Y).tree_
    assert share.n_node_samples[share.is_leaf].min() >= 15
    light = make(name, min_weight_fraction_leaf=0.2).fit(X, Y).tree_
    assert light.weighted_n_node_samples[light.is_leaf].min() >= 30
    split = make(name, min_samples_split=0.5).fit(X, Y).tree_
    assert split.n_node_samples[~split.is_leaf].min() >= 75


@every
def test_rows_set_aside_prune_the_tree(name):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 3))
    y = (Z[:, 0] + Z[:, 1] > 0) ^ (rng.uniform(size=300) < 0.2)
    full, pruned = make(name).fit(Z, y), make(name, validation_fraction=0.3).fit(Z, y)
    assert pruned.get_n_leaves() < full.get_n_leaves() / 2
    fresh = rng.normal(size=(1000, 3))
    assert pruned.score(fresh, fresh[:, 0] + fresh[:, 1] > 0) > full.score(
        fresh, fresh[:, 0] + fresh[:, 1] > 0
    )


@every
def test_an_explanation_has_the_path_and_its_terms(name):
    frame = pd.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
    model = make(name, max_depth=2).fit(frame, Y)
    told = model.explain(frame.iloc[[120]])
    path = told.sections[0]
    assert path.title == "Path" and path.rows[0][0] == 0 and path.rows[0][4:] == [150, 50, 50, 50]
    steps = model.tree_.path(X[120])
    assert [row[0] for row in path.rows] == [node for node, _ in steps]
    value = np.ravel(model.tree_.splits[0].value(X[120:121])[0])
    assert_allclose(path.rows[0][2], value[steps[0][1]] if len(value) > 1 else value[0])
    assert path.rows[-1][1] == "the leaf" and "Path" in str(told)
    if name not in (
        "OmnivariateTreeClassifier",
        "LinearCombinationTreeClassifier",
        "OC1Classifier",
    ):  # thresholds
        assert told.sections[1].columns == ["node", "term", "weight", "contribution"]


@every
def test_trees_can_be_looked_at(name):
    model = make(name, max_depth=3).fit(X, np.array(["a", "b", "c"])[Y])
    assert len(model.outline().nodes) == model.tree_.node_count
    assert model.to_svg().startswith("<svg") and "digraph" in model.to_graphviz()
    assert str(model).count("\n") >= model.get_n_leaves() - 1
    assert_allclose(model.feature_importances_.sum(), 1)


@pytest.mark.parametrize("name", ["LinearCombinationTreeClassifier", "OC1Classifier", "FisherTreeClassifier"])
def test_rules_of_hyperplanes_answer_as_the_tree_does(name):
    model = make(name).fit(X, Y)
    rules = model.rules()
    covers = np.array([np.all([test.covers(X) for test in rule.conditions], axis=0) for rule in rules.rules])
    assert (covers.sum(axis=0) == 1).all()
    answers = np.array([rule.answer for rule in rules.rules])
    assert_array_equal(answers[covers.argmax(axis=0)], model.predict(X))


def test_curved_tests_have_no_rules():
    with pytest.raises(ValueError, match="no form that a rule can hold"):
        make("SphereTreeClassifier").fit(X, Y).rules()


@every
def test_nominal_columns_come_in_as_indicators(name):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120), "kind": rng.choice(["p", "q", "r"], 120)})
    y = np.where((frame["kind"] == "q") ^ (frame["x"] > 1.5), "yes", "no")
    model = make(name).fit(frame, y)
    assert model.score(frame, y) == 1.0
    assert model.feature_importances_.shape == (2,)
    assert {column.name for column in model.outline().schema} == {"x", "kind=p", "kind=q", "kind=r"}
    with_missing = frame.astype({"kind": object})
    with_missing.loc[3, "x"] = np.nan
    with pytest.raises(DataError, match=f"{name}.*x.*missing"):
        model.predict(with_missing)


@every
def test_class_weights_are_weights_of_rows(name):
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    by_class = make(name, max_depth=2, class_weight={0: 1.0, 1: 5.0}).fit(Z, y)
    by_row = make(name, max_depth=2).fit(Z, y, sample_weight=np.where(y == 1, 5.0, 1.0))
    assert_allclose(by_class.predict_proba(Z), by_row.predict_proba(Z))


@every
def test_degenerate_tables(name):
    assert make(name).fit([[1.0, 2.0]], ["a"]).predict([[5.0, 5.0]]) == ["a"]
    same = make(name).fit(np.ones((5, 2)), [0, 0, 1, 1, 1])
    assert_allclose(same.predict_proba([[1.0, 1.0]]), [[0.4, 0.6]])
    wide = np.random.default_rng(0).normal(size=(8, 30))
    assert make(name).fit(wide, np.arange(8) % 3).score(wide, np.arange(8) % 3) == 1.0
    far = X * 1e150
    assert make(name).fit(far, Y).score(far, Y) > 0.98
    offset = X + 1e6
    assert make(name).fit(offset, Y).score(offset, Y) > 0.98


@every
@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_numbers_that_cannot_be_squared_are_refused(name, size):
    with pytest.raises(DataError, match=rf"{name}: column x1 .* cannot be squared"):
        make(name).fit(X * [1.0, size, 1.0, 1.0], Y)


@every
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000, 2.0**-1074])
def test_weights_may_be_of_any_size(name, unit):
    w = (1.0 + Y) * unit
    model = make(name).fit(X, Y, sample_weight=w)
    assert model.score(X, Y) > 0.98
    assert_allclose(model.tree_.weighted_n_node_samples[0], w.sum(), rtol=1e-9)


@every
def test_growth_tells_how_far_it_has_come(name):
    seen = []
    with listen(lambda event: seen.append(event)):
        make(name).fit(X, Y)
    assert seen[-1].done == seen[-1].total == 150


def test_a_wrong_parameter_is_named():
    with pytest.raises(ParameterError, match="OC1Classifier: min_samples_split"):
        trees.OC1Classifier(min_samples_split=1).fit(X, Y)
    with pytest.raises(ParameterError, match="FisherTreeClassifier: grouping"):
        trees.FisherTreeClassifier("pairs").fit(X, Y)
