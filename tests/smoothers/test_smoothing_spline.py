import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import make_smoothing_spline
from sklearn.datasets import load_diabetes, load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers.smoothing_spline import SmoothingSpline

# The table of 8.8 and 8.9; queries .5, 2, 3.25, 6.
TABLE = {
    0.0: [1.737418, 1.5, 4.540847, 7],
    0.1: [1.402782, 2.102311, 4.035524, 6.347870],
    1.0: [1.304888, 2.467855, 3.812479, 6.041767],
    10.0: [1.329030, 2.622262, 3.734271, 5.958840],
}


@pytest.mark.capability("IML-8-32")
@pytest.mark.parametrize("lam", TABLE)
def test_the_table(eight, lam):
    x, r, q = eight
    assert_allclose(SmoothingSpline(lam).fit(x, r).predict(q), TABLE[lam], atol=5e-7)


@pytest.mark.capability("IML-8-32")
def test_the_squared_error_on_the_rows(eight):
    x, r, _ = eight
    errors = [np.sum((SmoothingSpline(lam).fit(x, r).predict(x) - r) ** 2) for lam in (0.1, 1.0, 10.0, 1e6)]
    assert_allclose(errors, [1.652215, 3.295136, 3.969852, 4.208330], atol=5e-7)


def test_the_extremes_are_interpolation_and_the_least_squares_line(eight):
    x, r, q = eight
    line = np.polyval(np.polyfit(x[:, 0], r, 1), np.r_[q[:, 0], -5, 20])
    assert_allclose(SmoothingSpline(0.0).fit(x, r).predict(x), r, rtol=1e-14)
    assert_allclose(SmoothingSpline(1e12).fit(x, r).predict(np.r_[q, [[-5], [20]]]), line, rtol=1e-6)


@pytest.mark.parametrize("lam", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("load", [load_iris, load_diabetes])
def test_same_curve_as_scipy(load, lam):
    """Peer: make_smoothing_spline, SciPy 1.17, which wants distinct rising x: means of equal ones with their counts."""
    X, y = load(return_X_y=True)
    x = X[:, 0] * (1 if load is load_iris else 100)
    y = X[:, 2] * 1.0 if load is load_iris else y
    knots, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(place, y) / counts
    peer = make_smoothing_spline(knots, means, w=counts.astype(float), lam=lam)
    model = SmoothingSpline(lam).fit(x[:, None], y)
    at = np.linspace(knots[0], knots[-1], 50)
    assert_allclose(model.predict(at[:, None]), peer(at), rtol=1e-6)


def test_same_choice_as_scipy():
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 10, 80))
    y = np.sin(x) + random.normal(0, 0.3, 80)
    assert_allclose(
        SmoothingSpline().fit(x[:, None], y).predict(x[:, None]), make_smoothing_spline(x, y)(x), atol=1e-4
    )


def test_the_curve_is_smooth_and_a_line_beyond_the_ends(eight):
    x, r, _ = eight
    model = SmoothingSpline(1.0).fit(x, r)
    step = 1e-4
    for at in (0.0, 3.0, 7.0):
        near = model.predict(at + step * np.array([[-2.0], [-1], [0], [1], [2]]))
        slopes = np.diff(near) / step
        assert_allclose(slopes, slopes[0], atol=1e-3)
    for outside in ([-1.0, -2.0, -3.0], [8.0, 11.0, 14.0]):
        values = model.predict(np.array(outside)[:, None])
        assert_allclose(values[1] - values[0], values[2] - values[1], rtol=1e-10)


@pytest.mark.parametrize("lam", [0.1, 10.0])
def test_leaving_out_in_closed_form_is_leaving_out(eight, lam):
    x, r, _ = eight
    again = [
        SmoothingSpline(lam).fit(np.delete(x, i, 0), np.delete(r, i)).predict(x[[i]])[0] for i in range(8)
    ]
    assert_allclose(SmoothingSpline(lam).fit(x, r).leave_one_out(), again, rtol=1e-9)


def test_a_row_of_weight_two_is_two_rows(waves):
    x, y = waves
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    at = np.linspace(-1, 11, 30)[:, None]
    for way in ("gcv", "loo"):
        once = SmoothingSpline(way).fit(x, y, sample_weight=counts)
        twice = SmoothingSpline(way).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        assert_allclose(once.predict(at), twice.predict(at), rtol=1e-6)
        assert_allclose(once.confidence_band(at).error, twice.confidence_band(at).error, rtol=1e-6)


