"""All class association rules as one classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.rules.associative.associative_classifier import AssociativeClassifier
from assay.tables.data import load_breast_cancer_ljubljana, load_charity_donors, load_german_credit

CHARITY = {"min_support": 2 / 11, "min_confidence": 0.6, "cuts": {"Age": [50], "Salary": [50000]}}
JANE, ALLEN = [[38, 55000]], [[43, 61000]]


@pytest.mark.capability("DC-60")
def test_the_first_rule_that_fires_is_right_on_ten_of_eleven():
    """DC 10.4.4: five rules in order, first match, only Jane is wrong."""
    data = load_charity_donors()
    model = AssociativeClassifier(top=1, **CHARITY).fit(data.X, data.y)
    assert np.flatnonzero(model.predict(data.X) != data.y).tolist() == [3]  # Jane
    assert [rule.counts for rule in model.rules_] == [(0, 5), (4, 0), (1, 6), (1, 5), (4, 1)]


@pytest.mark.capability("DC-60")
@pytest.mark.parametrize(
    "top, vote, text",
    [  # of Jane and Allen {rich} => Y, 6 of 7, and {young} => N, 4 of 5, hold; smoothed 7/9 and 5/7; correct 6 and 4
        (None, "votes", 1 / 2),
        (None, "confidence", (7 / 9) / (7 / 9 + 5 / 7)),
        (None, "support", 7 / 12),
        (None, "product", (7 / 9 * 7) / (7 / 9 * 7 + 5 / 7 * 5)),
        (2, "votes", 1 / 2),
        (1, "votes", 7 / 9),
    ],
)
def test_what_the_rules_that_fire_say_together(top, vote, text):
    data = load_charity_donors()
    model = AssociativeClassifier(top=top, vote=vote, **CHARITY).fit(data.X, data.y)
    assert_allclose(model.predict_proba(JANE)[0, 1], text, rtol=1e-12)
    assert_array_equal(model.predict_proba(JANE), model.predict_proba(ALLEN))


@pytest.mark.parametrize("vote", ["votes", "confidence"])
@pytest.mark.parametrize("top", [1, 5, None])
@pytest.mark.parametrize("load", [load_german_credit, load_breast_cancer_ljubljana])
def test_the_dominant_class_of_the_top_rules(load, top, vote):
    """Against a plain count over the rules that cover each row, in order."""
    data = load()
    model = AssociativeClassifier(min_support=0.05, max_length=2, top=top, vote=vote).fit(data.X, data.y)
    rules, K = model.rules_, len(model.classes_)
    fired = rules.covers(data.X)
    answer = np.array([rules.classes.index(rule.answer) for rule in rules])
    worth = np.array([1.0 if vote == "votes" else (r.correct + 1) / (r.n + K) for r in rules])
    posterior = model.predict_proba(data.X)
    for i in range(0, len(fired), 10):
        heard = np.flatnonzero(fired[i])[:top]
        votes = np.bincount(answer[heard], worth[heard], minlength=K)
        if top == 1 and len(heard):
            assert posterior[i].argmax() == answer[heard[0]]
        elif len(heard):
            assert_allclose(posterior[i], votes / votes.sum(), rtol=1e-9)


def test_no_rule_fires():
    data = load_charity_donors()
    model = AssociativeClassifier(min_support=6, min_confidence=0.6, cuts=CHARITY["cuts"]).fit(data.X, data.y)
    assert str(model) == "R1: IF Salary > 50000 THEN Y\nELSE N"  # the four rows that it leaves are all N
    assert model.predict([[60, 20000], [np.nan, np.nan]]).tolist() == ["N", "N"]
