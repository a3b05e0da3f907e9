"""Values of kernels of vectors: native code against NumPy twins, in all layouts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from assay.core.parallel import in_threads
from assay.kernels import RBF, Linear, Matern, Polynomial, Sigmoid
from assay.kernels import points as layout
from assay.kernels.kernel import mirror
from assay.kernels.points import LAPLACIAN, Form, Points, evaluate, sums


def by_the_book(kernel, A, B):
    products, apart = A @ B.T, ((A[:, None] - B) ** 2).sum(axis=2)
    if isinstance(kernel, RBF):
        return np.exp(-kernel.gamma * apart)
    if isinstance(kernel, Polynomial):
        return (kernel.gamma * products + kernel.coef0) ** kernel.degree
    return np.tanh(kernel.gamma * products + kernel.coef0) if isinstance(kernel, Sigmoid) else products


KERNELS = [Linear(), Polynomial(3, 0.2, 0.5), Polynomial(2.5, 0.0, 2.0), Sigmoid(0.1, -0.3), RBF(gamma=0.1)]
SHAPES = [(1, 1, 1), (7, 17, 3), (50, 33, 20), (9, 40, 150)]  # rows, other rows, columns


def rows(n, d, seed=0):
    return np.random.default_rng(seed + n).normal(size=(n, d)) / np.sqrt(max(d / 8, 1))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(("n", "m", "d"), SHAPES)
@pytest.mark.parametrize("sparse", [False, True])
def test_values_and_sums_are_those_of_the_formula(kernel, n, m, d, sparse):
    A, B, coef = rows(n, d), rows(m, d, 1), rows(m, 3, 2)
    if sparse:
        A[A < 0], B[B < 0] = 0, 0
    expected = by_the_book(kernel, A, B)
    form = csr_matrix if sparse else np.asarray
    assert_allclose(kernel.between(form(A), form(B)), expected, atol=1e-13)
    assert_allclose(kernel.combine(form(A), form(B), coef), expected @ coef, atol=1e-12)
    K = kernel.gram(form(A))
    assert_array_equal(K, K.T)
    assert_allclose(K, by_the_book(kernel, A, A), atol=1e-13)
    assert_allclose(np.diagonal(K), kernel.diagonal(form(A)), atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(("n", "m", "d"), SHAPES)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 3e-6), (np.float64, 1e-13)])
def test_rows_for_solvers_go_to_their_places(kernel, n, m, d, sparse, dtype, error):
    X, rng = rows(n + m, d), np.random.default_rng(0)
    if sparse:
        X[X < 0] = 0
    expected = by_the_book(kernel, X, X)
    gram = kernel.gram_rows(csr_matrix(X) if sparse else X)
    assert_allclose(gram.whole(dtype), expected, rtol=error, atol=error)
    assert_allclose(gram.diagonal, np.diagonal(expected), atol=1e-13)
    some, columns, places = (rng.permutation(n + m)[: max(n, 1)] for _ in range(3))
    out = np.full((n + m, n + m), 7, dtype)
    gram.fill(some, columns, out, places)
    assert_allclose(out[places, : len(columns)], expected[np.ix_(some, columns)], rtol=error, atol=error)
    others = np.setdiff1d(np.arange(n + m), places)
    assert (out[others] == 7).all() and (out[:, len(columns) :] == 7).all()
    coef = rng.normal(size=len(columns))
    assert_allclose(
        gram.times(some, columns, coef, dtype), expected[np.ix_(some, columns)] @ coef, atol=error * (n + 9)
    )
    part = gram.subset(some)
    assert_allclose(part.whole(dtype), expected[np.ix_(some, some)], rtol=error, atol=error)


@pytest.mark.parametrize(("n", "m", "d"), SHAPES)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_the_laplacian_form(n, m, d, sparse, dtype, error):
    A, B = rows(n, d), rows(m, d, 1)
    if sparse:
        A[A < 0], B[B < 0] = 0, 0
    expected = np.exp(-np.abs(A[:, None] - B).sum(axis=2))
    others = Points(Form(LAPLACIAN), csr_matrix(B) if sparse else B, dtype)
    points, out = others.beside(csr_matrix(A) if sparse else A), np.empty((n, m), dtype)
    evaluate(points, others, out)
    assert_allclose(out, expected, rtol=0, atol=error)
    assert_allclose(sums(points, others, np.ones((m, 1))), expected.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.1), Polynomial(2, 0.1, 1.0)], ids=str)
def test_sparse_rows_of_many_columns_are_spread_out_by_those_that_occur(kernel, monkeypatch):
    X = csr_matrix(np.maximum(rows(30, 50), 0.1) - 0.1)
    expected = kernel(X)
    monkeypatch.setattr(layout, "SPREAD_BYTES", 0)
    assert_allclose(kernel(X), expected, atol=1e-14)


@pytest.mark.parametrize("d", [3, 200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("offset", "spread"), [(1e6, 1.0), (0.0, 1e3)])
def test_rows_far_from_the_origin_or_from_each_other_lose_nothing(d, dtype, offset, spread):
    """Squared lengths of 1e12 or 1e6 beside distances of 1: the difference of products would be noise."""
    rng = np.random.default_rng(0)
    X = np.round(offset + spread * rng.normal(size=(20, 1)), 3) + rng.integers(-4, 5, size=(20, d)) / 8
    kernel = RBF(gamma=0.5 / d)
    expected = np.exp(-0.5 / d * ((X[:, None] - X) ** 2).sum(axis=2))
    assert_allclose(kernel.gram_rows(X).whole(dtype), expected, atol=2e-5 if dtype == np.float32 else 1e-8)


def test_values_do_not_depend_on_the_number_of_threads(monkeypatch):
    X, coef = rows(400, 6), rows(400, 2, 3)
    monkeypatch.setattr(layout, "PAIRS_A_BLOCK", 400 * 48)
    answers = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", n_threads)
        answers.append((RBF()(X), RBF().combine(X, X, coef), RBF().gram_rows(X).whole(np.float32)))
    for one, three in zip(*answers, strict=True):
        assert_array_equal(one, three)


def test_columns_that_are_asked_for_again_are_laid_out_once_and_by_each_thread_its_own():
    X, rng = rows(300, 5), np.random.default_rng(0)
    gram, K = RBF().gram_rows(X), RBF()(X)
    some = [np.sort(rng.permutation(300)[:size]) for size in (100, 120, 90)]
    first = gram._some(gram._all(np.dtype(np.float32)), some[0])
    assert gram._some(gram._all(np.dtype(np.float32)), some[1]) is not first
    assert gram._some(gram._all(np.dtype(np.float32)), some[0]) is first

    def ask(turn):
        columns, out = some[turn % 3], np.empty((20, len(some[turn % 3])))
        gram.fill(np.arange(20), columns, out)
        return np.abs(out - K[:20, columns]).max()

    assert max(in_threads(ask, range(200), 3)) < 1e-12


@pytest.mark.parametrize("nu", [0.5, 0.7, 1.5, 2.5, 150.0])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_materns_kernel_is_zero_far_away(nu, form):
    far = form(np.array([[0.0, 1.0], [1e200, 0.0], [1e9, 0.0], [-1e160, 1e160]]))
    assert_allclose(Matern(nu=nu)(far), np.eye(4), atol=1e-290)
    K = np.empty((4, 4), np.float32)
    if form is np.asarray:
        Matern(nu=nu).gram_rows(far).fill(np.arange(4), None, K)
        assert_allclose(K, np.eye(4), atol=1e-30)


def test_a_matrix_is_mirrored_at_its_diagonal():
    for n in (1, 5, 16, 33, 70):
        K = np.random.default_rng(n).normal(size=(n, n))
        expected = np.triu(K) + np.triu(K, 1).T
        mirror(K)
        assert_array_equal(K, expected)


@pytest.mark.parametrize("scale", [2.0, [2.0, 0.5]])
def test_sums_of_derivatives_of_far_rows_are_those_of_the_derivatives(scale):
    """Rows far from 0 and from each other: nothing is lost to differences of large squares."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(5, 2)), rng.normal(size=(5, 2)) + 1e6])
    W = rng.normal(size=(10, 10))
    kernel = RBF(scale)
    expected = np.einsum("kij,ij->k", kernel.gradient(X), W)
    np.testing.assert_allclose(kernel.parameter_sums(X, W), expected, rtol=1e-10)
    _, sums = (2.0 * kernel).gram_and_sums(X * 1e90)
    assert np.abs(sums(W)[1:]).max() < 1e-100
