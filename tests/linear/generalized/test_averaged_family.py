"""Predictive distributions of generalised linear models, the error of their coefficients among them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import norm, poisson

from assay import load, save
from assay.linear import (
    GammaRegressor,
    GeneralizedLinearModel,
    LinearRegression,
    PoissonRegressor,
    TweedieRegressor,
)
from assay.linear.generalized.averaged_family import averaged_family
from assay.linear.generalized.families import FAMILIES
from assay.linear.generalized.links import LINKS

W = np.array([0.3, -0.2, 0.1, 0.2])


def test_a_poisson_row_is_the_integral_over_its_linear_predictor():
    """Oracle: SciPy's adaptive quadrature of the Poisson probability times the normal density."""
    eta, sd, count = 0.7, 0.4, 3
    distribution = averaged_family(
        FAMILIES["poisson"], LINKS["log"], np.array([eta]), np.array([sd]), 1.0, "test"
    )
    truth = quad(lambda t: poisson.pmf(count, np.exp(t)) * norm.pdf(t, eta, sd), eta - 8 * sd, eta + 8 * sd)[
        0
    ]
    assert_allclose(np.exp(distribution.logpdf([count])), [truth], rtol=1e-6)


def test_the_gaussian_family_has_the_intervals_of_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 4))
    y = X @ W + rng.normal(size=15)
    w = rng.integers(1, 4, 15).astype(float)
    for weights in (None, w):
        ours = GeneralizedLinearModel().fit(X, y, sample_weight=weights).predict_distribution(X)
        line = LinearRegression().fit(X, y, sample_weight=weights).predict_distribution(X)
        assert_allclose(ours.quantile([0.05, 0.9]), line.quantile([0.05, 0.9]), rtol=1e-9)


@pytest.mark.parametrize("exposed", [False, True])
def test_the_errors_are_those_of_the_summary(exposed):
    """A row of zeros but for one column has the variance that the covariance of the coefficients gives it."""
    rng = np.random.default_rng(1)
    X = np.column_stack((rng.normal(size=(60, 3)), rng.uniform(1, 5, 60)))
    y = rng.poisson(np.exp(0.5 + X[:, 0] * 0.4) * (X[:, 3] if exposed else 1))
    model = GeneralizedLinearModel("poisson", exposure=3 if exposed else None).fit(X, y)
    table = model.summary(X, y)
    row = np.array([[1.0, 0.0, 2.0, 3.0]])
    u = np.concatenate(([1.0], row[0, :3] if exposed else row[0]))
    assert_allclose(model._noise.leverages(row), [u @ table.covariance @ u], rtol=1e-6)


@pytest.mark.parametrize(
    ("learner", "draw"),
    [
        (PoissonRegressor(alpha=0), lambda mu, rng: rng.poisson(5 * mu)),
        (GammaRegressor(alpha=0), lambda mu, rng: rng.gamma(4, mu)),
        (TweedieRegressor(alpha=0, power=2), lambda mu, rng: rng.gamma(4, mu)),
        (TweedieRegressor(alpha=0, power=0), lambda mu, rng: rng.normal(mu)),
    ],
)
def test_intervals_of_few_rows_hold_what_they_promise(learner, draw):
    """30 rows and five coefficients: with the coefficients taken as known some 86 % would be inside."""
    rng = np.random.default_rng(3)
    inside, places = [], []
    for _ in range(40):
        X, new = rng.normal(size=(2, 30, 4))
        y, truth = (draw(np.exp(Z @ W), rng) for Z in (X, new))
        learner.fit(X, y)
        distribution = learner.predict_distribution(new)
        low, high = distribution.interval(0.9)
        inside.append(np.mean((low <= truth) & (truth <= high)))
        places.append(distribution.pit(truth, random_state=0))
    assert 0.87 <= np.mean(inside) <= 0.96  # counts: an interval of whole numbers holds a little more
    shares = np.histogram(np.concatenate(places), 5, (0, 1))[0] / (40 * 30)
    assert_allclose(shares, 0.2, atol=0.05)


def test_amounts_keep_their_dispersion(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4))
    y = rng.gamma(4, np.exp(X @ W))
    drop_in = GammaRegressor(alpha=0, tol=1e-9).fit(X, y)
    assert_allclose(drop_in.dispersion_, GeneralizedLinearModel("gamma").fit(X, y).dispersion_, rtol=1e-6)
    save(drop_in, tmp_path / "m.assay")
    assert (load(tmp_path / "m.assay").predict_interval(X) == drop_in.predict_interval(X)).all()


def test_many_rows_use_the_curvature_of_their_sample():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20_000, 4))
    y = rng.poisson(np.exp(X @ W)).astype(float)
    sampled = PoissonRegressor(alpha=0).fit(X, y)
    exact = GeneralizedLinearModel("poisson", link="power(0)").fit(X, y)
    u = np.column_stack((np.ones(len(X)), X))
    information = u.T @ (exact.predict(X)[:, None] * u)
    truth = np.einsum("ij,ij->i", u, np.linalg.solve(information, u.T).T)
    assert_allclose(sampled._noise.leverages(X[:50]), truth[:50], rtol=0.35)
