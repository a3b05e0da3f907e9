"""The engine: oracles of small problems that are solved by hand, and optimality on random ones."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay.svm.engine._solve as _solve
from assay.core.progress import listen
from assay.errors import DataError
from assay.kernels import (
    RBF,
    FunctionKernel,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    MatrixRows,
    Polynomial,
    PrecomputedKernel,
    Sigmoid,
)
from assay.svm.engine import Dual, blocks, solve, solve_all
from assay.svm.engine.row_cache import RowCache
from assay.svm.engine.search import Search

# Oracle: worked by hand; five points on a line, one of them on the wrong side.
LINE = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]])
SIDES = np.array([-1.0, -1.0, 1.0, 1.0, -1.0])


def soft_margin(y, C, ridge=None):
    n = len(y)
    return Dual(y, -np.ones(n), np.full(n, C), np.zeros(n), ridge=ridge)


@pytest.mark.parametrize(
    ("C", "w", "offset", "objective"), [(0.5, 2 / 3, -1 / 3, 1.388889), (1.0, 2 / 3, -1 / 3, 2.555556)]
)
def test_soft_margin_on_a_line(C, w, offset, objective):
    found = solve(Linear().gram_rows(LINE), soft_margin(SIDES, C), tol=1e-10)
    assert_allclose((found.alpha * SIDES) @ LINE, [w], atol=1e-9)
    assert_allclose(found.offset, offset, atol=1e-9)
    assert_allclose(-found.objective, objective, atol=1e-6)
    assert found.converged and found.gap < 1e-10


def test_without_free_multipliers_the_offset_is_in_the_middle_of_its_range():
    found = solve(Linear().gram_rows(LINE), soft_margin(SIDES, 0.1), tol=1e-10)
    assert_allclose(found.offset_range, (-0.75, -0.5), atol=1e-9)
    assert_allclose(found.offset, -0.625, atol=1e-9)
    assert_allclose(-found.objective, 0.36875, atol=1e-9)


def test_nu_form_on_a_line():
    nu, n = 0.6, 5
    start = np.zeros(n)
    for sign in (-1, 1):  # nu / 2 on either side, filled up in the order of the rows
        left = nu / 2
        for i in np.flatnonzero(sign == SIDES):
            start[i] = min(left, 1 / n)
            left -= start[i]
    dual = Dual(SIDES, np.zeros(n), np.full(n, 1 / n), start, "each sign")
    found = solve(Linear().gram_rows(LINE), dual, tol=1e-12)
    assert_allclose(found.alpha, [0, 0.1, 0.2, 0.1, 0.2], atol=1e-9)
    assert_allclose([found.offset, found.margin], [-0.1, 0.3], atol=1e-9)


def test_exclusive_or_with_the_quadratic_kernel():
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    y = -X[:, 0] * X[:, 1]
    found = solve(Polynomial(2).gram_rows(X), soft_margin(y, np.inf), tol=1e-12)
    assert_allclose(found.alpha, np.full(4, 1 / 8), atol=1e-9)
    assert_allclose([found.offset, -found.objective], [0, 1 / 4], atol=1e-9)


def test_regression_with_two_multipliers_a_row():
    X, y, n = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0]), 3
    dual = Dual(
        np.repeat([1.0, -1.0], n),
        np.concatenate([0.25 - y, 0.25 + y]),
        np.full(2 * n, 10.0),
        np.zeros(2 * n),
    )
    found = solve(Linear().gram_rows(X), dual, tol=1e-10)
    assert_allclose(found.alpha, [0, 0, 0.375, 0.375, 0, 0], atol=1e-8)
    assert_allclose([found.offset, -found.objective], [0.25, 0.28125], atol=1e-8)


# ------------------------------------------------------------------ optimality, whatever the form and the way


def problem(form, two, ridge, n=60, C=2.0, seed=0):
    """Soft margins, margins by nu, no bias; one multiplier a row or two; bounds of their own, some of them 0."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, -1.0, 1.0)
    m = 2 * n if two else n
    sign = np.repeat([1.0, -1.0], n) if two else y
    target = X[:, 0] ** 2 + 0.1 * rng.normal(size=n)
    linear = np.concatenate([0.1 - target, 0.1 + target]) if two else -np.ones(n)
    upper = C * rng.choice([0.0, 1.0, 1.0, 3.0], size=m)
    start = np.zeros(m)
    if form == "each sign":
        linear = linear - 0.1 if two else np.zeros(n)
        for s in (-1, 1):
            start[sign == s] = (
                0.3
                * min(upper[sign > 0].sum(), upper[sign < 0].sum())
                * (upper[sign == s] / upper[sign == s].sum())
            )
    return X, Dual(sign, linear, upper, start, form, np.full(m, ridge) if ridge else None)


