"""Two one-sided tests: SciPy, statsmodels, the interval, level, and the four conclusions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.equivalence import equivalence_test
from assay.stats.significance.summary import Summary


def test_same_as_statsmodels():
    """Peer: statsmodels 0.15: ttost_paired, ttost_ind (unequal variances)."""
    from statsmodels.stats.weightstats import ttost_ind, ttost_paired

    rng = np.random.default_rng(0)
    a, b, c = rng.normal(0.02, 1, 30), rng.normal(0, 1, 30), rng.normal(0, 2, 45)
    for low, high in [(-0.5, 0.5), (-0.2, 0.9)]:
        assert_allclose(
            equivalence_test(a, b, rope=(low, high)).p, ttost_paired(a, b, low, high)[0], rtol=1e-7
        )
        ours = equivalence_test(a, c, rope=(low, high), paired=False)
        assert_allclose(ours.p, ttost_ind(a, c, low, high, usevar="unequal")[0], rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    gap=st.floats(-0.03, 0.03),
    n=st.integers(3, 60),
    ratio=st.sampled_from([0.0, 1 / 9]),
    alpha=st.floats(0.01, 0.2),
)
def test_equal_exactly_if_the_interval_lies_within(gap, n, ratio, alpha):
    result = equivalence_test(Summary(gap, 0.02, n), rope=0.01, ratio=ratio, alpha=alpha)
    assert result.rejected == (result.low >= -0.01 and result.high <= 0.01)


@pytest.mark.parametrize(
    ("mean", "sd", "words"),
    [(0.0, 0.005, "equal"), (0.004, 0.004, "different but negligible"), (0.03, 0.01, "different"),
     (0.005, 0.05, "undecided")],
)  # fmt: skip
def test_four_conclusions(mean, sd, words):
    result = equivalence_test(Summary(mean, sd, 40), rope=0.01)
    assert result.conclusion == words
    text = {"equal": "shown to be practically equal", "undecided": "more data are needed"}.get(
        words, "different"
    )
    assert text in str(result)


def test_the_level_at_the_edge():
    rng, worlds = np.random.default_rng(1), 2000
    D = rng.normal(0.5, 1, (worlds, 40))  # the truth lies on the edge: equality is wrong
    size = np.mean([equivalence_test(d, rope=0.5).rejected for d in D])
    assert abs(size - 0.05) < 4 * np.sqrt(0.05 * 0.95 / worlds)


def test_no_spread_is_judged_by_counting():
    near = equivalence_test(np.full(10, 0.003), rope=0.01)
    assert near.p == 2.0**-10 and near.conclusion == "different but negligible" and "coin" in near.why
    assert equivalence_test(np.full(3, 0.003), rope=0.01).conclusion == "undecided"
    assert equivalence_test(np.zeros(10), rope=0.01).conclusion == "equal"
    assert equivalence_test(np.full(10, 0.3), rope=0.01).conclusion == "different"


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: equivalence_test([0.1, 0.2], rope=0), "rope"),
     (lambda: equivalence_test([0.1, 0.2], rope=(1, -1)), "rope"),
     (lambda: equivalence_test([0.1, 0.2], rope="x"), "rope"),
     (lambda: equivalence_test([0.1, 0.2], alpha=0.6), "alpha"),
     (lambda: equivalence_test([0.1, 0.2], paired=False), "two samples"), (lambda: equivalence_test([0.1]), "2 splits"),
     (lambda: equivalence_test([0.1, 0.2], [0.1]), "2 pairs"), (lambda: equivalence_test([0.1, np.nan]), "row 2 "),
     (lambda: equivalence_test(Summary(1, 1, 3), [1, 2, 3]), "Summary of the differences")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
