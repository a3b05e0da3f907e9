import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rules import PrismClassifier
from assay.tables import Column, Schema, Table
from assay.tables.data import load_breast_cancer_ljubljana, load_contact_lenses, load_iris, load_weather

LENSES = load_contact_lenses()

# Oracle: Weka 3.6.14, weka.classifiers.rules.Prism -t contact-lenses.arff; the same nine rules as in the textbook.
WEKA_LENSES = """\
astigmatism = 'no' AND tear-prod-rate = 'normal' AND spectacle-prescrip = 'hypermetrope' THEN soft
astigmatism = 'no' AND tear-prod-rate = 'normal' AND age = 'young' THEN soft
age = 'pre-presbyopic' AND astigmatism = 'no' AND tear-prod-rate = 'normal' THEN soft
astigmatism = 'yes' AND tear-prod-rate = 'normal' AND spectacle-prescrip = 'myope' THEN hard
age = 'young' AND astigmatism = 'yes' AND tear-prod-rate = 'normal' THEN hard
tear-prod-rate = 'reduced' THEN none
age = 'presbyopic' AND tear-prod-rate = 'normal' AND spectacle-prescrip = 'myope' AND astigmatism = 'no' THEN none
spectacle-prescrip = 'hypermetrope' AND astigmatism = 'yes' AND age = 'pre-presbyopic' THEN none
age = 'presbyopic' AND spectacle-prescrip = 'hypermetrope' AND astigmatism = 'yes' THEN none"""

# Oracle: the same program on weather.nominal.
WEKA_WEATHER = """\
outlook = 'overcast' THEN yes
humidity = 'normal' AND windy = 'FALSE' THEN yes
temperature = 'mild' AND humidity = 'normal' THEN yes
outlook = 'rainy' AND windy = 'FALSE' THEN yes
outlook = 'sunny' AND humidity = 'high' THEN no
outlook = 'rainy' AND windy = 'TRUE' THEN no"""


def told(model):
    return "\n".join(f"{rule.premise(model.schema_)} THEN {rule.answer}" for rule in model.rules_)


def prism_by_the_book(codes, y, classes):
    """Cendrowska's algorithm on nominal columns, in plain Python."""
    rules = []
    for k in classes:
        left = np.ones(len(y), bool)
        while (left & (y == k)).any():
            rule, inside = {}, left.copy()
            while (y[inside] != k).any() and len(rule) < codes.shape[1]:
                best = None
                for j in (j for j in range(codes.shape[1]) if j not in rule):
                    for code in np.unique(codes[:, j]):
                        rows = inside & (codes[:, j] == code)
                        p, t = int((rows & (y == k)).sum()), int(rows.sum())
                        if p and (
                            best is None
                            or (p * best[1] > best[0] * t or (p * best[1] == best[0] * t and p > best[0]))
                        ):
                            best = p, t, j, int(code), rows
                rule[best[2]] = best[3]
                inside = best[4]
            rules.append((rule, k))
            left &= ~inside
    return rules  # fmt: skip


def test_contact_lenses_give_the_nine_rules():
    model = PrismClassifier(order=["soft", "hard", "none"]).fit(LENSES.X, LENSES.y)
    assert told(model) == WEKA_LENSES
    assert model.score(LENSES.X, LENSES.y) == 1
    # the classes do not depend on each other: another order of the classes, the same rules
    assert set(told(PrismClassifier().fit(LENSES.X, LENSES.y)).splitlines()) == set(WEKA_LENSES.splitlines())


def test_nominal_weather_gives_the_rules_of_weka():
    weather = load_weather(numeric=False)
    assert told(PrismClassifier(order=["yes", "no"]).fit(weather.X, weather.y)) == WEKA_WEATHER


def test_noisy_data_give_the_rules_of_the_book():
    """Breast cancer without the rows that have missing values: 126 rules, as many as Weka's, many of them imperfect."""
    data = load_breast_cancer_ljubljana()
    known = ~np.isnan(data.X.values).any(axis=1)
    codes, y = data.X.values[known], np.asarray(data.y)[known]
    schema = Schema([Column(c.name, "nominal", c.categories) for c in data.X.schema])
    model = PrismClassifier(order=list(data.classes)).fit(Table(codes, schema, True), y)
    ours = [({c.column: c.codes[0] for c in rule.conditions}, rule.answer) for rule in model.rules_]
    assert ours == prism_by_the_book(codes.astype(int), y, data.classes) and len(ours) == 126


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_rules_are_those_of_the_book(seed):
    draw = np.random.default_rng(seed)
    codes, y = draw.integers(0, 3, (30, 3)), draw.integers(0, 3, 30)
    model = PrismClassifier().fit(np.array(list("abc"), dtype=object)[codes], y)
    present = [np.unique(codes[:, j]) for j in range(3)]
    ours = [
        ({c.column: present[c.column][c.codes[0]] for c in rule.conditions}, rule.answer)
        for rule in model.rules_
    ]
    assert ours == prism_by_the_book(codes, y, np.unique(y).tolist())


def test_every_rule_is_always_right_on_clean_data():
    iris = load_iris()  # numeric columns compete with thresholds
    model = PrismClassifier().fit(iris.X, iris.y)
    assert all(rule.accuracy == 1 for rule in model.rules_)
    assert model.score(iris.X, iris.y) == 1
    assert len(model.history_) == model.n_rules_


def test_where_several_rules_fire_the_most_confident_answers():
    X = pd.DataFrame({"a": list("xxxxxxy"), "b": list("ppppppq")})
    model = PrismClassifier().fit(X, ["m", "k", "m", "m", "m", "m", "k"])  # x is k once and m five times
    assert model.predict(pd.DataFrame({"a": ["x"], "b": ["p"]})) == ["m"]


def test_missing_values_meet_no_condition():
    X = pd.DataFrame({"a": ["x", "x", None, "y", "y"]})
    model = PrismClassifier().fit(X, [0, 0, 1, 1, 1])
    assert told(model) == "a = 'x' THEN 0\na = 'y' THEN 1"
    assert_array_equal(
        model.predict(X), [0, 0, 1, 1, 1]
    )  # no rule: the class of the rows that no rule covers


@pytest.mark.parametrize("limit", [{"max_conditions": 1}, {"min_coverage": 3}])
def test_limits_are_kept(limit):
    model = PrismClassifier(**limit).fit(LENSES.X, LENSES.y)
    for growth in model.history_:
        assert len(growth.conditions) <= limit.get("max_conditions", 4)
        assert sum(growth.counts) >= limit.get("min_coverage", 0)
