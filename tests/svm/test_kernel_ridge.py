"""Kernel ridge regression: closed form, leave-one-out, agreement with scikit-learn."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as Peer

from assay.errors import DataError, DegenerateWarning
from assay.kernels import RBF
from assay.kernels.memory import refuse_beyond_memory
from assay.linear import Ridge, RidgeCV
from assay.svm import KernelRidge

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:150] * 10, Y[:150] - Y[:150].mean()
WEIGHTS = np.random.default_rng(0).uniform(0, 2, 150)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"},
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": 0.7, "alpha": 0.01},
        {"kernel": "poly", "degree": 2, "coef0": 0.5, "alpha": 3.0},
        {"kernel": "sigmoid", "gamma": 0.01, "alpha": 2.0},
    ],
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_same_coefficients_as_scikit_learn(settings, weights, container):
    table = container(X)
    ours = KernelRidge(**settings).fit(table, Y, weights)
    peer = Peer(**settings).fit(table, Y, weights)
    assert_allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-6, atol=1e-6 * np.abs(peer.dual_coef_).max())
    assert_allclose(ours.predict(table), peer.predict(table), rtol=1e-6, atol=1e-6)


def test_several_targets_with_penalties_of_their_own():
    targets = np.column_stack([Y, X[:, 0] * 50, Y])
    settings = {"alpha": [0.1, 2.0, 0.1], "kernel": "rbf", "gamma": 0.3}
    ours, peer = KernelRidge(**settings).fit(X, targets), Peer(**settings).fit(X, targets)
    assert_allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-8, atol=1e-8)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8)
    assert_allclose(ours.alpha_, [0.1, 2.0, 0.1])
    with pytest.raises(DataError, match="one for each of the 3 targets, got 2"):
        KernelRidge(alpha=[1.0, 2.0]).fit(X, targets)


def test_a_function_of_two_rows_is_called_as_scikit_learn_does():
    def product(a, b, factor):
        return factor * float(a @ b)

    settings = {"kernel": product, "kernel_params": {"factor": 2.0}}
    ours, peer = KernelRidge(**settings).fit(X[:30], Y[:30]), Peer(**settings).fit(X[:30], Y[:30])
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)


def test_a_kernel_of_ours_and_a_precomputed_matrix():
    kernel = RBF(gamma=0.4) + RBF(gamma=4.0)
    ours = KernelRidge(0.5, kernel=kernel).fit(X, Y)
    given = KernelRidge(0.5, kernel="precomputed").fit(kernel(X), Y)
    assert_allclose(ours.predict(X[:9]), given.predict(kernel(X[:9], X)), rtol=1e-9)
    with pytest.raises(DataError, match="expecting 150 features"):
        given.predict(X)


@pytest.mark.parametrize("rows", [40, 150])
def test_the_linear_kernel_is_ridge_without_intercept(rows):
    """Few rows go by rows, many by columns."""
    ridge = Ridge(alpha=2.0, fit_intercept=False).fit(X[:rows], Y[:rows])
    model = KernelRidge(2.0).fit(X[:rows], Y[:rows])
    assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-9)
    assert_allclose(X[:rows].T @ model.dual_coef_, ridge.coef_, rtol=1e-8)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(
    "settings", [{"kernel": "rbf"}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2}]
)
def test_leave_one_out_in_closed_form_is_leaving_out_one_by_one(settings, weights):
    rows = np.arange(40) if settings["kernel"] == "rbf" else np.arange(60)
    w = None if weights is None else np.where(rows % 9 == 4, 0, weights[rows])
    model = KernelRidge(0.3, **settings, leave_one_out=True).fit(X[rows], Y[rows], w)
    for i in (0, 4, 13, 31):
        others = rows[rows != i]
        without = KernelRidge(0.3, **settings).fit(X[others], Y[others], None if w is None else w[rows != i])
        assert_allclose(model.loo_predictions_[i], without.predict(X[i : i + 1])[0], rtol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_chosen_penalty_has_the_least_leave_one_out_error(kernel):
    model = KernelRidge("auto", kernel=kernel, gamma=None).fit(X, Y)
    least = np.mean((model.loo_predictions_ - Y) ** 2)
    for alpha in model.alpha_ * np.array([0.5, 0.9, 1.1, 2.0]):
        other = KernelRidge(alpha, kernel=kernel, leave_one_out=True).fit(X, Y)
        assert np.mean((other.loo_predictions_ - Y) ** 2) >= least * (1 - 1e-9)
    fixed = KernelRidge(model.alpha_, kernel=kernel).fit(X, Y)
    assert_allclose(fixed.dual_coef_, model.dual_coef_, rtol=1e-6, atol=1e-6 * np.abs(model.dual_coef_).max())


def test_the_chosen_penalty_is_that_of_ridge_for_the_linear_kernel():
    """Peer: RidgeCV over a fine grid around it."""
    model = KernelRidge("auto").fit(X, Y)
    grid = model.alpha_ * np.linspace(0.8, 1.25, 19)
    assert RidgeCV(grid, fit_intercept=False).fit(X, Y).alpha_ == pytest.approx(model.alpha_, rel=0.06)


def test_each_target_has_its_own_chosen_penalty():
    noisy = Y + np.random.default_rng(1).normal(0, 500, len(Y))
    both = KernelRidge("auto", kernel="rbf").fit(X, np.column_stack([Y, noisy]))
    assert both.alpha_[0] == pytest.approx(KernelRidge("auto", kernel="rbf").fit(X, Y).alpha_, rel=1e-4)
    assert both.alpha_[1] > both.alpha_[0]


def test_without_a_penalty_a_singular_kernel_is_solved_by_least_squares():
    twice = np.vstack([X[:20], X[:20]])
    with pytest.warns(DegenerateWarning, match="Singular matrix"):
        model = KernelRidge(0, kernel="rbf").fit(twice, np.tile(Y[:20], 2))
    assert_allclose(model.predict(X[:20]), Y[:20], atol=1e-6)


def test_one_column_of_targets_stays_one():
    model = KernelRidge().fit(X, Y[:, None])
    assert model.dual_coef_.shape == (150, 1)
    assert model.predict(X).shape == (150, 1)


def test_a_matrix_beyond_memory_is_refused_with_what_to_do():
    with pytest.raises(DataError, match=r"GB for 10000000 rows.*Nystroem"):
        refuse_beyond_memory("KernelRidge", 10_000_000, KernelRidge.remedy)


def test_the_users_matrix_stays_as_it_is():
    K = X @ X.T
    before = K.copy()
    KernelRidge(kernel="precomputed").fit(K, Y, WEIGHTS)
    assert (before == K).all()


@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 0.0), (0.5, -1.0)])
def test_an_indefinite_kernel_has_the_coefficients_of_scikit_learn(gamma, coef0):
    """Peer: scikit-learn's KernelRidge, whose system has eigenvalues below 0, too."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    settings = {"kernel": "sigmoid", "gamma": gamma, "coef0": coef0, "alpha": 0.1}
    with pytest.warns(DegenerateWarning):
        ours = KernelRidge(**settings).fit(X, X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer(**settings).fit(X, X[:, 0])
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the powers
def test_kernel_values_that_are_no_numbers_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for model, rows, words in (
        (KernelRidge(kernel="poly"), X * 1e110, r"the kernel gave (NaN|an infinite value)"),
        (
            KernelRidge(kernel="poly", degree=1.5),
            X,
            r"the power 1\.5 of a negative kernel value is no number",
        ),
        (KernelRidge(kernel="linear"), X * 1e160, "the kernel gave an infinite value"),
    ):
        with pytest.raises(DataError, match=words):
            model.fit(rows, X[:, 0])


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [1, 2])
def test_beyond_the_memory_the_coefficients_come_by_conjugate_gradients(
    monkeypatch, kernel, weighted, targets
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    y = Y if targets == 2 else Y[:, 0]
    w = rng.uniform(0, 2, 120) if weighted else None
    if weighted:
        w[:5] = 0.0
    alpha = [0.1, 1.0] if targets == 2 else 0.1
    exact = KernelRidge(alpha, kernel=kernel).fit(X, y, w)
    monkeypatch.setattr("assay.kernels.memory.MOST_OF_MEMORY", 1e-12)
    monkeypatch.setattr("assay.svm.conjugate_gradients.PRECONDITIONER_ROWS", 10)
    other = KernelRidge(alpha, kernel=kernel).fit(X, y, w)
    assert_allclose(other.predict(X), exact.predict(X), rtol=1e-5, atol=1e-5)
    assert_allclose(other.dual_coef_, exact.dual_coef_, atol=1e-5 * np.abs(exact.dual_coef_).max())


def test_beyond_the_memory_what_needs_the_matrix_is_refused_with_what_to_do(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0)
    monkeypatch.setattr("assay.kernels.memory.MOST_OF_MEMORY", 1e-12)
    for settings in ({"alpha": "auto"}, {"alpha": 0.0}, {"leave_one_out": True}, {"kernel": "sigmoid"}):
        with pytest.raises(DataError, match="Nystroem"):
            KernelRidge(**{"kernel": "rbf", **settings}).fit(X, y)


def test_conjugate_gradients_that_end_early_say_so(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60.0)
    monkeypatch.setattr("assay.kernels.memory.MOST_OF_MEMORY", 1e-12)
    monkeypatch.setattr("assay.svm.conjugate_gradients.MOST_STEPS", 1)
    monkeypatch.setattr("assay.svm.conjugate_gradients.PRECONDITIONER_ROWS", 1)
    with pytest.warns(ConvergenceWarning, match="conjugate gradients stopped after 1 steps"):
        KernelRidge(1e-3, kernel="rbf").fit(X, y)
