"""Generators: moments, rates and smallest errors are the ones that were asked for."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from scipy.stats import norm

from assay.errors import ParameterError, SchemaError
from assay.tables import Table
from assay.tables.data import load_apples, load_iris, load_transactions
from assay.tables.generators import (
    attribute_noise,
    insert_missing,
    label_noise,
    make_boolean,
    make_box,
    make_ellipse,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_gaussian_classes,
    make_hidden_attribute,
    make_mixed,
    make_rings,
    make_sinusoid,
    make_steps,
    make_transactions,
    make_used_cars,
    make_xor,
    two_gaussians_error,
)

MAKERS = [
    make_gaussian_classes,
    make_mixed,
    make_xor,
    make_box,
    make_ellipse,
    make_rings,
    make_hidden_attribute,
]


def separable(X, positive):
    """Whether some plane has all positive rows on one side: a linear programme with a solution."""
    sign = np.where(positive, 1.0, -1.0)[:, None]
    A = -sign * np.column_stack([X, np.ones(len(X))])
    answer = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(X)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_rows(make):
    one, two, other = make(50, random_state=7), make(50, random_state=7), make(50, random_state=8)
    assert_array_equal(one.X.values, two.X.values)
    assert_array_equal(one.y, two.y)
    assert not np.array_equal(one.X.values, other.X.values)
    assert len(one) == 50
    assert set(one.y.tolist()) <= set(one.classes)


def test_gaussian_classes_have_their_moments():
    means = np.array([[0.0, 1.0], [4.0, -2.0], [1.0, 1.0]])
    S = np.array([[[2.0, 1.0], [1.0, 1.0]], np.eye(2), [[0.0, 0.0], [0.0, 4.0]]])  # the last is singular
    data = make_gaussian_classes([40_000] * 3, means, S, classes=["a", "b", "c"], random_state=0)
    for k, name in enumerate("abc"):
        rows = data.X.values[data.y == name]
        assert len(rows) == 40_000
        assert_allclose(rows.mean(axis=0), means[k], atol=0.05)
        assert_allclose(np.cov(rows.T), S[k], atol=0.1)
    assert data.bayes_error is None


def test_priors_are_met_on_average():
    data = make_gaussian_classes(40_000, [[0.0], [1.0]], priors=[0.2, 0.8], random_state=1)
    assert_allclose((data.y == 1).mean(), 0.8, atol=0.01)


def error_of(rule, data):
    return float(np.mean(rule(data.X.values) != data.y))


def test_smallest_errors_are_those_of_the_best_rules():
    """A hundred thousand rows: three standard errors of a share are at most 0.005."""
    n, near = 100_000, 0.005
    data = make_gaussian_classes(
        n, [[0.0, 0.0], [1.0, 1.0]], [[2.0, 0.5], [0.5, 1.0]], [0.3, 0.7], random_state=0
    )
    w = np.linalg.solve([[2.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    cut = w @ [0.5, 0.5] + np.log(0.3 / 0.7)
    assert_allclose(error_of(lambda X: (X @ w > cut).astype(int), data), data.bayes_error, atol=near)

    data = make_xor(n, 0.4, random_state=0)
    assert_allclose(
        error_of(lambda X: np.where((X[:, 0] - 0.5) * (0.5 - X[:, 1]) > 0, 1, -1), data),
        data.bayes_error,
        atol=near,
    )

    data = make_hidden_attribute(n, 0.7, random_state=0)
    assert_allclose(error_of(lambda X: np.where(X[:, 0] > 0, "yes", "no"), data), data.bayes_error, atol=near)
    shown = make_hidden_attribute(n, 0.7, show=True, random_state=0)
    assert (
        error_of(lambda X: np.where(X[:, 0] + 0.7 * X[:, 2] > 0, "yes", "no"), shown)
        == shown.bayes_error
        == 0
    )

    nominal = {"c": [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]], "s": [[0.8, 0.2], [0.4, 0.6]]}
    numeric = {"u": [0.0, 1.0], "v": [1.0, 0.5]}
    data = make_mixed(n, nominal, numeric, [0.6, 0.4], random_state=0)

    def naive(X):
        joint = np.log([0.6, 0.4]) + np.zeros((len(X), 2))
        for j, table in enumerate(nominal.values()):
            joint += np.log(np.array(table).T[X[:, j].astype(int)])
        for j, mean in enumerate(numeric.values()):
            joint += norm.logpdf(X[:, [2 + j]], mean, 1)
        return joint.argmax(axis=1)

    assert_allclose(error_of(naive, data), data.bayes_error, atol=near)


def test_mixed_columns_have_their_tables():
    table = [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]
    data = make_mixed([30_000, 30_000], {"c": table}, random_state=0)
    for k in range(2):
        shares = np.bincount(data.X.values[data.y == k, 0].astype(int)) / 30_000
        assert_allclose(shares, table[k], atol=0.01)
    assert_allclose(
        data.bayes_error, 0.5 * (0.1 + 0.3 + 0.1), rtol=1e-12
    )  # by hand: the smaller joint of each cell
    assert data.X.schema["c"].kind == "nominal"


@given(distance=st.floats(0.01, 8), prior=st.floats(0.01, 0.99))
@settings(max_examples=50, deadline=None)
def test_two_gaussians_err_no_more_than_the_prior_and_alike_from_both_sides(distance, prior):
    error = two_gaussians_error(distance, prior)
    assert 0 <= error <= min(prior, 1 - prior) + 1e-12
    assert_allclose(error, two_gaussians_error(distance, 1 - prior), rtol=1e-9, atol=1e-15)
    assert error <= two_gaussians_error(distance / 2, prior) + 1e-12


def test_equal_priors_give_the_tail_of_half_the_distance():
    assert_allclose(two_gaussians_error(2.0), norm.cdf(-1), rtol=1e-12)
    assert two_gaussians_error(0.0, 0.3) == 0.3


@pytest.mark.capability("DC-87")
def test_the_ellipse_of_the_book():
    """Semi-axes 1/sqrt(8) and 1/sqrt(50); squares of the coordinates make 300 points separable."""
    data = make_ellipse(300, random_state=0)
    X, inside = data.X.values, data.y == "yes"
    assert_array_equal(8 * (X[:, 0] - 1) ** 2 + 50 * (X[:, 1] - 2) ** 2 <= 1, inside)
    assert not separable(X, inside)
    assert separable(np.column_stack([X, X**2]), inside)
    dense = make_ellipse(200_000, random_state=1)
    reach = np.abs(dense.X.values[dense.y == "yes"] - [1, 2]).max(axis=0)
    assert_allclose(reach, [0.353553, 0.141421], atol=2e-3)
    share = np.pi * 8**-0.5 * 50**-0.5 / (1.2 * 0.6)
    assert_allclose((dense.y == "yes").mean(), share, atol=0.005)


def test_a_turned_ellipse_needs_the_product_as_well():
    """About the origin, in a square domain, so that scale does not hide the turn."""
    data = make_ellipse(400, (0, 0), (0.9, 0.2), np.pi / 6, ((-1, 1), (-1, 1)), random_state=2)
    X, inside = data.X.values, data.y == "yes"
    assert not separable(np.column_stack([X, X**2]), inside)
    assert separable(np.column_stack([X, X**2, X[:, 0] * X[:, 1]]), inside)
    longest = np.linalg.eigh(np.cov(X[inside].T))[1][:, 1]
    assert_allclose(longest[1] / longest[0], np.tan(np.pi / 6), atol=0.1)  # against the clock


def test_a_box_holds_its_share():
    data = make_box(100_000, random_state=0)
    assert_allclose((data.y == "yes").mean(), 0.09, atol=0.005)
    inside = data.X.values[data.y == "yes"]
    assert inside.min() >= 3
    assert inside.max() <= 6
    assert make_box(20, ((0, 1),) * 3, ((0, 2),) * 3, random_state=0).shape == (20, 3)


def test_rings_have_their_radii():
    data = make_rings(3000, (1, 3, 5), noise=0.05, random_state=0)
    radius = np.hypot(*data.X.values.T)
    assert_array_equal(np.round((radius - 1) / 2), data.y)


@pytest.mark.capability("IML-11-06")
@pytest.mark.parametrize(
    ("function", "truth"),
    [
        ("and", [0, 0, 0, 1]),
        ("or", [0, 1, 1, 1]),
        ("nand", [1, 1, 1, 0]),
        ("nor", [1, 0, 0, 0]),
        ("xor", [0, 1, 1, 0]),
        ("xnor", [1, 0, 0, 1]),
        ("parity", [0, 1, 1, 0]),
        ("not", [1, 0]),
    ],
)
def test_truth_tables(function, truth):
    """IML, Tables 11-1 and 11-2; all but xor and xnor of two inputs are linearly separable."""
    data = make_boolean(function)
    assert data.y.tolist() == truth
    rows = [[0], [1]] if function == "not" else [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert data.X.values.tolist() == rows
    assert separable(data.X.values, data.y == 1) == (function not in ("xor", "xnor", "parity"))


def test_parity_of_many_inputs():
    data = make_boolean("parity", 5)
    assert len(data) == 32
    assert_array_equal(data.y, data.X.values.sum(axis=1) % 2)


@pytest.mark.capability("IML-2-12")
def test_attribute_noise_has_its_moments():
    X = np.tile([10.0, -5.0], (50_000, 1))
    noisy = attribute_noise(X, [0.5, 2.0], random_state=0) - X
    assert_allclose(noisy.mean(axis=0), 0, atol=0.05)
    assert_allclose(noisy.std(axis=0), [0.5, 2.0], rtol=0.02)
    assert_allclose(np.corrcoef(noisy.T)[0, 1], 0, atol=0.02)
    assert_allclose((noisy**3).mean(axis=0) / [0.5**3, 2.0**3], 0, atol=0.1)  # symmetric
    assert_allclose(
        (noisy**4).mean(axis=0) / [0.5**4, 2.0**4], 3, rtol=0.05
    )  # and Gaussian: not uniform, say
    assert_allclose(
        [np.corrcoef(noisy[1:, j], noisy[:-1, j])[0, 1] for j in (0, 1)], 0, atol=0.02
    )  # row by row
    again, other = (attribute_noise(X, [0.5, 2.0], random_state=seed) - X for seed in (0, 1))
    assert_array_equal(again, noisy)
    assert abs(np.corrcoef(other[:, 0], noisy[:, 0])[0, 1]) < 0.02
    assert_array_equal(attribute_noise(X, 0.0, random_state=0), X)


@pytest.mark.capability("IML-2-12")
@pytest.mark.parametrize("K", [2, 3, 5])
def test_teacher_noise_has_its_rate(K):
    y = np.repeat(np.arange(K), 20_000)
    noisy = label_noise(y, 0.3, random_state=0)
    assert_allclose((noisy != y).mean(), 0.3, atol=0.01)
    wrong = noisy[(y == 0) & (noisy != 0)]
    assert_allclose(np.bincount(wrong, minlength=K)[1:] / len(wrong), 1 / (K - 1), atol=0.02)
    for k in range(K):  # at the same rate in every class, and to each other class alike
        became = np.bincount(noisy[y == k], minlength=K) / 20_000
        assert_allclose(became, np.where(np.arange(K) == k, 0.7, 0.3 / (K - 1)), atol=0.015)
    flips = (noisy != y).astype(float)
    assert abs(np.corrcoef(flips[1:], flips[:-1])[0, 1]) < 0.02  # independently of each other
    assert_array_equal(label_noise(y, 0.0), y)
    assert (label_noise(y, 1.0, random_state=0) != y).all()


@pytest.mark.capability("IML-2-12")
def test_a_hidden_attribute_is_noise():
    """The label is a function of all three columns and a coin for those who see two."""
    assert make_hidden_attribute(10, 0.0, random_state=0).bayes_error == 0
    assert_allclose(make_hidden_attribute(10, 1e9, random_state=0).bayes_error, 0.5, atol=1e-6)
    assert make_hidden_attribute(10, random_state=0).feature_names == ["x1", "x2"]
    assert make_hidden_attribute(10, show=True, random_state=0).feature_names == ["x1", "x2", "z"]
    for h in (0.5, 2.0):
        seen = make_hidden_attribute(100_000, h, random_state=0)
        shown = make_hidden_attribute(100_000, h, show=True, random_state=0)
        x1, x2, z = shown.X.values.T
        assert_array_equal(seen.X.values, shown.X.values[:, :2])  # the same rows, a column less
        assert_array_equal(seen.y, shown.y)
        assert_array_equal(shown.y, np.where(x1 + h * z > 0, "yes", "no"))  # no error with all three
        best = np.mean((x1 > 0) != (seen.y == "yes"))  # the sign of x1 is the best rule without z
        assert_allclose(best, np.arctan(h) / np.pi, atol=0.005)
        assert_allclose(seen.bayes_error, np.arctan(h) / np.pi, rtol=1e-12)
        assert_allclose(np.mean((x2 > 0) == (seen.y == "yes")), 0.5, atol=0.01)  # x2 has no part in it
        assert_allclose(np.cov(shown.X.values.T), np.eye(3), atol=0.02)


def test_noise_adds_to_the_smallest_error():
    clean = make_gaussian_classes(100_000, [[0.0], [2.0]], random_state=0)
    noisy = label_noise(clean, 0.2, random_state=1)
    assert_allclose(noisy.bayes_error, 0.2 + 0.6 * clean.bayes_error, rtol=1e-12)
    assert_allclose(error_of(lambda X: (X[:, 0] > 1).astype(int), noisy), noisy.bayes_error, atol=0.005)
    assert label_noise(clean, 0.7, random_state=1).bayes_error is None
    assert attribute_noise(clean, random_state=0).bayes_error is None


def test_noise_leaves_categories_and_missing_values():
    table = Table.of({"v": [1.0, None, 3.0], "c": ["x", "y", None]})
    noisy = attribute_noise(table, random_state=0)
    assert_array_equal(noisy.values[:, 1], table.values[:, 1])
    assert np.isnan(noisy.values[1, 0])
    assert noisy.values[0, 0] != 1.0
    assert isinstance(attribute_noise(pd.DataFrame({"v": [1.0]}), random_state=0), Table)


def test_missing_values_come_at_their_rate_and_where_they_may():
    X = np.zeros((50_000, 3))
    with_missing = insert_missing(X, 0.2, columns=[0, 2], random_state=0)
    assert_allclose(np.isnan(with_missing).mean(axis=0), [0.2, 0, 0.2], atol=0.01)
    assert not np.isnan(X).any()
    apples = insert_missing(load_apples(), 1.0, columns=["taste"], random_state=0)
    assert np.isnan(apples.X.values[:, 2]).all()
    assert not apples.X.complete
    assert insert_missing(load_apples(), 0.0).X.complete


def test_missing_values_can_depend_on_a_column():
    X = np.random.default_rng(0).normal(size=(50_000, 2))
    with_missing = insert_missing(X, 0.3, depends_on=0, random_state=0)
    lost = np.isnan(with_missing)
    assert not lost[:, 0].any()
    assert_allclose(lost[:, 1].mean(), 0.3, atol=0.01)
    order = np.argsort(X[:, 0])
    assert_allclose(lost[order[:5000], 1].mean(), 0.03, atol=0.01)  # the lowest tenth: 0 to 0.06
    assert_allclose(lost[order[-5000:], 1].mean(), 0.57, atol=0.03)


@pytest.mark.capability("IML-3-17")
@pytest.mark.parametrize(("support", "confidence"), [(0.8, 1.0), (0.4, 0.4), (0.1, 1.0), (0.1, 0.125)])
def test_rules_have_the_support_and_confidence_of_the_exercise(support, confidence):
    """IML exercise 3.11, ten transactions."""
    X = make_transactions(10, support, confidence, random_state=0).X.values
    both = (X[:, 0] * X[:, 1]).sum()
    assert both / 10 == support
    assert both / X[:, 0].sum() == confidence


def test_other_items_come_at_their_share():
    data = make_transactions(10_000, 0.1, 0.5, {"milk": 0.3}, random_state=0)
    assert data.feature_names == ["X", "Y", "milk"]
    assert_allclose(data.X.values[:, 2].mean(), 0.3, atol=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_transactions(10, 0.5, 0.4), "do not go together"),
        (lambda: make_transactions(10, 0.25, 0.5), "must be a whole number of baskets"),
        (
            lambda: make_gaussian_classes(5, [[0.0], [1.0]], priors=[0.5, 0.6]),
            "priors must be 2 probabilities",
        ),
        (lambda: make_gaussian_classes([5], [[0.0], [1.0]]), "n gives 1 numbers of rows for 2 classes"),
        (lambda: make_gaussian_classes(5, [[0.0], [1.0]], np.eye(3)), "covariances must be a number"),
        (lambda: make_gaussian_classes(5, [[0.0], [1.0]], -1.0), "without negative eigenvalues"),
        (lambda: make_gaussian_classes(5, [[0.0], [1.0]], classes=["a", "a"]), "2 different names"),
        (lambda: make_mixed(5, {"c": [[0.5, 0.6], [0.5, 0.5]]}), "rows of 'c' must be probabilities"),
        (lambda: make_mixed(5, {"c": [[1.0]]}, {"v": [0, 1]}), "one row of numbers for each class"),
        (lambda: make_xor(5, noise=-1), "noise must be a number from 0 up"),
        (lambda: make_box(5, sides=((0, 1),)), "sides must be 2 pairs"),
        (lambda: make_box(5, domain=((1, 0), (0, 1))), "domain must be pairs"),
        (lambda: make_boolean("maybe"), "function must be one of and, or"),
        (lambda: label_noise([0, 1], 1.5), "rate must be a number from 0 to 1"),
        (lambda: label_noise([0, 0], 0.5), "only one class"),
        (lambda: label_noise(load_transactions()), "has no classes"),
        (lambda: attribute_noise(np.zeros((2, 2)), -1), "sd must be numbers from 0 up"),
        (lambda: insert_missing(np.zeros((2, 2)), 0.7, depends_on=0), "rate must be a number from 0 to 0.5"),
    ],
)
def test_wrong_wishes_are_explained(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_an_unknown_column_is_named():
    with pytest.raises(SchemaError, match="no column 'petals'"):
        insert_missing(load_iris(), 0.1, columns=["petals"])


@pytest.mark.parametrize("name", ["make_friedman1", "make_friedman2", "make_friedman3"])
@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_friedmans_problems_have_the_numbers_of_scikit_learn(name, noise):
    """Peer: sklearn.datasets, scikit-learn 1.9, with the same seed."""
    import sklearn.datasets

    ours = {
        "make_friedman1": make_friedman1,
        "make_friedman2": make_friedman2,
        "make_friedman3": make_friedman3,
    }[name]
    X, y = ours(30, noise=noise, random_state=3)
    peer, target = getattr(sklearn.datasets, name)(30, noise=noise, random_state=3)
    assert_array_equal(X.values, peer)
    assert_allclose(y, target, rtol=1e-14)


def test_the_noise_of_the_sinusoid_grows_as_asked():
    X, r = make_sinusoid(40_000, noise=0.5, growth=2.0, random_state=0)
    x = X.values[:, 0]
    error = (r - 2 * np.sin(1.5 * x)) / (0.5 * (1 + 2.0 * x))
    assert x.min() >= 0 and x.max() <= 5
    assert_allclose([error.mean(), error.std(), error[x > 4].std()], [0, 1, 1], atol=0.02)


def test_steps_have_their_levels():
    X, y = make_steps(500, steps=5, noise=0.0, random_state=0)
    levels = {int(5 * v): level for v, level in zip(X.values[:, 0], y)}
    assert levels == {0: 0.0, 1: -1.0, 2: 2.0, 3: -3.0, 4: 4.0}


def test_used_cars_lose_the_documented_share_of_their_price():
    """Least squares of log(price / new price) finds the documented coefficients."""
    data = make_used_cars(20_000, random_state=1)
    age, mileage, new, fuel = data.X.values.T
    D = np.column_stack([np.ones(len(age)), age, mileage / 1e4, fuel == 1, fuel == 2])
    w, *_ = np.linalg.lstsq(D, np.log(data.y / new), rcond=None)
    assert_allclose(w, [0, -0.12, -0.03, 0.05, -0.1], atol=0.01)
    assert (data.y > 0).all() and "synthetic" in data.name


@pytest.mark.parametrize(
    "make, settings, message",
    [
        (make_friedman1, {"n_features": 4}, "n_features must be at least 5"),
        (make_friedman2, {"noise": -1.0}, "noise must be a number from 0 up"),
        (make_sinusoid, {"growth": -1.0}, "growth must be a number from 0 up"),
        (make_steps, {"steps": 0}, "steps must be a whole number from 1 up"),
        (make_used_cars, {"n": 0}, "the number of rows must be a whole number from 1 up"),
    ],
)
def test_problems_of_numbers_say_what_they_cannot_make(make, settings, message):
    with pytest.raises(ParameterError, match=message):
        make(**settings)
