"""Profile intervals: at their ends the likelihood has fallen by half a chi-squared quantile, the rest refitted."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import chi2

from assay.linear.logistic.logistic_regression import LogisticRegression

TIGHT = {"C": float("inf"), "tol": 1e-10, "max_iter": 500}


def small(K=2, seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1, 10] + [3, 0]
    y = (X / [1, 10] @ rng.normal(size=(2, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_refitting_with_the_end_held_fixed(level, fit_intercept):
    """Oracle: statsmodels' GLM with the coefficient as an offset, at both ends of each interval."""
    X, y = small()
    table = (
        LogisticRegression(**TIGHT, fit_intercept=fit_intercept)
        .fit(X, y)
        .summary(X, y, level=level, intervals="profile")
    )
    A = sm.add_constant(X) if fit_intercept else X
    for j in range(A.shape[1]):
        for end in (table.lower[j], table.upper[j]):
            rest = sm.GLM(y, np.delete(A, j, 1), family=sm.families.Binomial(), offset=end * A[:, j]).fit(
                tol=1e-14
            )
            fall = 2 * (table.measures["log-likelihood"] - rest.llf)
            assert_allclose(fall, chi2.ppf(level, 1), rtol=1e-6)
    assert (table.lower < table.estimate).all() and (table.estimate < table.upper).all()


def test_one_coefficient_alone_by_root_finding():
    x = np.array([-2.0, -1, 0, 1, 2, 3])
    y = np.array([0, 0, 1, 0, 1, 1])
    model = LogisticRegression(**TIGHT, fit_intercept=False).fit(x[:, None], y)
    table = model.summary(x[:, None], y, intervals="profile")

    def fall(w):
        return 2 * (np.logaddexp(0, x * w).sum() - y @ x * w + table.measures["log-likelihood"]) - chi2.ppf(
            0.95, 1
        )

    assert_allclose(table.lower[0], brentq(fall, -5, table.estimate[0], xtol=1e-13), rtol=1e-7)
    assert_allclose(table.upper[0], brentq(fall, table.estimate[0], 50, xtol=1e-13), rtol=1e-7)
    assert table.upper[0] - table.estimate[0] > 1.2 * (table.estimate[0] - table.lower[0])  # not symmetric


def test_several_classes():
    """The likelihood with one coefficient fixed, by statsmodels' Hessian and gradient in Newton steps."""
    X, y = small(K=3, n=150)
    table = LogisticRegression(**TIGHT).fit(X, y).summary(X, y, intervals="profile")
    peer = sm.MNLogit(y, sm.add_constant(X))
    best = peer.fit(disp=0, tol=1e-12, maxiter=100)
    for j in (0, 2, 4):
        for end in (table.lower[j], table.upper[j]):
            free = np.arange(6) != j
            w = best.params.T.ravel().copy()
            w[j] = end
            for _ in range(50):
                g, H = peer.score(w)[free], peer.hessian(w)[np.ix_(free, free)]
                w[free] -= np.linalg.solve(H, g)
            assert np.abs(peer.score(w)[free]).max() < 1e-8
            assert_allclose(2 * (best.llf - peer.loglike(w)), chi2.ppf(0.95, 1), rtol=1e-6)


def test_close_to_wald_for_many_rows():
    X, y = small(n=20000)
    model = LogisticRegression(**TIGHT).fit(X, y)
    wald, profile = model.summary(X, y), model.summary(X, y, intervals="profile")
    assert_allclose(profile.lower, wald.lower, atol=0.02 * wald.standard_error.max())
    assert_allclose((profile.upper - wald.upper) / wald.standard_error, 0, atol=0.02)


def test_an_interval_without_an_end():
    """All rows of one kind in one class: the likelihood rises for ever on one side, and only falls on the other."""
    X = np.array([[0.0], [0], [0], [0], [1], [1], [1]])
    y = np.array([0, 1, 0, 1, 1, 1, 1])
    with pytest.warns(Warning):
        model = LogisticRegression(C=float("inf"), max_iter=100).fit(X, y)
    with pytest.warns(Warning, match="partly separated"):
        table = model.summary(X, y, intervals="profile")
    assert table.upper[1] == np.inf and np.isfinite(table.lower[1])
