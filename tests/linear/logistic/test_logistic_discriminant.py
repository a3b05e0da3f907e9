"""Logistic discrimination by gradient descent: the books' iterations, step by step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.logistic.logistic_discriminant import LogisticDiscriminant

IRIS, KIND = load_iris(return_X_y=True)
LINE, SIDE = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])  # IML 10.7.1

SEPARABLE = pytest.mark.filterwarnings(
    "ignore:LogisticDiscriminant stopped:sklearn.exceptions.ConvergenceWarning"
)

# Oracle: IML 10.7.1 and 10.8, zero start, eta = 0.1, all rows a step: iteration, (w_0, w_1), E.
CROSS_ENTROPY = [
    (1, [0, 0.2], 2.441789),
    (2, [-0.029418, 0.331582], 2.282511),
    (10, [-0.475217, 0.774329], 1.777725),
    (100, [-3.062424, 2.297564], 0.644839),
    (1000, [-8.157471, 5.606215], 0.121600),
]
SQUARED = [
    (1, [0, 0.05], 0.476135),
    (2, [-0.001959, 0.095386], 0.456476),
    (10, [-0.068116, 0.332899], 0.379663),
    (100, [-1.136924, 1.012421], 0.190394),
    (1000, [-3.920006, 2.728650], 0.043085),
]


@SEPARABLE
@pytest.mark.capability("IML-10-12", "IML-10-21")
@pytest.mark.parametrize(("error", "table"), [("cross_entropy", CROSS_ENTROPY), ("squared_error", SQUARED)])
def test_four_points(error, table):
    wanted = [row[0] for row in table]
    model = LogisticDiscriminant(0.1, error=error, snapshots=wanted, tol=0).fit(LINE, SIDE)
    assert_allclose(model.history_[0].value, 4 * np.log(2) if error == "cross_entropy" else 0.5, rtol=1e-12)
    for iteration, weights, value in table:
        kept = model.history_[iteration]
        assert kept.iteration == iteration
        assert_allclose(kept.weights[0], weights, atol=6e-7)
        assert_allclose(kept.value, value, atol=6e-7)
    assert [h.iteration for h in model.history_ if h.weights is not None] == wanted
    assert model.n_iter_ == 1000 and len(model.history_) == 1001
    assert_allclose([model.intercept_[0], model.coef_[0, 0]], table[-1][1], atol=6e-7)


@SEPARABLE
@pytest.mark.capability("IML-10-12")
def test_the_boundary_moves_to_the_middle():
    """IML 10.7.1: -w_0 / w_1 is 1.332901 after 100 iterations and 1.455076 after 1000."""
    model = LogisticDiscriminant(0.1, snapshots=[100, 1000], tol=0).fit(LINE, SIDE)
    boundary = [-h.weights[0, 0] / h.weights[0, 1] for h in model.history_ if h.weights is not None]
    assert_allclose(boundary, [1.332901, 1.455076], atol=6e-7)


@pytest.mark.capability("IML-10-12")
@pytest.mark.parametrize("rate", ["search", "backtracking", 0.05])
def test_overlapping_points_reach_the_maximum_of_the_likelihood(rate):
    """IML 10.7.1, x = 0 ... 5."""
    X, r = np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]
    model = LogisticDiscriminant(rate, max_iter=20_000, tol=1e-8).fit(X, r)
    assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-3.035069, 1.214028], atol=1e-6)
    assert_allclose(model.history_[-1].value, 2.477987, atol=6e-7)
    fitted = [0.045866, 0.139309, 0.352741, 0.647259, 0.860691, 0.954134]
    assert_allclose(model.predict_proba(X)[:, 1], fitted, atol=6e-7)


@pytest.mark.capability("IML-10-14")
def test_it_stops_when_no_row_is_wrong_any_more():
    model = LogisticDiscriminant(0.1, stop="errors").fit(LINE, SIDE)  # no warning
    errors = [h.errors for h in model.history_]
    assert errors[-1] == 0 and 0 not in errors[:-1]
    assert model.n_iter_ < 100 and model.score(LINE, SIDE) == 1


@pytest.mark.capability("IML-10-14")
def test_it_stops_when_the_errors_have_not_fallen_for_a_while():
    X, y = IRIS[50:], KIND[50:]
    model = LogisticDiscriminant(0.001, stop="errors", patience=25, max_iter=20_000).fit(X, y)
    errors = np.array([h.errors for h in model.history_])
    assert len(errors) - 1 - errors.argmin() == 25
    assert model.n_iter_ < 20_000


@pytest.mark.capability("IML-10-14")
def test_separable_rows_make_the_weights_grow_and_a_warning_says_so():
    with pytest.warns(
        ConvergenceWarning, match="no row being wrong: the classes are separable.*stop='errors'"
    ):
        short = LogisticDiscriminant(0.1, max_iter=200).fit(LINE, SIDE)
    with pytest.warns(ConvergenceWarning):
        long = LogisticDiscriminant(0.1, max_iter=2000).fit(LINE, SIDE)
    assert short.history_[-1].errors == long.history_[-1].errors == 0
    assert long.coef_[0, 0] > 1.5 * short.coef_[0, 0]
    early = LogisticDiscriminant(0.1, stop="errors").fit(LINE, SIDE)
    assert np.linalg.norm(early.coef_) < np.linalg.norm(short.coef_)


@pytest.mark.capability("C3-21")
def test_gradient_descent_is_still_far_after_20000_steps():
    """C3 3.1.3: versicolor and virginica, a = 0.001; the optimum is at 5.949273."""
    with pytest.warns(ConvergenceWarning, match="20000 iterations at E = 8.31775.*Newton"):
        model = LogisticDiscriminant(0.001, max_iter=20_000, tol=1e-6).fit(IRIS[50:], KIND[50:])
    assert_allclose(model.history_[0].value, 69.31471806, atol=1e-8)
    assert_allclose(model.history_[-1].value, 8.31775, atol=5e-6)


# Oracle: IML 10.7.2, six points of three classes, eta = 0.1; rows of W: constant, x_1, x_2.
SIX, THREE = np.array([[0, 0], [1, 0], [0, 1], [2, 0], [0, 2], [-1, -1]]), np.array([1, 2, 3, 2, 3, 1])
STEPS = {
    1: ([[0, -0.166667, -0.166667], [0, 0.233333, -0.066667], [0, -0.066667, 0.233333]], 5.037621),
    2: (
        [
            [0.020904, -0.294256, -0.294256],
            [-0.010452, 0.419173, -0.124917],
            [-0.010452, -0.124917, 0.419173],
        ],
        4.057590,
    ),
    100: (
        [
            [1.401894, -1.898894, -1.898894],
            [-0.700947, 2.799744, -0.900850],
            [-0.700947, -0.900850, 2.799744],
        ],
        0.411243,
    ),
}


@SEPARABLE
@pytest.mark.capability("IML-10-16")
def test_six_points_of_three_classes():
    model = LogisticDiscriminant(0.1, snapshots=list(STEPS), max_iter=100, tol=0).fit(SIX, THREE)
    assert_allclose(model.history_[0].value, 6 * np.log(3), rtol=1e-12)
    for iteration, (weights, value) in STEPS.items():
        kept = model.history_[iteration]
        assert_allclose(kept.weights, weights, atol=6e-7)
        assert_allclose(kept.value, value, atol=6e-7)
        assert_allclose(kept.weights.sum(axis=0), 0, atol=1e-12)  # from zero the columns keep the sum 0
    assert model.score(SIX, THREE) == 1


@SEPARABLE
@pytest.mark.capability("IML-10-20")
def test_an_interval_by_a_squared_column():
    """IML exercise 10.9: C_1 is (2, 4); x and x^2 standardised, 1000 steps of 0.1 suffice; else 5000 do not."""
    x = np.arange(0, 6.5, 0.5)
    inside = ((x > 2) & (x < 4)) * 1
    Z = np.column_stack([x, x**2])
    scaled = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    assert LogisticDiscriminant(0.1, max_iter=1000, tol=0).fit(scaled, inside).score(scaled, inside) == 1
    assert LogisticDiscriminant(0.1, max_iter=5000, tol=0).fit(Z, inside).score(Z, inside) < 1
    g = (np.array([1, 2, 2.5, 3, 4, 5]) - 3) ** 2 - 1
    assert_allclose(g, [3, 0, -0.75, -1, 0, 3])
    assert_allclose(1 / (1 + np.exp(-g)), [0.952574, 0.5, 0.320821, 0.268941, 0.5, 0.952574], atol=6e-7)


@SEPARABLE
@pytest.mark.capability("BC-38")
def test_rates_of_each_class_reach_the_same_optimum():
    """BC 5.3.2: one row at a time, a rate for each class; approaches the optimum of all rows at once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(200, 3))).argmax(axis=1)
    batch = LogisticDiscriminant(max_iter=5000, tol=1e-8).fit(X, y)
    model = LogisticDiscriminant(
        np.array([0.5, 0.25, 0.5]), batch_size=1, schedule="inverse", max_iter=400, random_state=0
    ).fit(X, y)
    assert model.history_[0].value == pytest.approx(200 * np.log(3))
    assert model.history_[-1].value < batch.history_[-1].value + 0.02
    assert_allclose(model.predict_proba(X), batch.predict_proba(X), atol=0.02)


