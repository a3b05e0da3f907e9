"""Choice of C and gamma: scores of every pair, by folds as a search one by one, by leave-one-out as the span rule."""

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import scale

import assay
from assay.errors import DegenerateWarning, ParameterError
from assay.svm import SVC, SVCCV, MultipleKernelSVC, margin_diagnostics
from assay.svm.price_path import warm_start


@pytest.mark.capability("IML-13-08")
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_folds_give_the_scores_of_a_search_one_by_one(load):
    """Peer: GridSearchCV of scikit-learn 1.9 with its SVC; ties of votes broken as here."""
    X, y = load(return_X_y=True)
    X, Cs, gammas = scale(X), [0.1, 1.0, 30.0], [0.003, 0.03, 0.3]
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    ours = SVCCV(Cs=Cs, gammas=gammas, cv=folds, probability=False).fit(X, y)
    peer = GridSearchCV(sklearn.svm.SVC(break_ties=True), {"gamma": gammas, "C": Cs}, cv=folds).fit(X, y)
    expected = np.empty((3, 3))
    for at, score in zip(peer.cv_results_["params"], peer.cv_results_["mean_test_score"]):
        expected[gammas.index(at["gamma"]), Cs.index(at["C"])] = score
    assert_allclose(
        ours.scores_, expected, atol=1.01 / len(y)
    )  # one row at the most, by tolerance and sizes of folds
    best = np.unravel_index(np.argmax(ours.scores_), (3, 3))
    assert (ours.gamma_, ours.C_) == (gammas[best[0]], Cs[best[1]])


@pytest.mark.capability("IML-13-08")
def test_thirteen_prices_from_a_millionth_to_a_million():
    X, y = make_blobs(120, centers=2, cluster_std=2.0, random_state=0)
    model = SVCCV(Cs=np.logspace(-6, 6, 13), gammas=[0.1], cv=3).fit(X, y)
    assert model.scores_.shape == (1, 13) and model.C_ in model.Cs_
    assert model.scores_[0, np.flatnonzero(model.Cs_ == model.C_)[0]] == model.scores_.max() > 0.8


def test_leave_one_out_is_that_of_single_fits():
    X, y = load_iris(return_X_y=True)
    model = SVCCV(Cs=[0.1, 1.0, 10.0], gammas=[0.05, 0.5], tol=1e-6).fit(X, y)
    for g, gamma in enumerate(model.gammas_):
        for c, C in enumerate(model.Cs_):
            assert_allclose(1 - model.scores_[g, c], SVC(C=C, gamma=gamma).fit(X, y).loo_error_, atol=1e-9)


def test_the_machine_is_that_of_the_parameters_chosen():
    X, y = load_iris(return_X_y=True)
    model = SVCCV(Cs=3, gammas=3).fit(X, y)
    same = SVC(C=model.C_, gamma=model.gamma_).fit(X, y)
    assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    usual = SVC().fit(X, y)._gamma
    assert_allclose(model.gammas_, usual * np.array([0.01, 1, 100]))
    assert_allclose(model.Cs_, [1e-4, 1, 1e4])


@pytest.mark.parametrize(
    "settings", [{"kernel": "linear"}, {"kernel": "precomputed"}, {"multi_class": "ovr"}], ids=str
)
@pytest.mark.parametrize("cv", ["loo", 3])
def test_kernels_without_a_gamma_have_one_row_of_scores(settings, cv):
    X, y = load_iris(return_X_y=True)
    rows = X @ X.T if settings.get("kernel") == "precomputed" else X
    model = SVCCV(Cs=[0.1, 1.0], gammas=[0.1, 1.0], cv=cv, **settings).fit(rows, y)
    assert model.scores_.shape == (2 if "multi_class" in settings else 1, 2)
    assert model.score(rows, y) > 0.95


def test_a_start_keeps_to_the_bounds_and_the_balance():
    draw = np.random.default_rng(0)
    for _ in range(50):
        sign = np.where(draw.random(30) < 0.5, 1.0, -1.0)
        last = SVC(C=0.5, gamma=0.5, probability=False).fit(draw.normal(size=(30, 2)) + sign[:, None], sign)
        alpha = np.zeros(30)
        alpha[last.support_] = np.abs(last.dual_coef_[0])
        start = warm_start(alpha, sign, np.full(30, 0.5), np.full(30, 2.0), "hinge", True)
        assert (start >= 0).all() and (start <= 2.0).all()
        assert abs(sign @ start) < 1e-9


def test_wrong_grids_are_named():
    X, y = load_iris(return_X_y=True)
    for settings, words in (
        ({"Cs": [0.0]}, "Cs"),
        ({"gammas": []}, "gammas"),
        ({"cv": 1000}, "n_splits"),
        ({"cv": "looo"}, "cv must be 'loo'"),
    ):
        with pytest.raises(ParameterError, match=f"SVCCV.*{words}"):
            SVCCV(**settings).fit(X, y)


def test_a_matrix_that_is_no_kernel_matrix_is_spoken_of_once():
    K = np.random.default_rng(0).normal(size=(30, 30))
    with pytest.warns(DegenerateWarning) as record:
        SVCCV(kernel="precomputed", cv=3, Cs=2).fit(K + K.T, np.arange(30) % 2)
    assert len(record) == 1


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_auto_takes_what_the_search_by_leave_one_out_finds(load):
    X, y = load(return_X_y=True)
    X, y = scale(X)[::2], y[::2]
    both, searched = SVC(C="auto", gamma="auto").fit(X, y), SVCCV().fit(X, y)
    assert (both.C_, both.gamma_) == (searched.C_, searched.gamma_)
    assert_array_equal(both.predict_proba(X), searched.predict_proba(X))
    assert "chosen by leave-one-out" in str(both.show())
    price = SVC(C="auto", gamma=0.2).fit(X, y)
    assert price.C_ == SVCCV(gammas=[0.2]).fit(X, y).C_
    assert price._gamma == 0.2 and not hasattr(price, "gamma_")
    again = price.set_params(C=2.0, gamma="auto").fit(X, y)
    assert again.C_ == 2.0 and again._gamma == 1 / X.shape[1]  # scikit-learn's meaning


@pytest.mark.parametrize(
    "settings", [{"kernel": "linear"}, {"loss": "squared_hinge"}, {"multi_class": "ovr"}]
)
def test_auto_with_other_machines(settings, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = SVC(C="auto", gamma="auto", **settings).fit(X, y)
    assert 1e-4 <= model.C_ <= 1e4 and model.score(X, y) > 0.95
    assert ("gamma_" in vars(model)) == ("kernel" not in settings)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(X), model.predict_proba(X))
    two = y < 2
    machine = SVC(C="auto", **settings).fit(X[two], y[two])
    assert margin_diagnostics(machine, X[two], y[two]).machines[0].kkt_violation < 1e-6


def test_auto_is_not_for_machines_that_choose_kernels():
    with pytest.raises(ParameterError, match="MultipleKernelSVC: C must be a number above 0"):
        MultipleKernelSVC(C="auto").fit(*load_iris(return_X_y=True))
