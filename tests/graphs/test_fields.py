"""Fields, factor graphs, grids and the Necker cube."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import assay.graphs._grid_field as _grid
from assay.errors import AssayError, DataError, DegenerateError, ParameterError
from assay.graphs import FactorGraph, MarkovField, denoise, load_network, necker_cube

PAIR = [[2, 1], [1, 2]]


def ring(n, closed):
    """Binary variables in a row (or a ring), equal neighbours weigh twice."""
    names = [f"x{i}" for i in range(n)]
    pairs = list(itertools.pairwise(names)) + ([(names[-1], names[0])] if closed else [])
    return MarkovField({key: [0, 1] for key in names}, [(pair, PAIR) for pair in pairs])


@pytest.mark.capability("IML-14-19")
def test_partition_functions():
    """Chain of three: Z = 18, P(x1 = x3) = 5/9; ring of four: Z = 82, P(x1 = x3) = 50/82."""
    chain, square = ring(3, False), ring(4, True)
    assert_allclose(chain.partition_function, 18, rtol=1e-12)
    assert_allclose(square.partition_function, 82, rtol=1e-12)
    for field, p in ((chain, 5 / 9), (square, 50 / 82)):
        assert_allclose(np.trace(field.query(["x0", "x2"]).probabilities), p, rtol=1e-12)
    states, p = chain.most_probable()
    assert len(set(states.values())) == 1
    assert_allclose(p, 2 / 9, rtol=1e-12)


@pytest.mark.capability("IML-14-20")
def test_separation_cliques_and_the_moral_graph():
    field = MarkovField.of_network(load_network("sprinkler"))
    assert ("sprinkler", "rain") in field.edges
    assert len(field.edges) == 5
    assert field.cliques() == [["cloudy", "sprinkler", "rain"], ["sprinkler", "rain", "wet"]]
    assert field.separated("cloudy", "wet", ["sprinkler", "rain"])
    assert not field.separated("cloudy", "wet", ["sprinkler"])
    assert_allclose(field.partition_function, 1.0, rtol=1e-12)


@pytest.mark.capability("IML-14-21")
def test_a_polytree_stays_a_tree_as_a_factor_graph():
    network = load_network("rain or sprinkler")
    graph = FactorGraph(network)
    assert graph.factors == [("rain",), ("sprinkler",), ("rain", "sprinkler", "wet")]
    assert graph.is_tree
    assert ("rain", "sprinkler") in MarkovField.of_network(network).edges
    assert not FactorGraph(load_network("sprinkler")).is_tree
    beliefs = graph.sum_product({"wet": "yes"})
    assert_allclose(beliefs.marginals["rain"]["yes"], 0.7, rtol=1e-12)


@pytest.mark.capability("IML-14-22")
@pytest.mark.parametrize("name", ["wet grass chain", "rain or sprinkler", "earthquake", "student", "cancer"])
def test_sum_product_equals_enumeration_on_trees(name):
    network = load_network(name)
    evidence = {network.names[-1]: network.nodes[-1].states[0]}
    beliefs = FactorGraph(network).sum_product(evidence)
    assert beliefs.exact and "exact" in str(beliefs)
    for node in network.names:
        direct = network.query(node, evidence, method="enumeration").probabilities
        assert_allclose(beliefs.marginals[node].probabilities, direct, atol=1e-12)


@pytest.mark.capability("IML-14-23")
def test_max_product():
    """The sprinkler network: (T, F, T, T) with 0.324; given wet 0.324 / 0.65125."""
    network = load_network("sprinkler")
    states, p = network.most_probable()
    assert states == {"cloudy": "yes", "sprinkler": "no", "rain": "yes", "wet": "yes"}
    assert_allclose(p, 0.324, rtol=1e-12)
    assert_allclose(network.most_probable({"wet": "yes"})[1], 0.324 / 0.65125, rtol=1e-12)
    chain = FactorGraph(ring(3, False)).max_product()
    assert chain.exact and len(set(chain.states.values())) == 1  # a tie, answered by one configuration
    student = load_network("student")
    assert FactorGraph(student).max_product().states == student.most_probable()[0]


def test_loopy_propagation_says_that_it_is_approximate():
    beliefs = FactorGraph(ring(4, True)).sum_product({"x0": 1})
    assert not beliefs.exact and beliefs.converged and "approximate" in str(beliefs)
    exact = ring(4, True).marginals({"x0": 1})["x2"][1]
    assert beliefs.marginals["x2"][1] > 0.5 and abs(beliefs.marginals["x2"][1] - exact) < 0.1
    with pytest.warns(ConvergenceWarning, match="cycles"):
        FactorGraph(ring(4, True)).sum_product({"x0": 1}, max_iter=1)


def nested_squares(n=40):
    picture = np.zeros((n, n), int)
    for depth, k in enumerate(range(0, n // 2, 7)):
        picture[k : n - k, k : n - k] = depth % 2
    return picture


@pytest.mark.capability("IML-14-24")
@pytest.mark.parametrize("method", ["icm", "max-product", "sum-product"])
def test_noise_falls_and_covered_parts_are_filled(method):
    """Nested squares 40 x 40, a tenth of the pixels flipped: at most about 1 % stay wrong."""
    picture = nested_squares()
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(picture.shape) < 0.1, 1 - picture, picture)
    before = (noisy != picture).mean()
    after = (denoise(noisy, method=method) != picture).mean()
    assert before > 0.08 and after < 0.012
    covered = np.zeros(picture.shape, bool)
    covered[10:13, 10:13] = True
    filled = denoise(np.where(covered, 1 - picture, picture), covered=covered, method=method)
    assert (filled == picture).mean() > 0.995


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_sweeps_over_the_grid_equal_those_written_out(seed):
    rng = np.random.default_rng(seed)
    H, W, L, J = 4, 5, 3, 0.8
    scores = rng.normal(size=(H * W, L))
    labels = rng.integers(0, L, H * W)
    by_hand = labels.reshape(H, W).copy()
    for _ in range(10):
        for r in range(H):
            for c in range(W):
                value = scores[r * W + c].copy()
                for u, v in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    if 0 <= u < H and 0 <= v < W:
                        value[by_hand[u, v]] += J
                if value.max() > value[by_hand[r, c]] + 1e-12:
                    by_hand[r, c] = int(np.argmax(value))
    _grid.icm(scores, H, W, J, labels, 10)
    assert np.array_equal(labels.reshape(H, W), by_hand)


def test_messages_on_a_row_of_pixels_are_exact():
    """A picture of one row is a chain: the beliefs are its marginals."""
    rng = np.random.default_rng(1)
    weights, J = rng.random((6, 3)) + 0.1, 0.7
    pair = np.where(np.eye(3, dtype=bool), np.exp(J), 1.0)
    names = [f"p{i}" for i in range(6)]
    potentials = [([n], w) for n, w in zip(names, weights)] + [(p, pair) for p in itertools.pairwise(names)]
    exact = MarkovField({key: [0, 1, 2] for key in names}, potentials).marginals()
    for shape in ((1, 6), (6, 1)):
        beliefs = np.empty((6, 3))
        _grid.passing(
            weights=weights,
            height=shape[0],
            width=shape[1],
            coupling=J,
            largest=False,
            rounds=50,
            tolerance=1e-14,
            beliefs=beliefs,
        )
        assert_allclose(beliefs, [exact[n].probabilities for n in names], atol=1e-10)


@pytest.mark.capability("IML-14-25")
def test_the_necker_cube_has_two_best_readings():
    """All 2^16 states: optimum 12, exactly the two readings; with inhibition -1 all units on are best, score 16."""
    states = (np.arange(1 << 16)[:, None] >> np.arange(16)) & 1
    for inhibition, best_score, readings in ((-2.0, 12.0, 2), (-1.0, 16.0, 1)):
        cube = necker_cube(1.0, inhibition)
        score = np.zeros(1 << 16)
        for scope, table in zip(cube.scopes, cube.tables):
            score += np.log(table)[states[:, scope[0]], states[:, scope[1]]]
        assert_allclose(score.max(), best_score, rtol=1e-12)
        assert (score > best_score - 1e-9).sum() == readings
        best, p = cube.most_probable()
        assert_allclose(cube.log_score(best), best_score, rtol=1e-12)
        assert_allclose(p, np.exp(best_score - np.log(np.exp(score).sum())), rtol=1e-9)
    assert len({v for k, v in best.items() if k.startswith("first")}) == 1


def test_wrong_fields_and_pictures_are_refused():
    with pytest.raises(DataError, match="shape"):
        MarkovField({"a": [0, 1]}, [(["a"], [1, 2, 3])])
    with pytest.raises(DataError, match="from 0 up"):
        MarkovField({"a": [0, 1]}, [(["a"], [1, -2])])
    with pytest.raises(DegenerateError, match="probability 0"):
        MarkovField({"a": [0, 1]}, [(["a"], [1, 0])]).marginals({"a": 1})
    with pytest.raises(AssayError, match="two dimensions"):
        denoise([1, 0, 1])
    with pytest.raises(AssayError, match="noise must be"):
        denoise([[1, 0], [0, 1]], noise=0.0)


def test_probabilities_given_what_contradicts_them():
    field = ring(3, False)
    assert field.probability({"x0": 0}, {"x0": 1}) == 0.0
    assert_allclose(field.probability({"x0": 0}, {"x1": 0}), 2 / 3, rtol=1e-12)
    network = load_network("asia")
    impossible = {"smoke": "yes", "either": "yes", "lung": "no", "tub": "no"}
    field = MarkovField.of_network(network)
    words = "either=yes, lung=no and tub=no together have probability 0"
    for ask in (
        field.marginals,
        field.most_probable,
        lambda e: field.query("xray", e),
        lambda e: field.probability({"xray": "yes"}, e),
        FactorGraph(network).sum_product,
        FactorGraph(network).max_product,
    ):
        with pytest.raises(DegenerateError, match=words):
            ask(impossible)
    with pytest.raises(ParameterError, match="each once"):
        field.query(["xray", "xray"])


def test_two_sweeps_answer_for_long_chains():
    """A chain of 400 variables, a separate one, and a variable alone: the marginals of the junction tree."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(410)]
    pairs = [p for p in itertools.pairwise(names[:-1]) if p[1] != "x400"]
    field = MarkovField({key: [0, 1, 2] for key in names}, [(p, rng.random((3, 3)) + 0.1) for p in pairs])
    evidence = {"x0": 2, "x200": 1}
    beliefs, exact = FactorGraph(field).sum_product(evidence), field.marginals(evidence)
    assert beliefs.exact and beliefs.converged
    for name in names:
        assert_allclose(beliefs.marginals[name].probabilities, exact[name].probabilities, atol=1e-10)
    best = FactorGraph(field).max_product(evidence).states
    assert_allclose(field.log_score(best), field.log_score(field.most_probable(evidence)[0]), rtol=1e-12)


def test_a_partition_function_beyond_all_numbers_is_told():
    field = MarkovField({"a": [0, 1]}, [(["a"], [1e200, 1e200])] * 5)
    assert_allclose(field.log_partition, 1000 * np.log(10) + np.log(2), rtol=1e-12)
    assert_allclose(field.marginals()["a"].probabilities, [0.5, 0.5])
    with pytest.raises(DegenerateError, match=r"about 10\^1000\.3.*log_partition"):
        _ = field.partition_function