def test_weights_give_the_estimates_and_the_leverages(waves):
    x, y = waves
    model = SmoothingSpline(2.0).fit(x, y)
    at = np.linspace(-1, 11, 30)[:, None]
    assert_allclose(model.weights(at) @ y, model.predict(at), rtol=1e-8)
    assert_allclose(np.diag(model.weights(x)), model._leverages(np.arange(len(y))), rtol=1e-7)
    assert_allclose(model.degrees_of_freedom(), model.df_, rtol=1e-9)


def test_given_degrees_of_freedom(waves):
    x, y = waves
    assert_allclose(SmoothingSpline(df=6).fit(x, y).df_, 6, rtol=1e-8)
    with pytest.raises(ParameterError, match="distinct x, which is 3"):
        SmoothingSpline(df=5).fit([[1.0], [2.0], [3.0], [3.0]], [1, 2, 3, 4])


@pytest.mark.parametrize("lam", ["gcv", "loo", 0.0, 1.0])
def test_few_rows(lam):
    assert_allclose(SmoothingSpline(lam).fit([[2.0]], [5.0]).predict([[0.0], [9.0]]), [5, 5])
    assert_allclose(SmoothingSpline(lam).fit([[2.0], [2.0]], [5.0, 7.0]).predict([[0.0]]), [6])
    two = SmoothingSpline(lam).fit([[0.0], [1.0]], [5.0, 7.0])
    assert_allclose(two.predict([[0.5], [3.0]]), [6, 11])
    assert_allclose(two.weights([[0.5]]), [[0.5, 0.5]])


def test_several_columns_are_refused_with_the_way_out():
    with pytest.raises(DataError, match=r"one column, X has 2.*AdditiveModel"):
        SmoothingSpline().fit([[1.0, 2.0], [3.0, 4.0]], [1, 2])


class OfTheFirstColumn(SmoothingSpline):
    """The spline of the first column: scikit-learn's checks have more than one."""

    def _learn(self, X, y, w):
        super()._learn(X[:, :1], y, w)

    def _predict(self, X):
        return super()._predict(X[:, :1])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the other columns are not seen
        return tags


@parametrize_with_checks([OfTheFirstColumn()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("unit", [1e-50, 1e-25, 1e25, 1e50])
@pytest.mark.parametrize("how", [{"lam": "gcv"}, {"lam": "loo"}, {"df": 5.0}, {"lam": 0.3}])
def test_the_unit_of_x_changes_nothing(how, unit):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, (60, 1)), axis=0)
    y = np.sin(x[:, 0]) + 0.2 * rng.normal(size=60)
    scaled = {"lam": 0.3 * unit**3} if how == {"lam": 0.3} else how
    one, other = SmoothingSpline(**how).fit(x, y), SmoothingSpline(**scaled).fit(unit * x, y)
    assert 3 < one.df_ < 30
    assert_allclose(other.predict(unit * x), one.predict(x), atol=1e-6)
    assert_allclose(other.weights(unit * x[::7]), one.weights(x[::7]), atol=1e-6)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_x_for_which_no_smoothness_is_a_number_are_refused(unit):
    x, y = np.arange(9.0)[:, None], np.sin(np.arange(9.0))
    with pytest.raises(DegenerateError, match="λ is no number"):
        SmoothingSpline().fit(unit * x, y)
    assert_allclose(
        SmoothingSpline(2 * unit).fit(x, y, np.full(9, unit)).predict(x),
        SmoothingSpline(2.0).fit(x, y).predict(x),
    )


@pytest.mark.parametrize("how", [{"lam": "gcv"}, {"lam": "loo"}, {"df": 5.0}])
def test_weights_that_are_shares_choose_as_rows_do(how):
    x = np.linspace(0, 10, 60)[:, None]
    y = np.sin(x[:, 0]) + 0.1 * np.cos(7 * x[:, 0])
    light, once = SmoothingSpline(**how).fit(x, y, np.full(60, 1 / 60)), SmoothingSpline(**how).fit(x, y)
    assert_allclose(light.predict(x), once.predict(x), rtol=1e-9)


def test_a_penalty_keeps_generalised_cross_validation_from_taking_noise_for_a_curve():
    """Of pure noise with a variance that changes, plain GCV now and then follows single rows (Kim and Gu 2004)."""
    freedom = {1.0: [], 1.4: []}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=(150, 1))
        y = rng.normal(size=150) * np.where(x[:, 0] > 0.5, 5.0, 1.0)
        for penalty, found in freedom.items():
            found.append(SmoothingSpline(penalty=penalty).fit(x, y).df_)
    assert max(freedom[1.0]) > 20 > 10 > max(freedom[1.4])
    assert_allclose(np.median(freedom[1.4]), 2.0, atol=0.01)  # a line
    with pytest.raises(ParameterError, match="penalty"):
        SmoothingSpline(penalty=0.5).fit(x, y)
