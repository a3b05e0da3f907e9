"""Networks of states and numbers: rows at once, best and drawn completions, parameters with missing values."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError
from assay.graphs import BayesianNetwork, LinearGaussianConditional, Node, fit_parameters, mixed_rows
from assay.graphs.learning.parameters import expectation_maximization


def drawn_network(seed):
    """Two nodes with states, a number below each set of parents, one of them below another number."""
    rng = np.random.default_rng(seed)
    nodes = [
        Node("a", ["x", "y"], rng.dirichlet([2, 2])),
        Node("b", [0, 1, 2], rng.dirichlet(np.ones(3), 2), ["a"]),
        Node("u", None, LinearGaussianConditional(rng.normal(size=2), (), rng.random(2) + 0.2), ["a"]),
        Node(
            "v",
            None,
            LinearGaussianConditional(rng.normal(size=3), rng.normal(size=(3, 1)), rng.random(3) + 0.2),
            ["u", "b"],
        ),
        Node("w", None, LinearGaussianConditional(0.5, rng.normal(size=2), 0.7), ["u", "v"]),
    ]
    return BayesianNetwork(nodes), rng


def without(network):
    """The same graph; the kinds of its conditionals are to be learned."""
    return BayesianNetwork([Node(n.name, n.states, None, n.parents) for n in network.nodes])


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_rows_at_once_are_the_answers_of_one_at_a_time(seed):
    network, rng = drawn_network(seed)
    rows = pd.DataFrame(network.sample(6, random_state=seed))
    gaps = rows.mask(rng.random(rows.shape) < 0.4)
    table = network.posterior("b", gaps)
    logs = network.log_likelihood(gaps)
    for t, row in gaps.iterrows():
        known = {name: value for name, value in row.items() if not pd.isna(value)}
        assert_allclose(np.exp(logs[t]), network.probability(known) if known else 1.0, rtol=1e-9)
        known.pop("b", None)
        assert_allclose(table[t], network.query("b", known).probabilities, atol=1e-10)


def test_many_configurations_go_through_the_junction_tree(monkeypatch):
    network, _ = drawn_network(3)
    rows = pd.DataFrame(network.sample(3, random_state=0)).assign(a=None)
    plain, logs = network.posterior("b", rows), network.log_likelihood(rows)
    monkeypatch.setattr(mixed_rows, "MOST_CONFIGURATIONS", 1)
    assert_allclose(network.posterior("b", rows), plain, atol=1e-10)
    assert_allclose(network.log_likelihood(rows), logs, rtol=1e-10)


def test_a_row_that_cannot_be_is_named():
    network = BayesianNetwork(
        [
            Node("a", ["x", "y"], [1.0, 0.0]),
            Node("u", None, LinearGaussianConditional([0.0, 1.0], (), [1.0, 1.0]), ["a"]),
            Node("b", ["x", "y"], [[1.0, 0.0], [0.0, 1.0]], ["a"]),
        ]
    )
    rows = {"a": ["x", "y"], "u": [0.0, 0.0]}
    assert np.isneginf(network.log_likelihood(rows)[1])
    with pytest.raises(DegenerateError, match=r"row 2 is impossible.*a=y has probability 0"):
        network.posterior("b", rows)
    assert np.isnan(network.posterior("b", rows, impossible="nan")[1]).all()
    for ask in (network.most_probable, lambda e: network.sample(3, evidence=e)):
        with pytest.raises(DegenerateError, match="a=y has probability 0"):
            ask({"a": "y"})
    with pytest.raises(DataError, match="'u' is a number, and posterior"):
        network.posterior("u", rows)
    with pytest.raises(DataError, match="'b' is a likelihood"):
        network.most_probable({"b": [0.5, 0.5]})


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_the_most_probable_completion_has_the_largest_density(seed):
    network, rng = drawn_network(seed)
    known = {"w": 1.0, "v": -0.5}
    best, density = network.most_probable(known)
    assert_allclose(density, network.joint(best) / network.probability(known), rtol=1e-8)
    for a, b in itertools.product("xy", range(3)):
        for _ in range(5):
            other = {**best, "a": a, "b": b, "u": best["u"] + rng.normal() * 0.3}
            assert network.joint(other) <= network.joint(best) * (1 + 1e-9)


def test_rows_drawn_given_evidence_have_its_moments():
    network, _ = drawn_network(1)
    known = {"w": 1.0, "b": 2}
    rows = network.sample(20_000, random_state=0, evidence=known)
    assert (rows["w"] == 1.0).all() and (rows["b"] == 2).all()
    u, v = network.query("u", known), network.query("v", known)
    for name, exact in (("u", u), ("v", v)):
        assert abs(rows[name].mean() - exact.mean) < 4 * np.sqrt(exact.variance / 20_000)
        assert_allclose(rows[name].var(), exact.variance, rtol=0.06)
    share = network.query("a", known)["x"]
    assert abs((rows["a"] == "x").mean() - share) < 4 * np.sqrt(0.25 / 20_000)
    weighted = network.query("u", known, method="likelihood weighting", n_samples=40_000, random_state=0)
    assert abs(weighted.mean - u.mean) < 0.1


def test_em_of_two_normals_ends_where_the_mixture_of_scikit_learn_does():
    """Peer: GaussianMixture with diagonal covariances from the same start; both are at an optimum of one likelihood."""
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(0)
    z = rng.random(600) < 0.3
    X = rng.normal(size=(600, 2)) * [1.0, 2.0] + np.where(z, 4.0, 0.0)[:, None]
    start = np.array([[0.0, 0.0], [3.0, 3.0]])
    peer = GaussianMixture(
        2, covariance_type="diag", tol=1e-12, max_iter=2000, reg_covar=0.0, means_init=start,
        weights_init=[0.5, 0.5], precisions_init=np.ones((2, 2)),
    ).fit(X)  # fmt: skip
    nodes = [Node("z", ["p", "q"], [0.5, 0.5])] + [
        Node(f"x{j}", None, LinearGaussianConditional(start[:, j], (), [1.0, 1.0]), ["z"]) for j in range(2)
    ]
    result = expectation_maximization(
        BayesianNetwork(nodes), {"x0": X[:, 0], "x1": X[:, 1]}, tol=1e-12, max_iter=2000
    )
    assert (np.diff(result.history) >= -1e-9).all() and result.converged
    assert_allclose(result.history[-1], peer.score(X) * 600, rtol=1e-9)
    for j in range(2):
        line = result.network[f"x{j}"].conditional
        assert_allclose(line.intercept, peer.means_[:, j], atol=1e-4)
        assert_allclose(line.variance, peer.covariances_[:, j], rtol=1e-3)
    drawn = expectation_maximization(without(result.network), {"x0": X[:, 0], "x1": X[:, 1]}, random_state=3)
    assert_allclose(drawn.history[-1], result.history[-1], rtol=1e-3)  # from a start of its own


@pytest.mark.parametrize("lacking", ["y", "x"])
def test_missing_numbers_of_a_normal_pair(lacking):
    """Oracle: one of two columns is missing in some rows. By factoring the likelihood, the column that is complete has
    the moments of all rows, and the other's regression on it is that of the complete rows (Anderson 1957)."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=300) + 5
    y = 2 - 1.5 * x + rng.normal(size=300)
    gone = rng.random(300) < 0.3
    data = {"x": x.copy(), "y": y.copy()}
    data[lacking][gone] = np.nan
    graph = BayesianNetwork([Node("x", None), Node("y", None, None, ["x"])])
    result = expectation_maximization(graph, data, tol=1e-14, max_iter=2000)
    assert (np.diff(result.history) >= -1e-9).all()
    first, line = result.network["x"].conditional, result.network["y"].conditional
    whole, part = (x, y) if lacking == "y" else (y, x)
    slope, intercept = np.polyfit(whole[~gone], part[~gone], 1)
    left = np.mean((part[~gone] - slope * whole[~gone] - intercept) ** 2)
    mean = np.array([whole.mean(), intercept + slope * whole.mean()])
    cov = np.array([[1.0, slope], [slope, slope**2]]) * whole.var() + [[0, 0], [0, left]]
    if lacking == "x":
        mean, cov = mean[::-1], cov[::-1, ::-1]
    b, v = line.weights[0, 0], first.variance[0]
    assert_allclose([first.intercept[0], line.intercept[0] + b * first.intercept[0]], mean, rtol=1e-6)
    assert_allclose([v, b * v, b * b * v + line.variance[0]], [cov[0, 0], cov[0, 1], cov[1, 1]], rtol=1e-5)


