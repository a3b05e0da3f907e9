"""One member a class: the largest score, or a refusal where not exactly one says yes."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_multilabel_classification,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier as Peer
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import assay
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles.binary_problems import Constant
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.errors import AssayWarning, DataError, ParameterError
from assay.linear import LogisticRegression as OurRegression
from assay.trees import DecisionTreeClassifier

GROUPS = np.array(
    [
        [-2.0, 0.1],
        [-2.1, -0.1],
        [-1.9, 0.0],
        [0.0, 0.1],
        [0.1, -0.1],
        [-0.1, 0],
        [2, 0.1],
        [2.1, -0.1],
        [1.9, 0],
    ]
)
NAMES = np.repeat(["left", "middle", "right"], 3)


def iris_of_the_exercise():
    """Standardised on all rows, split 8:2 by random_state 2020, as the exercise has it."""
    X, y = load_iris(return_X_y=True)
    return train_test_split(StandardScaler().fit_transform(X), y, test_size=0.2, random_state=2020)


def confusion(truth, said, K=3):
    return np.bincount(K * truth + said, minlength=K * K).reshape(K, K)


@pytest.mark.capability("C3-50", "LS-18")
@pytest.mark.parametrize("base", [LogisticRegression(), OurRegression(), None])
def test_iris_of_the_exercise(base):
    """C3 3.5, logistic regression with C=1: train 0.95, test 0.73333, and its confusion of the test rows."""
    X, X_test, y, y_test = iris_of_the_exercise()
    model = OneVsRestClassifier(base).fit(X, y)
    assert_allclose(model.score(X, y), 114 / 120, rtol=1e-12)
    assert_array_equal(confusion(y_test, model.predict(X_test)), [[9, 1, 0], [0, 6, 4], [0, 3, 7]])


@pytest.mark.capability("IML-10-07")
def test_a_row_is_refused_where_none_or_several_say_yes():
    X, y = load_iris(return_X_y=True)
    model = OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject").fit(X, y)
    yes = model.decision_function(X) > 0
    said = model.predict(X)
    assert said.dtype == object and np.sum(yes.sum(axis=1) != 1) > 0
    assert_array_equal(said == "reject", yes.sum(axis=1) != 1)
    alone = yes.sum(axis=1) == 1
    assert_array_equal(said[alone].astype(int), yes[alone].argmax(axis=1))
    numbers = model.set_params(reject_label=-1).predict(X)
    assert numbers.dtype.kind == "i"
    assert_array_equal(numbers == -1, ~alone)


@pytest.mark.capability("IML-10-07")
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_regions_of_linear_members_are_convex(seed, share):
    """IML 10.3.2: a point between two points of one predicted class has that class."""
    X, y = load_wine(return_X_y=True)
    pair = [6, 9]
    model = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X[:, pair], y)
    rng = np.random.default_rng(seed)
    points = X[rng.integers(0, len(X), 60)][:, pair] + rng.normal(0, 2, (60, 2))
    said = model.predict(points)
    for k in range(3):
        own = points[said == k]
        if len(own) > 1:
            between = share * own[:-1] + (1 - share) * own[1:]
            assert (model.predict(between) == k).all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "base", [LogisticRegression(C=0.5, max_iter=5000), PeerNB(), KNeighborsClassifier(3), LinearRegression()]
)
def test_same_answers_as_scikit_learn(load, base):
    """Peer: OneVsRestClassifier, scikit-learn 1.9, around the same estimator."""
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours, peer = OneVsRestClassifier(base).fit(X, y), Peer(base).fit(X, y)
    assert_array_equal(ours.predict(X), peer.predict(X))
    for way in ("decision_function", "predict_proba"):
        assert hasattr(ours, way) == hasattr(peer, way)
        if hasattr(peer, way):
            assert_allclose(getattr(ours, way)(X), getattr(peer, way)(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_labels_that_do_not_exclude_each_other(sparse):
    X, Y = make_multilabel_classification(120, 8, n_classes=4, random_state=0)
    target = sp.csr_array(Y) if sparse else Y
    ours = OneVsRestClassifier(LogisticRegression()).fit(X, target)
    peer = Peer(LogisticRegression()).fit(X, target)
    assert ours.multilabel_ and peer.multilabel_
    said, meant = ours.predict(X), peer.predict(X)
    assert sp.issparse(said) == sp.issparse(meant) == sparse
    assert_array_equal(said.toarray() if sparse else said, meant.toarray() if sparse else meant)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
    assert_array_equal(ours.label_binarizer_.classes_, peer.label_binarizer_.classes_)
    assert ours.label_binarizer_.y_type_ == peer.label_binarizer_.y_type_
    assert ours.explain(X[:1]).answer == np.flatnonzero(peer.predict_proba(X[:1])[0] > 0.5).tolist()


def test_a_label_that_is_always_or_never_there():
    X, Y = np.arange(10.0)[:, None], np.zeros((10, 3), dtype=int)
    Y[5:, 0], Y[:, 1] = 1, 1
    with pytest.warns(AssayWarning) as told:
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    assert ["Label 1 is present in all" in str(told[0].message), "Label not 2" in str(told[1].message)] == [
        True,
        True,
    ]
    assert_array_equal(model.predict(X), Y)
    assert isinstance(model.estimators_[1], Constant)
    assert_array_equal(model.predict_proba(X)[:, 1:], np.tile([1.0, 0.0], (10, 1)))


def test_two_classes_need_one_member():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    model = OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject").fit(X, names)
    alone = LinearDiscriminantAnalysis().fit(X, names)
    assert len(model.estimators_) == 1 and model.decision_function(X).shape == (569,)
    assert_array_equal(model.predict(X), alone.predict(X))
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_one_class_is_always_answered():
    with pytest.warns(AssayWarning, match="Label a is present in all training examples"):
        model = OneVsRestClassifier(LogisticRegression()).fit([[1.0], [2.0]], ["a", "a"])
    assert_array_equal(model.predict([[5.0]]), ["a"])
    assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])


@pytest.mark.capability("LS-18")
def test_a_rare_class_that_its_member_always_rejects_is_reported():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) + np.repeat([[0, 0], [0, 0.5], [4, 4]], [10, 140, 150], axis=0)
    y = np.repeat(["rare", "common", "far"], [10, 140, 150])
    with pytest.warns(
        AssayWarning, match="class rare has 10 of 300 rows, and its member rejects each of them"
    ):
        OneVsRestClassifier(LogisticRegression()).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneVsRestClassifier(LogisticRegression(class_weight="balanced")).fit(X, y)  # the remedy
        X[y == "rare"] -= 9  # as rare, but known by its place
        OneVsRestClassifier(LogisticRegression()).fit(X, y)
        OneVsRestClassifier(LogisticRegression()).fit(
            GROUPS, NAMES
        )  # the middle one has no yes, but is not rare


def test_raw_tables_reach_the_members():
    frame = pd.DataFrame({"size": [1.0, 1.2, None, 5.0, 9.0, 9.5], "colour": ["r", "g", "r", "b", "b", None]})
    y = ["s", "s", "s", "m", "l", "l"]
    model = OneVsRestClassifier(NaiveBayes()).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    direct = NaiveBayes().fit(frame, [label == "l" for label in y]).predict_proba(frame)[:, 1]
    assert_allclose(model.estimators_[0].predict_proba(frame)[:, 1], direct, rtol=1e-12)
    assert model.predict(frame[["colour", "size"]].head(1)).tolist() == ["s"]
    told = str(model.explain(frame.iloc[[0]]))
    assert told.startswith("OneVsRestClassifier answers s (probability") and "Member s" in told
    with pytest.raises(DataError, match="missing"):
        OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(frame, y)
    assert "missing" in OneVsRestClassifier(LinearDiscriminantAnalysis()).why_not(frame)


def test_sparse_rows_and_pipelines_reach_the_members():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    dense = OneVsRestClassifier(LogisticRegression(C=0.01)).fit(X, y)
    sparse = OneVsRestClassifier(LogisticRegression(C=0.01)).fit(sp.csr_array(X), y)
    assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-3)
    piped = OneVsRestClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)
    assert piped.score(X, y) > 0.99


def test_weights_count_rows():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, 150)
    weighed = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=w)
    repeated = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighed.decision_function(X), repeated.decision_function(X), rtol=1e-8)
    with pytest.raises(ParameterError, match="KNeighborsClassifier cannot be fitted with sample_weight"):
        OneVsRestClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=w)


def test_rows_in_parts_are_as_rows_at_once():
    X, y = load_wine(return_X_y=True)
    model = OneVsRestClassifier(GaussianNB(var_smoothing=0))
    for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 4):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
    whole = OneVsRestClassifier(GaussianNB(var_smoothing=0)).fit(X, y)
    assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-8, atol=1e-12)
    assert not hasattr(OneVsRestClassifier(KNeighborsClassifier()), "partial_fit")
    with pytest.raises(ParameterError, match="classes must be passed"):
        OneVsRestClassifier(GaussianNB()).partial_fit(X, y)
    with pytest.raises(DataError, match="has the label 9"):
        model.partial_fit(X[:2], [1, 9])
    with pytest.raises(ParameterError, match="not the same as on last call"):
        model.partial_fit(X[:2], y[:2], classes=[0, 1])


def test_rows_that_no_member_wants_get_even_odds():
    """scikit-learn gives such a row zeros, which are no probabilities."""
    X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]])
    y = np.array([0, 1, 2, 1, 2, 0])
    model = OneVsRestClassifier(KNeighborsClassifier(1)).fit(X[:3], y[:3])
    model.estimators_ = [Constant(0).fit(X)] * 3
    assert_allclose(model.predict_proba(X[:1]), [[1 / 3, 1 / 3, 1 / 3]], rtol=1e-12)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("assay.ensembles.binary_problems.WORTH_THREADS", 0)
    X, y = load_iris(return_X_y=True)
    one = OneVsRestClassifier(DecisionTreeClassifier(random_state=0), n_jobs=1).fit(X, y)
    many = OneVsRestClassifier(DecisionTreeClassifier(random_state=0), n_jobs=4).fit(X, y)
    assert_array_equal(one.predict_proba(X), many.predict_proba(X))


def test_saved_and_loaded(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").decision_function(X), model.decision_function(X))


def test_targets_and_parameters_that_cannot_be():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(DataError, match="expected 0 and 1 in them"):
        OneVsRestClassifier(LogisticRegression()).fit(X, [[1, 2], [3, 4], [5, 6]])
    with pytest.raises(DataError, match="X has 3 rows and y has 2"):
        OneVsRestClassifier(LogisticRegression()).fit(X, [[1, 0], [0, 1]])
    with pytest.raises(ParameterError, match="no one answer to reject"):
        OneVsRestClassifier(LogisticRegression(), decision="reject").fit(X, [[1, 0], [0, 1], [1, 1]])
    with pytest.raises(ParameterError, match="decision must be one of 'argmax', 'reject', got 'vote'"):
        OneVsRestClassifier(LogisticRegression(), decision="vote").fit(X, [0, 1, 2])
    with pytest.raises(DataError, match="Complex data"):
        OneVsRestClassifier(LogisticRegression()).fit(X + 1j, [0, 1, 2])
    with pytest.raises(DataError, match=r"0 feature\(s\)"):
        OneVsRestClassifier(LogisticRegression()).fit(X[:, :0], [0, 1, 2])


@pytest.mark.parametrize("label, classes", [("b", ["a", "b", "c"]), (-1, [-1, 0, 1])])
def test_a_refusal_is_not_called_like_a_class(label, classes):
    X, y = np.arange(6.0)[:, None], np.repeat(classes, 2)
    with pytest.raises(ParameterError, match="is the name of a class"):
        OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject", reject_label=label).fit(X, y)