def check_optimal(X, kernel, dual, found, tol, exact=1e-9):
    n, m = len(X), len(dual.sign)
    rows = np.arange(m) % n
    Q = np.outer(dual.sign, dual.sign) * kernel(X)[np.ix_(rows, rows)]
    if dual.ridge is not None:
        Q += np.diag(dual.ridge)
    assert found.converged and found.gap < tol
    assert (found.alpha >= 0).all() and (found.alpha <= dual.upper).all()
    assert_allclose(found.gradient, Q @ found.alpha + dual.linear, atol=exact)
    assert_allclose(
        found.objective, 0.5 * found.alpha @ Q @ found.alpha + dual.linear @ found.alpha, rtol=1e-6
    )
    F = -dual.sign * (Q @ found.alpha + dual.linear)
    up = np.where(dual.sign > 0, found.alpha < dual.upper, found.alpha > 0)
    down = np.where(dual.sign > 0, found.alpha > 0, found.alpha < dual.upper)
    if dual.constraint == "none":
        assert max(F[up].max(), -F[down].min()) < tol + exact
        return
    for s in (1, -1) if dual.constraint == "each sign" else (0,):
        of = dual.sign * s >= 0
        assert F[of & up].max() - F[of & down].min() < tol + exact
        held = (dual.sign * dual.start)[of].sum()
        assert_allclose((dual.sign * found.alpha)[of].sum(), held, atol=1e-9 + 1e-14 * found.alpha.sum())


FORMS = [
    (form, two, ridge)
    for form in ("sum", "each sign", "none")
    for two in (False, True)
    for ridge in (0.0, 0.5)
]


@pytest.mark.parametrize(("form", "two", "ridge"), FORMS)
def test_no_direction_that_is_allowed_lowers_the_objective(form, two, ridge):
    X, dual = problem(form, two, ridge)
    check_optimal(X, RBF(), dual, solve(RBF().gram_rows(X), dual, tol=1e-9), 1e-9)


@pytest.mark.parametrize(("form", "two", "ridge"), FORMS)
@pytest.mark.parametrize("shrinks", [False, True])
def test_blocks_of_rows_find_the_same(form, two, ridge, shrinks, monkeypatch):
    """Blocks of 16 rows, a cache of 20 rows, rows set aside every other block."""
    monkeypatch.setattr("assay.svm.engine.row_cache.LEAST_ROWS", 20)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 16)
    if shrinks:
        monkeypatch.setattr(blocks, "BLOCKS_BETWEEN_SHRINKS", 2)
        monkeypatch.setattr(blocks, "SHRINK_SHARE", 0.0)
    X, dual = problem(form, two, ridge, n=200)
    kernel = RBF()
    found = solve(kernel.gram_rows(X), dual, tol=1e-6, cache_size=0.0)
    check_optimal(X, kernel, dual, found, 1e-6, exact=1e-5)
    whole = solve(kernel.gram_rows(X), dual, tol=1e-6)
    assert_allclose(found.objective, whole.objective, rtol=1e-7, atol=1e-7)
    assert_allclose(found.offset, whole.offset, atol=1e-5)


@pytest.mark.parametrize(("form", "two", "ridge"), FORMS)
def test_a_matrix_in_float32_ends_at_the_exact_optimum(form, two, ridge, monkeypatch):
    """Its rounding is taken back by gradients that are computed anew in float64."""
    monkeypatch.setattr(sys.modules["assay.svm.engine.solve"], "MOST_DOUBLE_ROWS", 0)
    X, dual = problem(form, two, ridge, C=1e3)
    check_optimal(X, RBF(), dual, solve(RBF().gram_rows(X), dual, tol=1e-7), 1e-7)


def steps_by_the_book(K, dual, tol):
    """SMO with one multiplier a row and a bias, one step after the other."""
    s, alpha, F = dual.sign, dual.start.copy(), -dual.sign * dual.linear
    for done in range(100_000):
        up = np.where(s > 0, alpha < dual.upper, alpha > 0)
        down = np.where(s > 0, alpha > 0, alpha < dual.upper)
        i = np.argmax(np.where(up, F, -np.inf))
        apart = np.where(down, F[i] - F, -np.inf)
        if apart.max() < tol:
            return alpha, F, done
        curvature = np.maximum(np.diagonal(K) + K[i, i] - 2 * K[i], 1e-15)
        j = np.argmax(np.maximum(apart, 0) ** 2 / curvature)
        step = apart[j] / curvature[j]
        step = min(step, dual.upper[i] - alpha[i] if s[i] > 0 else alpha[i])
        step = min(step, alpha[j] if s[j] > 0 else dual.upper[j] - alpha[j])
        alpha[i], alpha[j] = alpha[i] + s[i] * step, alpha[j] - s[j] * step
        F = F - step * (K[i] - K[j])
    raise AssertionError("no end")


