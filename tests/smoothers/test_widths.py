import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.running_mean import RunningMean
from assay.smoothers.widths import rule_of_thumb, spread_rows


def test_the_rule_of_thumb_is_scotts(waves):
    x, y = waves
    model = KernelSmoother("scott").fit(x, y)
    assert_allclose(model.bandwidth_, x.std() * len(x) ** (-1 / 5), rtol=1e-9)
    box = RunningMean("scott").fit(x, y)
    assert_allclose(
        box.bandwidth_, np.sqrt(3) * model.bandwidth_, rtol=1e-9
    )  # the box on (-1, 1) has variance 1/3
    two = KernelSmoother("scott").fit(np.c_[x, x], y)
    assert_allclose(two.bandwidth_, x.std() * len(x) ** (-1 / 6), rtol=1e-9)


def test_rows_at_one_place_have_a_width():
    model = KernelSmoother().fit(np.ones((5, 2)), np.arange(5.0))
    assert rule_of_thumb(model) == 1.0


def test_spread_rows_do_not_depend_on_the_order():
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 2)).round(1)
    some, mixed = spread_rows(X, 50), random.permutation(500)
    assert len(np.unique(some)) == 50
    assert_array_equal(X[some], X[mixed][spread_rows(X[mixed], 50)])
    assert_array_equal(spread_rows(X, 500), np.arange(500))


@pytest.mark.parametrize("way", ["loo", "gcv"])
def test_with_many_rows_errors_are_measured_at_some(monkeypatch, way):
    import assay.smoothers.widths as widths

    random = np.random.default_rng(0)
    x = random.uniform(0, 10, 600)[:, None]
    y = np.sin(x[:, 0]) + random.normal(0, 0.3, 600)
    every = KernelSmoother(way).fit(x, y).bandwidth_
    monkeypatch.setattr(widths, "EFFORT", 1)
    some = KernelSmoother(way).fit(x, y).bandwidth_
    assert 0.4 < some / every < 2.5
