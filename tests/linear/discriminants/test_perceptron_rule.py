"""The textbook's perceptron: orders, starts, rates, ties, batch, mean, and when it stops."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer
from sklearn.model_selection import train_test_split

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.optimize.margin_error import MarginError
from assay.tables.data import load_charity_donors

IRIS, KIND = load_iris(return_X_y=True)
SETOSA_VERSICOLOR = IRIS[:100], KIND[:100]

# The exclusive or, and its image under phi_1 = 2 (x_1 - 0.5), phi_2 = 4 (x_1 - 0.5)(x_2 - 0.5): BC 5.2.2.
XOR, ODD = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
MAPPED = np.array([[-1, 1], [-1, -1], [1, -1], [1, 1]])


def weights(model):
    return np.append(model.intercept_, model.coef_)


def charity():
    table = load_charity_donors()
    return table.X.values / [50, 50_000], table.y


@pytest.mark.capability("LS-03")
@pytest.mark.parametrize("order", ["cyclic", "first"])
def test_iris_by_sign_of_zero_is_positive(order):
    """LS-2: setosa and versicolor, w = (-1, -1.3, -4.1, 5.2, 2.2), 5 updates; 4 passes with the clean one."""
    model = PerceptronRule(order=order, training_tie="positive").fit(*SETOSA_VERSICOLOR)
    assert_allclose(weights(model), [-1, -1.3, -4.1, 5.2, 2.2], atol=1e-12)
    assert model.n_updates_ == 5 and model.converged_
    assert model.n_iter_ == {"cyclic": 4, "first": 6}[order]
    assert model.score(*SETOSA_VERSICOLOR) == 1


@pytest.mark.capability("LS-03")
def test_iris_with_two_columns():
    """LS-2: sepal and petal length, w = (-2, -3.4, 9.1), 10 updates, 6 passes."""
    model = PerceptronRule(training_tie="positive").fit(IRIS[:100, [0, 2]], KIND[:100])
    assert_allclose(weights(model), [-2, -3.4, 9.1], atol=1e-12)
    assert (model.n_updates_, model.n_iter_) == (10, 6)


@pytest.mark.capability("LS-03")
def test_breast_cancer_is_separable_once_standardised():
    """LS-2 and the set-up of C3: 1043 updates, 131 passes, 6 test errors."""
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    model = PerceptronRule(training_tie="positive").fit(X_train, y_train)
    assert model.converged_
    assert model.score(X_train, y_train) == 1
    assert (model.n_updates_, model.n_iter_) == (1043, 131)
    assert (model.predict(X_test) != y_test).sum() == 6


@pytest.mark.capability("BC-19")
@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_mapped_xor_from_zero_in_every_order(order):
    """BC 5.2.2: (0, 0, -2) after 2 updates and 2 epochs, for all 24 orders."""
    model = PerceptronRule(order=np.array(order)).fit(MAPPED, ODD)
    assert_allclose(weights(model), [0, 0, -2], atol=0)
    assert (model.n_updates_, model.n_iter_) == (2, 2)


@pytest.mark.capability("BC-19")
def test_mapped_xor_by_sign_of_zero_takes_three_epochs_in_eight_orders():
    result = [
        PerceptronRule(order=np.array(o), training_tie="positive").fit(MAPPED, ODD)
        for o in permutations(range(4))
    ]
    assert all(model.n_updates_ == 2 for model in result)
    for model in result:
        assert_array_equal(weights(model), [0, 0, -2])
    assert sorted(model.n_iter_ for model in result) == [2] * 16 + [3] * 8


@pytest.mark.capability("BC-19")
@pytest.mark.parametrize(
    ("start", "rate", "expected"),
    [
        ([0, 1, 0], 1.0, [0, -1, -2]),
        ([0, 1, 0], 0.3, [0, 0.4, -0.6]),
        ([0.5, 0.5, 0.5], 0.5, [0, 0, -1]),
    ],
)
def test_mapped_xor_from_other_starts(start, rate, expected):
    model = PerceptronRule(rate, start=start).fit(MAPPED, ODD)
    assert_allclose(weights(model), expected, atol=1e-15)
    assert model.score(MAPPED, ODD) == 1


@pytest.mark.capability("BC-22", "DC-98")
@pytest.mark.parametrize(
    "settings", [{}, {"order": "random", "random_state": 0}, {"batch": True}, {"order": "first"}]
)
def test_xor_never_converges_and_says_so(settings):
    with pytest.warns(
        ConvergenceWarning, match="stopped after 50 epochs with .* mistakes left.*PocketClassifier"
    ):
        model = PerceptronRule(max_iter=50, **settings).fit(XOR, ODD)
    assert not model.converged_ and model.n_iter_ == 50
    assert model.score(XOR, ODD) < 1


@pytest.mark.capability("DC-98")
@pytest.mark.parametrize(("rate", "expected"), [(2.0, [-2, 0.64, 1.24]), (0.2, [-0.2, 0.064, 0.124])])
def test_charity_table(rate, expected):
    """DC 10.7.1: 7 updates, the third epoch is clean; its rule eta (y - z) x is 2 eta y x on mistakes."""
    X, y = charity()
    model = PerceptronRule(rate, training_tie="positive").fit(X, y)
    assert_allclose(weights(model), expected, atol=1e-12)
    assert (model.n_updates_, model.n_iter_) == (7, 3)
    assert model.score(X, y) == 1


@pytest.mark.capability("DC-98")
def test_a_falling_rate_still_separates():
    """With eta / epoch every epoch's weights follow by hand from the rows it corrected."""
    X, y = charity()
    model = PerceptronRule(schedule="inverse", keep=True).fit(X, y)
    assert model.converged_ and model.score(X, y) == 1
    assert [epoch.rate for epoch in model.history_] == [1, 1 / 2, 1 / 3]
    sign, w = np.where(y == model.classes_[1], 1.0, -1.0), np.zeros(3)
    rates = np.repeat([e.rate for e in model.history_], [e.corrections for e in model.history_])
    for i, rate in zip(model.updates_, rates):
        w += rate * sign[i] * np.append(1, X[i])
    assert_allclose(weights(model), w, rtol=1e-12)
    assert_allclose(model.path_[-1], w, rtol=1e-12)