@SEPARABLE
@pytest.mark.capability("BC-38")
def test_rates_multiply_the_steps_of_their_class():
    plain = LogisticDiscriminant(0.1, max_iter=1, snapshots=[1]).fit(SIX, THREE).history_[1].weights
    rates = np.array([0.1, 0.2, 0.05])
    own = LogisticDiscriminant(rates, max_iter=1, snapshots=[1]).fit(SIX, THREE).history_[1].weights
    assert_allclose(own, plain * (rates / 0.1)[:, None], rtol=1e-12)


@SEPARABLE
def test_a_batch_of_all_rows_is_the_whole():
    whole, batch = (
        LogisticDiscriminant(0.05, batch_size=size, max_iter=30, random_state=0).fit(IRIS, KIND)
        for size in (None, 150)
    )
    assert_allclose(batch.coef_, whole.coef_, rtol=1e-9)


@SEPARABLE
@pytest.mark.parametrize("size", [1, 10])
def test_batches_near_the_optimum(size):
    X, y = IRIS[50:, :2] - IRIS[50:, :2].mean(axis=0), KIND[50:]
    best = LogisticDiscriminant().fit(X, y).history_[-1].value
    model = LogisticDiscriminant(0.5, batch_size=size, schedule="inverse", max_iter=200, random_state=0).fit(
        X, y
    )
    assert best < model.history_[-1].value < 1.005 * best


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("rate", ["search", "backtracking"])
def test_same_optimum_as_scikit_learn(load, rate):
    """Peer: LogisticRegression without a penalty, on three standardised columns of which no class is separable.

    Not compared: the weights of single classes, to which any vector may be added.
    """
    X, y = load(return_X_y=True)
    X = X[:, :2] if load is not load_wine else X[:, [3, 4]]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X, y = (X[50:], y[50:]) if load is load_iris else (X, y)
    peer = Peer(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    ours = LogisticDiscriminant(rate, max_iter=20_000, tol=1e-7).fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


def test_squared_error_of_three_classes_uses_sigmoids():
    model = LogisticDiscriminant(error="squared_error", stop="errors", patience=50).fit(IRIS, KIND)
    assert model.link == "sigmoid" and model.score(IRIS, KIND) > 0.8
    assert_allclose(model.predict_proba(IRIS).sum(axis=1), 1)


def test_starts():
    quick = {"stop": "errors", "snapshots": [0]}
    given = LogisticDiscriminant(0.1, start=[[1.0, 2.0]], **quick).fit(LINE, SIDE)
    assert_array_equal(given.history_[0].weights, [[1, 2]])
    drawn = LogisticDiscriminant(0.1, start="random", random_state=0, **quick).fit(LINE, SIDE)
    assert 0 < np.abs(drawn.history_[0].weights).max() <= 0.01
    far = LogisticDiscriminant(0.1, start=[200.0, -300.0], stop="errors").fit(LINE, SIDE)
    assert np.isfinite(far.history_[0].value)


def test_sparse_rows_learn_the_same():
    for extra in ({"rate": "search"}, {"rate": 0.01, "batch_size": 5, "random_state": 0}):
        dense, sparse = (
            LogisticDiscriminant(stop="errors", patience=30, **extra).fit(X, KIND)
            for X in (IRIS, csr_array(IRIS))
        )
        assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-9)


