"""Where boosting gets its members from, and how their sum is taken."""

import gc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from assay.ensembles import weak_learners
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.adaboost_m2 import AdaBoostM2Classifier
from assay.ensembles.adaboost_regressor import AdaBoostRegressor
from assay.ensembles.bagging_classifier import BaggingClassifier
from assay.ensembles.extra_trees import ExtraTreesClassifier
from assay.ensembles.gentle_boost import GentleBoostClassifier
from assay.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from assay.ensembles.hist_gradient_boosting import HistGradientBoostingClassifier
from assay.ensembles.logit_boost import LogitBoostClassifier
from assay.ensembles.random_forest import RandomForestClassifier
from assay.ensembles.three_learner_boosting import ThreeLearnerBoosting
from assay.ensembles.weak_learners import SumOfTrees, WeakEstimators, WeakTrees, kept, with_seed
from assay.errors import ParameterError
from assay.tables import Table
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.decision_tree_regressor import DecisionTreeRegressor

X, Y = load_iris(return_X_y=True)
SCHEMA = Table.of(X).schema


def some_trees(**given):
    rng = np.random.default_rng(0)
    weak = WeakTrees(DecisionTreeRegressor(max_depth=3, **given), WITH_MISSING, SCHEMA)
    return [weak.learn(rng.normal(size=150), rng.uniform(0, 1, 150), seed) for seed in range(6)]


WITH_MISSING = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize("missing", ["learned", "surrogate"])
def test_the_sum_is_that_of_the_trees_one_by_one(missing):
    trees, scale, columns = some_trees(missing=missing), np.arange(1.0, 7.0), [0, 1, 0, 1, 0, 1]
    whole = SumOfTrees(trees, columns, scale)
    one_by_one = np.zeros((150, 2))
    for t in range(6):
        one_by_one[:, columns[t]] += scale[t] * trees[t].predict(WITH_MISSING)[:, 0]
    assert_allclose(whole.sums(WITH_MISSING), one_by_one, rtol=1e-12)
    stages = list(whole.staged_sums(WITH_MISSING, 2, start=np.ones((150, 2))))
    assert len(stages) == 3
    assert_allclose(stages[-1], one_by_one + 1, rtol=1e-12)
    phi, base = whole.contributions(WITH_MISSING)
    assert_allclose(base + phi.sum(axis=1), one_by_one, atol=1e-10)


def test_values_can_take_the_place_of_the_trees_own():
    trees = some_trees()
    value = np.concatenate([np.arange(float(t.node_count))[:, None] for t in trees])
    leaves = sum(t.apply(WITH_MISSING) for t in trees)
    assert_array_equal(SumOfTrees(trees, value=value).sums(WITH_MISSING)[:, 0], leaves)


def test_trees_of_a_run_are_those_of_the_learner():
    weak = WeakTrees(
        DecisionTreeClassifier(max_depth=2, class_weight="balanced"), X, SCHEMA, np.array([0, 1, 2])
    )
    w = np.random.default_rng(0).uniform(0, 1, 150)
    alone = DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(X, Y, sample_weight=w)
    assert_array_equal(weak.learn(Y, w, 0).values, alone.tree_.values)
    assert weak.max_features == 4


@pytest.mark.parametrize("make", [GradientBoostingClassifier, LogitBoostClassifier])
def test_threads_do_not_change_the_trees_of_a_round(make, monkeypatch):
    alone = make(n_estimators=4).fit(X, Y).predict_proba(X)
    monkeypatch.setattr(weak_learners, "WORTH_A_THREAD", 1)
    assert_array_equal(make(n_estimators=4).fit(X, Y).predict_proba(X), alone)


def test_the_sum_is_kept_until_the_members_change_or_are_gone():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    made = []

    def make(model=model):
        made.append(len(model.members_))
        return SumOfTrees(model.members_)

    model.members_ = list(model.members_)
    first = kept(model, make)
    assert kept(model, make) is first and made == [3]
    model.members_.append(model.members_[0])
    assert kept(model, make) is not first and made == [3, 4]
    before = len(weak_learners._sums_by_model)
    del model, make
    gc.collect()
    assert len(weak_learners._sums_by_model) < before


def test_refitted_models_answer_anew():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    model.predict(X)
    half = np.arange(150) % 2 == 0
    model.fit(X[half], Y[half])
    assert_array_equal(model.predict(X), AdaBoostClassifier(n_estimators=3).fit(X[half], Y[half]).predict(X))


def test_seeds_reach_estimators_inside_of_others():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    assert with_seed(inner, 7).named_steps["logisticregression"].random_state == 7
    assert with_seed(GaussianNB(), 7).get_params() == GaussianNB().get_params()


def test_an_estimator_without_weights_is_refused_where_they_are_needed():
    with pytest.raises(ParameterError, match="Pipeline doesn't support sample_weight"):
        WeakEstimators(make_pipeline(GaussianNB()), X, "AdaBoostClassifier")
    drawn = WeakEstimators(make_pipeline(GaussianNB()), X, "AdaBoostClassifier", weighted=False)
    assert drawn.learn_rows(np.arange(0, 150, 2), Y, 0).score(X, Y) > 0.9


@pytest.mark.parametrize(
    ("model", "task"),
    [
        (AdaBoostClassifier(LinearRegression()), "classifier"),
        (AdaBoostM2Classifier(LinearRegression()), "classifier"),
        (ThreeLearnerBoosting(LinearRegression()), "classifier"),
        (LogitBoostClassifier(LogisticRegression()), "regressor"),
        (GentleBoostClassifier(LogisticRegression()), "regressor"),
        (AdaBoostRegressor(LogisticRegression()), "regressor"),
    ],
)
def test_the_members_of_a_boosted_ensemble_do_what_it_needs(model, task):
    """Else the numbers of a regressor would be taken for classes, in silence."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=f"{type(model).__name__}: estimator must be a {task}, got L"):
        model.fit(X, y)


def test_adaboost_m2_needs_plausibilities():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="SVC has no predict_proba"):
        AdaBoostM2Classifier(SVC()).fit(X, y)
    AdaBoostM2Classifier(DecisionTreeRegressor(max_depth=2), n_estimators=2).fit(X, y)  # its own kind of tree


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=3, resampling=True),
        AdaBoostM2Classifier(n_estimators=3),
        AdaBoostRegressor(n_estimators=3),
        BaggingClassifier(n_estimators=3),
        ExtraTreesClassifier(3),
        GentleBoostClassifier(n_estimators=3),
        GradientBoostingClassifier(n_estimators=3, subsample=0.5, n_iter_no_change=2),
        HistGradientBoostingClassifier(max_iter=3, early_stopping=True),
        RandomForestClassifier(3),
        ThreeLearnerBoosting(),
    ],
)
def test_a_generator_may_be_the_random_state(model):
    X, y = load_iris(return_X_y=True)
    first, second = (
        clone(model).set_params(random_state=np.random.default_rng(5)).fit(X, y).predict(X) for _ in range(2)
    )
    assert_array_equal(first, second)
