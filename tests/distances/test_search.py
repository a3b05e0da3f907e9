"""Search: brute force, kd-tree and balls say the same, down to the order of equal distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.neighbors import NearestNeighbors as Peer

import assay.distances.brute as brute
from assay.distances import metric_of, searcher
from assay.errors import DataError, ParameterError

RNG = np.random.default_rng(4)
WAYS = ("brute", "kd_tree", "ball_tree")


def by_the_book(D, k, own=False):
    """The k smallest of each row, equal ones by the lower column."""
    D = D.copy()
    if own:
        np.fill_diagonal(D, np.inf)
    rows = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, rows, axis=1), rows


@pytest.mark.capability("C3-30")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 2, 3, 2.5, np.inf])
def test_the_nearest_rows_in_order_with_many_ties(way, dtype, p):
    X, Q = (RNG.integers(0, 5, (n, 3)).astype(dtype) for n in (300, 40))
    metric = metric_of("minkowski", p=p)
    result = searcher(X, metric, way)
    assert result.method == way
    for k in (1, 4, 300):
        distances, rows = by_the_book(metric.between(Q, X), k)
        if p == 2.5:  # sums of powers round, so equal distances may differ in the last digit
            assert_allclose(result.nearest(Q, k)[0], distances, rtol=1e-12)
        else:
            assert_array_equal(result.nearest(Q, k)[1], rows)
            assert_allclose(result.nearest(Q, k)[0], distances, rtol=1e-14)
    start, rows, distances = result.within(Q, 2.0)
    D = metric.between(Q, X)
    assert_array_equal(np.diff(start), (D <= 2).sum(axis=1))
    assert_array_equal(rows, np.nonzero(D <= 2)[1])
    assert_allclose(distances, D[D <= 2], rtol=1e-14)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["euclidean", "mahalanobis", "seuclidean", "sqeuclidean"])
def test_a_row_is_not_its_own_neighbour_if_left_out(way, name):
    X = RNG.integers(0, 3, (200, 2)).astype(float)  # nine places, about 22 rows each
    metric = metric_of(name).learn(X)
    distances, rows = by_the_book(metric.between(X, X), 30, own=True)
    result = searcher(X, metric, way).nearest(None, 30, leave_out_self=True)
    assert_allclose(result[0], distances, rtol=1e-12, atol=1e-12)
    assert (result[1] != np.arange(200)[:, None]).all()
    if name == "euclidean":
        assert_array_equal(result[1], rows)
    start, rows, _ = searcher(X, metric, way).within(None, 0.5, leave_out_self=True)
    assert (rows != np.repeat(np.arange(200), np.diff(start))).all()


@settings(max_examples=60, deadline=None)
@given(
    X=arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(-1e6, 1e6, width=32)),
    way=st.sampled_from(WAYS),
    k=st.integers(1, 30),
)
def test_any_rows_at_all(X, way, k):
    k = min(k, len(X))
    distances, rows = by_the_book(metric_of("euclidean").between(X, X), k)
    result = searcher(X, "euclidean", way).nearest(X, k)
    assert_allclose(result[0], distances, rtol=1e-12)
    assert_array_equal(
        np.sort(result[1], axis=1)[distances[:, -1] == 0], np.sort(rows, axis=1)[distances[:, -1] == 0]
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_far_from_the_origin_no_neighbour_is_lost(dtype):
    """The product of matrices loses all digits of rows at 1e6 +- 1 unless they are centred and compared again."""
    X = (1e6 + RNG.integers(0, 64, (3000, 20)) / 16).astype(dtype)
    metric = metric_of("euclidean")
    distances, rows = by_the_book(metric.between(X[:100], X), 8)
    result = searcher(X, metric, "brute").nearest(X[:100], 8)
    assert_allclose(result[0], distances, rtol=1e-14)
    assert_array_equal(result[1], rows)


def test_more_equal_rows_than_a_store_holds():
    X = np.repeat(RNG.normal(size=(3, 6)), 400, axis=0)[RNG.permutation(1200)]
    result = searcher(X, "euclidean", "brute").nearest(X[:20] + 1e-3, 5)
    distances, rows = by_the_book(metric_of("euclidean").between(X[:20] + 1e-3, X), 5)
    assert_array_equal(result[1], rows)
    assert_allclose(result[0], distances, rtol=1e-14)


@pytest.mark.parametrize("scale", [5e-320, 1e-200, 1e160, 1e307])
@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("way", ["auto", *WAYS])
def test_numbers_whose_squares_leave_the_range(scale, name, way):
    X, Q = (
        np.array(rows) * scale for rows in ([[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]], [[8.0, 9.0], [1.0, 1.0]])
    )
    search, e = searcher(X, name, way), int(np.frexp(scale)[1])
    expected, order = by_the_book(np.ldexp(metric_of(name).between(np.ldexp(Q, -e), np.ldexp(X, -e)), e), 3)
    distances, rows = search.nearest(Q, 3)
    assert_array_equal(rows, order)
    assert_allclose(distances, expected, rtol=1e-15)
    assert_array_equal(search.nearest(None, 1, leave_out_self=True)[1], [[1], [0], [1]])
    start, rows, apart = search.within(Q, expected[0, 0])
    assert_array_equal(rows, [2, 0][: len(rows)])
    assert_allclose(apart, [expected[0, 0], expected[1, 0]][: len(rows)], rtol=1e-15)
    assert start[1] == 1


@pytest.mark.parametrize("way", ["auto", *WAYS])
def test_one_column_with_queries_at_the_end_of_the_range(way):
    X = np.arange(50.0)[:, None]
    distances, rows = searcher(X, "euclidean", way).nearest([[1e308], [-1e308], [3.0]], 2)
    assert_array_equal(distances, [[1e308] * 2, [1e308] * 2, [0, 1]])
    assert ((rows >= 0) & (rows < 50)).all()
    wide = searcher(X - 1.5e308, "sqeuclidean").nearest([[1.5e308]], 1)[0]
    assert_array_equal(wide, [[np.inf]])  # too far for a number, and no warning


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", [1.0, 1e-300])
@pytest.mark.parametrize("radius", [1e200, np.inf])
def test_a_radius_whose_square_is_no_number(way, scale, radius):
    X = np.arange(12.0).reshape(4, 3) * scale
    start, rows, _ = searcher(X, "euclidean", way).within(X[:2], radius)
    assert_array_equal(start, [0, 4, 8])
    assert_array_equal(rows, [0, 1, 2, 3] * 2)


def test_great_sparse_numbers():
    X = sp.csr_matrix([[0.0, 2e200], [3e200, 0.0], [1.0, 0.0]])
    distances, rows = searcher(X, "euclidean").nearest(sp.csr_matrix([[0.0, 1e200]]), 3)
    assert_array_equal(rows, [[0, 2, 1]])
    assert_allclose(distances, [[1e200, 1e200, np.sqrt(10) * 1e200]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_named(bad):
    with pytest.raises(ParameterError, match="radius must be a number"):
        searcher([[0.0], [1.0]], "euclidean").within([[1.0]], "wide")
    with pytest.raises(DataError, match="NaN or infinity"):
        searcher([[0.0], [1.0]], "euclidean").nearest([[bad]], 1)
    with pytest.raises(DataError, match="NaN or infinity"):
        searcher([[0.0], [bad]], "euclidean", "brute").within([[1.0]], 1.0)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
@pytest.mark.parametrize("p", [1, 2])
def test_same_neighbours_as_scikit_learn(load, p):
    X = load(return_X_y=True)[0]
    # its trees; its scan says that rows are 3e-5 away from themselves
    theirs = Peer(n_neighbors=7, algorithm="kd_tree", p=p).fit(X).kneighbors(X[:150])
    ours = searcher(X, metric_of("minkowski", p=p), "brute").nearest(X[:150], 7)
    assert_allclose(ours[0], theirs[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["canberra", "hamming", "jaccard", "gower", "heom", "cosine", "correlation"])
@pytest.mark.parametrize("way", ["brute", "ball_tree"])
def test_metrics_without_points(name, way):
    X = RNG.integers(0, 4, (150, 5)).astype(float)
    metric = metric_of(name).learn(X)
    distances, rows = by_the_book(metric.between(X[:30], X), 6)
    result = searcher(X, metric, way).nearest(X[:30], 6)
    assert_allclose(result[0], distances, atol=1e-12)
    if name not in ("cosine", "correlation", "canberra"):  # sums that round differently by blocks
        assert_array_equal(result[1], rows)
    start, rows, _ = searcher(X, metric, way).within(X[:30], 0.4 + 1e-9)
    assert_array_equal(np.diff(start), (metric.between(X[:30], X) <= 0.4 + 1e-9).sum(axis=1))


def test_balls_ask_a_function_less_often():
    calls = []

    def apart(a, b):
        calls.append(1)
        return abs(a - b).sum()

    X = RNG.normal(size=(900, 2))
    metric = metric_of(apart)
    result, rows = (
        searcher(X, metric, "ball_tree"),
        by_the_book(metric_of("manhattan").between(X[:20], X), 3)[1],
    )
    calls.clear()
    assert_array_equal(result.nearest(X[:20], 3)[1], rows)
    assert len(calls) < 0.5 * 20 * 900
    assert searcher(X, metric).method == "brute"  # nobody promised the triangle inequality


def test_sparse_rows_and_queries():
    X = sp.random(300, 50, 0.1, format="csr", random_state=0)
    for name in ("euclidean", "manhattan", "cosine"):
        metric = metric_of(name)
        distances = by_the_book(metric.between(X.toarray()[:30], X.toarray()), 4)[0]
        for stored, asked in ((X, X[:30]), (X.toarray(), X[:30]), (X, X[:30].toarray())):
            assert_allclose(searcher(stored, metric).nearest(asked, 4)[0], distances, atol=1e-7)


def test_a_graph_of_distances():
    D = metric_of("euclidean").between(RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2)))
    dense = searcher(D, metric_of("precomputed"))
    edges = sp.csr_matrix(np.where(np.sort(D)[:, [8]] > D, D, 0.0))
    graph = searcher(edges, metric_of("precomputed"))
    for k in (1, 5):
        assert_array_equal(graph.nearest(edges, k)[1], dense.nearest(D, k)[1])
        assert_array_equal(graph.nearest(D, k)[1], dense.nearest(D, k)[1])
        assert_array_equal(dense.nearest(edges, k)[1], dense.nearest(D, k)[1])
    radius = float(np.sort(D, axis=1)[:, 5].min())
    for part, same in zip(graph.within(edges, radius), dense.within(D, radius)):
        assert_allclose(part, same)
    for part, same in zip(dense.within(edges, radius), dense.within(D, radius)):
        assert_allclose(part, same)
    with pytest.raises(DataError, match="9 neighbors per samples are required, but some samples have only 8"):
        graph.nearest(edges, 9)
    with pytest.raises(DataError, match="Negative values in data"):
        dense.nearest(-D, 1)
    with pytest.raises(DataError, match="to the 20 stored rows, got 3"):
        dense.nearest(D[:, :3], 1)


def test_the_answer_does_not_depend_on_threads(monkeypatch):
    X = RNG.normal(size=(3000, 12))
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        answers.append([searcher(X, "euclidean", way).nearest(X[:700], 5) for way in WAYS])
    for one, three in zip(*answers):
        assert_array_equal(one[1], three[1])
        assert_array_equal(one[0], three[0])


def test_what_suits_the_rows():
    assert searcher(RNG.normal(size=(5000, 3))).method == "kd_tree"
    assert searcher(RNG.normal(size=(5000, 30))).method == "brute"
    assert searcher(RNG.normal(size=(5000, 3)), "cosine").method == "brute"
    assert searcher(sp.identity(5, format="csr")).method == "brute"


def test_what_is_refused():
    X = RNG.normal(size=(5, 2))
    with pytest.raises(ParameterError, match="n_neighbors = 6, n_samples_fit = 5"):
        searcher(X).nearest(X, 6)
    with pytest.raises(ParameterError, match="there are 4 rows to find neighbours among"):
        searcher(X).nearest(None, 5, leave_out_self=True)
    with pytest.raises(DataError, match="query i must be stored row i of 5, got 2"):
        searcher(X).nearest(X[:2], 1, leave_out_self=True)
    with pytest.raises(ParameterError, match="kd-tree cannot search by the metric 'cosine'"):
        searcher(X, "cosine", "kd_tree")
    with pytest.raises(ParameterError, match="must be one of 'auto'"):
        searcher(X, "cosine", "cover_tree")
    with pytest.raises(ParameterError, match="radius must be a number"):
        searcher(X).within(X, np.nan)


def test_queries_are_taken_in_pieces(monkeypatch):
    X = RNG.normal(size=(500, 10))
    whole = searcher(X, "euclidean", "brute").nearest(X, 3)
    monkeypatch.setattr(brute, "QUERIES", 7)
    monkeypatch.setattr(brute, "ROWS", 64)
    pieces = searcher(X, "euclidean", "brute").nearest(X, 3)
    assert_array_equal(pieces[1], whole[1])
    assert_array_equal(pieces[0], whole[0])


def test_many_queries_of_a_tree_keep_their_places():
    """More than a thousand are asked in another order; ties and the rows themselves included."""
    X = RNG.integers(0, 12, (2500, 3)).astype(float)
    distances, rows = by_the_book(metric_of("euclidean").between(X, X), 6, own=True)
    result = searcher(X, "euclidean", "kd_tree").nearest(None, 6, leave_out_self=True)
    assert_array_equal(result[1], rows)
    assert_allclose(result[0], distances, rtol=1e-14)
    flat = np.ones((1500, 2))
    assert_array_equal(searcher(flat, "euclidean", "kd_tree").nearest(flat, 2)[1], np.tile([0, 1], (1500, 1)))


def test_a_tree_tells_sums_apart_whose_roots_are_equal():
    """Two columns of diabetes: sums of squares that differ in the last digit alone, so that their roots are equal."""
    from sklearn.datasets import load_diabetes

    X = np.ascontiguousarray(load_diabetes().data[:, [4, 7]])
    train, test = np.r_[0:177, 265:442], np.arange(177, 265)
    brute, tree = (searcher(X[train], method=m).nearest(X[test], 5) for m in ("brute", "kd_tree"))
    np.testing.assert_array_equal(tree[1], brute[1])
    np.testing.assert_array_equal(tree[0], brute[0])
