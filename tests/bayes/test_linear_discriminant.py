"""Linear discriminant analysis: books' numbers, scikit-learn's answers, collinear columns."""

import numpy as np
import pytest
import sklearn.discriminant_analysis
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.covariance import OAS, LedoitWolf
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.bayes import LinearDiscriminantAnalysis, SingularCovarianceError
from assay.errors import DegenerateError, DegenerateWarning, ParameterError

# Oracle: worked by hand. Means 1 and 5, pooled variance 1, log odds 4 (x - 3).
X, y = np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])
T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_posterior_of_the_worked_example(solver):
    model = LinearDiscriminantAnalysis(solver=solver, store_covariance=True).fit(X, y)
    assert_allclose(model.covariance_, [[1]], rtol=1e-12)
    assert_allclose(model.predict_proba([[3.25]]), [[expit(-1), expit(1)]], rtol=1e-12)
    assert_allclose(model.decision_function([[3.25], [1.0]]), [1, -8], rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(p=st.floats(0.01, 0.99), x=st.floats(2.0, 4.0))
def test_priors_move_the_log_odds_by_their_own_log_odds(p, x):
    even = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y).predict_proba([[x]])
    tilted = LinearDiscriminantAnalysis(priors=[1 - p, p]).fit(X, y).predict_proba([[x]])
    assert_allclose(logit(tilted[0, 1]), logit(even[0, 1]) + logit(p), atol=1e-9)


# Score 0: the decision is predict's, the tie itself stays visible as a score of exactly 0 and equal posteriors.
@pytest.mark.capability("BC-05")
def test_a_score_of_zero_is_a_visible_tie():
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_array_equal(model.decision_function([[3.0]]), [0.0])
    assert_array_equal(model.predict_proba([[3.0]]), [[0.5, 0.5]])
    assert_array_equal(model.predict([[3.0]]), [0])


# Oracle: C3 master table, row 4, printed to the last digit: features standardised over all rows, as there.
@pytest.mark.capability("C3-38")
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_breast_cancer_scores_of_the_book(solver):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    model = LinearDiscriminantAnalysis(solver=solver).fit(train, y_train)
    assert model.score(train, y_train) == 0.9648351648351648
    assert model.score(test, y_test) == 0.9649122807017544
    assert_array_equal(model.predict(test[:2]), [0, 1])


# Oracle: C3 3.2.2, equal priors: 14 and 4 errors, those of Fisher's midpoint.
@pytest.mark.capability("C3-38")
def test_breast_cancer_errors_with_equal_priors():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=2020)
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(train, y_train)
    assert (model.predict(train) != y_train).sum() == 14
    assert (model.predict(test) != y_test).sum() == 4


# Oracle: BC 5.2.1 and C3 3.4.3: Iris eigenvalues, unit directions up to sign, shares.
@pytest.mark.capability("BC-15")
def test_iris_projection_of_the_book():
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.explained_variance_ratio_, [0.9912126, 0.0087874], atol=5e-8)
    Z = model.transform(X)
    gap = np.array([Z[y == k].mean(axis=0) for k in range(3)])
    within = sum(((Z[y == k] - gap[k]) ** 2).sum(axis=0) for k in range(3))
    between = 50 * ((gap - Z.mean(axis=0)) ** 2).sum(axis=0)
    assert_allclose(between / within, [32.191929, 0.285391], atol=5e-7)
    assert_allclose(within, 150, rtol=1e-10)  # unit variance within classes
    unit = model.scalings_ / np.linalg.norm(model.scalings_, axis=0)
    assert_allclose(unit[:, 0], [-0.208742, -0.386204, 0.554012, 0.707350], atol=5e-7)
    assert_allclose(unit[:, 1], [0.006532, 0.586611, -0.252562, 0.769453], atol=5e-7)
    assert Z.shape == (150, 2)  # never more than K - 1, however many columns


@pytest.mark.capability("BC-16")
def test_iris_training_accuracy_of_the_book():
    X, y = load_iris(return_X_y=True)
    assert (LinearDiscriminantAnalysis().fit(X, y).predict(X) == y).sum() == 147


# Oracle: C3 3.4.3, wine: eigenvalues 9.08173944 and 4.12846905.
@pytest.mark.capability("BC-15")
def test_wine_shares_of_the_book():
    model = LinearDiscriminantAnalysis().fit(*load_wine(return_X_y=True))
    values = np.array([9.08173944, 4.12846905])
    assert_allclose(model.explained_variance_ratio_, values / values.sum(), rtol=1e-8)


