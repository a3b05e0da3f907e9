"""Prior correction: the intercept moves by the log odds of the priors, and by nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Peer

from assay.bayes import LinearDiscriminantAnalysis
from assay.core import Discriminant
from assay.decide import adjust_priors
from assay.errors import ParameterError
from assay.linear.discriminants.perceptron import Perceptron
from assay.linear.gradient.sgd_classifier import SGDClassifier
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.independent_sigmoids import IndependentSigmoids
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.logistic.prior_correction import correct_priors, intercept_without_priors, shift_intercept
from assay.stats import MultivariateGaussian


@pytest.mark.capability("IML-10-15")
def test_the_intercept_of_the_worked_example():
    # Oracle: IML 10.5: w_0 = -0.561584 for P = (.3, .7), classes numbered 1, 2 with C_1 positive; 10-20.
    w, priors = np.array([-1.428571, 1.714286]), [0.7, 0.3]  # the positive class second
    bare = intercept_without_priors(-0.561584, priors)
    first, second = (MultivariateGaussian(m, [[2, 0.5], [0.5, 1]]) for m in ([1, 2], [3, 1]))
    x = np.array([[1.5, 1.5], [0.2, -1.0], [3.0, 4.0]])
    assert_allclose(x @ w + bare, first.logpdf(x) - second.logpdf(x), atol=3e-6)
    assert_allclose(expit(x[0] @ w + shift_intercept(bare, priors, [0.5, 0.5])), 0.466796, atol=1e-6)
    assert_allclose(bare, -0.561584 - np.log(0.3 / 0.7), rtol=1e-12)


@pytest.mark.capability("IML-10-15")
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_same_posterior_as_adjusting_it(seed, K):
    rng = np.random.default_rng(seed)
    scores, old, new = rng.normal(size=(6, K)), rng.dirichlet(np.ones(K) * 5), rng.dirichlet(np.ones(K) * 5)
    wanted = adjust_priors(softmax(scores, axis=1), new, old)
    shift = shift_intercept(np.zeros(K), new, old)
    assert_allclose(softmax(scores + shift, axis=1), wanted, rtol=1e-9)
    if K == 2:
        one = scores[:, 1] - scores[:, 0] + shift_intercept([0.0], new, old)
        assert_allclose(expit(one), wanted[:, 1], rtol=1e-9)


def test_sampling_by_class_is_undone():
    """Cases and controls: half the sample are cases, 5 % of the people; the corrected model is that of all."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400_000, 2))
    y = rng.random(len(x)) < expit(x @ [1.0, -0.5] - 3.5)
    cases, controls = np.flatnonzero(y), np.flatnonzero(~y)
    sample = np.concatenate((cases, rng.choice(controls, len(cases), replace=False)))
    model = Peer(C=np.inf, tol=1e-8).fit(x[sample], y[sample])
    right = correct_priors(model, [1 - y.mean(), y.mean()], [0.5, 0.5])
    standard_error = 0.025  # of the intercept, about sqrt(2 / cases)
    assert abs(model.intercept_[0] + 3.5) > 50 * standard_error
    assert abs(right.intercept_[0] + 3.5) < 4 * standard_error
    assert_allclose(right.predict_proba(x)[:, 1].mean(), y.mean(), rtol=0.03)


def test_a_corrected_model_is_a_copy():
    X, y = load_iris(return_X_y=True)
    model = Peer(max_iter=1000).fit(X, np.array(["s", "v", "w"])[y])
    before = model.intercept_.copy()
    new = {"v": 0.5, "s": 0.25, "w": 0.25}
    right = correct_priors(model, new, {"s": 1 / 3, "v": 1 / 3, "w": 1 / 3})
    assert_allclose(model.intercept_, before, rtol=0)
    wanted = adjust_priors(model.predict_proba(X), [0.25, 0.5, 0.25], np.full(3, 1 / 3))
    assert_allclose(right.predict_proba(X), wanted, rtol=1e-9)


def test_what_is_refused():
    X, y = load_iris(return_X_y=True)
    model = Peer(max_iter=1000).fit(X, y)
    with pytest.raises(ParameterError, match="must name the classes"):
        correct_priors(model, {"s": 1.0}, np.full(3, 1 / 3))
    with pytest.raises(ParameterError, match="priors must be 3 probabilities above 0"):
        correct_priors(model, [0.0, 0.5, 0.5], np.full(3, 1 / 3))

    class Scores(LinearClassifier, Discriminant):
        pass

    scores = Scores()
    scores.classes_ = np.array([0, 1])
    with pytest.raises(ParameterError, match="not the softmax of its scores"):
        correct_priors(scores, [0.5, 0.5], [0.5, 0.5])


def test_scores_that_are_no_log_odds_are_refused():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    labels = np.column_stack((y == 1, X[:, 0] > 6)).astype(int)
    for model in (
        SGDClassifier(loss="modified_huber", max_iter=5, tol=None).fit(X, y),
        Perceptron(max_iter=5, tol=None).fit(X, y),
        LinearDiscriminantAnalysis().fit(X, y),  # answers from its priors, not from its intercept
        IndependentSigmoids(tol=1e3).fit(X, labels),
    ):
        with pytest.raises(ParameterError, match="not the softmax of its scores"):
            correct_priors(model, [0.5, 0.5], [0.4, 0.6])
    with pytest.raises(NotFittedError):
        correct_priors(LogisticRegression(), [0.5, 0.5], [0.4, 0.6])
    with pytest.raises(ParameterError, match="priors must be 2 probabilities, got"):
        shift_intercept([0.0], ["a", "b"], [0.5, 0.5])


def test_sparse_weights_stay_sparse():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    wanted = correct_priors(model, [0.2, 0.3, 0.5], np.full(3, 1 / 3)).predict_proba(X)
    right = correct_priors(model.sparsify(), [0.2, 0.3, 0.5], np.full(3, 1 / 3))
    assert_allclose(right.predict_proba(X), wanted, rtol=1e-12)
