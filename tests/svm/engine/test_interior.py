"""The interior point method: the answers of the search by pairs, and answers where that crawls."""

import importlib
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import assay
from assay.errors import DegenerateWarning
from assay.kernels import RBF, Linear, MatrixRows
from assay.linear.regression.tube_program import Program, solve_tube
from assay.svm import SVC, SVCCV, SVDD, SVR, MultipleKernelSVR, NuSVC, NuSVR, OneClassSVM
from assay.svm.engine import Dual, solve
from assay.svm.engine.interior import _native_steps, _Point, _Program, _steps, cholesky_rows, interior_point
from assay.svm.engine.search import Search

PAIRS_ALONE = 9_000_000  # a limit of the user's own: nothing else is tried then


def problem(n, d, C=1.0, seed=0, scale=1.0, bias=True, weighted=False):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)) * scale
    y = np.where(X[:, 0] / np.max(scale) + draw.normal(size=n) > 0, 1.0, -1.0)
    upper = C * (draw.uniform(0.1, 3.0, size=n) if weighted else np.ones(n))
    return X, Dual(y, -np.ones(n), upper, np.zeros(n), "sum" if bias else "none")


def searched(X, dual, alpha):
    search = Search(Linear().gram_rows(X), dual)
    search.alpha = alpha
    search.refresh()
    return search


def primal_and_dual(X, dual, alpha):
    """Both objectives, the first with the best offset: equal at the solution only."""
    w, y = (dual.sign * alpha) @ X, dual.sign
    scores = X @ w
    offsets = np.append(y - scores, 0.0) if dual.constraint == "sum" else np.zeros(1)
    slack = np.maximum(0, 1 - y * (scores + offsets[:, None])) @ dual.upper
    return 0.5 * w @ w + slack.min(), alpha.sum() - 0.5 * w @ w


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("n", "d", "C"), [(60, 2, 1.0), (300, 10, 0.01), (300, 10, 30.0), (40, 60, 1.0)])
def test_both_objectives_are_equal_and_those_of_the_search_by_pairs(n, d, C, weighted, bias):
    X, dual = problem(n, d, C, seed=n + d, bias=bias, weighted=weighted)
    alpha, weights, iterations = interior_point(Linear().gram_rows(X), dual)
    assert 0 < iterations < 30
    assert (alpha >= 0).all() and (alpha <= dual.upper).all()
    above, below = primal_and_dual(X, dual, alpha)
    assert_allclose(above, below, rtol=1e-7)
    assert_allclose(weights, (dual.sign * alpha) @ X, atol=1e-6)
    by_pairs = solve(MatrixRows(X @ X.T), dual, tol=1e-9, max_iter=PAIRS_ALONE)
    assert_allclose(-by_pairs.objective, below, rtol=1e-9)
    assert_allclose((dual.sign * alpha) @ X, (dual.sign * by_pairs.alpha) @ X, atol=1e-6)
    if bias:
        assert abs(dual.sign @ alpha) < 1e-12 * alpha.sum()


@settings(max_examples=40)
@given(
    st.integers(5, 80),
    st.integers(1, 8),
    st.floats(-3, 5),
    st.floats(-6, 6),
    st.booleans(),
    st.integers(0, 99),
)
def test_no_pair_violates_the_conditions_whatever_the_units(n, d, log_C, log_scale, bias, seed):
    X, dual = problem(n, d, 10.0**log_C, seed, 10.0**log_scale, bias)
    near = interior_point(Linear().gram_rows(X), dual)
    if near is None:  # it may say so; where C times squared lengths is this moderate it must not
        assert log_C + 2 * log_scale > 8 or abs(dual.sign.sum()) == n
        return
    rounding = 1e-15 * 10.0 ** (log_C + 2 * log_scale) * n * d
    assert searched(X, dual, near.alpha).violation() < 1e-6 + 100 * rounding


