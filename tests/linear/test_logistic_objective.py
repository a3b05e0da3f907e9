"""The cross-entropy as a sum over rows: kernels against NumPy, derivatives against differences, theory."""

import assay.linear._logistic as _logistic
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.special import expit, log_softmax, softmax

from assay.core.sums import Rows, Stream
from assay.linear.logistic_objective import LogisticObjective, Scale, inverse

NOTHING = np.empty(0)


def by_the_book(X, y, w, W):
    """Loss, gradient and posteriors of (d + 1, K) weights, the intercepts last."""
    Z = X.astype(np.float64) @ W[:-1] + W[-1]
    w = np.ones(len(y)) if w is None else w
    loss = -(w * log_softmax(Z, axis=1)[np.arange(len(y)), y]).sum()
    P = softmax(Z, axis=1)
    R = w[:, None] * (P - np.eye(W.shape[1])[y])
    return loss, np.vstack((X.T.astype(np.float64) @ R, R.sum(axis=0))), P, R


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


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n", "d", "K"), [(1, 1, 3), (37, 5, 3), (100, 7, 5), (259, 30, 8), (70, 13, 11), (64, 4, 16)]
)
def test_kernel_of_few_classes_is_the_formula(n, d, K, weighted, dtype):
    X, y, w, W = rows(n, d, K, weighted, dtype)
    wide = 4 if K <= 4 else 8 if K <= 8 else 16
    padded, G = np.zeros((d + 1, wide)), np.zeros((d + 1, wide))
    padded[:, :K] = W
    loss = _logistic.few_classes(X, y, NOTHING if w is None else w, K, padded, G)
    expected, gradient, _, _ = by_the_book(X, y, w, W)
    assert_allclose(loss, expected, rtol=1e-12)
    assert_allclose(G[:, :K], gradient, atol=1e-11 * n)
    assert not G[:, K:].any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (33, 4), (100, 8), (259, 30), (131, 67)])
def test_kernel_of_two_classes_is_the_formula(n, d, weighted, dtype):
    X, y, w, W = rows(n, d, 2, weighted, dtype)
    G = np.zeros(d + 1)
    beta = W[:, 1] - W[:, 0]
    loss = _logistic.two_classes(X, y, NOTHING if w is None else w, beta[:-1].copy(), beta[-1], G)
    expected, gradient, _, _ = by_the_book(X, y, w, np.column_stack((np.zeros(d + 1), beta)))
    assert_allclose(loss, expected, rtol=1e-12)
    assert_allclose(G, gradient[:, 1], atol=1e-11 * n)


@pytest.mark.parametrize("weighted", [False, True])
def test_residuals_and_posteriors_of_given_scores(weighted):
    X, y, w, W = rows(211, 3, 40, weighted)
    loss, _, P, R = by_the_book(X, y, w, W)
    Z, out = X @ W[:-1] + W[-1], np.empty((211, 40))
    assert_allclose(_logistic.residuals(Z, y, NOTHING if w is None else w, out), loss, rtol=1e-12)
    assert_allclose(out, P, atol=1e-14)
    assert_allclose(Z, R, atol=1e-13)
    z, h = X[:, 0] * 5, np.empty(211)
    p = expit(z)
    two = (y > 20).astype(np.int64)
    _logistic.two_residuals(z, two, NOTHING if w is None else w, h)
    weight = 1.0 if w is None else w
    assert_allclose(z, weight * (p - two), atol=1e-14)
    assert_allclose(h, weight * p * (1 - p), atol=1e-14)


def test_column_sums():
    X, _, w, _ = rows(50, 3, 2, True)
    for weights, kernel in ((np.ones(50), NOTHING), (w, w)):
        first, second = np.zeros(3), np.zeros(3)
        _logistic.columns(X, kernel, X[0].copy(), first, second)
        assert_allclose(first, weights @ (X - X[0]), atol=1e-12)
        assert_allclose(second, weights @ (X - X[0]) ** 2, atol=1e-12)


def test_kernels_refuse_shapes_that_do_not_fit():
    X, y, _, W = rows(5, 3, 2)
    with pytest.raises(ValueError, match="shapes"):
        _logistic.two_classes(X, y[:4], NOTHING, np.zeros(3), 0.0, np.zeros(4))
    with pytest.raises(ValueError, match="shapes"):
        _logistic.few_classes(X, y, NOTHING, 5, np.zeros((4, 4)), np.zeros((4, 4)))
    with pytest.raises(ValueError, match="shapes"):
        _logistic.residuals(np.zeros((5, 2)), y, np.ones(4), np.empty((0, 2)))


@pytest.mark.capability("BC-27", "LS-12", "C3-19", "IML-10-10")
@given(a=st.floats(-40, 40))
@settings(max_examples=60, deadline=None)
def test_sigmoid_and_its_identities(a):
    """theta(-s) = 1 - theta(s), theta' = theta (1 - theta), the logit its inverse; three equal rules."""
    from assay.core.scores import logistic

    p = logistic(np.array([a]))[0]
    assert_allclose(p, [expit(-a), expit(a)], rtol=1e-13)
    assert_allclose(p.sum(), 1.0, rtol=1e-15)
    assert_allclose(logistic(np.array([-a]))[0], p[::-1], rtol=1e-15)
    h = np.empty(1)
    _logistic.two_residuals(np.array([a]), np.array([0]), NOTHING, h)
    assert_allclose(h[0], expit(a) * expit(-a), rtol=1e-12)
    step = 1e-5
    slope = (expit(a + step) - expit(a - step)) / (2 * step)
    assert_allclose(h[0], slope, atol=1e-9)
    odds = p[1] / p[0]
    assert_allclose(np.log(odds), a, atol=1e-9 * max(1, abs(a)) + 1e-12)
    assert (p[1] > 0.5) == (odds > 1) == (np.log(odds) > 0) or abs(a) < 1e-15


@pytest.mark.capability("BC-27", "C3-19", "IML-10-10")
def test_sigmoid_at_the_ends_of_the_floats():
    from assay.core.scores import logistic

    assert_allclose(logistic(np.array([0.0, 1e4, -1e4]))[:, 1], [0.5, 1.0, 0.0], atol=0)
    z = np.array([1e300, -1e300, 800.0])
    loss = _logistic.two_residuals(z, np.array([1, 0, 0]), NOTHING, NOTHING)
    assert loss == 800.0
    assert_allclose(z, [0, 0, 1], atol=1e-300)


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
        found = other.hessian(v)
        assert_allclose(found[0], value, rtol=1e-12)
        assert_allclose(found[1], g, atol=1e-12)
        assert_allclose(found[2], H, atol=1e-12)
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
