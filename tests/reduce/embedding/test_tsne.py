"""t-SNE: the gradient by each way of summing, the oracle of breast cancer, new rows, and the peer."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.manifold
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.preprocessing import StandardScaler

import assay
from assay.distances import searcher
from assay.errors import DegenerateError, DegenerateWarning, ParameterError
from assay.reduce import TSNE, LocalWeights, graph_connectivity, trustworthiness
from assay.reduce.embedding import _tsne
from assay.reduce.embedding import neighbor_probabilities as probabilities_module
from assay.reduce.embedding.neighbor_probabilities import conditional_probabilities, joint_probabilities

PAIRS, TREE, GRID = 1, 2, 3
GROUPS_APART = pytest.mark.filterwarnings("ignore:.*graph of .* neighbors has")  # of rows that are groups


def by_the_book(y, P, dof):
    """Divergence and gradient of t-SNE, pair by pair."""
    apart = y[:, None] - y[None]
    u = 1 / (1 + (apart**2).sum(axis=2) / dof)
    w = u ** ((dof + 1) / 2)
    np.fill_diagonal(w, 0)
    Q = w / w.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.where(P > 0, P * np.log(P / Q), 0).sum()
    return divergence, 2 * (dof + 1) / dof * (((P - Q) * u)[:, :, None] * apart).sum(axis=1)


def gradient(y, P, dof, method, places=1, angle=0.5):
    """What one step of descent with rate 1 from rest goes down by."""
    y = np.ascontiguousarray(y, dtype=np.float64).copy()
    P = sp.csr_matrix(P)
    edges = _tsne.Edges(
        start=P.indptr.astype(np.int64),
        other=P.indices.astype(np.int32),
        p=P.data.astype(np.float32),
        points=len(y),
    )
    velocity = np.zeros_like(y)
    state = _tsne.State(y=y, velocity=velocity, gains=np.full_like(y, 1.25))  # times 0.8 at the first step
    plan = _tsne.Plan(
        method=method, angle=angle, exaggeration=1.0, momentum=0.0, rate=1.0, steps=1, dof=dof, measure=True
    )
    divergence, _ = _tsne.descend(edges, state, plan, _tsne.Crew(places))
    return divergence, -velocity


def a_problem(n, d, spread=8.0, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.random((n, n)) * (rng.random((n, n)) < 0.1)
    np.fill_diagonal(P, 0)
    P = P + P.T
    return rng.normal(scale=spread, size=(n, d)), P / P.sum()


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_sum_over_all_pairs_is_the_gradient_of_the_divergence(d):
    y, P = a_problem(70, d)
    dof = max(d - 1, 1)
    divergence, slope = by_the_book(y, P, dof)
    ours, step = gradient(y, P, dof, PAIRS)
    assert_allclose(ours, divergence, rtol=1e-5)
    assert_allclose(step, slope, atol=1e-5 * np.abs(slope).max())  # sums of single precision
    h = np.zeros_like(y)
    h[3, 0] = 1e-5
    numeric = (by_the_book(y + h, P, dof)[0] - by_the_book(y - h, P, dof)[0]) / 2e-5
    assert_allclose(slope[3, 0], numeric, rtol=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_tree_is_exact_at_angle_0_and_within_four_percent_at_one_half(d):
    y, P = a_problem(900, d)
    _, slope = by_the_book(y, P, max(d - 1, 1))
    _, exact = gradient(y, P, max(d - 1, 1), TREE, angle=0.0)
    assert_allclose(exact, slope, atol=1e-5 * np.abs(slope).max())
    _, near = gradient(y, P, max(d - 1, 1), TREE)
    assert np.abs(near - slope).max() < 0.04 * np.abs(slope).max()


@pytest.mark.parametrize("spread", [1e-3, 0.1, 3.0, 8.0])
@pytest.mark.parametrize("d", [1, 2])
def test_the_grid_is_within_two_percent(d, spread):
    y, P = a_problem(1500, d, spread)
    divergence, slope = by_the_book(y, P, 1)
    ours, near = gradient(y, P, 1, GRID)
    assert_allclose(ours, divergence, rtol=1e-3)
    repulsion = by_the_book(y, np.zeros_like(P), 1)[1]
    error = np.sqrt(((near - slope) ** 2).sum() / (repulsion**2).sum())
    assert error < 0.02


def test_the_lengths_of_the_grid_have_all_factors_of_the_transforms():
    """Spans that make lengths with factors 2, 3 and 5 give the same as the tree."""
    for span in (7.0, 11.3, 17.0, 22.0, 29.5, 37.0, 44.0):
        y = np.random.default_rng(3).uniform(0, 1, (400, 2)) * [span, span * 0.6]
        _, P = a_problem(400, 2)
        grid, tree = gradient(y, P, 1, GRID)[1], gradient(y, P, 1, TREE, angle=0.0)[1]
        assert np.abs(grid - tree).max() < 0.03 * np.abs(tree).max()


@GROUPS_APART
@pytest.mark.parametrize("method", [PAIRS, TREE, GRID])
def test_two_threads_give_the_numbers_of_one(method, monkeypatch):
    X, _ = make_blobs(700, 6, centers=4, random_state=0)
    name = {PAIRS: "exact", TREE: "barnes_hut", GRID: "fft"}[method]
    monkeypatch.setattr(probabilities_module, "threads", lambda: 1)
    one = TSNE(method=name, max_iter=250, init="random", random_state=0).fit(X)
    monkeypatch.setattr(probabilities_module, "threads", lambda: 3)
    monkeypatch.setattr(probabilities_module, "WORTH_SHARING", 0)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setattr("assay.threads._cores", lambda: 3)
    three = TSNE(method=name, max_iter=250, init="random", random_state=0).fit(X)
    assert_array_equal(one.embedding_, three.embedding_)
    assert_array_equal(one.transform(X[:50] + 0.1), three.transform(X[:50] + 0.1))


def test_probabilities_have_the_perplexity_and_know_no_unit():
    rng = np.random.default_rng(0)
    d = rng.random((40, 60)) * 3 + 0.1
    start = np.arange(0, d.size + 1, 60)
    for perplexity in (2.0, 5.5, 30.0, 55.0):
        p = conditional_probabilities(d.ravel(), start, perplexity).reshape(d.shape)
        assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
        assert_allclose(2 ** -(p * np.log2(np.maximum(p, 1e-300))).sum(axis=1), perplexity, rtol=1e-8)
        for unit in (1e-150, 1e150):
            assert_allclose(
                conditional_probabilities(d.ravel() * unit, start, perplexity),
                p.ravel(),
                rtol=1e-6,
                atol=1e-12,
            )


def test_probabilities_of_rows_whose_distances_leave_no_choice():
    p = conditional_probabilities(np.array([0.0, 0.0, 0.0, 5.0, 2.0, 2.0, 2.0]), np.array([0, 4, 7]), 2.0)
    assert_allclose(p, [1 / 3, 1 / 3, 1 / 3, 0, 1 / 3, 1 / 3, 1 / 3], atol=1e-12)


def test_joint_probabilities_are_scikit_learns():
    """Peer: its bisection stops at 1e-5 of the entropy and works in float32."""
    from sklearn.manifold._t_sne import _joint_probabilities_nn
    from sklearn.neighbors import NearestNeighbors

    X = load_iris().data[::2] + np.random.default_rng(0).normal(scale=1e-3, size=(75, 4))
    graph = NearestNeighbors(n_neighbors=31).fit(X).kneighbors_graph(mode="distance")
    graph.data **= 2
    ours = joint_probabilities(searcher(X), 10, 31, "TSNE")
    assert_allclose(ours.toarray(), _joint_probabilities_nn(graph, 10.0, 0).toarray(), atol=1e-6)
    assert_allclose((ours - ours.T).toarray(), 0, atol=1e-18)


@pytest.mark.capability("C3-76")
def test_trustworthiness_on_breast_cancer_is_that_of_the_book():
    X = StandardScaler().fit_transform(load_breast_cancer().data)
    tsne = TSNE(random_state=2020).fit(X)
    assert abs(trustworthiness(X, tsne.embedding_) - 0.970013) < 0.006
    assert abs(tsne.kl_divergence_ - 0.95325) < 0.01
    assert tsne.n_iter_ == 999 and tsne.learning_rate_ == 50.0
    assert [h["iteration"] for h in tsne.history_] == list(range(50, 1001, 50))
    late = [h["divergence"] for h in tsne.history_[6:]]
    assert all(b <= a + 1e-3 for a, b in itertools.pairwise(late))


@pytest.mark.parametrize(("method", "m"), [("exact", 2), ("barnes_hut", 2), ("barnes_hut", 1)])
def test_the_divergence_is_no_higher_than_scikit_learns(method, m):
    """Over four starts: single runs end in one of several valleys, for the peer as for us."""
    X = StandardScaler().fit_transform(load_breast_cancer().data)[::4]
    ours, peer = [], []
    for seed in range(4):
        start = np.random.default_rng(seed).normal(size=(len(X), m)).astype(np.float32) * 1e-4
        options = {"method": method, "init": start, "perplexity": 15, "max_iter": 500}
        ours.append(TSNE(m, **options).fit(X).kl_divergence_)
        peer.append(sklearn.manifold.TSNE(m, **options).fit(X).kl_divergence_)
    assert np.mean(ours) < 1.02 * np.mean(peer)


@GROUPS_APART
def test_training_rows_keep_their_places_and_new_rows_join_their_group():
    X, y = make_blobs(400, 8, centers=4, cluster_std=1.0, random_state=1)
    tsne = TSNE(perplexity=20, max_iter=500).fit(X[:300])
    assert_array_equal(tsne.transform(X[:300]), tsne.embedding_)
    placed = tsne.transform(X[300:])
    nearest = searcher(tsne.embedding_).nearest(placed, 1)[1][:, 0]
    assert (y[:300][nearest] == y[300:]).mean() == 1.0
    assert_array_equal(placed[:7], tsne.transform(X[300:307]))  # each row by itself
    assert tsne.extension_ == "gradient"
    other = TSNE(perplexity=20, max_iter=250, extension=LocalWeights(3)).fit(X[:300])
    assert_array_equal(other.transform(X[:300]), other.embedding_)


@GROUPS_APART
def test_a_new_row_stands_where_its_own_divergence_is_least():
    X, _ = make_blobs(200, 5, centers=3, random_state=0)
    tsne = TSNE(perplexity=15, max_iter=400).fit(X[:190])
    distance, near = searcher(X[:190]).nearest(X[190:], 46)
    for place, d, rows in zip(tsne.transform(X[190:]), distance, near):
        p = conditional_probabilities(d, np.array([0, len(d)]), 15)

        def loss(z, p=p, rows=rows):
            w = 1 / (1 + ((tsne.embedding_ - z) ** 2).sum(axis=1))
            return -(p * np.log(w[rows])).sum() + np.log(w.sum())

        step = 1e-4
        slope = [(loss(place + step * e) - loss(place - step * e)) / (2 * step) for e in np.eye(2)]
        assert np.abs(slope).max() < 0.01


def test_mixed_tables_with_missing_values_and_precomputed_distances():
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=90) + 4 * group,
            "b": rng.normal(size=90),
            "c": np.array(["x", "y", "z"])[group],
        }
    )
    frame.loc[4, "a"] = np.nan
    frame.loc[7, "c"] = None
    tsne = TSNE(metric="heom", perplexity=10, max_iter=400).fit(frame)
    near = searcher(tsne.embedding_).nearest(None, 3, leave_out_self=True)[1]
    assert (group[near] == group[:, None]).mean() > 0.95
    assert_array_equal(tsne.transform(frame), tsne.embedding_)
    X = rng.normal(size=(60, 4))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    options = {"init": "random", "random_state": 0, "perplexity": 8, "max_iter": 250}
    given = TSNE(metric="precomputed", **options).fit(D)
    assert_allclose(given.embedding_, TSNE(**options).fit(X).embedding_, atol=1e-2)
    assert_array_equal(given.transform(D), given.embedding_)


def test_refusals_say_what_to_do():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ParameterError, match=r"perplexity \(30.0\) must be less than n_samples \(20\)"):
        TSNE().fit(X)
    with pytest.raises(ParameterError, match="Use method='exact'"):
        TSNE(4, method="barnes_hut", perplexity=5).fit(X)
    with pytest.raises(ParameterError, match="one or two columns"):
        TSNE(3, method="fft", perplexity=5).fit(X)
    with pytest.raises(ParameterError, match="init='random'"):
        TSNE(5, method="exact", perplexity=5).fit(X)
    with pytest.raises(ValueError, match=r"at least 2 rows|minimum of 2"):
        TSNE(perplexity=0.5).fit(X[:1])
    with pytest.raises(DegenerateError, match="Lower learning_rate"):
        TSNE(
            perplexity=5, learning_rate=1e12, init=np.tile([[1e14, 0.0]], (20, 1)) * [[k] for k in range(20)]
        ).fit(X)


@pytest.mark.parametrize("method", ["auto", "barnes_hut", "fft", "exact"])
def test_equal_rows_and_extreme_units(method):
    equal = TSNE(perplexity=5, method=method, max_iter=250).fit(np.ones((30, 2)))
    assert np.isfinite(equal.embedding_).all()
    X = np.random.default_rng(0).normal(size=(60, 3))
    one = TSNE(perplexity=8, method=method, max_iter=250).fit(X)
    for unit in (2.0**-490, 2.0**490):
        scaled = TSNE(perplexity=8, method=method, max_iter=250).fit(X * unit)
        assert abs(scaled.kl_divergence_ - one.kl_divergence_) < 0.2 * one.kl_divergence_


def test_few_rows():
    for n in (2, 3, 5):
        tsne = TSNE(perplexity=1.2, max_iter=250).fit(np.arange(2.0 * n).reshape(n, 2) ** 2)
        assert tsne.embedding_.shape == (n, 2) and np.isfinite(tsne.embedding_).all()


def test_progress_can_stop_the_work():
    class Enough(Exception):
        pass

    def listener(event):
        if event.done >= 100:
            raise Enough

    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(Enough), assay.core.progress.listen(listener):
        TSNE(perplexity=5).fit(X)


def test_components_of_the_graph_of_neighbours_are_warned_about():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 3)), 50 + rng.normal(size=(30, 3))])
    with pytest.warns(DegenerateWarning, match=r"graph of 16 neighbors has 2 components \(of 40, 30 rows\)"):
        TSNE(perplexity=5, max_iter=250).fit(X)
    assert graph_connectivity(X, n_neighbors=16).n_components == 2
    TSNE(perplexity=12, max_iter=250).fit(X)  # 37 neighbours reach the other rows: no warning
    TSNE(perplexity=5, method="exact", max_iter=250).fit(X)  # as do all
