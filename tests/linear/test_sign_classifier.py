"""Answers by the sign of one score: thresholds, and what a score of 0 means."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.linear.discriminants.pocket import PocketClassifier
from assay.linear.hyperplane import Hyperplane

# The record of LS-2 first; a credit is approved if the weighted sum of the columns reaches a threshold.
CREDIT = pd.DataFrame(
    {
        "age": [23, 45, 31, 52, 28, 39],
        "gender": ["female", "male", "female", "male", "male", "female"],
        "salary": [1.0, 1.6, 0.5, 2.2, 0.4, 1.3],  # in millions
        "years in residence": [1, 10, 2, 20, 1, 6],
        "years in job": [0.5, 12, 1, 25, 0.5, 8],
        "debt": [0.2, 0.1, 0.4, 0.0, 0.5, 0.3],  # in millions
    }
)
APPROVED = np.array(["yes", "yes", "no", "yes", "no", "yes"])


@pytest.mark.capability("LS-10")
@pytest.mark.parametrize("learner", [PerceptronRule(max_iter=20_000), PocketClassifier(20_000)])
def test_a_threshold_is_a_constant_with_its_sign_turned(learner):
    """LS-2: approve iff sum w_i x_i >= theta; w_0 = -theta with x_0 = 1 says the same."""
    model = learner.fit(CREDIT, APPROVED)
    assert model.score(CREDIT, APPROVED) == 1
    sums = model.design_.expand(_values(model)) @ model.coef_[0]
    theta = -model.intercept_[0]
    assert_array_equal(model.predict(CREDIT), np.where(sums >= theta, "yes", "no"))
    augmented = np.column_stack([np.ones(6), model.design_.expand(_values(model))])
    assert_allclose(augmented @ np.append(-theta, model.coef_[0]), sums - theta, rtol=1e-12)


def _values(model):
    from assay.tables import Table

    return Table.like(CREDIT, model.schema_, "test").values


@pytest.mark.capability("LS-10")
def test_the_terms_of_the_credit_record_add_up_to_its_score():
    model = PerceptronRule(max_iter=20_000).fit(CREDIT, APPROVED)
    section = model.explain(CREDIT.iloc[:1]).sections[0]
    terms = {row[0]: row[-1] for row in section.rows}
    assert set(terms) == {*CREDIT.columns, "constant", "sum"}
    assert_allclose(sum(terms[name] for name in (*CREDIT.columns, "constant")), terms["sum"], rtol=1e-12)
    assert_allclose(terms["sum"], model.decision_function(CREDIT.iloc[:1])[0], rtol=1e-12)


@pytest.mark.capability("LS-10")
def test_a_sum_that_just_reaches_the_threshold_is_approved():
    model = PerceptronRule().fit([[1.0, 0.0], [0.0, 1.0]], ["no", "yes"])
    model.coef_, model.intercept_ = np.array([[2.0, 3.0]]), np.array([-12.0])  # theta = 12
    assert model.predict([[3.0, 2.0], [3.0, 1.9], [3.0, 2.1]]).tolist() == ["yes", "no", "yes"]
    plane = Hyperplane(model.coef_[0], model.intercept_[0])
    assert plane.score([3.0, 2.0]) == 0


@pytest.mark.capability("BC-05")
@pytest.mark.parametrize("learner", [PerceptronRule, PocketClassifier])
def test_ties_of_both_learners(learner):
    """BC 5.2: on the hyperplane: at random, the positive class, or no decision."""
    X, y, edge = [[-1.0], [1.0]], [False, True], [[0.0]] * 100
    kinds = {
        tie: learner(tie=tie, random_state=1, start=[0, 1.0]).fit(X, y)
        for tie in ("positive", "random", "reject")
    }
    assert kinds["positive"].predict(edge).all()
    assert 0.3 < kinds["random"].predict(edge).mean() < 0.7
    assert_array_equal(kinds["random"].predict(edge), kinds["random"].predict(edge))
    assert set(kinds["reject"].predict(edge)) == {"reject"}
    assert kinds["reject"].predict([[2.0], [-2.0]]).tolist() == [True, False]


@pytest.mark.capability("BC-05")
def test_a_rejected_row_is_reported_and_is_not_right():
    model = PerceptronRule(tie="reject").fit([[-1.0], [1.0]], [0, 1])
    assert str(model.explain([[0.0]])).startswith("PerceptronRule answers reject")
    assert str(model.explain([[2.0]])).startswith("PerceptronRule answers 1")
    assert model.score([[0.0], [2.0]], [1, 1]) == 0.5
    assert model.score([[0.0], [2.0]], [1, 1], sample_weight=[1, 3]) == 0.75


def test_scores_with_rejects_need_a_label_and_a_weight_for_each_row():
    model = PerceptronRule(tie="reject").fit([[1.0], [-1.0]], ["a", "b"])
    X, y = [[0.0], [2.0], [-2.0]], ["a", "a", "b"]
    assert model.score(X, y) == 2 / 3
    assert model.score(X, pd.Series(y, dtype="category"), [2.0, 1.0, 1.0]) == 0.5
    for wrong in ((["a"], None), (y, [1.0]), (y, [0.0, 0.0, 0.0])):
        with pytest.raises(ValueError, match=r"inconsistent numbers|sample_weight|Sample weights"):
            model.score(X, *wrong)