@SEPARABLE
def test_a_row_of_weight_two_is_two_rows():
    X, y = np.vstack([IRIS[50:], IRIS[60:70]]), np.append(KIND[50:], KIND[60:70])
    w = np.ones(100)
    w[10:20] = 2
    settings = {"rate": 0.001, "stop": "errors", "patience": 100}
    once = LogisticDiscriminant(**settings, max_iter=100).fit(IRIS[50:], KIND[50:], sample_weight=w)
    twice = LogisticDiscriminant(**settings, max_iter=100).fit(X, y)
    n = min(once.n_iter_, twice.n_iter_)
    assert_allclose([h.value for h in once.history_[:n]], [h.value for h in twice.history_[:n]], rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_extreme_scales(scale):
    model = LogisticDiscriminant(stop="errors", max_iter=200).fit(LINE * scale - 1.5 * scale, SIDE)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.predict_proba(LINE * scale)).all()
    assert model.score(LINE * scale - 1.5 * scale, SIDE) == 1


@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((4, 2)), np.eye(4, 9)])
def test_columns_that_say_nothing_or_too_much(X):
    model = LogisticDiscriminant(stop="errors").fit(X, [0, 1, 0, 1])
    assert np.isfinite(model.coef_).all()


def test_wrong_words_are_refused():
    for wrong, text in (
        ({"batch_size": 1}, "rate must be a number with batch_size=1; a line search needs all rows"),
        ({"rate": [0.1, 0.2]}, "rate must be one number or 1, one for each output, got 2"),
        ({"start": [[1.0, 2.0, 3.0]]}, "start must be 1 x 2 weights, the constants first, got 1 x 3"),
        ({"error": "hinge"}, "error must be one of 'cross_entropy', 'squared_error'"),
    ):
        with pytest.raises(ParameterError, match=text):
            LogisticDiscriminant(**wrong).fit(LINE, SIDE)
    with pytest.raises(DataError, match="y has 1 class"):
        LogisticDiscriminant().fit(LINE, [1, 1, 1, 1])


