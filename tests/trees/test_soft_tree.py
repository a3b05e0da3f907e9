"""Soft trees: leaf weights, gradients, the hard tree as a limit, and what they learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay.trees.soft_tree import canonical_rows, leaf_weights, side_of_leaves
from assay.trees.soft_tree_classifier import SoftTreeClassifier
from assay.trees.soft_tree_regressor import SoftTreeRegressor
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier

IRIS = load_iris(return_X_y=True)


def weights_by_the_book(gate, tree):
    """Leaf weights of one row by walking down every path."""
    weight, gates = {0: 1.0}, iter(gate)
    for i in range(tree.node_count):
        if not tree.is_leaf[i]:
            right = 1 / (1 + np.exp(-next(gates)))
            for child, share in zip(tree.children(i), (1 - right, right)):
                weight[int(child)] = weight[i] * share
    return [weight[i] for i in np.flatnonzero(tree.is_leaf)]


@pytest.mark.capability("IML-9-41")
@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_leaf_weights_are_products_along_the_paths_and_sum_to_one(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    tree = TextbookTreeClassifier(max_depth=4).fit(X, y).tree_
    side = side_of_leaves(tree)
    gate = rng.normal(0, 3, (5, len(side)))
    weights = leaf_weights(gate, side)
    assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert_allclose(weights, [weights_by_the_book(g, tree) for g in gate], atol=1e-12)


@pytest.mark.capability("IML-12-35")
@pytest.mark.capability("IML-9-41")
@pytest.mark.parametrize("learner", [SoftTreeClassifier, SoftTreeRegressor])
def test_leaf_weights_of_a_trained_tree_sum_to_one(learner):
    X, y = IRIS
    model = learner().fit(X, y)
    assert_allclose(model.leaf_weights(X).sum(axis=1), 1, atol=1e-12)
    assert model.leaf_weights(X).shape == (150, len(model.leaf_values_))


@pytest.mark.capability("IML-12-35")
@pytest.mark.capability("IML-9-41")
def test_steep_gates_make_the_hard_tree_that_follows_the_likelier_branch():
    X, y = IRIS
    model = SoftTreeClassifier().fit(X, y)
    gate = X @ model.gate_coef_.T + model.gate_intercept_
    side = model.side_
    agrees = np.where(side[None] == 0, True, (gate[:, :, None] > 0) == (side[None] > 0)).all(axis=1)
    assert_array_equal(agrees.sum(axis=1), 1)  # one leaf a row
    hard = model.leaf_values_[agrees.argmax(axis=1)]
    model.gate_coef_ = model.gate_coef_ * 1e6
    model.gate_intercept_ = model.gate_intercept_ * 1e6
    assert_allclose(model.predict_proba(X), hard, atol=1e-12)


@pytest.mark.parametrize(
    ("learner", "load"), [(SoftTreeClassifier, load_wine), (SoftTreeRegressor, load_diabetes)]
)
def test_the_gradient_is_that_of_the_loss(learner, load, monkeypatch):
    """Central differences at a random point."""
    import scipy.optimize

    X, y = load(return_X_y=True)
    seen = {}

    def look(fun, x0, **rest):
        rng = np.random.default_rng(0)
        at = x0 + rng.normal(0, 0.1, len(x0))
        _, seen["gradient"] = fun(at)
        steps = 1e-5 * np.eye(len(x0))
        seen["differences"] = np.array([(fun(at + s)[0] - fun(at - s)[0]) / 2e-5 for s in steps])
        return scipy.optimize.OptimizeResult(x=at, nit=1)

    monkeypatch.setattr(scipy.optimize, "minimize", look)
    learner(max_depth=2).fit(X[:60, :4], y[:60])
    assert_allclose(seen["gradient"], seen["differences"], atol=1e-8)
    assert np.abs(seen["gradient"]).max() > 1e-3


def test_the_loss_falls_from_iteration_to_iteration():
    model = SoftTreeClassifier().fit(*IRIS)
    assert model.n_iter_ == len(model.history_) > 5
    assert (np.diff(model.history_) <= 1e-12).all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_at_least_as_accurate_as_the_hard_tree_of_its_depth(load):
    """Peer: DecisionTreeClassifier 1.9 of depth 3, by cross-validation."""
    X, y = load(return_X_y=True)
    ours = cross_val_score(SoftTreeClassifier(), X, y, cv=3).mean()
    assert (
        ours >= cross_val_score(DecisionTreeClassifier(max_depth=3, random_state=0), X, y, cv=3).mean() - 0.01
    )


def test_a_smooth_curve_is_followed_better_than_by_steps():
    x = np.linspace(-3, 3, 101)[:, None]
    y = np.sin(x).ravel()
    soft = SoftTreeRegressor(ridge=1e-4).fit(x, y)
    assert soft.score(x, y) > 0.995 > DecisionTreeRegressor(max_depth=3).fit(x, y).score(x, y)


def test_an_oblique_border_needs_one_gate():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    model = SoftTreeClassifier(max_depth=1, ridge=1e-5).fit(X, y)
    assert len(model.gate_coef_) == 1 and model.score(X, y) > 0.99


def test_the_order_of_rows_and_repeated_rows_make_no_difference():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80, :3], y[:80]
    mixed = np.random.default_rng(0).permutation(80)
    twice = SoftTreeRegressor().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = SoftTreeRegressor().fit(X[mixed], y[mixed], sample_weight=np.full(80, 2))
    assert_array_equal(twice.predict(X), weighted.predict(X))
    rows, _, w = canonical_rows(
        np.array([[1.0], [0.0], [1.0]]), np.array([1, 1, 1]), np.array([1.0, 0.0, 2.0])
    )
    assert_array_equal(rows, [[1.0]])
    assert_array_equal(w, [3.0])


def test_stopping_early_is_said():
    with pytest.warns(ConvergenceWarning, match="SoftTreeClassifier stopped after 2 iterations"):
        SoftTreeClassifier(max_iter=2).fit(*IRIS)


def test_nothing_to_split_answers_with_the_shares():
    model = SoftTreeClassifier().fit(np.ones((10, 2)), [0] * 7 + [1] * 3)
    assert_allclose(model.predict_proba([[5.0, 5.0]]), [[0.7, 0.3]], atol=1e-3)
    flat = SoftTreeRegressor().fit(np.ones((10, 2)), np.arange(10.0))
    assert_allclose(flat.predict([[5.0, 5.0]]), 4.5, atol=1e-6)


def test_the_explanation_shows_gates_and_leaves():
    model = SoftTreeClassifier().fit(*IRIS)
    told = model.explain(IRIS[0][[100]])
    gates, leaves = told.sections
    assert len(gates.rows) == len(model.gate_coef_) and sum(row[1] for row in leaves.rows) == pytest.approx(1)
    mean = sum(row[1] * np.array(row[2:]) for row in leaves.rows)
    assert_allclose(mean, list(told.posterior.values()), atol=1e-12)


def test_the_explanation_of_a_number_adds_up_to_it():
    X, y = load_diabetes(return_X_y=True)
    model = SoftTreeRegressor(max_depth=2).fit(X[:100], y[:100])
    told = model.explain(X[[7]])
    assert sum(w * v for _, w, v in told.sections[1].rows) == pytest.approx(told.answer)