@pytest.mark.parametrize("n", [5, 64, 203])
def test_the_same_steps_as_by_the_book(n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, -1.0, 1.0)
    dual, K = soft_margin(y, 2.0), RBF()(X)
    alpha, F, done = steps_by_the_book(K, dual, 1e-6)
    found, base, G, gap = np.zeros(n), y.copy(), np.zeros(n), np.zeros(1)
    bounds = _solve.Bounds(sign=y, upper=dual.upper, ridge=np.zeros(n), constraint=0)
    native = _solve.steps(
        K=K, places=None, diagonal=np.ones(n), bounds=bounds, tol=1e-6, most=10**6, alpha=found, G=G, base=base,
        gap=gap,
    )  # fmt: skip
    assert native == done
    assert_allclose(found, alpha, atol=1e-10)
    assert_allclose(G + base, F, atol=1e-10)


@pytest.mark.parametrize("sums", [np.float32, np.float64])
@pytest.mark.parametrize("n", [40, 41, 56, 61])  # ends of registers, and rows beyond them
def test_of_equal_rows_the_first_moves(n, sums):
    """Copies have the same F: only the first of them is ever above 0, where it meets no bound."""
    rng = np.random.default_rng(n)
    few = n // 3
    X, y = np.tile(rng.normal(size=(few, 3)), (4, 1))[:n], np.tile(rng.choice([-1.0, 1.0], few), 4)[:n]
    K, alpha, gap = RBF()(X).astype(np.float32), np.zeros(n), np.zeros(1)
    bounds = _solve.Bounds(sign=y, upper=np.full(n, np.inf), ridge=np.full(n, 0.5), constraint=0)
    one_step = _solve.steps(
        K=K, places=None, diagonal=np.ones(n), bounds=bounds, tol=1e-6, most=1, alpha=alpha, G=np.zeros(n, sums),
        base=y.copy(), gap=gap,
    )  # fmt: skip
    assert one_step == 1
    first = np.argmax(y > 0)  # all F of a side are level
    partner = np.argmax(np.where(y < 0, 1 / np.maximum(3 - 2 * K[first].astype(float), 1e-9), 0))
    assert_array_equal(np.flatnonzero(alpha), np.sort([first, partner]))


@pytest.mark.parametrize(("form", "two", "ridge"), FORMS)
def test_sums_in_float32_end_where_those_in_float64_do(form, two, ridge):
    """Twin: the same native steps with sums in float64, which are compared with those by the book."""
    X, dual = problem(form, two, ridge, n=203)
    K, m = RBF()(X).astype(np.float32), len(dual.sign)
    extra = np.full(m, ridge)
    bounds = _solve.Bounds(
        sign=dual.sign, upper=dual.upper, ridge=extra, constraint=["sum", "each sign", "none"].index(form)
    )
    ends = []
    for sums in (np.float64, np.float32):
        alpha, gap = dual.start.copy(), np.zeros(1)
        beta = (dual.sign * alpha).reshape(-1, 203).sum(axis=0)
        G, base = (-K @ beta).astype(sums), -dual.sign * (dual.linear + extra * alpha)
        _solve.steps(
            K=K, places=None, diagonal=np.ones(203), bounds=bounds, tol=1e-4, most=10**6, alpha=alpha, G=G,
            base=base, gap=gap,
        )  # fmt: skip
        beta = (dual.sign * alpha).reshape(-1, 203).sum(axis=0)
        assert gap[0] < 1e-4
        assert_allclose(G, -K.astype(np.float64) @ beta, atol=1e-4 if sums == np.float32 else 1e-6)
        assert_allclose(base, -dual.sign * (dual.linear + extra * alpha), atol=1e-12)
        F = G.astype(np.float64) + base.reshape(-1, 203)
        ends.append(0.5 * alpha @ (dual.linear - dual.sign * F.ravel()))
    assert_allclose(ends[1], ends[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1.0, 1e4, 1e12, 1e25])
