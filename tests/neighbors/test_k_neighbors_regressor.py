"""Means of neighbours: the peer on real data, weights, several targets, explanations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsRegressor as Peer

from assay.errors import DataError, ParameterError
from assay.neighbors.k_neighbors_regressor import KNeighborsRegressor


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize(
    "settings",
    [{}, {"n_neighbors": 1}, {"n_neighbors": 9, "weights": "distance", "p": 1}, {"metric": "cosine"}],
)
def test_same_numbers_as_scikit_learn(settings, algorithm):
    if algorithm == "kd_tree" and settings.get("metric") == "cosine":
        algorithm = "brute"
    X, y = load_diabetes(return_X_y=True)
    X = X + np.random.default_rng(0).uniform(-1e-5, 1e-5, X.shape)  # no two alike
    ours = KNeighborsRegressor(algorithm=algorithm, **settings).fit(X[:300], y[:300])
    peer = Peer(algorithm="brute", **settings).fit(X[:300], y[:300])
    assert_allclose(ours.predict(X[300:]), peer.predict(X[300:]), rtol=1e-9)
    assert_allclose(ours.predict(None), peer.predict(None), rtol=1e-9)


def test_several_targets_are_one_each():
    X, y = load_iris().data[:, :2], load_iris().data[:, 2:]
    both = KNeighborsRegressor(4, weights="distance").fit(X, y)
    for j in range(2):
        one = KNeighborsRegressor(4, weights="distance").fit(X, y[:, j])
        assert_allclose(both.predict(X)[:, j], one.predict(X), rtol=1e-12)
    assert both.explain(X[:1]).sections[0].columns == ["row", "distance", "weight", "y0", "y1"]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    weights=st.sampled_from(
        ["uniform", "distance", "squared_exponential", "gaussian", "epanechnikov", "tricube"]
    ),
    k=st.integers(1, 15),
)
def test_answers_lie_between_the_neighbours_numbers(seed, weights, k):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (15, 2)).astype(float), rng.normal(size=15)
    model = KNeighborsRegressor(k, weights=weights).fit(X, y)
    Q = rng.uniform(0, 4, (10, 2))
    near = y[model.kneighbors(Q)[1]]
    answer = model.predict(Q)
    assert (answer >= near.min(axis=1) - 1e-12).all() and (answer <= near.max(axis=1) + 1e-12).all()


# Worked by hand: e^(-d^2/t^2) with d = 0, 1, t = 1: (1 * 4 + e^-1 * 0) / (1 + e^-1).
@pytest.mark.capability("DC-101")
def test_squared_exponential_weights_of_numbers():
    model = KNeighborsRegressor(2, weights="squared_exponential", bandwidth=1.0).fit(
        [[0.0], [1.0]], [4.0, 0.0]
    )
    assert_allclose(model.predict([[0.0]]), [4 / (1 + np.exp(-1))], rtol=1e-14)


@pytest.mark.capability("IML-8-34")
def test_the_rows_that_were_averaged_are_told():
    X = pd.DataFrame({"age": [20.0, 30.0, 60.0], "town": ["a", "a", "b"]})
    model = KNeighborsRegressor(2, metric="auto").fit(X, [1.0, 2.0, 9.0])
    told = model.explain(X.iloc[[0]])
    assert told.answer == 1.5
    assert told.sections[0].rows == [[0, 0.0, 1.0, 1.0], [1, 0.25, 1.0, 2.0]]


def test_what_is_refused():
    with pytest.raises(DataError, match="looks at the classes"):
        KNeighborsRegressor(metric="vdm").fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ParameterError, match="n_neighbors = 5, n_samples_fit = 2"):
        KNeighborsRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).predict([[0.0]])


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, np.ndarray.tolist])
def test_one_target_in_a_column_is_answered_in_a_column(kind):
    X = np.arange(8.0)[:, None]
    for y in (X * 2, np.hstack([X, X])):
        ours, peer = (model(3).fit(X, kind(y)).predict(X) for model in (KNeighborsRegressor, Peer))
        assert ours.shape == y.shape
        assert_allclose(ours, peer)
