"""Bagging: the same members as scikit-learn's, and what is our own."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
import sklearn.ensemble as peers
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import assay
from assay.bayes import GaussianNB, NaiveBayes
from assay.ensembles.bagging_classifier import BaggingClassifier
from assay.ensembles.bagging_regressor import BaggingRegressor
from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.linear import LogisticRegression as OurLogisticRegression
from assay.trees.c45_classifier import C45Classifier
from assay.trees.model_tree_regressor import ModelTreeRegressor
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier

IRIS = load_iris(return_X_y=True)
BAGS = [
    {},
    {"max_samples": 0.5, "bootstrap": False},  # pasting
    {"bootstrap": False, "max_features": 2},  # random subspaces
    {"max_samples": 40, "max_features": 0.5, "bootstrap_features": True},  # random patches
]


@pytest.mark.capability("IML-17-08")
@pytest.mark.parametrize("bags", BAGS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_same_bags_and_same_posterior_as_scikit_learn(load, bags):
    """Peer: BaggingClassifier, scikit-learn 1.9, which draws the same rows and columns from the same seed."""
    X, y = load(return_X_y=True)
    for estimator in (KNeighborsClassifier(), SVC(gamma="scale")):  # with and without posteriors
        ours = BaggingClassifier(estimator, 7, random_state=3, **bags).fit(X, y)
        peer = peers.BaggingClassifier(estimator, 7, random_state=3, **bags).fit(X, y)
        for a, b in zip(ours.estimators_samples_, peer.estimators_samples_):
            assert_array_equal(a, b)
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)


def test_sample_weights_are_chances_to_be_drawn_as_in_scikit_learn():
    X, y = IRIS
    w = np.where(y == 0, 0.0, 1.0 + np.arange(150) % 3)
    ours = BaggingClassifier(GaussianNB(), 5, random_state=0).fit(X, y, sample_weight=w)
    peer = peers.BaggingClassifier(KNeighborsClassifier(), 5, random_state=0).fit(X, y, sample_weight=w)
    for a, b in zip(ours.estimators_samples_, peer.estimators_samples_):
        assert_array_equal(a, b)
    assert (w[np.concatenate(ours.estimators_samples_)] > 0).all()


@pytest.mark.parametrize("bags", [{}, {"max_features": 4, "max_samples": 0.5}], ids=str)
def test_same_numbers_as_scikit_learn(bags):
    X, y = load_diabetes(return_X_y=True)
    ours = BaggingRegressor(LinearRegression(), 20, random_state=1, oob_score=True, **bags).fit(X, y)
    peer = peers.BaggingRegressor(LinearRegression(), 20, random_state=1, oob_score=True, **bags).fit(X, y)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-10)
    assert_allclose(ours.oob_prediction_, peer.oob_prediction_, rtol=1e-10)
    assert_allclose(ours.oob_score_, peer.oob_score_, rtol=1e-10)


def test_same_out_of_bag_estimate_as_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    ours = BaggingClassifier(KNeighborsClassifier(), 30, random_state=1, oob_score=True).fit(X, y)
    peer = peers.BaggingClassifier(KNeighborsClassifier(), 30, random_state=1, oob_score=True).fit(X, y)
    assert_allclose(ours.oob_decision_function_, peer.oob_decision_function_, atol=1e-12)
    assert ours.oob_score_ == pytest.approx(peer.oob_score_)


@pytest.mark.capability("IML-17-08")
def test_the_out_of_bag_posterior_of_a_row_comes_from_members_that_did_not_see_it():
    X, y = IRIS
    model = BaggingClassifier(GaussianNB(), 40, random_state=0, oob_score=True).fit(X, y)
    for i in (0, 70, 149):
        outside = [m for m, rows in zip(model.estimators_, model.estimators_samples_) if i not in rows]
        expected = np.mean([m.predict_proba(X[[i]])[0] for m in outside], axis=0)
        assert_allclose(model.oob_decision_function_[i], expected, rtol=1e-12)


def test_a_vote_counts_answers():
    X, y = IRIS
    model = BaggingClassifier(GaussianNB(), 9, combine="vote", random_state=0).fit(X, y)
    said = np.array([member.predict(X) for member in model.estimators_])
    assert_allclose(model.predict_proba(X), np.stack([np.mean(said == k, axis=0) for k in range(3)], axis=1))


@pytest.mark.capability("IML-17-08")
def test_the_median_does_not_follow_a_member_led_astray():
    X = np.arange(40.0).reshape(-1, 1)
    y = X[:, 0].copy()
    y[39] = 1e6
    mean = BaggingRegressor(LinearRegression(), 25, max_samples=5, random_state=0).fit(X, y)
    median = BaggingRegressor(LinearRegression(), 25, max_samples=5, random_state=0, combine="median").fit(
        X, y
    )
    said = np.array([member.predict(X) for member in mean.estimators_])
    assert_allclose(mean.predict(X), said.mean(axis=0))
    assert_allclose(median.predict(X), np.median(said, axis=0))
    assert abs(median.predict([[10.0]])[0] - 10) < 1 < 1000 < abs(mean.predict([[10.0]])[0] - 10)
    judged = BaggingRegressor(LinearRegression(), 60, random_state=0, combine="median", oob_score=True).fit(
        X, y
    )
    i = 7
    outside = [m for m, rows in zip(judged.estimators_, judged.estimators_samples_) if i not in rows]
    assert_allclose(judged.oob_prediction_[i], np.median([m.predict(X[[i]])[0] for m in outside]))


def test_a_bag_without_a_class_gives_it_no_probability():
    """Members that take no weights get repeated rows, so a bag may lack a class."""
    X = np.arange(20.0).reshape(-1, 1)
    y = np.array(["rare"] + ["often"] * 10 + ["other"] * 9)
    model = BaggingClassifier(KNeighborsClassifier(1), 10, max_samples=8, random_state=0).fit(X, y)
    assert {len(member.classes_) for member in model.estimators_} == {2, 3}
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.predict(X)[15] == "other"


def mixed(n=120):
    rng = np.random.default_rng(0)
    kind = rng.choice(["red", "green", "blue"], n)
    size = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + (kind == "red"))
    return pd.DataFrame({"size": size, "kind": kind}), np.where(kind == "red", "yes", "no")


@pytest.mark.parametrize("bags", [{}, {"max_features": 1}, {"bootstrap_features": True}], ids=str)
def test_categories_and_gaps_reach_the_members(bags):
    X, y = mixed()
    model = BaggingClassifier(NaiveBayes(), 30, random_state=0, oob_score=not bags, **bags).fit(X, y)
    assert model.score(X, y) > 0.7
    assert_array_equal(model.predict_proba(X[["kind", "size"]]), model.predict_proba(X))
    for member in model.estimators_:
        for column in member.schema_:
            assert column.categories in ((), ("blue", "green", "red"))


def test_a_saved_model_comes_back(tmp_path):
    X, y = mixed()
    model = BaggingClassifier(NaiveBayes(), 4, max_features=1, random_state=0).fit(X, y)
    assay.save(model, tmp_path / "bag.assay")
    again = assay.load(tmp_path / "bag.assay")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.estimators_samples_[2], model.estimators_samples_[2])


def test_a_frame_for_foreign_members_keeps_its_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BaggingClassifier(LogisticRegression(max_iter=500), 3, max_features=2, random_state=0).fit(X, y)
    for member, features in zip(model.estimators_, model.estimators_features_):
        assert list(member.feature_names_in_) == list(X.columns[features])
    assert model.score(X, y) > 0.8


def test_a_warm_start_adds_members_and_changes_none():
    X, y = IRIS
    model = BaggingClassifier(GaussianNB(), 4, random_state=5, warm_start=True).fit(X, y)
    first = model.estimators_[0]
    model.set_params(n_estimators=9).fit(X, y)
    cold = BaggingClassifier(GaussianNB(), 9, random_state=5).fit(X, y)
    assert model.estimators_[0] is first
    assert_array_equal(model.predict_proba(X), cold.predict_proba(X))
    for a, b in zip(model.estimators_samples_, cold.estimators_samples_):
        assert_array_equal(a, b)
    with pytest.raises(ParameterError, match="n_estimators=3 must be larger or equal to len"):
        model.set_params(n_estimators=3).fit(X, y)


def test_scores_are_averaged_where_the_members_have_them():
    X, y = IRIS
    ours = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X, y)
    assert_allclose(
        ours.decision_function(X), np.mean([m.decision_function(X) for m in ours.estimators_], axis=0)
    )
    assert not hasattr(BaggingClassifier(GaussianNB(), 5).fit(X, y), "decision_function")


def test_several_jobs_give_the_same_members():
    X, y = IRIS
    one = BaggingClassifier(LogisticRegression(max_iter=500), 3, random_state=0).fit(X, y)
    with parallel_config(backend="threading"):  # processes take seconds to start
        two = BaggingClassifier(LogisticRegression(max_iter=500), 3, random_state=0, n_jobs=2).fit(X, y)
        assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_the_explanation_shows_the_votes():
    X, y = IRIS
    told = BaggingClassifier(GaussianNB(), 12, random_state=0).fit(X, y).explain(X[:1])
    assert told.sections[0].title == "Votes of 12 members"
    assert told.sections[0].rows[0][:2] == ["0", 12]
    numbers = BaggingRegressor(LinearRegression(), 6, random_state=0).fit(X, X[:, 0] + 1.0)
    assert_allclose(numbers.explain(X[:1]).sections[0].rows[0][1], X[0, 0] + 1)


BAGS_OF_COLUMNS = [{}, {"max_features": 1}, {"bootstrap_features": True}]


@pytest.mark.parametrize("tree", [None, C45Classifier(), TextbookTreeClassifier()], ids=str)
@pytest.mark.parametrize("bags", BAGS_OF_COLUMNS, ids=str)
def test_columns_add_up_to_the_posterior_of_bagged_trees(tree, bags):
    X, y = mixed()
    model = BaggingClassifier(tree, 6, random_state=0, **bags).fit(X, y)
    for i in [*np.flatnonzero(X["size"].isna())[:2].tolist(), 0, 1]:
        told = model.explain(X[i : i + 1])
        posterior = model.predict_proba(X[i : i + 1])[0]
        numbers = {name: value for name, _, value in told.sections[1].rows}
        assert_allclose(numbers.pop("sum"), posterior.max(), rtol=1e-12)
        assert set(numbers) <= {"base", "size", "kind"}
        assert_allclose(sum(numbers.values()), posterior.max(), rtol=1e-12)


def test_columns_add_up_to_the_mean_of_bagged_regression_trees():
    X, _ = mixed()
    y = np.where(X["kind"] == "red", 3.0, X["size"].fillna(0) ** 2)
    told = BaggingRegressor(n_estimators=6, random_state=0).fit(X, y).explain(X[:1])
    numbers = {name: value for name, _, value in told.sections[1].rows}
    answer = BaggingRegressor(n_estimators=6, random_state=0).fit(X, y).predict(X[:1])[0]
    assert_allclose([numbers["sum"], sum(numbers.values()) - numbers["sum"]], answer, rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(n_estimators=3, combine="vote", random_state=0),
        BaggingClassifier(C45Classifier(laplace=True), 3, random_state=0),
        BaggingRegressor(n_estimators=3, combine="median", random_state=0),
        BaggingRegressor(ModelTreeRegressor(), 3, random_state=0),
    ],
    ids=str,
)
def test_members_that_are_no_sum_of_columns_show_their_votes_alone(model):
    X, y = IRIS
    assert (
        len(model.fit(X, X[:, 0] if isinstance(model, BaggingRegressor) else y).explain(X[:1]).sections) == 1
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_features": 9}, "max_features must be <= n_features, got 9 of 4"),
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"warm_start": True, "oob_score": True}, "only available if warm_start=False"),
        ({"bootstrap": False, "max_samples": 151}, "must be <= n_samples=150"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong, said):
    with pytest.raises(ParameterError, match=said):
        BaggingClassifier(GaussianNB(), **wrong).fit(*IRIS)


def test_too_few_bags_for_an_estimate_are_named():
    with pytest.warns(DegenerateWarning, match="Some inputs do not have OOB scores"):
        BaggingClassifier(GaussianNB(), 1, oob_score=True, random_state=0).fit(*IRIS)


def test_a_warm_start_keeps_to_its_columns_and_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    for estimator in (None, LogisticRegression(max_iter=500)):
        model = (
            BaggingClassifier(estimator, 2, warm_start=True, random_state=0)
            .fit(X, y)
            .set_params(n_estimators=4)
        )
        for columns, classes in ((X[X.columns[::-1]], y), (X[X.columns[:2]], y), (X, y > 0)):
            with pytest.raises(
                DataError, match="the columns, their categories and the classes must be the same"
            ):
                copied(model).fit(columns, classes)
        grown = copied(model).fit(X, y)
        whole = BaggingClassifier(estimator, 4, random_state=0).fit(X, y)
        assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))


def copied(model):
    return pickle.loads(pickle.dumps(model))


def test_members_answer_the_question_of_the_ensemble():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        ParameterError, match="BaggingClassifier: estimator must be a classifier, got LinearRegression"
    ):
        BaggingClassifier(LinearRegression()).fit(X, y)
    with pytest.raises(
        ParameterError, match="BaggingRegressor: estimator must be a regressor, got GaussianNB"
    ):
        BaggingRegressor(GaussianNB()).fit(X, y)


class Recorder(sklearn.base.ClassifierMixin, sklearn.base.BaseEstimator):
    """Remembers the metadata it was given."""

    def fit(self, X, y, group=None):
        self.group_, self.classes_, self.type_ = group, np.unique(y), type(X)
        return self

    def predict_proba(self, X, scale=None):
        self.scale_ = scale
        return np.full((X.shape[0], len(self.classes_)), 1 / len(self.classes_))

    def predict(self, X):
        return np.repeat(self.classes_[:1], X.shape[0])


def test_metadata_reaches_the_members_that_ask_for_it():
    X, y, group = np.arange(12.0)[:, None], np.arange(12) % 2, np.arange(12) * 10
    with sklearn.config_context(enable_metadata_routing=True):
        member = Recorder().set_fit_request(group=True).set_predict_proba_request(scale=True)
        model = BaggingClassifier(member, 3, random_state=0).fit(X, y, group=group)
        for each, rows in zip(model.estimators_, model.estimators_samples_):
            assert_array_equal(each.group_, group[rows])  # drawn with its rows
        for way in (model.predict, model.predict_proba, model.predict_log_proba):
            way(X, scale=7)
            assert [each.scale_ for each in model.estimators_] == [7, 7, 7]
            model.predict(X)
            assert [each.scale_ for each in model.estimators_] == [None] * 3
        with pytest.raises(TypeError, match="unexpected argument"):
            model.predict(X, other=1)
    with pytest.raises(ParameterError, match="enable_metadata_routing=True"):
        BaggingClassifier(Recorder()).fit(X, y, group=group)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array])
def test_members_see_a_sparse_table_as_it_came(form):
    """Those of scikit-learn; learners of ours see a table that holds it."""

    class Seen(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.type_ = type(X)
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    settings = {"max_features": 2, "bootstrap_features": True, "random_state": 1}
    seen = BaggingClassifier(Seen(), 4, **settings).fit(form(X), y)
    assert {member.type_ for member in seen.estimators_} == {form}
    ours = BaggingClassifier(OurLogisticRegression(), 4, **settings)
    dense = ours.fit(X, y).predict_proba(X)
    assert_allclose(ours.fit(form(X), y).predict_proba(form(X)), dense, atol=1e-4)
