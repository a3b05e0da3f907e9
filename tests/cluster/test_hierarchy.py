"""Hierarchies, spanning trees and density: oracles of the textbook, NumPy twins, SciPy and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as peer_linkage
from scipy.spatial.distance import cdist
from sklearn import cluster as peers
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_moons

import assay.cluster._linking as linking
import assay.cluster._merging as merging
import assay.cluster._spanning as spanning
from assay.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    DivisiveClustering,
    Genie,
    adjusted_rand_score,
    hierarchy,
    merge_rows,
)
from assay.cluster.hierarchy import spanning_tree, tree_of_edges
from assay.errors import AssayError

IRIS = load_iris().data
SIX = np.array([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], dtype=float)
LINE = np.array([[0], [1], [3], [6], [10], [15]], dtype=float)
root5 = 2.236068
HEIGHTS = {  # of the points a..f (ledger)
    "single": [1, 2, root5, 4, 4.472136],
    "complete": [1, 2, root5, 6.403124, 7.071068],
    "average": [1, 2, root5, 5.335189, 6.046515],
    "centroid": [1, 2, 2, 5.262551, 5.433231],
}
OF_LINE = {
    "single": [1, 2, 3, 4, 5],
    "complete": [1, 3, 4, 9, 15],
    "average": [1, 2.5, 4, 20 / 3, 11],
    "centroid": [1, 2.5, 4, 20 / 3, 11],
}
OF_IRIS = {  # sizes of three groups, last heights
    "single": ([2, 50, 98], [0.734847, 0.818535, 1.640122]),
    "complete": ([28, 50, 72], [3.210919, 4.024922, 7.085196]),
    "average": ([36, 50, 64], [1.785566, 1.963614, 4.062683]),
    "centroid": ([36, 50, 64], [1.698552, 1.810243, 3.974004]),
}


@pytest.mark.capability("IML-7-26", "IML-7-27", "IML-7-28")
@pytest.mark.parametrize("linkage", ["single", "complete", "average", "centroid"])
def test_heights_of_the_worked_examples(linkage):
    tree = merge_rows(SIX, linkage, names="abcdef")
    assert_allclose(tree.heights, HEIGHTS[linkage], atol=5e-7)
    assert_allclose(merge_rows(LINE, linkage).heights, OF_LINE[linkage], atol=5e-7)
    iris = merge_rows(IRIS, linkage)
    sizes, last = OF_IRIS[linkage]
    assert sorted(np.bincount(iris.cut(3)).tolist()) == sizes
    assert_allclose(iris.heights[-3:], last, atol=5e-7)
    assert (np.diff(iris.heights) < 0).any() == (linkage == "centroid")


@pytest.mark.capability("IML-7-26", "IML-7-27")
def test_a_bridge_chains_single_linkage_but_not_complete():
    assert merge_rows(SIX, "single").cut(height=3).tolist() == [0, 0, 1, 1, 2, 1]
    bridged = np.vstack([SIX, [[4, 4]]])
    assert merge_rows(bridged, "single").cut(height=3).tolist() == [0, 0, 1, 1, 1, 1, 1]
    assert merge_rows(bridged, "complete").cut(height=3).tolist() == [0, 0, 1, 1, 2, 1, 2]


@pytest.mark.capability("IML-7-26")
def test_single_linkage_is_the_shortest_spanning_tree():
    X = np.random.default_rng(0).normal(size=(300, 3)).round(1)
    edges, lengths = spanning_tree(X)
    assert_allclose(lengths, merge_rows(X, "single").heights)
    assert_allclose(lengths, np.sort(prim_by_the_book(X)), atol=1e-12)
    assert_allclose(lengths, np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1), atol=1e-12)


@pytest.mark.parametrize("p", [1, 2, np.inf])
@pytest.mark.parametrize("d", [1, 2, 12])
@pytest.mark.parametrize("least", [None, 3, 40])
def test_a_tree_of_copies_is_as_short_as_that_of_all_rows(p, d, least, monkeypatch):
    """Copies are joined first; with a core distance above 0 they are treated like any other rows."""
    draw = np.random.default_rng(d)
    X = draw.normal(size=(12, d))[draw.integers(0, 12, 300)]
    X = np.vstack([X, X[:3] + 0.1])
    core = None
    if least is not None:
        core = np.sort(np.linalg.norm(X[:, None] - X[None], ord=p, axis=2), axis=1)[:, least - 1]
    slow = spanning_tree(X, core, p)
    monkeypatch.setattr(hierarchy, "FEWEST_ROWS_WITH_COPIES", 1)
    edges, lengths = spanning_tree(X, core, p)
    assert_allclose(lengths, slow[1], rtol=1e-14)
    apart = np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], ord=p, axis=1)
    reach = apart if core is None else np.maximum(apart, core[edges].max(axis=1))
    assert_allclose(reach, lengths, rtol=1e-12)
    for height in np.unique(lengths.round(9)) + 1e-8:  # the same groups at every height
        assert adjusted_rand_score(
            tree_of_edges(edges, lengths).cut(height=height), tree_of_edges(*slow).cut(height=height)
        ) == pytest.approx(1)


@pytest.mark.parametrize(
    "learner",
    [HDBSCAN(min_cluster_size=10), HDBSCAN(5, 30), HDBSCAN(30, 4), Genie(4), Genie(3, min_samples=4)],
)
def test_groups_of_copies_are_those_of_all_rows(learner, monkeypatch):
    """No two pairs of distinct rows are equally far apart here."""
    draw = np.random.default_rng(0)
    distinct = np.concatenate([draw.normal(m, 1, (20, 2)) for m in (0, 9, 18)])
    X = distinct[draw.integers(0, 60, 1500)]
    slow = clone(learner).fit(X).labels_
    monkeypatch.setattr(hierarchy, "FEWEST_ROWS_WITH_COPIES", 1)
    quick = clone(learner).fit(X).labels_
    assert adjusted_rand_score(slow, quick) == 1 and (slow >= 0).sum() == (quick >= 0).sum()


def prim_by_the_book(X, core=None, p=2):
    D = np.linalg.norm(X[:, None] - X[None], ord=p, axis=2)
    if core is not None:
        D = np.maximum(D, np.maximum(core[:, None], core[None]))
    reached, lengths = [0], []
    while len(reached) < len(X):
        left = np.setdiff1d(np.arange(len(X)), reached)
        apart = D[np.ix_(reached, left)]
        lengths.append(apart.min())
        reached.append(left[apart.min(axis=0).argmin()])
    return np.array(lengths)


@pytest.mark.parametrize("p", [1, 2, 0])
def test_boruvka_prim_and_core_distances_are_those_of_the_book(p):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2)).round(1)  # with equal rows and equal distances
    order = {0: np.inf, 1: 1, 2: 2}[p]
    core = np.empty(150)
    spanning.core_distances(X, 4, p, core)
    D = np.linalg.norm(X[:, None] - X[None], ord=order, axis=2)
    assert_allclose(core, np.sort(D, axis=1)[:, 3], atol=1e-12)
    for reach in (np.empty(0), core):
        edges, lengths = np.empty((149, 2), np.int64), np.empty(149)
        spanning.boruvka(X, reach, p, edges, lengths)
        expected = np.sort(prim_by_the_book(X, core if len(reach) else None, order))
        assert_allclose(np.sort(lengths), expected, atol=1e-12)
        if p == 2:
            spanning.prim(X, reach, edges, lengths)
            assert_allclose(np.sort(lengths), expected, atol=1e-12)
    spanning.prim_of_matrix(D, edges, lengths)
    assert_allclose(np.sort(lengths), np.sort(prim_by_the_book(X, None, order)), atol=1e-12)


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "weighted", "centroid", "single"])
@pytest.mark.parametrize("digits", [9, 1])
def test_merges_are_those_of_scipy(linkage, digits):
    X = np.random.default_rng(2).normal(size=(120, 3)).round(digits)
    peer = peer_linkage(X, linkage)
    tree = merge_rows(X, linkage)
    assert_allclose(tree.heights, peer[:, 2], atol=1e-9)
    if digits == 9:
        assert_array_equal(tree.merges, peer[:, :2])
        assert_allclose(tree.linkage_matrix(), peer, atol=1e-9)


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "weighted", "centroid", "single"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_copies_of_rows_merge_first(linkage, metric, monkeypatch):
    """Distinct rows with the weights of their copies have the heights of all rows, and the same groups."""
    if metric == "manhattan" and linkage in ("ward", "centroid"):
        pytest.skip("of Euclidean distances alone")
    monkeypatch.setattr(hierarchy, "FEWEST_ROWS_WITH_COPIES", 1)
    draw = np.random.default_rng(6)
    X = draw.normal(size=(70, 2))[draw.integers(0, 70, 300)]
    tree = merge_rows(X, linkage, metric=metric)
    peer = peer_linkage(X, linkage, metric={"manhattan": "cityblock"}.get(metric, metric))
    assert_allclose(tree.heights, peer[:, 2], atol=1e-9)
    for k in (2, 5, 20):
        assert adjusted_rand_score(tree.cut(k), fcluster(peer, k, "maxclust")) == 1 or linkage == "centroid"
    assert len(np.unique(tree.cut(height=0))) == len(np.unique(X, axis=0))


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_distances_that_are_none_are_refused(kind):
    """Not symmetric, not numbers, infinite: an error or some tree, never a place outside of the matrix."""
    draw = np.random.default_rng(kind)
    for n in (2, 5, 70, 200):
        for odd in (None, np.nan, np.inf, -np.inf):
            D = draw.normal(size=(n, n))
            if odd is not None:
                D[draw.uniform(size=(n, n)) < 0.3] = odd
            pairs, heights = np.zeros((n - 1, 2), np.int64), np.empty(n - 1)
            try:
                linking.chain(D, np.empty(0), kind, pairs, heights)
            except ValueError as error:
                assert "chain: the distances must be" in str(error)
            assert pairs.min() >= 0 and pairs.max() < n
    with pytest.raises(ValueError, match="weights must be above 0"):
        linking.chain(np.zeros((2, 2)), np.array([1.0, 0.0]), kind, np.empty((1, 2), np.int64), np.empty(1))


def test_native_merges_stand_by_the_definition():
    """Ward from rows, and complete linkage from a matrix, against merging the nearest pair again and again."""
    X = np.random.default_rng(3).normal(size=(40, 2))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for method in ("ward", "complete"):
        pairs, heights = np.empty((39, 2), np.int64), np.empty(39)
        if method == "ward":
            merging.ward(X, np.empty(0), pairs, heights)
        else:
            linking.chain(D.copy(), np.empty(0), 0, pairs, heights)
        assert_allclose(np.sort(heights), merges_by_the_book(X, method), atol=1e-9)


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("d", [1, 3, 10])
def test_merges_of_rows_are_those_of_their_distances(kind, d):
    """To the last bit, so that ties are resolved alike: also of rounded rows, which lie on a grid of tenths."""
    draw = np.random.default_rng(d)
    for n, grid in ((2, False), (33, True), (300, False), (700, True)):
        X = draw.normal(size=(n, d)) + 4 * draw.integers(0, 4, (n, 1))
        X = np.round(X, 1) if grid else X
        for w in (np.empty(0), draw.uniform(0.5, 3, n)):
            pairs, heights = np.empty((2, n - 1, 2), np.int64), np.empty((2, n - 1))
            linking.chain_of_rows(X, w, kind, pairs[0], heights[0])
            linking.chain(cdist(X, X), w, kind, pairs[1], heights[1])
            assert_array_equal(pairs[0], pairs[1])
            assert_array_equal(heights[0], heights[1])


@pytest.mark.parametrize("linkage", ["complete", "average", "weighted"])
def test_no_matrix_is_made_of_euclids_distances(linkage, monkeypatch):
    """A matrix is made of other distances, and of rows whose squares are no numbers; of copies neither."""
    X = make_blobs(60, 3, centers=3, random_state=0)[0]
    tree = merge_rows(X, linkage)
    matrices = []
    made = AgglomerativeClustering._distances
    monkeypatch.setattr(
        AgglomerativeClustering, "_distances", lambda self, X: (matrices.append(len(X)), made(self, X))[1]
    )
    assert_array_equal(merge_rows(X, linkage).merges, tree.merges)
    assert not matrices
    for unit in (2.0**600, 2.0**-600):
        scaled = merge_rows(X * unit, linkage)
        assert_array_equal(scaled.merges, tree.merges)
        assert_allclose(scaled.heights / unit, tree.heights, rtol=1e-12)
    merge_rows(X, linkage, metric="manhattan")
    assert matrices == [60, 60, 60]


def merges_by_the_book(X, method):
    groups, heights = [[i] for i in range(len(X))], []

    def apart(a, b):
        if method == "complete":
            return max(np.linalg.norm(X[i] - X[j]) for i in a for j in b)
        gap = X[a].mean(axis=0) - X[b].mean(axis=0)
        return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b)) * (gap @ gap))

    while len(groups) > 1:
        pairs = [(apart(a, b), i, j) for i, a in enumerate(groups) for j, b in enumerate(groups[:i])]
        height, i, j = min(pairs)
        heights.append(height)
        groups[j] = groups[j] + groups.pop(i)
    return heights


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_labels_are_those_of_scikit_learn(linkage):
    X, _ = make_blobs(90, 2, centers=4, random_state=4)
    for settings in ({"n_clusters": 5}, {"n_clusters": None, "distance_threshold": 2.0}):
        peer = peers.AgglomerativeClustering(linkage=linkage, **settings).fit(X)
        ours = AgglomerativeClustering(linkage=linkage, **settings).fit(X)
        assert_array_equal(ours.labels_, peer.labels_)
        assert_array_equal(ours.children_, np.sort(peer.children_, axis=1))
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, 45)
    peer = peers.AgglomerativeClustering(4, linkage=linkage, connectivity=graph).fit(X)
    ours = AgglomerativeClustering(4, linkage=linkage, connectivity=graph).fit(X)
    assert adjusted_rand_score(ours.labels_, peer.labels_) == 1


@pytest.mark.capability("IML-7-30")
def test_a_tree_is_cut_pruned_and_ordered():
    tree = merge_rows(SIX, "single", names="abcdef")
    assert tree.cut(3).tolist() == tree.cut(height=3).tolist() == [0, 0, 1, 1, 2, 1]
    assert tree.order().tolist() == [0, 1, 2, 3, 5, 4]
    assert tree.pruned(min_size=2).tolist() == [0, 0, 0, 0, 0, 0]  # e is alone
    assert tree.pruned(min_gap=0.4).tolist() == [0, 1, 2, 2, 3, 2]  # c, d and f merge at 2 and 2.24
    assert len(np.unique(tree.pruned())) == 6
    with pytest.raises(AssayError, match="either"):
        tree.cut()


@pytest.mark.capability("IML-7-29")
def test_divisions_are_nested_down_to_single_rows():
    model = DivisiveClustering(3).fit(IRIS[::5])
    n = 30
    last = np.zeros(n, dtype=int)
    for k in range(1, n + 1):
        labels = model.tree_.cut(k)
        assert len(np.unique(labels)) == k
        assert len(np.unique(np.column_stack([labels, last]), axis=0)) == k  # inside of the groups before
        last = labels
    assert_array_equal(model.tree_.cut(3), model.labels_)


def test_dbscan_has_the_labels_of_scikit_learn():
    rng = np.random.default_rng(5)
    for d, eps in ((2, 0.25), (5, 0.9)):
        X = rng.normal(size=(400, d)).round(1)
        w = rng.choice([0.5, 1.0, 3.0], 400)
        for settings in ({}, {"metric": "manhattan"}, {"metric": "chebyshev"}, {"metric": "cosine"}):
            peer = peers.DBSCAN(eps=eps, **settings)
            ours = DBSCAN(eps=eps, **settings)
            if settings.get("metric") == "cosine":
                peer.eps = ours.eps = 0.02
            for weights in (None, w):
                assert_array_equal(
                    ours.fit(X, sample_weight=weights).labels_, peer.fit(X, sample_weight=weights).labels_
                )
                assert_array_equal(ours.core_sample_indices_, peer.core_sample_indices_)
    core = ours.fit(X)
    assert_array_equal(core.predict(X)[core.core_sample_indices_], core.labels_[core.core_sample_indices_])


def test_hdbscan_finds_the_groups_of_scikit_learn():
    for seed in range(3):
        X, _ = make_blobs(250, 2, centers=4, cluster_std=0.8, random_state=seed)
        X = np.vstack([X, np.random.default_rng(seed).uniform(-12, 12, (25, 2))])
        for settings in (
            {"min_cluster_size": 10},
            {"min_cluster_size": 15, "cluster_selection_method": "leaf"},
        ):
            peer = peers.HDBSCAN(copy=True, **settings).fit(X)
            ours = HDBSCAN(**settings).fit(X)
            assert adjusted_rand_score(ours.labels_, peer.labels_) > 0.9
    odd = np.vstack([X, [[np.nan, 1.0], [np.inf, 0.0]]])
    model = HDBSCAN(10).fit(odd)
    assert model.labels_[-2:].tolist() == [-3, -2]
    assert adjusted_rand_score(model.dbscan_clustering(1.0, 10)[:-2], model.labels_[:-2]) > 0.5


def test_genie_follows_forms_and_is_not_led_astray_by_outliers():
    X, y = make_moons(200, noise=0.05, random_state=0)
    X = np.vstack([X, [[3.0, 3.0]]])
    single = AgglomerativeClustering(2, linkage="single").fit(X).labels_
    assert sorted(np.bincount(single)) == [1, 200]
    assert adjusted_rand_score(Genie(2).fit(X).labels_[:-1], y) == 1
    assert_array_equal(np.sort(np.bincount(Genie(2, gini_threshold=1).fit(X).labels_)), [1, 200])


def test_mixed_tables_with_missing_values_have_a_hierarchy():
    import pandas as pd

    table = pd.DataFrame(
        {"size": [1.0, 1.2, None, 9.0, 9.1], "colour": ["red", "red", "red", "blue", "blue"]}
    )
    for model in (AgglomerativeClustering(2, metric="gower", linkage="average"), Genie(2, metric="gower")):
        labels = model.fit(table).labels_
        assert len(set(labels[:3].tolist())) == 1 == len(set(labels[3:].tolist()))
        assert model.predict(table).tolist() == labels.tolist()


@pytest.mark.parametrize("learner", [AgglomerativeClustering(), DBSCAN(), HDBSCAN(), Genie()], ids=str)
def test_one_row_and_equal_rows(learner):
    same = np.ones((12, 2))
    assert len(np.unique(learner.fit(same).labels_)) <= 2
    if not isinstance(learner, DBSCAN):
        with pytest.raises(AssayError, match=r"n_samples|minimum"):
            learner.fit([[1.0, 2.0]])
