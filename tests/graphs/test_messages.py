"""Pearl's messages on chains, trees and polytrees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError
from assay.graphs import BayesianNetwork, FactorGraph, Node, load_network


@pytest.mark.capability("IML-14-13")
def test_chain():
    passed = load_network("wet grass chain").propagate({"wet": "yes"})
    assert_allclose(passed.lambda_["rain"], [0.9, 0.2], rtol=1e-12)
    assert_allclose(passed.lambda_["cloudy"], [0.76, 0.27], rtol=1e-12)
    assert_allclose(passed.pi["cloudy"], [0.4, 0.6], rtol=1e-12)
    assert_allclose(passed.pi["rain"], [0.38, 0.62], rtol=1e-12)
    assert_allclose(passed.beliefs["cloudy"]["yes"], 0.304 / 0.466, rtol=1e-12)
    assert_allclose(passed.beliefs["rain"]["yes"], 0.342 / 0.466, rtol=1e-12)
    both = load_network("wet grass chain").propagate({"cloudy": "yes", "wet": "yes"})
    assert_allclose(both.beliefs["rain"]["yes"], 0.72 / 0.76, rtol=1e-12)


@pytest.mark.capability("IML-14-14")
def test_tree():
    passed = load_network("cloudy fork").propagate({"sprinkler": "yes"})
    assert_allclose(passed.message("lambda", "sprinkler", "cloudy"), [0.1, 0.5], rtol=1e-12)
    assert_allclose(passed.message("pi", "cloudy", "rain"), [1 / 6, 5 / 6], rtol=1e-12)
    assert_allclose(passed.beliefs["rain"]["yes"], 0.065 / 0.3, rtol=1e-12)


@pytest.mark.capability("IML-14-15")
def test_polytree():
    passed = load_network("rain or sprinkler").propagate({"wet": "yes"})
    to_rain = passed.message("lambda", "wet", "rain")
    assert_allclose(to_rain / to_rain[0], np.array([0.91, 0.26]) / 0.91, rtol=1e-12)
    to_sprinkler = passed.message("lambda", "wet", "sprinkler")
    assert_allclose(to_sprinkler / to_sprinkler[0], np.array([0.92, 0.42]) / 0.92, rtol=1e-12)
    assert_allclose(passed.beliefs["rain"]["yes"], 0.7, rtol=1e-12)
    assert_allclose(passed.beliefs["sprinkler"]["yes"], 0.184 / 0.52, rtol=1e-12)


@pytest.mark.parametrize("name", ["earthquake", "cancer", "student"])
def test_every_belief_is_that_of_the_junction_tree(name):
    network = load_network(name)
    for observed in network.names:
        for state in network[observed].states:
            evidence = {observed: state}
            passed, marginals = network.propagate(evidence), network.marginals(evidence)
            for node in network.names:
                assert_allclose(passed.beliefs[node].probabilities, marginals[node].probabilities, atol=1e-12)


def test_a_multiply_connected_graph_is_refused():
    with pytest.raises(DataError, match="multiply connected"):
        load_network("sprinkler").propagate()


def test_impossible_evidence_is_an_error():
    from assay.graphs import BayesianNetwork, Node

    sure = BayesianNetwork(
        [Node("a", [0, 1], [1.0, 0.0]), Node("b", [0, 1], [[1.0, 0.0], [0.0, 1.0]], ["a"])]
    )
    with pytest.raises(DegenerateError, match="b=1 has probability 0"):
        sure.propagate({"b": 1})


def test_messages_of_a_long_chain_stay_in_range():
    """600 hidden nodes with an observation each: the least number there is would be passed, and Python's recursion."""
    rng = np.random.default_rng(0)
    n, steps, seen = 600, [[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.1, 0.7], [0.1, 0.2, 0.7]]
    nodes = [Node("h0", [0, 1], [0.5, 0.5])]
    nodes += [Node(f"h{t}", [0, 1], steps, [f"h{t - 1}"]) for t in range(1, n)]
    nodes += [Node(f"o{t}", [0, 1, 2], seen, [f"h{t}"]) for t in range(n)]
    network = BayesianNetwork(nodes)
    evidence = {f"o{t}": int(rng.integers(2)) for t in range(n)}
    passed, exact = network.propagate(evidence), network.marginals(evidence)
    for name in ("h0", "h300", "h599"):
        assert_allclose(passed.beliefs[name].probabilities, exact[name].probabilities, rtol=1e-9)


def test_products_of_many_messages_stay_in_range():
    """A class with 600 observed columns, whose joint probability is below 10^-400."""
    rng = np.random.default_rng(0)
    tables = rng.dirichlet(np.ones(6), (600, 2))
    tables[:, 1] = 0.97 * tables[:, 0] + 0.03 * tables[:, 1]
    columns = [Node(f"x{j}", range(6), table, ["c"]) for j, table in enumerate(tables)]
    network = BayesianNetwork([Node("c", ["p", "q"], [0.3, 0.7]), *columns])
    evidence = {f"x{j}": j % 6 for j in range(600)}
    wanted = network.query("c", evidence).probabilities
    assert_allclose(network.propagate(evidence).beliefs["c"].probabilities, wanted, rtol=1e-8)
    beliefs = FactorGraph(network).sum_product(evidence)
    assert_allclose(beliefs.marginals["c"].probabilities, wanted, rtol=1e-8)
