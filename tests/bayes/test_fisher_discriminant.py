"""Fisher's discriminant: the books' directions, thresholds and error counts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.bayes import FisherDiscriminant, LinearDiscriminantAnalysis, UnivariateGaussianClassifier
from assay.bayes.fisher_discriminant import most_accurate_cut
from assay.errors import DataError, DegenerateError, ParameterError


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(StandardScaler().fit_transform(X), y, test_size=0.2, random_state=2020)


# Oracle: C3 3.2.2. The book points from class 1 to class 0, we point from the first class to the second.
@pytest.mark.capability("C3-34", "C3-35", "C3-36")
@pytest.mark.parametrize(
    ("within", "start", "means", "threshold", "J", "errors"),
    [
        (
            "sum",
            (-0.38531265, -0.01918484, 0.19595375, 0.15025737, 0.00250163),
            (0.3195341, -0.1939802),
            0.0627769,
            0.0346033561,
            (14, 4),
        ),
        (
            "prior-weighted-scatter",
            (-0.45715822, -0.00936583, 0.14494568, 0.24374305, 0.00454625),
            (0.2756683, -0.1683170),
            0.0536756,
            0.0752677966,
            (19, 4),
        ),
    ],
)
def test_breast_cancer_of_the_book(within, start, means, threshold, J, errors):
    train, test, y_train, y_test = breast_cancer()
    model = FisherDiscriminant(within=within).fit(train, y_train)
    assert_allclose(-model.direction_[:5], start, atol=5e-9)
    assert_allclose(np.linalg.norm(model.direction_), 1)
    assert_allclose(-model.projected_means_, means, atol=5e-8)
    assert_allclose(-model.threshold_, threshold, atol=5e-8)
    assert_allclose(model.criterion_, J, rtol=1e-8)
    wrong = (model.predict(train) != y_train).sum(), (model.predict(test) != y_test).sum()
    assert wrong == errors
    assert_allclose(model.transform(train)[:, 0], train @ model.direction_, rtol=1e-12)


# Oracle: C3 3.2.2: one-dimensional Bayes and 3-NN on the projected axis.
@pytest.mark.capability("C3-37")
@pytest.mark.parametrize(
    ("within", "bayes", "knn"),
    [
        ("sum", (0.9802198, 0.9649123), (0.9890110, 0.9210526)),
        ("prior-weighted-scatter", (0.9846154, 0.9649123), (0.9890110, 0.9298246)),
    ],
)
def test_classifiers_on_the_projected_axis(within, bayes, knn):
    train, test, y_train, y_test = breast_cancer()
    for last, text in ((UnivariateGaussianClassifier(), bayes), (KNeighborsClassifier(3), knn)):
        pipe = make_pipeline(FisherDiscriminant(within=within), last).fit(train, y_train)
        assert_allclose([pipe.score(train, y_train), pipe.score(test, y_test)], text, atol=5e-8)


def versicolor_virginica():
    X, y = load_iris(return_X_y=True)
    return X[y > 0], y[y > 0]


# Oracle: BC 5.2.1: versicolor against virginica. The book's w is the inverse scatter times the difference of means,
# ours the inverse covariance: 100 rows make 100 times as much.
@pytest.mark.capability("BC-12", "BC-14")
def test_iris_direction_and_threshold_of_the_book():
    X, y = versicolor_virginica()
    model = FisherDiscriminant().fit(X, y)
    w = model.coef_[0] / 100
    assert_allclose(w, [-0.0362888, -0.0569247, 0.0711238, 0.1263882], atol=5e-8)
    assert_allclose(model.direction_, [-0.226850, -0.355850, 0.444612, 0.790083], atol=5e-7)
    assert_allclose(model.criterion_, 0.145091, atol=5e-7)
    assert_allclose(model.threshold_ * np.linalg.norm(w), 0.170031, atol=5e-7)
    assert_array_equal((model.predict(X) != y).reshape(2, 50).sum(axis=1), [2, 1])


@pytest.mark.capability("BC-14")
def test_the_gaussian_threshold_makes_it_the_linear_discriminant():
    """Priors move the threshold by their log odds; the posterior is that of equal covariances."""
    X, y = versicolor_virginica()
    X, y = X[:80], y[:80]
    for priors in (None, [0.9, 0.1]):
        model = FisherDiscriminant(threshold="gaussian", priors=priors).fit(X, y)
        peer = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
        assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-10)
        assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
        assert_allclose(model.intercept_, peer.intercept_, rtol=1e-9)
    even = FisherDiscriminant().fit(X, y)
    assert_allclose(
        even.predict_proba(X),
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y).predict_proba(X),
        atol=1e-10,
    )


@pytest.mark.capability("BC-14")
def test_no_threshold_makes_fewer_training_errors_than_the_most_accurate_one():
    train, _, y_train, _ = breast_cancer()
    model = FisherDiscriminant(threshold="accuracy").fit(train, y_train)
    z = model.transform(train)[:, 0]
    candidates = np.sort(z)[:-1] + np.diff(np.sort(z)) / 2
    best = max(((z > t) == y_train).mean() for t in candidates)
    assert (
        model.score(train, y_train) == best > FisherDiscriminant().fit(train, y_train).score(train, y_train)
    )


CHARITY = [
    (21, 37000, 0), (27, 41000, 0), (43, 61000, 1), (38, 55000, 0), (44, 30000, 0), (51, 56000, 1),
    (53, 70000, 1), (56, 74000, 1), (59, 25000, 0), (61, 68000, 1), (63, 51000, 1),
]  # fmt: skip


# Oracle: DC 10.2.1.4, charity scaled as (age / 50, salary / 50000): covariances, so w is the book's as it stands.
@pytest.mark.capability("C3-35", "DC-11", "DC-13")
def test_charity_direction_of_the_book():
    rows = np.array(CHARITY, float)
    X, y = rows[:, :2] / [50, 50000], rows[:, 2].astype(int)
    model = FisherDiscriminant(threshold="accuracy").fit(X, y)
    assert_allclose(model.means_, [[0.756, 0.752], [1.09, 1.266667]], atol=5e-7)
    assert_allclose(model.criterion_ * len(y), 15.540347, atol=5e-7)  # the book's within is a covariance
    assert_allclose(model.coef_[0], [14.392051, 20.855056], atol=5e-7)
    assert_allclose(model.direction_, [0.567980, 0.823042], atol=5e-7)
    z = X @ model.coef_[0]
    assert_allclose([z[y == 0].max(), z[y == 1].min()], [33.8785, 37.8203], atol=5e-5)
    assert_allclose(-model.intercept_, (33.8785 + 37.8203) / 2, atol=1e-4)
    assert model.score(X, y) == 1.0  # 11 of 11


@pytest.mark.capability("DC-11")
def test_least_squares_with_fisher_s_coding_has_the_same_direction():
    """DC 10.2.1.4: responses -11/5 and 11/6 give (-7.220297; 2.965612, 4.297372), and every sign is right."""
    rows = np.array(CHARITY, float)
    X, y = rows[:, :2] / [50, 50000], rows[:, 2].astype(int)
    coded = np.where(y == 1, 11 / 6, -11 / 5)
    b = np.linalg.lstsq(np.column_stack((np.ones(11), X)), coded)[0]
    assert_allclose(b, [-7.220297, 2.965612, 4.297372], atol=5e-7)
    assert_allclose(b[1:] / np.linalg.norm(b[1:]), FisherDiscriminant().fit(X, y).direction_, atol=1e-9)
    assert_array_equal(b[0] + X @ b[1:] > 0, y == 1)


def test_ties_of_accuracy_go_to_the_widest_gap_then_to_the_middle():
    z, y, w = np.array([0.0, 1.0, 2.0, 4.0]), np.array([0, 1, 0, 1]), np.ones(4)
    assert most_accurate_cut(z, y, w) == 3.0  # one error at 0.5 and at 3; the second gap is wider
    assert most_accurate_cut(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 0, 1, 1]), w) == 0.0
    assert (
        most_accurate_cut(np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0, 1, 0, 1]), w) == -0.5
    )  # of equal gaps
    assert most_accurate_cut(np.zeros(4), y, w) == 0.0


def test_weights_mean_repeated_rows():
    X, y = versicolor_virginica()
    w = np.random.default_rng(0).integers(0, 3, 100)
    for threshold in ("midpoint", "gaussian", "accuracy"):
        for within in ("sum", "prior-weighted-scatter"):
            model = FisherDiscriminant(within, threshold)
            weighted = model.fit(X, y, w).decision_function(X)
            assert_allclose(
                weighted, model.fit(np.repeat(X, w, 0), np.repeat(y, w)).decision_function(X), atol=1e-8
            )


@pytest.mark.parametrize("threshold", ["midpoint", "gaussian", "accuracy"])
def test_blocks_give_the_model_of_all_rows(threshold):
    X, y = versicolor_virginica()
    blocks = [(X[i::3], y[i::3]) for i in (2, 0, 1)]
    streamed = FisherDiscriminant(threshold=threshold).fit_blocks(blocks)
    whole = FisherDiscriminant(threshold=threshold).fit(X, y)
    assert_allclose(streamed.coef_, whole.coef_, rtol=1e-10)
    assert_allclose(streamed.threshold_, whole.threshold_, rtol=1e-10)


def test_collinear_columns_change_nothing():
    X, y = versicolor_virginica()
    more = np.column_stack([X, X.sum(axis=1), np.ones(100)])
    assert_allclose(
        FisherDiscriminant().fit(more, y).decision_function(more),
        FisherDiscriminant().fit(X, y).decision_function(X),
        atol=1e-8,
    )


def test_what_cannot_be_done_says_so():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match=r"two classes, y has 3 classes.*LinearDiscriminantAnalysis"):
        FisherDiscriminant().fit(X, y)
    with pytest.raises(DegenerateError, match="no column varies"):
        FisherDiscriminant().fit([[0.0], [0.0], [1.0]], [0, 0, 1])
    with pytest.raises(DegenerateError, match="same mean"):
        FisherDiscriminant().fit([[-1.0], [1.0], [-2.0], [2.0]], [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="twice"):
        FisherDiscriminant(threshold="accuracy").partial_fit(X[50:], y[50:], classes=[1, 2])


def test_rows_beyond_all_reason_are_still_on_one_side():
    X, y = versicolor_virginica()
    model = FisherDiscriminant().fit(X, y)
    far = np.array([[1.7e308, 1.7e308, 1.7e308, 1.7e308], [-1.7e308, 0, 0, 1.7e308], [1.7e308, 0, 0, 0]])
    assert_array_equal(model.predict_proba(far), [[0, 1], [0, 1], [1, 0]])
    assert_array_equal(model.predict(far), [2, 2, 1])


def test_a_score_of_zero_goes_to_the_first_class():
    model = FisherDiscriminant().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    assert_array_equal(model.decision_function([[3.0]]), [0.0])
    assert_array_equal(model.predict([[3.0]]), ["a"])


def test_an_explanation_shows_the_projection():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[y > 0], y[y > 0]
    model = FisherDiscriminant().fit(X, y)
    (section,) = model.explain(X.iloc[[70]]).sections
    assert [row[0] for row in section.rows] == [*X.columns, "sum"]
    assert_allclose(section.rows[-1][3], model.transform(X.iloc[[70]]).item())
    assert "above the threshold" in section.note


def test_a_class_without_weight_has_no_mean():
    X, y = np.array([[0.0], [2.0], [5.0], [6.0]]), np.array(["a", "a", "b", "b"])
    with pytest.raises(DegenerateError, match="class b has no row that weighs anything"):
        FisherDiscriminant().fit(X, y, sample_weight=[1, 1, 0, 0])


def test_parts_may_begin_with_one_class():
    X, y = np.array([[0.0], [2.0], [5.0], [6.0]]), np.array(["a", "a", "b", "b"])
    model = FisherDiscriminant().partial_fit(X[:2], y[:2], classes=["a", "b"])
    with pytest.raises(NotFittedError, match=r"class b has no row.*call partial_fit with more rows"):
        model.predict(X)
    model.partial_fit(X[2:], y[2:])
    assert_allclose(model.direction_, FisherDiscriminant().fit(X, y).direction_)
    assert model.predict(X).tolist() == y.tolist()
