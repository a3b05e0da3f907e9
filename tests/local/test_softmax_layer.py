"""The softmax regression inside experts and networks: native steps against their twin, and what they promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax

from assay.local.softmax_layer import MOST_NATIVE_WEIGHTS, better_softmax_layer, softmax_layer


def cross_entropy(F, target, weight, penalty, W):
    logs = log_softmax(F @ W.T, axis=1)
    return -float(weight @ (target * logs).sum(axis=1)) + 0.5 * float((penalty * W**2).sum())


def steps_by_the_book(F, target, weight, penalty, steps, W):
    """Newton's method with the whole matrix of second derivatives, each step halved until the value falls."""
    K, p = W.shape
    for _ in range(steps):
        P = np.exp(log_softmax(F @ W.T, axis=1))
        slope = ((P - target) * weight[:, None]).T @ F + penalty * W
        share = np.einsum("n,nk,nkl->nkl", weight, P, np.eye(K) - P[:, None, :])
        H = np.einsum("nkl,ni,nj->kilj", share, F, F).reshape(K * p, K * p) + np.diag(np.tile(penalty, K))
        step = -np.linalg.solve(H, slope.ravel()).reshape(K, p)
        t = 1.0
        while cross_entropy(F, target, weight, penalty, W + t * step) > cross_entropy(
            F, target, weight, penalty, W
        ):
            t /= 2
        W = W + t * step
    return W - W.mean(axis=0)


def rows(n, p, K, seed):
    draw = np.random.default_rng(seed)
    F = np.column_stack([draw.normal(size=(n, p - 1)), np.ones(n)])
    return F, draw.dirichlet(np.ones(K), n), draw.uniform(0, 2, n), draw.normal(size=(K, p))


@pytest.mark.parametrize("n", [1, 7, 128, 300])  # within a tile, a whole one, several
@pytest.mark.parametrize("p, K", [(1, 2), (4, 3), (9, 2), (12, 9)])
def test_native_steps_are_those_of_the_book(n, p, K):
    F, target, weight, W = rows(n, p, K, seed=n)
    penalty = np.full(p, 0.3)
    ours = better_softmax_layer(F, target, weight, penalty, 2, W)
    assert_allclose(ours, steps_by_the_book(F, target, weight, penalty, 2, W), atol=1e-6)


@pytest.mark.parametrize("penalty", [0.0, 1e-3])
def test_many_steps_reach_the_optimum(penalty):
    F, target, weight, W = rows(200, 5, 3, seed=1)
    best = softmax_layer(F, target, weight, np.full(5, penalty), 100)[0]
    assert_allclose(better_softmax_layer(F, target, weight, np.full(5, penalty), 50, W), best, atol=1e-7)


@pytest.mark.parametrize("p", [3, MOST_NATIVE_WEIGHTS])
def test_no_step_raises_the_cross_entropy_of_separable_classes(p):
    draw = np.random.default_rng(2)
    F = draw.normal(size=(60, p)) * 100
    target = np.eye(2)[(F[:, 0] > 0).astype(int)]
    weight, penalty, W = np.ones(60), np.full(p, 1e-6), draw.normal(size=(2, p))
    values = [cross_entropy(F, target, weight, penalty, W)]
    for _ in range(20):
        W = better_softmax_layer(F, target, weight, penalty, 1, W)
        values.append(cross_entropy(F, target, weight, penalty, W))
    assert (np.diff(values) <= 1e-9 * (1 + np.abs(values[0]))).all()
    assert values[-1] < 1e-3 * values[0]


def test_a_column_of_zeros_without_a_penalty_gets_no_weight():
    F, target, weight, W = rows(50, 4, 3, seed=3)
    F[:, 1] = 0
    after = better_softmax_layer(F, target, weight, np.zeros(4), 5, np.zeros_like(W))
    assert np.isfinite(after).all()
    assert_allclose(after[:, 1], 0, atol=1e-12)


@pytest.mark.parametrize("steps", [-1, 2**40])
def test_steps_without_end_are_refused(steps):
    F, target, weight, W = rows(20, 3, 2, seed=4)
    with pytest.raises(ValueError, match="from 0 to 65536 steps"):
        better_softmax_layer(F, target, weight, np.ones(3), steps, W)
