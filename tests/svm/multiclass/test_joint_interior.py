"""The interior point method of several classes: reference solutions, certificates, and answers where descent crawls."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification

import assay.svm.multiclass.joint_interior as joint_interior
import assay.svm.multiclass.row_blocks as row_blocks
from assay.errors import DataError
from assay.svm import CrammerSingerSVC, LinearSVC, WestonWatkinsSVC
from assay.svm.multiclass.joint_interior import ClassRows, fits_inside
from assay.svm.multiclass.row_blocks import ClassProblem, solve_classes

MACHINES = [WestonWatkinsSVC, CrammerSingerSVC]
HINGES = [(True, 2.0), (False, 1.0)]  # Weston and Watkins, Crammer and Singer
BIASES = [(0.0, False), (1.0, False), (0.5, True)]  # none, free, penalised


def rows_of(X, problem):
    return ClassRows.of(
        X,
        problem.y,
        problem.price,
        problem.K,
        problem.each,
        problem.margin,
        problem.constant,
        problem.penalised,
    )


def random_problem(each, margin, constant, penalised, C=1.0, n=30, d=3, K=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K), rng.integers(0, K, size=n - K))
    X = rng.normal(size=(n, d)) + 0.7 * rng.normal(size=(K, d))[y]
    price = C * rng.uniform(0.2, 2.0, size=n)
    return X, ClassProblem(y, price, K, each, margin, constant, penalised)


def objectives(X, problem, A, W, b):
    """Both objectives, in numbers of more digits: the first at W and b, the second at A alone."""
    long = np.longdouble
    X, A, W, b, price = (
        X.astype(long),
        A.astype(long),
        W.astype(long),
        b.astype(long),
        problem.price.astype(long),
    )
    rows, s = np.arange(len(X)), long(problem.constant)
    F = X @ W + b
    short = problem.margin + F - F[rows, problem.y][:, None]
    short[rows, problem.y] = 0
    short = np.maximum(short, 0)
    paid = price @ (short.sum(axis=1) if problem.each else short.max(axis=1))
    counted = (b @ b) / s**2 if s and problem.penalised else long(0)
    sums, total = X.T @ A, A.sum(axis=0)
    square = (sums * sums).sum() + (s * s * total @ total if s and problem.penalised else 0)
    asked = -problem.margin * (A.sum() - A[rows, problem.y].sum())
    return (W * W).sum() / 2 + counted / 2 + paid, asked - square / 2


@pytest.mark.capability("IML-13-31")
@pytest.mark.parametrize(("each", "margin"), HINGES)
@pytest.mark.parametrize(("constant", "penalised"), BIASES)
def test_the_minimum_is_that_of_a_general_solver(each, margin, constant, penalised):
    """Oracle: the problem in weights and slacks, by sequential quadratic programming (SLSQP, SciPy)."""
    X, problem = random_problem(each, margin, constant, penalised, n=12, d=2, K=3)
    n, d, K, slacks = 12, 2, 3, (3 if each else 1)
    wrong = np.arange(K) != problem.y[:, None]
    size = d * K + K

    def parts(v):
        return v[: d * K].reshape(d, K), v[d * K : size] * bool(constant), v[size:].reshape(n, slacks)

    def value(v):
        W, b, slack = parts(v)
        counted = b @ b / constant**2 if penalised else 0.0
        used = slack[wrong].reshape(n, K - 1) if each else slack
        return 0.5 * (W * W).sum() + 0.5 * counted + problem.price @ used.sum(axis=1)

    def room(v):
        W, b, slack = parts(v)
        F = X @ W + b
        lead = F[np.arange(n), problem.y][:, None] - F - problem.margin + slack
        return lead[wrong]

    start = np.concatenate([np.zeros(size), np.full(n * slacks, problem.margin)])
    bounds = [(None, None)] * size + [(0, None)] * (n * slacks)
    how = {"maxiter": 500, "ftol": 1e-13}
    least = minimize(
        value, start, method="SLSQP", bounds=bounds, constraints={"type": "ineq", "fun": room}, options=how
    )
    near = rows_of(X, problem).solved()
    above, below = objectives(X, problem, near.A, near.W, near.b)
    assert_allclose(float(above), least.fun, rtol=1e-7)
    assert_allclose(float(below), least.fun, rtol=1e-7)
    W, b, _ = parts(least.x)
    assert_allclose(near.W, W, atol=2e-4)
    if constant and penalised:
        assert_allclose(near.b, b, atol=2e-4)


@settings(max_examples=60)
@given(
    st.sampled_from(HINGES),
    st.sampled_from(BIASES),
    st.floats(-5, 6),
    st.floats(-4, 4),
    st.integers(4, 60),
    st.integers(1, 5),
    st.integers(2, 5),
    st.integers(0, 99),
)
def test_both_objectives_meet_at_any_price_and_in_any_units(hinge, bias, log_C, log_unit, n, d, K, seed):
    X, problem = random_problem(*hinge, *bias, C=10.0**log_C, n=max(n, K), d=d, K=K, seed=seed)
    units = 10.0 ** (log_unit * np.linspace(-1, 1, d))
    near = rows_of(X * units, problem).solved()
    assert near is not None and near.n_iter < 60
    A, price = near.A, problem.price[:, None]
    wrong = np.arange(K) != problem.y[:, None]
    lowest, highest = A[wrong], (A * ~wrong).sum(axis=1)
    assert (lowest <= 0).all() and (highest >= 0).all()
    assert (
        (-A * wrong <= price * (1 + 1e-12)).all()
        if hinge[0]
        else (highest <= price[:, 0] * (1 + 1e-12)).all()
    )
    assert_allclose(A.sum(axis=1), 0.0, atol=1e-12 * price.max())
    above, below = objectives(X * units, problem, A, near.W, near.b)
    least = 1e-9 * hinge[1] * price.sum()
    rounding = 1e-14 * float((np.abs(X * units).T @ np.abs(A)).max()) ** 2  # of weights that cancel
    if bias[0] and not bias[1]:
        total = np.abs(A.sum(axis=0))
        assert total.max() <= 1e-6 * price.sum()
        above, below = above, below - float(np.abs(near.b) @ total)
    assert abs(float(above - below)) <= 1e-6 * max(float(above), least) + rounding


@pytest.mark.parametrize(("each", "margin"), HINGES)
@pytest.mark.parametrize(("constant", "penalised"), BIASES)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_same_machine_as_descent(each, margin, constant, penalised, C, monkeypatch):
    X, problem = random_problem(each, margin, constant, penalised, C=C)
    near = rows_of(X, problem).solved()
    monkeypatch.setattr(row_blocks, "fits_inside", lambda n, d, K: False)
    slow = solve_classes(X, problem, 1e-11, 100_000, 1)
    b = near.b - near.b.mean() if constant and not penalised else near.b
    assert_allclose(near.W, slow.W, atol=1e-4 * np.abs(slow.W).max())
    assert_allclose(float(objectives(X, problem, near.A, near.W, b)[0]), slow.value, rtol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_machines_finish_at_any_price_on_columns_as_they_come(load, C, Machine, fit_intercept):
    """Breast cancer with C = 1e6: descent over single rows went on for minutes; 30 iterations."""
    X, y = load(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Machine(C=C, kernel="linear", fit_intercept=fit_intercept).fit(X, y)
        units = 10.0 ** (np.arange(X.shape[1]) % 5 - 2)
        sparse = Machine(C=C, kernel="linear", fit_intercept=fit_intercept).fit(sp.csr_array(X), y)
        Machine(C=C, kernel="linear", fit_intercept=fit_intercept).fit(X * units, y)
    assert abs(model.gap_) <= 1e-6 * model.objective_
    W = model.coef_.T
    F = X @ W + model.intercept_
    problem = ClassProblem(y, np.full(len(y), C), len(W.T), Machine.each, Machine.margin, 0.0, False)
    assert_allclose(0.5 * (W * W).sum() + problem.slack(F), model.objective_, rtol=2e-6)
    scores = model.decision_function(X)
    assert_allclose(scores if F.shape[1] > 2 else scores[:, None], F if F.shape[1] > 2 else F[:, 1:] - F[:, :1],
                    atol=1e-9 * np.abs(F).max())  # fmt: skip
    assert_allclose(sparse.objective_, model.objective_, rtol=2e-6)


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_rows_that_two_classes_share_keep_their_digits(C):
    """Rows that pay with two classes tied: slacks of 1e-12 are sums in which the terms cancel."""
    X, y = make_classification(1000, 10, n_informative=8, n_classes=4, flip_y=0.1, random_state=0)
    X = X * 10.0 ** np.random.default_rng(0).integers(-3, 4, size=10)
    for Machine in MACHINES:
        problem = ClassProblem(y, np.full(1000, C), 4, Machine.each, Machine.margin, 1.0, False)
        near = rows_of(X, problem).solved()
        above, below = objectives(X, problem, near.A, near.W, near.b)
        assert near.n_iter < 30
        assert_allclose(float(above), float(below), rtol=1e-6)  # the default tol; it was 1 and more
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearSVC(C=C, multi_class="crammer_singer").fit(X, y)


def test_digits_of_ten_classes_and_weights_of_rows():
    X, y = load_digits(return_X_y=True)
    X, y, weight = X[:400], y[:400], np.arange(400) % 3
    model = CrammerSingerSVC(C=1e4, kernel="linear").fit(X, y, weight)
    fewer = CrammerSingerSVC(C=1e4, kernel="linear").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(model.objective_, fewer.objective_, rtol=1e-6)
    assert_allclose(model.coef_, fewer.coef_, atol=1e-5)
    assert set(model.support_.tolist()).isdisjoint(np.flatnonzero(weight == 0).tolist())


def test_the_limits_of_the_method_and_numbers_too_large_for_it():
    assert fits_inside(1000, 20, 5) and not fits_inside(1000, 2000, 5)
    X, problem = random_problem(True, 2.0, 1.0, False)
    assert rows_of(X * 1e300, problem) is None


def test_it_ends_when_it_is_interrupted(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    X, problem = random_problem(True, 2.0, 1.0, False)
    monkeypatch.setattr(joint_interior, "end_if_abandoned", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rows_of(X, problem).solved()


@pytest.mark.parametrize("Machine", MACHINES)
def test_few_rows_of_many_columns_end_at_the_minimum(Machine):
    """The descent ends where rounding does, 4e-6 above the minimum."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Machine(kernel="linear", C=1e6).fit(rng.normal(size=(30, 400)), np.arange(30) % 3)
    assert abs(model.gap_) <= 1e-6 * model.objective_


@pytest.mark.parametrize(
    "machine",
    [*(M(kernel="linear", C=1e300) for M in MACHINES), LinearSVC(multi_class="crammer_singer", C=1e300)],
)
def test_products_that_overflow_are_refused(machine):
    X, problem = random_problem(True, 2.0, 1.0, False)
    with pytest.raises(DataError, match="C times the squared length of the rows is too large a number"):
        machine.fit(X * 1e5, problem.y)
