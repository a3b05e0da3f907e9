"""Kernel principal components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import make_circles
from sklearn.decomposition import KernelPCA as Peer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

import assay
from assay.errors import DegenerateWarning
from assay.kernels import Spectrum, center_gram
from assay.linear import LogisticRegression
from assay.reduce import PCA, KernelPCA
from assay.tables.data import load_breast_cancer, load_iris

IRIS = load_iris().X.values


def breast_cancer():
    X = load_breast_cancer().X.values
    rows, _ = train_test_split(np.arange(len(X)), test_size=0.2, random_state=2020)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[rows]


@pytest.mark.capability("C3-67", "DC-95", "IML-13-44")
def test_the_linear_kernel_gives_principal_components():
    X = breast_cancer()
    ours, linear = KernelPCA(5).fit(X), PCA(5).fit(X)
    assert_allclose(np.abs(ours.transform(X)), np.abs(linear.transform(X)), atol=1e-10)
    assert_allclose(ours.eigenvalues_ / (len(X) - 1), linear.explained_variance_)
    assert_allclose(ours.explained_variance_ratio_, linear.explained_variance_ratio_)
    new = X[:7] + 0.1
    assert_allclose(np.abs(ours.transform(new)), np.abs(linear.transform(new)), atol=1e-10)


@pytest.mark.capability("C3-67")
def test_eigenvalues_of_three_kernels():
    X = breast_cancer()
    rbf = [58.48544825, 26.10688475, 24.48550777, 18.5004904, 12.78515925]
    assert_allclose(KernelPCA(5, kernel="rbf").fit(X).eigenvalues_, rbf, rtol=0, atol=5e-8)
    poly = [6119.80314813, 2904.61783337, 1156.73119786]
    assert_allclose(KernelPCA(3, kernel="poly").fit(X).eigenvalues_, poly, rtol=0, atol=5e-8)
    with pytest.warns(DegenerateWarning, match="no inner product"):
        sigmoid = KernelPCA(3, kernel="sigmoid").fit(X)
    assert_allclose(sigmoid.eigenvalues_, [81.08451345, 33.08486242, 16.32162112], rtol=0, atol=5e-8)
    assert_allclose(
        np.linalg.eigvalsh(sigmoid.kernel_.gram(X))[0], -18.49972, rtol=0, atol=5e-6
    )  # not centred


@pytest.mark.capability("C3-67")
def test_two_rings_are_told_apart_by_a_line():
    X, y = make_circles(400, factor=0.3, noise=0.05, random_state=0)
    curved = KernelPCA(2, kernel="rbf", gamma=10).fit(X)
    assert_allclose(curved.eigenvalues_, [42.7395692, 40.45722555], rtol=0, atol=5e-8)
    Z = curved.transform(X)
    assert LogisticRegression().fit(Z, y).score(Z, y) == 1.0
    straight = PCA(2).fit_transform(X)
    assert abs(LogisticRegression().fit(straight, y).score(straight, y) - 0.5) < 0.06


@pytest.mark.capability("DC-93")
def test_all_components_give_the_kernel_matrix_back():
    pca = KernelPCA(kernel="rbf", gamma=0.3).fit(IRIS)
    Z = pca.transform(IRIS)
    assert_allclose(Z @ Z.T, center_gram(pca.kernel_.gram(IRIS)), atol=1e-9)


@pytest.mark.capability("IML-13-44")
def test_a_quadratic_kernel_of_two_columns_has_five_components():
    X = np.random.default_rng(0).normal(size=(60, 2))
    assert KernelPCA(kernel="poly", degree=2, gamma=1, coef0=1).fit(X)._n_features_out == 5


@pytest.mark.parametrize("settings", [
    {"kernel": "rbf"}, {"kernel": "poly", "degree": 2}, {"kernel": "cosine"}, {"kernel": "linear"},
    {"kernel": lambda a, b: float(a @ b) ** 2},
])  # fmt: skip
def test_scikit_learn_finds_the_same(settings):
    new = IRIS[::7] + 0.05
    ours, theirs = KernelPCA(2, **settings).fit(IRIS), Peer(2, **settings).fit(IRIS)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-7)
    assert_allclose(ours.fit_transform(IRIS), theirs.fit_transform(IRIS), atol=1e-7)


def test_the_way_back_is_scikit_learns():
    settings = {"kernel": "rbf", "gamma": 0.2, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = KernelPCA(3, **settings).fit(IRIS), Peer(3, **settings).fit(IRIS)
    Z = ours.transform(IRIS[:9])
    assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-7)
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(IRIS).inverse_transform(Z)
    with pytest.raises(ValueError, match="expected rows of 3"):
        ours.inverse_transform(IRIS)


def test_lanczos_steps_and_whole_decomposition_agree():
    X = np.random.default_rng(0).normal(size=(600, 6))
    few, all_of_them = KernelPCA(3, kernel="rbf").fit(X), KernelPCA(kernel="rbf").fit(X)
    assert_allclose(few.eigenvalues_, all_of_them.eigenvalues_[:3])
    assert_allclose(few.transform(X[:20]), all_of_them.transform(X[:20])[:, :3], atol=1e-8)


def test_strings_mixed_tables_sparse_rows_and_precomputed_values(tmp_path):
    words = ["banana", "bandana", "cabana", "apple", "apples", "maple"]
    pca = KernelPCA(2, kernel=Spectrum(2).normalized()).fit(words)
    Z = pca.transform(words)
    assert np.linalg.norm(Z[3] - Z[4]) < np.linalg.norm(Z[0] - Z[4])
    assay.save(pca, tmp_path / "k.assay")
    np.testing.assert_array_equal(assay.load(tmp_path / "k.assay").transform(words), Z)
    table = {"size": [1.0, 2.0, None, 9.0], "colour": ["red", "blue", "red", None]}
    assert np.isfinite(KernelPCA(2, kernel="gower").fit(table).transform(table)).all()
    dense = KernelPCA(2, kernel="rbf").fit(IRIS)
    assert_allclose(
        KernelPCA(2, kernel="rbf").fit(csr_array(IRIS)).transform(IRIS), dense.transform(IRIS), atol=1e-9
    )
    K = dense.kernel_.gram(IRIS)
    given = KernelPCA(2, kernel="precomputed").fit(K)
    assert_allclose(
        given.transform(dense.kernel_.between(IRIS[:5], IRIS)), dense.transform(IRIS[:5]), atol=1e-9
    )


def test_a_linear_kernel_of_rows_far_from_zero_keeps_its_digits(tmp_path):
    far, near = KernelPCA(2).fit(IRIS + 1e8), KernelPCA(2).fit(IRIS)
    assert_allclose(far.transform(IRIS + 1e8), near.transform(IRIS), atol=1e-6)
    assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-6)
    assay.save(far, tmp_path / "k.assay")
    np.testing.assert_array_equal(
        assay.load(tmp_path / "k.assay").transform(IRIS + 1e8), far.transform(IRIS + 1e8)
    )


@pytest.mark.parametrize("k", [1, 2, 5, 8, 10])
def test_eigenvalues_that_occur_often_are_all_found(k):
    """On the corners of a cube of 8 dimensions the kernel matrix has eigenvalues that occur 8 times, 28 times, ..."""
    corners = np.array(list(np.ndindex(*[2] * 8)), dtype=float)
    pca = KernelPCA(k, kernel="rbf", gamma=0.4).fit(corners)
    K = center_gram(pca.kernel_.gram(corners))
    expected = np.linalg.eigvalsh(K)[::-1][:k]
    assert_allclose(pca.eigenvalues_, expected, rtol=1e-9)
    vectors = pca.eigenvectors_
    assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-9)
    assert_allclose(K @ vectors, vectors * expected, atol=1e-9 * expected[0])


@pytest.mark.parametrize("n, k", [(300, 3), (600, 25)])
def test_few_components_of_many_rows_are_those_of_the_whole_matrix(n, k):
    X = np.random.default_rng(0).normal(size=(n, 6))
    pca = KernelPCA(k, kernel="rbf").fit(X)
    values, vectors = np.linalg.eigh(center_gram(pca.kernel_.gram(X)))
    assert_allclose(pca.eigenvalues_, values[::-1][:k], rtol=1e-10)
    assert_allclose(np.abs((pca.eigenvectors_ * vectors[:, ::-1][:, :k]).sum(axis=0)), 1, rtol=1e-8)
