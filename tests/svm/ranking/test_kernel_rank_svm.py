"""RankSVM in the space of a kernel: the linear kernel is the linear machine; optimality; a twin in NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

import assay.svm.ranking._pair_descent as _pair_descent
from assay.linear import pairs_from_grades
from assay.svm import KernelRankSVM, RankSVM


def rows_of(n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)


@pytest.mark.capability("IML-13-37")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_linear_kernel_is_the_linear_machine(loss, C):
    X, grades = rows_of()
    linear = RankSVM(C, loss=loss, tol=1e-8).fit(X, grades)
    kernel = KernelRankSVM(C, kernel="linear", loss=loss, tol=1e-7, max_iter=200_000).fit(X, grades)
    assert_allclose(kernel.objective_, linear.objective_, rtol=1e-6)
    assert_allclose(kernel.coef_[0], linear.coef_, atol=1e-4)
    assert_allclose(kernel.predict(X), linear.predict(X), atol=1e-3)


@pytest.mark.capability("IML-13-37")
def test_three_items_of_the_book():
    X = np.array([[1.0], [2.0], [3.0]])
    model = KernelRankSVM(0.5, kernel="linear", tol=1e-9).fit(X, [1, 2, 3])
    assert_allclose(model.coef_, [[1.0]], atol=1e-6)
    assert_allclose(model.objective_, 0.5, atol=1e-6)
    # on the margin less than C, slack only at C: here all pairs that lead by 2 have none
    lead = model.predict(X)[[2, 2, 1]] - model.predict(X)[[1, 0, 0]]
    assert (lead >= 1 - 1e-6).all()


def test_the_matrix_of_the_dual_is_that_of_differences_of_images():
    """The optimum of a general solver over sum a - 1/2 a'Qa, Q = K(u,k) - K(u,l) - K(v,k) + K(v,l)."""
    X, grades = rows_of(8)
    gamma, C = 0.4, 2.0
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(-1))
    u, v = pairs_from_grades(grades).T
    Q = K[np.ix_(u, u)] - K[np.ix_(u, v)] - K[np.ix_(v, u)] + K[np.ix_(v, v)]
    result = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(len(u)),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * len(u),
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 100_000},
    )
    model = KernelRankSVM(C, gamma=gamma, tol=1e-7).fit(X, grades)
    assert_allclose(model.objective_, -result.fun, rtol=1e-5)
    assert (model.alpha_ >= 0).all() and (model.alpha_ <= C).all()
    lead = model.predict(X)[u] - model.predict(X)[v]
    assert_allclose(lead, Q @ model.alpha_, atol=1e-9)
    assert (model.alpha_[lead < 1 - 1e-3] == C).all() and (model.alpha_[lead > 1 + 1e-3] == 0).all()


def pass_by_the_book(K, pairs, high, ridge, a, order):
    """One pass over the pairs in this order; the slopes from the definition at every visit."""
    for t in order:
        coefficient = np.bincount(pairs[:, 0], a, len(K)) - np.bincount(pairs[:, 1], a, len(K))
        u, v = pairs[t]
        slope = (K @ coefficient)[u] - (K @ coefficient)[v] - 1 + ridge * a[t]
        power = K[u, u] + K[v, v] - 2 * K[u, v] + ridge
        a[t] = min(max(a[t] - slope / power, 0.0), high[t])


@pytest.mark.parametrize("visits", [1, 7, 1000])
@pytest.mark.parametrize("ridge, high", [(0.0, 0.7), (0.5, np.inf)])
def test_a_pass_is_the_pass_by_the_book(ridge, high, visits):
    X, grades = rows_of(12)
    K = np.ascontiguousarray(X @ X.T)
    pairs = pairs_from_grades(grades).astype(np.int32)
    m = len(pairs)
    a, g, order, bounds = np.zeros(m), np.zeros(12), np.arange(m), np.full(m, high)
    state = np.array([m, np.inf, 5.0, np.inf, 0.0, 0.0])
    made = 0
    while not made:  # a pass may be cut short, and goes on where it was
        made = _pair_descent.descend(
            gram=K, pairs=pairs, high=bounds, ridge=ridge, tol=0.0, most=1, visits=visits, a=a, g=g, order=order,
            state=state,
        )  # fmt: skip
    twin = np.zeros(m)
    pass_by_the_book(K, pairs, bounds, ridge, twin, order)  # nothing leaves in the first pass
    assert_allclose(a, twin, atol=1e-12)
    assert_allclose(g, K @ (np.bincount(pairs[:, 0], a, 12) - np.bincount(pairs[:, 1], a, 12)), atol=1e-10)
    with pytest.raises(ValueError, match="two row numbers"):
        _pair_descent.descend(
            gram=K,
            pairs=pairs + 12,
            high=bounds,
            ridge=0.0,
            tol=0.0,
            most=1,
            visits=1,
            a=a,
            g=g,
            order=order,
            state=state,
        )


def test_groups_precomputed_explanations_and_files(tmp_path):
    import assay

    X, grades = rows_of()
    group = np.arange(30) // 10
    model = KernelRankSVM(gamma=0.5).fit(X, grades, group=group)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    given = KernelRankSVM(kernel="precomputed").fit(K, grades, group=group)
    assert_allclose(given.predict(K), model.predict(X), atol=1e-2)
    assert model.score(X, grades, group=group) > 0.9
    assert "Support vectors of the score" in str(model.explain(X[:1]))
    assay.save(model, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").predict(X), model.predict(X))
