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
