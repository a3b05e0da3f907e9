"""What a Bayesian comparison says, in words."""

import pytest

from assay.errors import ParameterError
from assay.stats.bayesian.rope_posterior import RopePosterior, check_rope


@pytest.mark.parametrize(
    ("probabilities", "words"),
    [((0.97, 0.02, 0.01), "the first is smaller"), ((0.01, 0.98, 0.01), "practically equal"),
     ((0.0, 0.05, 0.95), "the first is larger"), ((0.5, 0.25, 0.25), "undecided")],
)  # fmt: skip
def test_sentences(probabilities, words):
    text = str(RopePosterior(*probabilities, 0.01, "test", why="A reason."))
    assert f": {words}. A reason." in text and "within 0.01 of zero" in text


def test_without_a_region_nothing_is_within():
    text = str(RopePosterior(0.2, 0.0, 0.8, 0.0, "test"))
    assert "within" not in text and "below zero with probability 0.200, above zero with 0.800" in text


@pytest.mark.parametrize("rope", [-0.1, float("nan"), float("inf"), "0.1", True, None, [0.1]])
def test_a_region_is_a_number_from_zero(rope):
    with pytest.raises(ParameterError, match="rope must be a number from 0"):
        check_rope(rope, "correlated_t")
