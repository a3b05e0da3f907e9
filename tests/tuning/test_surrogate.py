"""The model of what settings are worth: its native covariances, its evidence, its parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.kernels import RBF, Matern
from assay.processes import GaussianProcessRegressor
from assay.tuning import Category, Real, Space, Whole, _surrogate
from assay.tuning.surrogate import JITTER, Surrogate

SPACE = Space(
    {"a": Real(0.0, 1.0), "kind": Category(["x", "y", "z"]), "b": Real(0.0, 1.0), "other": [True, False]}
)


def by_the_book(A, B, numbers):
    """(m, n) the covariances and what the slopes are made of: (m, n, d)."""
    squares = (A[:, None] - B) ** 2
    r = np.sqrt(5.0 * squares[..., :numbers].sum(axis=2))
    e = np.exp(-r - 0.5 * squares[..., numbers:].sum(axis=2))
    k = (1.0 + r + r * r / 3.0) * e
    of_number, of_category = (5.0 / 3.0 * (1.0 + r) * e)[..., None], k[..., None]
    return k, squares * np.where(np.arange(A.shape[1]) < numbers, of_number, of_category)


@pytest.mark.parametrize(("n", "d", "numbers"), [(1, 1, 0), (2, 1, 1), (9, 5, 3), (40, 7, 7), (33, 4, 0)])
def test_covariances_and_slopes_are_those_of_the_formula(n, d, numbers):
    random = np.random.default_rng(n)
    A, B, W = random.normal(size=(n, d)), random.normal(size=(7, d)), random.normal(size=(n, n))
    W += W.T
    K, g = np.empty((n, 7)), np.empty(d)
    _surrogate.between(A, B, numbers, K)
    _surrogate.slopes(A, numbers, W, g)
    assert_allclose(K, by_the_book(A, B, numbers)[0], rtol=1e-13, atol=1e-15)
    assert_allclose(g, np.einsum("it,itj->j", W, by_the_book(A, A, numbers)[1]), rtol=1e-11, atol=1e-12)


def test_covariances_are_the_product_of_the_kernels_of_the_house():
    random = np.random.default_rng(0)
    A, B, K = random.uniform(size=(6, 5)), random.uniform(size=(4, 5)), np.empty((6, 4))
    _surrogate.between(A, B, 3, K)
    assert_allclose(K, Matern(nu=2.5)(A[:, :3], B[:, :3]) * RBF()(A[:, 3:], B[:, 3:]), rtol=1e-12)


@pytest.mark.parametrize("wrong", ["columns", "numbers", "rows", "slopes"])
def test_arrays_that_do_not_fit_are_refused(wrong):
    A, K = np.zeros((3, 2)), np.zeros((3, 3))
    with pytest.raises(ValueError):
        if wrong == "columns":
            _surrogate.between(A, np.zeros((3, 1)), 1, K)
        elif wrong == "numbers":
            _surrogate.between(A, A, 3, K)
        elif wrong == "rows":
            _surrogate.between(A, A, 1, K[:2])
        else:
            _surrogate.slopes(A, 1, K, np.zeros(3))


def _values(space, n, seed=0):
    random = np.random.default_rng(seed)
    units = space.snap(random.uniform(size=(n, len(space))))
    noise = 0.1 * random.normal(size=n)
    return units, np.sin(5.0 * units[:, 0]) + (units[:, 1] - 0.4) ** 2 + noise


def test_slopes_of_the_evidence_are_its_differences():
    model = Surrogate(SPACE)
    units, values = _values(SPACE, 25)
    columns, z = SPACE.features(units)[:, model.order], (values - values.mean()) / values.std()
    theta = np.array([0.2, -0.5, 0.3, -0.1, 0.4, -3.0])
    value, slopes = model._log_evidence(theta, columns, z)
    for k in range(len(theta)):
        step = 1e-5 * (np.arange(len(theta)) == k)
        above, below = (model._log_evidence(theta + sign * step, columns, z)[0] for sign in (1, -1))
        assert_allclose(slopes[k], (above - below) / 2e-5, rtol=1e-6, atol=1e-7)
    assert np.isfinite(value)


@pytest.mark.parametrize(
    "space", [SPACE, Space({"a": Real(0.0, 1.0), "b": Whole(1, 30)})], ids=["mixed", "numbers"]
)
def test_parameters_and_answers_are_those_of_the_gaussian_process(space):
    """Peer in the house: GaussianProcessRegressor with the same kernel and priors.

    The search here ends when the objective falls by less than 1e-4, so its objective is at most that far from the
    other's; answers with the same parameters agree to rounding.
    """
    units, values = _values(space, 40)
    model = Surrogate(space).fit(units, values)
    F = space.features(units)
    whole = GaussianProcessRegressor(
        model._first_kernel(), alpha=JITTER, selection="map", method="exact"
    ).fit(F, model.z)
    same = GaussianProcessRegressor(model.kernel, alpha=JITTER, optimizer=None, method="exact").fit(
        F, model.z
    )
    ours, best = (m.log_marginal_likelihood(m.kernel_.theta) for m in (same, whole))
    assert_allclose(ours, best, atol=0.05)  # without the prior, which the two weigh alike
    columns = F[:, model.order]
    assert_allclose(Surrogate(space)._log_evidence(model.kernel.theta, columns, model.z)[0], ours, rtol=1e-10)
    queries = space.snap(np.random.default_rng(1).uniform(size=(20, len(space))))
    mean, sd = model.mean_and_sd(queries)
    expected, with_noise = same.predict(space.features(queries), return_std=True)
    assert_allclose(mean, model.mean + model.scale * expected, rtol=1e-7, atol=1e-9)
    noise = model.noise - JITTER
    assert_allclose(sd, model.scale * np.sqrt(np.maximum(with_noise**2 - noise, 1e-12)), rtol=1e-6)
    assert_allclose(model.expected(), model.mean_and_sd(units)[0], rtol=1e-10)