def test_large_targets_end_at_the_tolerance_whatever_the_sums(size):
    """Sums in float32 have too few digits for them, or no numbers: the rest is done with sums in float64."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    target = size * (np.sin(X[:, 0]) + 0.1 * rng.normal(size=300))
    dual = Dual(
        np.repeat([1.0, -1.0], 300),
        np.concatenate([0.1 * size - target, 0.1 * size + target]),
        np.full(600, 2.0 * size),
        np.zeros(600),
    )
    gram = MatrixRows(RBF()(X).astype(np.float32))
    found = solve(gram, dual, tol=1e-5 * size)
    exact = solve(MatrixRows(gram.K.astype(np.float64)), dual, tol=1e-9 * size)
    assert found.converged and found.gap < 1e-5 * size
    assert_allclose(found.objective, exact.objective, rtol=1e-6)


@pytest.mark.parametrize("form", ["sum", "none"])
def test_steps_with_a_copy_in_float32_end_at_the_optimum_of_the_matrix_in_float64(form, monkeypatch):
    X, dual = problem(form, False, 0.0, n=600, C=1e3)
    rough, types = Search.rough_steps, []

    def spy(search, K, places, tol, most, single):
        types.append((K.dtype, single.dtype))
        return rough(search, K, places, tol, most, single)

    monkeypatch.setattr(Search, "rough_steps", spy)
    check_optimal(X, RBF(), dual, solve(RBF().gram_rows(X).computed(), dual, tol=1e-3), 1e-3)
    assert (np.float64, np.float32) in types


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("constraint", ["sum", "none"])
def test_a_part_of_a_matrix_is_solved_where_it_stands(dtype, constraint):
    rng = np.random.default_rng(1)
    X, rows = rng.normal(size=(90, 3)), rng.permutation(90)[:40]
    whole, y = MatrixRows(RBF()(X).astype(dtype)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    start = np.where(np.arange(40) < 2, 0.5, 0.0)
    start *= abs(y[0] - y[1]) / 2  # a pair on both sides, or nothing
    dual = replace(soft_margin(y, 2.0), constraint=constraint, start=start)
    part, copy = whole.subset(rows), MatrixRows(whole.K[np.ix_(rows, rows)])
    one, other = solve(part, dual, tol=1e-8), solve(copy, dual, tol=1e-8)
    assert one.iterations == other.iterations
    assert_array_equal(one.alpha, other.alpha)
    assert one.objective == other.objective and one.offset == other.offset


@pytest.mark.parametrize("slots", [30, 4])  # more than are asked for at a time, and fewer
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_cache_of_rows_is_the_matrix(dtype, slots, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 3))
    K, gram = RBF()(X), RBF().gram_rows(X)
    monkeypatch.setattr("assay.svm.engine.row_cache.LEAST_ROWS", slots)
    cache, columns = RowCache(gram, dtype, 0.0), np.arange(70)
    for turn in range(30):
        rows, coef, G = rng.permutation(columns)[:11], rng.normal(size=11), rng.normal(size=len(columns))
        expected = G - coef @ K[np.ix_(rows, columns)]
        cache.subtract(rows, coef, G)
        assert_allclose(G, expected, atol=1e-5)
        if turn in (9, 19):
            kept = np.sort(rng.permutation(len(columns))[: len(columns) - 20])
            cache.keep(kept)
            columns = columns[kept]
    if slots > 11:
        assert cache.computed < 30 * 11  # some were still there
    cache.keep_all()
    G = np.zeros(70)
    cache.subtract(np.arange(5), np.ones(5), G)
    assert_allclose(G, -K[:5].sum(axis=0), atol=1e-5)


# ------------------------------------------------------------------ hard cases


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3, 1e6])
def test_any_penalty(C):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.where(rng.random(80) < 0.5, -1.0, 1.0)
    tol = 1e-3
    check_optimal(
        X, RBF(), soft_margin(y, C), solve(RBF().gram_rows(X), soft_margin(y, C), tol=tol), tol, 1e-6
    )


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_unit_of_the_kernel_does_not_matter(scale):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    K = RBF()(X)
    one, other = (solve(MatrixRows(s * K), soft_margin(y, 1 / s), tol=1e-8) for s in (1.0, scale))
    assert other.converged
    assert_allclose(other.alpha * scale, one.alpha, atol=1e-7)


@pytest.mark.parametrize("size", [200.0, 0.0])
def test_values_beyond_float32_are_computed_in_float64(size):
    rng = np.random.default_rng(0)
    X, y = 1e7 * rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, -1.0, 1.0)
    kernel = Polynomial(6)
    found = solve(kernel.gram_rows(X), soft_margin(y, 1e-80), cache_size=size, max_iter=2_000)
    K = kernel(X)
    assert K.max() > 1e38
    assert found.iterations == 2_000
    assert_allclose(found.gradient, y * (K @ (y * found.alpha)) - 1, rtol=1e-6, atol=1e-6 * 1e-80 * K.max())


@pytest.mark.parametrize("size", [200.0, 0.0])
def test_duplicates_and_a_constant_kernel(size):
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.tile([1.0, 1.0, 1.0, -1.0], 10)
    for kernel in (RBF(), RBF(gamma=0.0), Linear()):
        found = solve(kernel.gram_rows(X), soft_margin(y, 1.0), tol=1e-9, cache_size=size)
        check_optimal(X, kernel, soft_margin(y, 1.0), found, 1e-9)


def test_one_row_of_each_class():
    found = solve(Linear().gram_rows([[0.0], [2.0]]), soft_margin(np.array([-1.0, 1.0]), np.inf), tol=1e-12)
    assert_allclose([*found.alpha, found.offset, found.objective], [0.5, 0.5, -1.0, -0.5])


@pytest.mark.parametrize("size", [200.0, 0.0])
def test_a_tolerance_near_the_end_of_numbers(size):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    found = solve(RBF().gram_rows(X), soft_margin(y, 1.0), tol=1e-12, cache_size=size)
    check_optimal(X, RBF(), soft_margin(y, 1.0), found, 1e-12, 1e-11)


@pytest.mark.parametrize("upper", [1.0, np.inf])
@pytest.mark.parametrize("size", [200.0, 0.0])
@pytest.mark.parametrize("form", ["sum", "each sign", "none"])
def test_an_indefinite_matrix_ends(upper, size, form):
    """With finite bounds at a point no pair improves; without them there may be no minimum, and it is said so."""
    rng = np.random.default_rng(0)
    K, y = rng.normal(size=(60, 60)), np.where(rng.random(60) < 0.5, -1.0, 1.0)
    K = K + K.T
    start = np.where(y > 0, 0.3, 0.3 * (y > 0).sum() / (y < 0).sum()) if form == "each sign" else np.zeros(60)
    dual = Dual(y, -np.ones(60), np.full(60, upper), start, form)
    gram = FunctionKernel(lambda A, B: K[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]).gram_rows(
        np.arange(60.0)[:, None]
    )
    found = solve(gram, dual, tol=1e-6, cache_size=size, max_iter=50_000)
    assert np.isfinite(found.alpha).all() and np.isfinite(found.objective)
    if upper == 1.0:
        assert found.converged
    elif form == "none":
        assert not found.converged


def test_all_multipliers_at_their_bounds():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    found = solve(
        Linear().gram_rows(np.array([[1.0], [2.0], [-1.0], [-2.0]])), soft_margin(y, 0.01), tol=1e-9
    )
    assert_allclose(found.alpha, 0.01)
    assert found.offset_range[0] < found.offset < found.offset_range[1]


def test_max_iter_is_the_number_of_steps():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.where(rng.random(100) < 0.5, -1.0, 1.0)
    for size in (200.0, 0.0):
        for most in (0, 1, 17):
            found = solve(RBF().gram_rows(X), soft_margin(y, 1.0), max_iter=most, cache_size=size)
            assert found.iterations == most
            assert not found.converged and found.gap > 1e-3


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", [(1, 1), (0, 2)])
@pytest.mark.parametrize("size", [200.0, 0.0])
def test_values_that_are_no_numbers_are_refused(bad, place, size):
    K = np.eye(4)
    K[place] = bad
    with pytest.raises(DataError, match=r"finite|NaN|infinite"):
        solve(PrecomputedKernel().gram_rows(K), soft_margin(np.array([1.0, 1, -1, -1]), 1.0), cache_size=size)


def test_a_program_that_listens_hears_the_gap_and_can_stop():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), np.where(rng.random(300) < 0.5, -1.0, 1.0)
    for size in (200.0, 0.0):
        notes = []
        with listen(lambda event, to=notes: to.append(event.note)):
            solve(RBF().gram_rows(X), soft_margin(y, 1.0), cache_size=size)
        assert any(note.startswith("gap") for note in notes)

        def stop(event):
            if event.note:
                raise KeyboardInterrupt

        with listen(stop), pytest.raises(KeyboardInterrupt):
            solve(RBF().gram_rows(X), soft_margin(y, 1.0), cache_size=size)


def test_the_part_of_a_shared_matrix_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.where(rng.random(90) < 0.5, -1.0, 1.0)
    rows = np.flatnonzero(rng.random(90) < 0.6)
    for dtype in (np.float32, np.float64):
        shared = MatrixRows(RBF().gram_rows(X).whole(dtype))
        part, own = (g.subset(rows) if g is shared else g for g in (shared, RBF().gram_rows(X[rows])))
        one, other = (solve(g, soft_margin(y[rows], 1.0), tol=1e-6) for g in (part, own))
        assert_allclose(one.alpha, other.alpha, atol=1e-4)
        again = shared.subset(rows).subset(np.arange(10))
        assert_allclose(again.whole(), RBF()(X[rows[:10]]), atol=1e-6)


def test_a_slow_kernel_is_asked_once_for_each_pair():
    rng, pairs = np.random.default_rng(0), []
    X, y = rng.normal(size=(1000, 3)), np.where(rng.random(1000) < 0.5, -1.0, 1.0)

    class Counted(Kernel):
        def diagonal(self, A):
            return np.ones(len(A))

        def _block(self, A, B):
            pairs.append(len(A) * len(B))
            return RBF()(A, B)

    found = solve(Counted().gram_rows(X), soft_margin(y, 1.0))
    assert sum(pairs) < 0.6 * 1000**2
    assert_allclose(found.objective, solve(RBF().gram_rows(X), soft_margin(y, 1.0)).objective, rtol=1e-5)


def test_a_problem_that_starts_with_few_rows_is_solved_in_blocks_and_alike():
    """A one-class problem of small nu, as rows are needed and with the whole matrix."""
    X = np.random.default_rng(0).normal(size=(1600, 4))
    start = np.zeros(1600)
    start[:32] = 1.0
    dual = Dual(np.ones(1600), np.zeros(1600), np.ones(1600), start)
    rows = solve(RBF(gamma=0.3).gram_rows(X), dual, tol=1e-6)
    whole = solve(MatrixRows(RBF(gamma=0.3)(X)), dual, tol=1e-6)
    assert rows.converged and whole.converged
    assert_allclose(rows.objective, whole.objective, rtol=1e-6)
    assert_allclose(rows.offset, whole.offset, rtol=1e-5)


# ------------------------------------------------------------------ rows that are computed when they are needed

FORMS_OF_KERNELS = [
    Linear(),
    Polynomial(degree=3, gamma=0.2, coef0=1.0),
    RBF(gamma=0.3),
    Sigmoid(gamma=0.01),
    Laplacian(gamma=0.2),
    Matern(nu=1.5),
]


@pytest.mark.parametrize("kernel", FORMS_OF_KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("d", [3, 9])
def test_rows_computed_one_by_one_give_the_solution_of_the_whole_matrix(kernel, d):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(43, d)), np.where(rng.random(43) < 0.5, -1.0, 1.0)
    few = solve(kernel.gram_rows(X), soft_margin(y, 1.5), polish=True)
    whole = solve(MatrixRows(kernel(X)), soft_margin(y, 1.5), polish=True)
    assert few.converged and whole.converged
    within = 1e-8 if few.gap == whole.gap == 0.0 else 2e-3  # a singular matrix has no last digits
    assert_allclose(few.objective, whole.objective, rtol=within)
    assert_allclose(few.gradient, whole.gradient, atol=within)
    if isinstance(kernel, (RBF, Laplacian, Matern)):  # one solution
        assert few.gap == 0.0
        assert_allclose(few.alpha, whole.alpha, atol=1e-8)


def test_rows_computed_one_by_one_stop_where_all_are_cheaper(monkeypatch):
    module = sys.modules["assay.svm.engine.solve"]
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 4)), np.where(rng.random(90) < 0.5, -1.0, 1.0)
    gram = RBF(gamma=0.3).gram_rows(X)
    expected = solve(MatrixRows(RBF(gamma=0.3)(X)), soft_margin(y, 1.5), polish=True)
    assert gram._held is None
    for name, value in {"ALL_COMPUTED": 10, "FEW_COMPUTED": 4, "SHARE_COMPUTED": 0.0}.items():
        monkeypatch.setattr(module, name, value)
    found = solve(gram, soft_margin(y, 1.5), polish=True)
    assert gram._held is not None  # the whole matrix, for all who ask from now on
    assert_allclose(found.alpha, expected.alpha, atol=1e-9)
    assert found.iterations == expected.iterations
    assert_allclose(solve(gram, soft_margin(y, 1.5), polish=True).alpha, expected.alpha, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.2), Linear(), RBF() + Linear()], ids=repr)
def test_pairs_of_classes_share_their_rows(kernel):
    X = np.random.default_rng(1).normal(size=(40, 3))
    starts, pairs = np.array([0, 13, 13, 29, 40]), [(0, 2), (0, 3), (2, 3), (0, 1)]
    for (i, j), part in zip(pairs, kernel.gram_rows(X).pairs_of(starts, pairs), strict=True):
        rows = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in (i, j)])
        K = kernel(X)[np.ix_(rows, rows)]
        assert part.n == len(rows)
        assert_allclose(part.diagonal, np.diagonal(K))
        assert_allclose(part.whole(), K, atol=1e-14)
        some = np.array([1, 4])
        out = np.empty((2, 3))
        part.fill(some, np.arange(3), out)
        assert_allclose(out, K[np.ix_(some, np.arange(3))], atol=1e-14)
        assert_allclose(part.times(some, some, np.ones(2)), K[np.ix_(some, some)].sum(axis=1), atol=1e-14)
        assert_allclose(part.subset(some).whole(), K[np.ix_(some, some)], atol=1e-14)
        if j > 1:
            y = np.where(np.arange(len(rows)) < starts[i + 1] - starts[i], 1.0, -1.0)
            found = solve(part, soft_margin(y, 1.0), polish=True)
            assert_allclose(
                found.alpha, solve(MatrixRows(K), soft_margin(y, 1.0), polish=True).alpha, atol=1e-9
            )


def test_native_code_refuses_rows_that_do_not_fit():
    single = RBF(gamma=0.3).gram_rows(np.ones((9, 2))).single_rows()
    laid = single.laid_out
    given = {
        "kind": laid.form.kind, "degree": 1, "gamma": 1.0, "coef0": 0.0, "A": laid.A, "half_a": laid.half_a,
        "panels": laid.panels, "half_b": laid.half_b, "first": laid.first, "last": laid.last, "panel": laid.panel,
    }  # fmt: skip
    source = _solve.Source(**given)
    for change in ({"last": laid.last + 1}, {"panel": laid.panel + 1}, {"half_b": laid.half_b[:-1].copy()}):
        with pytest.raises(ValueError, match="Source"):
            _solve.Source(**{**given, **change})
    y = np.ones(9)
    bounds = _solve.Bounds(sign=y, upper=y, ridge=np.zeros(9), constraint=0)
    limits = _solve.Limits(tol=1e-3, steps=9, values=99, spans=0, work=99)
    one = {
        "starts": np.array([0, 9]), "places": None, "place_starts": np.array([0, 9]), "computed": np.array([9]),
    }  # fmt: skip
    call = {
        "K": None, "source": source, "parts": _solve.Several(**one), "begin": 0, "bounds": bounds,
        "terms": np.array([-y, y]), "limits": limits, "alpha": np.zeros(9), "pulls": np.empty((4, 9)),
        "levels": np.empty((3, 1)), "summary": np.empty((1, 4)), "outcome": np.empty(1, np.int64),
    }  # fmt: skip
    assert _solve.settle(**call) == 1
    for change in (
        {"place_starts": np.array([0])},
        {"place_starts": np.array([1, 9])},
        {"starts": np.array([0, 9, 8])},
        {"starts": np.array([0, 0])},
        {"computed": np.array([-1])},
        {"starts": np.array([0, 4, 9]), "place_starts": np.array([0, 4, 9]), "computed": np.array([4, 5])},
        {"places": np.array([1]), "place_starts": np.array([0, 2])},
    ):
        with pytest.raises(ValueError, match="Several"):
            _solve.Several(**{**one, **change})
    some = _solve.Several(**{**one, "places": np.array([1]), "place_starts": np.array([0, 1])})
    fewer = _solve.Several(**{**one, "starts": np.array([0, 8])})
    twice = _solve.Several(
        **{**one, "starts": np.array([0, 8]), "places": np.array([0, 0]), "place_starts": np.array([0, 2])}
    )
    for change in (
        {"parts": some},
        {"parts": fewer},
        {"parts": twice},
        {"begin": 1},
        {"begin": -1},
        {"levels": np.empty((3, 2))},
        {"levels": np.empty((6, 1))},
        {"pulls": np.empty((4, 8))},
        {"pulls": np.empty((3, 9))},
        {"terms": np.array([y])},
        {"summary": np.empty((2, 4))},
        {"outcome": np.empty(2, np.int64)},
        {"source": None},
        {"K": np.eye(9)},
        {"source": None, "K": np.eye(8)},
        {"source": None, "K": np.ones((9, 8))},
        {"source": None, "K": np.eye(9), "parts": some},
    ):
        with pytest.raises(ValueError, match="settle"):
            _solve.settle(**{**call, **change})
    for change in ({"tol": 0.0}, {"spans": -1}, {"work": -1}):
        with pytest.raises(ValueError, match="Limits"):
            _solve.Limits(**{"tol": 1e-3, "steps": 9, "values": 99, "spans": 0, "work": 99, **change})


def pairs_of_three_classes(kernel, sizes, form, ridge, seed=0):
    """The machines of all pairs of three classes: parts of one kernel matrix, and their programs."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.normal(size=(starts[-1], 3)) + np.repeat(np.arange(3), sizes)[:, None] * 0.7
    grams = kernel.gram_rows(X).pairs_of(starts, [(0, 1), (0, 2), (1, 2)])
    duals = []
    for k, gram in enumerate(grams):
        y = np.where(np.arange(gram.n) < sizes[[0, 0, 1][k]], 1.0, -1.0)
        least = min((y > 0).sum(), (y < 0).sum())
        if form == "each sign":
            start = np.where(y > 0, 0.4 * least / (y > 0).sum(), 0.4 * least / (y < 0).sum())
            duals.append(Dual(y, np.zeros(gram.n), np.ones(gram.n), start, form))
        else:
            upper = np.full(gram.n, np.inf if ridge else 2.0)
            extra = rng.uniform(0.2, 1.0, gram.n) if ridge else None
            duals.append(Dual(y, -np.ones(gram.n), upper, np.zeros(gram.n), form, extra))
    return X, starts, grams, duals


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Linear(), Polynomial(2)], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize(
    ("form", "ridge"), [("sum", False), ("sum", True), ("none", False), ("none", True), ("each sign", False)]
)
@pytest.mark.parametrize("held", [False, True])
def test_several_programs_are_solved_as_each_alone(kernel, form, ridge, held, monkeypatch):
    """Of one kernel matrix, computed row by row or held; with the spans that BLAS computes of the same machine."""
    X, starts, grams, duals = pairs_of_three_classes(kernel, (30, 20, 41), form, ridge)
    if held:
        whole = MatrixRows(kernel(X))
        of_class = [np.arange(starts[k], starts[k + 1]) for k in range(3)]
        grams = [
            whole.subset(np.concatenate([of_class[i], of_class[j]])) for i, j in ((0, 1), (0, 2), (1, 2))
        ]
    told = []
    for values in (400_000_000, 4):  # in one native call, and in a call for each
        monkeypatch.setattr(sys.modules["assay.svm.engine.solve"], "VALUES_A_CALL", values)
        together = solve_all(grams, duals, spans=True, done=lambda: told.append(1))
        for gram, dual, found in zip(grams, duals, together):
            alone = solve(gram, dual, polish=True)
            assert_array_equal(found.alpha, alone.alpha)
            assert (found.offset, found.objective, found.margin) == (
                alone.offset,
                alone.objective,
                alone.margin,
            )
            if found.spans is not None:  # else the last digits were left to BLAS, and so are the spans
                check_spans(gram, dual, found)
        assert (
            form == "each sign" or kernel.name != "rbf" or all(found.spans is not None for found in together)
        )
    assert len(told) == 6


