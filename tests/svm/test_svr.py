"""Epsilon support vector regression: worked examples, optimality, agreement with scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.svm import SVR as Peer

from assay.errors import DataError
from assay.kernels import RBF, Polynomial
from assay.svm import SVR

# Oracle: worked by hand. Three points on a line, a tube of half width 1/4.
X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0])


@pytest.mark.capability("IML-13-34")
def test_the_worked_example():
    model = SVR(kernel="linear", C=10, epsilon=0.25, tol=1e-10).fit(X, Y)
    assert_allclose(model.coef_, [[0.75]], atol=1e-9)
    assert_allclose(model.intercept_, [0.25], atol=1e-9)
    assert_array_equal(model.support_, [0, 2])
    assert_allclose(model.dual_coef_, [[-0.375, 0.375]], atol=1e-9)
    dual = (
        -0.25 * np.abs(model.dual_coef_).sum() + model.dual_coef_[0] @ Y[[0, 2]] - model.coef_.item() ** 2 / 2
    )
    assert_allclose(dual, 0.28125, atol=1e-9)


@pytest.mark.capability("IML-13-34")
def test_with_all_multipliers_at_their_bound_the_intercept_is_in_the_middle_of_its_range():
    model = SVR(kernel="linear", C=0.2, epsilon=0.25, tol=1e-10).fit(X, Y)
    assert_allclose(model.coef_, [[0.4]], atol=1e-9)
    assert_allclose(model.dual_coef_, [[-0.2, 0.2]], atol=1e-12)
    assert_allclose(model.intercept_, [0.6], atol=1e-9)  # of [0.35, 0.85]


@pytest.mark.capability("IML-13-36")
def test_where_the_rows_lie_agrees_with_their_multipliers():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 60))[:, None]
    y = np.sin(x[:, 0]) + rng.normal(0, 0.3, 60)
    model = SVR(C=10, epsilon=0.25, tol=1e-8).fit(x, y)
    multiplier = np.zeros(60)
    multiplier[model.support_] = np.abs(model.dual_coef_[0])
    status = model.tube_status(x, y)
    assert set(status) == {"inside", "on", "outside"}
    assert_array_equal(status == "inside", multiplier == 0)
    assert_array_equal(status == "outside", multiplier == 10)


def test_a_wider_tube_has_fewer_support_vectors_and_a_smaller_norm():
    data = load_diabetes()
    sizes, norms = [], []
    for epsilon in (1.0, 20.0, 60.0):
        model = SVR(C=50, epsilon=epsilon, tol=1e-6).fit(data.data, data.target)
        sizes.append(len(model.support_))
        norms.append((model.dual_coef_ @ model.kernel_(model.support_vectors_) @ model.dual_coef_.T).item())
    assert sizes == sorted(sizes, reverse=True) and norms == sorted(norms, reverse=True)


def primal(model, X, y, w=None):
    K = model.kernel_(model.support_vectors_)
    loss = np.maximum(0, np.abs(y - model.predict(X)) - model.epsilon)
    weight = np.ones(len(y)) if w is None else w
    return 0.5 * (model.dual_coef_ @ K @ model.dual_coef_.T).item() + model.C * weight @ loss


@pytest.mark.filterwarnings("ignore:.*not positive semidefinite:assay.errors.DegenerateWarning")  # sigmoid
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_same_function_as_scikit_learn(kernel, weighted):
    """Peer: scikit-learn's SVR (LIBSVM), tol 1e-8 on both sides; its sums are of float32 kernel values."""
    data, y = load_diabetes(return_X_y=True)
    data, y = data[:200] * 20, y[:200]
    w = np.random.default_rng(0).uniform(0.2, 2, len(y)) if weighted else None
    settings = {
        "kernel": kernel,
        "C": 5.0,
        "epsilon": 2.0,
        "degree": 2,
        "gamma": 0.05,
        "coef0": 0.5,
        "tol": 1e-7,
    }
    if kernel == "sigmoid":
        settings["gamma"] = 0.005  # positive on these rows: the problem then has one solution
    ours, peer = SVR(**settings).fit(data, y, w), Peer(**settings).fit(data, y, w)
    assert_allclose(ours.predict(data), peer.predict(data), atol=2e-3)
    assert_array_equal(ours.support_, peer.support_)
    assert_allclose(ours.dual_coef_, peer.dual_coef_, atol=2e-3)
    assert_allclose(ours.intercept_, peer.intercept_, atol=2e-3)


