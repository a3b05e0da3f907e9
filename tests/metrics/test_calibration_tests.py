"""Tests of calibration: by hand, size, power, edges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2, norm

from assay.errors import DataError, ParameterError
from assay.metrics.calibration_tests import hosmer_lemeshow, spiegelhalter


def test_hosmer_lemeshow_by_hand():
    """Groups of .3 (2 of 4 came true) and .8 (3 of 4): (2-1.2)^2/.84 + (3-3.2)^2/.64 = .824405."""
    y, p = [0, 0, 1, 1, 0, 1, 1, 1], [0.3] * 4 + [0.8] * 4
    found = hosmer_lemeshow(y, p, groups=2)
    statistic = 0.64 / 0.84 + 0.04 / 0.64
    assert_allclose((found.statistic, found.p), (statistic, chi2.sf(statistic, 2)), rtol=1e-12)
    few = hosmer_lemeshow(y, p, groups=2, fitted=True)
    assert np.isnan(few.p) and "2 groups only" in few.why
    assert "2 groups instead of 10" in hosmer_lemeshow(y, p).why


def test_spiegelhalter_by_hand():
    """y - p times 1 - 2p: (-.1)(.8) + (.8)(.6) + (-.7)(-.4) = .68; variances .64 .09 + .36 .16 + .16 .21 = .1488."""
    found = spiegelhalter([0, 1, 0], [0.1, 0.2, 0.7])
    z = 0.68 / np.sqrt(0.1488)
    assert_allclose((found.statistic, found.p), (z, 2 * norm.sf(z)), rtol=1e-12)
    assert_allclose(
        spiegelhalter([0, 1, 0], [0.1, 0.2, 0.7], alternative="greater").p, norm.sf(z), rtol=1e-12
    )


def test_size_and_power_by_simulation():
    """500 samples of 400 calibrated forecasts at 5 %: exact size within 2.2 % to 8.4 % (0.001)."""
    rng = np.random.default_rng(5)
    p = rng.beta(2, 2, size=(500, 400)) * 0.9 + 0.05
    y = (rng.random(p.shape) < p) * 1
    for test in (hosmer_lemeshow, spiegelhalter):
        assert 0.022 <= np.mean([test(a, b).p <= 0.05 for a, b in zip(y, p)]) <= 0.084
        extreme = p**3 / (p**3 + (1 - p) ** 3)
        assert np.mean([test(a, b).p <= 0.05 for a, b in zip(y[:50], extreme[:50])]) > 0.95


def test_certain_forecasts_have_a_verdict():
    assert spiegelhalter([0, 1], [0.0, 1.0]).p == 1
    wrong = spiegelhalter([1, 1], [0.0, 1.0])
    assert wrong.p == 0 and "wrong" in wrong.why
    assert hosmer_lemeshow([0, 0, 1, 1], [0, 0, 1, 1], groups=2).p == 1
    assert hosmer_lemeshow([1, 0, 1, 1], [0, 0, 1, 1], groups=2).p == 0
    assert hosmer_lemeshow([1, 0], [1e-320, 0]).p == 0


def test_bad_input_is_told_plainly():
    with pytest.raises(ParameterError, match="groups must be a whole number from 2 up, got 1"):
        hosmer_lemeshow([0, 1], [0.2, 0.8], groups=1)
    with pytest.raises(DataError, match="between 0 and 1"):
        spiegelhalter([0, 1], [0.2, 1.8])
