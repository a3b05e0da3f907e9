"""Quadratic discriminant analysis: the book's numbers, conics, scikit-learn's answers, singular classes."""

import numpy as np
import pytest
import sklearn.discriminant_analysis
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from assay.bayes import QuadraticDiscriminantAnalysis, SingularCovarianceError
from assay.errors import DegenerateError, ParameterError

T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5.5, T5 at (5, 4), row "different, full"; W, w, w0 as printed there.
@pytest.mark.capability("IML-5-11")
def test_scores_and_coefficients_of_the_book():
    model = QuadraticDiscriminantAnalysis(store_covariance=True).fit(T5, T5_CLASS)
    assert_allclose(model.means_, [[3, 4], [6, 3]])
    assert_allclose(model.covariance_[0], [[2, 2.4], [2.4, 3.2]], rtol=1e-12)
    assert_allclose(model.covariance_[1], [[5 / 3, 5 / 3], [5 / 3, 7 / 3]], rtol=1e-12)
    d = model.discriminants()
    assert_allclose(d.W[0], [[-2.5, 1.875], [1.875, -1.5625]], rtol=1e-10)
    assert_allclose(d.W[1], [[-1.05, 0.75], [0.75, -0.75]], rtol=1e-10)
    assert_allclose(d.w, [[0, 1.25], [8.1, -4.5]], atol=1e-10)
    assert_allclose(d.w0, [-3.0653138, -18.2088161], atol=5e-8)
    g = [-10.565314, -3.958816]
    assert_allclose(d([[5, 4]])[0], g, atol=5e-7)
    assert_allclose(model.predict_joint_log_proba([[5, 4]])[0] + np.log(2 * np.pi), g, atol=5e-7)
    assert_allclose(model.decision_function([[5, 4]]), [g[1] - g[0]], atol=1e-6)
    assert_allclose(model.predict_proba([[5, 4]]), [[0.001350, 0.998650]], atol=5e-7)
    assert_array_equal(model.predict(T5), T5_CLASS)


def cross(s1, s2):
    """Four points with mean 0 and covariance diag(s1, s2)."""
    return np.array([(1, 0), (-1, 0), (0, 1), (0, -1)]) * np.sqrt(2 * np.array([s1, s2]))


def boundary(first, second):
    X, y = np.vstack([cross(*first), cross(*second)]), np.repeat([0, 1], 4)
    return QuadraticDiscriminantAnalysis().fit(X, y)


# Oracle: IML exercise 5.6, two classes at 0 with equal priors: the boundary is a conic about 0.
@pytest.mark.capability("IML-5-21")
def test_conic_boundaries_of_classes_with_the_same_mean():
    circle = boundary((1, 1), (4, 4))
    for angle in np.linspace(0, 6, 7):
        ray = np.array([[np.cos(angle), np.sin(angle)]])
        assert_allclose(circle.decision_function(1.9227025 * ray), 0, atol=1e-7)
    lines = boundary((1, 1), (4, 1))
    assert_allclose(lines.decision_function([[1.3595560, 9.0], [-1.3595560, -2.0]]), 0, atol=1e-7)
    cross_lines = boundary((4, 1), (1, 4))
    assert_allclose(cross_lines.decision_function([[2.0, 2.0], [-3.0, 3.0]]), 0, atol=1e-10)
    nowhere = boundary((1, 1), (1, 1))
    assert_allclose(nowhere.decision_function([[0.0, 0.0], [5.0, 1.0]]), 0, atol=1e-10)


SETTINGS = [
    {},
    {"reg_param": 0.1, "store_covariance": True},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.2, "store_covariance": True},
    {"solver": "eigen", "covariance_estimator": OAS()},
]


