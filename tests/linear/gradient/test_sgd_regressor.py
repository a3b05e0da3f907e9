"""SGDRegressor: least squares and robust optima, scikit-learn's weights, and awkward tables."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDRegressor as Peer
from sklearn.metrics import r2_score

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.gradient.sgd_regressor import SGDRegressor

# few passes are enough for most of what is asked here; the last test asks for the complaint
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LOSSES = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def two_columns(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X @ [2.0, -1.0] + 0.5 + 0.1 * rng.normal(size=n)


# ---------------------------------------------------------------- optima


@pytest.mark.parametrize("batch_size", [1, 10, 200])
def test_it_approaches_ridge_regression(batch_size):
    """The mean of squares / 2 plus alpha/2 |w|^2 is least where (X'X + n alpha I) w = X'y, the constant free."""
    X, y = two_columns()
    alpha = 0.05
    model = SGDRegressor(
        alpha=alpha,
        learning_rate="invscaling",
        eta0=0.5,
        power_t=0.5 if batch_size < 200 else 0.0,
        max_iter=500,
        tol=None,
        batch_size=batch_size,
        random_state=0,
    ).fit(X, y)
    A, t = X - X.mean(axis=0), y - y.mean()
    w = np.linalg.solve(A.T @ A + len(y) * alpha * np.eye(2), A.T @ t)
    precision = 1e-9 if batch_size == 200 else 5e-3
    assert_allclose(model.coef_, w, atol=precision)
    assert_allclose(model.intercept_, [y.mean() - X.mean(axis=0) @ w], atol=precision)


def test_a_step_by_hand():
    """Row x = 2, y = 3, from w = 1, b = 0: the residual is 1, so w = (1 - 0.1 * 0.5) + 0.1 * 2, b = 0.1."""
    model = SGDRegressor(alpha=0.5, learning_rate="constant", eta0=0.1, max_iter=1, tol=None)
    model.fit([[2.0]], [3.0], coef_init=[1.0], intercept_init=[0.0])
    assert_allclose(model.coef_, [1.15], rtol=1e-15)
    assert_allclose(model.intercept_, [0.1], rtol=1e-15)
    assert_allclose(model.history_[0].loss, 0.5)


@pytest.mark.parametrize("loss", ["huber", "epsilon_insensitive"])
def test_robust_losses_do_not_follow_an_outlier(loss):
    X, y = two_columns()
    y[:10] += 100
    common = {"random_state": 0, "penalty": None, "tol": None, "max_iter": 300}
    robust = SGDRegressor(loss=loss, **common).fit(X, y)
    squares = SGDRegressor(**common).fit(X, y)
    assert_allclose(robust.coef_, [2, -1], atol=0.1)
    assert_allclose(robust.intercept_, [0.5], atol=0.1)
    assert abs(squares.intercept_[0] - 0.5) > 2


# ---------------------------------------------------------------- the peer

SETTINGS = [
    *({"loss": loss} for loss in LOSSES),
    *({"penalty": penalty} for penalty in ("l1", "elasticnet", None)),
    *({"learning_rate": rate} for rate in ("constant", "adaptive")),
    {"learning_rate": "optimal", "loss": "epsilon_insensitive", "alpha": 0.05},
    *({"learning_rate": rate, "loss": "epsilon_insensitive", "eta0": 0.1} for rate in ("pa1", "pa2")),
    {"average": True},
    {"average": 50},
    {"fit_intercept": False},
    {"shuffle": False},
    {"tol": None, "max_iter": 7},
]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_same_weights_as_scikit_learn(setting, form):
    """Peer: SGDRegressor, scikit-learn 1.9; the same seed gives the same order of the rows.

    Not compared: early_stopping, where the peer scores weights that lack their scale, and the mean of weights under
    an absolute penalty, to which the peer forgets to add the penalty's part.
    """
    X, y = diabetes()
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    common = {"alpha": 0.001, "random_state": 3, **setting}
    ours = SGDRegressor(**common).fit(form(X), y, sample_weight=w)
    peer = Peer(**common).fit(form(X), y, sample_weight=w)
    assert ours.n_iter_ == peer.n_iter_
    assert ours.t_ == peer.t_
    assert ours.coef_.shape == peer.coef_.shape
    assert ours.intercept_.shape == peer.intercept_.shape
    assert_allclose(ours.coef_, peer.coef_, atol=1e-9)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-9)
    assert_allclose(ours.predict(form(X)), peer.predict(form(X)), atol=1e-8)


@pytest.mark.parametrize("average", [False, 30])
def test_partial_fit_as_scikit_learn(average):
    X, y = diabetes()
    ours, peer = SGDRegressor(random_state=0, average=average), Peer(random_state=0, average=average)
    for first in range(0, 400, 100):
        rows = slice(first, first + 100)
        ours.partial_fit(X[rows], y[rows])
        peer.partial_fit(X[rows], y[rows])
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-9, atol=1e-12)
        assert ours.t_ == peer.t_
        if average:
            break  # from the second block on the peer begins at an old constant
    assert len(ours.history_) == (1 if average else 4)


def test_a_warm_start_goes_on():
    X, y = diabetes()
    common = {"warm_start": True, "max_iter": 2, "tol": None, "random_state": 0}
    ours, peer = SGDRegressor(**common), Peer(**common)
    for _ in range(2):
        ours.fit(X, y)
        peer.fit(X, y)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-9)
    assert ours.t_ == 1 + 2 * len(y)


# ---------------------------------------------------------------- its own


def test_early_stopping_scores_the_rows_set_aside():
    X, y = diabetes()
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SGDRegressor(early_stopping=True, random_state=0, max_iter=1, tol=None).fit(X, y, sample_weight=w)
    from sklearn.model_selection import ShuffleSplit

    aside = next(ShuffleSplit(test_size=0.1, random_state=0).split(X))[1]
    expected = r2_score(y[aside], model.predict(X[aside]), sample_weight=w[aside])
    assert_allclose(model.history_[0].score, expected, rtol=1e-10)
    changed = y.copy()
    changed[aside] += 1000
    again = SGDRegressor(early_stopping=True, random_state=0, max_iter=1, tol=None).fit(
        X, changed, sample_weight=w
    )
    assert_array_equal(again.coef_, model.coef_)
    assert SGDRegressor(early_stopping=True, random_state=0).fit(X, y).n_iter_ < 1000


@settings(max_examples=20, deadline=None)
@given(c=st.floats(0.1, 10), seed=st.integers(0, 100))
def test_a_longer_target_makes_longer_weights(c, seed):
    """Squares without penalty: from 0 every step is linear in y."""
    X, y = two_columns(40, seed)
    one, other = (
        SGDRegressor(penalty=None, max_iter=3, tol=None, random_state=seed).fit(X, t) for t in (y, c * y)
    )
    assert_allclose(other.coef_, c * one.coef_, rtol=1e-10)
    assert_allclose(other.intercept_, c * one.intercept_, rtol=1e-10)


def test_it_explains_its_number():
    X, y = two_columns()
    model = SGDRegressor(random_state=0).fit(X, y)
    text = model.explain(X[:1])
    assert_allclose(text.answer, model.predict(X[:1])[0])
    assert "constant" in str(text)


# ---------------------------------------------------------------- awkward tables


def test_columns_of_any_scale_end_in_numbers_or_in_words():
    X, y = two_columns()
    for scale in (1e-12, 1e-6, 1e6, 1e12, 1e200):
        for loss in LOSSES:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                try:
                    model = SGDRegressor(loss, max_iter=20, random_state=0).fit(X * [1, scale], y)
                except DegenerateError as error:
                    assert "Scale the columns" in str(error)
                else:
                    assert np.isfinite(model.coef_).all()


def test_one_row_a_constant_target_and_twins():
    assert np.isfinite(SGDRegressor().fit([[1.0, 2.0]], [3.0]).coef_).all()
    flat = SGDRegressor(random_state=0, early_stopping=True, max_iter=5).fit(np.ones((20, 1)), np.zeros(20))
    assert_array_equal(flat.predict(np.ones((2, 1))), 0.0)
    assert flat.history_[0].score == 1.0
    X, y = two_columns()
    twins = SGDRegressor(random_state=0).fit(X[:, [0, 1, 0]], y)
    assert_allclose(twins.coef_[0], twins.coef_[2], rtol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"loss": "hinge"}, "loss must be one of"),
        ({"learning_rate": "pa2"}, "only works with loss 'epsilon_insensitive'"),
        ({"learning_rate": "optimal", "alpha": 0}, "alpha must be > 0"),
        ({"tol": -1.0}, "tol must be"),
        ({"validation_fraction": 1.0}, "validation_fraction must be"),
        ({"power_t": -1.0}, "power_t must be"),
    ],
)
def test_parameters_that_are_not_accepted(wrong, text):
    with pytest.raises(ParameterError, match=text):
        SGDRegressor(**wrong).fit([[0.0], [1.0]], [0.0, 1.0])


def test_tables_that_are_not_accepted():
    with pytest.raises(DataError, match="one column of numbers"):
        SGDRegressor().fit([[0.0], [1.0]], [[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(DataError, match="non-zero"):
        SGDRegressor().fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[0, 0])
    with pytest.raises(ParameterError, match="early_stopping should be False"):
        SGDRegressor(early_stopping=True).partial_fit([[0.0]], [0.0])


def test_passes_that_end_too_early_are_complained_about():
    X, y = diabetes()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 passes.*Raise max_iter"):
        SGDRegressor(max_iter=1).fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_that_run_away_are_reported(loss):
    """Columns of very different scales: the same weights as the peer's, but not in silence."""
    X, y = two_columns()
    wide = X * [1.0, 1e6]
    with pytest.warns(ConvergenceWarning, match="the steps ran away.*StandardScaler"):
        model = SGDRegressor(loss, random_state=0).fit(wide, y)
    assert_allclose(model.coef_, Peer(loss, random_state=0).fit(wide, y).coef_, rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SGDRegressor(loss, random_state=0).fit(X, y)
