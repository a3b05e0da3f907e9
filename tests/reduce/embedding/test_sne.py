"""SNE: its gradient, its descent, and what the map keeps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.reduce import SNE, trustworthiness
from assay.reduce.embedding.neighbor_graph import neighbor_graph
from assay.reduce.embedding.neighbor_probabilities import conditional_probabilities
from assay.reduce.embedding.sne import neighbor_loss


def conditional(X, perplexity):
    from assay.distances import searcher

    graph = neighbor_graph(searcher(X), len(X) - 1)
    graph.data = conditional_probabilities(graph.data, graph.indptr, perplexity)
    return graph.toarray()


@pytest.mark.capability("C3-75")
def test_the_gradient_is_that_of_the_divergence():
    rng = np.random.default_rng(0)
    P, z = conditional(rng.normal(size=(30, 4)), 6.0), rng.normal(size=(30, 2))
    loss, slope = neighbor_loss(z, P)
    apart = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    Q = np.exp(-apart)
    np.fill_diagonal(Q, 0)
    Q /= Q.sum(axis=1, keepdims=True)
    known = np.where(P > 0, P * np.log(np.maximum(P, 1e-300)), 0).sum()
    assert_allclose(
        loss + known, np.where(P > 0, P * np.log(np.maximum(P, 1e-300) / np.maximum(Q, 1e-300)), 0).sum()
    )
    for j in (0, 7, 31, 59):
        h = np.zeros(60)
        h[j] = 1e-6
        numeric = (
            neighbor_loss(z + h.reshape(30, 2), P)[0] - neighbor_loss(z - h.reshape(30, 2), P)[0]
        ) / 2e-6
        assert_allclose(slope[j], numeric, rtol=1e-5, atol=1e-7)


@pytest.mark.capability("C3-75")
def test_the_objective_decreases_and_neighbours_stay():
    X = load_iris().data
    sne = SNE(max_iter=100).fit(X)
    losses = np.array([h["divergence"] for h in sne.history_])
    assert (np.diff(losses) <= 0).all() and losses[-1] < 0.6 * losses[0]
    assert trustworthiness(X, sne.embedding_) > 0.97
    assert_allclose(sne.embedding_.mean(axis=0), 0, atol=1e-9)
    unique = np.unique(X, axis=0, return_index=True)[1]
    assert_array_equal(SNE(max_iter=20).fit(X[unique]).transform(X[unique]).shape, (len(unique), 2))


def test_training_rows_keep_their_places():
    X = np.random.default_rng(0).normal(size=(40, 3))
    sne = SNE(perplexity=8, max_iter=30).fit(X)
    assert_allclose(sne.transform(X), sne.embedding_, rtol=1e-12)


def test_far_places_do_not_underflow():
    P = conditional(np.random.default_rng(0).normal(size=(10, 2)), 3.0)
    loss, slope = neighbor_loss(np.arange(20.0).reshape(10, 2) * 100, P)
    assert np.isfinite(loss) and np.isfinite(slope).all()
