import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import entropy as scipy_entropy
from sklearn.metrics import log_loss, mutual_info_score

from assay.stats import (
    cross_entropy,
    entropy,
    gini,
    kl_divergence,
    label_cross_entropy,
    max_entropy,
    max_gini,
    mutual_information,
)

rows = st.lists(st.integers(0, 100), min_size=1, max_size=6).filter(any)


@pytest.mark.capability("C3-40")
def test_apples():
    # C3 3.2.3: six of one variety, four of the other
    assert_allclose(entropy([6, 4], base=2), 0.9709505944546686, rtol=1e-15)
    assert_allclose(gini([6, 4]), 0.48, rtol=1e-15)
    # node yellow-green, four to one
    assert_allclose(entropy([4, 1], base=2), 0.7219280949, atol=5e-11)
    assert_allclose(gini([4, 1]), 0.32, rtol=1e-14)


@pytest.mark.capability("C3-40")
@pytest.mark.parametrize("K", range(1, 40))
@pytest.mark.parametrize("base", [2, np.e, 10])
def test_ranges_are_reached_and_not_left(K, base):
    pure, even = np.eye(K)[0] * 7, np.full(K, 3)
    assert entropy(pure, base=base) == 0 and gini(pure) == 0
    assert_allclose(entropy(even, base=base), max_entropy(K, base=base), rtol=1e-14)
    assert entropy(even, base=base) <= max_entropy(K, base=base)
    assert_allclose(gini(even), max_gini(K), rtol=1e-14)
    assert gini(even) <= max_gini(K)


@pytest.mark.capability("C3-40")
@given(counts=rows, factor=st.floats(0.001, 1000))
@settings(max_examples=80, deadline=None)
def test_within_range_scale_free_and_equal_to_scipy(counts, factor):
    K, c = len(counts), np.array(counts, dtype=float)
    assert 0 <= entropy(c) <= max_entropy(K)
    assert 0 <= gini(c) <= max_gini(K)
    assert_allclose(entropy(c), scipy_entropy(c), atol=1e-12)
    assert_allclose(entropy(c * factor), entropy(c), atol=1e-12)
    p = c / c.sum()
    assert_allclose(gini(c), 1 - np.sum(p**2), atol=1e-12)


def test_rows_are_handled_together():
    table = np.random.default_rng(0).integers(0, 9, (4, 5, 3))
    table[1, 2] = 0  # an empty node
    for measure in (entropy, gini):
        one_by_one = [[measure(row) for row in block] for block in table]
        assert_array_equal(measure(table), one_by_one)
        assert measure(table)[1, 2] == 0


def test_a_nearly_pure_node_keeps_its_digits():
    assert_allclose(gini([1e15, 1]), 2e-15, rtol=1e-12)


@pytest.mark.capability("C3-25")
def test_cross_entropy_of_two_distributions():
    # C3 3.1.3
    assert_allclose(cross_entropy([0.5, 0.5], [0.9, 0.1]), 1.2039728, atol=5e-8)
    assert_allclose(cross_entropy([0.9, 0.1], [0.5, 0.5]), 0.6931472, atol=5e-8)


@pytest.mark.capability("C3-25")
def test_cross_entropy_per_sample_and_in_total():
    y = np.array([0, 1, 2, 1])
    P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.5, 0.25, 0.25]])
    per_sample = -np.log([0.7, 0.8, 0.4, 0.25])
    assert_allclose(label_cross_entropy(y, P), per_sample, rtol=1e-14)
    assert_allclose(label_cross_entropy(y, P), cross_entropy(np.eye(3)[y], P), rtol=1e-14)
    assert_allclose(label_cross_entropy(y, P, reduce="sum"), per_sample.sum(), rtol=1e-14)
    assert_allclose(label_cross_entropy(y, P, reduce="mean"), log_loss(y, P), rtol=1e-12)
    w = [1, 0, 2, 1]
    assert_allclose(label_cross_entropy(y, P, w, reduce="mean"), log_loss(y, P, sample_weight=w), rtol=1e-12)


@pytest.mark.capability("C3-25")
@given(
    q=st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any),
    p=st.lists(st.integers(1, 20), min_size=4, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_cross_entropy_is_entropy_plus_divergence(q, p):
    assert_allclose(cross_entropy(q, p, base=2), entropy(q, base=2) + kl_divergence(q, p, base=2), atol=1e-12)
    assert kl_divergence(q, p) >= 0
    assert_allclose(kl_divergence(q, q), 0, atol=1e-15)


def test_denying_what_happens_costs_infinitely_much():
    assert cross_entropy([1, 1], [1, 0]) == np.inf
    assert kl_divergence([1, 1], [1, 0]) == np.inf
    assert cross_entropy([1, 0], [1, 0]) == 0  # 0 log 0 = 0
    assert list(label_cross_entropy([0, 1], [[1, 0], [1, 0]])) == [0, np.inf]
    assert label_cross_entropy([0, 1], [[1, 0], [1, 0]], weights=[1, 0], reduce="sum") == 0


@given(
    table=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4).filter(
        lambda t: sum(map(sum, t)) > 0
    )
)
@settings(max_examples=60, deadline=None)
def test_mutual_information_is_what_the_entropies_leave(table):
    T = np.array(table)
    information = mutual_information(T, base=2)
    H = [entropy(part, base=2) for part in (T.sum(axis=1), T.sum(axis=0), T.ravel())]
    assert_allclose(information, H[0] + H[1] - H[2], atol=1e-12)
    assert 0 <= information <= min(H[0], H[1]) + 1e-12
    r, c = np.repeat(np.argwhere(T >= 0), T.ravel(), axis=0).T
    assert_allclose(mutual_information(T), mutual_info_score(r, c), atol=1e-12)


def test_mutual_information_is_the_gain_of_the_apples():
    # C3 3.2.3: gain of colour 0.6099865470, shape 0.2812908992, taste 0.0058021490
    colour, shape, taste = [[2, 0], [4, 1], [0, 3]], [[3, 0], [3, 4]], [[2, 1], [4, 3]]
    assert_allclose(mutual_information(colour, base=2), 0.6099865470, atol=5e-11)
    assert_allclose(mutual_information([shape, taste], base=2), [0.2812908992, 0.0058021490], atol=5e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy([1, -1]), "entropy: counts must be finite and not negative"),
        (lambda: gini([np.nan, 1]), "gini: counts"),
        (lambda: entropy([]), "at least one count"),
        (lambda: entropy([1, 1], base=1), "base must be above 1"),
        (lambda: cross_entropy([1, 1], [1, 1, 1]), "2 and 3 values"),
        (lambda: cross_entropy([1, 1], [0, 0]), "row of zeros"),
        (lambda: label_cross_entropy([0, 2], [[1, 0], [1, 0]]), "codes must be 0 to 1, got 0 to 2"),
        (lambda: label_cross_entropy([0.0], [[1, 0]]), "integer codes"),
        (lambda: label_cross_entropy([0], [[1, 0]], reduce="max"), "one of none, sum, mean"),
        (lambda: mutual_information([1, 2]), "rows and columns"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
