"""Truncated singular value decomposition: oracles of the textbook, the same numbers from all sources, the peer."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn import decomposition

from assay.core.sums import Rows
from assay.reduce import PCA, TruncatedSVD
from assay.reduce.factorization import truncated_svd
from assay.reduce.factorization.gram_product import (
    gram_inner,
    gram_product,
    padded,
    products_at,
    sparse_product,
    sparse_rows,
)
from assay.stats.multivariate.leading_eigenvectors import (
    approximate_eigenvectors,
    leading_eigenvectors,
    orthonormal,
)


def wide_table(n=300, d=1300, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density=0.03, format="csr", random_state=rng)
    return sp.csr_matrix(X + sp.csr_matrix(np.outer(rng.random(n), (rng.random(d) < 0.05) * 1.0)))


# Oracle: [[3, 0], [4, 5]] has the singular values sqrt(45) and sqrt(5), u1 = (1, 3)/sqrt(10), v1 = (1, 1)/sqrt(2).
@pytest.mark.capability("IML-6-27")
def test_the_worked_example():
    X = np.array([[3.0, 0.0], [4.0, 5.0]])
    both = TruncatedSVD(2).fit(X)
    assert_allclose(both.singular_values_, np.sqrt([45, 5]), rtol=1e-14)
    one = TruncatedSVD(1).fit(X)
    assert_allclose(one.components_, [[np.sqrt(0.5), np.sqrt(0.5)]], rtol=1e-14)
    assert_allclose(one.transform(X) / np.sqrt(45), np.array([[1.0], [3.0]]) / np.sqrt(10), rtol=1e-13)
    left = X - one.inverse_transform(one.transform(X))
    assert_allclose(np.linalg.norm(left), np.sqrt(5), rtol=1e-13)


@pytest.mark.capability("IML-6-27")
@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (600, 20)])
def test_the_error_of_rank_k_is_the_sum_of_the_other_squares(shape):
    X = np.random.default_rng(0).normal(size=shape)
    values = np.linalg.svd(X, compute_uv=False)
    for k in (1, 3, 6):
        error = TruncatedSVD(k).fit(X).reconstruction_error(X).sum()
        assert_allclose(error, np.sum(values[k:] ** 2), rtol=1e-10)


@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
def test_same_answers_as_scikit_learn(algorithm, kind):
    """Peer: scikit-learn 1.9. Up to 1000 columns ours is exact, so the peer gets 100 passes for "randomized"."""
    rng = np.random.default_rng(1)
    X = rng.poisson(0.3, size=(400, 60)) * rng.random(60)
    table = kind(X)
    peer = decomposition.TruncatedSVD(4, algorithm=algorithm, n_iter=100, random_state=0).fit(table)
    ours = TruncatedSVD(4, algorithm=algorithm, random_state=0).fit(table)
    for name in ("components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
        assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-7, atol=1e-8)
    assert_allclose(ours.transform(table), peer.transform(table), atol=1e-7)


def test_many_columns_by_passes():
    X = wide_table()
    exact = np.linalg.svd(X.toarray(), full_matrices=False)
    ours = TruncatedSVD(5, algorithm="arpack").fit(X)
    assert_allclose(ours.singular_values_, exact[1][:5], rtol=1e-11)
    assert_allclose(np.abs(np.sum(ours.components_ * exact[2][:5], axis=1)), 1, rtol=1e-9)
    Z = ours.transform(X)
    assert_allclose(ours.explained_variance_, Z.var(axis=0), rtol=1e-8)
    assert_allclose(ours.explained_variance_ratio_, Z.var(axis=0) / X.toarray().var(axis=0).sum(), rtol=1e-8)
    peer = decomposition.TruncatedSVD(5, random_state=0).fit(X)
    quick = TruncatedSVD(5, random_state=0).fit(X)
    assert np.sum(quick.singular_values_**2) > 0.9999 * np.sum(peer.singular_values_**2)


@pytest.mark.parametrize("n_iter", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("k", [3, 20])
def test_few_passes_keep_as_much_as_scikit_learn(n_iter, k):
    """Singular values that fall slowly: without passes the directions were random, and kept 2 % of what they could."""
    X = sp.random(300, 1200, 0.02, random_state=0, format="csr")
    settings = {"n_iter": n_iter, "random_state": 0}
    kept = [
        np.sum((X @ model(k, **settings).fit(X).components_.T) ** 2)
        for model in (TruncatedSVD, decomposition.TruncatedSVD)
    ]
    assert kept[0] > kept[1]


@pytest.mark.parametrize("columns", [30, 1300])
def test_blocks_and_dask_give_the_same_numbers(columns):
    da = pytest.importorskip("dask.array")
    X = wide_table(200, columns).toarray()
    svd = TruncatedSVD(3, random_state=0).fit(X)
    blocks = TruncatedSVD(3, random_state=0).fit_blocks([X[:70], X[70:90], X[90:]])
    cluster = TruncatedSVD(3, random_state=0).fit(da.from_array(X, chunks=(80, columns)))
    for other in (blocks, cluster, TruncatedSVD(3, random_state=0).fit(sp.csr_matrix(X))):
        assert_allclose(other.singular_values_, svd.singular_values_, rtol=1e-9)
        assert_allclose(other.components_, svd.components_, atol=1e-7)
        assert_allclose(other.explained_variance_ratio_, svd.explained_variance_ratio_, rtol=1e-8)


def test_rows_can_be_added_and_weights_are_repeats():
    X = wide_table(200, 30).toarray()
    w = np.random.default_rng(0).integers(0, 4, 200)
    repeated = TruncatedSVD(3).fit(np.repeat(X, w, axis=0))
    parts = (
        TruncatedSVD(3).partial_fit(X[:50], sample_weight=w[:50]).partial_fit(X[50:], sample_weight=w[50:])
    )
    for other in (TruncatedSVD(3).fit(X, sample_weight=w), parts):
        assert_allclose(other.singular_values_, repeated.singular_values_, rtol=1e-11)
        assert_allclose(other.components_, repeated.components_, atol=1e-10)
        assert_allclose(other.explained_variance_, repeated.explained_variance_, rtol=1e-9)
    with pytest.raises(ValueError, match="fit_blocks"):
        TruncatedSVD(3).partial_fit(wide_table())


def test_weights_are_repeats_in_passes():
    X = wide_table(60, 1300)
    w = np.random.default_rng(0).integers(0, 3, 60)
    repeated = TruncatedSVD(2, random_state=0).fit(sp.csr_matrix(np.repeat(X.toarray(), w, axis=0)))
    weighted = TruncatedSVD(2, random_state=0).fit(X, sample_weight=w)
    assert_allclose(weighted.singular_values_, repeated.singular_values_, rtol=1e-10)
    assert_allclose(weighted.components_, repeated.components_, atol=1e-9)


@pytest.mark.parametrize("columns", [20, 1300])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_scales(columns, scale):
    X = wide_table(80, columns) * scale
    svd = TruncatedSVD(2).fit(X)
    assert_allclose(svd.singular_values_, TruncatedSVD(2).fit(X / scale).singular_values_ * scale, rtol=1e-9)
    assert_allclose(svd.components_, TruncatedSVD(2).fit(X / scale).components_, atol=1e-6)


def test_more_components_than_rows_have_singular_value_0():
    X = np.random.default_rng(0).normal(size=(2, 6))
    svd = TruncatedSVD(4).fit(X)
    assert_allclose(svd.singular_values_[2:], 0)
    assert_allclose(svd.components_ @ svd.components_.T, np.eye(4), atol=1e-12)
    assert_allclose(svd.inverse_transform(svd.transform(X)), X, rtol=1e-12)
    assert_allclose(TruncatedSVD(1).fit(np.zeros((3, 4))).singular_values_, 0)


def test_centred_rows_give_principal_components():
    X = np.random.default_rng(0).normal(size=(700, 8)) @ np.diag(np.arange(1.0, 9))
    X -= X.mean(axis=0)
    svd, pca = TruncatedSVD(3).fit(X), PCA(3).fit(X)
    assert_allclose(svd.components_, pca.components_, atol=1e-10)
    assert_allclose(svd.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-10)


def test_explain_adds_up_and_shows(capsys):
    X = wide_table(50, 12).toarray()
    svd = TruncatedSVD(2).fit(X)
    parts = svd.explain(X[:3]).contributions().values
    assert_allclose(parts.sum(axis=1), svd.transform(X[:3]), atol=1e-12)
    assert "truncatedsvd1" in str(svd.show())


# Twin in NumPy of the native products.
def test_gram_product_is_the_product():
    X, rng = wide_table(90, 40), np.random.default_rng(0)
    V, w = rng.normal(size=(40, 5)), rng.random(90)
    A = X.toarray()
    assert_allclose(gram_product(Rows(X), V), A.T @ (A @ V), rtol=1e-12, atol=1e-12)
    assert_allclose(gram_product(Rows(X, None, w), V), A.T @ (w[:, None] * (A @ V)), rtol=1e-12, atol=1e-12)
    assert_allclose(gram_product(Rows(A, None, w), V), A.T @ (w[:, None] * (A @ V)), rtol=1e-12, atol=1e-12)
    for table in (X, A):
        assert_allclose(gram_inner(Rows(table), V), (A @ V).T @ (A @ V), rtol=1e-12, atol=1e-12)
        expected = (A @ V).T @ (w[:, None] * (A @ V))
        assert_allclose(gram_inner(Rows(table, None, w), V), expected, rtol=1e-12, atol=1e-12)
    W, H = rng.normal(size=(90, 3)), rng.normal(size=(3, 40))
    assert_allclose(products_at(X, W, H), (W @ H)[X.nonzero()], rtol=1e-12, atol=1e-12)
    for columns in (1, 8, 20, 30, 65):
        B = np.random.default_rng(columns).normal(size=(X.shape[1], columns))
        assert_allclose(sparse_product(sparse_rows(X), X.shape[0], B), A @ B, rtol=1e-12, atol=1e-12)


def test_native_code_refuses_what_does_not_fit():
    import assay.reduce.factorization._gram_product as native

    X = wide_table(10, 8)
    rows, V = sparse_rows(X), padded(np.ones((8, 3)))
    with pytest.raises(ValueError, match="rows that exist"):
        native.gram_product(rows, np.empty(0), V, np.zeros_like(V), 0, 11)
    with pytest.raises(ValueError, match="eight numbers"):
        native.gram_product(rows, np.empty(0), V[:7], np.zeros_like(V), 0, 10)
    with pytest.raises(ValueError, match="sparse_product"):
        native.sparse_product(rows, V, np.zeros((10, V.shape[1])), 0, 11)
    with pytest.raises(ValueError, match="sparse_product"):
        native.sparse_product(rows, V, np.zeros((9, V.shape[1])), 0, 9)
    with pytest.raises(ValueError, match="rows of a table"):
        native.SparseRows(start=rows_of(X), column=np.full(X.nnz, 8, np.int32), value=X.data, columns=8)


def rows_of(X):
    return X.indptr.astype(np.int64)


def test_parts_of_a_sparse_table_add_up(monkeypatch):
    from assay.reduce.factorization import gram_product as module

    X, V = wide_table(300, 40), np.random.default_rng(0).normal(size=(40, 3))
    whole = gram_product(Rows(X), V)
    w = np.random.default_rng(1).random(300)
    inner = gram_inner(Rows(X, None, w), V)
    monkeypatch.setattr(module, "ENTRIES_PER_SUM", 1)
    monkeypatch.setattr(module, "ROWS_IN_A_THREAD", 70)
    assert_allclose(gram_product(Rows(X), V), whole, rtol=1e-12)
    assert_allclose(gram_inner(Rows(X, None, w), V), inner, rtol=1e-12)


@pytest.mark.parametrize("rank", [3, 60])
def test_leading_eigenvectors(rank):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, rank)) * 0.8 ** np.arange(rank)
    S = A @ A.T
    values, vectors = np.linalg.eigh(S)
    start = rng.normal(size=(60, 6))
    for leading in (
        leading_eigenvectors(lambda V: S @ V, start, 3),
        approximate_eigenvectors(lambda V: S @ V, start, 3, 30, lambda V: V.T @ S @ V),
    ):
        assert_allclose(leading.values, values[::-1][:3], rtol=1e-10)
        assert_allclose(np.abs(np.sum(leading.vectors * vectors[:, ::-1][:, :3], axis=0)), 1, rtol=1e-9)
    V = np.hstack([start, start[:, :1] + 1e-9 * start[:, 1:2]])
    Q, R = orthonormal(V)
    assert_allclose(Q @ R, V, atol=1e-12)
    assert_allclose(Q.T @ Q, np.eye(7), atol=1e-12)


@pytest.mark.parametrize("products", [1, 2, 3, 6])
@pytest.mark.parametrize("seed", range(4))
def test_the_image_of_the_last_product_counts(products, seed):
    """Twin: power steps, and the best of the span of the last block, which takes one product more."""
    rng, k = np.random.default_rng(seed), 4
    A = rng.normal(size=(120, 80))
    S, start, calls = A @ A.T, rng.normal(size=(120, 9)), []

    def product(V):
        calls.append(V)
        return S @ V

    leading = approximate_eigenvectors(product, start, k, products, lambda V: V.T @ S @ V)
    assert len(calls) == leading.products == products
    Q = np.linalg.qr(np.linalg.matrix_power(S / np.linalg.norm(S, 2), products) @ start)[0]
    twin = np.linalg.eigvalsh(Q.T @ S @ Q)[::-1][:k]
    assert leading.values.sum() > (1 - 1e-10) * twin.sum()
    assert_allclose(leading.vectors.T @ S @ leading.vectors, np.diag(leading.values), atol=1e-9 * twin[0])
    assert_allclose(leading.vectors.T @ leading.vectors, np.eye(k), atol=1e-13)


@pytest.mark.parametrize("products", [2, 6, 20])
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
def test_eigenvalues_that_fall_to_rounding(products, ratio):
    rng, values = np.random.default_rng(0), ratio ** np.arange(200.0)
    Q = np.linalg.qr(rng.normal(size=(300, 200)))[0]
    S = (Q * values) @ Q.T
    start = rng.normal(size=(300, 70))
    leading = approximate_eigenvectors(lambda V: S @ V, start, 60, products, lambda V: V.T @ S @ V)
    assert_allclose(leading.values, values[:60], atol=2e-5 * ratio**60 + 1e-14)
    assert_allclose(leading.vectors.T @ leading.vectors, np.eye(60), atol=1e-13)


def test_few_products_and_still_the_lengths_and_variances_of_the_new_columns():
    X = sp.random(300, 1200, 0.02, random_state=0, format="csr")
    for n_iter in (0, 5):
        svd = TruncatedSVD(10, n_iter=n_iter, random_state=0).fit(X)
        Z = svd.transform(X)
        assert_allclose(svd.singular_values_, np.linalg.norm(Z, axis=0), rtol=1e-12)
        assert_allclose(svd.explained_variance_, Z.var(axis=0), rtol=1e-10)


@pytest.mark.parametrize("b, k", [(1, 1), (1, 4), (2, 5), (3, 2)])
def test_leading_eigenvectors_from_a_narrow_block_that_begins_anew_when_memory_is_full(b, k):
    rng = np.random.default_rng(b)
    Q = np.linalg.qr(rng.normal(size=(200, 200)))[0]
    S = (Q * np.linspace(1.0, 0.0, 200) ** 2) @ Q.T
    leading = leading_eigenvectors(lambda V: S @ V, rng.normal(size=(200, b)), k)
    assert leading.products * b > 3 * k + 30 and leading.residual <= 1e-12
    assert_allclose(leading.values, np.linspace(1.0, 0.0, 200)[:k] ** 2, rtol=1e-10)
    assert_allclose(np.abs((leading.vectors * Q[:, :k]).sum(axis=0)), 1, rtol=1e-9)


def test_products_of_columns_are_kept_up_to_a_limit():
    assert not hasattr(TruncatedSVD(2).fit(wide_table(20, truncated_svd.MOST_COLUMNS + 1)), "_sums")
