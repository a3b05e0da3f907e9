"""GaussianOutliers: Mahalanobis' distance, plain and robust."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, multivariate_normal
from sklearn.covariance import EllipticEnvelope, MinCovDet
from sklearn.datasets import load_iris, load_wine

from assay.errors import DegenerateError, DegenerateWarning
from assay.outliers.gaussian_outliers import GaussianOutliers
from assay.outliers.robust_covariance import least_determinant


@pytest.mark.capability("IML-8-20", "IML-1-04")
def test_mahalanobis_ranks_the_planted_outlier_first():
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0, 0], [[4, 3.8], [3.8, 4]], 200)
    X[17] = [2.0, -2.0]  # inside of both ranges, against the correlation
    for estimate in ("plain", "robust"):
        model = GaussianOutliers(estimate, random_state=0).fit(X)
        assert int(model.score_samples(X).argmin()) == 17
        assert model.predict(X)[17] == -1


def test_plain_is_the_gaussian_of_all_rows():
    X = load_iris().data
    model = GaussianOutliers("plain").fit(X)
    S = np.cov(X.T, bias=True)
    assert_allclose(model.covariance_, S, rtol=1e-12)
    assert_allclose(model.log_density(X), multivariate_normal(X.mean(axis=0), S).logpdf(X), rtol=1e-9)
    apart = X - X.mean(axis=0)
    assert_allclose(model.mahalanobis(X), np.sum(apart @ np.linalg.inv(S) * apart, axis=1), rtol=1e-9)
    assert_allclose(model.offset_, -chi2.ppf(0.975, 4))


@pytest.mark.parametrize("rows", [load_iris().data[50:100], load_wine().data[:, :5]])
def test_the_least_determinant_is_at_most_that_of_scikit_learn(rows):
    """Peer: MinCovDet, scikit-learn 1.9, whose raw subset has the same size."""
    n, d = rows.shape
    size = (n + d + 1) // 2
    peer = MinCovDet(support_fraction=size / n, random_state=0).fit(rows)
    raw = np.cov(rows[np.argsort(peer.dist_, kind="stable")[:size]].T, bias=True)
    from assay.outliers.robust_covariance import _concentrate

    draw = np.random.RandomState(0)
    ours = min(_concentrate(rows, draw.permutation(n)[: d + 1], size, 100)[0] for _ in range(100))
    assert ours[0] == d and ours[1] <= np.linalg.slogdet(raw)[1] + 1e-9


def test_robust_is_not_moved_by_a_third_of_outliers_and_plain_is():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(90, 3)) * 0.1 + 9])
    robust = GaussianOutliers(random_state=0).fit(X)
    assert_allclose(robust.location_, 0, atol=0.3)
    assert (robust.predict(X)[200:] == -1).all() and np.mean(robust.predict(X)[:200] == 1) > 0.9
    assert not robust.support_[200:].any()
    plain = GaussianOutliers("plain").fit(X)
    assert (plain.predict(X)[200:] == 1).all()  # they hide each other
    peer = EllipticEnvelope(random_state=0, contamination=0.31).fit(X)
    ours = GaussianOutliers(random_state=0, contamination=0.31).fit(X)
    assert_array_equal(ours.predict(X)[200:], peer.predict(X)[200:])


def test_the_robust_estimate_is_right_for_a_gaussian():
    S = np.array([[2.0, 0.6], [0.6, 1.0]])
    X = np.random.default_rng(1).multivariate_normal([1, -1], S, 4000)
    location, covariance, support = least_determinant(X, 2002, 30, np.random.RandomState(0))
    assert_allclose(location, [1, -1], atol=0.1)
    assert_allclose(covariance, S, atol=0.15)
    assert 0.95 < support.mean() < 0.99


def test_a_constant_column_counts_nothing_and_few_rows_are_all_used():
    X = np.column_stack([np.random.default_rng(0).normal(size=60), np.full(60, 7.0)])
    for estimate in ("plain", "robust"):
        model = GaussianOutliers(estimate, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert_allclose(model.offset_, -chi2.ppf(0.975, 1))
    few = GaussianOutliers(random_state=0).fit([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]])
    assert few.support_.all()
    alike = GaussianOutliers(random_state=0).fit(np.ones((9, 2)))
    assert_array_equal(alike.score_samples(np.ones((1, 2))), [0.0])


def test_an_explanation_divides_the_distance_among_the_columns():
    X = np.random.default_rng(0).normal(size=(100, 3))
    model = GaussianOutliers("plain").fit(X)
    text = model.explain([[0.0, 0.0, 9.0]])
    parts = [row[-1] for row in text.sections[1].rows]
    assert text.answer == "outlier" and int(np.argmax(parts)) == 2
    assert_allclose(sum(parts), model.mahalanobis([[0.0, 0.0, 9.0]])[0])


@pytest.mark.parametrize("unit", [1e-100, 1e-7, 1e9, 1e100])
def test_the_unit_of_a_column_changes_nothing(unit):
    X = np.random.default_rng(0).normal(size=(200, 2))
    X[0] = [0, 8]
    scaled = X * [1, unit]
    for estimate in ("plain", "robust"):
        one, other = (GaussianOutliers(estimate, random_state=0).fit(Z) for Z in (X, scaled))
        assert_allclose(other.score_samples(scaled), one.score_samples(X), rtol=1e-9)
        assert_allclose(other.log_density(scaled) + np.log(unit), one.log_density(X), rtol=1e-9)


def test_a_column_that_follows_from_the_others_changes_no_answer():
    X = np.random.default_rng(0).normal(size=(200, 2))
    X[0] = [0, 8]
    alone = GaussianOutliers(random_state=0).fit_predict(X)
    assert_array_equal(GaussianOutliers(random_state=0).fit_predict(np.c_[X, X[:, 0] - X[:, 1]]), alone)


def test_numbers_whose_squares_are_none_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    for unit in (1e-200, 1e200):
        for estimate in ("plain", "robust"):
            with pytest.raises(DegenerateError, match="whose square is no number"):
                GaussianOutliers(estimate, random_state=0).fit(X * [unit, 1])


@pytest.mark.parametrize("estimate", ["plain", "robust"])
def test_a_constant_column_whose_mean_is_rounded_counts_nothing(estimate):
    X = np.random.default_rng(3).normal(size=(61, 2))
    more = np.column_stack([X, np.full(61, 0.1)])
    model = GaussianOutliers(estimate, random_state=0).fit(more)
    assert_allclose(model.covariance_[2], 0, atol=0)
    assert_allclose(model.score_samples(more + np.array([0, 0, 0.2])), model.score_samples(more), rtol=1e-9)


def test_a_plane_that_holds_more_than_half_of_the_rows_is_reported():
    """Of the 50 setosa 29 have petals 0.2 cm wide, so the half with the least determinant is flat."""
    X = load_iris().data[:50]
    with pytest.warns(DegenerateWarning, match="column x3 is 0.2 in 58% of them"):
        model = GaussianOutliers(random_state=0).fit(X)
    on = X[X[:, 3] == 0.2]
    assert_allclose(model.covariance_[3], 0, atol=0)
    squares = model.mahalanobis(on)
    assert_allclose(np.median(squares), chi2.ppf(0.5, 3), rtol=1e-9)  # not stretched by rows off the plane
    assert (GaussianOutliers("plain").fit(X).covariance_.diagonal() > 0).all()
