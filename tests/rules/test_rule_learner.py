"""What all learners of rules share."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay import load, save
from assay.errors import PersistenceError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.rules import OneRClassifier
from assay.rules.editing import effect
from assay.rules.rule_learner import RuleClassifier, RuleRegressor, class_rules
from assay.tables.data import load_german_credit, load_weather


class Fixed(RuleClassifier):
    """Two rules that ask nothing of the data."""

    def __init__(self, policy="first", top=None):
        self.policy, self.top = policy, top

    def _learn(self, X, y, w):
        result = [((Condition(0, high=1.0),), 0), ((Condition(0, high=3.0),), 1)]
        self.rules_ = class_rules(self, result, X, y, w, policy=self.policy, top=self.top)


class FixedNumbers(RuleRegressor):
    """One rule of a number."""

    def _learn(self, X, y, w):
        self.rules_ = RuleBase((Rule((Condition(0, high=1.0),), 2.0),), self.schema_, default=5.0)


X, Y = np.array([[0.0], [1.0], [2.0], [3.0], [9.0]]), np.array(["a", "b", "b", "b", "a"])


def test_counts_of_a_list_are_of_the_rows_that_reach_a_rule():
    rules = Fixed().fit(X, Y).rules_
    assert [rule.counts for rule in rules] == [(1, 1), (0, 2)] and rules.default_counts == (1, 0)
    assert rules.totals == (2, 3) and rules.default == "a" and rules.classes == ("a", "b")
    assert [rule.counts for rule in Fixed("votes").fit(X, Y).rules_] == [(1, 1), (1, 3)]
    weighed = Fixed().fit(X, Y, [1, 1, 5, 1, 1]).rules_
    assert weighed[1].counts == (0, 6) and weighed[1].correct == 6


def test_the_default_is_the_dominant_class_of_what_is_left():
    assert Fixed().fit(X[:4], Y[:4]).rules_.default == "b"  # nothing left: of all rows


@pytest.mark.parametrize("policy", POLICIES)
def test_answers_are_those_of_the_rules(policy):
    model = Fixed(policy).fit(X, Y)
    assert (model.predict(X) == model.rules_.predict(X)).all()
    assert_allclose(model.predict_proba(X), model.rules_.posterior(X))
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_numbers_are_those_of_the_rules():
    model = FixedNumbers().fit(X, np.arange(5.0))
    assert model.predict(X).tolist() == [2, 2, 5, 5, 5] and model.n_rules_ == 1
    assert "IF x0 <= 1 THEN y = 2" in str(model) and "Another answer if" not in str(model.explain(X[:1]))


def test_a_person_edits_a_fitted_model(tmp_path):
    """German credit: a rule is changed by hand, its effect is seen, the model is kept."""
    data = load_german_credit()
    model = OneRClassifier().fit(data.X, data.y)
    before = model.rules_
    edited = model.with_rules(before.inserted("IF duration > 40 THEN bad", at=0), data.X, data.y)
    assert model.rules_ == before  # the old one is as it was
    assert edited.n_rules_ == model.n_rules_ + 1 and edited.rules_[0].n > 0
    assert sum(rule.n for rule in edited.rules_) + sum(edited.rules_.default_counts) == len(data.y)
    result = effect(model, edited, data.X, data.y)
    assert len(result.rows) > 0 and result.errors[0] == (model.predict(data.X) != data.y).sum()
    save(edited, tmp_path / "edited.assay")
    again = load(tmp_path / "edited.assay")
    assert again.rules_ == edited.rules_ and (again.predict(data.X) == edited.predict(data.X)).all()


def test_a_text_in_place_of_rules():
    data = load_weather(numeric=False)
    model = OneRClassifier().fit(data.X, data.y)
    text = str(model).replace("THEN no", "THEN yes")
    assert set(model.with_rules(text).predict(data.X)) == {"yes"}
    assert (
        model.with_rules(
            "IF windy = 'x' THEN no".replace("x", str(data.X.schema["windy"].categories[0]))
        ).n_rules_
        == 1
    )
    with pytest.raises(ValueError, match="both X and y"):
        model.with_rules(text, data.X)
    with pytest.raises(ValueError, match="other columns or other classes"):
        model.with_rules(replace(model.rules_, classes=("no", "yes", "perhaps")))


def test_html_of_a_model():
    model = OneRClassifier()
    assert "<" in model._repr_html_()  # as scikit-learn draws it
    data = load_weather(numeric=False)
    html = model.fit(data.X, data.y)._repr_html_()
    assert "<h4>OneRClassifier</h4>" in html and "3 rules. The first rule that holds decides." in html
    assert model._repr_mimebundle_()["text/plain"] == str(model)


def test_a_file_whose_rules_speak_of_other_columns_is_refused(tmp_path):
    data = load_weather(numeric=False)
    model = OneRClassifier().fit(data.X, data.y)
    model.rules_ = replace(model.rules_, rules=(Rule((Condition(99, high=1.0),), "no"),))
    with pytest.raises(PersistenceError, match="column that is not there"):
        save(model, tmp_path / "spoilt.assay")


def test_rules_that_are_none_are_refused():
    model = OneRClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(TypeError, match="expected a RuleBase or the text of rules, got a list"):
        model.with_rules([])
