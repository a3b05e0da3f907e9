"""Univariate Gaussians: the book's thresholds, regions and likelihood ratios."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import GaussianNB, UnivariateGaussianClassifier, decision_points
from assay.errors import DegenerateError, ParameterError
from assay.stats import Gaussian
from assay.stats.multivariate.gaussian_thresholds import gaussian_thresholds


def pair(mean, sd):
    """Two points with this mean and, by divisor n, this standard deviation."""
    return [mean - sd, mean + sd]


def fit(means, sds, priors=None, variances="own"):
    X = np.array([x for m, s in zip(means, sds) for x in pair(m, s)])[:, None]
    model = UnivariateGaussianClassifier(priors=priors, variances=variances, var_smoothing=0)
    return model.fit(X, np.repeat(np.arange(1, len(means) + 1), 2))


# Oracle: IML 4.5, equal variances: nearest mean; priors shift towards the less likely class by ln(4) / 4.
@pytest.mark.capability("IML-4-09", "IML-4-10")
@pytest.mark.parametrize("variances", ["own", "shared"])
def test_one_threshold_for_equal_variances(variances):
    assert_allclose(fit([-2, 2], [1, 1], variances=variances).thresholds_, [0], atol=1e-12)
    model = fit([-2, 2], [1, 1], [0.8, 0.2], variances)
    assert_allclose(model.thresholds_, [0.3465735903], atol=5e-11)
    assert_array_equal(model.regions_, [1, 2])


# Oracle: IML 4.5 and exercise 4.4: unequal variances, the narrower class owns the interval between.
@pytest.mark.capability("IML-4-09", "IML-4-10")
@pytest.mark.parametrize(
    ("means", "sds", "priors", "points", "regions"),
    [
        ([-2, 2], [1, 2], [0.5, 0.5], [-6.3265763226, -0.3400903441], [2, 1, 2]),
        ([-2, 2], [1, 2], [0.8, 0.2], [-6.8909011198, 0.2242344532], [2, 1, 2]),
        ([0, 0], [1, 2], [0.5, 0.5], [-1.3595559869, 1.3595559869], [2, 1, 2]),
        ([0, 0.1], [1, 1.2], [0.05, 0.95], [], [2]),
    ],
)
def test_thresholds_of_the_book(means, sds, priors, points, regions):
    model = fit(means, sds, priors)
    assert_allclose(model.thresholds_, points, atol=5e-11)
    assert_array_equal(model.regions_, regions)
    for t in points:
        assert_allclose(model.predict_proba([[t]]), [[0.5, 0.5]], atol=1e-8)


# Oracle: IML figure 4-3: the largest posterior of the narrow class, and the points of posterior 0.8.
@pytest.mark.capability("IML-4-09")
def test_posteriors_of_the_figure():
    model = fit([-2, 2], [1, 2], [0.5, 0.5])
    assert_allclose(model.predict_proba(np.linspace(-5, 0, 5001)[:, None])[:, 0].max(), 0.966425, atol=5e-7)
    assert_allclose(model.predict_proba([[-5.627395], [-1.039272]])[:, 0], 0.8, atol=1e-6)
    assert_allclose(model.predict_proba([[-6.890901], [0.224234]])[:, 1], 0.8, atol=1e-6)


# Oracle: IML exercise 4.5: exp(w1 x + w0) with w1 = (m1 - m2) / s^2 and w0 = (m2^2 - m1^2) / (2 s^2).
@pytest.mark.capability("IML-4-13")
def test_likelihood_ratio_is_log_linear_for_equal_variances():
    model = fit([1, 3], [np.sqrt(2), np.sqrt(2)], [0.3, 0.7], "shared")
    assert_allclose(model.likelihood_ratio([[2.5]]), [0.6065306597], atol=5e-11)
    even = fit([1, 3], [np.sqrt(2), np.sqrt(2)], [0.5, 0.5], "shared")
    W, w, w0 = even.discriminants().log_odds(1, 2)
    assert W is None
    assert_allclose([w[0], w0], [(1 - 3) / 2, (9 - 1) / 4], rtol=1e-12)
    x = np.linspace(-3, 7, 11)
    assert_allclose(np.exp(w[0] * x + w0), even.likelihood_ratio(x[:, None]), rtol=1e-12)


def test_the_ratio_of_own_variances():
    model = fit([-2, 2], [1, 2])
    x = np.array([[0.5], [-4.0]])
    density = [np.exp(-((x - m) ** 2) / (2 * s * s)) / s for m, s in ((-2, 1), (2, 2))]
    assert_allclose(model.likelihood_ratio(x), (density[0] / density[1])[:, 0], rtol=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    means=st.lists(st.integers(-5, 5), min_size=1, max_size=4),
    data=st.data(),
)
def test_regions_agree_with_predictions_everywhere(means, data):
    sds = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=len(means), max_size=len(means)))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(means), max_size=len(means)))
    model = fit(means, sds, np.array(weights) / sum(weights))
    x = np.random.default_rng(0).uniform(-40, 40, 400)
    x = x[np.abs(x[:, None] - model.thresholds_).min(axis=1, initial=np.inf) > 1e-6]
    assert_array_equal(model.regions_[np.searchsorted(model.thresholds_, x)], model.predict(x[:, None]))
    assert (model.regions_[1:] != model.regions_[:-1]).all()


@settings(max_examples=50, deadline=None)
@given(
    m=st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
    s=st.tuples(st.floats(0.2, 4), st.floats(0.2, 4)),
    p=st.floats(0.05, 0.95),
)
def test_two_classes_have_the_thresholds_of_two_gaussians(m, s, p):
    peer = gaussian_thresholds(Gaussian(m[0], s[0] ** 2), Gaussian(m[1], s[1] ** 2), (p, 1 - p))
    # tangents and thresholds beyond all data depend on the last digit
    assume((np.abs(peer.points) < 1e6).all() and (np.diff(peer.points) > 1e-3).all())
    assume(len(peer.points) or abs(peer.b**2 - 4 * peer.a * peer.c) > 1e-6)
    ours, winners = decision_points(m, np.square(s), [p, 1 - p])
    assert_allclose(ours, peer.points, rtol=1e-6, atol=1e-6)
    assert winners.tolist() == [owner for _, _, owner in peer.regions]


def test_three_classes_cut_the_line_three_ways():
    model = fit([-5, 0, 5], [1, 1, 1])
    assert_allclose(model.thresholds_, [-2.5, 2.5], atol=1e-12)
    assert_array_equal(model.regions_, [1, 2, 3])


def test_a_class_that_is_never_best_has_no_region():
    points, winners = decision_points([0, 0], [1, 1], [0.9, 0.1])
    assert len(points) == 0 and winners.tolist() == [0]
    points, winners = decision_points([-1, 1, 9], [1, 1, 1], [0.5, 0.5, 0.0])
    assert_allclose(points, [0], atol=1e-12)
    assert winners.tolist() == [0, 1]


def test_far_from_zero_the_thresholds_move_along():
    here, there = fit([-2, 2], [1, 2]), fit([-2 + 2.0**20, 2 + 2.0**20], [1, 2])
    assert_allclose(there.thresholds_ - 2.0**20, here.thresholds_, atol=1e-8)


def test_estimated_thresholds_approach_the_true_ones():
    """IML exercise 4.6, seeded."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.normal(-2, 1, 200_000), rng.normal(2, 2, 200_000)])
    model = UnivariateGaussianClassifier().fit(x[:, None], np.repeat([0, 1], 200_000))
    assert_allclose(model.thresholds_, [-6.3265763, -0.3400903], atol=0.05)