def test_steps_of_pairs_crawl_where_this_does_not():
    """Rows of length 400 and C = 10: ten million steps of pairs do not suffice."""
    X, dual = problem(90, 15, 10.0, scale=100.0)
    above, below = primal_and_dual(X, dual, interior_point(Linear().gram_rows(X), dual).alpha)
    assert_allclose(above, below, rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel="linear", C=10.0).fit(X, dual.sign)
    w = model.coef_[0]
    loss = 0.5 * w @ w + 10 * np.maximum(0, 1 - dual.sign * (X @ w + model.intercept_[0])).sum()
    assert_allclose(loss, below, rtol=1e-8)


@pytest.mark.parametrize("two", [False, True], ids=["one a row", "two a row"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("size", [1e-25, 1.0, 1e60])
def test_low_bounds_are_met_by_steps_of_pairs(bias, two, size, monkeypatch):
    """Few multipliers end between their bounds then; numbers far from 0 do not matter where there is a bias."""
    room = importlib.import_module("assay.svm.engine.solve")
    X, dual = problem(600, 20, bias=bias)
    bound = (0.02 if two else 0.1) / size**2
    if two:
        t = X[:, 0] - X[:, 1]
        sign, linear = np.repeat([1.0, -1.0], 600), np.concatenate([0.1 - t, 0.1 + t])
        dual = Dual(sign, linear, np.ones(1200), np.zeros(1200), dual.constraint)
    X, low = size * (X + 30.0 * bias), replace(dual, upper=np.full(len(dual.sign), bound))
    inside = interior_point(Linear().gram_rows(X), low)
    monkeypatch.setattr(room, "interior_point", lambda *given: pytest.fail("it went inside"))
    solution = solve(Linear().gram_rows(X), low, polish=True)
    assert solution.converged and solution.gap == 0
    assert np.mean((solution.alpha > 0) & (solution.alpha < bound)) < 0.05
    assert_allclose(solution.alpha, inside.alpha, atol=1e-5 * bound)
    for upper in (20 * bound, 1e6 * bound):
        with pytest.raises(pytest.fail.Exception, match="inside"):
            solve(Linear().gram_rows(X), replace(low, upper=np.full(len(low.upper), upper)))


def test_few_support_vectors_are_found_by_steps_of_pairs(monkeypatch):
    """Of 569 rows 40 are needed; where it takes too many rows or steps to find them, the answer is the same."""
    room = importlib.import_module("assay.svm.engine.solve")
    X, y = load_breast_cancer(return_X_y=True)
    X, side = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y > 0, 1.0, -1.0)
    dual = Dual(side, -np.ones(569), np.ones(569), np.zeros(569))
    inside = interior_point(Linear().gram_rows(X), dual)
    with monkeypatch.context() as patched:
        patched.setattr(room, "interior_point", lambda *given: pytest.fail("it went inside"))
        few = solve(Linear().gram_rows(X), dual, polish=True)
        assert few.converged and few.gap == 0 and np.count_nonzero(few.alpha) == 40
        assert_allclose(few.alpha, inside.alpha, atol=1e-6)
    for limit, value in (("STEPS_FOR_FEW", 1), ("FEW_TRIED", 40), ("MOST_ROWS_OF_FEW", 100)):
        with monkeypatch.context() as patched:
            patched.setattr(room, limit, value)
            assert_allclose(solve(Linear().gram_rows(X), dual, polish=True).alpha, few.alpha, atol=1e-9)


def test_it_takes_over_where_steps_of_pairs_do_not_end_soon(monkeypatch):
    room = importlib.import_module("assay.svm.engine.solve")
    X, dual = problem(600, 20, C=0.1)
    by_pairs = solve(Linear().gram_rows(X), dual, polish=True)
    monkeypatch.setattr(room, "STEPS_TRIED", 1)
    solution = solve(Linear().gram_rows(X), dual, polish=True)
    assert by_pairs.iterations > 600 > solution.iterations
    assert_allclose(solution.alpha, by_pairs.alpha, rtol=1e-9)


def test_columns_of_all_units_constant_ones_and_copies():
    X, dual = problem(500, 6, 2.0, seed=3)
    X = X * 10.0 ** np.arange(-3, 3) + [0, 1e3, 0, 0, -50, 0]
    X = np.column_stack([X, np.full(500, 7.0), X[:, 2], X[:, 3] - X[:, 4]])
    alpha = interior_point(Linear().gram_rows(X), dual).alpha
    above, below = primal_and_dual(X, dual, alpha)
    assert_allclose(above, below, rtol=1e-6)
    assert searched(X, dual, alpha).violation() < 1e-5


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_machines_of_many_rows_and_few_columns_are_those_of_the_matrix(fit_intercept):
    X, dual = problem(900, 4, seed=5)
    ours = SVC(kernel="linear", fit_intercept=fit_intercept).fit(X, dual.sign)
    given_matrix = SVC(kernel="precomputed", fit_intercept=fit_intercept, tol=1e-8).fit(X @ X.T, dual.sign)
    assert ours.n_iter_[0] < 30 < given_matrix.n_iter_[0]
    assert_allclose(ours.decision_function(X), given_matrix.decision_function(X @ X.T), atol=1e-6)


def test_regression_of_many_rows_and_few_columns_is_that_of_the_matrix():
    X, _ = problem(800, 3, seed=6)
    y = X @ [1.0, -2.0, 0.5] + np.random.default_rng(7).normal(size=800)
    ours, given_matrix = SVR(kernel="linear").fit(X, y), SVR(kernel="precomputed", tol=1e-8).fit(X @ X.T, y)
    assert ours.n_iter_ < 30
    assert_allclose(ours.predict(X), given_matrix.predict(X @ X.T), atol=1e-6)


def test_weights_are_repeats_and_rows_that_weigh_nothing_are_not_there():
    X, dual = problem(450, 3, seed=8)
    times = np.random.default_rng(9).integers(0, 4, size=450)
    weighted = SVC(kernel="linear").fit(X, dual.sign, sample_weight=times)
    repeated = SVC(kernel="linear").fit(np.repeat(X, times, axis=0), np.repeat(dual.sign, times))
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
    assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-8)


