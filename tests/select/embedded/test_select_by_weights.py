"""Embedded selection by weights at unit variance, and by their significance."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.select import RFE, SelectByLassoPath, SelectByPermutation, SelectBySignificance, SelectByWeights
from assay.svm import LinearSVC

WINE, KIND = load_wine(return_X_y=True)
DIABETES, PROGRESS = load_diabetes(return_X_y=True)


def two_of_ten(n=200, seed=0):
    """Two informative columns, 2 and 7, and eight of noise, in units that differ by nine orders of magnitude."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    z = 1.5 * X[:, 2] - 1.5 * X[:, 7]
    y = rng.random(n) < 1 / (1 + np.exp(-z))
    return X * 10.0 ** rng.integers(-4, 6, 10), y, z + rng.normal(size=n)


@pytest.mark.capability("DC-18")
@pytest.mark.parametrize("estimator", [None, LinearSVC(C=0.1), LogisticRegression(C=0.3)])
def test_the_units_of_the_columns_do_not_change_the_choice(estimator):
    X, y, _ = two_of_ten()
    units = 10.0 ** np.random.default_rng(5).uniform(-6, 6, 10)
    here = SelectByWeights(estimator, threshold=0.5).fit(X, y)
    there = SelectByWeights(estimator, threshold=0.5).fit(X * units + 3 * units, y)
    assert here.selected_ == ["x2", "x7"] == there.selected_
    assert_allclose(here.sizes_, there.sizes_, rtol=1e-6, atol=1e-6)


@pytest.mark.capability("DC-18")
def test_without_unit_variance_the_weights_mean_nothing():
    """The pitfall: the weights of the same learner on the columns as they are rank another column first."""
    X, y, numbers = two_of_ten()
    assert np.argmax(np.abs(Ridge(1e-6).fit(X, numbers).coef_)) not in (2, 7)
    assert SelectByWeights(Ridge(1e-6), n_features=2).fit(X, numbers).selected_ == ["x2", "x7"]


@pytest.mark.capability("DC-19")
def test_noise_goes_first_in_recursive_elimination():
    X, y, numbers = two_of_ten()
    for selector, target in (
        (SelectByWeights(n_features=2, step=1), y),
        (SelectBySignificance(min_features=2), y),
        (SelectBySignificance(min_features=2), numbers),
        (RFE(LogisticRegression(), n_features_to_select=2), y),
    ):
        scaled = X / X.std(axis=0)
        assert_array_equal(selector.fit(scaled, target).get_support(indices=True), [2, 7])
        assert selector.ranking_.max() == 9


@pytest.mark.capability("DC-19")
def test_elimination_stops_at_a_threshold_of_the_weights_or_of_p():
    X, y, numbers = two_of_ten()
    recursive = SelectByWeights(threshold=0.3, step=2).fit(X, y)
    assert recursive.selected_ == ["x2", "x7"]
    least = recursive.sizes_[recursive.support_].min() / recursive.sizes_[recursive.support_].max()
    assert least >= 0.3
    strict = SelectBySignificance(alpha=1e-4).fit(X, y)
    assert strict.selected_ == ["x2", "x7"] and (strict.p_values_[strict.support_] <= 1e-4).all()
    assert SelectBySignificance(alpha=1e-4).fit(X, numbers).selected_ == ["x2", "x7"]


@pytest.mark.capability("DC-20")
def test_the_p_of_a_logistic_weight_is_wald_s():
    """Oracle: statsmodels 0.15.0, Logit with a constant on mean radius and mean texture of the breast cancer data."""
    X, y = load_breast_cancer(return_X_y=True)
    selector = SelectBySignificance().fit(X[:, :2], y)
    assert_allclose(selector.p_values_, [2.07863210e-25, 3.97568331e-09], rtol=1e-6)


@pytest.mark.capability("DC-20")
def test_p_values_of_useless_columns_are_uniform():
    """Of 300 useless columns of least squares about 5 % are below 0.05, within three standard errors."""
    rng = np.random.default_rng(0)
    p = []
    for _ in range(60):
        X = rng.normal(size=(40, 5))
        p.extend(SelectBySignificance(min_features=5).fit(X, rng.normal(size=40)).p_values_)
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 300)


def test_significance_of_least_squares_is_t_and_columns_that_do_not_vary_go():
    X = np.column_stack([DIABETES[:, [2, 0]], np.ones(len(PROGRESS))])
    selector = SelectBySignificance(min_features=2).fit(X, PROGRESS)
    table = LinearRegression().fit(X[:, :2], PROGRESS).summary(X[:, :2], PROGRESS)
    assert_allclose(selector.p_values_, [*table.p_value[1:], 1.0], rtol=1e-9)
    assert_array_equal(selector.support_, [True, True, False])