def test_without_a_constant():
    model = LogisticDiscriminant(fit_intercept=False, stop="errors").fit(LINE - 1.5, SIDE)
    assert model.intercept_.tolist() == [0] and model.score(LINE - 1.5, SIDE) == 1


def test_explanation_has_the_terms_of_the_log_odds():
    text = str(LogisticDiscriminant(stop="errors").fit(IRIS[50:], KIND[50:]).explain(IRIS[60:61]))
    assert "Terms of the score" in text and "The odds of" in text


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(
        DegenerateError, match=r"LogisticDiscriminant: X holds 3e\+300, too large to be squared"
    ):
        LogisticDiscriminant().fit([[1e300], [-2e300], [-3e300]], [0, 1, 1])


def test_parameters_set_later_do_not_change_the_posterior():
    model = LogisticDiscriminant(tol=10.0).fit(IRIS[:, :2], KIND)
    before = model.predict_proba(IRIS[:5, :2])
    assert_array_equal(model.set_params(error="squared_error").predict_proba(IRIS[:5, :2]), before)


def test_what_a_search_and_a_start_are_not():
    with pytest.raises(ParameterError, match="schedule='inverse' needs a number as rate"):
        LogisticDiscriminant(schedule="inverse").fit(LINE, SIDE)
    for start in ([["a", "b"]], [[np.nan, 0.0]], [[[0.0, 0.0]]], 3):
        with pytest.raises(ParameterError, match="start must be one of 'zero', 'random' or an array"):
            LogisticDiscriminant(start=start).fit(LINE, SIDE)


def test_the_warning_says_why_it_stopped():
    X = IRIS[50:, :2]
    with pytest.warns(ConvergenceWarning, match="no step along the gradient lowers E any more"):
        LogisticDiscriminant().fit(X * 1e140, KIND[50:])
    with pytest.warns(ConvergenceWarning, match=r"with \d errors?, before the gradient was small\. Raise"):
        LogisticDiscriminant(max_iter=2).fit([[0.0], [1.0], [2.0], [3.0], [0.5]], [0, 0, 1, 1, 1])
    with pytest.raises(DegenerateError, match="the rows weigh"):
        LogisticDiscriminant().fit(X, KIND[50:], np.full(100, 1e300))