def test_it_says_where_it_does_not_apply():
    X, dual = problem(50, 3)
    for gram, other in [
        (RBF().gram_rows(X), dual),
        (Linear().gram_rows(csr_array(X)), dual),
        (
            Linear().gram_rows(X),
            Dual(dual.sign, dual.linear, np.full(50, np.inf), dual.start, ridge=np.ones(50)),
        ),
        (Linear().gram_rows(0 * X + np.inf), dual),
    ]:
        assert interior_point(gram, other) is None
    assert cholesky_rows(RBF().gram_rows(0 * X)).rank == 1
    assert cholesky_rows(Linear().gram_rows(0 * X)) is None


def started(upper, sums):
    """Multipliers of sums that a problem is to keep, the first rows first."""
    return np.diff(np.minimum(np.cumsum(upper), sums), prepend=0.0)


def given_sums(constraint, seed, linear):
    """A problem whose multipliers have sums other than 0: one class alone, a share of margin errors, a tube."""
    draw = np.random.default_rng(seed)
    X, upper = draw.normal(size=(70, 3)), draw.uniform(0.5, 1.5, 70)
    sign = np.ones(70) if constraint == "sum" else np.where(X[:, 0] + draw.normal(size=70) > 0, 1.0, -1.0)
    start = np.zeros(70)
    for side in (1.0, -1.0):
        start[sign == side] = started(upper[sign == side], 8.0)
    return X, Dual(sign, linear * draw.normal(size=70), upper, start, constraint)


@pytest.mark.parametrize("constraint", ["sum", "each sign"])
@pytest.mark.parametrize("linear", [0.0, 1.0])
@pytest.mark.parametrize("kernel", [Linear(), RBF(2.0)], ids=str)
def test_sums_that_are_given_are_kept_and_the_optimum_is_that_of_pairs(constraint, linear, kernel):
    X, dual = given_sums(constraint, 3, linear)
    gram = cholesky_rows(kernel.gram_rows(X))
    alpha = interior_point(gram, dual).alpha
    assert (alpha >= 0).all() and (alpha <= dual.upper).all()
    for side in (1.0, -1.0):
        of = dual.sign == side
        assert_allclose(alpha[of].sum(), dual.start[of].sum(), rtol=1e-12)
    by_pairs = solve(MatrixRows(gram.K), dual, tol=1e-10, max_iter=PAIRS_ALONE)
    Q = dual.sign[:, None] * gram.K * dual.sign
    value = 0.5 * alpha @ Q @ alpha + dual.linear @ alpha
    assert_allclose(value, by_pairs.objective, rtol=1e-8, atol=1e-12)


