"""Hebb's and Oja's rules, and the network in which one unit wins."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from assay.errors import DataError, ParameterError
from assay.local import HebbianFeatures, winner_take_all

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3)) @ np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 0.3]])


def by_the_book(rows, M, rate, rule):
    M = M.copy()
    for x in rows:
        left = x.copy()
        for m in M:
            b = m @ x
            if rule == "oja":
                left -= b * m
                m += rate * b * left
            else:
                m += rate * b * x
                m /= np.linalg.norm(m)
    return M


@pytest.mark.capability("IML-12-03")
@pytest.mark.parametrize("rule", ["oja", "hebb"])
def test_a_unit_ends_at_the_first_principal_direction(rule):
    model = HebbianFeatures(rule=rule, random_state=0).fit(X)
    direction = PCA(1).fit(X).components_[0]
    assert abs(model.components_[0] @ direction) > 0.9999
    assert_allclose(np.linalg.norm(model.components_[0]), 1, atol=0.01)


@pytest.mark.capability("IML-12-03")
@pytest.mark.parametrize("rule", ["oja", "hebb"])
def test_the_native_loop_is_that_of_the_book(rule):
    c = 2 if rule == "oja" else 1
    model = HebbianFeatures(c, rule=rule, random_state=0).partial_fit(X[:50])
    first = np.random.RandomState(0).normal(size=(c, 3))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    centred = X[:50] - X[:50].mean(axis=0)
    rows = centred / np.sqrt((centred**2).sum(axis=1).mean())
    assert_allclose(model.components_, by_the_book(rows, first, 0.1, rule), atol=1e-12)


def test_several_units_are_the_principal_components():
    model = HebbianFeatures(2, max_iter=300, random_state=0).fit(X)
    cosines = np.abs(model.components_ @ PCA(2).fit(X).components_.T)
    assert_allclose(cosines, np.eye(2), atol=0.03)
    assert model.transform(X).shape == (400, 2)
    for settings, message in (
        ({"n_components": 4}, "at most"),
        ({"n_components": 2, "rule": "hebb"}, "one unit"),
    ):
        with pytest.raises(ParameterError, match=message):
            HebbianFeatures(**settings).fit(X)
    assert np.isfinite(HebbianFeatures(random_state=0).fit(np.ones((5, 2))).components_).all()


@pytest.mark.capability("IML-12-04")
def test_the_largest_input_survives_alone():
    for _ in range(30):
        values = rng.normal(size=rng.integers(1, 8))
        steps = winner_take_all(values)
        assert_allclose(steps[-1], np.arange(len(values)) == values.argmax())
        assert ((steps[:-1] > 0).sum(axis=1)[:-1] >= (steps[1:] > 0).sum(axis=1)[: len(steps) - 2]).all()
    by_hand = winner_take_all([0.5, 1.0], inhibition=0.4)
    assert_allclose(by_hand[1], [0.1, 0.8])  # 0.5 - 0.4, 1 - 0.2
    assert winner_take_all([2.0, 2.0, 1.0])[-1].tolist() == [1.0, 0.0, 0.0]  # the first of equals
    assert winner_take_all([0.0, 0.0])[-1].tolist() == [1.0, 0.0]
    with pytest.raises(ParameterError, match="inhibition"):
        winner_take_all([1.0, 2.0], inhibition=0.6)
    with pytest.raises(DataError, match="finite"):
        winner_take_all([np.nan])
    with pytest.raises(ParameterError, match="max_iter"):
        winner_take_all([1.0, 1.0 + 1e-12], max_iter=10)
