"""The last digits of small quadratic programs: exact conditions of an optimum, whatever the solver left."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay.svm.engine._solve as _solve
from assay.kernels import RBF, GramRows, Linear, MatrixRows
from assay.svm.engine import Dual, solve
from assay.svm.engine.polish import DONE, FREE, HIGH, LOW, TO_SOLVE, _constants
from assay.svm.engine.search import Search
from assay.svm.multipliers import filled

GAUSSIAN = RBF(gamma=0.4)


def problem(kind, n=60, seed=0, copies=False, kernel=GAUSSIAN):
    draw = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = draw.normal(size=(n, 3)) + 0.6 * sign[:, None]
    if copies:
        X[n // 2 :], sign[n // 2 :] = X[: n - n // 2], sign[: n - n // 2]
    gram, ones = MatrixRows(kernel(X)), np.ones(n)
    if kind == "each sign":
        start = np.zeros(n)
        for side in (-1, 1):
            start[sign == side] = filled(ones[sign == side], 0.31 * n / 2)
        return gram, Dual(sign, np.zeros(n), ones, start, kind)
    if kind == "two multipliers":
        y, both = X @ [1.0, -2.0, 0.5], np.repeat([1.0, -1.0], n)
        return gram, Dual(both, 0.1 - both * np.tile(y, 2), np.ones(2 * n), np.zeros(2 * n))
    ridge = np.full(n, 0.2) if kind == "ridge" else None
    upper = np.full(n, np.inf) if kind == "ridge" else ones
    return gram, Dual(sign, -ones, upper, np.zeros(n), "none" if kind == "none" else "sum", ridge)


KINDS = ["sum", "none", "each sign", "ridge", "two multipliers"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_rough_solution_becomes_the_exact_one(kind, seed):
    gram, dual = problem(kind, seed=seed)
    rough, exact = solve(gram, dual, tol=1e-2), solve(gram, dual, tol=1e-11)
    better = solve(gram, dual, tol=1e-2, polish=True)
    assert better.gap == 0 and better.converged and better.iterations == rough.iterations
    assert_allclose(better.alpha, exact.alpha, atol=1e-7)
    assert_allclose(better.gradient, exact.gradient, atol=1e-7)
    assert_allclose([better.offset, better.margin], [exact.offset, exact.margin], atol=1e-7)
    assert better.objective <= rough.objective + 1e-9
    assert_allclose(better.objective, exact.objective, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_and_sums_hold_exactly(kind):
    gram, dual = problem(kind, seed=9)
    better = solve(gram, dual, tol=1e-2, polish=True)
    assert (better.alpha >= 0).all() and (better.alpha <= dual.upper).all()
    if kind != "none":
        assert_allclose(dual.sign @ better.alpha, dual.sign @ dual.start, atol=1e-12)
    if kind == "each sign":
        assert_allclose(better.alpha.sum(), dual.start.sum(), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", [np.float64, np.float32, None], ids=str)
def test_parts_of_a_matrix_and_rows_that_are_computed_give_the_same_digits(kind, held):
    """A part is solved where it stands; of float32 and of rows in memory nowhere, rows are fetched."""
    gram, dual = problem(kind, seed=5)
    K = gram.K if held != np.float32 else gram.K.astype(np.float32)
    larger, places = np.full((100, 100), 7.0, K.dtype), np.random.default_rng(0).permutation(100)[:60]
    larger[np.ix_(places, places)] = K
    other = MatrixRows(larger).subset(places) if held else Fetched(K)
    whole = MatrixRows(K.astype(np.float64))
    one, two = (solve(rows, dual, tol=1e-2, polish=True) for rows in (whole, other))
    assert one.gap == two.gap == 0
    assert_allclose(two.alpha, one.alpha, atol=1e-9)
    assert_allclose([two.offset, two.objective], [one.offset, one.objective], atol=1e-9)


class Fetched(GramRows):
    """Rows of a matrix that is not held where the solver sees it."""

    def __init__(self, K):
        self.K, self.n = K, len(K)

    @property
    def diagonal(self):
        return np.diagonal(self.K).copy()

    def fill(self, rows, columns, out, places=None):
        part = self.K[rows] if columns is None else self.K[np.ix_(rows, columns)]
        out[slice(None) if places is None else places, : part.shape[1]] = part


@pytest.mark.parametrize("kernel", [GAUSSIAN, Linear()], ids=str)
def test_copies_of_rows_make_a_singular_system_with_one_score(kernel):
    gram, dual = problem("sum", copies=True, kernel=kernel)
    better = solve(gram, dual, tol=1e-2, polish=True)
    exact = solve(gram, dual, tol=1e-11)
    assert_allclose(better.gradient, exact.gradient, atol=1e-6)
    assert_allclose(better.objective, exact.objective, rtol=1e-9)


def test_what_is_too_large_or_not_converged_stays_as_it_is(monkeypatch):
    gram, dual = problem("sum")
    early = solve(gram, dual, tol=1e-6, max_iter=3, polish=True)
    assert not early.converged and early.gap > 0
    rough = solve(gram, dual, tol=1e-2)
    monkeypatch.setattr("assay.svm.engine.polish.MOST_VALUES", 10)
    monkeypatch.setattr(sys.modules["assay.svm.engine.solve"], "MOST_VALUES", 10)
    same = solve(gram, dual, tol=1e-2, polish=True)
    assert_array_equal(same.alpha, rough.alpha)
    assert same.gap == rough.gap > 0


def system_by_the_book(K, dual, a, free):
    """The system (1) of the free multipliers, its border times the root of the largest diagonal value."""
    at, n = np.flatnonzero(free), len(K)
    groups = {"none": [], "sum": [dual.sign != 0], "each sign": [dual.sign > 0, dual.sign < 0]}[
        dual.constraint
    ]
    f, g, Q = len(at), len(groups), K[np.ix_(at % n, at % n)]
    root = np.sqrt(np.diagonal(Q).max())
    system, wanted, others = np.zeros((f + g, f + g)), np.zeros(f + g), np.where(free, 0.0, a)
    system[:f, :f] = Q if dual.ridge is None else Q + np.diag(dual.ridge[at])
    beta = (dual.sign * others).reshape(-1, n).sum(axis=0)
    wanted[:f] = (-dual.sign * dual.linear - np.tile(K @ beta, len(a) // n))[at]
    for k, group in enumerate(groups):
        system[:f, f + k] = system[f + k, :f] = group[at] * root
        wanted[f + k] = (dual.sign * (dual.start - others))[group].sum() * root
    return system, wanted, root


@pytest.mark.parametrize("kind", KINDS)
def test_the_native_system_is_the_one_of_the_book(kind):
    gram, dual = problem(kind, seed=3)
    exact = solve(gram, dual, tol=1e-11)
    search, a = Search(gram, dual), exact.alpha
    state = np.where(a <= 0, LOW, np.where(a >= dual.upper, HIGH, FREE)).astype(np.int8)
    wanted_system, wanted_right, root = system_by_the_book(gram.K, dual, a, state == FREE)
    program = _solve.Program(
        values=gram.K, slot=np.arange(gram.n), columns=None, sign=search.sign, linear=search.linear,
        upper=search.upper, ridge=search.ridge, constants=_constants(search), constraint=search.constraint,
    )  # fmt: skip
    system, right = np.empty(wanted_system.shape), np.empty(len(wanted_right))
    assert_allclose(_solve.assemble(program, a, state, system, right), root**2)
    assert_allclose(system, wanted_system, atol=1e-12)
    assert_allclose(right, wanted_right, atol=1e-12)


def test_a_held_matrix_multiplies_by_whole_rows():
    K = RBF(gamma=0.2)(np.random.default_rng(0).normal(size=(40, 2)))
    rows, columns, coef = np.array([3, 7, 39]), np.array([0, 5, 6, 20]), np.array([1.0, -2.0, 0.5, 3.0])
    for dtype, within in ((np.float64, 1e-14), (np.float32, 1e-6)):
        gram = MatrixRows(K.astype(dtype))
        assert_allclose(gram.times(rows, columns, coef), K[np.ix_(rows, columns)] @ coef, atol=within)
        some = np.arange(0, 40, 3)
        part = gram.subset(some)
        expected = K[np.ix_(some[[1, 2]], some[[0, 9]])] @ coef[:2]
        assert_allclose(part.times(np.array([1, 2]), np.array([0, 9]), coef[:2]), expected, atol=within)


def program_of(gram, search):
    return _solve.Program(
        values=gram.K, slot=np.arange(gram.n), columns=None, sign=search.sign, linear=search.linear,
        upper=search.upper, ridge=search.ridge, constants=_constants(search), constraint=search.constraint,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["sum", "none", "ridge", "two multipliers", "each sign"])
def test_rounds_in_native_code_end_at_the_solution(kind):
    gram, dual = problem(kind, seed=3)
    search, exact = Search(gram, dual), solve(gram, dual, tol=1e-11)
    a = solve(gram, dual, tol=1e-2).alpha
    state = np.where(a <= 0, LOW, np.where(a >= dual.upper, HIGH, FREE)).astype(np.int8)
    F, levels = np.empty(len(a)), np.empty((3, len(_constants(search))))
    assert _solve.finish(program_of(gram, search), 40, a, state, F, levels) == DONE
    assert_allclose(a, exact.alpha, atol=1e-7)
    assert_allclose(-dual.sign * F, exact.gradient, atol=1e-7)
    if kind == "each sign":
        assert_allclose((levels[1, 1] - levels[1, 0]) / 2, exact.margin, atol=1e-7)
        for sign in (-1, 1):
            assert_allclose(a[dual.sign == sign].sum(), dual.start[dual.sign == sign].sum(), atol=1e-12)
    elif kind != "none":
        assert_allclose(levels[:, 0], exact.offset, atol=1e-7)
        assert_allclose(dual.sign @ a, dual.sign @ dual.start, atol=1e-12)


def test_rounds_in_native_code_leave_to_lapack_what_they_cannot_solve():
    gram, dual = problem("sum", copies=True)
    search, a = Search(gram, dual), solve(gram, dual, tol=1e-2).alpha
    a[dual.upper > a] = np.maximum(a[dual.upper > a], 1e-3)  # copies are free, too
    state = np.where(a >= dual.upper, HIGH, FREE).astype(np.int8)
    groups = len(_constants(search))
    before, F, levels = a.copy(), np.empty(len(a)), np.empty((3, groups))
    assert _solve.finish(program_of(gram, search), 40, a, state, F, levels) == TO_SOLVE
    assert_array_equal(a, before)
    with pytest.raises(ValueError, match="finish: variables"):
        _solve.finish(program_of(gram, search), 40, a[:-1].copy(), state, F, levels)
    with pytest.raises(ValueError, match="finish: levels"):
        _solve.finish(program_of(gram, search), 40, a, state, F, np.empty((2, groups)))