def test_strong_duality():
    data, y = load_diabetes(return_X_y=True)
    model = SVR(C=20.0, epsilon=5.0, tol=1e-9).fit(data[:150], y[:150])
    beta, targets = model.dual_coef_[0], y[model.support_]
    K = model.kernel_(model.support_vectors_)
    dual = -0.5 * beta @ K @ beta - 5.0 * np.abs(beta).sum() + targets @ beta
    assert_allclose(dual, primal(model, data[:150], y[:150]), rtol=1e-9)


def test_sparse_rows_and_precomputed_matrices_give_the_same_function():
    data, y = load_diabetes(return_X_y=True)
    dense = SVR(C=10, tol=1e-9).fit(data, y)
    gamma = dense._gamma
    rows = SVR(C=10, tol=1e-9).fit(sparse.csr_matrix(data), y)
    assert_allclose(rows.predict(data), dense.predict(data), atol=1e-6)
    K = RBF(gamma=gamma)(data)
    given = SVR(kernel="precomputed", C=10, tol=1e-9).fit(K, y)
    assert_allclose(given.predict(K), dense.predict(data), atol=1e-6)
    custom = SVR(kernel=lambda A, B: RBF(gamma=gamma)(A, B), C=10, tol=1e-9).fit(data, y)
    assert_allclose(custom.predict(data), dense.predict(data), atol=1e-6)
    objects = SVR(kernel=Polynomial(2), C=0.1).fit(data, y)
    assert np.isfinite(objects.predict(data)).all()


def test_rows_of_weight_zero_have_no_part():
    data, y = load_diabetes(return_X_y=True)
    data, y, w = data[:100], y[:100].copy(), np.ones(100)
    w[::3], y[::3] = 0, 1e6
    kept = w > 0
    with_zeros = SVR(C=10, gamma=5.0, tol=1e-9).fit(data, y, w)
    without = SVR(C=10, gamma=5.0, tol=1e-9).fit(data[kept], y[kept])
    assert_allclose(with_zeros.predict(data), without.predict(data), atol=1e-6)
    with pytest.raises(DataError, match="at least one non-zero"):
        SVR().fit(data, y, np.zeros(100))


def test_an_error_of_infinite_cost_is_not_made():
    model = SVR(C=np.inf, epsilon=0.1, gamma=2.0, tol=1e-9).fit(X, Y**2)
    assert np.abs(model.predict(X) - Y**2).max() <= 0.1 + 1e-6


def test_by_the_scale_of_y_the_function_does_not_depend_on_its_unit():
    data, y = load_diabetes(return_X_y=True)
    data, y = data[:150] * 20, y[:150]
    plain = SVR(C="scale", epsilon="scale", gamma=0.05, tol=1e-9).fit(data, y)
    other = SVR(C="scale", epsilon="scale", gamma=0.05, tol=1e-9).fit(data, 1e6 * y - 3e6)
    assert_allclose(other.predict(data), 1e6 * plain.predict(data) - 3e6, rtol=1e-7)
    huge = SVR(C="scale", epsilon="scale", gamma=0.05, tol=1e-9).fit(data, 1e150 * y)
    assert_allclose(huge.predict(data), 1e150 * plain.predict(data), rtol=1e-7)
    assert_allclose(plain.epsilon_, y.std() / 10, rtol=1e-12)
    given = SVR(C=y.std(), epsilon=y.std() / 10, gamma=0.05, tol=1e-9).fit(data, y)
    assert_allclose(plain.predict(data), given.predict(data), rtol=1e-7)
    constant = SVR(C="scale", epsilon="scale").fit(data, np.full(150, 5.0))
    assert_allclose(constant.predict(data), 5.0)
