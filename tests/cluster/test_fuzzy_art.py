"""Fuzzy ART: the native pass is that of the book."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.cluster import FuzzyART


def by_the_book(coded, vigilance, choice, rate):
    """One pass in NumPy: the categories, and the one that took each row."""
    weights, labels = [], []
    for row in coded:
        common = [np.minimum(row, w).sum() for w in weights]
        active = [
            c / (choice + w.sum()) if c >= vigilance * len(row) / 2 - 1e-12 else -1.0
            for c, w in zip(common, weights)
        ]
        if not weights or max(active) < 0:
            labels.append(len(weights))
            weights.append(row.copy())
            continue
        k = int(np.argmax(active))
        weights[k] = rate * np.minimum(row, weights[k]) + (1 - rate) * weights[k]
        labels.append(k)
    return np.array(weights), labels


@pytest.mark.parametrize(("vigilance", "rate"), [(0.75, 1.0), (0.5, 0.3), (0.0, 1.0), (1.0, 0.5)])
def test_a_pass_is_that_of_the_book(vigilance, rate):
    X = np.random.default_rng(0).uniform(size=(60, 3))
    model = FuzzyART(vigilance, rate=rate, max_iter=1).fit(X)
    coded = model._coded(X)
    weights, labels = by_the_book(coded, vigilance, model.choice, rate)
    assert_allclose(model.weights_, weights, atol=1e-12)
    assert_array_equal(model._pass(coded, np.empty((0, 6)))[1], labels)
    assert_array_equal(model.predict(X), model._activation(X).argmax(axis=1))
    again = model.partial_fit(X[:5])
    assert len(again.weights_) >= len(weights) and again.labels_.shape == (5,)
