"""Seeds: whatever may be a random_state gives random numbers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.core.seeds import as_generator, as_seed, drawn_seed, random_state_of
from assay.errors import ParameterError


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


def test_a_generator_comes_from_a_seed_a_generator_or_a_random_state():
    given = np.random.default_rng(3)
    assert as_generator(given, "draw") is given
    assert as_generator(3, "draw").integers(10**9) == np.random.default_rng(3).integers(10**9)
    state = np.random.RandomState(3)
    first, second = (as_generator(state, "draw").integers(10**9) for _ in range(2))
    assert first != second  # the state moves on
    assert as_generator(np.random.RandomState(3), "draw").integers(10**9) == first


@pytest.mark.parametrize("wrong", [-1, 1.5, "7", True, [1, 2]])
def test_what_is_no_seed_is_refused_in_the_name_of_who_was_called(wrong):
    for reader in (as_generator, as_seed, drawn_seed):
        with pytest.raises(
            ParameterError, match="draw: random_state must be a whole number from 0 up"
        ) as refused:
            reader(wrong, "draw")
        assert refused.value.got is wrong


def test_a_seed_is_drawn_of_what_is_none():
    assert drawn_seed(2**63 + 5, "draw") == 5 and as_seed(2**63 + 5, "draw") == 2**63 + 5
    generator = np.random.default_rng(0)
    assert drawn_seed(generator, "draw") != drawn_seed(generator, "draw")
    assert 0 <= drawn_seed(None, "draw") < 2**63
    with pytest.raises(ParameterError, match="can be had again, got None"):
        as_seed(None, "draw")
