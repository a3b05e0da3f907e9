"""The Indian buffet process: oracles of the textbook, enumeration, moments."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.reduce import IndianBuffetProcess, left_ordered


@pytest.mark.capability("IML-16-32")
def test_expected_numbers_and_probabilities_of_the_textbook():
    assert_allclose(IndianBuffetProcess(2).expected_dishes(10), 5.85793651, atol=5e-9)
    assert_allclose(IndianBuffetProcess(3).expected_dishes(50), 13.49761601, atol=5e-9)
    one = IndianBuffetProcess(1)
    assert_allclose(np.exp(one.log_probability([[1], [1]])), 0.11156508, atol=5e-9)
    Z = [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert_allclose(np.exp(one.log_probability(Z)), 0.00074018, atol=5e-9)
    assert_allclose(one.log_probability(np.array(Z)[:, [2, 0, 1]]), one.log_probability(Z))
    assert_allclose(one.log_probability(np.hstack([Z, np.zeros((3, 2), int)])), one.log_probability(Z))


@pytest.mark.capability("IML-16-32")
def test_the_classes_of_two_customers_have_probability_one_together():
    """a dishes of both customers, b of the first alone, c of the second alone, up to 12 of each."""
    buffet, total = IndianBuffetProcess(0.8), 0.0
    for a, b, c in itertools.product(range(12), repeat=3):
        Z = np.array([[1] * a + [1] * b + [0] * c, [1] * a + [0] * b + [1] * c], dtype=int).reshape(
            2, a + b + c
        )
        total += np.exp(buffet.log_probability(Z))
    assert_allclose(total, 1.0, atol=1e-9)


@pytest.mark.capability("IML-16-32")
def test_draws_have_the_moments_and_frequencies_of_the_process():
    buffet, rng = IndianBuffetProcess(1.5), np.random.default_rng(0)
    draws = [buffet.sample(4, rng) for _ in range(6_000)]
    dishes = np.array([Z.shape[1] for Z in draws])
    assert_allclose(dishes.mean(), buffet.expected_dishes(4), rtol=0.03)
    assert_allclose(np.mean([Z.sum(axis=1) for Z in draws], axis=0), 1.5, rtol=0.05)  # every customer alike
    wanted = np.array([[1], [1], [0], [1]], np.uint8)
    share = np.mean([Z.shape == (4, 1) and (wanted == Z).all() for Z in draws])
    p = np.exp(buffet.log_probability(wanted))
    assert abs(share - p) < 4.5 * np.sqrt(p / 6_000)


def test_left_order_stands_for_the_class():
    rng = np.random.default_rng(1)
    Z = (rng.random((5, 7)) < 0.4).astype(int)
    assert_array_equal(left_ordered(Z), left_ordered(Z[:, rng.permutation(7)]))
    numbers = left_ordered(Z).astype(int).T @ 2 ** np.arange(5)[::-1]
    assert (np.diff(numbers) <= 0).all()


def test_what_is_no_buffet_is_refused():
    for alpha in (0, -1.0, np.nan, np.inf, True):
        with pytest.raises(ParameterError, match="alpha must be a number above 0"):
            IndianBuffetProcess(alpha)
    with pytest.raises(DataError, match="zeros and ones"):
        IndianBuffetProcess().log_probability([[2]])
    assert IndianBuffetProcess().sample(0, 0).shape == (0, 0)
