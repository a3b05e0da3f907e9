import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import kernel_of
from assay.densities.metric_sums import MetricSums, sums_over
from assay.distances import metric_of

rng = np.random.default_rng(0)
X, Q, W = rng.normal(size=(50, 3)), rng.normal(size=(9, 3)), rng.uniform(0.5, 2, 50)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_by_every_point_and_by_the_tree(metric):
    own, h = rng.integers(-1, 50, 9), rng.uniform(0.5, 2, 9)
    by_tree = sums_over(X, W, metric_of(metric))
    assert isinstance(by_tree, KernelSums)
    for name in ("gaussian", "tricube"):
        a, b = (
            s.log_sums(Q, kernel_of(name), h, leave_out=own, cut=2.0)
            for s in (by_tree, MetricSums(X, W, metric_of(metric)))
        )
        assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_metrics_without_a_tree_and_functions():
    for metric in (
        metric_of("minkowski", p=3),
        metric_of("braycurtis"),
        metric_of(lambda a, b: np.abs(a - b).max()),
    ):
        sums = sums_over(X, W, metric)
        assert isinstance(sums, MetricSums)
        u = metric.between(Q, X) / 0.7
        assert_allclose(np.exp(sums.log_sums(Q, kernel_of("exponential"), 0.7)), np.exp(-u) @ W, rtol=1e-9)


def test_gaps_and_categories_are_the_metrics_affair():
    with_missing = X.copy()
    with_missing[::4, 1] = np.nan
    metric = metric_of("heom").learn(with_missing)
    logs = sums_over(with_missing, W, metric).log_sums(Q, kernel_of("gaussian"), 0.5)
    assert_allclose(logs, np.log(np.exp(-0.5 * (metric.between(Q, with_missing) / 0.5) ** 2) @ W), rtol=1e-9)
