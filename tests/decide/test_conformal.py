"""Prediction sets: definition, coverage by seeded simulation, plumbing."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.bayes import GaussianNB
from assay.decide import ConformalClassifier, aps_score, lac_score, set_coverage
from assay.errors import DataError, DegenerateWarning, ParameterError

SCORES = {"lac": lac_score, aps_score: aps_score}


class Echo(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose posterior is the row itself."""

    def __init__(self, K=3):
        self.K = K

    def fit(self, X, y):
        return self

    @property
    def classes_(self):
        return np.arange(self.K)

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, X):
        return np.asarray(X)


def draws(rng, n, K=3, concentration=1.0):
    """Posteriors and labels drawn from them."""
    P = rng.dirichlet(np.full(K, concentration), size=n)
    return P, (P.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, K - 1)


@pytest.mark.filterwarnings(
    "ignore:ConformalClassifier. [0-9]+ calibration rows are too few"
)  # tiny check data
@parametrize_with_checks([ConformalClassifier(nonconformity="aps", cv=3, class_conditional=True)])
def test_passes_the_estimator_checks(estimator, check):
    check(estimator)


@given(
    seed=st.integers(0, 10**6),
    score=st.sampled_from(["lac", aps_score]),
    alpha=st.sampled_from([0.05, 0.1, 0.2, 0.5]),
)
@settings(max_examples=40, deadline=None)
def test_the_set_is_what_lies_below_the_finite_sample_quantile(seed, score, alpha):
    rng = np.random.default_rng(seed)
    P, y = draws(rng, 39)
    P2, _ = draws(rng, 20)
    model = ConformalClassifier(Echo(), alpha, nonconformity=score, cv="prefit").fit(P, y)
    s = np.sort(SCORES[score](P)[np.arange(39), y])
    rank = {0.05: 38, 0.1: 36, 0.2: 32, 0.5: 20}[alpha]  # 40 (1 - alpha): p-values can equal alpha
    assert_allclose(model.quantile(), s[rank - 1])
    assert_array_equal(model.predict_set(P2), SCORES[score](P2) <= s[rank - 1])
    assert_array_equal(model.predict_set(P2), model.p_values(P2) > alpha)


@pytest.mark.parametrize("score", ["lac", "aps"])
def test_coverage_over_many_calibrations_is_what_was_promised(score):
    """One new row for each of 1000 calibrations on 39 rows: independent hits of probability 36/40."""
    rng = np.random.default_rng(42)
    hits, N = 0, 1000
    for _ in range(N):
        P, y = draws(rng, 40)
        model = ConformalClassifier(
            Echo(), 0.1, nonconformity=score, cv="prefit", random_state=rng.integers(2**31)
        )
        model.fit(P[1:], y[1:])
        hits += model.predict_set(P[:1])[0, y[0]]
    band = 4 * np.sqrt(0.9 * 0.1 / N)  # four standard errors
    assert abs(hits / N - 0.9) < band


def test_a_useless_classifier_covers_too_with_larger_sets():
    rng = np.random.default_rng(1)
    P, y = draws(rng, 4000, concentration=0.3)
    noise, _ = draws(rng, 4000)
    for alpha in (0.05, 0.2):
        good, bad = (
            set_coverage(
                ConformalClassifier(Echo(), alpha, cv="prefit").fit(Q[:2000], y[:2000]).predict_set(Q[2000:]),
                y[2000:],
            )
            for Q in (P, noise)
        )
        band = 4 * np.sqrt(2 * alpha * (1 - alpha) / 2000)  # calibration and test rows both vary
        assert abs(good.coverage - (1 - alpha)) < band and abs(bad.coverage - (1 - alpha)) < band
        assert good.size < bad.size


def test_class_conditional_sets_keep_the_promise_for_rare_classes():
    """Class 0 is rare and its posterior is understated: marginal coverage is fine, that of class 0 is not."""
    rng = np.random.default_rng(3)
    y = rng.choice(3, p=[0.08, 0.46, 0.46], size=6000)
    x = rng.normal(np.array([0.0, 0.7, 3.0])[y])
    f = np.exp(-0.5 * (x[:, None] - [0.0, 0.7, 3.0]) ** 2) * [0.08, 0.46, 0.46]
    P = f / f.sum(axis=1, keepdims=True)
    found = {
        each: set_coverage(
            ConformalClassifier(Echo(), cv="prefit", class_conditional=each)
            .fit(P[:3000], y[:3000])
            .predict_set(P[3000:]),
            y[3000:],
        )
        for each in (False, True)
    }
    assert found[False].coverage > 0.88 and found[False].by_class[0] < 0.6
    rows = np.bincount(y[3000:])
    band = 4 * np.sqrt(2 * 0.1 * 0.9 / rows)
    assert (np.abs(found[True].by_class - 0.9) < band).all()
    assert found[True].size > found[False].size


@pytest.mark.parametrize("score", ["lac", "aps"])
@pytest.mark.parametrize("cv", [0.3, 5])
def test_split_and_cross_conformal_cover_real_data(cv, score):
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:1000], order[1000:]
    model = ConformalClassifier(GaussianNB(var_smoothing=1e-3), nonconformity=score, cv=cv, random_state=0)
    found = set_coverage(model.fit(X[train], y[train]).predict_set(X[test]), y[test])
    calibration = 300 if cv == 0.3 else 1000
    band = 4 * np.sqrt(0.09 / calibration + 0.09 / len(test))
    assert found.coverage > 0.9 - band
    assert found.size < 3
    assert_array_equal(model.predict_set(X[test]), model.predict_set(X[test]))
    assert len(model.estimators_) == (1 if cv == 0.3 else 5)
    assert model.score(X[test], y[test]) > 0.8


