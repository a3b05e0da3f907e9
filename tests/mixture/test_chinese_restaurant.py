"""Chinese restaurant process: the tables of the specification, and that draws follow them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chisquare

from assay.errors import DataError, ParameterError
from assay.mixture import ChineseRestaurant, stick_breaking

# Oracle: specification of 16.10, four customers; partitions by sizes, number of tables, mean.
SIZES = [[4], [3, 1], [2, 2], [2, 1, 1], [1, 1, 1, 1]]
NUMBERS = [1, 4, 3, 6, 1]  # of partitions with these sizes
ORACLES = {
    1.0: ([1 / 4, 1 / 12, 1 / 24, 1 / 24, 1 / 24], [1 / 4, 11 / 24, 1 / 4, 1 / 24], 25 / 12),
    2.0: ([0.1, 1 / 15, 1 / 30, 1 / 15, 2 / 15], [0.1, 0.36666667, 0.4, 0.13333333], 2.56666667),
}


@pytest.mark.capability("IML-16-28")
@pytest.mark.parametrize("alpha", ORACLES)
def test_four_customers(alpha):
    restaurant = ChineseRestaurant(alpha)
    partitions, tables, mean = ORACLES[alpha]
    assert_allclose([restaurant.probability(sizes) for sizes in SIZES], partitions, rtol=1e-12)
    assert_allclose(np.dot(NUMBERS, partitions), 1)
    assert_allclose(restaurant.table_distribution(4), tables, atol=5e-9)
    assert_allclose(restaurant.expected_tables(4), mean, atol=5e-9)


@pytest.mark.capability("IML-16-28")
def test_expected_tables_of_a_hundred():
    wanted = {0.5: 3.28434219, 1.0: 5.18737752, 5.0: 15.71536609}
    for alpha, tables in wanted.items():
        assert_allclose(ChineseRestaurant(alpha).expected_tables(100), tables, atol=5e-9)
        shares = ChineseRestaurant(alpha).table_distribution(100)
        assert_allclose([shares.sum(), shares @ np.arange(1, 101)], [1, tables], rtol=1e-8)
        assert_allclose(ChineseRestaurant.from_expected_tables(tables, 100).alpha, alpha, rtol=1e-7)


def test_many_customers_by_the_formula_and_by_the_sum():
    restaurant = ChineseRestaurant(3.0)
    assert_allclose(restaurant.expected_tables(200_000), np.sum(3 / (3 + np.arange(200_000))), rtol=1e-12)


def test_the_order_of_arrival_does_not_matter():
    """The product of (1) along any order is (2)."""
    restaurant, labels = ChineseRestaurant(1.7), np.array([0, 0, 1, 2, 1, 0, 1])
    rng = np.random.default_rng(0)
    for _ in range(5):
        product, sizes = 1.0, {}
        for k in labels[rng.permutation(7)]:
            places = list(sizes)
            chance = restaurant.next_table(list(sizes.values())) if sizes else np.array([1.0])
            product *= chance[places.index(k)] if k in sizes else chance[-1]
            sizes[k] = sizes.get(k, 0) + 1
        assert_allclose(product, restaurant.probability([3, 3, 1]), rtol=1e-12)


def test_draws_follow_the_table_distribution():
    restaurant, rng = ChineseRestaurant(1.5), np.random.default_rng(0)
    numbers = [restaurant.sample(6, rng).max() for _ in range(4000)]
    wanted = restaurant.table_distribution(6)
    assert chisquare(np.bincount(numbers, minlength=6), 4000 * wanted).pvalue > 1e-4
    assert restaurant.sample(1, 0).tolist() == [0]


def test_sticks_sum_to_one_and_have_the_expected_first_piece():
    rng = np.random.default_rng(1)
    first = [stick_breaking(2.0, tolerance=1e-2, random_state=rng)[0] for _ in range(2000)]
    assert_allclose(np.mean(first), 1 / 3, atol=0.02)  # E beta(1, 2)
    weights = stick_breaking(50.0, random_state=0)
    assert_allclose(weights.sum(), 1)
    assert weights[-1] < 1e-6 <= 1 - weights[:-2].sum()


def test_what_is_no_restaurant_is_refused():
    for wrong in (0.0, -1.0, np.inf):
        with pytest.raises(ParameterError, match="alpha"):
            ChineseRestaurant(wrong)
    with pytest.raises(DataError, match="sizes"):
        ChineseRestaurant().probability([1, 0])
    with pytest.raises(ParameterError, match="n must"):
        ChineseRestaurant().sample(0)
    with pytest.raises(ParameterError, match="tables must"):
        ChineseRestaurant.from_expected_tables(1, 10)
    with pytest.raises(ParameterError, match="stick_breaking: alpha must be a number above 0, got 0"):
        stick_breaking(0)
    with pytest.raises(ParameterError, match="tolerance"):
        stick_breaking(1.0, tolerance=0.0)
    with pytest.raises(ParameterError, match="pieces"):
        stick_breaking(1e7, tolerance=1e-9)