def test_one_column_of_many_by_name_or_position():
    frame = pd.DataFrame({"age": [1.0, 2, 8, 9], "noise": [5.0, 1, 4, 2]})
    y = [0, 0, 1, 1]
    by_name = UnivariateGaussianClassifier(column="age").fit(frame, y)
    assert_array_equal(by_name.predict(frame[["noise", "age"]]), y)
    alone = GaussianNB().fit(frame[["age"]], y)
    assert_allclose(by_name.predict_proba(frame), alone.predict_proba(frame[["age"]]), rtol=1e-12)
    last = UnivariateGaussianClassifier(column=-1).fit(frame, y)
    assert last.theta_.ravel().tolist() == [3.0, 3.0]
    assert [section.title for section in by_name.explain(frame.head(1)).sections][-1] == "Regions"
    for column in ("height", 2):
        with pytest.raises(ParameterError, match="column must be one of age, noise"):
            UnivariateGaussianClassifier(column=column).fit(frame, y)


def test_a_single_instance_has_no_variance():
    with pytest.raises(DegenerateError, match="variance 0 in class 1"):
        UnivariateGaussianClassifier(var_smoothing=0).fit([[0.0], [2.0], [5.0]], [0, 0, 1])
    shared = UnivariateGaussianClassifier(variances="shared").fit([[0.0], [2.0], [5.0]], [0, 0, 1])
    assert_array_equal(shared.predict([[4.9]]), [1])


def test_a_crossing_beyond_the_floats_is_none():
    points, winners = decision_points([0.0, 5e-324], [1.0, 1.0], [0.85, 0.15])
    assert len(points) == 0 and winners.tolist() == [0]
    points, winners = decision_points([0.0, 0.0], [1.0, 1 + 1e-15], [0.85, 0.15])
    assert winners[len(winners) // 2] == 0
