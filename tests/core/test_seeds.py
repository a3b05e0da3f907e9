"""Seeds: whatever may be a random_state gives random numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.core.seeds import random_state_of


def test_a_seed_gives_the_numbers_of_its_random_state():
    assert_array_equal(random_state_of(7).randint(0, 100, 9), np.random.RandomState(7).randint(0, 100, 9))
    state = np.random.RandomState(3)
    assert random_state_of(state) is state
    assert isinstance(random_state_of(None), np.random.RandomState)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_generator_gives_the_same_numbers_again_only_if_it_begins_again(seed):
    generator = np.random.default_rng(seed)
    first, second = (random_state_of(generator).randint(0, 2**31, 4) for _ in range(2))
    assert (first != second).any()
    assert_array_equal(random_state_of(np.random.default_rng(seed)).randint(0, 2**31, 4), first)