def test_the_tube_of_two_multipliers_a_row_is_that_of_pairs():
    X, _ = problem(80, 2, seed=4)
    y = X @ [1.0, -2.0] + np.random.default_rng(1).normal(size=80)
    ours = NuSVR(kernel="linear", C=1e3, nu=0.3).fit(X * [1.0, 1e5], y)
    pairs = NuSVR(kernel="linear", C=1e3, nu=0.3, tol=1e-8, max_iter=PAIRS_ALONE).fit(X, y)
    assert ours.n_iter_ < 40
    assert_allclose(
        ours.predict(X * [1.0, 1e5]), pairs.predict(X), atol=1e-2
    )  # the penalty is as good as none


FEW = np.random.default_rng(2).normal(size=(60, 4))
FEW_SIDES = np.where(FEW[:, 0] + 0.5 * np.random.default_rng(3).normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize(
    "rows",
    [FEW * [1e-6, 1, 1e3, 1e8], np.repeat(FEW[:6], 10, axis=0), np.ones((60, 4)), FEW],
    ids=["units", "copies", "constant", "plain"],
)
@pytest.mark.parametrize(
    "machine",
    [
        SVC(C=1e6, fit_intercept=False),
        SVC(C=1e6, kernel="poly", fit_intercept=False),
        SVC(C=1e6, kernel=RBF(0.5) + RBF(5.0)),
    ],
    ids=["no bias", "poly", "sum"],
)
def test_machines_of_few_rows_finish_at_any_price(machine, rows):
    """Both objectives meet, from the answers alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(machine).set_params(probability=False).fit(rows, FEW_SIDES)
    coefficients = np.zeros(60)
    coefficients[model.support_] = model.dual_coef_[0]
    scores = model.decision_function(rows)
    square = coefficients @ (scores - model.intercept_[0])
    primal = 0.5 * square + 1e6 * np.maximum(0, 1 - FEW_SIDES * scores).sum()
    dual = np.abs(coefficients).sum() - 0.5 * square
    assert_allclose(primal, dual, rtol=1e-3)  # as far apart as tol says


def test_regressions_and_balls_of_few_rows_finish_at_any_price_and_in_any_units():
    y = FEW[:, 0] + 0.1 * np.random.default_rng(4).normal(size=60)
    units = np.array([1e-6, 1, 1e3, 1e8])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (FEW * units, np.repeat(FEW[:6], 10, axis=0)):
            for C in (1.0, 1e6):
                for kernel in ("linear", "rbf"):
                    NuSVR(C=C, kernel=kernel).fit(rows, y)
        for C in (0.05, 1.0):
            large = SVDD(C=C, kernel="linear").fit(1e8 * FEW)
            assert_array_equal(large.predict(1e8 * FEW), SVDD(C=C, kernel="linear").fit(FEW).predict(FEW))


def least_slack(X, side, C):
    """The objective of the soft margin by its primal problem: interior steps over weights, columns scaled first."""
    scale = X.std(axis=0)
    Z = np.column_stack([(X - X.mean(axis=0)) / scale, np.ones(len(X))])
    price = np.full(len(X), C)
    program = Program(
        Z,
        side,
        np.where(side > 0, price, 0.0),
        np.where(side < 0, price, 0.0),
        np.zeros(len(X)),
        np.append(1 / scale**2, 0.0),
    )
    return program.value(solve_tube(program, tol=1e-12, of_value=True).beta)


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("units", [[1, 1e3, 1e-3, 1e6], [1, 1e5, 1, 1], [1, 1, 1, 1]], ids=str)
def test_the_linear_kernel_finishes_for_all_prices_and_units(C, units):
    """Multipliers of 1e6 times rows of length 1e6 add up to no digit of w; the weights have them all."""
    X, dual = problem(300, 4, seed=11)
    X, side = X * units, dual.sign
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel="linear", C=C).fit(X, side)
    scores = model.decision_function(X)
    value = 0.5 * (model.coef_**2).sum() + C * np.maximum(0, 1 - side * scores).sum()
    assert_allclose(value, least_slack(X, side, C), rtol=1e-7)
    assert_allclose(scores, X @ model.coef_[0] + model.intercept_[0], atol=1e-4)
    p = model.predict_proba(X)
    assert_array_equal(model.classes_[np.argmax(p, axis=1)], model.predict(X))


def test_regression_by_the_linear_kernel_finishes_for_all_units():
    X, _ = problem(300, 4, seed=12)
    y = X @ [1.0, -2.0, 0.5, 0.0] + np.random.default_rng(7).normal(size=300)
    units = np.array([1, 1e3, 1e-3, 1e6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVR(kernel="linear", C=1e6).fit(X * units, y)
    plain = SVR(kernel="linear", C=1e6).fit(X, y)  # so large that the units of the weights hardly matter
    assert_allclose(model.predict(X * units), plain.predict(X), atol=1e-2)


def test_own_weights_are_stored_explained_and_used_for_every_pair(tmp_path):
    X, dual = problem(300, 4, seed=13)
    y = np.where(X[:, 1] > 1, 2.0, dual.sign)
    X = X * [1, 1e3, 1e-3, 1e6]
    for form in ({}, {"multi_class": "ovr"}):
        model = SVC(kernel="linear", C=1e3, **form).fit(X, y)
        assert model.fit_status_ == 0 and model._exact_weights.shape == (3, 4)
        assay.save(model, tmp_path / "model.assay")
        loaded = assay.load(tmp_path / "model.assay")
        assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert_allclose(model.decision_function(csr_array(X)), model.decision_function(X), atol=1e-6)
        reasons = model.explain(X[:1])
        assert "Votes" in str(reasons) or "Scores" in str(reasons)
    chosen = SVCCV(kernel="linear", Cs=[1.0, 1e3], cv=3).fit(X, y)
    assert (chosen.scores_ > 0.6).all()


def test_many_columns_are_left_to_it_once_steps_of_pairs_crawl():
    X, dual = problem(120, 100, 1e4, scale=30.0)
    begun = Dual(dual.sign, dual.linear, dual.upper, np.where(np.arange(120) < 0, 1.0, 0.0))
    blocks = solve(Linear().gram_rows(X), begun, cache_size=1e-3, weighs=True)
    assert blocks.converged
    assert_allclose(-blocks.objective, primal_and_dual(X, dual, blocks.alpha)[1], rtol=1e-6)


@pytest.mark.parametrize(
    "machine",
    [
        SVR(kernel="linear", C=1e6),
        SVR(kernel="poly", C=1e4),
        NuSVR(kernel="linear", C=1e3),
        SVDD(kernel="linear"),
        OneClassSVM(nu=0.3),
        MultipleKernelSVR(["linear", "rbf"], C=10.0),
    ],
    ids=str,
)
def test_rows_without_weight_leave_it_room_between_the_bounds(machine):
    """Their bounds are both 0; steps of pairs ended in a warning after ten million, or took minutes."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(80, 4)) * ([1, 1e2, 1e-2, 1e3] if "linear" in str(machine) else [1, 1, 1, 1])
    y, w = 10 * X[:, 0] * np.sign(X[:, 1]) + draw.normal(size=80), np.where(np.arange(80) % 5 == 0, 0.0, 1.0)
    machine = clone(machine).set_params(**({"gamma": 0.1} if hasattr(machine, "gamma") else {}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole, part = clone(machine).fit(X, y, sample_weight=w), clone(machine).fit(X[w > 0], y[w > 0])
    assert_array_equal(np.flatnonzero(w > 0)[part.support_], whole.support_)
    assert_allclose(whole.dual_coef_, part.dual_coef_, rtol=1e-9)
    scores = [
        m.decision_function(X) if hasattr(m, "decision_function") else m.predict(X) for m in (whole, part)
    ]
    assert_allclose(*scores, rtol=1e-7, atol=1e-7 * np.abs(y).max())


@pytest.mark.parametrize("kind", ["sum", "none", "ridge", "two multipliers"])
@pytest.mark.parametrize(("n", "d"), [(8, 1), (37, 3), (300, 9), (70, 40)])
def test_native_steps_are_those_of_numpy(n, d, kind):
    """Rows and columns that fill no lane, tile or block, and several of each."""
    X, dual = problem(n, d, 3.0, seed=n, bias=kind != "none", weighted=True)
    if kind == "ridge":
        dual = replace(dual, ridge=np.linspace(0.0, 0.1, n))
    if kind == "two multipliers":
        y, both = X @ np.arange(1.0, d + 1), np.repeat([1.0, -1.0], n)
        dual = Dual(both, 0.1 - both * np.tile(y, 2), np.tile(dual.upper, 2), np.zeros(2 * n))
    program = _Program.of(Linear().gram_rows(X), dual)
    m, k = program.N.shape
    size = program.slopes()
    starts = [_Point(np.full(m, 0.5), np.zeros(k), np.full(m, size), np.full(m, size)) for _ in range(2)]
    (native, made, share), (plain, as_many, share_of_plain) = (
        steps(program, start, size) for steps, start in zip((_native_steps, _steps), starts)
    )
    assert abs(made - as_many) <= 1
    assert max(share, share_of_plain) < 1e-10
    assert_allclose(native.x, plain.x, atol=1e-7 * np.abs(plain.x).max())
    assert_allclose(native.t, plain.t, atol=1e-5)


def test_native_steps_stop_where_the_system_has_no_solution_and_at_the_limit():
    """Numbers so large that the system overflows end at once, and a gap that is no number says so."""
    import assay.svm.engine._interior as _interior
    from assay.svm.engine.interior import natively

    rows = {
        "N": np.full((3, 1), 1e200),
        "E": np.ones(1),
        "c": np.zeros(1),
        "R": np.zeros(3),
        "p": -np.ones(3),
    }
    start = [np.full(3, 0.5), np.ones(3), np.ones(3), np.zeros(1)]
    with np.errstate(all="ignore"):
        made, share = natively(rows, 1.0, *start, 1e-11, 60)
    assert made == 0 and not share < 1
    rows["N"] = np.ones((3, 1))
    start = [np.full(3, 0.5), np.ones(3), np.ones(3), np.zeros(1)]
    assert natively(rows, 1.0, *start, 1e-11, 2)[0] == 2
    with pytest.raises(ValueError, match="BoxProgram: sizes"):
        _interior.BoxProgram(**{**rows, "p": np.ones(2)}, size=1.0)


UNEQUAL = ([1e-8, 1.0, 1e8], [1.0, 1e3, 1e-3, 1e6], [1e8, 1e-8])


@pytest.mark.parametrize("scale", UNEQUAL, ids=str)
@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_machines_of_unequal_columns_whose_best_weights_are_0_end_soon(scale, nu):
    """Rows on all sides of the origin, and classes that overlap: w is 0, and rounding hides it from steps of pairs."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(100, len(scale))) * scale
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneClassSVM(kernel="linear", nu=nu).fit(X)
    assert model.n_iter_ < 100 and model.fit_status_ == 0
    assert abs(model.offset_) < 1e-6 and np.abs(model.decision_function(X)).max() < 1e-3
    y = draw.integers(0, 2, size=100)
    with pytest.warns(DegenerateWarning, match="the only solution is w = 0 with margin 0") as told:
        model = NuSVC(kernel="linear", nu=nu).fit(X, y)
    assert len(told) == 1 and model.fit_status_ == 0 and model.n_iter_[0] < 100_000
    assert not model.decision_function(X).any()


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_nu_machines_of_unequal_columns_with_a_margin_keep_it(nu):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(120, 3)) * [1e-8, 1.0, 1e6]
    y = np.arange(120) % 2
    X[:, 2] += 3e6 * (2 * y - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NuSVC(kernel="linear", nu=nu, probability=False).fit(X, y)
    scores = model.decision_function(X)
    assert_allclose(X @ np.asarray(model.coef_)[0] + model.intercept_, scores, rtol=1e-9, atol=1e-9)
    margin = (2 * y - 1) * scores
    short = margin < 1 - 1e-6
    assert short.mean() <= nu <= (margin < 1 + 1e-6).mean()  # margin errors, and support vectors
