"""What all kernels of vectors promise: the peer's numbers, gradients, symmetry, parameters, files."""

import pickle

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as peer
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import assay
from assay import kernels
from assay.errors import DataError, ParameterError
from assay.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Harmonic,
    Kernel,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    WhiteKernel,
)
from assay.kernels.kernel import mirror
from assay.kernels.squared_distances import squared_distances

IRIS = load_iris().data[::5]
DIABETES = load_diabetes().data[:40, :4] * 10
ARD = [0.7, 1.3, 2.1, 0.9]

# ours, and the same of scikit-learn 1.9
SAME = {
    "RBF(0.8)": 0,
    f"RBF({ARD})": 0,
    "RBF(2.0, 'fixed')": 0,
    "Matern(1.7, nu=0.5)": 0,
    "Matern(1.7, nu=1.5)": 0,
    "Matern(1.7, nu=2.5)": 0,
    "Matern(1.7, nu=inf)": 0,
    f"Matern({ARD}, nu=2.5)": 0,
    f"Matern({ARD}, nu=0.5)": 0,
    "RationalQuadratic(1.4, 0.6)": 0,
    "RationalQuadratic(1.4, 0.6, alpha_bounds='fixed')": 0,
    "DotProduct(1.5)": 0,
    "ConstantKernel(2.5)": 0,
    "WhiteKernel(0.3)": 0,
    "ConstantKernel(2.0) * RBF(0.8) + WhiteKernel(0.1)": 0,
    "(RBF(0.8) + DotProduct(0.5)) * Matern(2.0)": 0,
    "(ConstantKernel(0.5) + RBF(2.0)) ** 3": 0,
    "RBF(0.8) * WhiteKernel(0.7) + RBF(0.8) * DotProduct(2.0)": 0,
    "DotProduct(1.0) ** 2 + 3.0 * RBF([1.0, 2.0, 3.0, 4.0], 'fixed')": 0,
}


def pair(text):
    """The same expression with our classes and with scikit-learn's."""
    return tuple(eval(text, {**vars(room), "inf": np.inf}) for room in (kernels, peer))


@pytest.mark.parametrize("X", [IRIS, DIABETES], ids=["iris", "diabetes"])
@pytest.mark.parametrize("text", SAME)
def test_values_and_gradients_of_scikit_learn(text, X):
    ours, theirs = pair(text)
    K, gradient = theirs(X, eval_gradient=True)
    assert_allclose(ours(X), K, rtol=1e-12, atol=1e-12)
    assert_allclose(ours(X[:7], X), theirs(X[:7], X), rtol=1e-12, atol=1e-12)
    assert_allclose(ours.diagonal(X), theirs.diag(X), rtol=1e-12)
    assert_allclose(ours.gradient(X), np.moveaxis(gradient, 2, 0), rtol=1e-10, atol=1e-12)
    assert_allclose(ours.theta, theirs.theta)
    assert_allclose(ours.bounds, theirs.bounds.reshape(-1, 2))
    assert ours.stationary == theirs.is_stationary()


@pytest.mark.parametrize("text", SAME)
def test_sums_of_derivatives_need_no_gradient_tensor(text, monkeypatch):
    ours, _ = pair(text)
    W = np.random.default_rng(0).normal(size=(len(IRIS), len(IRIS)))
    expected = np.einsum("ij,pij->p", W, ours.gradient(IRIS))
    monkeypatch.setattr("assay.kernels.kernel.PAIRS_A_BLOCK", 200)  # several blocks
    assert_allclose(ours.parameter_sums(IRIS, W), expected, rtol=1e-9, atol=1e-11)


