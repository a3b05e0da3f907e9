"""The deviance and its gradient: native code against the formula, and against differences."""

import numpy as np
import pytest

import assay.linear.generalized._log_link as _log_link
from assay.core.sums import Rows
from assay.linear.generalized.deviance_objective import DevianceObjective
from assay.linear.generalized.families import find_family
from assay.linear.generalized.links import find_link
from assay.linear.logistic.logistic_objective import Scale

EMPTY = np.empty(0)


def by_the_book(X, y, v, offset, coef, intercept, p):
    eta = X.astype(np.float64) @ coef + intercept + offset
    mu = np.exp(eta)
    if p == 1:
        loss = mu - y * eta
    elif p == 2:
        loss = y / mu + eta
    else:
        loss = mu ** (2 - p) / (2 - p) - y * mu ** (1 - p) / (1 - p)
    r = v * (mu - y) * mu ** (1 - p)
    return float(v @ loss), np.append(X.T.astype(np.float64) @ r, r.sum())


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 31, 32, 100])
def test_native_code_follows_the_formula(power, dtype, n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 7)).astype(dtype), rng.uniform(0.1, 4, n)
    v, offset, coef = rng.uniform(0, 2, n), rng.normal(size=n), rng.normal(size=7) * 0.3
    G = np.zeros(8)
    loss = _log_link.loss_gradient(X=X, y=y, v=v, offset=offset, coef=coef, intercept=0.2, power=power, G=G)
    expected, gradient = by_the_book(X, y, v, offset, coef, 0.2, power)
    assert loss == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(G, gradient, rtol=1e-10, atol=1e-11)
    G = np.zeros(8)
    loss = _log_link.loss_gradient(
        X=X, y=y, v=EMPTY, offset=EMPTY, coef=coef, intercept=0.2, power=power, G=G
    )
    expected, gradient = by_the_book(X, y, np.ones(n), np.zeros(n), coef, 0.2, power)
    assert loss == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(G, gradient, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(
    ("family", "power"), [("gaussian", 0.0), ("poisson", 1.0), ("tweedie", 1.5), ("gamma", 2.0)]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d"), [(1, 0), (31, 3), (33, 4), (100, 7)])
def test_native_curvature_follows_the_formula(family, power, dtype, n, d):
    """Half the deviance of the family, its gradient, and Fisher's information in columns of mean 0 and spread 1."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)).astype(dtype), rng.uniform(0.1, 4, n)
    if power < 2:
        y[0] = 0.0
    v, offset, coef = rng.uniform(0, 2, n), rng.normal(size=n), rng.normal(size=d) * 0.3
    mean, spread = rng.normal(size=d), rng.uniform(0.5, 2, d)
    logs = power in (1.0, 2.0)
    own = np.log(np.where(y > 0, y, 1.0)) if logs else y ** (2 - power) / ((1 - power) * (2 - power))
    point = _log_link.Point(coef=coef, intercept=0.2, power=power, mean=mean, spread=spread)
    for weights, shift in ((v, offset), (EMPTY, EMPTY)):
        G, H = np.zeros(d + 1), np.zeros((d + 1, d + 1))
        loss = _log_link.curvature(X=X, y=y, own=own, v=weights, offset=shift, point=point, G=G, H=H)
        w, o = (weights, shift) if len(weights) else (np.ones(n), np.zeros(n))
        mu = np.exp(X.astype(np.float64) @ coef + 0.2 + o)
        assert loss == pytest.approx(0.5 * float(w @ find_family(family).deviance(y, mu)), rel=1e-11)
        np.testing.assert_allclose(G, by_the_book(X, y, w, o, coef, 0.2, power)[1], rtol=1e-10, atol=1e-11)
        U = np.column_stack(((X - mean) / spread, np.ones(n)))
        np.testing.assert_allclose(H, U.T @ (U * (w * mu ** (2 - power))[:, None]), rtol=1e-10, atol=1e-11)


def test_native_curvature_refuses_shapes_that_do_not_fit():
    X, y, ones = np.ones((4, 2)), np.ones(4), np.ones(2)
    point = _log_link.Point(coef=ones, intercept=0.0, power=1.0, mean=ones, spread=ones)
    right = {"X": X, "y": y, "own": y, "v": EMPTY, "offset": EMPTY, "point": point, "G": np.zeros(3)}
    right["H"] = np.zeros((3, 3))
    for name, wrong in (
        ("y", y[:3]), ("own", y[:3]), ("v", y[:3]), ("offset", y[:3]), ("G", np.zeros(2)), ("H", np.zeros((2, 3))),
        ("X", np.ones((4, 3))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="curvature: "):
            _log_link.curvature(**{**right, name: wrong})
    with pytest.raises(ValueError, match="Point: sizes"):
        _log_link.Point(coef=ones, intercept=0.0, power=1.0, mean=np.ones(3), spread=ones)


def test_native_code_refuses_shapes_that_do_not_fit():
    X, y, coef = np.ones((4, 2)), np.ones(4), np.ones(2)
    for wrong in (
        (X, y[:3], EMPTY, EMPTY, coef, 0.0, 1.0, np.zeros(3)),
        (X, y, np.ones(3), EMPTY, coef, 0.0, 1.0, np.zeros(3)),
        (X, y, EMPTY, np.ones(3), coef, 0.0, 1.0, np.zeros(3)),
        (X, y, EMPTY, EMPTY, np.ones(3), 0.0, 1.0, np.zeros(3)),
        (X, y, EMPTY, EMPTY, coef, 0.0, 1.0, np.zeros(2)),
    ):
        with pytest.raises(ValueError, match="shapes do not fit"):
            names = ("X", "y", "v", "offset", "coef", "intercept", "power", "G")
            _log_link.loss_gradient(**dict(zip(names, wrong)))


@pytest.mark.parametrize(
    ("family", "link"),
    [("poisson", "log"), ("poisson", "sqrt"), ("gamma", "inverse"), ("binomial", "probit"), ("tweedie", "log"),
     ("negative_binomial", "log"), ("gaussian", "log")],
)  # fmt: skip
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_gradient_is_the_slope_of_the_value(family, link, fit_intercept):
    rng = np.random.default_rng(5)
    X = np.abs(rng.normal(size=(50, 3))) + 0.5
    y = rng.uniform(0.1, 0.9, 50) if family == "binomial" else rng.poisson(3.0, 50) + 1.0
    scale = Scale(np.array([0.3, 0.1, 0.0]) * fit_intercept, np.array([1.0, 2.0, 0.5]), 50.0)
    objective = DevianceObjective(
        Rows(X, np.column_stack((y, rng.uniform(0, 0.2, 50)))), find_family(family), find_link(link), scale, 0.1,
        fit_intercept,
    )  # fmt: skip
    v = np.full(objective.size, 0.4)
    value, g, H = objective.curvature(v)
    for j in range(objective.size):
        e = np.zeros(objective.size)
        e[j] = 1e-6
        slope = (objective.curvature(v + e)[0] - objective.curvature(v - e)[0]) / 2e-6
        assert g[j] == pytest.approx(slope, rel=1e-5, abs=1e-7)
    np.testing.assert_allclose(objective.value_gradient(v)[1], g, rtol=1e-10)
    assert (np.linalg.eigvalsh(H) > 0).all()
    w, b = objective.outside(v)
    np.testing.assert_allclose(objective.inside(w, b), v, rtol=1e-12)
