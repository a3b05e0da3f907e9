"""Beliefs about differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.plots.posterior_display import PosteriorDisplay
from assay.stats.bayesian.correlated_t import correlated_t
from assay.stats.bayesian.rope_posterior import RopePosterior
from assay.stats.bayesian.signed_rank_posterior import signed_rank_posterior
from assay.tables.data import load_iris

DIFFERENCES = [0.03, 0.00, 0.03, 0.01, 0.01, 0.01, 0.04, 0.02, 0.01, 0.04]


def area(part):
    """Of a region between a curve and zero, by the shoelace formula."""
    x, y = part.get_paths()[0].vertices.T
    return abs(np.dot(x[:-1], y[1:]) - np.dot(y[:-1], x[1:])) / 2


def test_areas_of_the_regions_are_the_probabilities():
    display = PosteriorDisplay.from_differences(
        DIFFERENCES, ratio=1 / 9, rope=0.01, first="tree", second="bayes"
    )
    found = display.posterior
    drawn = [area(part) for part in display.parts_]
    assert_allclose(
        drawn, [found.left, found.within, found.right], atol=2e-3
    )  # the ends of the axis hold 0.998
    (line,) = [line for line in display.ax_.lines if len(line.get_xdata()) > 2]
    assert_allclose(line.get_ydata(), found.density(line.get_xdata()))
    assert display.ax_.get_xlabel() == "difference, tree minus bayes"


def test_a_comparison_s_posterior_knows_that_splits_share_rows():
    result = compare(["lda", "cart"], load_iris(), design="3x5")
    display = PosteriorDisplay.from_comparison(result, "cart", "lda", rope=0.02)
    twin = correlated_t(result.values("cart") - result.values("lda"), ratio=30 / 120, rope=0.02)
    assert_allclose([display.posterior.left, display.posterior.right], [twin.left, twin.right])
    assert display.ax_.get_xlabel() == "difference in error, cart minus lda"
    with pytest.raises(ParameterError, match="no learner 'ripper'"):
        PosteriorDisplay.from_comparison(result, "ripper", "lda")


def test_without_a_region_there_are_two_parts():
    display = PosteriorDisplay.from_differences(DIFFERENCES, rope=0)
    assert len(display.parts_) == 2 and len(display.ax_.get_legend().get_texts()) == 2


def test_differences_that_do_not_vary_are_one_line():
    display = PosteriorDisplay.from_differences([0.02] * 5, rope=0.01)
    assert any(line.get_xdata()[0] == 0.02 for line in display.ax_.lines)
    assert [area(part) for part in display.parts_] == [0, 0, 0]


def test_draws_lie_in_the_triangle_near_their_corner():
    found = signed_rank_posterior([0.02, -0.01, 0.05, 0.03, 0.04, -0.015, 0.06], draws=500)
    display = PosteriorDisplay(found, "tree", "bayes").plot()
    spots = np.asarray(display.parts_[0].get_offsets())
    assert_allclose(spots[:, 1], found.samples[:, 1] * np.sqrt(3) / 2)  # up: practically equal
    assert_allclose(spots[:, 0], found.samples[:, 1] / 2 + found.samples[:, 2])
    words = [t.get_text() for t in display.ax_.texts]
    assert words[1] == f"practically equal\n{found.within:.3f}" and words[2].startswith(
        "tree higher\nthan bayes"
    )


def test_a_posterior_of_nothing_is_refused():
    with pytest.raises(DataError, match="neither a density nor draws"):
        PosteriorDisplay(RopePosterior(0.2, 0.3, 0.5, 0.01, "none")).plot()