@pytest.mark.capability("LS-04", "BC-20")
def test_batch_updates_are_gradient_descent_on_the_criterion():
    """Each epoch moves by rate times minus the gradient of the perceptron criterion at the weights before."""
    model = PerceptronRule(0.25, batch=True, keep=True, start=[0.1, 0.2, -0.1, 0.3, 0.1]).fit(
        *SETOSA_VERSICOLOR
    )
    error = MarginError(SETOSA_VERSICOLOR[0], 2 * SETOSA_VERSICOLOR[1] - 1, "perceptron")
    assert model.converged_ and len(model.path_) > 3
    for before, after in zip(model.path_, model.path_[1:]):
        assert_allclose(after, before - 0.25 * error.value_gradient(before)[1], rtol=1e-12, atol=1e-12)
    assert error.value_gradient(model.path_[-1])[0] == 0
    assert [e.corrections for e in model.history_][-1] == 0


@pytest.mark.capability("LS-04")
def test_batch_updates_from_zero_count_ties():
    model = PerceptronRule(batch=True).fit(*SETOSA_VERSICOLOR)
    assert model.history_[0].corrections == 100
    assert model.score(*SETOSA_VERSICOLOR) == 1


@pytest.mark.capability("BC-05")
def test_ties():
    """BC 5.2: a score of 0 is the second class, a random one, or none."""
    X, y, edge = [[-1.0], [1.0]], ["a", "b"], [[0.0]] * 200 + [[2.0], [-2.0]]
    made = {
        tie: PerceptronRule(tie=tie, random_state=0).fit(X, y) for tie in ("positive", "random", "reject")
    }
    for model in made.values():
        assert_array_equal(model.decision_function([[0.0]]), [0])
        assert model.predict(edge)[-2:].tolist() == ["b", "a"]
    assert set(made["positive"].predict(edge)[:200]) == {"b"}
    drawn = (made["random"].predict(edge)[:200] == "a").mean()
    assert 0.3 < drawn < 0.7
    assert set(made["reject"].predict(edge)[:200]) == {"reject"}
    numbers = PerceptronRule(tie="reject").fit(X, [0, 1]).predict(edge)
    assert numbers[0] == "reject" and numbers[-2] == 1 and numbers[-1] == 0


