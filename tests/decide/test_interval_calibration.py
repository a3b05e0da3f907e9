import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from assay.decide import interval_calibration
from assay.errors import DataError
from assay.stats.distributions.predictive import Normal

rng = np.random.default_rng(0)
Y = rng.normal(size=500)


def test_right_distributions_keep_their_promise_at_every_level():
    table = interval_calibration(Y, Normal(np.zeros(500), 1.0), levels=(0.5, 0.9), confidence=0.99)
    assert [line.nominal for line in table.of()] == [0.5, 0.9]
    assert all(line.agrees for line in table.lines)
    line = table.of()[1]
    inside = np.abs(Y) <= 1.6448536269514722
    exact = binomtest(int(inside.sum()), 500).proportion_ci(0.99, method="exact")
    assert_allclose([line.coverage, line.low, line.high], [inside.mean(), exact.low, exact.high], rtol=1e-9)
    assert_allclose(line.width, 2 * 1.6448536269514722)
    assert_allclose(line.coverage + line.below + line.above, 1)


def test_groups_show_what_the_average_hides():
    noisy = np.arange(500) % 2 == 1
    y = np.where(noisy, 3.0, 0.3) * Y
    sd = np.sqrt((9 + 0.09) / 2)
    table = interval_calibration(
        y, Normal(np.zeros(500), sd), levels=[0.8], groups=np.where(noisy, "loud", "calm")
    )
    assert table.groups == ["calm", "loud"]
    calm, loud = table.of("calm")[0], table.of("loud")[0]
    assert calm.coverage == 1 and loud.coverage < 0.75 and not loud.agrees
    assert table.records()[1]["group"] == "calm" and calm.rows == 250


def test_intervals_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match=r"\(500, 2\) low and high ends"):
        interval_calibration(Y, {0.9: np.zeros((3, 2))})
    with pytest.raises(DataError, match="a group for each of 500 rows"):
        interval_calibration(Y, Normal(np.zeros(500), 1.0), groups=["a"])
