"""DecisionRule around fitted and unfitted classifiers."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.bayes import GaussianNB
from assay.decide import DecisionRule, adjust_priors, decide
from assay.errors import AssayWarning, ParameterError, SchemaError

X, y = load_iris(return_X_y=True)
CANCER = scale(load_breast_cancer().data), load_breast_cancer().target
LOANS = pd.DataFrame(
    {
        "income": [20.0, 22.0, 25.0, 30.0, 41.0, 45.0, 52.0, 60.0],
        "housing": ["rent", "rent", "own", "rent", "own", "own", "own", "free"],
    }
)
DEFAULT = np.array(["yes", "yes", "no", "yes", "no", "no", "no", "yes"])


@parametrize_with_checks([DecisionRule(priors="observed", tie="random", random_state=0)])
def test_passes_the_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.capability("BC-02", "IML-3-04")
def test_a_fitted_classifier_is_not_fitted_again_and_its_posteriors_stay():
    bayes = GaussianNB().fit(X, y)
    before = bayes.predict_proba(X)
    rule = DecisionRule(bayes, loss={(1, 2): 40})
    assert rule.estimator_ is bayes
    assert_array_equal(rule.predict_proba(X), before)
    assert_array_equal(rule.predict(X), decide(before, [[0, 1, 1], [1, 0, 40], [1, 1, 0]]).chosen)
    assert (rule.predict(X) != bayes.predict(X)).any()
    assert_array_equal(bayes.predict_proba(X), before)


@pytest.mark.capability("IML-3-04", "IML-3-05")
@pytest.mark.parametrize(
    "model", [GaussianNB(), LogisticRegression(max_iter=5000)], ids=lambda m: type(m).__name__
)
def test_any_probabilistic_classifier_can_be_wrapped(model):
    rule = DecisionRule(model, loss=[[0, 10], [5, 0]], reject=1).fit(*CANCER)
    p = model.fit(*CANCER).predict_proba(CANCER[0])[:, 0]
    expected = np.where(p > 0.9, 0, np.where(p < 0.2, 1, -1))
    said = rule.predict(CANCER[0])
    assert_array_equal(np.where(said == "reject", -1, said).astype(int), expected)
    assert (expected == -1).any()
    assert_allclose(rule.risks(CANCER[0]), np.column_stack([10 * (1 - p), 5 * p]), atol=1e-12)


def test_fitted_by_the_rule_or_before_is_the_same():
    options = {"loss": {(0, 1): 3}, "reject": 0.4, "priors": [0.2, 0.2, 0.6]}
    before = DecisionRule(GaussianNB().fit(X, y), **options)
    by_rule = DecisionRule(GaussianNB(), **options).fit(X, y)
    assert_array_equal(before.predict_proba(X), by_rule.predict_proba(X))
    assert before.predict(X).tolist() == by_rule.predict(X).tolist()
    frozen = DecisionRule(FrozenEstimator(GaussianNB().fit(X, y)), **options).fit(
        X[:30], y[:30] * 0 + np.arange(30) % 3
    )
    assert_array_equal(frozen.predict_proba(X), before.predict_proba(X))


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_raw_mixed_tables_reach_the_classifier_unharmed(kind):
    columns = {name: LOANS[name].tolist() for name in LOANS}
    table = kind(columns)
    bayes = GaussianNB().fit(LOANS, DEFAULT)
    rule = DecisionRule(GaussianNB(), loss={("yes", "no"): 10}, reject=0.5).fit(table, DEFAULT)
    assert rule.schema_.names == ["income", "housing"]
    assert_allclose(rule.predict_proba(table), bayes.predict_proba(LOANS), rtol=1e-12)
    assert set(rule.predict(table)) <= {"yes", "no", "reject"}
    with pytest.raises(SchemaError, match="missing: housing"):
        rule.predict(LOANS[["income"]])


def test_the_example_of_careful_lending():
    bayes = GaussianNB().fit(LOANS, DEFAULT)
    careful = DecisionRule(bayes, loss={("yes", "no"): 10, ("no", "yes"): 1}, reject=0.5)
    P = bayes.predict_proba(LOANS)  # no, yes
    expected = np.where(P[:, 1] < 0.5, "no", np.where(10 * P[:, 0] < 0.5, "yes", "reject"))
    assert_array_equal(careful.predict(LOANS), expected)
    assert list(careful.feature_names_in_) == ["income", "housing"]
    assert list(careful.classes_) == list(careful.actions_) == ["no", "yes"]


def test_the_reject_label_keeps_numbers_numbers_if_it_is_one():
    bayes = GaussianNB().fit(X, y)
    assert DecisionRule(bayes).predict(X).dtype == y.dtype
    assert DecisionRule(bayes, reject=0.1).predict(X).dtype == object
    said = DecisionRule(bayes, reject=0.1, reject_label=-1).predict(X)
    assert said.dtype.kind == "i" and set(said) == {-1, 0, 1, 2}


def test_new_priors_are_those_of_a_learner_told_so():
    new = [0.1, 0.1, 0.8]
    told = GaussianNB(priors=new).fit(X, y).predict_proba(X)
    assert_allclose(DecisionRule(GaussianNB().fit(X, y), priors=new).predict_proba(X), told, atol=1e-12)
    # a learner that does not tell its priors: the class shares that fit saw
    logistic = LogisticRegression(max_iter=5000)
    P = logistic.fit(*CANCER).predict_proba(CANCER[0])
    shares = np.bincount(CANCER[1]) / len(CANCER[1])
    rule = DecisionRule(logistic, priors=[0.5, 0.5]).fit(*CANCER)
    assert_allclose(rule.predict_proba(CANCER[0]), adjust_priors(P, [0.5, 0.5], shares), rtol=1e-12)
    with pytest.raises(ParameterError, match="LogisticRegression does not tell the priors"):
        DecisionRule(logistic, priors=[0.5, 0.5]).predict(CANCER[0])
    given = DecisionRule(logistic, priors=[0.5, 0.5], trained_priors=shares)
    assert_allclose(given.predict_proba(CANCER[0]), rule.predict_proba(CANCER[0]), rtol=1e-12)


@pytest.mark.parametrize("weight", ["balanced", {0: 5.0}])
def test_observed_priors_undo_class_weights(weight):
    rng = np.random.default_rng(3)
    y = (rng.random(4000) < 0.1).astype(int)
    x = rng.normal(2.0 * y)[:, None]
    plain = LogisticRegression(C=np.inf).fit(x, y).predict_proba(x)
    weighed = LogisticRegression(C=np.inf, class_weight=weight)
    mended = DecisionRule(weighed, priors="observed").fit(x, y).predict_proba(x)
    assert np.abs(weighed.fit(x, y).predict_proba(x) - plain).max() > 0.1
    assert np.abs(mended - plain).max() < 0.05


def test_class_weights_and_costs_together_are_warned_of():
    weighed = LogisticRegression(max_iter=5000, class_weight="balanced")
    with pytest.warns(AssayWarning, match="costs would count twice"):
        DecisionRule(weighed, loss={(0, 1): 3}).fit(X, y)
    with pytest.warns(AssayWarning, match="Pipeline was fitted with class_weight"):
        DecisionRule(make_pipeline(StandardScaler(), weighed), reject=0.2).fit(X, y)
    DecisionRule(weighed, loss={(0, 1): 3}, priors="observed").fit(X, y)  # no warning: undone
    DecisionRule(weighed).fit(X, y)  # no warning: no costs


def test_costs_by_row_and_for_one_call():
    rule = DecisionRule(GaussianNB().fit(X, y))
    costs = np.tile(1 - np.eye(3), (len(X), 1, 1))
    costs[70:80] *= [[1], [1000], [1]]  # in these rows it is dear to say 1 wrongly
    decision = rule.decide(X, loss=costs, reject=0.3)
    assert_allclose(decision.risks[:70], rule.decide(X).risks[:70], atol=1e-15)
    dear = rule.decide(X, loss=costs).chosen
    assert (dear[70:80] != 1).any() and (rule.decide(X).chosen[70:80] == 1).any()
    assert decision.rejected.any()
    with pytest.raises(ParameterError, match=r"call decide\(X, loss=costs\)"):
        DecisionRule(GaussianNB(), loss=costs).fit(X, y)


def test_mean_loss_and_score():
    rule = DecisionRule(GaussianNB().fit(*CANCER), loss=[[0, 10], [5, 0]], reject=1)
    said, truth = rule.decide(CANCER[0]), CANCER[1]
    paid = [1.0 if a < 0 else [[0, 10], [5, 0]][a][k] for a, k in zip(said.chosen, truth)]
    assert_allclose(rule.mean_loss(*CANCER), np.mean(paid))
    assert_allclose(rule.score(*CANCER), np.mean(said.chosen == truth))
    assert rule.score(*CANCER) == pytest.approx(np.mean(rule.predict(CANCER[0]) == truth))


def test_explanation_adds_priors_and_risks_to_that_of_the_classifier():
    bayes = GaussianNB().fit(LOANS, DEFAULT)
    rule = DecisionRule(bayes, loss={("yes", "no"): 10}, reject=0.5, priors=[0.5, 0.5])
    told = rule.explain(LOANS.iloc[[3]])
    assert told.learner == "DecisionRule of GaussianNB"
    assert [s.title for s in told.sections][-2:] == ["Change of priors", "Expected loss"]
    assert told.sections[:-2] == bayes.explain(LOANS.iloc[[3]]).sections
    table = told.sections[-1]
    assert table.columns == ["action", "if no", "if yes", "risk"]
    assert table.rows[1][:3] == ["yes", 10.0, 0.0]
    assert_allclose([row[-1] for row in table.rows], [*rule.risks(LOANS.iloc[[3]])[0], 0.5])
    assert told.answer == rule.predict(LOANS.iloc[[3]])[0]
    assert "Expected loss" in str(told) and "reject" in told.to_html()
    assert len(rule.explain(LOANS)) == len(LOANS)


def test_a_classifier_without_reasons_still_gets_its_risks_explained():
    rule = DecisionRule(LogisticRegression(max_iter=5000), reject=0.001).fit(X, y)
    told = rule.explain(X[70:71])
    assert told.answer == "reject" and "Rejected: no risk is below" in told.sections[-1].note
    assert told.row["x0"] == X[70, 0]


def test_clone_pickle_and_search():
    rule = DecisionRule(GaussianNB(), loss={(0, 1): 3}, reject=0.4, reject_label=-1).fit(X, y)
    again = pickle.loads(pickle.dumps(rule))
    assert_array_equal(again.predict(X), rule.predict(X))
    fitted_before = pickle.loads(
        pickle.dumps(DecisionRule(GaussianNB().fit(X, y), reject=0.4, reject_label=-1))
    )
    assert fitted_before.predict(X).shape == (150,)
    with pytest.raises(NotFittedError):
        clone(rule).predict(X)
    search = GridSearchCV(DecisionRule(GaussianNB()), {"estimator__var_smoothing": [1e-9, 1e-2]}, cv=3).fit(
        X, y
    )
    assert search.best_score_ > 0.9
    assert cross_val_score(DecisionRule(GaussianNB().fit(X, y), reject=0.3), X, y, cv=3).min() > 0.8


def test_bad_input_is_told():
    with pytest.raises(ParameterError, match=r"LinearSVC has no predict_proba.*CalibratedClassifierCV"):
        DecisionRule(LinearSVC()).fit(X, y).predict(X)
    with pytest.raises(ParameterError, match="truth 'maybe'"):
        DecisionRule(GaussianNB(), loss={("yes", "maybe"): 1}).fit(LOANS, DEFAULT)
    with pytest.raises(ParameterError, match="tie must be one of"):
        DecisionRule(GaussianNB(), tie="last").fit(X, y)
    with pytest.raises(ParameterError, match="estimator must be a classifier object"):
        DecisionRule(GaussianNB).fit(X, y)
    with pytest.raises(NotFittedError, match="Call fit, or wrap a fitted classifier"):
        DecisionRule(GaussianNB()).predict(X)
    with pytest.raises(ParameterError, match="probabilities or 'observed', got 'even'"):
        DecisionRule(GaussianNB(), priors="even").fit(X, y).predict(X)
    with pytest.raises(ParameterError, match="known only after fit"):
        DecisionRule(GaussianNB().fit(X, y), priors="observed").predict(X)
    with pytest.raises(AttributeError, match="has no attribute 'classes_'"):
        _ = DecisionRule(GaussianNB()).classes_
