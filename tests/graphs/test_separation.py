"""d-separation: the eleven queries of the restored graph, reasons per path, and the moral graph as a second way."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError, ParameterError
from assay.graphs import BayesianNetwork, Node, d_separation
from assay.graphs.directed_graph import DirectedGraph
from assay.graphs.separation import moral_separation

GRAPH = DirectedGraph({"A": [], "C": ["A"], "B": ["C"], "D": ["C"], "E": ["B"], "F": ["E", "D"], "G": ["F"]})


@pytest.mark.capability("IML-14-12")
@pytest.mark.parametrize(
    ("a", "b", "known", "independent"),
    [
        ("B", "D", "C", True),
        ("B", "D", "CF", False),
        ("B", "D", "CG", False),
        ("B", "D", "", False),
        ("B", "G", "F", True),
        ("B", "G", "", False),
        ("B", "F", "CE", True),
        ("A", "G", "C", True),
        ("A", "E", "B", True),
        ("A", "E", "BF", False),
        ("A", "E", "BG", False),
    ],
)
def test_eleven_queries(a, b, known, independent):
    answer = d_separation(GRAPH, a, b, list(known))
    assert bool(answer) is independent
    assert independent == all(path.blocked for path in answer.paths)
    assert moral_separation(GRAPH, [a], [b], list(known)) is independent


def test_each_path_says_why():
    text = str(d_separation(GRAPH, "B", "D", "C"))
    assert "B <- C -> D: blocked, C is a common cause and is given" in text
    assert "B -> E -> F <- D: blocked, F is a common effect; neither it nor a descendant is given" in text
    opened = str(d_separation(GRAPH, "B", "D", ["C", "G"]))
    assert "F is a common effect and a descendant is given" in opened


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000))
def test_bayes_ball_agrees_with_the_moral_graph(seed):
    rng = np.random.default_rng(seed)
    names = list("abcdefg")
    graph = DirectedGraph({n: [m for m in names[:i] if rng.random() < 0.4] for i, n in enumerate(names)})
    a, b, *others = rng.permutation(names)
    known = [n for n in others if rng.random() < 0.4]
    assert bool(d_separation(graph, a, b, known)) == moral_separation(graph, [a], [b], known)


@pytest.mark.capability("IML-14-12")
def test_all_independences_of_a_graph():
    """Each pair with the smallest sets: those of one node by the eleven queries, all of them by the moral graph."""
    network = BayesianNetwork([Node(n, [0, 1], None, GRAPH.parents[n]) for n in GRAPH.names])
    listed = network.independences()
    assert ("B", "D", ("C",)) in listed and ("A", "G", ("C",)) in listed and ("A", "E", ("B",)) in listed
    for a, b in itertools.combinations(GRAPH.names, 2):
        joined = a in GRAPH.parents[b] or b in GRAPH.parents[a]
        others = [n for n in GRAPH.names if n not in (a, b)]
        sizes = [
            [c for c in itertools.combinations(others, k) if moral_separation(GRAPH, [a], [b], c)]
            for k in range(3)
        ]
        smallest = [] if joined else next((sets for sets in sizes if sets), [])
        assert [c for x, y, c in listed if (x, y) == (a, b)] == smallest
    assert not network.independences(0)
    with pytest.raises(ParameterError, match="max_given must be a whole number from 0 up, got -1"):
        network.independences(-1)


def test_wrong_questions_are_refused():
    with pytest.raises(DataError, match="no node 'Z'"):
        d_separation(GRAPH, "Z", "B")
    with pytest.raises(ParameterError, match="two sides"):
        d_separation(GRAPH, "A", "B", ["A"])
