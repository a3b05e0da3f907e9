"""Junction trees: cliques, separators, answers; the native code against sums over the whole table."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.graphs import JunctionTree, load_network
from assay.graphs.triangulation import bits_of, elimination_cliques, maximal_cliques, neighbours_of


def by_enumeration(cards, scopes, tables, row):
    """The product of all factors where it agrees with the row."""
    joint = np.zeros(cards)
    for at in itertools.product(*map(range, cards)):
        if all(r < 0 or r == a for r, a in zip(row, at)):
            joint[at] = np.prod([t[tuple(at[v] for v in scope)] for scope, t in zip(scopes, tables)])
    return joint


def drawn_model(seed, d=6):
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, d).tolist()
    scopes = [rng.permutation(d)[: rng.integers(1, 4)].tolist() for _ in range(d)]
    tables = [
        rng.random([cards[v] for v in scope]) * (rng.random([cards[v] for v in scope]) > 0.15)
        for scope in scopes
    ]
    row = np.array([rng.integers(c) if rng.random() < 0.3 else -1 for c in cards])
    return cards, scopes, tables, row


@settings(max_examples=40)
@given(seed=st.integers(0, 100_000))
def test_the_compiled_sweeps_equal_enumeration(seed):
    cards, scopes, tables, row = drawn_model(seed)
    joint = by_enumeration(cards, scopes, tables, row)
    tree = JunctionTree(cards, scopes)
    values, logs = tree.marginals(tables, row[None, :])
    if joint.sum() == 0:
        assert np.isneginf(logs[0]) and np.isnan(values).all()
        return
    assert_allclose(np.exp(logs[0]), joint.sum(), rtol=1e-10)
    for v in range(len(cards)):
        line = values[0, tree.start[v] : tree.start[v + 1]]
        if any(v in scope for scope in scopes):
            direct = joint.sum(axis=tuple(u for u in range(len(cards)) if u != v)) / joint.sum()
            assert_allclose(line, direct, atol=1e-12)
    best, best_logs = tree.most_probable(tables, row[None, :])
    assert_allclose(np.exp(best_logs[0]), joint.max(), rtol=1e-10)
    assert_allclose(joint[tuple(best[0])], joint.max(), rtol=1e-12)
    counts, _ = tree.family_counts(tables, row[None, :], np.array([2.0]))
    start = 0
    for scope, table in zip(scopes, tables):
        part = counts[start : start + table.size].reshape(table.shape)
        start += table.size
        others = tuple(u for u in range(len(cards)) if u not in scope)
        order = np.argsort(np.argsort(scope))
        direct = np.transpose(joint.sum(axis=others), order) * 2 / joint.sum()
        assert_allclose(part, direct, atol=1e-12)


@pytest.mark.capability("IML-14-18")
def test_the_sprinkler_network_has_two_cliques():
    network = load_network("sprinkler")
    tree = network.junction_tree()
    names = [sorted(network.names[v] for v in clique) for clique in tree.members]
    assert sorted(names) == [["cloudy", "rain", "sprinkler"], ["rain", "sprinkler", "wet"]]
    assert tree.width == 2
    ((scope, table),) = tree.separators(network._flat({}), np.full(4, -1))
    order = [network.index("rain"), network.index("sprinkler")]
    table = np.transpose(table, [scope.index(v) for v in order])
    assert_allclose(table.ravel(), [0.065, 0.385, 0.235, 0.315], rtol=1e-12)
    assert_allclose(network.query("wet")["yes"], 0.65125, rtol=1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 100_000))
def test_cliques_cover_the_graph_and_a_variable_lives_in_one_piece_of_the_tree(seed):
    cards, scopes, _, _ = drawn_model(seed, 8)
    tree = JunctionTree(cards, scopes)
    assert all(any(set(scope) <= set(clique) for clique in tree.members) for scope in scopes)
    for v in range(
        len(cards)
    ):  # running intersection: of the cliques with v only one has a parent without it
        tops = [
            c
            for c, clique in enumerate(tree.members)
            if v in clique and (tree.parent[c] < 0 or v not in tree.members[tree.parent[c]])
        ]
        assert len(tops) <= 1


def test_maximal_cliques_and_elimination():
    square = neighbours_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert maximal_cliques(square) == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert [bits_of(c) for c in elimination_cliques([2] * 4, square)] == [[0, 1, 3], [1, 2, 3]]


def test_one_sweep_towards_the_root_gives_its_posterior():
    network = load_network("asia")
    rows = np.full((3, 8), -1)
    rows[1, 6], rows[2, [6, 7]] = 0, 1
    for i in range(8):
        tree = network._tree(i)
        one, logs = tree.posterior(network._flat({}), rows)
        values, same = network._tree(None).marginals(network._flat({}), rows)
        assert_allclose(one, values[:, 2 * i : 2 * i + 2], atol=1e-12)
        assert_allclose(logs, same, atol=1e-12)


def test_large_tables_are_triangulated_by_the_better_of_two_orders():
    """Insurance: 46,872 entries by fill alone, 23,880 by fill weighted by the numbers of states."""
    assert load_network("insurance").junction_tree().entries == 23_880
