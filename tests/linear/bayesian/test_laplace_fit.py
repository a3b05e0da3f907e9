"""Laplace's approximation of the posterior of a linear predictor: fewer looks at many rows."""

import numpy as np
import pytest
from sklearn.base import clone

from assay.linear import BayesianGeneralizedLinearModel, BayesianLogisticRegression


@pytest.mark.parametrize("family", ["logistic", "poisson", "gamma"])
def test_many_rows_in_memory_have_the_posterior_of_their_blocks(family):
    """Where some of the rows are solved first, mode, spread and evidence are those of steps with all of them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 3)) * [1.0, 5.0, 0.1] + [0.0, 3.0, 1.0]
    eta = X @ [0.5, -0.1, 2.0] - 1.0
    if family == "logistic":
        y, learner = (rng.random(20_000) < 1 / (1 + np.exp(-eta))).astype(int), BayesianLogisticRegression()
    elif family == "poisson":
        y, learner = rng.poisson(np.exp(eta / 2)), BayesianGeneralizedLinearModel(family="poisson")
    else:
        y, learner = (
            rng.gamma(2.0, np.exp(eta / 2)),
            BayesianGeneralizedLinearModel(family="gamma", link="log"),
        )
    whole = clone(learner).fit(X, y)
    if family == "logistic":
        blocks = clone(learner).fit_blocks([(X[:9_000], y[:9_000]), (X[9_000:], y[9_000:])], classes=[0, 1])
    else:
        blocks = clone(learner).fit_blocks([(X[:9_000], y[:9_000]), (X[9_000:], y[9_000:])])
    np.testing.assert_allclose(whole.posterior_.mean, blocks.posterior_.mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        whole.posterior_.covariance, blocks.posterior_.covariance, rtol=1e-6, atol=1e-12
    )
    assert whole.log_evidence_ == pytest.approx(blocks.log_evidence_, rel=1e-9)
