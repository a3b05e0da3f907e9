"""What linear classifiers share: scores, planes, distances, regions, and the terms of an answer."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.exceptions import NotFittedError

from assay.core.discriminant import Discriminant
from assay.core.learner import Classifier
from assay.errors import DataError, ParameterError
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.independent_sigmoids import IndependentSigmoids
from assay.linear.logistic.logistic_regression import LogisticRegression


class Soft(LinearClassifier, Classifier):
    """Weights that are given, by softmax."""

    link = "softmax"

    def __init__(self, W=None, b=None):
        self.W, self.b = W, b

    def _learn(self, X, y, w):
        self.coef_, self.intercept_ = np.array(self.W, float), np.array(self.b, float)


class Apart(Soft):
    """The same, each class its own sigmoid."""

    link = "sigmoid"


class Score(LinearClassifier, Discriminant):
    """The same, without probabilities."""

    __init__ = Soft.__init__
    _learn = Soft._learn


THREE = [[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]], [0.0, 0.5, -0.5]


def three(cls=Soft):
    return cls(*THREE).fit(np.eye(3, 2), ["a", "b", "c"])


def two(cls=Soft, W=((3.0, 4.0),), b=(-10.0,)):
    return cls(W, b).fit([[0.0, 0.0], [4.0, 3.0]], ["no", "yes"])


@pytest.mark.capability("IML-10-01")
def test_scores_are_weights_times_row_plus_constant_and_the_largest_wins():
    """IML 10-1: g = W x + w0."""
    model, X = three(), np.random.default_rng(0).normal(size=(50, 2))
    g = X @ np.transpose(THREE[0]) + THREE[1]
    assert_allclose(model.decision_function(X), g, rtol=1e-12)
    assert_array_equal(model.predict(X), np.array(["a", "b", "c"])[g.argmax(axis=1)])
    assert_allclose(model.predict_proba(X), np.exp(g) / np.exp(g).sum(axis=1, keepdims=True), rtol=1e-9)
    assert_allclose(three(Apart).predict_proba(X), expit(g) / expit(g).sum(axis=1, keepdims=True), rtol=1e-9)
    assert_array_equal(three(Score).predict(X), model.predict(X))


@pytest.mark.capability("IML-10-01")
def test_sparse_rows_have_the_same_scores():
    X = np.random.default_rng(0).normal(size=(20, 2)).round()
    for model in (three(), three(Score), two(), two(Apart)):
        assert_allclose(model.decision_function(sp.csr_array(X)), model.decision_function(X), rtol=1e-12)
        assert_array_equal(model.predict(sp.csr_array(X)), model.predict(X))
        assert_allclose(model.project(sp.csr_array(X)), model.project(X), rtol=1e-12)
    assert three().explain(sp.csr_array(X[:1])).answer == three().explain(X[:1]).answer


@pytest.mark.capability("IML-10-05", "BC-06")
def test_distances_and_feet_of_two_classes():
    model = two()
    assert_allclose(model.signed_distance([[4, 3], [0, 0]]), [2.8, -2.0], rtol=1e-12)
    assert_allclose(model.project([[4, 3]]), [[2.32, 0.76]], rtol=1e-12)
    assert_array_equal(model.hyperplane().normal, [3, 4])
    assert_array_equal(model.hyperplane("no").normal, [-3, -4])
    assert model.hyperplane("no").offset == 10 == -model.hyperplane("yes").offset
    assert model.hyperplane("yes", against="no").offset == -10


@pytest.mark.capability("IML-10-05")
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_foot_of_a_row_is_the_nearest_point_with_another_answer(seed):
    """Between the row and its foot the answer stays; at the foot two scores are equal; nowhere else is it nearer."""
    rng = np.random.default_rng(seed)
    model = Soft(rng.normal(size=(4, 2)), rng.normal(size=4)).fit(np.eye(4, 2), [0, 1, 2, 3])
    x = rng.normal(size=(1, 2))
    foot = model.project(x)
    g = np.sort(model.decision_function(foot)[0])
    assert_allclose(g[-1], g[-2], atol=1e-9)
    assert model.predict(x + 0.999 * (foot - x))[0] == model.predict(x)[0]
    angle = np.linspace(0, 2 * np.pi, 400)
    reach = 0.999 * np.linalg.norm(foot - x)
    ring = x + reach * np.column_stack((np.cos(angle), np.sin(angle)))
    assert (model.predict(ring) == model.predict(x)[0]).all()


@pytest.mark.capability("IML-10-07")
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 6), share=st.floats(0.01, 0.99))
def test_regions_are_convex(seed, K, share):
    rng = np.random.default_rng(seed)
    rows = 1 if K == 2 else K
    model = Score(rng.normal(size=(rows, 3)), rng.normal(size=rows)).fit(rng.normal(size=(K, 3)), range(K))
    X = 3 * rng.normal(size=(80, 3))
    text = model.predict(X)
    for k in range(K):
        own = X[text == k]
        if len(own) > 1:
            assert (model.predict(share * own[1:] + (1 - share) * own[:-1]) == k).all()


@pytest.mark.capability("IML-10-01")
def test_weights_by_size_with_their_signs():
    assert two().weights() == [("x1", 4.0), ("x0", 3.0)]
    assert two().weights("no") == [("x1", -4.0), ("x0", -3.0)]
    assert three().weights("b") == [("x0", -1.0), ("x1", 1.0)]
    assert mixed()[0].weights()[0] == ("size", 2.0) and len(mixed()[0].weights()) == 3


def test_planes_of_several_classes():
    model = three()
    assert_allclose(model.hyperplane("a").normal, [2, 0])
    pair = model.hyperplane("a", against="b")
    assert_allclose([*pair.normal, pair.offset], [3, -1, -0.5])
    assert model.signed_distance(np.eye(2)).shape == (2, 3)
    with pytest.raises(ParameterError, match="hyperplane needs label, one of"):
        model.hyperplane()
    with pytest.raises(ParameterError, match=r"label must be one of .* got 'z'"):
        model.hyperplane("z")
    with pytest.raises(ParameterError, match="against must be another class than 'a'"):
        model.hyperplane("a", against="a")


def test_the_plane_of_two_classes_faces_who_is_asked_for():
    model = two()
    assert model.hyperplane("yes") == model.hyperplane("yes", against="no") == model.hyperplane(against="no")
    assert model.hyperplane("no") == model.hyperplane(against="yes") != model.hyperplane("yes")
    with pytest.raises(ParameterError, match="against must be another class than 'yes'"):
        model.hyperplane("yes", against="yes")
    with pytest.raises(ParameterError, match=r"must be one of .* got 'z'"):
        model.hyperplane("yes", against="z")


@pytest.mark.parametrize("cls", [Soft, Apart, Score])
def test_sparse_weights_give_the_same_answers(cls):
    X = np.random.default_rng(0).normal(size=(20, 2)).round()
    for made in (three, two):
        dense, sparse = made(cls), made(cls).sparsify()
        assert sp.issparse(sparse.coef_)
        for rows in (X, sp.csr_array(X)):
            assert_allclose(sparse.decision_function(rows), dense.decision_function(rows), rtol=1e-12)
            assert_array_equal(sparse.predict(rows), dense.predict(rows))
            assert_allclose(sparse.signed_distance(rows), dense.signed_distance(rows), rtol=1e-12)
        assert_allclose(sparse.project(X), dense.project(X), rtol=1e-12)
        assert str(sparse.explain(X[:1])) == str(dense.explain(X[:1]))
        assert np.isfinite(sparse.decision_function(np.full((1, 2), 1.7e308))).all()
        assert_array_equal(sparse.densify().coef_, dense.coef_)
    with pytest.raises(NotFittedError):
        cls().sparsify()


@pytest.mark.parametrize("cls", [Soft, Apart, Score])
def test_huge_numbers_have_answers(cls):
    X = np.array([[1.7e308, 1.7e308], [-1.7e308, 1.7e308], [1.7e308, -1.7e308], [1e-320, 0.0]])
    for model in (three(cls), two(cls), two(cls, [[1e300, -1e300]], [0.0])):
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= set(model.classes_)
        if hasattr(model, "predict_proba"):
            P = model.predict_proba(X)
            assert_allclose(P.sum(axis=1), 1, rtol=1e-12)
            chosen = np.searchsorted(model.classes_, model.predict(X))
            assert_allclose(
                P[np.arange(4), chosen], P.max(axis=1), rtol=1e-12
            )  # two may round to one half each


@pytest.mark.parametrize("cls", [Soft, Apart, Score])
def test_one_class_is_always_the_answer(cls):
    model = cls([[1.0, 2.0]], [0.0]).fit([[1.0, 2.0]], ["only"])
    assert_array_equal(model.predict([[9.0, 9.0], [-9.0, -9.0]]), ["only", "only"])
    if hasattr(model, "predict_proba"):
        assert_array_equal(model.predict_proba([[9.0, 9.0]]), [[1.0]])
    assert model.explain([[9.0, 9.0]]).answer == "only"


def test_weights_of_zero_have_no_plane():
    model = two(W=[[0.0, 0.0]], b=[1.0])
    assert_array_equal(model.predict([[5.0, 5.0]]), ["yes"])
    with pytest.raises(DataError, match="so there is no hyperplane"):
        model.signed_distance([[1.0, 1.0]])
    with pytest.raises(DataError, match="so there is no boundary"):
        model.project([[1.0, 1.0]])
    assert [s.title for s in model.explain([[1.0, 1.0]]).sections] == ["Terms of the score (above 0: yes)"]


def mixed(cls=Soft):
    frame = pd.DataFrame({"size": [1.0, 3.0, 2.0], "kind": ["thin", "wide", "thin"]})
    return cls([[2.0, -1.0, 0.5]], [-1.0]).fit(frame, ["no", "yes", "yes"]), frame


@pytest.mark.capability("IML-10-01")
def test_an_explanation_tells_the_terms_in_the_columns_of_the_table():
    """size 3 times 2, the category wide 0.5, the constant -1: 5.5 = log odds; the number alone moves to the border."""
    model, frame = mixed()
    told = model.explain(frame.iloc[[1]])
    assert told.answer == "yes"
    assert_allclose(told.posterior["yes"], expit(5.5), rtol=1e-12)
    terms, nearest = told.sections
    assert terms.rows == [
        ["size", 3.0, 2.0, 6.0],
        ["kind", "wide", 0.5, 0.5],
        ["constant", "", "", -1.0],
        ["sum", "", "", 5.5],
    ]
    assert terms.note == "The odds of yes against no are exp(5.5) = 244.7 to 1."
    assert model._odds(-800.0, "no", "yes") == "The odds of no against yes are exp(800) > 1e+304 to 1."
    assert nearest.rows == [["size", 3.0, 0.25, -2.75]]
    assert "turn into no, the categories staying as they are" in nearest.note
    moved = pd.DataFrame({"size": [0.25], "kind": ["wide"]})
    assert_allclose(model.decision_function(moved), [0.0], atol=1e-12)
    assert model.explain(frame)[2].answer == "yes" and len(model.explain(frame)) == 3


def test_an_explanation_of_several_classes_compares_the_two_best():
    told = three().explain([[1.0, 0.5]])
    terms = told.sections[0]
    assert terms.columns == ["term", "value", "a", "b", "difference"]
    assert_allclose(terms.rows[-1][2:], [2.0, 0.0, 2.0], atol=1e-12)
    for row in terms.rows:
        assert_allclose(row[-1], row[-3] - row[-2], atol=1e-12)
    foot = {row[0]: row[2] for row in told.sections[1].rows}
    assert_allclose([foot["x0"], foot["x1"]], three().project([[1.0, 0.5]])[0], rtol=1e-12)


def test_scores_without_probabilities_explain_without_odds():
    model, frame = mixed(Score)
    told = model.explain(frame.iloc[[1]])
    assert told.posterior == {} and told.sections[0].note == ""


@pytest.mark.parametrize("learner", [PerceptronRule, IndependentSigmoids, LogisticRegression])
def test_geometry_needs_a_fit(learner):
    model = learner()
    for ask in (
        model.hyperplane,
        model.weights,
        lambda: model.project([[1.0]]),
        lambda: model.signed_distance([[1.0]]),
    ):
        with pytest.raises(NotFittedError):
            ask()
