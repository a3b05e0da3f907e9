"""Changed priors without fitting again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logit
from scipy.stats import chi2, norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from assay.decide import adjust_priors, effective_priors, estimate_priors
from assay.errors import DataError, DegenerateError, ParameterError


@given(p=st.floats(0.001, 0.999), new=st.floats(0.01, 0.99), old=st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_log_odds_move_by_the_change_of_the_prior_log_odds(p, new, old):
    got = adjust_priors([[p, 1 - p]], [new, 1 - new], [old, 1 - old])[0, 0]
    assert_allclose(logit(got), logit(p) + logit(new) - logit(old), atol=1e-9)


@given(new=st.floats(0.05, 0.95))
@settings(max_examples=20, deadline=None)
def test_there_and_back_again(new):
    P = np.array([[0.7, 0.3], [0.2, 0.8], [1.0, 0.0]])
    there = adjust_priors(P, [new, 1 - new], [0.4, 0.6])
    assert_allclose(adjust_priors(there, [0.4, 0.6], [new, 1 - new]), P, atol=1e-12)


def test_bayes_rule_with_the_new_priors_gives_the_same():
    x = np.linspace(-3, 3, 7)
    f = np.column_stack([norm(-1).pdf(x), norm(1).pdf(x), norm(0, 2).pdf(x)])

    def posterior(priors):
        return f * priors / (f * priors).sum(axis=1, keepdims=True)

    old, new = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    assert_allclose(adjust_priors(posterior(old), new, old), posterior(new), rtol=1e-12)


def test_em_finds_the_priors_of_the_new_rows():
    """Seeded simulation; the standard error of the estimate is about 0.006."""
    rng = np.random.default_rng(11)
    truth = np.where(rng.random(8000) < 0.15, 0, 1)
    x = rng.normal(np.where(truth == 0, -1.5, 1.5))
    posterior = 1 / (1 + np.exp(3 * x))  # exact for equal priors
    shift = estimate_priors(np.column_stack([posterior, 1 - posterior]), [0.5, 0.5])
    assert abs(shift.priors[0] - 0.15) < 0.02
    assert shift.p_value < 1e-6
    assert_allclose(
        shift.posterior, adjust_priors(np.column_stack([posterior, 1 - posterior]), shift.priors, [0.5] * 2)
    )


def test_em_ends_where_the_likelihood_is_flat():
    rng = np.random.default_rng(5)
    P = rng.dirichlet([1, 2, 1], size=200)
    old = np.array([0.3, 0.3, 0.4])
    shift = estimate_priors(P, old)
    gradient = (P / old / (P / old @ shift.priors)[:, None]).mean(axis=0)
    assert_allclose(gradient[shift.priors > 1e-6], 1, atol=1e-6)  # Kuhn-Tucker with multiplier 1
    assert_allclose(shift.statistic, 2 * np.log(P / old @ shift.priors).sum(), rtol=1e-12)
    assert_allclose(shift.p_value, chi2(2).sf(shift.statistic), rtol=1e-10)


def test_posteriors_that_average_to_the_priors_do_not_shift():
    P = [[0.8, 0.2], [0.2, 0.8]]
    shift = estimate_priors(P, [0.5, 0.5])
    assert_allclose(shift.priors, [0.5, 0.5])
    assert shift.p_value == 1 and shift.iterations == 1


def test_em_that_is_not_done_warns():
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
        estimate_priors([[0.9, 0.1]] * 9 + [[0.1, 0.9]], [0.5, 0.5], max_iter=2)


def test_effective_priors_are_shares_times_weights():
    y = ["a", "b", "b", "b"]
    assert_allclose(effective_priors(y), [0.25, 0.75])
    assert_allclose(effective_priors(y, {"a": 3}), [0.5, 0.5])
    assert_allclose(effective_priors(y, "balanced"), [0.5, 0.5])
    assert_allclose(effective_priors(y, sample_weight=[3, 1, 1, 1]), [0.5, 0.5])


def test_correction_undoes_class_weights_of_a_logistic_regression():
    """A well-specified logistic model: weighting moves the intercept by the log odds of the priors.

    Weighted and unweighted fits estimate the same slope; on 20000 rows they agree to sampling error.
    """
    rng = np.random.default_rng(0)
    y = (rng.random(20000) < 0.1).astype(int)
    x = rng.normal(2.0 * y)[:, None]
    plain = LogisticRegression(C=np.inf).fit(x, y).predict_proba(x)
    weighed = LogisticRegression(C=np.inf, class_weight="balanced").fit(x, y).predict_proba(x)
    mended = adjust_priors(weighed, effective_priors(y), effective_priors(y, "balanced"))
    assert np.abs(weighed - plain).max() > 0.3
    assert np.abs(mended - plain).max() < 0.02


def test_bad_priors_are_told():
    P = [[0.5, 0.5]]
    with pytest.raises(ParameterError, match="priors must be probabilities that sum to 1"):
        adjust_priors(P, [0.5, 0.6], [0.5, 0.5])
    with pytest.raises(ParameterError, match="trained_priors must be 2 probabilities, one per class"):
        adjust_priors(P, [0.5, 0.5], [1.0])
    with pytest.raises(ParameterError, match="gives class 1 probability 0"):
        adjust_priors(P, [0.5, 0.5], [1.0, 0.0])
    with pytest.raises(DegenerateError, match="row 1 is certain of a class whose new prior is 0"):
        adjust_priors([[1.0, 0.0]], [0.0, 1.0], [0.5, 0.5])
    with pytest.raises(ParameterError, match="must be 2 probabilities, got 'even'"):
        adjust_priors(P, "even", [0.5, 0.5])
    with pytest.raises(DataError, match="no rows"):
        estimate_priors(np.empty((0, 2)), [0.5, 0.5])
    with pytest.raises(ParameterError, match="names 'c'"):
        effective_priors(["a", "b"], {"c": 1})
    with pytest.raises(ParameterError, match="'balanced' or a dict, got 'even'"):
        effective_priors(["a", "b"], "even")
    with pytest.raises(ParameterError, match="nor all be 0"):
        effective_priors(["a", "b"], {"a": 0, "b": 0})
    with pytest.raises(ParameterError, match="every trained prior must be above 0"):
        estimate_priors(P, [0.0, 1.0])