def test_parameters_of_numbers_are_sums_too():
    """Blocks, a cluster, and weights give the numbers of memory, also with missing values."""
    dd = pytest.importorskip("dask.dataframe")
    true, rng = drawn_network(5)
    full = pd.DataFrame(true.sample(300, random_state=0))
    for frame in (full, full.mask(rng.random(full.shape) < 0.1)):
        whole = fit_parameters(true, frame, max_iter=500, tol=1e-5)
        blocks = true.fit([frame[:100], frame[100:250], frame[250:]], tol=1e-5)
        cluster = true.fit(dd.from_pandas(frame, npartitions=3), tol=1e-5)
        twice = true.fit(pd.concat([frame, frame[:50]]), tol=1e-5)
        weights = np.where(np.arange(300) < 50, 2.0, 1.0)
        weighted = true.fit(frame, sample_weight=weights, tol=1e-5)
        for one, other in ((whole, blocks), (whole, cluster), (twice, weighted)):
            for name in ("u", "v", "w"):
                for part in ("intercept", "weights", "variance"):
                    a, b = (getattr(network[name].conditional, part) for network in (one, other))
                    assert_allclose(a, b, rtol=1e-7, atol=1e-9)
            assert_allclose(one.table("b"), other.table("b"), rtol=1e-9)


def test_least_squares_in_each_configuration():
    true, _ = drawn_network(2)
    rows = pd.DataFrame(true.sample(400, random_state=1))
    line = without(true).fit(rows)["v"].conditional
    for b in range(3):
        some = rows[rows["b"] == b]
        slope, intercept = np.polyfit(some["u"], some["v"], 1)
        assert_allclose([line.weights[b, 0], line.intercept[b]], [slope, intercept], rtol=1e-9)
        residual = some["v"] - slope * some["u"] - intercept
        assert_allclose(line.variance[b], (residual**2).mean(), rtol=1e-9)
    with pytest.raises(DegenerateError, match="'v' has no rows with b=2"):
        without(true).fit(rows[rows["b"] < 2])
    with pytest.raises(DegenerateError, match="no variance around its parents"):
        without(true).fit(rows.assign(w=1.0))