@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_same_answers_as_scikit_learn(load, settings, tilted):
    """Peer: QuadraticDiscriminantAnalysis, scikit-learn 1.9.

    Where the peer refuses: digits without regularisation (constant columns) are refused here too; breast cancer
    is refused there because a variance is below 1e-4 in the columns' units, which is no reason here.
    """
    X, y = load(return_X_y=True)
    shares = np.arange(1.0, y.max() + 2)
    priors = shares / shares.sum() if tilted else None
    peer = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(priors=priors, **settings)
    ours = QuadraticDiscriminantAnalysis(priors=priors, **settings)
    try:
        peer.fit(X, y)
    except np.linalg.LinAlgError:
        if load is load_digits:
            with pytest.raises(SingularCovarianceError, match="not full rank"):
                ours.fit(X, y)
        else:
            assert load is load_breast_cancer
            assert ours.fit(X, y).score(X, y) > 0.95
        return
    ours.fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=0, atol=1e-8)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-8, atol=1e-8)
    assert_allclose(ours.means_, peer.means_, rtol=1e-10)
    assert_allclose(ours.priors_, peer.priors_)
    for k in range(len(ours.classes_)):
        assert_allclose(ours.scalings_[k], peer.scalings_[k], rtol=1e-6, atol=1e-10 * peer.scalings_[k][0])
        R = ours.rotations_[k]
        same = (R * ours.scalings_[k]) @ R.T
        theirs = (peer.rotations_[k] * peer.scalings_[k]) @ peer.rotations_[k].T
        assert_allclose(same, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
        if hasattr(peer, "covariance_"):
            assert_allclose(ours.covariance_[k], same, rtol=0, atol=1e-9 * np.abs(same).max())


@pytest.mark.parametrize(
    "settings", [{}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": "auto"}], ids=str
)
def test_weights_mean_repeated_rows(settings):
    """scikit-learn's class takes no weights."""
    X, y = load_wine(return_X_y=True)
    w = np.random.default_rng(3).integers(0, 4, len(y))
    weighted = QuadraticDiscriminantAnalysis(**settings).fit(X, y, w)
    repeated = QuadraticDiscriminantAnalysis(**settings).fit(np.repeat(X, w, 0), np.repeat(y, w))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_units_of_the_columns_do_not_matter():
    """scikit-learn's tolerance is absolute, so it refuses the small units."""
    X, y = load_wine(return_X_y=True)
    units = 10.0 ** np.arange(-6, 7)
    plain = QuadraticDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    assert_allclose(
        QuadraticDiscriminantAnalysis().fit(X * units, y).predict_log_proba(X * units), plain, atol=1e-9
    )


def test_far_from_zero_the_answers_stay():
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 1024) / 1024
    here, there = (
        QuadraticDiscriminantAnalysis().fit(X, y),
        QuadraticDiscriminantAnalysis().fit(X + 2.0**20, y),
    )
    assert_allclose(there.predict_log_proba(X + 2.0**20), here.predict_log_proba(X), rtol=1e-8, atol=1e-8)


def test_singular_classes_are_refused_with_advice():
    X, y = load_iris(return_X_y=True)
    collinear = np.column_stack([X, X[:, 0] - X[:, 1]])
    with pytest.raises(SingularCovarianceError, match=r"class 0 is not full rank \(rank 4 of 5\).*reg_param"):
        QuadraticDiscriminantAnalysis().fit(collinear, y)
    with pytest.raises(np.linalg.LinAlgError, match="shrinkage"):
        QuadraticDiscriminantAnalysis(solver="eigen").fit(np.column_stack([X, np.ones(150)]), y)
    with pytest.raises(SingularCovarianceError, match="has 4 rows, no more than columns"):
        QuadraticDiscriminantAnalysis().fit(X[46:], y[46:])
    for settings in ({"reg_param": 0.01}, {"solver": "eigen", "shrinkage": 0.01}):
        assert QuadraticDiscriminantAnalysis(**settings).fit(collinear, y).score(collinear, y) > 0.95


def test_a_class_with_one_row_needs_regularisation():
    X, y = [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [9.0, 9.0]], [0, 0, 0, 1]
    with pytest.raises(DegenerateError, match="only 1 sample in class 1"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    model = QuadraticDiscriminantAnalysis(reg_param=0.5, store_covariance=True).fit(X, y)
    assert_allclose(model.covariance_[1], 0.5 * np.eye(2))
    assert_array_equal(model.predict(X), y)


def test_one_class_is_an_error():
    with pytest.raises(DegenerateError, match="greater than one"):
        QuadraticDiscriminantAnalysis().fit([[0.0], [1.0]], [1, 1])


def test_a_class_without_weight_is_never_the_answer():
    X, y = np.array([[0.0], [1.0], [9.0], [10.0]]), [0, 0, 1, 1]
    model = QuadraticDiscriminantAnalysis().fit(X, y, sample_weight=[1, 2, 0, 0])
    assert_array_equal(model.predict(X), [0, 0, 0, 0])
    assert_array_equal(model.predict_proba(X)[:, 1], 0)


def test_requests_that_cannot_be_met_say_so():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotImplementedError, match="eigen"):
        QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
    with pytest.raises(ParameterError, match="solver='svd'"):
        QuadraticDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y)
    with pytest.raises(ParameterError, match="Only one of the two"):
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", covariance_estimator=OAS()).fit(X, y)
    with pytest.raises(ParameterError, match="twice"):
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto").partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ParameterError, match="sample_weight"):
        QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS()).fit(X, y, np.ones(150))


def test_an_explanation_adds_up_to_the_score():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    terms, evidence, _ = model.explain(X.iloc[[70]]).sections
    assert [row[0] for row in terms.rows] == ["log prior", "-1/2 log determinant", *X.columns, "sum"]
    assert_allclose(terms.rows[-1][2:], model.decision_function(X.iloc[[70]])[0], rtol=1e-10)
    joint = model.predict_joint_log_proba(X.iloc[[70]])[0]
    assert_allclose(evidence.rows[0][1], np.log(np.exp(joint).sum()), rtol=1e-10)
