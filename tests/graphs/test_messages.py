"""Pearl's messages on chains, trees and polytrees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError
from assay.graphs import load_network


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
