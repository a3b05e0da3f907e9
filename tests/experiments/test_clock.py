"""Expected times."""

import pytest

from assay.experiments.clock import Clock


def test_nothing_is_known_at_first():
    assert Clock().expected("tree", "a", 10.0) is None


def test_the_same_learner_on_the_same_data_takes_its_average():
    clock = Clock()
    clock.note("tree", "a", 10.0, 1.0)
    clock.note("tree", "a", 10.0, 3.0)
    assert clock.expected("tree", "a", 10.0) == 2.0


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_growth_is_learnt_from_two_sizes(power):
    clock = Clock()
    clock.note("tree", "a", 100.0, 0.01 * 100**power)
    clock.note("tree", "b", 1000.0, 0.01 * 1000**power)
    assert clock.expected("tree", "c", 5000.0) == pytest.approx(0.01 * 5000**power, rel=1e-6)


def test_growth_is_never_taken_to_be_absurd():
    clock = Clock()
    clock.note("tree", "a", 100.0, 1e-6)
    clock.note("tree", "b", 101.0, 10.0)  # noise between two sizes that hardly differ
    assert clock.expected("tree", "c", 1010.0) < 10.0 * 10**3 + 1


def test_a_learner_that_was_never_timed_is_taken_for_an_average_one():
    clock = Clock()
    clock.note("tree", "a", 10.0, 1.0)
    clock.note("forest", "a", 10.0, 3.0)
    assert clock.expected("bayes", "a", 10.0) == 2.0