# Oracle: C3 3.4.3, figure 3-26: min, max, mean, sd of the one coordinate per class, all 569 rows.
@pytest.mark.capability("BC-17")
def test_breast_cancer_projection_of_the_book():
    X, y = load_breast_cancer(return_X_y=True)
    model = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    z = model.transform(X)[:, 0]
    z *= np.sign(z[y == 1].mean())  # the book's sign
    text = {0: (-5.890003, 0.967445, -2.403730, 1.255871), 1: (-1.137127, 3.936314, 1.427425, 0.814559)}
    for k, (low, high, mean, sd) in text.items():
        own = z[y == k]
        assert_allclose([own.min(), own.max(), own.mean(), own.std(ddof=1)], [low, high, mean, sd], atol=2e-6)
    assert_allclose(model.score(X, y), 0.9648506, atol=5e-8)


@pytest.mark.capability("BC-17")
def test_projection_prepares_for_another_classifier():
    X, y = load_wine(return_X_y=True)
    pipe = make_pipeline(LinearDiscriminantAnalysis(), KNeighborsClassifier(3)).fit(X[::2], y[::2])
    assert pipe[:-1].transform(X).shape == (178, 2)
    plain = KNeighborsClassifier(3).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert pipe.score(X[1::2], y[1::2]) > plain + 0.2


# Oracle: IML 5.5, T5 at (5, 4); 5-22 as printed has no determinant, the table keeps it.
@pytest.mark.capability("IML-5-12", "IML-5-21")
def test_shared_covariance_of_the_book():
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(T5, T5_CLASS)
    assert_allclose(model.covariance_, [[20 / 11, 2], [2, 30 / 11]], rtol=1e-12)
    assert_allclose(model.predict_proba([[5, 4]]), [[0.195434, 0.804566]], atol=5e-7)
    table = model.predict_joint_log_proba([[5, 4]])[0] + np.log(2 * np.pi)
    assert_allclose(table, [-6.457012, -5.041932], atol=5e-7)
    printed = table + 0.5 * np.linalg.slogdet(model.covariance_)[1]
    assert_allclose(printed, [-6.478113, -5.063032], atol=5e-7)
    d = model.discriminants()
    assert d.W is None
    assert_allclose(d.w, [[0.189655, 1.327586], [10.810345, -6.827586]], atol=5e-7)
    assert_allclose(d.w0, [-3.7281125, -22.7957910], atol=5e-7)
    _, w, w0 = d.log_odds(1, 2)  # exercise 5.4: g1 - g2
    assert_allclose(w @ [5, 4] + w0, -1.415080, atol=5e-7)
    assert_array_equal(model.predict(T5), T5_CLASS)


@pytest.mark.capability("IML-10-09")
def test_plug_in_discriminant_of_the_book():
    """IML 10.5: rows with means (1, 2) and (3, 1), covariance [[2, .5], [.5, 1]] and shares .3 and .7."""
    from scipy.stats import multivariate_normal

    covariance = np.array([[2, 0.5], [0.5, 1]])
    cross = np.sqrt(2) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) @ np.linalg.cholesky(covariance).T
    X = np.vstack((cross + np.array([1, 2]), cross + np.array([3, 1])))
    y, shares = np.repeat(["C1", "C2"], 4), np.repeat([0.3, 0.7], 4)
    model = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y, sample_weight=shares)
    assert_allclose(-model.coef_[0], [-1.428571, 1.714286], atol=5e-7)  # ours points to C2
    assert_allclose(-model.intercept_, [-0.561584], atol=5e-7)
    p = model.predict_proba([[1.5, 1.5]])[0, 0]
    assert_allclose(p, 0.466796, atol=5e-7)
    a, b = (s * multivariate_normal(m, covariance).pdf([1.5, 1.5]) for s, m in ((0.3, [1, 2]), (0.7, [3, 1])))
    assert_allclose(p, a / (a + b), rtol=1e-9)
    d = model.discriminants()
    assert_allclose(d.w, [[0, 2], [1.428571, 0.285714]], atol=5e-7)
    assert_allclose(d.w0, [-3.203973, -2.642389], atol=5e-7)


@pytest.mark.capability("LS-02")
def test_gaussians_of_equal_covariance_have_the_linear_posterior():
    """Bayes' rule on the fitted densities, by SciPy, is the model's posterior."""
    from scipy.stats import multivariate_normal

    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    p = [multivariate_normal(m, model.covariance_).logpdf(X) for m in model.means_]
    joint = np.column_stack(p) + np.log(model.priors_)
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9)
    posterior = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert_allclose(model.predict_proba(X), posterior / posterior.sum(axis=1, keepdims=True), atol=1e-10)


