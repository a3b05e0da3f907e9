"""Networks and maps that grow, and networks made of fuzzy rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.local import (
    FuzzyRule,
    FuzzyRuleRegressor,
    GrowingSelfOrganizingMap,
    RBFNetworkRegressor,
    ResourceAllocatingNetwork,
    Units,
    fuzzy_rules,
)
from assay.local.fuzzy_rule import units_of_rules

rng = np.random.default_rng(0)


@pytest.mark.capability("IML-12-37")
def test_the_error_falls_as_units_are_added():
    X = rng.uniform(size=(600, 2))
    model = GrowingSelfOrganizingMap(60, random_state=0).fit(X)
    errors = [step["quantization_error"] for step in model.history_]
    units = [step["units"] for step in model.history_]
    assert units[0] == 4 and (np.diff(units) > 0).all()
    assert (np.diff(errors) < 0.1 * errors[0]).all() and errors[-1] < 0.4 * errors[0]
    assert model.units_.shape == (model.n_rows_ * model.n_columns_, 2) and len(model.units_) <= 60
    assert model.quantization_error_ < errors[-1] and model.topographic_error_ < 0.1
    assert model.hits(X).shape == (model.n_rows_, model.n_columns_) and model.hits(X).sum() == 600
    early = GrowingSelfOrganizingMap(200, target_error=0.1, random_state=0).fit(X)
    assert early.history_[-1]["quantization_error"] <= 0.1 < early.history_[-2]["quantization_error"]
    strip = GrowingSelfOrganizingMap(20, random_state=0).fit(X * [10, 1])
    assert max(strip.n_rows_, strip.n_columns_) >= 3 * min(strip.n_rows_, strip.n_columns_)


@pytest.mark.capability("IML-12-36")
def test_a_unit_is_added_where_a_row_is_new_and_wrong():
    """The first row sets the constant; the second, far and wrong, makes a unit with its error and kappa delta."""
    model = ResourceAllocatingNetwork(error=0.1, farthest=1.0, nearest=0.1, decay=1e9)
    model.partial_fit([[0.0], [3.0], [5.0]], [1.0, 4.0, 1.0])
    assert_allclose(model.centers_, [[3.0], [5.0]])
    first = 0.87 * 1.0
    assert_allclose(model.spreads_, [first, 0.87 * 2])
    error = 1 - 1 - 3 * np.exp(-0.5 * (2 / first) ** 2)
    assert_allclose(model.weights_, [3.0, error])
    assert model.intercept_ == 1.0 and model.rows_seen_ == 3


@pytest.mark.capability("IML-12-36")
def test_a_row_seen_again_adds_no_unit():
    """It is at distance 0 from its own unit; its error takes a step of the weights instead."""
    model = ResourceAllocatingNetwork(farthest=1.0, nearest=0.1, decay=1e9)
    model.partial_fit([[0.0], [3.0]], [1.0, 4.0])
    assert len(model.centers_) == 1
    before = abs(model.predict([[3.0]])[0] - 9.0)
    for _ in range(5):
        model.partial_fit([[3.0]], [9.0])
        after = abs(model.predict([[3.0]])[0] - 9.0)
        assert len(model.centers_) == 1 and after < before
        before = after


def test_resource_allocation_on_a_curve_and_odd_settings():
    x = rng.uniform(-3, 3, (400, 1))
    y = np.sin(2 * x[:, 0])
    model = ResourceAllocatingNetwork().fit(x, y)
    assert model.score(x, y) > 0.95
    units = [step["units"] for step in model.history_]
    assert units == sorted(units)
    assert len(ResourceAllocatingNetwork(max_units=3).fit(x, y).centers_) == 3
    assert_allclose(ResourceAllocatingNetwork().fit(np.ones((3, 1)), np.full(3, 5.0)).predict([[9.0]]), 5.0)
    with pytest.raises(ParameterError, match="nearest"):
        ResourceAllocatingNetwork(nearest=2.0).fit(x, y)
    with pytest.raises(DataError, match="one target"):
        ResourceAllocatingNetwork().fit(x, np.column_stack([y, y]))


RULE = "IF (x1 ~ 2 ± 0.5) AND (x2 ~ -1 ± 0.2) OR (x3 ~ 4 ± 1) THEN y = 0.1"


@pytest.mark.capability("IML-12-19")
def test_the_rule_of_the_book_is_two_units():
    """p1 is the product of two bells, p2 a bell of its own, both with the weight 0.1."""
    units, answers = units_of_rules([FuzzyRule.parse(RULE)], ["x1", "x2", "x3"])
    assert_allclose(answers, [0.1, 0.1])
    X = rng.normal(size=(20, 3)) * 3
    bell = lambda z: np.exp(-0.5 * z**2)  # noqa: E731
    expected = np.column_stack([bell((X[:, 0] - 2) / 0.5) * bell((X[:, 1] + 1) / 0.2), bell(X[:, 2] - 4)])
    assert_allclose(units.activations(X), expected, atol=1e-14)
    names = {"x1": [2.0, 2.0], "x2": [-1.0, -1.0], "x3": [400.0, 4.0]}
    plain = FuzzyRuleRegressor(RULE, normalize=False, max_iter=0).fit(names, [0.0, 0.0])
    assert_allclose(plain.predict(names), [0.1, 0.2])  # where both cases hold the sum has them twice
    shared = FuzzyRuleRegressor(RULE, max_iter=0).fit(names, [0.0, 0.0])
    assert_allclose(shared.predict(names), [0.1, 0.1])


@pytest.mark.capability("IML-12-20")
def test_rules_come_back_as_they_were():
    other = "IF (x2 ~ 0.25 ± 3) THEN y = -7"
    rules = [FuzzyRule.parse(RULE), FuzzyRule.parse(other)]
    columns = ["x1", "x2", "x3"]
    units, answers = units_of_rules(rules, columns)
    assert fuzzy_rules(units, answers, columns) == rules
    assert [str(rule) for rule in rules] == [RULE, other]
    X = dict(zip(columns, rng.normal(size=(3, 30))))
    model = FuzzyRuleRegressor([RULE, rules[1]], max_iter=0).fit(X, np.zeros(30))
    assert model.rules_ == [RULE, other]
    net = RBFNetworkRegressor(3, random_state=0).fit(np.column_stack(list(X.values())), X["x1"] ** 2)
    drawn = net.to_rules()
    units, answers = units_of_rules(drawn, ["x0", "x1", "x2"])
    assert_allclose(units.centers, net.centers_)
    assert_allclose(units.spreads, np.repeat(net.spreads_[:, None], 3, axis=1))
    assert_allclose(answers, net.weights_[0])


@pytest.mark.capability("IML-12-20")
def test_rules_about_columns_with_words_of_rules_in_their_names():
    import pandas as pd

    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"salt and pepper": draw.normal(size=40), "R or D (cm)": draw.normal(size=40)})
    model = FuzzyRuleRegressor(n_rules=3).fit(frame, frame["R or D (cm)"] ** 2)
    again = FuzzyRuleRegressor(model.rules_, max_iter=0).fit(frame, frame["R or D (cm)"])
    assert again.rules_ == model.rules_
    assert_allclose(again.predict(frame), model.predict(frame), rtol=1e-6)


@pytest.mark.capability("IML-12-19")
@pytest.mark.parametrize("normalize", [False, True])
def test_rows_fine_tune_rules(normalize):
    x = rng.uniform(0, 10, (200, 2))
    y = np.where(x[:, 0] < 5, 2.0, 8.0)
    rules = "IF (x0 ~ 2 ± 2) THEN y = 3\nIF (x0 ~ 8 ± 2) THEN y = 6\n"
    model = FuzzyRuleRegressor(rules, normalize=normalize).fit(x, y)
    raw = FuzzyRuleRegressor(rules, normalize=normalize, max_iter=0).fit(x, y)
    assert model.score(x, y) > max(0.85, raw.score(x, y))
    assert np.isinf(model.spreads_[:, 1]).all()  # what a rule does not name stays out
    errors = [step["error"] for step in model.history_]
    assert (np.diff(errors) <= 1e-9).all()
    stiff = FuzzyRuleRegressor(rules, normalize=normalize, alpha=1e9).fit(x, y)
    assert_allclose(stiff.predict(x), raw.predict(x), atol=1e-3)
    assert "holds" in str(model.explain(x[:1]))
    of_groups = FuzzyRuleRegressor(n_rules=4).fit(x, y)
    assert of_groups.score(x, y) > 0.8 and len(of_groups.rules_) == 4


def test_what_is_no_rule():
    for text in ("x1 ~ 2", "IF (x1 > 2) THEN y = 1", "IF (x1 ~ 2 ± 0) THEN y = 1", "IF (x1 ~ 2 ± 1) THEN y"):
        with pytest.raises(ParameterError, match="FuzzyRule"):
            FuzzyRule.parse(text)
    with pytest.raises(ParameterError, match="twice"):
        FuzzyRule.parse("IF (a ~ 1 ± 1) AND (a ~ 2 ± 1) THEN y = 1")
    with pytest.raises(DataError, match="no column 'z'"):
        FuzzyRuleRegressor("IF (z ~ 1 ± 1) THEN y = 1").fit([[1.0]], [1.0])
    for rules in ("", [], 7):
        with pytest.raises(ParameterError, match="rules"):
            FuzzyRuleRegressor(rules).fit([[1.0]], [1.0])
    with pytest.raises(ParameterError, match="full covariances"):
        fuzzy_rules(Units.of([[0.0]], [[[1.0]]]), np.ones(1), ["a"])
