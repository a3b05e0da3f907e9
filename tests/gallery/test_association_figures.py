"""The numbers of the figures about baskets."""

import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-3-09")
def test_four_cases_of_support_and_confidence():
    """IML exercise 3.11: (0.8, 1), (0.4, 0.4), (0.1, 1) and (0.1, 0.125)."""
    found = draw("plot_support_and_confidence.py")["found"].values()
    assert_allclose(
        [(rule.support, rule.confidence) for rule in found], [(0.8, 1), (0.4, 0.4), (0.1, 1), (0.1, 0.125)]
    )


def test_planted_habits_are_left_and_chance_is_not():
    kept = {str(rule) for rule in draw("plot_association_rules.py")["kept"]}
    assert {"beer -> chips", "pasta, sauce -> cheese", "nappies -> baby food"} <= kept
    assert not any(rule.endswith(("-> bread", "-> milk", "-> eggs", "-> apples")) for rule in kept)