def check_spans(gram, dual, found):
    """The squared spans of a solution against the inverse of M, by NumPy."""
    K, a = gram.whole(np.float64), found.alpha
    extra = np.zeros(gram.n) if dual.ridge is None else dual.ridge
    free, bounded = np.flatnonzero((a > 0) & (a < dual.upper)), np.flatnonzero((a > 0) & (a >= dual.upper))
    expected = np.zeros(gram.n)
    bias = dual.constraint != "none"
    M = K[np.ix_(free, free)] + np.diag(extra[free] + 1e-10 * np.diagonal(K)[free].mean())
    v = K[np.ix_(free, bounded)]
    if bias:
        M = np.block([[M, np.ones((len(free), 1))], [np.ones((1, len(free))), np.zeros((1, 1))]])
        v = np.vstack([v, np.ones(len(bounded))])
    inverse = np.linalg.inv(M)
    expected[free] = 1 / np.diagonal(inverse)[: len(free)]
    expected[bounded] = np.maximum(np.diagonal(K)[bounded] - np.einsum("ij,ik,kj->j", v, inverse, v), 0)
    scale = np.diagonal(K).max()
    if np.linalg.cond(M) < 1e6:  # a polynomial of three columns has fewer dimensions than free vectors
        assert_allclose(found.spans / scale, expected / scale, atol=1e-8)
    assert (found.spans >= 0).all() and ((found.spans > 0) <= (a > 0)).all()


