"""Meta-estimators read X once, and what they hand on is neither looked through nor matched nor encoded again."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as TheirRegression

import assay
from assay import compare
from assay.bayes import GaussianNB, NaiveBayes
from assay.core import Learner
from assay.core.meta_estimator import MetaEstimator, aligned, fit_to, takes_tables, takes_weights
from assay.decide import (
    CalibratedClassifierCV,
    ConformalClassifier,
    DecisionRule,
    FixedThresholdClassifier,
    RejectCascade,
    TunedThresholdClassifierCV,
)
from assay.ensembles import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    BaggingClassifier,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    ThreeLearnerBoosting,
)
from assay.errors import ParameterError
from assay.linear import LogisticRegression
from assay.prepare import Prepared
from assay.tables import Table, float_blocks
from assay.tables import table as tables
from assay.trees import DecisionTreeClassifier
from assay.tuning import Tuned

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]

WRAPPERS = {
    "bagging": BaggingClassifier(GaussianNB(), 5, random_state=0),
    "bagging of columns": BaggingClassifier(GaussianNB(), 5, max_features=2, random_state=0),
    "bagging of trees": BaggingClassifier(DecisionTreeClassifier(), 5, random_state=0, combine="vote"),
    "AdaBoost": AdaBoostClassifier(GaussianNB(), n_estimators=4, random_state=0),
    "AdaBoost.M2": AdaBoostM2Classifier(GaussianNB(), n_estimators=4, random_state=0),
    "three learners": ThreeLearnerBoosting(GaussianNB(), random_state=0),
    "one-vs-rest": OneVsRestClassifier(GaussianNB()),
    "one-vs-one": OneVsOneClassifier(LogisticRegression()),
    "output code": OutputCodeClassifier(GaussianNB(), random_state=0),
    "calibration": CalibratedClassifierCV(GaussianNB()),
    "conformal sets": ConformalClassifier(GaussianNB(), cv=3),
    "decision": DecisionRule(GaussianNB()),
    "tuned threshold": TunedThresholdClassifierCV(GaussianNB(), cv=3),
    "cascade": RejectCascade([GaussianNB(), NaiveBayes()]),
    "prepared": Prepared(GaussianNB(), scale=True),
    "prepared inside calibration": CalibratedClassifierCV(Prepared(LogisticRegression(), scale=True)),
    "bagging inside a decision": DecisionRule(BaggingClassifier(GaussianNB(), 3, random_state=0)),
    "tuned": Tuned(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, "2-fold"),
}


@pytest.fixture
def counts(monkeypatch):
    """How often X was read, and looked through for missing values."""
    counted = {"read": 0, "scanned": 0}

    def counting(module, name, what):
        real = getattr(module, name)

        def counted_call(*args, **kwargs):
            counted[what] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, counted_call)

    counting(tables, "is_complete", "scanned")
    counting(tables, "has_missing", "scanned")
    counting(float_blocks, "has_missing", "scanned")
    counting(tables, "numeric_block", "read")
    return counted


@pytest.mark.parametrize("name", WRAPPERS)
def test_x_is_read_and_scanned_once(name, counts):
    model = WRAPPERS[name]
    model.fit(X, NAMES)
    assert counts["read"] == counts["scanned"] == 1
    counts.update(read=0, scanned=0)
    model.predict(X)
    assert counts["read"] == counts["scanned"] == 1
    if hasattr(model, "predict_proba"):
        counts.update(read=0, scanned=0)
        model.predict_proba(X)
        assert counts["read"] == counts["scanned"] == 1


def test_a_comparison_reads_x_once(counts):
    learners = [
        DecisionTreeClassifier(),
        GaussianNB(),
        Prepared(NaiveBayes(), scale=True),
        LogisticRegression(),
    ]
    compare(learners, X, NAMES, design="3-fold")
    assert counts["read"] == counts["scanned"] == 1


def test_missing_values_are_looked_for_once_in_the_rows_of_a_learner_that_cannot_use_them(counts):
    """Whether some rows of a table with missing values have any is found out when somebody must know."""
    broken = X.copy()
    broken[:3, 0] = np.nan
    BaggingClassifier(DecisionTreeClassifier(), 5, random_state=0).fit(broken, NAMES)
    assert counts["read"] == 1 and counts["scanned"] == 2  # the sum is not finite, so NaN are looked for


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_table_an_array_and_a_frame_give_the_same_answers(name):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = WRAPPERS[name]
    answers = model.fit(X, NAMES).predict(X)
    assert_array_equal(model.fit(Table.of(X), NAMES).predict(Table.of(X)), answers)
    assert_array_equal(model.fit(frame, NAMES).predict(frame[["d", "c", "b", "a"]]), answers)
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == ["a", "b", "c", "d"]


class Recorder(ClassifierMixin, BaseEstimator):
    """A stranger that keeps what it was given."""

    def fit(self, X, y):
        self.seen_, self.labels_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@pytest.mark.parametrize(
    "wrapper",
    [BaggingClassifier, CalibratedClassifierCV, DecisionRule, ConformalClassifier, FixedThresholdClassifier],
)
def test_other_estimators_get_x_as_it_came_and_plain_labels(wrapper):
    frame, labels = pd.DataFrame(X[:100], columns=["a", "b", "c", "d"]), NAMES[:100]
    model = wrapper(Recorder()).fit(frame, labels)
    pairs = getattr(model, "calibrated_classifiers_", None)
    members = getattr(model, "estimators_", None) or (
        [p.estimator for p in pairs] if pairs else [model.estimator_]
    )
    for member in members:
        assert isinstance(member.seen_, pd.DataFrame) and type(member.labels_) is np.ndarray
        assert set(member.labels_.tolist()) == set(labels.tolist())


def test_a_wrapper_around_a_wrapper_around_a_stranger_hands_on_what_came():
    assert takes_tables(BaggingClassifier(GaussianNB())) and not takes_tables(
        BaggingClassifier(TheirRegression())
    )
    outer = CalibratedClassifierCV(BaggingClassifier(TheirRegression(max_iter=1000), 2, random_state=0), cv=2)
    assert outer.fit(X, NAMES).predict(X).dtype == NAMES.dtype


def test_every_meta_estimator_calls_what_it_wraps_estimator():
    """Its parameter is called estimator (estimators, if it is a list), and what was fitted by the same name.

    One has another name, ``_wrapped``, only where scikit-learn's class has it.
    """

    def those_below(cls):
        return {cls}.union(*map(those_below, cls.__subclasses__()))

    made = [
        cls
        for cls in those_below(MetaEstimator)
        if cls.__module__.startswith("assay.") and "__init__" in vars(cls)
    ]
    assert len(made) > 15
    for cls in made:
        wrapped = "regressor" if cls.__name__ == "TransformedTargetRegressor" else "estimator"
        assert cls._wrapped == wrapped and {wrapped, "estimators"} & set(cls._get_param_names()), cls


def test_a_learner_without_weights_is_refused_by_name():
    with pytest.raises(ParameterError, match="Outer: Recorder cannot be fitted with sample_weight"):
        fit_to(Recorder(), X, NAMES, np.ones(150), "Outer")
    assert takes_weights(GaussianNB()) and takes_weights(TheirRegression()) and not takes_weights(Recorder())


def test_columns_of_absent_classes_are_filled():
    shares = aligned(np.array([[0.25, 0.75]]), np.array([1, 3]), np.array([1, 2, 3]), -np.inf)
    assert shares.tolist() == [[0.25, -np.inf, 0.75]]


class RecordsType(LogisticRegression):
    """A user's subclass that looks at what its fit is given."""

    def fit(self, X, y):
        self.type_, self.labels_ = type(X), np.asarray(y)
        return super().fit(X, y)