def test_a_margin_is_kept():
    narrow = PerceptronRule().fit(*SETOSA_VERSICOLOR)
    wide = PerceptronRule(margin=20.0).fit(*SETOSA_VERSICOLOR)
    signs = 2 * SETOSA_VERSICOLOR[1] - 1
    assert (signs * wide.decision_function(SETOSA_VERSICOLOR[0])).min() > 20
    assert (signs * narrow.decision_function(SETOSA_VERSICOLOR[0])).min() < 20


def test_the_path_is_the_sum_of_the_corrections():
    X, y = SETOSA_VERSICOLOR
    model = PerceptronRule(order="random", random_state=1, keep=True).fit(X, y)
    moves = (2 * y[model.updates_] - 1)[:, None] * np.column_stack(
        [np.ones(model.n_updates_), X[model.updates_]]
    )
    assert_allclose(model.path_, np.vstack([np.zeros(5), np.cumsum(moves, axis=0)]), atol=1e-12)
    assert_allclose(model.path_[-1], weights(model), atol=1e-12)
    assert sum(e.corrections for e in model.history_) == model.n_updates_ == len(model.updates_)


def test_the_mean_of_the_weights():
    """By hand: after the four visits of two epochs the weights are (1, 1), then three times (0, 2)."""
    model = PerceptronRule(average=True, keep=True).fit([[1.0], [-1.0]], ["b", "a"])
    assert_allclose(weights(model), [1 / 4, 7 / 4])
    assert model.updates_.tolist() == [0, 1]


def test_the_mean_is_sound_where_the_walk_is_not():
    X, y = IRIS[50:], KIND[50:]
    model = PerceptronRule(average=True, max_iter=100, order="random", random_state=0).fit(X, y)  # no warning
    assert not model.converged_
    assert model.score(X, y) >= 0.95


def test_the_mean_in_batches():
    model = PerceptronRule(average=True, batch=True, keep=True, rate=0.1).fit(*SETOSA_VERSICOLOR)
    visited = [*model.path_[1:], model.path_[-1]]  # the clean epoch counts
    assert len(visited) == model.n_iter_
    assert_allclose(weights(model), np.mean(visited, axis=0), rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.floats(0.01, 100), st.integers(0, 1000))
