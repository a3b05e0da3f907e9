"""Linear machines as rules: the same answers, and lists of several hyperplanes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, make_circles
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as PeerSVC

from assay.errors import DataError
from assay.linear import LogisticRegression, Perceptron
from assay.rulebase.conditions import LinearCondition
from assay.rules.linear_rule_classifier import LinearRuleClassifier, rules_of_machine
from assay.svm import LinearSVC
from assay.tables.data import load_charity_donors
from assay.trees import C45Classifier

MACHINES = [
    PeerSVC(random_state=0),
    PeerLogistic(),
    LinearSVC(),
    LogisticRegression(),
    Perceptron(random_state=0),
]


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.capability("DC-119")
@pytest.mark.parametrize(
    "machine", MACHINES, ids=lambda m: f"{type(m).__module__.split('.')[0]}.{type(m).__name__}"
)
def test_two_linear_rules_are_the_machine(machine):
    X, y = cancer()
    rules = LinearRuleClassifier(machine).fit(X, y)
    assert rules.n_rules_ == 2
    assert_array_equal(rules.predict(X), rules.estimators_[0].predict(X))
    far = np.random.default_rng(0).normal(size=(500, X.shape[1])) * 5
    assert_array_equal(rules.predict(far), rules.estimators_[0].predict(far))
    above, below = (rule.conditions[0] for rule in rules.rules_)
    assert isinstance(above, LinearCondition) and above.low == below.high == -float(
        rules.estimators_[0].intercept_[0]
    )
    assert_array_equal(above.covers(far) ^ below.covers(far), np.ones(500, bool))


@pytest.mark.capability("DC-119")
def test_a_list_of_machines_covers_what_one_hyperplane_cannot():
    """Class 1 is a band: a machine is sure of one side first, the next one of what is left."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (400, 2))
    y = (np.abs(X[:, 0] - 0.3) < 1).astype(int)
    alone = LinearRuleClassifier(LinearSVC(class_weight="balanced")).fit(X, y)
    several = LinearRuleClassifier(LinearSVC(class_weight="balanced"), max_estimators=6).fit(X, y)
    assert several.n_rules_ > 2 and len(several.estimators_) > 1
    assert several.score(X, y) > alone.score(X, y) + 0.1


@pytest.mark.capability("DC-119")
def test_the_separator_of_the_charity_donors_in_words():
    """Figure 10.3b: Age/50 + Salary/50000 <= 2 gives no donor, above it a donor; 11 of 11."""
    data = load_charity_donors()

    class Separator:
        coef_, intercept_ = np.array([[1 / 50, 1 / 50000]]), np.array([-2.0])
        classes_ = np.array(["no", "yes"])

    above, below = rules_of_machine(Separator())
    schema = data.X.schema
    assert above.premise(schema).endswith("> 2") and below.premise(schema).endswith("<= 2")
    block = data.X.values
    donors = (
        np.asarray(data.y)
        == np.unique(data.y)[np.argmax([(block[data.y == c, 0]).mean() for c in np.unique(data.y)])]
    )
    assert_array_equal(above.covers(block), donors)


def test_on_the_hyperplane_the_first_class_answers():
    class Machine:
        coef_, intercept_ = np.array([[1.0]]), np.array([-3.0])
        classes_ = np.array([0, 1])

    above, below = rules_of_machine(Machine())
    X = np.array([[np.nextafter(3.0, 4)], [3.0], [2.0]])
    assert above.covers(X).tolist() == [True, False, False] and below.covers(X).tolist() == [
        False,
        True,
        True,
    ]


def test_a_list_of_machines_covers_what_one_cannot():
    """A ring cannot be cut by one line; the sure rows go first, the last machine takes the rest."""
    X, y = make_circles(400, noise=0.05, factor=0.4, random_state=0)
    X = np.column_stack([X, X[:, 0] ** 2])
    one = LinearRuleClassifier(LogisticRegression()).fit(X, y)
    many = LinearRuleClassifier(LogisticRegression(), max_estimators=12, min_samples=3).fit(X, y)
    assert many.score(X, y) > one.score(X, y) + 0.05
    assert 1 < len(many.estimators_) <= 12
    sure = many.rules_.rules[: many.n_rules_ - 2]
    assert all(rule.correct == rule.n >= 3 for rule in sure)  # no row of the other class is beyond


def test_nominal_columns_enter_as_indicators():
    import pandas as pd

    frame = pd.DataFrame({"colour": list("rgbrgb"), "x": [0.0, 1, 2, 3, 4, 5]})
    model = LinearRuleClassifier(LogisticRegression()).fit(frame, list("aabbab"))
    assert "colour=r" in str(model)
    assert_array_equal(
        model.predict(frame), np.asarray(model.classes_)[model.estimators_[0].predict(model._admit(frame))]
    )
    assert model.explain(frame.iloc[[0]]).sections


def test_one_class_needs_no_machine():
    model = LinearRuleClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.n_rules_ == 0 and model.predict([[7.0]])[0] == "a"


def test_refusals():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    with pytest.raises(DataError, match="tells two classes apart, y has 3"):
        LinearRuleClassifier().fit(X, y)
    with pytest.raises(DataError, match="C45Classifier has no coef_"):
        LinearRuleClassifier(C45Classifier()).fit(X[:2], y[:2])
    with pytest.raises(DataError, match="missing"):
        LinearRuleClassifier().fit([[np.nan], [1.0]], [0, 1])
