"""Nonnegative matrix factorisation: oracles, the objective never rises, missing values, weights, the peer."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn import decomposition

import assay.reduce.factorization._nonnegative as native
from assay.reduce import NMF, MiniBatchNMF, non_negative_factorization
from assay.reduce.factorization.nonnegative import Half, Penalty, beta_divergence, descend
from assay.tables.data import load_iris

LIMITED = pytest.mark.filterwarnings("ignore:.*Maximum number of iterations")  # rounds are limited on purpose

# Oracle: a product of rank 2, rows (1,2,0), (0,1,3), (1,3,3), (2,4,0).
PRODUCT = np.array([[1.0, 0], [0, 1], [1, 1], [2, 0]]) @ np.array([[1.0, 2, 0], [0, 1, 3]])


def some_table(n=60, d=12, k=3, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    return np.maximum(
        rng.gamma(1, 1, (n, k)) @ rng.gamma(0.5, 1, (k, d)) + noise * rng.normal(size=(n, d)), 0
    )


@pytest.mark.capability("IML-6-29")
@pytest.mark.parametrize(("solver", "limit"), [("cd", 1e-6), ("mu", 1e-3)])
def test_an_exact_product_is_recovered(solver, limit):
    nmf = NMF(2, solver=solver, tol=0, max_iter=5000)
    W = nmf.fit_transform(PRODUCT)
    assert np.linalg.norm(W @ nmf.components_ - PRODUCT) < limit
    assert nmf.reconstruction_err_ < limit
    assert min(W.min(), nmf.components_.min()) >= 0


@LIMITED
@pytest.mark.capability("IML-6-29")
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("settings", [
    {}, {"alpha_W": 0.01, "l1_ratio": 0.5}, {"solver": "mu"}, {"solver": "mu", "beta_loss": 1},
    {"solver": "mu", "beta_loss": 0.5}, {"solver": "mu", "beta_loss": 3}, {"shuffle": True, "init": "random"},
])  # fmt: skip
def test_the_objective_never_rises(settings, sparse, missing):
    X = some_table()
    if missing and sparse:
        pytest.skip("entries of a sparse table that are not stored are 0, not missing")
    if missing:
        X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    nmf = NMF(3, random_state=0, tol=1e-8, max_iter=100, **settings)
    nmf.fit(sp.csr_matrix(X) if sparse else X)
    history = np.array(nmf.history_)
    assert np.all(np.diff(history) <= 1e-10 * history[0])
    assert history[-1] < 0.5 * history[0]


def objective(X, W, H, alpha=0.0, ratio=0.0):
    n, d = X.shape

    def size(A):
        return ratio * A.sum() + (1 - ratio) / 2 * np.sum(A * A)

    return np.sum((X - W @ H) ** 2) / 2 + alpha * (d * size(W) + n * size(H))


@LIMITED
@pytest.mark.parametrize("init", ["nndsvda", "nndsvd", "random"])
@pytest.mark.parametrize(("alpha", "ratio"), [(0.0, 0.0), (0.005, 0.7)])
def test_no_worse_than_scikit_learn(init, alpha, ratio):
    """Peer: scikit-learn 1.9 with the same start; ours sweeps more often in a round, so numbers are not compared."""
    ratios = []
    for X in (some_table(), load_iris().X, some_table(30, 40, 5, 1)):
        peer = decomposition.NMF(
            3, init=init, random_state=0, tol=1e-6, max_iter=3000, alpha_W=alpha, l1_ratio=ratio
        )
        ours = NMF(3, init=init, random_state=0, tol=1e-6, max_iter=3000, alpha_W=alpha, l1_ratio=ratio)
        theirs = objective(X, peer.fit_transform(X), peer.components_, alpha, ratio)
        value = objective(X, ours.fit_transform(X), ours.components_, alpha, ratio)
        ratios.append(value / theirs)
        assert_allclose(ours.history_[-1], value, rtol=1e-5)  # W is solved once more at the end
    assert np.mean(ratios) < 1.01 and max(ratios) < 1.03  # the problem has several minima


@LIMITED
@pytest.mark.parametrize("beta", [2, 1, 0.5, 0, 3, "kullback-leibler"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_multiplicative_updates_are_those_of_scikit_learn(beta, kind):
    X = some_table() + (0.1 if beta == 0 else 0.0)
    settings = {
        "solver": "mu",
        "beta_loss": beta,
        "init": "custom",
        "tol": 1e-5,
        "max_iter": 60,
        "alpha_W": 0.001,
    }
    rng = np.random.default_rng(0)
    W, H = rng.random((60, 3)), rng.random((3, 12))
    peer, ours = decomposition.NMF(3, **settings), NMF(3, **settings)
    table = kind(X)
    theirs = peer.fit_transform(table, W=W.copy(), H=H.copy())
    assert_allclose(ours.fit_transform(table, W=W, H=H), theirs, rtol=1e-6, atol=1e-9)
    assert_allclose(ours.components_, peer.components_, rtol=1e-6, atol=1e-9)
    assert_allclose(ours.reconstruction_err_, peer.reconstruction_err_, rtol=1e-6)
    assert_allclose(ours.transform(table), peer.transform(table), rtol=1e-6, atol=1e-9)


def test_transform_solves_nonnegative_least_squares():
    from scipy.optimize import nnls

    X = some_table()
    nmf = NMF(3, tol=1e-10, max_iter=5000).fit(X[:40])
    W = nmf.transform(X[40:])
    assert_allclose(W, [nnls(nmf.components_.T, x)[0] for x in X[40:]], atol=1e-6)
    assert_allclose(nmf.inverse_transform(W), W @ nmf.components_)


def test_the_function_gives_what_the_learner_gives():
    from scipy.optimize import nnls

    X = some_table()
    nmf = NMF(3, random_state=0)
    W, H, rounds = non_negative_factorization(X, n_components=3, random_state=0)
    assert_allclose(W, nmf.fit_transform(X), rtol=1e-12)
    assert_allclose(H, nmf.components_, rtol=1e-12)
    assert rounds == nmf.n_iter_
    for solver, limit in (("cd", 1e-6), ("mu", 1e-2)):
        settings = {"solver": solver, "tol": 1e-9, "max_iter": 5000}
        W, same, rounds = non_negative_factorization(X[:5], H=H, update_H=False, **settings)
        assert same is H
        assert rounds > 1
        assert_allclose(W, [nnls(H.T, x)[0] for x in X[:5]], atol=limit)
    with pytest.raises(ValueError, match=r"needs the parts H"):
        non_negative_factorization(X, update_H=False)
    with pytest.raises(ValueError, match="wrong second dimension"):
        non_negative_factorization(X, H=H[:, 1:], update_H=False)
    with pytest.warns(RuntimeWarning, match="W is not used"):
        non_negative_factorization(X, W=W, H=H, update_H=False)


def test_a_sparse_table_gives_what_the_dense_one_gives():
    X = some_table()
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0
    dense, sparse = NMF(3, random_state=0).fit(X), NMF(3, random_state=0).fit(sp.csr_array(X))
    assert_allclose(sparse.components_, dense.components_, rtol=1e-7, atol=1e-10)
    assert sparse.n_iter_ == dense.n_iter_


def test_missing_values_weigh_nothing():
    X = some_table(40, 10, 2, noise=0.0)
    missing = np.random.default_rng(0).random(X.shape) < 0.3
    holes = np.where(missing, np.nan, X)
    nmf = NMF(2, tol=1e-9, max_iter=5000).fit(holes)
    assert_allclose(nmf.complete(holes), X, atol=1e-3)
    # whatever stands under a weight of 0: the same as leaving it out of the sums
    W = nmf.transform(holes)
    for i in range(5):
        from scipy.optimize import nnls

        known = ~missing[i]
        assert_allclose(W[i], nnls(nmf.components_.T[known], holes[i, known])[0], atol=1e-6)
    slow = NMF(2, solver="mu", tol=0, max_iter=2000).fit(holes)
    assert np.sqrt(np.mean((slow.complete(holes) - X)[missing] ** 2)) < 0.02


@pytest.mark.parametrize(
    "settings", [{}, {"solver": "mu"}, {"solver": "mu", "beta_loss": 1}, {"alpha_W": 0.01}]
)
@pytest.mark.parametrize("missing", [False, True])
def test_weights_are_repeats(settings, missing):
    X, w = some_table(), np.random.default_rng(0).integers(0, 4, 60)
    w[0] = 1
    if missing:
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    settings = {"tol": 0, "max_iter": 20, **settings}
    rows, H = np.repeat(np.arange(60), w), np.random.default_rng(2).random((3, 12))
    W = np.random.default_rng(3).random((60, 3))
    weighted = NMF(3, init="custom", **settings).fit(X, sample_weight=w, W=W, H=H)
    repeated = NMF(3, init="custom", **settings).fit(X[rows], W=W[rows], H=H)
    assert_allclose(weighted.components_, repeated.components_, rtol=1e-7, atol=1e-9)
    assert_allclose(weighted.history_[-1], repeated.history_[-1], rtol=1e-8)
    if not missing:
        starts = [NMF(3, **settings).fit(X, sample_weight=w), NMF(3, **settings).fit(X[rows])]
        assert_allclose(starts[0].components_, starts[1].components_, rtol=1e-6, atol=1e-8)


@LIMITED
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_scales(scale):
    X = some_table()
    nmf, plain = NMF(3, tol=1e-6, max_iter=1000).fit(X * scale), NMF(3, tol=1e-6, max_iter=1000).fit(X)
    assert_allclose(nmf.reconstruction_err_ / scale, plain.reconstruction_err_, rtol=1e-2)
    assert_allclose(
        nmf.inverse_transform(nmf.transform(X * scale)) / scale,
        plain.inverse_transform(plain.transform(X)),
        atol=0.2,
    )


@LIMITED
def test_awkward_tables():
    assert NMF(2).fit(np.zeros((4, 3))).reconstruction_err_ == 0
    assert NMF(1).fit([[2.0, 1.0]]).reconstruction_err_ < 1e-6
    assert NMF(5, init="random", random_state=0, max_iter=2000).fit(some_table(3, 4)).components_.shape == (
        5,
        4,
    )
    with pytest.raises(ValueError, match=r"Negative values.*row 2"):
        NMF(1).fit([[1.0, 2.0], [-1.0, 2.0]])
    with pytest.raises(ValueError, match="all values of column 'x1' are missing"):
        NMF(1).fit([[1.0, np.nan], [1.0, np.nan]])
    with pytest.raises(ValueError, match="min\\(n_samples, n_features\\)"):
        NMF(5, init="nndsvd").fit(some_table(3, 4))
    for table in (some_table() * 1e200, sp.csr_matrix(some_table()) * 1e200):
        for learner in (NMF(2), MiniBatchNMF(2)):
            with pytest.raises(ValueError, match=r"e\+20\d in X is too large"):
                learner.fit(table)


@pytest.mark.parametrize(
    "settings", [{}, {"beta_loss": 1}, {"beta_loss": 0.5}, {"beta_loss": 3}, {"fresh_restarts": True}]
)
def test_batches_as_scikit_learn(settings):
    """Peer: scikit-learn 1.9, from the same start. Ours leaves the W and H that it is given as they are."""
    X, rng = some_table(), np.random.default_rng(0)
    W, H = rng.random((60, 3)), rng.random((3, 12))
    settings = {
        "init": "custom",
        "batch_size": 25,
        "max_iter": 8,
        "tol": 0,
        "max_no_improvement": None,
        **settings,
    }
    peer, ours = decomposition.MiniBatchNMF(3, **settings), MiniBatchNMF(3, **settings)
    theirs = peer.fit_transform(X, W=W.copy(), H=H.copy())
    assert_allclose(ours.fit_transform(X, W=W, H=H), theirs, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.components_, peer.components_, rtol=1e-9, atol=1e-12)
    assert (ours.n_iter_, ours.n_steps_) == (peer.n_iter_, peer.n_steps_)
    assert_allclose(ours.transform(X[:5]), peer.transform(X[:5]), rtol=1e-9, atol=1e-12)
    start = H.copy()
    for model in (peer, ours):
        model.set_params(init="custom")
    one, other = decomposition.MiniBatchNMF(3, **settings), MiniBatchNMF(3, **settings)
    for a in (0, 25, 50):
        one.partial_fit(X[a : a + 25], W=W[a : a + 25], H=H.copy())
        other.partial_fit(X[a : a + 25], W=W[a : a + 25], H=H)
    assert_allclose(other.components_, one.components_, rtol=1e-9, atol=1e-12)
    assert_allclose(H, start)


@LIMITED
def test_batches_take_missing_values_and_sparse_rows():
    X = some_table(noise=0.0)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    nmf = MiniBatchNMF(3, batch_size=20, random_state=0, max_iter=500, forget_factor=0.7).fit(holes)
    assert np.sqrt(np.mean((nmf.complete(holes) - X)[np.isnan(holes)] ** 2)) < 0.3 * X.std()
    dense, sparse = (MiniBatchNMF(3, batch_size=20, random_state=0).fit(T) for T in (X, sp.csr_matrix(X)))
    assert_allclose(dense.components_, sparse.components_, rtol=1e-7, atol=1e-10)


def test_parts_show_their_columns():
    nmf = NMF(2, tol=1e-9, max_iter=2000).fit(PRODUCT)
    assert {words[0] for words in nmf.top_columns(1).words} == {"x1", "x2"}
    assert "columns of largest weight" in str(nmf.show())


# Twins in NumPy of the native sweeps.
def sweep_by_the_book(A, G, C, order):
    A, violation = A.copy(), 0.0
    for i in range(len(A)):
        for t in order:
            grad = G[t] @ A[i] - C[i, t]
            violation += abs(min(grad, 0) if A[i, t] == 0 else grad)
            if G[t, t] > 0:
                A[i, t] = max(0, A[i, t] - grad / G[t, t])
    return A, violation


@pytest.mark.parametrize("n", [1, 8, 21])
def test_native_sweeps(n):
    rng = np.random.default_rng(n)
    k, d = 5, 7
    B, X = rng.random((d, k)), rng.random((n, d))
    B[:, 2] = 0
    A, order = np.where(rng.random((n, k)) < 0.3, 0, rng.random((n, k))), rng.permutation(k)
    G, C = B.T @ B, X @ B - 0.1
    expected, violation = sweep_by_the_book(A, G, C, order)
    swept, known = A.copy(), A.copy()
    assert_allclose(
        native.sweep(
            A=swept, G=G, C=C, weights=np.empty(0), order=order, sweeps=1, enough=0.0, first=0, last=n
        ),
        violation,
    )
    assert_allclose(swept, expected, atol=1e-12)
    result = native.sweep_known(
        A=known, X=X, B=np.ascontiguousarray(B.T), w=np.empty(0), weights=np.empty(0), order=order,
        l1=0.1, l2=0.0, sweeps=1, enough=0.0,
        first=0, last=n,
    )  # fmt: skip
    assert_allclose(result, violation)
    assert_allclose(known, expected, atol=1e-12)
    with pytest.raises(ValueError, match="number of each factor"):
        native.sweep(
            A=swept, G=G, C=C, weights=np.empty(0), order=np.full(k, k), sweeps=1, enough=0.0, first=0, last=n
        )
    with pytest.raises(ValueError, match="rows that exist"):
        native.sweep(
            A=swept, G=G, C=C, weights=np.empty(0), order=order, sweeps=1, enough=0.0, first=0, last=n + 1
        )


def test_one_half_goes_down():
    X, rng = some_table(), np.random.default_rng(0)
    half = Half(X, None, Penalty(0.1, 0.2), X.shape[1])
    A, B = rng.random((60, 3)), rng.random((12, 3))
    before = beta_divergence(half, A, B, 2.0) + half.penalty.of(A)
    descend(half, A, B, np.arange(3))
    assert beta_divergence(half, A, B, 2.0) + half.penalty.of(A) < before


@pytest.mark.parametrize("scale", [4.0**-250, 4.0**-130, 4.0**130, 4.0**249])
@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler"])
def test_batches_of_any_scale_give_the_same_product(scale, beta_loss):
    random = np.random.default_rng(0)
    X = random.uniform(size=(60, 2)) @ random.uniform(size=(2, 6))
    settings = {
        "beta_loss": beta_loss,
        "batch_size": 20,
        "random_state": 0,
        "tol": 0,
        "max_no_improvement": None,
    }

    def products(X):
        model = MiniBatchNMF(2, max_iter=50, **settings).fit(X)
        further = MiniBatchNMF(2, max_iter=50, **settings).partial_fit(X[:30]).partial_fit(X[30:])
        return [m.inverse_transform(m.transform(X)) for m in (model, further, model.partial_fit(X))]

    for ours, expected in zip(products(X * scale), products(X)):
        assert_allclose(ours / scale, expected, rtol=1e-9)
