"""Multiple kernel learning for numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes

from assay.kernels import RBF, Linear
from assay.svm import SVR, MultipleKernelSVR

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:150] * 20, (Y[:150] - Y.mean()) / Y.std()


@pytest.mark.capability("IML-13-27")
def test_two_copies_of_a_kernel_give_its_regression():
    twice = MultipleKernelSVR([RBF(gamma=0.1)] * 2, tol=1e-8).fit(X, Y)
    once = SVR(kernel=RBF(gamma=0.1), tol=1e-8).fit(X, Y)
    assert_allclose(twice.predict(X), once.predict(X), atol=1e-6)


@pytest.mark.parametrize("rule", ["norms", "gradient"])
def test_no_weights_on_a_grid_do_better(rule):
    kernels = [Linear(), RBF(gamma=0.05)]
    model = MultipleKernelSVR(kernels, rule=rule, gap_tol=1e-5, tol=1e-8, max_rounds=1000).fit(X, Y)
    grams = [kernel(X) / np.trace(kernel(X)) * len(X) for kernel in kernels]

    def objective(share):
        K = share * grams[0] + (1 - share) * grams[1]
        machine = SVR(kernel="precomputed", tol=1e-8).fit(K, Y)
        c, s = machine.dual_coef_[0], machine.support_
        return Y[s] @ c - 0.1 * np.abs(c).sum() - 0.5 * c @ K[np.ix_(s, s)] @ c

    best = objective(model.weights_[0])
    assert_allclose(model.history_[-1]["objective"], best, rtol=1e-5)
    assert min(objective(share) for share in np.linspace(0, 1, 41)) >= best * (1 - 2e-5)
    plain = SVR(kernel=model.kernel_, tol=1e-8).fit(X, Y)
    assert_allclose(model.predict(X), plain.predict(X), atol=1e-5)


def test_columns_of_noise_lose_their_weight():
    rng = np.random.default_rng(0)
    signal, noise = rng.normal(size=(120, 2)), rng.normal(size=(120, 2))
    y = signal @ [1.0, -2.0] + rng.normal(0, 0.3, 120)
    kernels = [Linear().on([0, 1]), Linear().on([2, 3]), RBF(gamma=5.0).on([2, 3])]
    model = MultipleKernelSVR(kernels, C=0.1).fit(np.hstack([signal, noise]), y)
    assert model.weights_[0] > 0.95
