"""The drop-ins for scikit-learn's generalised linear models."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model as peers

from assay.errors import DataError
from assay.linear import GammaRegressor, PoissonRegressor, TweedieRegressor
from assay.linear.generalized.deviance_regressor import Rows, sample_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
MEAN = np.exp(X @ [0.3, -0.2, 0.1, 0.0] + 0.5)
COUNTS = RNG.poisson(MEAN).astype(float)
AMOUNTS = RNG.gamma(2, MEAN / 2)
CLAIMS = COUNTS * AMOUNTS
PAIRS = {
    "poisson": (PoissonRegressor, peers.PoissonRegressor, {}, COUNTS),
    "gamma": (GammaRegressor, peers.GammaRegressor, {}, AMOUNTS),
    "tweedie 0": (TweedieRegressor, peers.TweedieRegressor, {}, AMOUNTS),
    "tweedie 1.5": (TweedieRegressor, peers.TweedieRegressor, {"power": 1.5}, CLAIMS),
    "tweedie 3": (TweedieRegressor, peers.TweedieRegressor, {"power": 3}, AMOUNTS),
    "gaussian log": (TweedieRegressor, peers.TweedieRegressor, {"power": 0, "link": "log"}, AMOUNTS),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("alpha", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_same_answers_as_scikit_learn(name, alpha, fit_intercept):
    ours, theirs, settings, y = PAIRS[name]
    settings = {**settings, "alpha": alpha, "fit_intercept": fit_intercept}
    if name == "tweedie 0" and not fit_intercept:
        settings["link"] = "identity"
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = ours(**settings).fit(X, y, sample_weight=w)
    peer = theirs(**settings, tol=1e-10, max_iter=10_000).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=2e-5)
    assert model.intercept_ == pytest.approx(peer.intercept_, abs=2e-5)
    assert model.score(X, y, w) == pytest.approx(peer.score(X, y, w), abs=1e-6)


def test_sparse_rows_and_many_columns():
    rng = np.random.default_rng(2)
    A = sp.random(400, 1500, 0.02, format="csr", random_state=3)
    y = rng.poisson(np.exp(np.asarray(A[:, :5].sum(axis=1)).ravel())).astype(float)
    model = PoissonRegressor(alpha=0.01, tol=1e-9).fit(A, y)
    peer = peers.PoissonRegressor(alpha=0.01, tol=1e-9, max_iter=10_000).fit(A, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)


def test_single_precision():
    model = PoissonRegressor().fit(X.astype(np.float32), COUNTS)
    np.testing.assert_allclose(model.coef_, PoissonRegressor().fit(X, COUNTS).coef_, atol=1e-5)


@pytest.mark.parametrize("learner", [PoissonRegressor, GammaRegressor, TweedieRegressor])
def test_targets_whose_squares_overflow_are_refused(learner):
    X, y = np.arange(6.0)[:, None], np.array([1.0, 2, 2, 3, 4, 6])
    learner().fit(X, y * 1e150)
    with pytest.raises(DataError, match="Divide it by a power of ten"):
        learner().fit(X, y * 1e200)


@pytest.mark.parametrize("alpha", [0.0, 1e-4])
def test_events_so_rare_that_a_sample_of_the_rows_has_none(alpha):
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(6000, 3)), np.zeros(6000)
    model = PoissonRegressor(alpha=alpha)
    sampled = set(sample_of(Rows(np.arange(6000.0)[:, None], y), 4).X[:, 0].astype(int))
    y[[i for i in range(0, 6000, 500) if i not in sampled]] = 1.0
    assert y.sum() > 5
    model.fit(A, y)
    peer = peers.PoissonRegressor(alpha=alpha, solver="newton-cholesky", tol=1e-10).fit(A, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert model.intercept_ == pytest.approx(peer.intercept_, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_heavy_tails_with_a_large_penalty_keep_the_level_of_the_targets(seed):
    rng = np.random.default_rng(seed)
    A, w = rng.normal(size=(400, 6)), 0.7 * rng.normal(size=6)
    y = np.exp(A @ w + 10) * rng.gamma(1, 1, 400)
    model = TweedieRegressor(power=3, alpha=1.0, link="log").fit(A, y)
    np.testing.assert_allclose(model.predict(A), y.mean(), rtol=1e-2)  # the penalty leaves the constant alone