def test_several_programs_of_two_multipliers_a_row():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    whole = MatrixRows(Laplacian()(X) * rng.uniform(0.5, 2))
    whole.K[np.diag_indices(40)] += rng.uniform(0.1, 1, 40)  # rows differ in their own values
    grams, duals = [], []
    for rows in (np.arange(25), np.arange(10, 40), np.arange(0, 40, 2)):
        n = len(rows)
        y = np.sin(3 * X[rows, 0])
        sign = np.repeat([1.0, -1.0], n)
        linear = np.concatenate([0.1 - y, 0.1 + y])
        grams.append(whole.subset(rows))
        duals.append(Dual(sign, linear, np.full(2 * n, 1.0), np.zeros(2 * n)))
    for gram, dual, found in zip(grams, duals, solve_all(grams, duals)):
        assert_array_equal(found.alpha, solve(gram, dual, polish=True).alpha)
        assert found.converged


def test_programs_too_large_for_one_call_are_solved_beside_the_others():
    X, _, grams, duals = pairs_of_three_classes(RBF(gamma=0.3), (500, 20, 30), "sum", False)
    together = solve_all(grams, duals, cache_size=0.5, n_threads=2)
    for gram, dual, found in zip(grams, duals, together):
        assert found.converged
        assert_allclose(found.alpha, solve(gram, dual, polish=True).alpha, atol=1e-6)
    assert solve_all([], []) == []
