"""k-means: oracles of the textbook, scikit-learn, blocks and Dask."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import cluster as peers
from sklearn import metrics as peer_metrics
from sklearn.datasets import load_iris, make_blobs

from assay.cluster import (
    BisectingKMeans,
    DynamicKMeans,
    FuzzyKMeans,
    KernelKMeans,
    KMeans,
    LeaderClustering,
    MiniBatchKMeans,
    TrimmedKMeans,
    k_means,
    kmeans_plusplus,
)
from assay.errors import AssayError, DataError

SEVEN = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [20.0]])
IRIS = load_iris().data
# Best known losses of Iris for 1 to 7 groups (ledger).
IRIS_LOSSES = [681.3706, 152.347952, 78.851441, 57.228473, 46.446182, 39.039987, 34.298230]


def path(start, X=SEVEN):
    return KMeans(len(start), init=np.array(start, dtype=float), tol=0, keep_path=True).fit(X)


@pytest.mark.capability("IML-7-02")
def test_the_way_of_the_worked_example():
    model = path([[1], [2]])
    assert_allclose([r["loss"] for r in model.history_], [570, 1072 / 9, 64.75, 64.75], rtol=1e-9)
    assert_allclose(model.history_[1]["centers"], [[1], [29 / 3]], rtol=1e-12)
    assert_allclose(model.cluster_centers_, [[2], [13.25]], rtol=1e-12)
    assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, 1])
    assert_allclose(path([[1], [10], [20]]).inertia_, 4)
    assert_allclose(path([[1], [2], [3]]).inertia_, 63.25)


@pytest.mark.capability("IML-7-02")
def test_iris_in_three_groups():
    model = KMeans(3, n_init=10, random_state=0).fit(IRIS)
    assert_allclose(model.inertia_, 78.851441, atol=5e-7)
    order = np.argsort(-np.bincount(model.labels_))
    assert np.bincount(model.labels_)[order].tolist() == [62, 50, 38]
    expected = [
        [5.901613, 2.748387, 4.393548, 1.433871],
        [5.006, 3.428, 1.462, 0.246],
        [6.85, 3.073684, 5.742105, 2.071053],
    ]
    assert_allclose(model.cluster_centers_[order], expected, atol=1e-6)
    table = np.array([np.bincount(model.labels_[50 * c : 50 * c + 50], minlength=3)[order] for c in range(3)])
    assert_array_equal(table, [[0, 50, 0], [48, 0, 2], [14, 0, 36]])


def test_ends_in_a_fixed_point_that_is_no_minimum():
    X = [[0, 0], [0, 1], [4, 0], [4, 1]]
    assert KMeans(2, init=[[0.0, 0.0], [4.0, 0.0]]).fit(X).inertia_ == 1
    assert KMeans(2, init=[[2.0, 0.0], [2.0, 1.0]]).fit(X).inertia_ == 16


@pytest.mark.capability("IML-7-03")
def test_every_start_of_the_book():
    by_component = KMeans(3, init="component").fit(SEVEN)
    assert_allclose(by_component.cluster_centers_, [[2], [11], [20]], atol=1e-12)
    assert_allclose(by_component.inertia_, 4)
    for init in ("k-means++", "random", "mean"):
        model = KMeans(3, init=init, n_init=20, random_state=0).fit(SEVEN)
        assert_allclose(model.inertia_, 4)
    # An empty interval gives its middle: scores -9, -8, ..., the middle third of 0..30 has no row.
    with pytest.warns(match="distinct clusters"):
        gap = KMeans(3, init="component", max_iter=1, empty="keep").fit([[0.0], [1.0], [30.0]])
    assert_allclose(gap.cluster_centers_, [[0.5], [15.0], [30.0]], atol=1e-12)


def test_an_empty_centre_by_each_policy():
    start = np.array([[2.0], [500.0]])
    assert_allclose(np.sort(KMeans(2, init=start).fit(SEVEN).cluster_centers_[:, 0]), [6.5, 20])
    assert len(KMeans(2, init=start, empty="drop").fit(SEVEN).cluster_centers_) == 1
    with pytest.warns(match="distinct clusters"):
        kept = KMeans(2, init=start, empty="keep").fit(SEVEN)
    assert_allclose(kept.cluster_centers_[1], [500])


@pytest.mark.parametrize("k", [2, 8, 30])
def test_same_centres_labels_and_iterations_as_scikit_learn(k):
    X, _ = make_blobs(600, 4, centers=12, cluster_std=3.0, random_state=1)
    for init in ("k-means++", "random"):
        peer = peers.KMeans(k, init=init, n_init=2, random_state=3).fit(X)
        ours = KMeans(k, init=init, n_init=2, random_state=3).fit(X)
        assert_array_equal(ours.labels_, peer.labels_)
        assert_allclose(ours.cluster_centers_, peer.cluster_centers_, rtol=1e-9)
        assert ours.n_iter_ == peer.n_iter_
        assert_allclose(ours.transform(X[:5]), peer.transform(X[:5]), rtol=1e-9)
        assert_allclose(ours.score(X), peer.score(X), rtol=1e-9)
    rows = kmeans_plusplus(X, k, random_state=5)[1]
    assert_array_equal(rows, peers.kmeans_plusplus(X, k, random_state=5)[1])
    assert k_means(X, k, random_state=0)[2] == KMeans(k, random_state=0).fit(X).inertia_


def test_sparse_rows_give_the_groups_of_dense_ones():
    from scipy.sparse import csr_matrix

    X = np.random.default_rng(0).poisson(0.5, (120, 9)).astype(float)
    dense, sparse = KMeans(4, random_state=0).fit(X), KMeans(4, random_state=0).fit(csr_matrix(X))
    assert_array_equal(dense.labels_, sparse.labels_)
    assert_allclose(dense.cluster_centers_, sparse.cluster_centers_, atol=1e-12)
    assert_array_equal(sparse.predict(csr_matrix(X)), sparse.labels_)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=6, max_size=30), st.integers(1, 4))
def test_the_loss_never_rises_and_weights_are_repeats(numbers, k):
    X = np.array(numbers, dtype=float)[:, None]
    if len(np.unique(X)) < k:
        return
    start = np.unique(X)[:k, None]
    model = KMeans(k, init=start, tol=0, keep_path=True).fit(X)
    losses = [r["loss"] for r in model.history_]
    assert (np.diff(losses) <= 1e-9 * (1 + losses[0])).all()
    w = 1.0 + np.arange(len(X)) % 3
    weighed = KMeans(k, init=start, tol=0).fit(X, sample_weight=w)
    repeated = KMeans(k, init=start, tol=0).fit(np.repeat(X, w.astype(int), axis=0))
    assert_allclose(weighed.cluster_centers_, repeated.cluster_centers_, atol=1e-9)


def test_memory_blocks_and_dask_give_the_same_centres():
    da = pytest.importorskip("dask.array")
    X, _ = make_blobs(900, 3, centers=5, random_state=2)
    start = X[[0, 100, 200, 300, 400]]
    whole = KMeans(5, init=start, tol=0).fit(X)
    blocks = KMeans(5, init=start, tol=0).fit_blocks([X[:300], X[300:350], X[350:]])
    dask = KMeans(5, init=start, tol=0).fit(da.from_array(X, chunks=(200, 3)))
    for other in (blocks, dask):
        assert_allclose(other.cluster_centers_, whole.cluster_centers_, rtol=1e-9)
        assert_allclose(other.inertia_, whole.inertia_, rtol=1e-9)
    fuzzy = FuzzyKMeans(2, init=start[:2]).fit(X)
    assert_allclose(
        FuzzyKMeans(2, init=start[:2]).fit_blocks([X[:500], X[500:]]).cluster_centers_,
        fuzzy.cluster_centers_,
        rtol=1e-6,
    )


def test_rows_that_are_hard():
    same = np.ones((50, 2))
    with pytest.warns(match="distinct clusters"):
        assert KMeans(3, random_state=0).fit(same).inertia_ == 0
    far = np.array([[9999.0, 0.0], [9999.0, 0.1], [9999.3, 0.0], [9999.3, 0.1]], dtype=np.float32)
    assert len(set(KMeans(2, random_state=0).fit(far).labels_[[0, 2]].tolist())) == 2
    with pytest.raises(DataError, match="n_samples=2"):
        KMeans(3).fit([[1.0], [2.0]])
    with pytest.raises(AssayError, match="shape of the initial centers"):
        KMeans(2, init=[[1.0]]).fit([[1.0], [2.0]])
    with pytest.raises(AssayError, match="missing"):
        KMeans(2).fit([[1.0], [np.nan], [2.0]])


def test_mini_batches_and_bisections_are_those_of_scikit_learn():
    X, _ = make_blobs(500, 3, centers=6, cluster_std=2.0, random_state=0)
    for ours, peer in (
        (
            MiniBatchKMeans(6, batch_size=100, random_state=0),
            peers.MiniBatchKMeans(6, batch_size=100, random_state=0),
        ),
        (BisectingKMeans(6, random_state=0), peers.BisectingKMeans(6, random_state=0)),
    ):
        ours.fit(X)
        peer.fit(X)
        assert_allclose(ours.cluster_centers_, peer.cluster_centers_, rtol=1e-8)
        assert np.mean(ours.labels_ != peer.labels_) <= 0.01
        assert np.mean(ours.predict(X + 0.3) != peer.predict(X + 0.3)) <= 0.01


@pytest.mark.capability("IML-7-06")
def test_leaders_in_the_order_of_the_rows():
    model = LeaderClustering(5).fit(SEVEN)
    assert_array_equal(model.cluster_centers_[:, 0], [1, 10, 20])
    assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, 2])
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 2))
    leaders, labels = [], []  # one row after the other, by the book
    for row in X:
        gaps = [np.linalg.norm(row - c) for c in leaders]
        if not gaps or min(gaps) > 0.3:
            leaders.append(row)
            gaps.append(0.0)
        labels.append(int(np.argmin(gaps)))
    fast = LeaderClustering(0.3).fit(X)
    assert_allclose(fast.cluster_centers_, leaders)
    assert_array_equal(fast.labels_, labels)
    moving = LeaderClustering(5, update=True).fit(SEVEN)
    assert_allclose(moving.cluster_centers_[:, 0], [2, 11, 20])


@pytest.mark.capability("IML-7-07")
def test_a_centre_that_covers_too_much_is_split():
    model = DynamicKMeans(init=[[1.0], [2.0], [3.0]], random_state=0).fit(SEVEN)
    assert model.history_[0]["loss"] == 63.25 and model.history_[0]["split"] == 1
    assert model.inertia_ < 63.25
    assert np.bincount(model.labels_).max() / 7 <= 0.5
    fewer = DynamicKMeans(5, split=1.0, drop=0.25, random_state=0).fit(SEVEN)
    assert (np.bincount(fewer.labels_) / 7 >= 0.25).all()


@pytest.mark.capability("IML-7-10")
def test_trimming_leaves_the_outlier_out():
    model = TrimmedKMeans(2, trim=1 / 7, init=[[1.0], [10.0]], n_init=1).fit(SEVEN)
    assert_allclose(model.cluster_centers_, [[2], [11]])
    assert_allclose(model.inertia_, 4)
    assert model.labels_[-1] == -1
    far = np.vstack([SEVEN[:6], [[1e6]]])
    moved = TrimmedKMeans(2, trim=1 / 7, init=[[1.0], [10.0]], n_init=1).fit(far)
    assert_allclose(moved.cluster_centers_, model.cluster_centers_)
    assert_array_equal(moved.predict([[2.5], [100.0]]), [0, -1])


@pytest.mark.parametrize("size", [10.0, 1e4, 1e9])
@pytest.mark.parametrize("outliers", [1, 7])
def test_outliers_do_not_start_groups(size, outliers):
    rng = np.random.default_rng(0)
    X, y = make_blobs(150, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.5, random_state=0)
    rows = np.vstack([X, 20 + size * rng.uniform(0.5, 1, (outliers, 2))])
    for seed in range(5):
        model = TrimmedKMeans(3, trim=0.05, random_state=seed).fit(rows)
        assert (model.labels_[150:] == -1).all()
        assert peer_metrics.adjusted_rand_score(y, model.labels_[:150]) > 0.9
        assert_allclose(np.sort(model.cluster_centers_[:, 0]), [0, 0, 5], atol=0.3)
    copies = TrimmedKMeans(2, random_state=0).fit(np.ones((30, 2)))
    assert_array_equal(copies.cluster_centers_, 1)


@pytest.mark.capability("IML-7-11")
def test_fuzzy_memberships_of_the_worked_example():
    X = SEVEN[:6]
    model = FuzzyKMeans(2, init=[[2.0], [11.0]], tol=1e-12).fit(X)
    assert_allclose(model.cluster_centers_[:, 0], [1.997216, 11.002784], atol=5e-7)
    assert_allclose(model.memberships([[1.0]])[0, 0], 0.990159, atol=5e-7)
    assert_allclose(model.memberships_.sum(axis=1), 1)
    assert (np.diff([r["loss"] for r in model.history_]) <= 1e-9).all()
    at_a_centre = model.memberships(model.cluster_centers_)
    assert_array_equal(at_a_centre, np.eye(2))


@pytest.mark.capability("IML-7-08")
def test_codes_of_groups():
    model = KMeans(3, random_state=0).fit(IRIS)
    codes = model.codes(IRIS)
    assert_array_equal(codes.sum(axis=1), 1)
    assert_array_equal(codes.argmax(axis=1), model.labels_)
    soft = FuzzyKMeans(3, random_state=0).fit(IRIS)  # the same with degrees
    assert_allclose(soft.memberships(IRIS).sum(axis=1), 1)
    assert_array_equal(soft.memberships(IRIS).argmax(axis=1), soft.labels_)


@pytest.mark.capability("DC-94")
def test_kernel_k_means_with_the_linear_kernel_is_k_means():
    start = np.array([0, 1, 1, 1, 1, 1, 1])
    kernel = KernelKMeans(2, kernel="linear", init=start).fit(SEVEN)
    centers = np.array([[1.0], [SEVEN[1:].mean()]])
    plain = KMeans(2, init=centers, tol=0).fit(SEVEN)
    assert_array_equal(kernel.labels_, plain.labels_)
    assert_allclose(kernel.inertia_, plain.inertia_)
    X, _ = make_blobs(80, 3, centers=4, random_state=0)
    labels = np.arange(80) % 4
    centers = np.array([X[labels == c].mean(axis=0) for c in range(4)])
    kernel, plain = (
        KernelKMeans(4, kernel="linear", init=labels).fit(X),
        KMeans(4, init=centers, tol=0).fit(X),
    )
    assert_array_equal(kernel.labels_, plain.labels_)
    assert_array_equal(kernel.predict(X + 0.1), plain.predict(X + 0.1))


@pytest.mark.capability("DC-94")
def test_kernel_k_means_tells_rings_apart():
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    X = np.vstack([circle * 0.5, 3 * circle])
    best = KernelKMeans(2, kernel="rbf", gamma=0.5, random_state=0).fit(X)
    assert len(set(best.labels_[:40].tolist())) == 1 == len(set(best.labels_[40:].tolist()))
    assert best.labels_[0] != best.labels_[40]


def test_the_loss_of_bisecting_is_that_of_its_leaves():
    weights = np.random.default_rng(0).uniform(0, 2, len(IRIS))
    for w in (None, weights):
        model = BisectingKMeans(5, random_state=0).fit(IRIS, sample_weight=w)
        gaps = ((IRIS - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
        assert_allclose(model.inertia_, gaps.sum() if w is None else gaps @ w, rtol=1e-12)
    assert_allclose(BisectingKMeans(1).fit(IRIS).inertia_, 681.3706, atol=5e-5)
