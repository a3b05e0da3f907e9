"""Functions by scikit-learn's names, kernels by name, and kernels from outside."""

import numpy as np
import pytest
import sklearn.metrics.pairwise as peer
from numpy.testing import assert_allclose
from scipy.sparse import coo_array, csr_matrix
from sklearn.datasets import load_digits
from sklearn.gaussian_process.kernels import Matern as GaussianProcessMatern

from assay import kernels
from assay.errors import DataError, ParameterError
from assay.kernels import FunctionKernel, PrecomputedKernel, kernel_of
from assay.kernels.names import KERNELS

DIGITS = load_digits().data[:80] / 16
A, B = DIGITS[:30], DIGITS[30:]
CALLS = [
    ("linear_kernel", {}),
    ("polynomial_kernel", {}),
    ("polynomial_kernel", {"degree": 2, "gamma": 0.1, "coef0": 0.5}),
    ("sigmoid_kernel", {}),
    ("sigmoid_kernel", {"gamma": 0.01, "coef0": -0.5}),
    ("rbf_kernel", {}),
    ("rbf_kernel", {"gamma": 0.3}),
    ("laplacian_kernel", {}),
    ("laplacian_kernel", {"gamma": 0.3}),
    ("cosine_similarity", {}),
    ("chi2_kernel", {}),
    ("chi2_kernel", {"gamma": 0.2}),
    ("additive_chi2_kernel", {}),
]


@pytest.mark.parametrize("name, params", CALLS)
def test_same_numbers_as_scikit_learn(name, params):
    ours, theirs = getattr(kernels, name), getattr(peer, name)
    assert_allclose(ours(A, B, **params), theirs(A, B, **params), rtol=1e-10, atol=1e-13)
    assert_allclose(ours(A, **params), theirs(A, **params), rtol=1e-10, atol=1e-13)
    if "chi2" not in name and "laplacian" not in name:
        sparse = ours(csr_matrix(A), csr_matrix(B), **params)
        assert_allclose(sparse, theirs(csr_matrix(A), csr_matrix(B), **params), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("container", [csr_matrix, coo_array])
@pytest.mark.parametrize("name", sorted({name for name, _ in CALLS}))
def test_sparse_and_dense_rows_in_one_call(name, container):
    """Those of scikit-learn take both together; ours ended in raw errors of NumPy and SciPy."""
    call = getattr(kernels, name)
    for pair in ((container(A), B), (A, container(B)), (container(A), container(B))):
        assert_allclose(call(*pair), call(A, B), rtol=1e-10, atol=1e-13)


def test_sparse_results_where_asked_for():
    for name in ("linear_kernel", "cosine_similarity"):
        result = getattr(kernels, name)(csr_matrix(A), dense_output=False)
        assert hasattr(result, "tocsr")
        assert_allclose(result.toarray(), getattr(peer, name)(A), atol=1e-12)


@pytest.mark.parametrize(
    "metric", [*peer.PAIRWISE_KERNEL_FUNCTIONS, lambda a, b: float(np.minimum(a, b).sum())]
)
def test_pairwise_kernels_by_name(metric):
    params = (
        {"gamma": 0.1, "degree": 2, "coef0": 1.0, "filter_params": True} if isinstance(metric, str) else {}
    )
    ours = kernels.pairwise_kernels(A, B, metric=metric, **params)
    assert_allclose(ours, peer.pairwise_kernels(A, B, metric=metric, **params), rtol=1e-10, atol=1e-13)


def test_pairwise_kernels_passes_parameters_and_refuses_others():
    assert_allclose(kernels.pairwise_kernels(A, B, lambda a, b, c: c * a @ b, c=2.0), 2 * A @ B.T, rtol=1e-12)
    assert kernels.pairwise_kernels(A @ A.T, metric="precomputed").shape == (30, 30)
    for kernel in (kernels.Matern(2.0), GaussianProcessMatern(2.0)):
        assert_allclose(kernels.pairwise_kernels(A, B, kernel), kernels.Matern(2.0)(A, B), rtol=1e-12)
    with pytest.raises(DataError, match="each of the 30 rows"):
        kernels.pairwise_kernels(A, metric="precomputed")
    with pytest.raises(DataError, match="each of the 50 rows"):
        kernels.pairwise_kernels(A @ A.T, B, metric="precomputed")
    with pytest.raises(ParameterError, match="no parameter 'degree'"):
        kernels.pairwise_kernels(A, metric="rbf", degree=2)
    with pytest.raises(ParameterError, match="metric must be one of"):
        kernels.pairwise_kernels(A, metric="gauss")


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "precomputed"])
def test_kernels_by_name_learn_and_are_called(name):
    kernel = kernel_of(name, gamma="scale", degree=2, coef0=1.0).learn(A)
    K = kernel(A, B)
    assert K.shape == (30, 50) and np.isfinite(K).all()
    # two kernels have a second name: those of scikit-learn are short
    assert kernel.name == {"polynomial": "poly", "gaussian": "rbf"}.get(name, name)


