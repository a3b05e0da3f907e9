"""Graphs of neighbours as tables: the same as scikit-learn's, and good for learners behind them."""

import numpy as np
import pytest
from sklearn import neighbors as peers
from sklearn.pipeline import make_pipeline

from assay.errors import ParameterError
from assay.neighbors import KNeighborsClassifier, NearestNeighbors
from assay.neighbors.graph_transformers import KNeighborsTransformer, RadiusNeighborsTransformer
from assay.neighbors.nearest_neighbors import kneighbors_graph
from assay.tables.data import load_iris

X = np.random.default_rng(0).normal(size=(60, 3))
Q = np.random.default_rng(1).normal(size=(17, 3))


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize(
    "name, more", [("KNeighbors", {"n_neighbors": 4}), ("RadiusNeighbors", {"radius": 0.9})]
)
@pytest.mark.parametrize("metric", ["minkowski", "manhattan"])
def test_graphs_equal_scikit_learns(name, more, mode, metric):
    ours = {"KNeighbors": KNeighborsTransformer, "RadiusNeighbors": RadiusNeighborsTransformer}[name]
    mine = ours(mode=mode, metric=metric, **more).fit(X)
    peer = getattr(peers, f"{name}Transformer")(mode=mode, metric=metric, **more).fit(X)
    for rows in (X, Q):
        found, expected = mine.transform(rows), peer.transform(rows)
        assert found.format == "csr" and found.nnz == expected.nnz
        np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    assert list(mine.get_feature_names_out()) == list(peer.get_feature_names_out())


def test_entries_come_from_near_to_far_and_a_training_row_is_its_own_first_neighbour():
    graph = RadiusNeighborsTransformer(radius=1.5).fit_transform(X)
    for a, b in zip(graph.indptr, graph.indptr[1:]):
        assert (np.diff(graph.data[a:b]) >= 0).all() and graph.data[a] == 0
    nearest = KNeighborsTransformer(n_neighbors=3).fit_transform(X)
    assert (nearest.indices.reshape(60, 4)[:, 0] == np.arange(60)).all()


def test_a_learner_behind_the_graph_answers_as_one_that_sees_the_rows():
    table, y = load_iris()
    chain = make_pipeline(KNeighborsTransformer(n_neighbors=9), KNeighborsClassifier(5, metric="precomputed"))
    alone = KNeighborsClassifier(5)
    assert (chain.fit(table, y).predict(table) == alone.fit(table, y).predict(table)).all()


def test_rows_of_fitted_learners_and_of_scikit_learns_trees_are_rows():
    expected = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(Q)
    holders = [NearestNeighbors().fit(X), peers.KDTree(X), peers.BallTree(X), peers.NearestNeighbors().fit(X)]
    for held in holders:
        for found, right in zip(NearestNeighbors(n_neighbors=3).fit(held).kneighbors(Q), expected):
            np.testing.assert_array_equal(found, right)


def test_each_query_may_have_a_radius_of_its_own():
    reach = np.linspace(0.1, 2.0, len(Q))
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        model = NearestNeighbors(algorithm=algorithm).fit(X)
        together = model.radius_neighbors(Q, reach, return_distance=False)
        alone = [
            model.radius_neighbors(Q[i : i + 1], reach[i], return_distance=False)[0] for i in range(len(Q))
        ]
        assert all((a == b).all() for a, b in zip(together, alone))
    with pytest.raises(ParameterError, match="a number from 0 up, or one for each query"):
        model.radius_neighbors(Q, reach[:3])


def test_a_graph_of_a_fitted_learner_does_not_take_another_metric():
    fitted = NearestNeighbors(metric="manhattan").fit(X)
    assert kneighbors_graph(fitted, 3, metric="manhattan").nnz == 180
    with pytest.raises(ParameterError, match="metric='manhattan', but metric='euclidean' was asked for"):
        kneighbors_graph(fitted, 3, metric="euclidean")


def test_functions_see_rows_of_sparse_tables_as_sparse():
    from scipy.sparse import csr_array, issparse

    def apart(a, b):
        assert issparse(a) and issparse(b)
        return float(abs(a - b).sum())

    sparse = csr_array(np.where(X > 0, X, 0.0))
    mine = NearestNeighbors(n_neighbors=2, metric=apart).fit(sparse).kneighbors(sparse[:5])
    peer = (
        NearestNeighbors(n_neighbors=2, metric="manhattan")
        .fit(sparse.toarray())
        .kneighbors(sparse[:5].toarray())
    )
    np.testing.assert_allclose(mine[0], peer[0])
    np.testing.assert_array_equal(mine[1], peer[1])


def test_a_p_among_the_metrics_own_parameters_wins_and_says_so():
    with pytest.warns(SyntaxWarning, match="found in metric_params, where it is 1; p=3 is ignored"):
        model = NearestNeighbors(p=3, metric_params={"p": 1}).fit(X)
    assert model.effective_metric_ == "manhattan"
    with pytest.warns(SyntaxWarning, match="p=2 is ignored"):
        NearestNeighbors(metric_params={"p": 1}).fit(X)


def test_sums_that_break_the_triangle_inequality_are_searched_without_trees():
    with pytest.warns(UserWarning, match="for 0 < p < 1, Minkowski metrics are not distance metrics"):
        model = NearestNeighbors(n_neighbors=2, p=0.5).fit(X)
    apart = (np.abs(X[:1, None] - X[None]) ** 0.5).sum(axis=2) ** 2
    np.testing.assert_allclose(model.kneighbors(X[:1])[0], np.sort(apart)[:, :2], atol=1e-12)
    for algorithm in ("kd_tree", "ball_tree"):
        with pytest.raises(ParameterError, match="does not support 0 < p < 1"):
            NearestNeighbors(p=0.5, algorithm=algorithm).fit(X)