SETTINGS = [
    {"solver": "svd"},
    {"solver": "svd", "store_covariance": True},
    {"solver": "lsqr"},
    {"solver": "lsqr", "shrinkage": 0.3},
    {"solver": "lsqr", "covariance_estimator": OAS()},
    {"solver": "eigen"},
    {"solver": "eigen", "shrinkage": "auto"},
    {"solver": "eigen", "shrinkage": 0.3, "n_components": 1},
    {"solver": "eigen", "covariance_estimator": LedoitWolf()},
]


@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_same_answers_as_scikit_learn(load, settings, tilted):
    """Peer: LinearDiscriminantAnalysis, scikit-learn 1.9.

    Up to sign: the coordinates of transform. Not compared: "eigen" without shrinkage on digits, whose constant
    columns are an error there and here.
    """
    X, y = load(return_X_y=True)
    shares = np.arange(1.0, y.max() + 2)
    priors = shares / shares.sum() if tilted else None
    ours = LinearDiscriminantAnalysis(priors=priors, **settings)
    if load is load_digits and settings == {"solver": "eigen"}:
        with pytest.raises(SingularCovarianceError, match=r"singular.*svd"):
            ours.fit(X, y)
        return
    peer = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(priors=priors, **settings).fit(X, y)
    ours.fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=0, atol=1e-8)
    assert_array_equal(ours.predict(X), peer.predict(X))
    scale = np.abs(peer.decision_function(X)).max()
    assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=0, atol=1e-8 * scale)
    for name in (
        "means_",
        "priors_",
        "xbar_",
        "coef_",
        "intercept_",
        "covariance_",
        "explained_variance_ratio_",
    ):
        if hasattr(peer, name):
            there = getattr(peer, name)
            assert_allclose(getattr(ours, name), there, rtol=1e-8, atol=1e-8 * np.abs(there).max())
    if settings["solver"] != "lsqr":
        A, B = ours.transform(X), peer.transform(X)
        assert_allclose(A * np.sign(np.sum(A * B, axis=0)), B, rtol=0, atol=1e-8 * np.abs(B).max())


def test_automatic_shrinkage_with_least_squares_is_that_of_the_eigenproblem():
    """Breast cancer, unscaled: scikit-learn's lsqr itself is off by 3e-8 there, so its "eigen" is the peer."""
    X, y = load_breast_cancer(return_X_y=True)
    peer = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(
        X, y
    )
    ours = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=0, atol=1e-10)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("shrinkage", [None, 0.2, "auto"])
def test_weights_mean_repeated_rows(solver, shrinkage):
    """scikit-learn's class takes no weights."""
    if solver == "svd" and shrinkage is not None:
        with pytest.raises(NotImplementedError, match="shrinkage"):
            LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(X, y)
        return
    A, b = load_wine(return_X_y=True)
    w = np.random.default_rng(3).integers(0, 4, len(b))
    weighted = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(A, b, w)
    repeated = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(
        np.repeat(A, w, 0), np.repeat(b, w)
    )
    assert_allclose(weighted.predict_proba(A), repeated.predict_proba(A), atol=1e-10)
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_collinear_and_constant_columns_change_nothing():
    A, b = load_iris(return_X_y=True)
    more = np.column_stack([A, A @ [1.0, 2.0, -1.0, 0.5], np.full(150, 0.1), A[:, 0]])
    plain = LinearDiscriminantAnalysis().fit(A, b)
    for solver in ("svd", "lsqr"):
        model = LinearDiscriminantAnalysis(solver=solver).fit(more, b)
        assert_allclose(model.predict_proba(more), plain.predict_proba(A), atol=1e-9)
    with pytest.raises(SingularCovarianceError, match=r"rank 4 of 7.*give shrinkage"):
        LinearDiscriminantAnalysis(solver="eigen").fit(more, b)


def test_a_column_constant_in_each_class_but_not_over_all_is_left_out():
    """It would separate perfectly, but has no within-class scatter to measure by."""
    A, b = load_iris(return_X_y=True)
    more = np.column_stack([A, b * 0.1])
    plain = LinearDiscriminantAnalysis().fit(A, b)
    with pytest.warns(DegenerateWarning, match="column x4 is constant within each class"):
        model = LinearDiscriminantAnalysis().fit(more, b)
    assert_array_equal(model.coef_[:, 4], 0)
    assert_allclose(model.predict_proba(more), plain.predict_proba(A), atol=1e-12)


