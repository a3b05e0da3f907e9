"""The objective of Huber regression, against its definition and against differences."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.linear.regression import huber_loss
from assay.linear.regression.huber_regressor import HuberRegressor


def value_and_slopes(model, A, y, w):
    """The objective of the docstring, and its derivatives by w, b and sigma, row by row."""
    e, sigma = model.epsilon, model.scale_
    z = (y - A @ model.coef_ - model.intercept_) / sigma
    loss = np.where(np.abs(z) <= e, z**2, 2 * e * np.abs(z) - e**2)
    pull = np.where(np.abs(z) <= e, z, e * np.sign(z))
    value = w @ (sigma + sigma * loss) + model.alpha * model.coef_ @ model.coef_
    slopes = -2 * (w * pull) @ A + 2 * model.alpha * model.coef_
    return value, slopes, -2 * w @ pull, w @ (1 + loss - 2 * z * pull)


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    y = A @ (rng.normal(size=d) / np.abs(A).max(axis=0)) + rng.standard_t(2, size=n)
    return A, y, rng.uniform(0, 2, n)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_twin_of_value_gradient_and_curvature(seed):
    """The objective as the optimiser sees it, against its definition and against differences of its gradient."""
    A, y, w = noisy(seed, n=30)
    loss = huber_loss.HuberLoss(A, y, w, 1.35, 0.1, True)
    start = loss.start(None)
    model = HuberRegressor(alpha=0.1)
    model.coef_, model.intercept_, model.scale_ = loss.answer(start)
    value = loss.value_gradient(start)[0] * loss.unit * w.sum()
    assert_allclose(value, value_and_slopes(model, A, y, w)[0], rtol=1e-9)
    _, gradient, H = loss.curvature(start)
    for j in range(len(start)):
        step = np.zeros(len(start))
        step[j] = 1e-7 * (1 + abs(start[j]))
        up, down = loss.value_gradient(start + step), loss.value_gradient(start - step)
        assert_allclose((up[0] - down[0]) / (2 * step[j]), gradient[j], atol=1e-5)
        crossed = loss._parts(start + step, True)[3] != loss._parts(start - step, True)[3]
        if not crossed.any():
            assert_allclose((up[1] - down[1]) / (2 * step[j]), H[j], rtol=1e-4, atol=1e-5 * np.abs(H).max())
