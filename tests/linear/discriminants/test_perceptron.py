"""The perceptron as a drop-in for scikit-learn's."""

import inspect
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer
from sklearn.preprocessing import scale

from assay.errors import DataError, ParameterError
from assay.linear.discriminants.perceptron import Perceptron
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.linear.gradient.sgd_classifier import SGDClassifier

XOR, ODD = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
MAPPED = np.array([[-1, 1], [-1, -1], [1, -1], [1, 1]])


def test_parameters_and_defaults_are_scikit_learn_s():
    assert Perceptron().get_params() == Peer().get_params()
    assert list(inspect.signature(Perceptron).parameters) == list(inspect.signature(Peer).parameters)


@pytest.mark.capability("BC-19")
def test_mapped_xor():
    """BC 5.2.2: from zero, (0, 0, -2)."""
    model = Perceptron(shuffle=False, tol=None, max_iter=5).fit(MAPPED, ODD)
    assert_allclose([model.intercept_[0], *model.coef_[0]], [0, 0, -2], atol=0)


@pytest.mark.capability("BC-22")
def test_xor_never_gets_all_four():
    with pytest.warns(ConvergenceWarning, match="stopped after max_iter=3 passes"):
        Perceptron(max_iter=3).fit(XOR, ODD)
    assert Perceptron(max_iter=500, tol=None).fit(XOR, ODD).score(XOR, ODD) < 1


def test_the_textbook_s_learner_makes_the_same_steps():
    X, y = load_iris(return_X_y=True)
    plain = Perceptron(shuffle=False, tol=None, max_iter=30).fit(X[:100], y[:100])
    rule = PerceptronRule(max_iter=30).fit(X[:100], y[:100])
    assert_allclose(plain.coef_, rule.coef_, atol=1e-12)
    assert_allclose(plain.intercept_, rule.intercept_, atol=1e-12)


SETTINGS = [
    {},
    {"shuffle": False},
    {"penalty": "l2", "alpha": 0.001},
    {"penalty": "l1"},
    {"penalty": "elasticnet", "l1_ratio": 0.4, "random_state": 7},
    {"fit_intercept": False, "eta0": 0.3},
    {"class_weight": "balanced", "random_state": 3},
    {"class_weight": {1: 3.0}},
    {"tol": None, "max_iter": 12},
    {"n_iter_no_change": 2, "tol": 0.01},
]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_same_weights_as_scikit_learn(load, settings, sparse):
    """Peer: Perceptron, scikit-learn 1.9, its random orders included.

    Not compared: early_stopping, which the peer judges by weights that lack their scale factor.
    """
    X, y = load(return_X_y=True)
    X = csr_array(scale(X)) if sparse else scale(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer, ours = Peer(**settings).fit(X, y), Perceptron(**settings).fit(X, y)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-7, atol=1e-9)
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-7, atol=1e-9)
    assert ours.n_iter_ == peer.n_iter_ and ours.t_ == peer.t_


def test_partial_fit_and_warm_start_go_on():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    peer, ours = Peer(), Perceptron()
    for _ in range(3):
        peer.partial_fit(X, y, classes=np.unique(y))
        ours.partial_fit(X, y, classes=np.unique(y))
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-9, atol=1e-10)
    warm = Perceptron(warm_start=True, max_iter=2, tol=None)
    first = warm.fit(X, y).coef_.copy()
    assert not np.array_equal(warm.fit(X, y).coef_, first)


def test_early_stopping_learns_the_digits():
    X, y = load_digits(return_X_y=True)
    model = Perceptron(early_stopping=True).fit(X, y)
    assert model.score(X, y) > 0.9 and model.history_[0].score is not None


def test_it_is_the_stochastic_descent_on_the_perceptron_s_loss():
    X, y = load_wine(return_X_y=True)
    same = SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, random_state=0)
    assert_array_equal(Perceptron().fit(scale(X), y).coef_, same.fit(scale(X), y).coef_)


def test_scores_are_no_probabilities():
    model = Perceptron().fit(MAPPED, ODD)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    assert "Terms of the score" in str(model.explain(MAPPED[:1]))


def test_it_can_be_cloned_and_its_fixed_settings_cannot_be_set():
    assert clone(Perceptron(eta0=0.5)).eta0 == 0.5
    with pytest.raises(ValueError, match="Invalid parameter 'loss'"):
        Perceptron().set_params(loss="hinge")


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="Perceptron: penalty must be one of"):
        Perceptron(penalty="l3").fit(MAPPED, ODD)
    with pytest.raises(ParameterError, match="Perceptron: eta0 must be a number above 0"):
        Perceptron(eta0=0).fit(MAPPED, ODD)
    with pytest.raises(DataError, match="greater than one; y has 1 class"):
        Perceptron().fit(MAPPED, [1, 1, 1, 1])


@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((4, 2)), np.full((4, 1), 1e-12), np.eye(4, 9)])
def test_columns_that_say_nothing_or_too_much(X):
    model = Perceptron().fit(X, [0, 1, 0, 1])
    assert np.isfinite(model.coef_).all()


def test_huge_numbers_that_say_nothing():
    with pytest.warns(ConvergenceWarning, match="scale the columns"):
        model = Perceptron().fit(np.full((4, 1), 1e12), [0, 1, 0, 1])
    assert np.isfinite(model.coef_).all()