def test_classes_that_are_points_are_an_error():
    for solver in ("svd", "lsqr", "eigen"):
        with pytest.raises(DegenerateError, match=r"no column varies within a class.*NearestMean"):
            LinearDiscriminantAnalysis(solver=solver).fit([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    with pytest.raises(DegenerateError, match="number of samples must be more than the number of classes"):
        LinearDiscriminantAnalysis().fit([[0.0], [1.0]], [0, 1])


def test_a_class_with_one_row_shares_the_others_spread():
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit([[0.0], [2.0], [5.0]], [0, 0, 1])
    assert_allclose(model.decision_function([[3.0]]), 0, atol=1e-12)


def test_one_class_is_always_the_answer():
    model = LinearDiscriminantAnalysis().fit([[0.0], [1.0]], ["only", "only"])
    assert_array_equal(model.predict([[7.0]]), ["only"])
    assert_array_equal(model.predict_proba([[7.0]]), [[1.0]])
    assert model.transform([[7.0]]).shape == (1, 0)


def test_equal_means_leave_the_prior():
    model = LinearDiscriminantAnalysis().fit([[-1.0], [1.0], [-2.0], [2.0], [0.0]], [0, 0, 1, 1, 1])
    assert_allclose(model.predict_proba([[3.0]]), [[0.4, 0.6]])


def test_a_class_without_weight_is_never_the_answer():
    model = LinearDiscriminantAnalysis().fit(X, y, sample_weight=[1, 1, 0, 0])
    assert_array_equal(model.predict([[6.0]]), [0])
    assert_array_equal(model.predict_proba([[6.0]]), [[1.0, 0.0]])
    with pytest.raises(DegenerateError, match="no row that weighs anything"):
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y, sample_weight=[1, 1, 0, 0])


def test_far_from_zero_the_answers_stay():
    A, b = load_iris(return_X_y=True)
    A = np.round(A * 1024) / 1024
    here, there = LinearDiscriminantAnalysis().fit(A, b), LinearDiscriminantAnalysis().fit(A + 2.0**20, b)
    assert_allclose(there.predict_log_proba(A + 2.0**20), here.predict_log_proba(A), atol=1e-8)


def test_automatic_shrinkage_streams_but_has_no_partial_fit():
    A, b = load_wine(return_X_y=True)
    blocks = [(A[i::4], b[i::4]) for i in range(4)]
    streamed = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit_blocks(blocks)
    whole = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(A, b)
    assert_allclose(streamed.covariance_, whole.covariance_, rtol=1e-10)
    with pytest.raises(ParameterError, match="twice"):
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").partial_fit(A, b, classes=[0, 1, 2])
    with pytest.raises(ParameterError, match="rows in memory"):
        LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit_blocks(blocks)


def test_requests_that_cannot_be_met_say_so():
    A, b = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=r"n_components cannot be larger than.* = 2, got 3"):
        LinearDiscriminantAnalysis(n_components=3).fit(A, b)
    with pytest.raises(NotImplementedError, match="lsqr"):
        LinearDiscriminantAnalysis(solver="lsqr").fit(A, b).transform(A)
    with pytest.raises(ParameterError, match="Only one of the two"):
        LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1, covariance_estimator=OAS()).fit(A, b)
    with pytest.raises(ParameterError, match="svd solver"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS()).fit(A, b)
    with pytest.raises(ParameterError, match="non-negative"):
        LinearDiscriminantAnalysis(priors=[-0.5, 1.5]).fit(X, y)
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = LinearDiscriminantAnalysis(priors=[1.0, 3.0]).fit(X, y)
    assert_allclose(model.priors_, [0.25, 0.75])


def test_names_of_the_coordinates():
    A, b = load_iris(return_X_y=True, as_frame=True)
    model = LinearDiscriminantAnalysis().set_output(transform="pandas").fit(A, b)
    assert list(model.transform(A).columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


def test_an_explanation_adds_up_to_the_score():
    A, b = load_iris(return_X_y=True, as_frame=True)
    model = LinearDiscriminantAnalysis().fit(A, b)
    terms, _, odds = model.explain(A.iloc[[70]]).sections
    assert [row[0] for row in terms.rows] == ["at the centre", *A.columns, "sum"]
    assert_allclose(terms.rows[-1][2:], model.decision_function(A.iloc[[70]])[0], rtol=1e-10)
    assert_allclose(odds.rows[-1][1], np.ptp(np.sort(terms.rows[-1][2:])[1:]), rtol=1e-9)


def test_a_column_that_gives_the_classes_away_is_named():
    """It has no spread inside the classes, so the discriminant cannot weigh it, as scikit-learn's cannot."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 20)
    X = np.column_stack([rng.normal(size=40), (y == "b").astype(float)])
    with pytest.warns(DegenerateWarning, match="column x1 is constant within each class but differs"):
        LinearDiscriminantAnalysis().fit(X, y)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X, y)
    assert model.score(X, y) == 1.0