FREE = {"gamma_bounds": (1e-3, 1e3), "coef0_bounds": (1e-3, 1e3)}
KERNELS = [
    Linear(),
    RBF(gamma=0.3),
    RBF(ARD).on([0, 1, 2, 3]),
    Matern(2.0, nu=0.8),
    Matern(ARD, nu=1.9),
    Matern(0.7, nu=3.5),
    RationalQuadratic(ARD, 0.7),
    Harmonic(3.1).on([2]) * RBF(2.0),
    Polynomial(3, 0.2, 1.5, **FREE),
    Polynomial(2, 0.2, 1.5, gamma_bounds=(1e-3, 1e3)),
    Sigmoid(0.01, 0.2, **FREE),
    (DotProduct(1.2) * RBF(2.0)).normalized(),
    Polynomial(2, 0.2, 1.5, **FREE).normalized() + RBF(ARD),
    RBF(1.5).on([1]) * RBF(0.5).on([0, 2]) + 0.5 * Linear().on([3]) + WhiteKernel(0.1),
    2.0 * (RBF(0.5) + 1.0) ** 2 * DotProduct(3.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradients_are_differences(kernel):
    X = IRIS[:9] - IRIS.mean(axis=0)

    def value(theta):
        return kernel.with_theta(theta).gram(X).ravel()

    theta = kernel.theta
    step = 1e-5
    expected = [(value(theta + step * e) - value(theta - step * e)) / (2 * step) for e in np.eye(len(theta))]
    result = kernel.gradient(X).reshape(len(theta), 81)
    assert_allclose(result, np.reshape(expected, result.shape), rtol=1e-6, atol=1e-8)
    W = np.random.default_rng(1).normal(size=(9, 9))
    assert_allclose(kernel.parameter_sums(X, W), result @ W.ravel(), rtol=1e-9, atol=1e-10)
    assert_allclose(kernel.diagonal_gradient(X), result[:, :: 9 + 1], atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_matrices_are_symmetric_and_blocks_do_not_matter(kernel, monkeypatch):
    K = kernel.gram(IRIS)
    assert_array_equal(K, K.T)
    assert_allclose(np.diag(K), kernel.diagonal(IRIS), rtol=1e-12)
    between = kernel.between(IRIS[:10], IRIS)
    coef = np.random.default_rng(2).normal(size=(len(IRIS), 2))
    monkeypatch.setattr("assay.kernels.kernel.PAIRS_A_BLOCK", 100)
    again = kernel.gram(IRIS)
    assert_array_equal(again, again.T)
    assert_allclose(again, K, rtol=1e-12, atol=1e-13)
    assert_allclose(kernel.between(IRIS[:10], IRIS), between, rtol=1e-12, atol=1e-13)
    assert_allclose(kernel.combine(IRIS[:10], IRIS, coef), between @ coef, rtol=1e-9, atol=1e-11)
    rows, out = np.array([3, 0, 7]), np.empty((3, len(IRIS)))
    kernel.gram_rows(IRIS).fill(rows, None, out)
    assert_allclose(out, K[rows], rtol=1e-12, atol=1e-13)
    kernel.gram_rows(IRIS).subset(rows).fill(np.arange(3), np.arange(1, 3), out[:, :2])
    assert_allclose(out[:, :2], K[np.ix_(rows, rows[1:])], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_values(kernel, tmp_path):
    assert kernel == clone(kernel) == pickle.loads(pickle.dumps(kernel))
    assert_allclose(kernel.with_theta(kernel.theta + 0.5).theta, kernel.theta + 0.5)
    assert hash(kernel) == hash(clone(kernel))
    assert kernel != kernel + 1 and kernel != Linear().on([0])
    assay.save(kernel, tmp_path / "kernel.assay")
    assert assay.load(tmp_path / "kernel.assay") == kernel
    params = kernel.get_params()
    assert kernel.with_params(**kernel.get_params(deep=False)) == kernel
    free = [name for name in params if name.endswith("length_scale")]
    for name in free:
        assert kernel.with_params(**{name: 7.0}).get_params()[name] == 7.0


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.psd], ids=repr)
def test_matrices_are_positive_semidefinite(kernel):
    rng = np.random.default_rng(3)
    for _ in range(3):
        K = kernel.gram(rng.normal(size=(40, 4)) * rng.choice([0.3, 1.0, 3.0]))
        assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.linalg.eigvalsh(K)[-1]


@pytest.mark.parametrize(
    "text, printed",
    [
        ("4.0 * RBF() + WhiteKernel(0.1)", "2**2 * RBF(length_scale=1) + WhiteKernel(noise_level=0.1)"),
        (
            "(RBF() + Linear()) * Matern(2.0)",
            "(RBF(length_scale=1) + Linear()) * Matern(length_scale=2, nu=1.5)",
        ),
        ("(RBF(ARD) * Linear()) ** 2", "(RBF(length_scale=[0.7, 1.3, 2.1, 0.9]) * Linear()) ** 2"),
        ("RBF(gamma='scale').on(['age']) + 1", "RBF(gamma='scale').on(['age']) + 1**2"),
        ("(Linear() + 1).on([0]).normalized()", "Normalized((Linear() + 1**2).on([0]))"),
        ("Polynomial(degree=3)", "Polynomial(degree=3, gamma=1, coef0=1)"),
        ("RationalQuadratic(2.0)", "RationalQuadratic(length_scale=2, alpha=1)"),
    ],
)
def test_a_kernel_reads_like_a_formula(text, printed):
    assert repr(eval(text, {**vars(kernels), "ARD": ARD})) == printed


def test_parameters_by_name_and_fixed():
    kernel = ConstantKernel(2.0, "fixed") * RBF([1.0, 2.0], [(0.1, 1.0), (1.0, 3.0)]) + WhiteKernel(0.5)
    assert kernel.theta_names == ["k1__k2__length_scale[0]", "k1__k2__length_scale[1]", "k2__noise_level"]
    assert_allclose(np.exp(kernel.bounds), [(0.1, 1.0), (1.0, 3.0), (1e-5, 1e5)])
    changed = kernel.with_theta(np.log([3.0, 4.0, 5.0]))
    assert_allclose(changed.k1.k2.length_scale, [3.0, 4.0])
    assert changed.k2.noise_level == pytest.approx(5.0) and changed.k1.k1.constant_value == 2.0
    with pytest.raises(ParameterError, match="theta must have 3 entries"):
        kernel.with_theta([0.0])
    assert [p.name for p in kernel.parameters if p.fixed] == ["k1__k1__constant_value"]
    with pytest.raises(ParameterError, match="has no parameter 'k3__x'"):
        kernel.with_params(k3__x=1)


def test_a_list_of_one_length_scale_is_one_for_all_columns():
    assert RBF([2.0]) == RBF(2.0) and RBF([2.0]).theta_names == ["length_scale"]
    assert_allclose(Matern(np.array([2.0]))(IRIS), peer.Matern([2.0])(IRIS), rtol=1e-12)


def test_gamma_is_a_length_scale_to_a_search():
    kernel = RBF(gamma=0.125)
    assert_allclose(np.exp(kernel.theta), [2.0])
    assert kernel.with_theta(np.log([4.0])) == RBF(4.0)
    with pytest.raises(ParameterError, match="not known before"):
        RBF(gamma="scale").with_theta([0.0])
    learned = RBF(gamma="scale").learn(IRIS)
    assert_allclose(learned.gamma, 1 / (4 * IRIS.var()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: RBF(0.0),
        lambda: RBF([1.0, -1.0]),
        lambda: RBF(1.0, (2.0, 1.0)),
        lambda: RBF(1.0, "free"),
        lambda: RBF([1.0, 2.0], [(1, 2), (1, 2), (1, 2)]),
        lambda: RBF("wide"),
        lambda: Matern(nu=0),
        lambda: 0 * RBF(),
        lambda: Linear() ** np.nan,
        lambda: Polynomial(coef0="x"),
        lambda: Linear().on([-1]),
        lambda: Linear().on([0.5]),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()


def test_only_kernels_and_numbers_are_terms():
    with pytest.raises(TypeError):
        RBF() + "noise"
    with pytest.raises(TypeError):
        [1] * RBF()
    assert 2 + RBF() == ConstantKernel(2.0) + RBF()


def test_the_class_of_a_kernel_is_no_kernel():
    """It was taken for a user's function, and the rows for its length scales."""
    with pytest.raises(ParameterError, match=r"got the class RBF. Write RBF\(\)"):
        kernels.kernel_of(RBF)


def test_rows_of_other_widths_are_refused():
    with pytest.raises(DataError, match="3 columns, those of B 2"):
        RBF()(np.ones((2, 3)), np.ones((2, 2)))
    with pytest.raises(DataError, match="3 columns, those of B 2"):
        (RBF() + Linear())(np.ones((2, 3)), np.ones((2, 2)))
    with pytest.raises(ParameterError, match="has 2 values, the table has 3"):
        RBF([1.0, 1.0])(np.ones((2, 3)))


def test_close_rows_far_from_the_origin_keep_their_digits():
    """|a|^2 + |b|^2 - 2ab of these has no digit left."""
    wide = np.zeros((3, 200))
    wide[1, 5], wide[2, 9] = 1e-3, 2e-3
    apart = squared_distances(1e6 + wide, 1e6 + wide)  # by a product of matrices and mended
    assert_allclose(apart, [[0, 1e-6, 4e-6], [1e-6, 0, 5e-6], [4e-6, 5e-6, 0]], rtol=1e-6)
    spread = np.random.default_rng(0).normal(size=(50, 200))
    spread[10:20] = spread[:10] + 1e-5 * spread[20:30]  # some close pairs
    assert_allclose(squared_distances(spread, spread), cdist(spread, spread, "sqeuclidean"), rtol=1e-11)
    X = 1e6 + np.array([[0.0, 0.0], [1e-3, 0.0], [0.0, 2e-3]])
    for kernel in (RBF(1e-3), Matern(1e-3, nu=0.5), RationalQuadratic(1e-3)):
        assert_allclose(kernel(X), kernel(X - 1e6), rtol=1e-6)


def test_a_part_that_occurs_twice_is_computed_once(monkeypatch):
    calls = []
    block = RBF._block
    monkeypatch.setattr(RBF, "_block", lambda self, A, B: calls.append(1) or block(self, A, B))
    kernel = RBF(2.0) * Linear() + RBF(2.0) * 3.0 + RBF(2.0)
    assert len(kernel.leaves) == 3  # RBF, Linear and the constant
    kernel(IRIS)
    assert len(calls) == 1


def test_columns_by_name_and_views():
    import pandas as pd

    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    kernel = RBF().on(["b", "d"]) + Linear().on(["a"])
    expected = RBF()(IRIS[:, [1, 3]]) + IRIS[:, :1] @ IRIS[:, :1].T
    assert_allclose(kernel(frame), expected)
    schema = assay.tables.Table.of(frame).schema
    numbered = kernel.with_schema(schema)
    assert numbered.k1.columns == [1, 3]
    assert_allclose(numbered(IRIS), expected)
    views = {"left": IRIS[:, :2], "right": IRIS[:, 2:]}
    assert_allclose(
        (Linear().on("left") + RBF().on("right"))(views), Linear()(IRIS[:, :2]) + RBF()(IRIS[:, 2:])
    )
    with pytest.raises(ValueError, match="no names"):
        kernel(IRIS)
    with pytest.raises(DataError, match="no view 'up'"):
        Linear().on("up")(views)
    with pytest.raises(DataError, match="no column 9"):
        Linear().on([9])(IRIS)
    with pytest.raises(DataError, match="missing values"):
        Linear().on([0])(np.array([[np.nan, 1.0]]))


def test_sparse_rows_have_the_values_of_dense_ones():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.4)
    X[3] = X[5]
    for kernel in (
        RBF(2.0),
        RBF([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        Matern(),
        Linear(),
        Polynomial(),
        DotProduct(),
    ):
        assert_allclose(kernel(csr_matrix(X)), kernel(X), rtol=1e-12, atol=1e-14)
        assert_allclose(kernel.gradient(csr_matrix(X)), kernel.gradient(X), rtol=1e-12, atol=1e-14)


def test_noise_is_of_a_row_alone():
    X = np.ones((3, 2))
    kernel = RBF() + WhiteKernel(0.5)
    assert_array_equal(kernel(X), np.ones((3, 3)) + 0.5 * np.eye(3))
    assert_array_equal(kernel(X, X), np.ones((3, 3)))


@pytest.mark.capability("IML-13-26")
def test_a_sum_has_the_features_of_both_side_by_side():
    left, right = IRIS[:, :2], IRIS[:, 2:]
    both = Linear().on([0, 1]) + Linear().on([2, 3])
    assert_allclose(both(IRIS), np.hstack([left, right]) @ np.hstack([left, right]).T)
    kernel = 3.0 * Polynomial(2).on([0, 1]) + DotProduct(0.5) ** 2 * Linear().on([3])
    features = kernel.feature_map(IRIS)
    assert_allclose(features @ features.T, kernel(IRIS), rtol=1e-12)
    assert_allclose((2.0 * RBF() * RBF(2.0))(IRIS), 2 * RBF()(IRIS) * RBF(2.0)(IRIS))
    with pytest.raises(TypeError, match="no feature map"):
        (RBF() + Linear()).feature_map(IRIS)


def test_new_kernels_of_users_work_in_the_algebra():
    from dataclasses import dataclass

    @dataclass(frozen=True, eq=False)
    class Overlap(Kernel):
        """The number of equal columns."""

        def _prepared(self, X):
            return np.asarray(X)

        def _block(self, A, B):
            return (A[:, None] == B).sum(axis=2).astype(float)

    X = np.array([[1, 2], [1, 3], [4, 3]])
    assert_array_equal((2.0 * Overlap() + 1)(X), [[5, 3, 1], [3, 5, 3], [1, 3, 5]])
    assert repr(Overlap() * RBF()) == "Overlap() * RBF(length_scale=1)"
    assert_array_equal(Overlap().diagonal(X), [2, 2, 2])


def test_approximate_derivative_of_an_objective_of_one_matrix():
    """parameter_sums is the gradient of sum(W * K(theta))."""
    W = np.random.default_rng(5).normal(size=(len(IRIS), len(IRIS)))
    kernel = 1.5 * RBF(ARD) + DotProduct(0.4)
    expected = approx_fprime(kernel.theta, lambda theta: (W * kernel.with_theta(theta)(IRIS)).sum(), 1e-7)
    assert_allclose(kernel.parameter_sums(IRIS, W), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf])
@pytest.mark.parametrize("d", [1, 7, 150])
def test_matern_in_native_code_for_solvers(nu, d):
    X = np.random.default_rng(d).normal(size=(37, d)) / np.sqrt(d)
    X[5] = X[6]
    expected = peer.Matern(0.8, nu=nu)(X)
    kernel = Matern(0.8, nu=nu)
    assert_allclose(kernel(X), expected, rtol=1e-12, atol=1e-13)
    assert_allclose(kernel(X)[5, 6], 1.0, rtol=1e-14)
    rows = kernel.gram_rows(X)
    assert_allclose(rows.whole(np.float32), expected, atol=2e-6)
    assert_allclose(rows.whole(np.float64), expected, rtol=1e-12, atol=1e-13)
    assert_allclose(kernel.combine(X[:9], X, np.ones((37, 1)))[:, 0], expected[:9].sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("n", [40, 600])
@pytest.mark.parametrize(
    "kernel",
    [
        RBF([0.5, 2.0]),
        2.0 * RBF([0.5, 2.0]) + WhiteKernel(0.3),
        (1.0 + RBF(0.7)) * Matern([1.0, 3.0], nu=2.5),
    ],
    ids=repr,
)
def test_sums_with_symmetric_weights_are_those_of_all_pairs(kernel, n):
    random = np.random.default_rng(0)
    X, W = random.normal(size=(n, 2)), random.normal(size=(n, n))
    W = W + W.T
    K, sums = kernel.gram_and_sums(X)
    assert_allclose(K, kernel.gram(X), rtol=1e-12)
    expected = kernel.parameter_sums(X, W)
    assert_allclose(sums(W), expected, rtol=1e-9, atol=1e-9)
    assert_allclose(kernel.parameter_sums(X, W, symmetric=True), expected, rtol=1e-9, atol=1e-9)


def test_free_parameters_are_counted_anew_after_set_params():
    kernel = RBF() + WhiteKernel()
    assert kernel.free == 2
    kernel.set_params(k2=WhiteKernel(1.0, "fixed"))
    assert kernel.free == len(kernel.theta) == 1
    assert kernel == RBF() + WhiteKernel(1.0, "fixed")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 5, 300])
def test_mirror_of_matrices_in_either_order(n, order):
    K = np.array(np.random.default_rng(0).normal(size=(n, n)), order=order)
    upper = np.triu(K)
    mirror(K)
    np.testing.assert_array_equal(K, upper + np.triu(upper, 1).T)
