"""The cross-entropy as an optimiser sees it: derivatives against differences, coordinates, metrics, theory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.special import expit

from assay.core.sums import Rows, Stream
from assay.linear.logistic.logistic_objective import LogisticObjective, Scale, inverse


def rows(n, d, K, weighted=False, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray(rng.normal(size=(n, d)).astype(dtype))
    y = rng.integers(0, K, n)
    return X, y, rng.uniform(0.1, 3, n) if weighted else None, rng.normal(size=(d + 1, K))


def objective(X, y, w, K, **how):
    mean = X.mean(axis=0) if not hasattr(X, "tocsr") else np.asarray(X.mean(axis=0)).ravel()
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    total = float(len(y) if w is None else w.sum())
    scale = Scale.of(mean, dense.var(axis=0), total, how.pop("centred", True))
    return LogisticObjective(Rows(X, y, w), K, scale, **{"strength": 0.7, **how})


@pytest.mark.capability("IML-10-18", "BC-36")
def test_softmax_and_its_jacobian():
    """Oracle: IML 10.7.2, softmax(1, 2, 3) and its Jacobian y_i (delta_ij - y_j); the Hessian of one row shows it."""
    y = np.zeros(1, dtype=np.int64)
    scale = Scale(np.zeros(1), np.ones(1), 1.0)
    one = LogisticObjective(Rows(np.zeros((1, 1)), y), 3, scale, strength=0.0)
    v = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]).ravel()
    value, g, H = one.hessian(v)
    p = np.array([0.09003057, 0.24472847, 0.66524096])
    assert_allclose(g.reshape(2, 3)[1] + [1, 0, 0], p, atol=5e-9)
    assert_allclose(value, -np.log(0.09003057), atol=1e-7)
    jacobian = [
        [0.081925, -0.022033, -0.059892],
        [-0.022033, 0.184836, -0.162803],
        [-0.059892, -0.162803, 0.222695],
    ]
    assert_allclose(H[3:, 3:], jacobian, atol=5e-7)


@pytest.mark.capability("BC-36", "BC-37", "BC-28", "LS-13")
@given(
    seed=st.integers(0, 10_000),
    K=st.integers(2, 5),
    reference=st.booleans(),
    intercept=st.booleans(),
    weighted=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_derivatives_are_those_of_the_value(seed, K, reference, intercept, weighted):
    X, y, w, _ = rows(23, 3, K, weighted, seed=seed)
    X = X * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
    E = objective(
        X, y, w, K, fit_intercept=intercept, reference=K - 1 if reference else None, centred=intercept
    )
    v = np.random.default_rng(seed).normal(size=E.shape).ravel()
    value, g, H = E.hessian(v)
    assert_allclose(E.value_gradient(v)[0], value, rtol=1e-12)
    assert_allclose(E.value_gradient(v)[1], g, atol=1e-13)
    step = 1e-6
    for t in np.random.default_rng(seed + 1).choice(v.size, 3):
        e = np.zeros(v.size)
        e[t] = step
        (up, gu), (down, gd) = E.value_gradient(v + e), E.value_gradient(v - e)
        assert_allclose((up - down) / (2 * step), g[t], atol=1e-8)
        assert_allclose((gu - gd) / (2 * step), H[t], atol=1e-7)


@pytest.mark.capability("LS-13")
def test_both_forms_of_the_gradient_agree():
    """Oracle: LS-3; labels 0/1 and -1/+1 give the same averaged cross-entropy and the same gradient."""
    X, y, _, W = rows(40, 3, 2)
    beta = W[:, 1]
    E = objective(X, y, None, 2, strength=0.0)
    value, g = E.value_gradient(E.start(beta[:, None]))
    bar = np.column_stack((X, np.ones(40)))
    sign = 2 * y - 1
    margin = sign * (bar @ beta)
    plus_minus = -(expit(-margin) * sign) @ bar / 40
    zero_one = (expit(bar @ beta) - y) @ bar / 40
    assert_allclose(plus_minus, zero_one, atol=1e-16)
    assert_allclose(value, np.logaddexp(0, -margin).mean(), rtol=1e-13)
    outside = g[:3] * E.scale.spread + E.scale.mean * g[3]
    assert_allclose(np.append(outside, g[3]), zero_one, atol=1e-14)


@pytest.mark.capability("BC-28", "BC-37", "IML-10-18")
def test_values_at_zero_and_two_ways_to_two_classes():
    """J(0) = N ln K; the softmax of two classes is the logistic function of the difference."""
    X, y, _, W = rows(50, 3, 2)
    for K in (2, 3, 7):
        E = objective(X, y, None, K)
        assert_allclose(E.value_gradient(np.zeros(E.shape).ravel())[0], np.log(K), rtol=1e-14)
    two = objective(X, y, None, 2, strength=0.0)
    three = objective(X, y, None, 3, strength=0.0)  # nobody in the third class, whose score is -1000
    far = np.column_stack((W, np.append(np.zeros(3), -1000.0)))
    assert_allclose(
        two.value_gradient(two.start((W[:, 1] - W[:, 0])[:, None]))[0],
        three.value_gradient(three.start(far))[0],
        rtol=1e-12,
    )


@pytest.mark.parametrize("K", [2, 3, 20])
def test_sparse_rows_and_blocks_add_up_alike(K):
    X, y, w, _ = rows(300, 6, K, True)
    X[X < 0.5] = 0
    factors = np.linspace(0.5, 2, K)
    dense = objective(X, y, w, K, class_weight=factors)
    sparse = objective(csr_matrix(X), y, w, K, class_weight=factors)
    blocks = [(X[a : a + 70], y[a : a + 70], w[a : a + 70]) for a in range(0, 300, 70)]
    from assay.core.sums import Block

    stream = LogisticObjective(
        Stream(blocks, lambda b: Block(*b)), K, dense.scale, strength=0.7, class_weight=factors
    )
    inside = dense.over(Rows(X, y, w), factors)
    v = np.random.default_rng(1).normal(size=dense.shape).ravel()
    value, g, H = dense.hessian(v)
    for other in (sparse, stream, inside):
        result = other.hessian(v)
        assert_allclose(result[0], value, rtol=1e-12)
        assert_allclose(result[1], g, atol=1e-12)
        assert_allclose(result[2], H, atol=1e-12)
        assert_allclose(other.value_gradient(v)[1], g, atol=1e-12)
        assert_allclose(other.metric_of_classes(v)(g), dense.metric_of_classes(v)(g), rtol=1e-7, atol=1e-8)


def test_curvature_of_the_optimiser_changes_no_step():
    X, y, w, _ = rows(60, 3, 4, True)
    for strength in (0.0, 0.7):
        E = objective(X, y, w, 4, strength=strength)
        v = E.start(np.zeros((4, 4)))
        _, g, H = E.hessian(v)
        lifted = E.curvature(v)[2]
        assert_allclose(np.linalg.solve(lifted, g), np.linalg.pinv(H) @ g, atol=1e-10)
        assert np.linalg.eigvalsh(lifted).min() > 1e-3


def test_metric_of_classes_is_the_curvature_without_mixed_blocks():
    X, y, w, _ = rows(60, 3, 3, True)
    E = objective(X, y, w, 3, reference=0)
    v = np.random.default_rng(0).normal(size=E.shape).ravel()
    H = E.hessian(v)[2].reshape(4, 2, 4, 2)
    metric, g = E.metric_of_classes(v), np.random.default_rng(1).normal(size=8)
    for f in range(2):
        expected = np.linalg.solve(H[:, f, :, f], g.reshape(4, 2)[:, f])
        assert_allclose(metric(g).reshape(4, 2)[:, f], expected, rtol=1e-8)


def test_what_all_classes_share_has_the_curvature_of_the_penalty():
    X, y, w, _ = rows(60, 3, 3, True)
    E = objective(X, y, w, 3)
    v = np.random.default_rng(0).normal(size=E.shape).ravel()
    shared = np.repeat(np.array([1.0, -2.0, 0.5, 0.0]), 3)
    metric = E.metric_of_classes(v)
    assert_allclose(E.hessian(v)[2] @ metric(shared), shared, atol=1e-10)
    M = np.array([metric(e) for e in np.eye(12)])
    assert_allclose(M, M.T, atol=1e-12)
    assert np.linalg.eigvalsh(M).min() > -1e-12


def test_weights_and_start_are_inverse():
    X, y, w, W = rows(30, 3, 4)
    for reference in (None, 2):
        E = objective(X, y, w, 4, reference=reference)
        back = E.weights(E.start(W))
        assert_allclose(back, W - (W[:, [2]] if reference else 0), atol=1e-13)


def test_size_is_the_largest_slope_in_either_unit():
    X, y, _, _ = rows(30, 2, 2)
    E = objective(X * [100.0, 0.01], y, None, 2, strength=0.0)
    _, g = E.value_gradient(np.array([0.3, -0.2, 0.1]))
    outside = np.append(g[:2] * E.scale.spread + E.scale.mean * g[2], g[2])
    assert_allclose(E.size(g), max(np.abs(outside).max(), np.abs(g).max()))


def test_inverse_of_a_singular_matrix_is_finite():
    solve = inverse(np.ones((3, 3)), np.zeros(3))
    assert np.isfinite(solve(np.array([1.0, 2.0, 3.0]))).all()
    assert np.isfinite(inverse(np.full((2, 2), np.inf), np.zeros(2))(np.ones(2))).all()
