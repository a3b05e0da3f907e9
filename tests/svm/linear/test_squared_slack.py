"""Newton's method for squared slacks: the native loops against NumPy, and the conjugate gradients against both."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.svm.linear._squared_slack as _squared_slack
from assay.svm.linear.slack_problem import SlackProblem
from assay.svm.linear.squared_slack import newton_exact, newton_truncated


def problem_of(n, d, constant=1.5, epsilon=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    above, below = rng.uniform(0, 2, n) * (rng.random(n) < 0.7), rng.uniform(0.1, 2, n)
    return SlackProblem(X, rng.normal(size=n), above, below, epsilon, 2, constant)


def table_of(problem):
    names = ("X", "target", "above", "below", "epsilon", "constant")
    return _squared_slack.Table(**{name: getattr(problem, name) for name in names})


def respond_by_the_book(problem, z):
    """Loss, slopes and second derivatives, case by case."""
    G, c, loss = np.zeros(len(z)), np.zeros(len(z)), 0.0
    for i, r in enumerate(problem.target - z):
        if r > problem.epsilon:
            short, price, sign = r - problem.epsilon, problem.above[i], -1.0
        elif -r > problem.epsilon:
            short, price, sign = -r - problem.epsilon, problem.below[i], 1.0
        else:
            continue
        loss, G[i], c[i] = loss + price * short**2, sign * 2 * price * short, 2 * price
    return loss, G, c


@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_losses_slopes_and_scores(epsilon):
    problem = problem_of(37, 11, epsilon=epsilon)
    table, z = table_of(problem), np.random.default_rng(1).normal(size=37)
    G, c = np.empty(37), np.empty(37)
    loss = _squared_slack.respond(table, z, G, c)
    expected = respond_by_the_book(problem, z)
    assert_allclose(loss, expected[0], rtol=1e-13)
    assert_allclose(G, expected[1], rtol=1e-13)
    assert_allclose(c, expected[2], rtol=1e-13)
    assert_allclose(problem.loss(z), loss, rtol=1e-13)
    v, scores = np.random.default_rng(2).normal(size=12), np.empty(37)
    _squared_slack.scores(table, v, scores)
    assert_allclose(scores, np.column_stack((problem.X, np.full(37, 1.5))) @ v, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [1, 5, 6, 8, 23, 49])
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_the_matrix_after_a_step_is_that_of_its_rows(d, constant):
    problem = problem_of(90, d, constant, 0.2, seed=d)
    p = d + bool(constant)
    Z = np.column_stack((problem.X, np.full(90, constant))) if constant else problem.X
    v, z, c, H = np.zeros(p), np.zeros(90), np.zeros(90), np.zeros((p, p))
    for steps in (1, 1, 50):
        _squared_slack.newton(table=table_of(problem), tol=1e-14, steps=steps, v=v, z=z, c=c, H=H)
        assert_allclose(z, Z @ v, atol=1e-10)
        assert_allclose(c, respond_by_the_book(problem, z)[2], rtol=1e-13)
        assert_allclose(H, np.eye(p) + (Z * c[:, None]).T @ Z, rtol=1e-9, atol=1e-9 * np.abs(H).max())


@pytest.mark.parametrize("solver", ["exact", "truncated"])
@pytest.mark.parametrize("n, d", [(200, 10), (30, 60), (400, 3)])
@pytest.mark.parametrize("price", [1e-6, 1.0, 1e6])
def test_the_gradient_vanishes(solver, n, d, price):
    problem = problem_of(n, d, 1.0, 0.1, seed=n)
    problem = SlackProblem(
        problem.X, problem.target, price * problem.above, price * problem.below, 0.1, 2, 1.0
    )
    if solver == "exact":
        solution = newton_exact(problem, 1e-14, 200)
    else:
        solution = newton_truncated(problem, 1e-14, 200, np.zeros(d + 1))
    v = solution.v
    G = respond_by_the_book(problem, problem.scores(v))[1]
    Z = np.column_stack((problem.X, np.ones(n)))
    size = np.abs(v) + np.abs(G) @ np.abs(Z) + 1e-300
    assert solution.converged
    assert (np.abs(v + G @ Z) <= (1e-6 if solver == "exact" else 2e-5) * size).all()
    assert_allclose(solution.value, problem.value(v), rtol=1e-9)


def test_steps_in_several_calls_are_steps_in_one(monkeypatch):
    import assay.svm.linear.squared_slack as squared_slack

    problem = problem_of(300, 7)
    whole = newton_exact(problem, 1e-12, 100)
    monkeypatch.setattr(squared_slack, "WORK_BETWEEN_LOOKS", 1.0)
    parts = newton_exact(problem, 1e-12, 100)
    assert_allclose(parts.v, whole.v, rtol=1e-10)
    assert parts.n_iter == whole.n_iter


def test_arrays_that_do_not_fit_are_refused():
    problem = problem_of(20, 3)
    table = table_of(problem)
    with pytest.raises(ValueError, match="one weight a column"):
        _squared_slack.scores(table, np.zeros(3), np.zeros(20))
    with pytest.raises(ValueError, match="one for each row"):
        _squared_slack.respond(table, np.zeros(19), np.zeros(20), np.zeros(20))
    with pytest.raises(ValueError, match="one for each row"):
        _squared_slack.Table(
            X=problem.X,
            target=np.zeros(4),
            above=problem.above,
            below=problem.below,
            epsilon=0.0,
            constant=1.0,
        )
