"""The losses: their gradients by differences, their leaves by search, their quantiles by counting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.utils.stats import _weighted_percentile

from assay.ensembles.boosting_losses import LOSSES, TreeRows, class_loss, weighted_quantile

NUMBERS = {name: (make(0.8) if name in ("huber", "quantile") else make()) for name, make in LOSSES.items()}
CLASSES = {"binomial": class_loss("log_loss", 2), "exponential": class_loss("exponential", 2)}
CLASSES["multinomial"] = class_loss("log_loss", 4)
# value / residual: squared error and the binomial deviance are twice what their residuals are gradients of
FACTOR = {"squared_error": 2.0, "binomial": 2.0}


def some(name, seed, n=30):
    rng = np.random.default_rng(seed)
    loss = {**NUMBERS, **CLASSES}[name]
    C = 4 if name == "multinomial" else 1
    y = rng.integers(max(C, 2), size=n) if name in CLASSES else rng.normal(size=n)
    return loss, y, rng.normal(size=(n, C)), rng.uniform(0.2, 2, n)


@pytest.mark.parametrize("name", [*NUMBERS, *CLASSES])
def test_residuals_are_the_negative_gradient(name):
    loss, y, F, w = some(name, 0)
    loss.prepare(y, F, w)
    for c in range(F.shape[1]):
        up, down = F.copy(), F.copy()
        up[:, c] += 1e-6
        down[:, c] -= 1e-6
        slope = (loss.each(y, down) - loss.each(y, up)) / 2e-6
        assert_allclose(loss.residuals(y, F)[:, c] * FACTOR.get(name, 1.0), slope, atol=1e-6)


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "quantile"])
def test_the_step_of_a_leaf_is_the_best_there_is(name):
    loss, y, F, w = some(name, 1)
    leaf = np.arange(30) % 3
    steps = loss.steps(TreeRows(y, F, loss.residuals(y, F)[:, 0], w, leaf, 3, 0))
    if steps is None:
        r = loss.residuals(y, F)[:, 0]
        steps = np.array([np.average(r[leaf == j], weights=w[leaf == j]) for j in range(3)])
    for j in range(3):
        at = leaf == j

        def cost(step, at=at):
            return loss.value(y[at], F[at] + step, w[at])

        assert cost(steps[j]) <= min(cost(steps[j] + d) for d in np.linspace(-1, 1, 201)) + 1e-12


@pytest.mark.parametrize("name", [*CLASSES])
def test_steps_of_classes_are_newtons(name):
    loss, y, F, w = some(name, 2)
    leaf, c = np.arange(30) % 3, F.shape[1] - 1
    r = loss.residuals(y, F)[:, c]
    steps = loss.steps(TreeRows(y, F, r, w, leaf, 3, c))
    up, down = F.copy(), F.copy()
    up[:, c] += 1e-5
    down[:, c] -= 1e-5
    bend = (loss.residuals(y, down)[:, c] - loss.residuals(y, up)[:, c]) / 2e-5
    K = F.shape[1]
    factor = (K - 1) / K if K > 1 else 1.0
    expected = [factor * (w * r)[leaf == j].sum() / (w * bend)[leaf == j].sum() for j in range(3)]
    assert_allclose(steps, expected, rtol=1e-6)


@pytest.mark.parametrize("name", [*CLASSES])
def test_scores_and_posteriors_undo_each_other_and_start_at_the_shares(name):
    loss, y, F, w = some(name, 3)
    P = loss.posterior(F)
    assert_allclose(P.sum(axis=1), 1)
    assert_allclose(loss.posterior(loss.scores(P)), P, atol=1e-12)
    shares = np.bincount(y, weights=w, minlength=P.shape[1]) / w.sum()
    assert_allclose(loss.posterior(loss.start(y, w)[None])[0], shares, rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), q=st.floats(0.01, 0.99), m=st.integers(1, 4))
def test_weighted_quantiles_are_scikit_learns(seed, q, m):
    rng = np.random.default_rng(seed)
    x, w, leaf = rng.integers(6, size=25).astype(float), rng.uniform(0.1, 1, 25), rng.integers(m, size=25)
    w[::6] = 0
    found = weighted_quantile(x, w, leaf, m, q)
    for j in range(m):
        if w[leaf == j].any():
            assert found[j] == _weighted_percentile(x[leaf == j], w[leaf == j], 100 * q)
        else:
            assert found[j] == 0


def test_a_leaf_of_sure_rows_stays():
    loss = class_loss("log_loss", 2)
    y, F = np.array([1, 1]), np.array([[800.0], [800.0]])
    tree = TreeRows(y, F, loss.residuals(y, F)[:, 0], np.ones(2), np.zeros(2, int), 1, 0)
    assert loss.steps(tree) == [0.0]
