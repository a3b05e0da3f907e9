"""The numbers behind the figures of Bayesian estimation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-16-33")
def test_the_beta_family_grows_narrower():
    variances = [belief.var for belief in draw("plot_beta_family.py")["beliefs"].values()]
    assert_allclose(variances, [1 / 12, 0.05, 0.02272727, 0.01454545, 0.00158416], rtol=1e-5)


@pytest.mark.capability("IML-16-33", "IML-16-04")
def test_the_posterior_of_twenty_numbers():
    posteriors = draw("plot_prior_likelihood_posterior.py")["posteriors"]
    assert_allclose([posteriors[20].mean, np.sqrt(posteriors[20].var)], [5.70099668, 0.30932356], rtol=1e-7)
    assert_allclose([posteriors[1].mean, posteriors[100].mean], [4.44290657, 5.93207547], rtol=1e-7)


@pytest.mark.capability("IML-16-33", "IML-16-18")
def test_the_simple_model_wins_where_it_expects_data():
    v = draw("plot_evidence_of_data_sets.py")
    best, middle = np.array(v["best"]), len(v["means"]) // 2
    assert best[middle] == 0 and best[0] == best[-1] == 2 and (np.diff(best[middle:]) >= 0).all()
    heights = v["evidence"].max(axis=1)
    assert heights[0] > heights[1] > heights[2]
    assert_allclose(np.trapezoid(v["evidence"], v["means"], axis=1), 1)


@pytest.mark.capability("IML-16-33", "IML-16-18", "IML-16-20")
def test_evidence_peaks_at_the_true_degree():
    v = draw("plot_evidence_of_degrees.py")
    assert np.argmax(v["evidence"]) == np.argmax(v["known"]) == 3
    assert (np.diff(v["likelihood"]) > 0).all() and np.argmax(v["estimated"]) == 8


@pytest.mark.capability("IML-16-33", "IML-16-01")
def test_the_next_throw_by_the_three_ways_of_estimating():
    v = draw("plot_parameter_and_predictions.py")
    assert_allclose(list(v["heads"].values()), [0.8, 0.5, 0.62318221], atol=1e-8)
    assert_allclose(v["posterior"], [0.02737382, 0.53464500, 0.43798118], atol=1e-8)
    assert sorted(v["model"].arcs) == [("θ", "x"), ("θ", "x′")]
