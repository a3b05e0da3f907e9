import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.densities.adaptive_density import AdaptiveKernelDensity
from assay.densities.kernel_density import KernelDensity
from assay.densities.kernels import KERNELS, kernel_of
from assay.errors import DegenerateError

X = load_iris().data[:, :2] + np.random.default_rng(0).uniform(-0.05, 0.05, (150, 2))


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_the_formula_with_the_widths_of_the_rows(kernel):
    model = AdaptiveKernelDensity(0.4, kernel=kernel).fit(X)
    pilot = KernelDensity(bandwidth=0.4, kernel=kernel).fit(X).score_samples(X)
    h = 0.4 * np.exp(-0.5 * (pilot - pilot.mean()))
    assert_allclose(model.bandwidths_, h, rtol=1e-9)
    Q = X[:20] + 0.1
    u = np.linalg.norm(Q[:, None] - X, axis=2) / h
    assert_allclose(model.density(Q), np.mean(kernel_of(kernel)(u, 2) / h**2, axis=1), rtol=1e-9, atol=1e-14)


def test_without_sensitivity_it_is_the_plain_kernel_density():
    plain = KernelDensity(bandwidth=0.3).fit(X).score_samples(X)
    assert_allclose(AdaptiveKernelDensity(0.3, sensitivity=0).fit(X).score_samples(X), plain, rtol=1e-10)


def test_widths_by_neighbours():
    model = AdaptiveKernelDensity(0.5, local="neighbors", n_neighbors=4).fit(X)
    apart = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)
    assert_allclose(model.bandwidths_, 0.5 * apart[:, 4], rtol=1e-10)


@given(
    seed=st.integers(0, 10**6),
    local=st.sampled_from(["pilot", "neighbors"]),
    kernel=st.sampled_from(list(KERNELS)),
)
@settings(max_examples=25, deadline=None)
def test_the_mass_is_one(seed, local, kernel):
    x = np.random.default_rng(seed).normal(size=(25, 1))
    model = AdaptiveKernelDensity(0.8, local=local, kernel=kernel, n_neighbors=5).fit(x)
    grid = np.linspace(-150, 150, 120_001)
    assert_allclose(model.density(grid[:, None]).sum() * (grid[1] - grid[0]), 1, rtol=2e-3)


def test_a_hill_beside_a_plain_is_drawn_better_than_with_one_width():
    """Squared error against the true density of the sample, each with its own best width of a list."""
    rng, grid = np.random.default_rng(0), np.linspace(-15, 15, 3000)
    x = np.concatenate([rng.normal(0, 0.1, 800), rng.normal(3, 4, 800)])[:, None]
    bell = kernel_of("gaussian")
    truth = 0.5 * bell(grid / 0.1) / 0.1 + 0.5 * bell((grid - 3) / 4) / 4

    def best(make):
        widths = np.geomspace(0.02, 2, 12)
        return min(np.mean((make(h).fit(x).density(grid[:, None]) - truth) ** 2) for h in widths)

    assert best(AdaptiveKernelDensity) < 0.5 * best(lambda h: KernelDensity(bandwidth=h))


def test_tolerances_bound_the_error():
    exact = AdaptiveKernelDensity(0.3).fit(X).density(X)
    rough = AdaptiveKernelDensity(0.3, rtol=0.05).fit(X).density(X)
    assert np.all(np.abs(rough - exact) <= 0.05 * exact)


def test_degenerate_rows():
    assert_allclose(AdaptiveKernelDensity(1.0).fit([[2.0]]).density([[2.0]]), 1 / np.sqrt(2 * np.pi))
    same = AdaptiveKernelDensity(1.0).fit(np.zeros((5, 1)))
    assert_allclose(same.bandwidths_, 1.0)
    with pytest.raises(DegenerateError, match="Raise n_neighbors"):
        AdaptiveKernelDensity(local="neighbors", n_neighbors=2).fit(np.zeros((5, 1)))
    with pytest.raises(DegenerateError, match="n_samples=3"):
        AdaptiveKernelDensity(local="neighbors", n_neighbors=3).fit([[1.0], [2.0], [3.0]])


def test_the_rules_for_the_first_width():
    named = AdaptiveKernelDensity("isj").fit(X[:, :1])
    assert 0.05 < named.bandwidth_ < 1