def test_from_zero_the_rate_only_scales(rate, seed):
    """LS-2."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (20, 3)) / 4
    y = (X @ [1.0, -2.0, 0.5] + 0.3 > 0) * 1
    if len(set(y)) < 2:
        return
    one, other = (PerceptronRule(r, max_iter=10**5).fit(X, y) for r in (1.0, 2.0 ** np.round(np.log2(rate))))
    assert_allclose(weights(other) / other.rate, weights(one), rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from(["cyclic", "random", "first"]), st.booleans())
def test_separable_rows_are_separated(seed, order, tie):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2))
    score = X @ rng.normal(size=2) + 0.2
    X, y = X[np.abs(score) > 0.2], (score[np.abs(score) > 0.2] > 0) * 1
    if len(set(y)) < 2:
        return
    rule = PerceptronRule(
        order=order, max_iter=10**5, random_state=seed, training_tie="mistake" if tie else "positive"
    )
    assert rule.fit(X, y).score(X, y) == 1


def test_sparse_rows_learn_the_same():
    dense, sparse = (
        PerceptronRule(keep=True).fit(X, KIND[:100]) for X in (IRIS[:100], csr_array(IRIS[:100]))
    )
    assert_allclose(sparse.path_, dense.path_, atol=1e-12)
    assert_array_equal(sparse.predict(csr_array(IRIS[:100])), dense.predict(IRIS[:100]))


@pytest.mark.parametrize("epochs", [1, 3, 20])
def test_same_walk_as_scikit_learn(epochs):
    """Peer: Perceptron, scikit-learn 1.9, in the order of the rows; it corrects where y s <= 0, as we do."""
    for X, y in (SETOSA_VERSICOLOR, (IRIS[50:], KIND[50:]), (IRIS, KIND == 1)):
        peer = Peer(max_iter=epochs, tol=None, shuffle=False).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ours = PerceptronRule(max_iter=epochs).fit(X, y)
        assert_allclose(ours.coef_, peer.coef_, atol=1e-10)
        assert_allclose(ours.intercept_, peer.intercept_, atol=1e-10)


def test_without_a_constant():
    model = PerceptronRule(fit_intercept=False).fit([[1.0, 2.0], [-1.0, -1.0]], [0, 1])
    assert model.intercept_.tolist() == [0] and model.score([[1.0, 2.0], [-1.0, -1.0]], [0, 1]) == 1


def test_nominal_columns_are_expanded():
    import pandas as pd

    X = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "size": [1.0, 2.0, 1.5, 1.0]})
    model = PerceptronRule().fit(X, ["a", "b", "a", "b"])
    assert model.coef_.shape == (1, 3) and model.score(X, ["a", "b", "a", "b"]) == 1


def test_weights_scale_corrections_and_rows_without_weight_do_not_count():
    X, y = np.array([[1.0], [-1.0], [5.0]]), [1, 0, 0]
    model = PerceptronRule(keep=True).fit(X, y, sample_weight=[2.0, 1.0, 0.0])
    assert 2 not in model.updates_
    assert model.predict([[1.0], [-1.0]]).tolist() == [1, 0]
    double = PerceptronRule(max_iter=5, start=[0, -1.0]).fit(X[:2], y[:2], sample_weight=[2.0, 1.0])
    assert_allclose(weights(double), [1, 2])


@pytest.mark.parametrize(
    "X", [np.zeros((4, 2)), np.ones((4, 2)), np.full((4, 1), 1e-12), np.full((4, 1), 1e12)]
)
def test_columns_that_say_nothing(X):
    with pytest.warns(ConvergenceWarning, match="may not be separable"):
        model = PerceptronRule(max_iter=20).fit(X, [0, 1, 0, 1])
    assert np.isfinite(weights(model)).all()


def test_extreme_scales():
    X = SETOSA_VERSICOLOR[0] * [1e-12, 1e12, 1e-12, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(weights(PerceptronRule(max_iter=50).fit(X, SETOSA_VERSICOLOR[1]))).all()


def test_more_or_fewer_classes_are_refused():
    with pytest.raises(DataError, match=r"separates two classes, y has 3\. For more: LogisticRegression"):
        PerceptronRule().fit(IRIS, KIND)
    with pytest.raises(DataError, match="tells two classes apart, y has 1 class"):
        PerceptronRule().fit(IRIS[:10], KIND[:10])


def test_parameters_that_do_not_fit_are_refused():
    for wrong, text in (
        ({"start": [1.0, 2.0]}, "start must hold 5 weights, the constant first, got 2"),
        ({"order": [0, 100]}, "order must hold row numbers from 0 to 99"),
        ({"order": [0.5, 1]}, "order must hold row numbers from 0 to 99"),
        ({"rate": 0.0}, "rate must be a number above 0"),
        ({"tie": "zero"}, "tie must be one of 'positive', 'random', 'reject'"),
    ):
        with pytest.raises(ParameterError, match=text):
            PerceptronRule(**wrong).fit(*SETOSA_VERSICOLOR)


def test_scores_are_no_probabilities():
    assert not hasattr(PerceptronRule().fit(MAPPED, ODD), "predict_proba")


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(DegenerateError, match=r"PerceptronRule: X holds 3e\+300, too large to be squared"):
        PerceptronRule().fit([[1e300], [-2e300], [-3e300]], [0, 1, 1])


def test_the_warning_counts_mistakes_and_weights():
    X, y = [[0.0], [1.0], [2.0], [0.0]], [0, 0, 1, 1]
    with pytest.warns(ConvergenceWarning, match=r"after 2 epochs with \d mistakes? left"):
        PerceptronRule(max_iter=2).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"with mistakes of weight \d+ left"):
        PerceptronRule(max_iter=2).fit(X, y, [4.0, 4.0, 4.0, 4.0])
