"""M5'Rules: pieces of straight lines come back as rules, and the list is as good as its tree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, make_friedman1

from assay.rulebase.linear_answer import LinearAnswer
from assay.rules.from_trees.m5_rules_regressor import M5RulesRegressor
from assay.trees import ModelTreeRegressor


def test_two_lines_are_two_answers():
    x = np.arange(40.0)[:, None]
    y = np.where(x < 20, x, 120 - 2 * x).ravel()
    model = M5RulesRegressor(smoothing=0).fit(x, y)
    assert model.n_rules_ == 1
    assert_allclose(model.predict(x), y, atol=1e-9)
    rule, default = model.rules_[0], model.rules_.default
    assert isinstance(rule.answer, LinearAnswer) and isinstance(default, LinearAnswer)
    slopes = sorted([rule.answer.terms[0][2], default.terms[0][2]])
    assert_allclose(slopes, [-2, 1], rtol=1e-9)
    assert rule.n == 20 and rule.total == 40 and rule.error == pytest.approx(0, abs=1e-9)


@pytest.mark.capability("IML-9-45")
def test_a_step_function_is_recovered():
    x = np.arange(60.0)[:, None]
    y = np.repeat([1.0, 7.0, 3.0], 20)
    model = M5RulesRegressor(smoothing=0).fit(x, y)
    assert_allclose(model.predict(x), y, atol=1e-9)
    ends = {
        end for rule in model.rules_ for c in rule.conditions for end in (c.low, c.high) if np.isfinite(end)
    }
    assert ends <= {19.5, 39.5} and model.n_rules_ == 2


@pytest.mark.parametrize("select", ["coverage", "error"])
@pytest.mark.parametrize("smoothing", [0.0, 15.0])
def test_as_good_as_the_model_tree(select, smoothing):
    """Peer: our own model tree with the same settings; Weka's M5Rules is raced in benchmarks."""
    X, y = make_friedman1(500, n_features=5, noise=1.0, random_state=0)
    train, test = slice(0, 200), slice(200, 500)
    rules = M5RulesRegressor(select, smoothing=smoothing).fit(X[train], y[train])
    tree = ModelTreeRegressor(smoothing=smoothing).fit(X[train], y[train])
    assert rules.score(X[test], y[test]) > tree.score(X[test], y[test]) - 0.08
    assert rules.score(X[test], y[test]) > 0.6


def test_what_is_printed_is_applied():
    X, y = load_diabetes(return_X_y=True)
    model = M5RulesRegressor(min_deviation=0.3, prune=False, max_depth=2).fit(X, y)
    assert model.n_rules_ > 1
    space: dict = {}
    exec(model.rules_.to_python(), space)  # the module's own output
    names = model.schema_.names
    text = [space["predict"](dict(zip(names, row.tolist()))) for row in X]
    assert_array_equal(model.predict(X), text)


def test_categories_enter_rules_and_functions():
    rng = np.random.default_rng(0)
    colour, x = rng.choice(["red", "blue"], 200), rng.uniform(0, 10, 200)
    y = np.where(colour == "red", 5 + 2 * x, 1 - x)
    model = M5RulesRegressor(smoothing=0).fit({"colour": colour, "x": x}, y)
    assert_allclose(model.predict({"colour": ["red", "blue"], "x": [1.0, 1.0]}), [7, 0], atol=1e-8)
    assert "colour" in str(model)
    assert model.explain({"colour": ["red"], "x": [1.0]}).sections


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 1, (50, 2))
    y = np.where(X[:, 0] < 0.5, X[:, 1], 4 - X[:, 1]) + 0.01 * rng.normal(size=50)
    w = rng.integers(1, 4, 50)
    weighted = M5RulesRegressor(min_samples_leaf=20).fit(X, y, sample_weight=w.astype(float))
    repeated = M5RulesRegressor(min_samples_leaf=20).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-7)


def test_at_most_so_many_rules():
    X, y = make_friedman1(200, noise=0.1, random_state=0)
    model = M5RulesRegressor(max_rules=2).fit(X, y)
    assert model.n_rules_ <= 2
    none = M5RulesRegressor(max_rules=0).fit(X, y)
    assert none.n_rules_ == 0 and isinstance(none.rules_.default, LinearAnswer)


def test_odd_tables():
    assert_allclose(M5RulesRegressor().fit([[1.0]], [3.0]).predict([[9.0]]), [3.0])
    assert_allclose(M5RulesRegressor().fit(np.ones((6, 2)), np.arange(6.0)).predict([[1, 1]]), [2.5])
    assert_allclose(M5RulesRegressor().fit(np.arange(6.0)[:, None], np.full(6, 2.0)).predict([[99.0]]), [2.0])
    with pytest.raises(ValueError, match="missing"):
        M5RulesRegressor().fit([[np.nan], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="M5RulesRegressor: X holds numbers too large to be squared"):
        M5RulesRegressor().fit([[1e300], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("split", ["coverage", "error"])
@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600])
def test_the_unit_of_the_target_does_not_matter(unit, split):
    """Squares of such targets are 0 or infinite; units are powers of two, so that nothing is rounded."""
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = np.where(X[:, 0] < 0.5, X[:, 1], 3 - 2 * X[:, 1]) + 0.1 * rng.random(80)
    plain, scaled = M5RulesRegressor(select=split).fit(X, y), M5RulesRegressor(select=split).fit(X, y * unit)
    np.testing.assert_allclose(scaled.predict(X), plain.predict(X) * unit, rtol=1e-9)
