"""Observed gaps stay below the bounds, and are what they should be."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.theory.gap import simulate_gap
from assay.theory.risk import erm


@pytest.mark.capability("BC-57")
def test_the_observed_gap_is_below_the_bounds_and_shrinks_as_they_do():
    study = simulate_gap([50, 200, 1000, 5000], runs=200)
    assert (
        (study.mean < study.high).all()
        and (study.high < study.finite).all()
        and (study.finite < study.vc).all()
    )
    assert (np.diff(study.mean) < 0).all() and (study.excess <= 2 * study.finite).all()
    slope = np.polyfit(np.log(study.n), np.log(study.mean), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.1)  # like 1/sqrt(n)


def test_the_gap_of_one_sample_is_that_of_all_its_hypotheses():
    study = simulate_gap(40, size=9, noise=0.2, runs=1, random_state=5)
    rng = np.random.default_rng(5)
    x = rng.random(40)
    y = (x >= 0.5) ^ (rng.random(40) < 0.2)
    t = np.linspace(0, 1, 9)
    result = erm([lambda x, t=t: x >= t for t in t], x, y)
    risk = 0.2 + 0.6 * np.abs(t - 0.5)
    assert study.mean[0] == pytest.approx(np.abs(result.risks - risk).max())
    assert study.excess[0] == pytest.approx(risk[result.index] - risk.min())


def test_bad_input_is_named():
    with pytest.raises(ParameterError, match="n must be a whole number from 2 up"):
        simulate_gap([1, 10])
    with pytest.raises(ParameterError, match="noise must be"):
        simulate_gap(10, noise=2)