MIXED = pd.DataFrame(
    {
        "noise": np.random.default_rng(2).normal(size=150),
        "town": np.array(["Bern", "Rome", "Oslo"])[np.arange(150) % 3],
        "size": np.random.default_rng(3).normal(size=150),
    }
)
CLASS = np.where((MIXED["town"] == "Oslo") ^ (np.random.default_rng(4).random(150) < 0.1), "yes", "no")
MIXED_SELECTORS = [
    SelectByWeights(n_features=1), SelectBySignificance(alpha=1e-3), SelectByLassoPath(1),
    SelectByPermutation("logistic"),
]  # fmt: skip


@pytest.mark.parametrize("selector", MIXED_SELECTORS, ids=lambda s: type(s).__name__)
def test_a_nominal_column_is_one_feature(selector, tmp_path):
    selector.fit(MIXED, CLASS)
    assert selector.selected_ == ["town"]
    assert list(selector.transform(MIXED).columns) == ["town"]
    assert len(selector.reasons()) == 3 and "town" in str(selector.show())
    assay.save(selector, tmp_path / "s.assay")
    assert assay.load(tmp_path / "s.assay").selected_ == ["town"]


@pytest.mark.parametrize(
    "selector", [SelectByWeights(threshold=0.4), SelectBySignificance(alpha=0.01), SelectByLassoPath(3)],
    ids=lambda s: type(s).__name__,
)  # fmt: skip
def test_weights_are_repeats(selector):
    w = np.random.default_rng(4).integers(1, 4, len(KIND))
    weighted = selector.fit(WINE[:, :4], KIND, sample_weight=w).get_support().copy()
    repeated = selector.fit(np.repeat(WINE[:, :4], w, axis=0), np.repeat(KIND, w)).get_support()
    assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales_from_one_end_to_the_other(scale):
    X, y, numbers = two_of_ten()
    for selector in (SelectByWeights(n_features=2), SelectByLassoPath(2)):
        assert selector.fit(X * scale, y).selected_ == ["x2", "x7"]
        assert selector.fit(X, numbers * scale).selected_ == ["x2", "x7"]


def test_the_lasso_path_orders_columns_and_stops_by_itself():
    X, y, numbers = two_of_ten(400)
    selector = SelectByLassoPath().fit(X, numbers)
    assert selector.selected_ == ["x2", "x7"] and set(selector.order()[:2]) == {"x2", "x7"}
    assert SelectByLassoPath().fit(X, y).selected_ == ["x2", "x7"]
    noise = np.random.default_rng(9).normal(size=(60, 300))
    assert SelectByLassoPath().fit(noise, np.random.default_rng(8).normal(size=60)).get_support().sum() == 0


def test_more_columns_than_rows_and_several_classes():
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(90, 200)), np.arange(90) % 3
    X[:, 11] += 3 * (codes == 0)
    X[:, 50] += 3 * (codes == 2)
    for selector in (SelectByLassoPath(), SelectByWeights(n_features=2)):
        assert selector.fit(X, np.array(["a", "b", "c"])[codes]).get_support(indices=True).tolist() == [
            11,
            50,
        ]


def test_permutation_keeps_what_is_missed_on_held_out_rows():
    X, y, _ = two_of_ten()
    selector = SelectByPermutation("lda").fit(X, y)
    assert selector.selected_ == ["x2", "x7"]
    assert (selector.low_[selector.support_] > 0).all()


def test_what_is_wrong_is_said():
    X, y, numbers = two_of_ten(40)
    with pytest.raises(ParameterError, match="summary"):
        SelectBySignificance(LinearSVC()).fit(X, y)
    with pytest.raises(DataError, match="only one class"):
        SelectByWeights().fit(X, ["a"] * 40)
    with pytest.raises(DataError, match="make_pipeline"):
        SelectByLassoPath().fit([[1.0, np.nan], [2.0, 1.0], [3.0, 2.0]], [1.0, 2.0, 2.5])
    with pytest.warns(ConvergenceWarning), pytest.raises(DegenerateError, match="separated"):
        SelectBySignificance().fit(np.arange(20.0)[:, None], np.arange(20) >= 10)
    with pytest.raises(DataError, match="no coef_"):
        from assay.bayes import GaussianNB

        SelectByWeights(GaussianNB()).fit(X, y)


@pytest.mark.filterwarnings("ignore:LogisticRegression. The classes are completely separated")
def test_without_p_values_other_ways_are_named():
    """The classes of wine are separated, so that no weight has a standard error."""
    wine = load_wine()
    with pytest.raises(
        DegenerateError, match=r"SelectBySignificance: no p-values .* SelectByLassoPath.*separated"
    ):
        SelectBySignificance().fit(wine.data, wine.target)
