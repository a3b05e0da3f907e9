"""Online k-means and adaptive resonance: worked steps, running means, winners, dead units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.cluster import KMeans, LeaderClustering, OnlineKMeans
from assay.errors import ParameterError

rng = np.random.default_rng(0)


def by_the_book(X, order, M, rate, momentum=0.0, conscience=0.0, memory=1e-4, product=False, wins=None):
    """One visit of each row, in NumPy."""
    M, motion, share = M.copy(), np.zeros_like(M), np.full(len(M), 1 / len(M))
    wins = np.zeros(len(M)) if wins is None else wins
    for i in order:
        gaps = -M @ X[i] if product else ((X[i] - M) ** 2).sum(axis=1)
        best = gaps.argmin()
        share += memory * ((np.arange(len(M)) == best) - share)
        if conscience:
            best = (gaps - conscience * (1 / len(M) - share)).argmin()
        wins[best] += 1
        motion *= momentum
        motion[best] += (rate or 1 / wins[best]) * (X[i] - M[best])
        M += motion
        if not momentum:
            motion[:] = 0
    return M, share, wins


@pytest.mark.capability("IML-12-01")
def test_one_step_moves_the_winner_alone():
    """Centres (0, 0) and (10, 0), row (2, 2), rate 0.1: (0.2, 0.2), and the other stays."""
    start = [[0.0, 0.0], [10.0, 0.0]]
    model = OnlineKMeans(2, init=start, max_iter=1).fit([[2.0, 2.0]])
    assert_allclose(model.cluster_centers_, [[0.2, 0.2], [10.0, 0.0]])
    stream = OnlineKMeans(2, init=start).partial_fit([[2.0, 2.0]])
    assert_allclose(stream.cluster_centers_, model.cluster_centers_)


@pytest.mark.capability("IML-12-01")
def test_rates_of_one_over_the_wins_give_running_means():
    X = rng.normal(size=(60, 3))
    alone = OnlineKMeans(1, init=[[5.0, 5.0, 5.0]], schedule="wins").partial_fit(X[:25]).partial_fit(X[25:])
    assert_allclose(alone.cluster_centers_, [X.mean(axis=0)], rtol=1e-12)  # the first row replaces the start
    groups = np.vstack([X[:30] - 20, X[30:] + 20])
    two = OnlineKMeans(2, init=[[-20.0] * 3, [20.0] * 3], schedule="wins", max_iter=1, random_state=0).fit(
        groups
    )
    assert_allclose(two.cluster_centers_, [groups[:30].mean(axis=0), groups[30:].mean(axis=0)], rtol=1e-12)
    assert_allclose(two.wins_, 30)


@pytest.mark.capability("IML-12-01")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"momentum": 0.5},
        {"schedule": "wins"},
        {"winner": "dot"},
        {"conscience": 3.0, "memory": 0.05},
        {"momentum": 0.3, "conscience": 1.0},
    ],
)
def test_the_native_loop_is_that_of_the_book(settings):
    X = rng.normal(size=(40, 3))
    start = X[:4] * 1.5
    model = OnlineKMeans(4, init=start, learning_rate=0.2, **settings).partial_fit(X)
    M, share, wins = by_the_book(
        X, range(40), start, 0.0 if settings.get("schedule") else 0.2, settings.get("momentum", 0.0),
        settings.get("conscience", 0.0), settings.get("memory", 1e-4), settings.get("winner") == "dot",
    )  # fmt: skip
    assert_allclose(model.cluster_centers_, M, atol=1e-12)
    assert_allclose(model.wins_, wins)
    assert_allclose(model.shares_, share, atol=1e-12)


@pytest.mark.capability("IML-12-02")
@given(st.integers(0, 10**6))
def test_products_and_distances_agree_for_centres_of_equal_length(seed):
    draw = np.random.default_rng(seed)
    M = draw.normal(size=(5, 3))
    M *= 2 / np.linalg.norm(M, axis=1, keepdims=True)
    x = draw.normal(size=(1, 3)) * draw.uniform(0.1, 10)
    both = [OnlineKMeans(5, init=M, winner=winner).partial_fit(x) for winner in ("dot", "euclidean")]
    assert (both[0].wins_ == both[1].wins_).all()


@pytest.mark.capability("IML-12-02")
def test_the_winner_by_mahalanobis_is_the_nearest_after_whitening():
    X = rng.normal(size=(200, 2)) @ [[10.0, 3.0], [0.0, 0.5]]
    model = OnlineKMeans(3, winner="mahalanobis", random_state=0).fit(X)
    values, axes = np.linalg.eigh(np.cov(X.T, bias=True))
    white = (X - X.mean(axis=0)) @ axes / np.sqrt(values)  # principal components with variance one
    centers = (model.cluster_centers_ - X.mean(axis=0)) @ axes / np.sqrt(values)
    nearest = ((white[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert (model.predict(X) == nearest).all()
    start = X[:3]
    plain = OnlineKMeans(3, init=(start - X.mean(axis=0)) @ axes / np.sqrt(values), random_state=0).fit(white)
    other = OnlineKMeans(3, init=start, winner="mahalanobis", tol=0.0, random_state=0).fit(X)
    back = (other.cluster_centers_ - X.mean(axis=0)) @ axes / np.sqrt(values)
    if plain.n_iter_ == other.n_iter_:
        assert_allclose(back, plain.cluster_centers_, atol=1e-8)


@pytest.mark.capability("IML-12-05")
def test_a_conscience_brings_dead_units_back():
    """N(0, I), one centre at the origin, three near (5, 5), memory 1e-3: c = 10 leaves two dead, c = 100 none."""
    X = np.random.default_rng(0).normal(size=(2000, 2))
    X = X[X.sum(axis=1) < 4.9]  # one nearer to (5, 5) than to the origin would bring a unit back by itself
    start = [[0.0, 0.0], [5.0, 5.0], [5.0, 5.5], [5.5, 5.0]]
    dead = {}
    for c in (None, 10.0, 100.0):
        model = OnlineKMeans(
            4, init=start, conscience=c, memory=1e-3, schedule="constant", learning_rate=0.02, max_iter=10, tol=0.0,
            random_state=0,
        ).fit(X)  # fmt: skip
        dead[c] = len(model.dead_units_)
        assert (model.wins_ == 0).sum() == dead[c]
    assert dead == {None: 3, 10.0: 2, 100.0: 0}
    assert "never won" in str(OnlineKMeans(4, init=start, max_iter=1, random_state=0).fit(X).show())


def test_it_comes_near_to_k_means():
    X = load_iris(return_X_y=True)[0]
    start = X[[0, 60, 120]]
    model = OnlineKMeans(3, init=start, random_state=0).fit(X)
    best = KMeans(3, init=start, n_init=1).fit(X)
    assert model.inertia_ < 1.02 * best.inertia_
    assert model.history_[-1]["rate"] < model.history_[0]["rate"]
    followed = OnlineKMeans(1, init=[[0.0]], schedule="constant", learning_rate=0.2)
    followed.partial_fit(np.zeros((50, 1))).partial_fit(np.full((50, 1), 9.0))
    assert abs(followed.cluster_centers_[0, 0] - 9) < 0.01  # groups that move are followed
    with pytest.raises(ParameterError, match="init"):
        OnlineKMeans(2, init=[[1.0]]).fit(X)
    assert len(OnlineKMeans(5, random_state=0).fit(np.ones((4, 2))).cluster_centers_) == 1


@pytest.mark.capability("IML-12-06")
def test_adaptive_resonance_of_a_stream():
    """0, 1, 5, 5.5, 0.4 with vigilance 2 and rate 0.5: units 0.45 and 5.25."""
    stream = np.array([[0.0], [1.0], [5.0], [5.5], [0.4]])
    model = LeaderClustering(2, update=0.5).fit(stream)
    assert_allclose(model.cluster_centers_, [[0.45], [5.25]])
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    one_by_one = LeaderClustering(2, update=0.5)
    for row in stream:
        one_by_one.partial_fit(row[None])
    assert_allclose(one_by_one.cluster_centers_, model.cluster_centers_)
    assert_allclose(one_by_one.counts_, [3, 2])


@pytest.mark.capability("IML-12-06")
def test_vigilance_at_its_ends_and_by_products():
    X = rng.normal(size=(30, 2))
    assert len(LeaderClustering(1e9, update=0.1).fit(X).cluster_centers_) == 1
    assert len(LeaderClustering(0, update=0.1).fit(X).cluster_centers_) == 30
    sizes = [len(LeaderClustering(r, update=0.1).fit(X).cluster_centers_) for r in (0.2, 0.5, 1.0, 2.0)]
    assert sizes == sorted(sizes, reverse=True)
    few = LeaderClustering(0.1, update=0.1, max_clusters=4).fit(X)
    assert len(few.cluster_centers_) == 4 and few.counts_.sum() == 30
    turned = LeaderClustering(0.9, update=0.2, similarity="dot").fit(X)
    assert_allclose(np.linalg.norm(turned.cluster_centers_, axis=1), 1)
    assert_allclose(turned.predict(X * 7), turned.predict(X))
