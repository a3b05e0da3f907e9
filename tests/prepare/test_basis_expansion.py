"""Basis functions under linear learners: the curves that a line can draw."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

import assay
from assay.errors import DataError, ParameterError
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.linear.logistic.logistic_discriminant import LogisticDiscriminant
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.ranking.pairwise_ranker import PairwiseRanker
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.separation.separability import is_linearly_separable
from assay.prepare import StandardScaler
from assay.prepare.bases import Gaussian1D, Log, ObliqueStep, Power, Product, RadialGaussian, Sine, Step
from assay.prepare.basis_expansion import BasisExpansion
from assay.prepare.polynomial_features import PolynomialFeatures
from assay.tables.generators import make_xor

# BC 5.2.2: exclusive or, as printed in the source, and the map under which it is separable.
XOR, SIGNS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])
PHI = [Product((0,), (0.5,), 2), Product((0, 1), (0.5, 0.5), 4)]


@pytest.mark.capability("BC-24")
def test_the_mapped_image_of_xor():
    made = make_xor(100, noise=0.0, random_state=0)
    corners, rows = np.unique(np.column_stack([made.X.values, made.y]), axis=0, return_index=True)
    assert_array_equal(
        corners, np.column_stack([XOR, SIGNS])
    )  # the generator's corners are the source's points
    assert not is_linearly_separable(XOR, SIGNS)
    mapped = BasisExpansion(PHI).fit_transform(XOR)
    assert_array_equal(mapped, [[-1, 1], [-1, -1], [1, -1], [1, 1]])
    assert is_linearly_separable(mapped, SIGNS)


@pytest.mark.capability("BC-23")
@pytest.mark.parametrize(
    ("parameters", "weights"),
    [
        ({}, [0, 0, -2]),
        ({"start": [0, 1, 0]}, [0, -1, -2]),
        ({"start": [0, 1, 0], "rate": 0.3}, [0, 0.4, -0.6]),
        ({"start": [0.5, 0.5, 0.5], "rate": 0.5}, [0, 0, -1]),
    ],
    ids=str,
)
def test_a_perceptron_on_the_mapped_xor(parameters, weights):
    """BC 5.2.2: the weights (w0, w1, w2) in the order of the rows as given; the classes part at (x1-.5)(x2-.5) = 0."""
    model = make_pipeline(BasisExpansion(PHI), PerceptronRule(**parameters)).fit(XOR, SIGNS)
    assert_allclose([*model[-1].intercept_, *model[-1].coef_[0]], weights, atol=1e-12)
    assert_array_equal(model.predict(XOR), SIGNS)


@pytest.mark.capability("BC-23")
@pytest.mark.parametrize(
    "bases",
    [
        [Power(0, 1), Power(1, 1), Product((0, 1))],
        [lambda a, b: a + b, Product((0, 1))],
        [lambda a, b: (a - b) ** 2],
    ],
    ids=["x1, x2, x1 x2", "x1 + x2, x1 x2", "(x1 - x2)^2"],
)
def test_other_maps_that_separate_xor(bases):
    """BC exercise 4."""
    model = make_pipeline(BasisExpansion(bases), PerceptronRule()).fit(XOR, SIGNS)
    assert_array_equal(model.predict(XOR), SIGNS)


@pytest.mark.capability("BC-30")
def test_the_identity_basis_is_the_linear_learner():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    plain = LogisticRegression().fit(X, y)
    through = make_pipeline(BasisExpansion(), LogisticRegression()).fit(X, y)
    assert_array_equal(BasisExpansion().fit_transform(X), X)
    assert_array_equal(through.predict_proba(X), plain.predict_proba(X))


@pytest.mark.capability("IML-5-27")
@settings(max_examples=25, deadline=None)
@given(weights=st.lists(st.floats(-5, 5), min_size=6, max_size=6), seed=st.integers(0, 9))
def test_a_quadratic_without_noise_is_recovered(weights, seed):
    """IML exercise 5-7: z = (x1, x2, x1 x2, x1^2, x2^2) and a constant, six weights."""
    X = np.random.default_rng(seed).uniform(-2, 2, (12, 2))
    x1, x2 = X.T
    r = np.column_stack([np.ones(12), x1, x2, x1**2, x1 * x2, x2**2]) @ weights
    fitted = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression()).fit(X, r)[-1]
    assert_allclose([fitted.intercept_, *fitted.coef_], weights, atol=1e-9)


@pytest.mark.capability("IML-5-27")
def test_arbitrary_functions_are_recovered():
    """IML 5.8: sin x, exp x^2, products; r = 1 + 2 sin x1 - 3 exp(-(x2-1)^2/2) + x1 x2 + 0.5 [x1 > 3] + log x2."""
    random = np.random.default_rng(0)
    X = random.uniform(0.1, 6, (60, 2))
    x1, x2 = X.T
    r = 1 + 2 * np.sin(x1) - 3 * np.exp(-((x2 - 1) ** 2) / 2) + x1 * x2 + 0.5 * (x1 > 3) + np.log(x2)
    r -= 4 * np.exp(-((x1 - 2) ** 2 + (x2 - 3) ** 2) / 2) + (x1 - 2 * x2 > 0)
    bases = [
        Sine(0), Gaussian1D(1, 1, 2), Product((0, 1)), Step(0, 3), Log(1), RadialGaussian((2, 3), 2),
        ObliqueStep((0, 1), (1, -2), 0),
    ]  # fmt: skip
    fitted = make_pipeline(BasisExpansion(bases), LinearRegression()).fit(X, r)[-1]
    assert_allclose([fitted.intercept_, *fitted.coef_], [1, 2, -3, 1, 0.5, 1, -4, -1], atol=1e-9)


@pytest.mark.capability("IML-10-19")
def test_an_interval_is_a_class_of_x_and_its_square():
    """IML exercise 10-9: x = 0, .5, .., 6, class 1 iff 2 < x < 4; standardised, rate .1, 1000 steps suffice."""
    x = np.arange(0, 6.5, 0.5)[:, None]
    y = ((x[:, 0] > 2) & (x[:, 0] < 4)).astype(int)
    steps = (BasisExpansion([Power(0, 1), Power(0, 2)]), StandardScaler())
    exact = make_pipeline(*steps, LogisticRegression(C=1e4)).fit(x, y)
    assert_array_equal(exact.predict(x), y)
    by_steps = make_pipeline(*steps, LogisticDiscriminant(rate=0.1, max_iter=1000, tol=0))
    with pytest.warns(ConvergenceWarning, match="no row being wrong"):
        by_steps.fit(x, y)
    assert_array_equal(by_steps.predict(x), y)
    line = make_pipeline(StandardScaler(), LogisticRegression(C=1e4)).fit(x, y)
    assert (line.predict(x) != y).sum() >= 3  # x alone cannot


@pytest.mark.capability("IML-10-25")
def test_the_middle_of_three_points_ranked_first():
    """IML exercise 10-10: no line ranks it first, a parabola does."""
    x, ranks = np.array([[1.0], [2.0], [3.0]]), np.array([2, 1, 3])  # 1 is best
    scaled = StandardScaler().fit_transform(x)
    line = PairwiseRanker(best="lowest", random_state=0, max_iter=200)
    assert line.fit(scaled, ranks).error_.violated > 0
    bent = BasisExpansion([Power(0, 1), Power(0, 2)]).fit_transform(scaled)
    model = PairwiseRanker(best="lowest", random_state=0).fit(bent, ranks)
    assert_array_equal(np.argsort(-model.predict(bent)), [1, 0, 2])


def test_columns_by_name_also_of_categories():
    frame = pd.DataFrame({"age": [20.0, 40.0], "job": ["none", "baker"]})
    phi = BasisExpansion(
        [Step("age", 30), Product(("age", "job=baker"))], include_bias=True, keep_columns=True
    )
    out = phi.fit_transform(frame)
    names = ["1", "age", "job=baker", "job=none", "1(age > 30)", "age job=baker"]
    assert list(phi.get_feature_names_out()) == names
    assert_array_equal(out, [[1, 20, 0, 1, 0, 0], [1, 40, 1, 0, 1, 40]])
    assert list(phi.set_output(transform="pandas").transform(frame).columns) == names


def test_expansions_are_saved_unless_they_hold_a_function(tmp_path):
    X = np.random.default_rng(0).uniform(1, 2, (5, 2))
    phi = BasisExpansion(
        [Sine(0), RadialGaussian((1.0, 2.0)), ObliqueStep((0, 1), (1.0, 2.0), 3.0), Log(1)]
    ).fit(X)
    assay.save(phi, tmp_path / "phi.assay")
    back = assay.load(tmp_path / "phi.assay")
    assert back.get_params() == phi.get_params()
    assert_array_equal(back.transform(X), phi.transform(X))
    own = BasisExpansion([np.hypot]).fit(X)
    assert_array_equal(pickle.loads(pickle.dumps(own)).transform(X), own.transform(X))
    with pytest.raises(assay.errors.PersistenceError):
        assay.save(own, tmp_path / "own.assay")


def test_what_cannot_be_expanded_is_said():
    with pytest.raises(ParameterError, match="BasisExpansion: bases must be a list of basis functions"):
        BasisExpansion([3]).fit([[1.0]])
    with pytest.raises(DataError, match="bases is empty"):
        BasisExpansion([]).fit([[1.0]])
    with pytest.raises(DataError, match="Sine: there is no column 'z'"):
        BasisExpansion([Sine("z")]).fit([[1.0]])
    with pytest.raises(DataError, match=r"x0\^9 is inf in row 2"):
        BasisExpansion([Power(0, 9)]).fit([[1.0]]).transform([[1.0], [1e50]])
