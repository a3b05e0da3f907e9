"""Logistic regression with a penalty by cross-validation."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError, ParameterError
from assay.linear import compact
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.logistic.logistic_regression_cv import LogisticRegressionCV


def table(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.capability("BC-35")
@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_the_choice_is_the_best_of_the_grid_of_models_fitted_one_by_one(ratio, penalised):
    """BC 5.3.1 (3): lambda = 1/C by cross-validation; the oracle is the minimum over the grid."""
    X, y = table(load_iris)
    Cs, folds = [0.01, 0.1, 1.0, 10.0], StratifiedKFold(4)
    exact = {"tol": 1e-9, "max_iter": 2000, "penalize_intercept": penalised}
    model = LogisticRegressionCV(Cs=Cs, l1_ratios=[ratio], cv=folds, scoring="neg_log_loss", **exact).fit(
        X, y
    )
    errors = np.array(
        [
            [
                log_loss(
                    y[t], LogisticRegression(C=C, l1_ratio=ratio, **exact).fit(X[r], y[r]).predict_proba(X[t])
                )
                for C in Cs
            ]
            for r, t in folds.split(X, y)
        ]
    )
    assert_allclose(-model.scores_[:, 0], errors, rtol=1e-4)
    assert Cs[int(np.argmin(errors.mean(axis=0)))] == model.C_
    alone = LogisticRegression(C=model.C_, l1_ratio=ratio, **exact).fit(X, y)
    assert_allclose(model.coef_, alone.coef_, atol=1e-4)
    assert_allclose(model.intercept_, alone.intercept_, atol=1e-4)
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "load, scoring",
    [
        (load_breast_cancer, None),
        (load_breast_cancer, "neg_log_loss"),
        (load_breast_cancer, "neg_brier_score"),
        (load_iris, None),
        (load_iris, "neg_log_loss"),
        (load_iris, "f1_macro"),  # the peer cannot with two classes
    ],
)
def test_same_scores_and_choice_as_scikit_learn(load, scoring, weighted):
    """Peer: LogisticRegressionCV, scikit-learn 1.9, with its attributes to be."""
    X, y = table(load)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    settings = {"Cs": 4, "l1_ratios": (0.0,), "scoring": scoring, "tol": 1e-8, "max_iter": 5000, "cv": 3}
    ours = LogisticRegressionCV(**settings).fit(X, y, sample_weight=w)
    peer = peers.LogisticRegressionCV(use_legacy_attributes=False, **settings).fit(X, y, sample_weight=w)
    assert ours.scores_.shape == peer.scores_.shape and ours.n_iter_.shape == peer.n_iter_.shape
    assert ours.coefs_paths_.shape == peer.coefs_paths_.shape
    assert_allclose(ours.Cs_, peer.Cs_)
    assert_allclose(ours.scores_[:, :, :3], peer.scores_[:, :, :3], atol=2e-4)
    assert (ours.C_, ours.l1_ratio_) == (peer.C_, peer.l1_ratio_)
    assert isinstance(ours.C_, float) and isinstance(ours.l1_ratio_, float)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-3, atol=1e-3)
    assert_allclose(ours.score(X, y), peer.score(X, y), atol=1e-4)
    assert_array_equal(ours.predict(X), peer.predict(X))


def test_mixtures_are_compared_as_scikit_learn_does():
    """Peer: solver="saga" at strong penalties, where it converges."""
    X, y = table(load_iris)
    settings = {
        "Cs": [0.05, 0.2],
        "l1_ratios": (0.5, 1.0),
        "scoring": "neg_log_loss",
        "tol": 1e-7,
        "max_iter": 5000,
        "class_weight": "balanced",
    }
    ours = LogisticRegressionCV(**settings).fit(X, y)
    peer = peers.LogisticRegressionCV(solver="saga", use_legacy_attributes=False, **settings).fit(X, y)
    assert_allclose(ours.scores_, peer.scores_, atol=1e-3)
    assert (ours.C_, ours.l1_ratio_) == (peer.C_, peer.l1_ratio_)
    assert_allclose(ours.coefs_paths_[..., :-1], peer.coefs_paths_[..., :-1], atol=5e-3)
    averaged = LogisticRegressionCV(refit=False, **settings).fit(X, y)
    best = [
        averaged.coefs_paths_[f][np.unravel_index(int(np.argmax(averaged.scores_[f])), (2, 2))]
        for f in range(5)
    ]
    assert_allclose(np.column_stack((averaged.coef_, averaged.intercept_)), np.mean(best, axis=0), rtol=1e-12)


def test_one_standard_error_takes_the_stronger_penalty():
    X, y = table(load_breast_cancer)
    settings = {
        "Cs": np.logspace(-2, 1, 20),
        "l1_ratios": (1.0,),
        "scoring": "neg_log_loss",
        "max_iter": 1000,
    }
    best = LogisticRegressionCV(**settings).fit(X, y)
    careful = LogisticRegressionCV(one_standard_error=True, **settings).fit(X, y)
    curve = careful.curve_
    assert careful.C_ < best.C_ == curve.penalty[curve.best]
    assert curve.mean[curve.chosen] >= curve.mean[curve.best] - curve.error[curve.best]
    assert np.count_nonzero(careful.coef_) < np.count_nonzero(best.coef_)
    assert "chosen" in str(curve) and "neg_log_loss" in str(curve)


def test_the_order_of_Cs_is_kept_and_does_not_matter():
    X, y = table(load_iris)
    up = LogisticRegressionCV(Cs=[0.1, 1.0, 10.0]).fit(X, y)
    down = LogisticRegressionCV(Cs=[10.0, 1.0, 0.1]).fit(X, y)
    assert_array_equal(down.Cs_, [10.0, 1.0, 0.1])
    assert_allclose(up.scores_, down.scores_[:, :, ::-1])
    assert_allclose(up.coefs_paths_, down.coefs_paths_[:, :, ::-1])
    assert_array_equal(up.curve_.penalty, down.curve_.penalty)


@pytest.mark.parametrize("ratio", [0.0, 0.7])
def test_sparse_tables_small_and_large(ratio, monkeypatch):
    X, y = table(load_breast_cancer)
    X = np.where(np.abs(X) > 1, X, 0.0)
    settings = {"Cs": [0.01, 0.1], "l1_ratios": (ratio,), "tol": 1e-8, "max_iter": 1000, "cv": 3}
    dense = LogisticRegressionCV(**settings).fit(X, y)
    for limit in (1 << 17, 0):
        monkeypatch.setattr(compact, "DENSE_ENTRIES", limit)
        sparse = LogisticRegressionCV(**settings).fit(csr_matrix(X), y)
        assert sparse.C_ == dense.C_
        assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
        assert_allclose(sparse.scores_, dense.scores_)


def test_liblinear_means_a_penalised_intercept():
    X, y = table(load_breast_cancer)
    settings = {
        "Cs": [0.1, 1.0],
        "l1_ratios": (0.0,),
        "solver": "liblinear",
        "tol": 1e-8,
        "max_iter": 5000,
        "scoring": None,
    }
    ours = LogisticRegressionCV(**settings).fit(X, y)
    peer = peers.LogisticRegressionCV(use_legacy_attributes=False, **settings).fit(X, y)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)
    with pytest.raises(ParameterError, match="multiclass"):
        LogisticRegressionCV(solver="liblinear").fit(*table(load_iris))


def test_tables_with_names_and_categories_and_labels_of_text():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["wide"] = np.where(X[:, 3] > 1.2, "yes", "no")
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LogisticRegressionCV(Cs=3, cv=3, scoring="neg_log_loss", max_iter=1000).fit(frame, names)
    assert model.coef_.shape == (3, 6)
    assert model.score(frame, names) > -0.3
    assert "wide" in str(model.explain(frame.head(1)))
    judged = LogisticRegressionCV(Cs=3, cv=3, scoring=lambda m, Z, t: (m.predict(Z) == t).mean()).fit(
        frame, names
    )
    plain = LogisticRegressionCV(Cs=3, cv=3).fit(frame, names)
    assert_allclose(judged.scores_, plain.scores_)


def test_a_fold_may_lack_a_class():
    X, y = table(load_iris)
    folds = [(np.arange(50, 150), np.arange(50)), (np.arange(0, 120), np.arange(120, 150))]
    for ratio in (0.0, 1.0):
        model = LogisticRegressionCV(
            Cs=[0.1, 1.0], cv=folds, l1_ratios=(ratio,), scoring="neg_log_loss", max_iter=1000
        ).fit(X, y)
        assert np.isfinite(model.scores_).all() and model.coef_.shape == (3, 4)


def test_threads_change_nothing():
    X, y = table(load_breast_cancer)
    for ratio in (0.0, 0.5):
        one, two = (
            LogisticRegressionCV(Cs=3, l1_ratios=(ratio,), n_jobs=jobs, max_iter=1000).fit(X, y)
            for jobs in (1, 2)
        )
        assert_array_equal(one.coefs_paths_, two.coefs_paths_)
        assert_array_equal(one.coef_, two.coef_)


def test_what_cannot_be_is_said():
    X, y = table(load_iris)
    with pytest.raises(DataError, match="only one class"):
        LogisticRegressionCV().fit(X, np.zeros(len(y)))
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        LogisticRegressionCV(Cs=[10.0], l1_ratios=(1.0,), max_iter=1, tol=1e-9).fit(X, y)
    with pytest.warns(FutureWarning, match="l1_ratios"):
        assert LogisticRegressionCV(Cs=[0.1], penalty="l1").fit(X, y).l1_ratio_ == 1.0
    for wrong in (
        {"Cs": 0},
        {"Cs": [-1.0]},
        {"l1_ratios": 0.5},
        {"l1_ratios": [2.0]},
        {"use_legacy_attributes": "yes"},
        {"solver": "magic"},
    ):
        with pytest.raises(ParameterError, match=f"LogisticRegressionCV: {next(iter(wrong))} must be"):
            LogisticRegressionCV(**wrong).fit(X, y)


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
@pytest.mark.parametrize("ratio", [0.0, 0.5])
def test_folds_without_weight(ratio, scoring):
    """A judging fold without weight counts its rows; a training fold without weight has nothing to teach."""
    X, y = table(load_breast_cancer)
    X, y, w = X[:60], y[:60], np.ones(60)
    w[40:] = 0
    rows = np.arange(60)
    settings = {"Cs": [0.1, 1.0], "l1_ratios": (ratio,), "scoring": scoring}
    model = LogisticRegressionCV(cv=[(rows[:40], rows[40:]), (rows[20:], rows[:20])], **settings).fit(X, y, w)
    assert np.isfinite(model.scores_).all()
    with pytest.raises(DataError, match="training fold have weight 0"):
        LogisticRegressionCV(cv=[(rows[40:], rows[:40])], **settings).fit(X, y, w)


def test_the_dual_problem_is_refused_where_the_solver_has_none():
    with pytest.raises(ParameterError, match="Solver saga supports only dual=False"):
        LogisticRegressionCV(solver="saga", dual=True).fit(*table(load_iris))


def test_no_folds_are_refused():
    X, y = table(load_iris)
    with pytest.raises(ParameterError, match="cv must give at least one fold"):
        LogisticRegressionCV(cv=[]).fit(X, y)


@pytest.mark.parametrize("ratios", [None, (0.0, 0.5)])
@pytest.mark.parametrize("classes", [2, 3])
def test_attributes_as_they_were_before_scikit_learn_1_8(classes, ratios):
    """Peer: LogisticRegressionCV(use_legacy_attributes=True), scikit-learn 1.9: same types, keys and shapes."""
    from sklearn.linear_model import LogisticRegressionCV as Peer

    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    settings = {"Cs": [0.1, 1.0], "l1_ratios": ratios, "solver": "saga", "max_iter": 5000, "tol": 1e-2}
    settings |= {"scoring": "accuracy", "use_legacy_attributes": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # l1_ratios=None
        ours, peer = LogisticRegressionCV(**settings).fit(X, y), Peer(**settings).fit(X, y)
    for name in ("scores_", "coefs_paths_"):
        assert list(getattr(ours, name)) == list(getattr(peer, name))
        for label, table in getattr(peer, name).items():
            assert getattr(ours, name)[label].shape == table.shape
    for name in ("C_", "l1_ratio_", "n_iter_", "coef_", "intercept_"):
        assert getattr(ours, name).shape == getattr(peer, name).shape
    same = [
        label in ours.scores_ and (ours.scores_[label] == ours.scores_[1]).all() for label in peer.scores_
    ]
    assert all(same) and (ours.C_[0] == ours.C_).all()


def test_mixtures_left_at_none_are_on_their_way_out():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FutureWarning, match="l1_ratios=None"):
        LogisticRegressionCV(Cs=[0.1], l1_ratios=None).fit(X, y)