def test_names_functions_and_kernels():
    rbf = kernel_of("rbf", gamma=0.5)
    assert kernel_of(rbf) is rbf
    with pytest.raises(ParameterError, match="'rbf'"):
        kernel_of("rbff")
    with pytest.raises(ParameterError, match="kernel must be one of"):
        kernel_of(3)


@pytest.mark.capability("DC-90")
def test_functions_of_tables_and_of_rows_are_told_apart():
    def tables(P, Q):
        return P @ Q.T + 1

    def rows(p, q):
        return p @ q + 1

    def sums(p, q):  # gives a number for tables of one shape, too
        return np.exp(-((p - q) ** 2).sum())

    expected = A @ B.T + 1
    for call in (tables, rows):
        assert_allclose(kernel_of(call)(A, B), expected, rtol=1e-12)
    assert FunctionKernel(tables).learn(A).of == "tables" and FunctionKernel(rows).learn(A).of == "rows"
    assert_allclose(kernel_of(sums)(A), peer.rbf_kernel(A, gamma=1.0), rtol=1e-9)
    assert_allclose(kernel_of(sums)(A[:1]), [[1.0]])
    assert_allclose(FunctionKernel(tables, of="tables")(A), A @ A.T + 1, rtol=1e-12)
    assert_allclose(kernel_of(lambda P, Q: P @ Q.T)(csr_matrix(A), csr_matrix(B)), A @ B.T, rtol=1e-12)
    assert_allclose(kernel_of(rows).combine(B, A, np.ones((30, 1)))[:, 0], expected.sum(axis=0), rtol=1e-12)


def test_a_function_of_tables_is_called_once_with_all_rows():
    sizes = []

    def tables(P, Q):
        sizes.append((len(P), len(Q)))
        return P @ Q.T / P.shape[1]

    FunctionKernel(tables, of="tables")(A, B)
    FunctionKernel(tables, of="tables")(A)
    assert sizes == [(30, 50), (30, 30)]


def test_functions_that_give_no_kernel_values_are_refused():
    with pytest.raises(DataError, match="must return a number for two rows"):
        kernel_of(lambda a, b: a + b)(A, B)
    with pytest.raises(DataError, match="no finite number"):
        kernel_of(lambda P, Q: P @ Q.T * np.nan)(A, B)
    with pytest.raises(DataError, match=r"shape \(30, 50\)"):
        FunctionKernel(lambda P, Q: P, of="tables")(A, B)
    with pytest.raises(ParameterError, match="'tables', 'rows', 'objects', 'auto'"):
        FunctionKernel(len, of="columns")


@pytest.mark.capability("DC-90")
def test_precomputed_values_are_taken_as_they_are():
    K = A @ A.T
    kernel = PrecomputedKernel()
    assert_allclose(kernel.gram(K), K)
    assert_allclose(kernel.between(B @ A.T, A), B @ A.T)
    with pytest.raises(DataError, match="30 training rows"):
        kernel.between(np.ones((2, 3)), A)


@pytest.mark.parametrize("of", ["rows", "objects"])
def test_a_function_of_pairs_is_asked_once_for_each_pair_of_a_matrix(of):
    calls = []

    def shared(a, b, factor):
        calls.append((a, b))
        return factor * float(len(set(a) & set(b)))

    rows = ["cat", "hat", "tar", "dog"] if of == "objects" else np.arange(8).reshape(4, 2) // 3
    kernel = kernels.FunctionKernel(shared, of, {"factor": 2.0})
    K = kernel(rows)
    assert len(calls) == 10  # 4 with themselves, 6 pairs
    assert_allclose(K, kernel(rows, rows))
    assert_allclose(kernel.diagonal(rows), np.diagonal(K))
    if of == "objects":
        assert_allclose(K[0], [6.0, 4.0, 4.0, 0.0])