class ReturnsNothing(ClassifierMixin, BaseEstimator):
    """A foreign estimator whose fit does not return itself."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]

    def predict(self, X):
        return np.full(len(X), self.most_)

    def predict_proba(self, X):
        return np.tile((self.classes_ == self.most_).astype(float), (len(X), 1))


@pytest.mark.parametrize("of", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array])
def test_a_subclass_with_a_fit_of_its_own_is_given_the_table_as_it_came(of):
    assert not takes_tables(RecordsType())
    model = BaggingClassifier(RecordsType(), 2, max_features=2, random_state=0).fit(of(X), NAMES)
    assert [member.type_ for member in model.estimators_] == [of, of]
    assert set(model.estimators_[0].labels_) <= set(NAMES) | {0, 1, 2}
    plain = BaggingClassifier(LogisticRegression(), 2, max_features=2, random_state=0, bootstrap=False)
    same = BaggingClassifier(RecordsType(), 2, max_features=2, random_state=0, bootstrap=False)
    assert_array_equal(same.fit(of(X), NAMES).predict(X), plain.fit(X, NAMES).predict(X))


def test_learners_of_the_package_have_no_foreign_methods():
    """So that all of them are given the checked table."""
    public = [
        getattr(getattr(assay, room), name) for room in assay._ROOMS for name in getattr(assay, room).__all__
    ]
    learners = [
        c
        for c in public
        if isinstance(c, type) and issubclass(c, Learner) and not issubclass(c, MetaEstimator)
    ]
    assert len(learners) > 100
    assert [cls.__name__ for cls in learners if not takes_tables(cls.__new__(cls))] == []


def test_what_fit_returns_does_not_matter():
    model = BaggingClassifier(ReturnsNothing(), 3, random_state=0).fit(X, NAMES)
    assert all(isinstance(member, ReturnsNothing) for member in model.estimators_)
    assert set(model.predict(X)) <= set(NAMES)
    assert compare({"nothing": ReturnsNothing()}, X, NAMES, design="2-fold").failures == {}
