"""Calibrated classifiers. Peer: scikit-learn's CalibratedClassifierCV."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import calibration
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from assay.bayes import GaussianNB
from assay.decide import CalibratedClassifierCV, DecisionRule
from assay.errors import AssayWarning, DataError, ParameterError

TOLERANCE = {"sigmoid": 1e-6, "isotonic": 1e-12, "temperature": 5e-6}
LOADERS = [load_iris, load_wine, load_breast_cancer]


@parametrize_with_checks([CalibratedClassifierCV(method="venn_abers", ensemble=False)])
def test_passes_the_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(max_depth=3, random_state=0), RidgeClassifier()],
    ids=["probabilities", "scores"],
)
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("method", TOLERANCE)
@pytest.mark.parametrize("load", LOADERS)
def test_same_probabilities_as_scikit_learn(load, method, ensemble, model):
    """Peer: scikit-learn 1.9, on three data sets, with row weights, probabilities and margins as scores.

    Not compared: temperatures of folds that the classifier separates, where the likelihood has no maximum and
    each side stops somewhere else; there ours must be no less likely. Probabilities closer than 1e-15 as
    isotonic scores, which the peer takes to be equal and we do not.
    """
    X, y = load(return_X_y=True)
    w = 0.5 + np.random.default_rng(0).random(len(y))
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    options = {"method": method, "ensemble": ensemble, "cv": cv}
    peer = calibration.CalibratedClassifierCV(model, **options).fit(X, y, sample_weight=w)
    ours = CalibratedClassifierCV(model, **options).fit(X, y, sample_weight=w)
    pairs = zip(ours.calibrated_classifiers_, peer.calibrated_classifiers_)
    for (mine, theirs), (_, test) in zip(pairs, cv.split(X, y)):
        P, Q = mine.predict_proba(X), theirs.predict_proba(X)
        if method == "temperature" and ensemble and mine.calibrators[0].beta_ > 1e3:
            likelihoods = [np.log(p[test, y[test]] + 1e-300).sum() for p in (P, Q)]
            assert likelihoods[0] >= likelihoods[1] - 1e-9
        else:
            assert_allclose(P, Q, atol=TOLERANCE[method])


@pytest.mark.parametrize("method", ["sigmoid", "temperature"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_same_probabilities_as_scikit_learn_for_posteriors_near_0_and_1(load, method):
    X, y = load(return_X_y=True)
    peer = calibration.CalibratedClassifierCV(PeerNB(), method=method, ensemble=False).fit(X, y)
    ours = CalibratedClassifierCV(GaussianNB(), method=method, ensemble=False).fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=TOLERANCE[method])


@pytest.mark.parametrize("method", [*TOLERANCE, "venn_abers"])
def test_a_fitted_classifier_is_calibrated_on_other_rows(method):
    X, y = load_breast_cancer(return_X_y=True)
    X1, X2, y1, y2 = train_test_split(X, y, random_state=0, test_size=0.6, stratify=y)
    X2, X3, y2, y3 = train_test_split(X2, y2, random_state=0, test_size=0.5, stratify=y2)
    bayes = GaussianNB().fit(X1, y1)
    ours = CalibratedClassifierCV(bayes, method=method, cv="prefit").fit(X2, y2)
    assert ours.calibrated_classifiers_[0].estimator is bayes
    frozen = CalibratedClassifierCV(FrozenEstimator(bayes), method=method).fit(X2, y2)
    assert_array_equal(frozen.predict_proba(X3), ours.predict_proba(X3))
    if method in ("sigmoid", "temperature"):
        peer = calibration.CalibratedClassifierCV(FrozenEstimator(bayes), method=method).fit(X2, y2)
        assert_allclose(ours.predict_proba(X3), peer.predict_proba(X3), atol=TOLERANCE[method])
    assert log_loss(y3, ours.predict_proba(X3).clip(1e-6, 1 - 1e-6)) < log_loss(y3, bayes.predict_proba(X3))


@pytest.mark.parametrize("method", [*TOLERANCE, "venn_abers"])
def test_an_overconfident_classifier_becomes_honest(method):
    """Mean confidence and accuracy on held-out digits: naive Bayes claims far more than it keeps."""
    X, y = load_digits(return_X_y=True)
    X1, X2, y1, y2 = train_test_split(X, y, random_state=0, test_size=0.5, stratify=y)
    bayes = GaussianNB(var_smoothing=1e-3).fit(X1, y1)
    honest = CalibratedClassifierCV(GaussianNB(var_smoothing=1e-3), method=method, ensemble=False).fit(X1, y1)

    def boast(model):
        return abs(model.predict_proba(X2).max(axis=1).mean() - model.score(X2, y2))

    assert boast(bayes) > 0.09
    assert boast(honest) < (0.07 if method == "venn_abers" else 0.03)  # bounds of few rows are cautious
    losses = [log_loss(y2, model.predict_proba(X2).clip(1e-9)) for model in (bayes, honest)]
    assert losses[1] < losses[0] / 2
    assert_allclose(honest.predict_proba(X2).sum(axis=1), 1)


def test_venn_abers_brackets_the_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    model = CalibratedClassifierCV(method="venn_abers", ensemble=False).fit(X, y)
    low, high = model.predict_interval(X)
    P = model.predict_proba(X)
    assert ((low - 1e-12 <= P) & (high + 1e-12 >= P)).all()
    assert_allclose(low[:, 0], 1 - high[:, 1])
    three = CalibratedClassifierCV(method="venn_abers").fit(*load_iris(return_X_y=True))
    low, high = three.predict_interval(load_iris().data)
    assert low.shape == (150, 3) and (low <= high + 1e-12).all()
    with pytest.raises(ParameterError, match="only method='venn_abers' gives bounds"):
        CalibratedClassifierCV().fit(X, y).predict_interval(X)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_raw_mixed_tables_reach_the_classifier_unharmed(kind):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=80).tolist()
    label = np.where(np.array(colour) == "red", "stop", "go")
    label[:10] = rng.choice(["stop", "go"], size=10)
    table = kind({"size": rng.normal(size=80).tolist(), "colour": colour})
    model = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=4).fit(table, label)
    assert model.score(table, label) > 0.9
    assert list(model.feature_names_in_) == ["size", "colour"]


def test_calibrated_scores_can_be_decided_by_cost():
    X, y = load_breast_cancer(return_X_y=True)
    rule = DecisionRule(CalibratedClassifierCV(RidgeClassifier()), loss={(1, 0): 20}, reject=0.3).fit(X, y)
    assert set(rule.predict(X)) == {0, 1, "reject"}


def test_explanation_shows_the_folds_or_the_single_classifier():
    X, y = load_iris(return_X_y=True)
    many = CalibratedClassifierCV(cv=3).fit(X, y).explain(X[:2])
    assert len(many) == 2 and len(many[0].sections[-1].rows) == 3
    bayes = GaussianNB().fit(X, y)
    one = CalibratedClassifierCV(bayes, cv="prefit").fit(X, y).explain(X[:1])
    assert one.sections[:-1] == bayes.explain(X[:1]).sections
    assert one.answer == 0 and "Calibrated by sigmoid" in str(one)


def test_pickle_and_label_kinds():
    X, y = load_iris(return_X_y=True)
    names = np.array(["s", "e", "v"], dtype=object)[y]
    model = CalibratedClassifierCV(LogisticRegression(max_iter=5000), method="temperature").fit(X, names)
    assert set(model.predict(X)) == {"s", "e", "v"}
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_a_class_that_a_fold_lacks_is_not_lost():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(150)
    splits = [(rows[y != 2], rows[::2]), (rows[::2], rows[1::2])]  # the first never sees class 2
    for method in ("sigmoid", "temperature", "venn_abers"):
        model = CalibratedClassifierCV(GaussianNB(), method=method, cv=splits).fit(X, y)
        assert model.predict_proba(X).shape == (150, 3)
    model = CalibratedClassifierCV(GaussianNB(), cv=splits).fit(X, y)
    blind, sighted = (pair.predict_proba(X) for pair in model.calibrated_classifiers_)
    assert_array_equal(blind[:, 2], 0)  # as in scikit-learn: what was never seen has no probability
    assert_allclose(blind.sum(axis=1), 1)
    assert (sighted > 0).all()
    ridge = CalibratedClassifierCV(RidgeClassifier(), cv=splits).fit(X, y)
    assert_allclose(ridge.predict_proba(X).sum(axis=1), 1)


def test_weights_that_the_classifier_cannot_take_go_to_the_calibration_alone():
    X, y = load_iris(return_X_y=True)
    w = np.linspace(0.1, 2, 150)
    peer = calibration.CalibratedClassifierCV(KNeighborsClassifier(), cv=3)
    with pytest.warns(UserWarning, match="sample_weight"):
        peer.fit(X, y, sample_weight=w)
    with pytest.warns(AssayWarning, match="KNeighborsClassifier does not appear to accept sample_weight"):
        model = CalibratedClassifierCV(KNeighborsClassifier(), cv=3).fit(X, y, sample_weight=w)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature", "venn_abers"])
def test_calibrators_can_be_asked_whether_they_are_fitted(method):
    X, y = load_iris(return_X_y=True)
    (calibrator, *_) = (
        CalibratedClassifierCV(GaussianNB(), method=method).fit(X, y).calibrated_classifiers_[0].calibrators
    )
    check_is_fitted(calibrator)
    with pytest.raises(NotFittedError):
        check_is_fitted(type(calibrator)())


def test_more_folds_than_rows_of_a_class_are_refused_where_each_fold_calibrates():
    X, y = load_iris(return_X_y=True)
    for cv in (KFold(51, shuffle=True, random_state=0), LeaveOneOut()):
        with pytest.raises(DataError, match=r"has 50 of them\. Use fewer folds, or ensemble=False"):
            CalibratedClassifierCV(cv=cv, ensemble=True).fit(X, y)
    together = CalibratedClassifierCV(cv=LeaveOneOut(), ensemble=False).fit(X, y)
    assert together.score(X, y) > 0.9


def test_bad_input_is_told():
    X, y = load_iris(return_X_y=True)

    class Short(GaussianNB):
        def decision_function(self, X):
            return np.zeros((len(X), 2))

    with pytest.raises(DataError, match="Short scores 2 columns and has 3 classes"):
        CalibratedClassifierCV(Short()).fit(X, y)
    with pytest.raises(ParameterError, match="method must be one of 'sigmoid', 'isotonic'"):
        CalibratedClassifierCV(method="beta").fit(X, y)
    with pytest.raises(DataError, match="60 folds need at least 60 rows of each class, one class has 50"):
        CalibratedClassifierCV(cv=60).fit(X, y)
    with pytest.raises(ParameterError, match="cv='prefit' needs a fitted classifier, GaussianNB is not"):
        CalibratedClassifierCV(GaussianNB(), cv="prefit").fit(X, y)
    with pytest.raises(DataError, match="label 9, which is not among classes"):
        CalibratedClassifierCV(GaussianNB().fit(X, y), cv="prefit").fit(X, np.where(y == 0, 9, y))
    with pytest.raises(DataError, match="y has one class"):
        CalibratedClassifierCV().fit(X, np.zeros(150))
