"""Families of nodes in rows of codes: the native loops against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.graphs._families as _native
from assay.graphs import BayesianNetwork, Node
from assay.graphs.classifiers.pair_counts import pair_counts
from assay.graphs.families import blanket_scores, family_codes, family_counts, pair_cells


def drawn(seed, n=70):
    """A network of six nodes and rows of codes, a fifth of them missing."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 5, 6)
    nodes = []
    for i in range(6):
        parents = [j for j in range(i) if rng.random() < 0.4]
        table = rng.dirichlet(np.ones(cards[i]), int(np.prod(cards[parents], dtype=int)))
        nodes.append(Node(f"n{i}", list(range(cards[i])), table, [f"n{j}" for j in parents]))
    rows = np.stack([rng.integers(0, card, n) for card in cards], axis=1)
    gaps = rows.copy()
    gaps[rng.random(rows.shape) < 0.2] = -1
    return BayesianNetwork(nodes), rows, gaps, rng


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_scores_are_sums_of_logarithms(seed):
    network, rows, _, _ = drawn(seed)
    for i, node in enumerate(network.nodes):
        expected = np.zeros((len(rows), len(node.states)))
        for k in range(len(node.states)):
            other = rows.copy()
            other[:, i] = k
            for f, child in enumerate(network.nodes):
                if f == i or node.name in child.parents:
                    expected[:, k] += np.log(network._tables[f].ravel()[family_codes(network, f, other)])
        assert_allclose(blanket_scores(network, i, rows), expected, rtol=1e-12)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_counts_are_those_of_complete_families(seed):
    network, _, rows, rng = drawn(seed)
    w = rng.random(len(rows))
    expected = []
    for i, node in enumerate(network.nodes):
        family = [i, *(network.index(p) for p in node.parents)]
        complete = (rows[:, family] >= 0).all(axis=1)
        size = int(np.prod(network._cards[family]))
        expected.append(np.bincount(family_codes(network, i, rows[complete]), w[complete], minlength=size))
    assert_array_equal(family_counts(network, rows, w), np.concatenate(expected))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), K=st.integers(1, 3))
def test_pairs_are_counted_within_each_class(seed, K):
    """Rows by bits where two columns have few states (here), row by row where they have many; weights by products."""
    rng = np.random.default_rng(seed)
    n, cards = int(rng.integers(0, 300)), rng.integers(1, 12, 4)
    codes = np.stack([rng.integers(-1, card, n) for card in cards], axis=1)
    y = rng.integers(0, K, n)
    start = np.concatenate([[0], np.cumsum(cards)])
    hot = np.zeros((n, start[-1]))
    for j in range(4):
        kept = codes[:, j] >= 0
        hot[np.flatnonzero(kept), start[j] + codes[kept, j]] = 1.0
    expected = np.stack([hot[y == k].T @ hot[y == k] for k in range(K)])
    assert_array_equal(pair_cells(codes, y, K, cards), expected)
    assert_array_equal(pair_counts(codes, y, np.ones(n), K, cards, "test").cells, expected)


def test_pairs_of_more_rows_than_one_tile():
    rng = np.random.default_rng(0)
    n, cards = 40_000, np.array([2, 3, 30])
    codes = np.stack([rng.integers(-1, card, n) for card in cards], axis=1)
    y = (rng.random(n) < 0.2).astype(np.int64)
    cells = pair_counts(codes, y, None, 2, cards, "test")
    for i, j in ((0, 1), (1, 2), (0, 2), (2, 1)):
        both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
        place = (y * cards[i] + codes[:, i]) * cards[j] + codes[:, j]
        assert_array_equal(
            cells.pair(i, j).ravel(), np.bincount(place[both], minlength=2 * cards[i] * cards[j])
        )


def test_codes_that_their_columns_lack_are_refused():
    rows = np.array([[0, 2]])
    begin, cards, of = np.array([0, 1, 2]), np.array([2, 2]), np.array([0, 1])
    with pytest.raises(ValueError, match="a code that its variable lacks"):
        _native.count_families(rows, np.ones(1), cards, begin, of, np.zeros(4))
    with pytest.raises(ValueError, match="a code too large"):
        _native.pair_cells(rows, np.zeros(1, np.int64), np.array([0, 2, 4]), 1, np.zeros((4, 4)))