def test_cross_conformal_uses_every_row_by_its_own_fold():
    X, y = load_iris(return_X_y=True)
    model = ConformalClassifier(GaussianNB(), cv=5).fit(X, y)
    assert_array_equal(model.n_calibration_, [150, 150, 150])
    assert sum(len(part[0]) for part in model.calibration_scores_) == 150
    by_hand = np.zeros((150, 3))
    for fitted, (known,) in zip(model.estimators_, model.calibration_scores_):
        s = 1 - fitted.predict_proba(X)
        by_hand += (known[None, None, :] >= s[:, :, None]).sum(axis=2)
    assert_allclose(model.p_values(X), (by_hand + 1) / 151)
    with pytest.raises(ParameterError, match="no common quantile"):
        model.quantile()


def test_smaller_alpha_larger_sets():
    X, y = load_breast_cancer(return_X_y=True)
    model = ConformalClassifier(random_state=0).fit(X, y)
    assert (model.predict_set(X, 0.01) >= model.predict_set(X, 0.1)).all()
    assert_array_equal(model.predict_set(X), model.predict_set(X, 0.1))


def test_an_empty_set_may_be_kept_or_filled_with_the_most_probable_class():
    P = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.05, 0.95]] * 5)
    y = P.argmax(axis=1)
    asked = np.array([[0.55, 0.45], [0.99, 0.01]])
    kept = ConformalClassifier(Echo(2), 0.2, cv="prefit").fit(P, y).predict_set(asked)
    filled = ConformalClassifier(Echo(2), 0.2, cv="prefit", allow_empty=False).fit(P, y).predict_set(asked)
    assert_array_equal(kept, [[False, False], [True, False]])
    assert_array_equal(filled, [[True, False], [True, False]])


def test_too_few_calibration_rows_give_full_sets_and_a_warning():
    P, y = draws(np.random.default_rng(0), 8)
    with pytest.warns(
        DegenerateWarning, match="8 calibration rows are too few for alpha=0.1, so every class"
    ):
        model = ConformalClassifier(Echo(), cv="prefit").fit(P, y)
    assert model.predict_set(P).all()
    assert np.isinf(model.quantile()).all()
    rare = np.array([0] * 3 + [1] * 20 + [2] * 20)
    with pytest.warns(DegenerateWarning, match="3 calibration rows are too few for alpha=0.1, so class .*0"):
        ConformalClassifier(Echo(), cv="prefit", class_conditional=True).fit(np.full((43, 3), 1 / 3), rare)


def test_a_function_may_say_what_is_strange():
    X, y = load_iris(return_X_y=True)

    def margin(P):
        return np.sort(P, axis=1)[:, -1:] - P

    own = ConformalClassifier(nonconformity=margin, random_state=0).fit(X, y)
    assert own.predict_set(X).any(axis=1).mean() > 0.8
    with pytest.raises(DataError, match="one number"):
        ConformalClassifier(nonconformity=lambda P: P[:, 0]).fit(X, y)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_raw_mixed_tables_reach_the_classifier_unharmed(kind):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=120).tolist()
    label = np.where(np.array(colour) == "red", "stop", "go")
    table = kind({"size": rng.normal(size=120).tolist(), "colour": colour})
    model = ConformalClassifier(GaussianNB(), random_state=0).fit(table, label)
    assert set_coverage(model.predict_set(table), label, model.classes_).coverage > 0.8
    assert list(model.feature_names_in_) == ["size", "colour"]
    told = model.explain(table)[0]
    assert told.sections[-1].title == "Prediction set" and told.answer in (
        "{stop}",
        "{go}",
        "{}",
        "{go, stop}",
    )


def test_pickle_and_explanations_of_folds():
    X, y = load_iris(return_X_y=True)
    model = ConformalClassifier(cv=3).fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(model)).p_values(X), model.p_values(X))
    told = model.explain(X[:1])
    assert told.answer == "{0}" and len(told.sections) == 1


def test_bad_input_is_told():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=r"alpha must be a number above 0 below 1, got 1\.5"):
        ConformalClassifier(alpha=1.5).fit(X, y)
    with pytest.raises(ParameterError, match="alpha must be a number above 0 below 1, got 0"):
        ConformalClassifier().fit(X, y).predict_set(X, 0)
    with pytest.raises(ParameterError, match="share must be above 0 and below 1"):
        ConformalClassifier(cv=1.5).fit(X, y)
    with pytest.raises(DataError, match="one class has 1 sample"):
        ConformalClassifier().fit(X, np.r_[7, y[1:]])
    with pytest.raises(NotFittedError, match="needs a fitted classifier"):
        ConformalClassifier(GaussianNB(), cv="prefit").fit(X, y)
    with pytest.raises(ParameterError, match="LinearSVC has no predict_proba"):
        ConformalClassifier(LinearSVC()).fit(X, y)
    with pytest.raises(ParameterError, match="nonconformity must be"):
        ConformalClassifier(nonconformity="raps").fit(X, y)
