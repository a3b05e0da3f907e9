"""Independent sigmoids: labels that do not exclude each other."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression as Peer

from assay.errors import DataError, ParameterError
from assay.linear.logistic.independent_sigmoids import IndependentSigmoids
from assay.linear.logistic.logistic_discriminant import LogisticDiscriminant

IRIS, KIND = load_iris(return_X_y=True)
X, Y = make_multilabel_classification(150, 6, n_classes=3, n_labels=2, allow_unlabeled=True, random_state=4)
X = (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.capability("IML-10-22")
def test_rows_with_none_or_several_labels():
    """IML 10.8: all r_i may be 0, or several 1."""
    assert {0, 3} <= set(Y.sum(axis=1))
    model = IndependentSigmoids(max_iter=3000, tol=1e-3).fit(X, Y)
    p, answers = model.predict_proba(X), model.predict(X)
    assert p.shape == answers.shape == model.decision_function(X).shape == (150, 3)
    assert_array_equal(answers, p > 0.5)
    assert {0, 3} <= set(answers.sum(axis=1))  # none, and all
    assert not np.allclose(p.sum(axis=1), 1)
    assert (answers == Y).mean() > 0.8


@pytest.mark.capability("IML-10-22")
@pytest.mark.parametrize("error", ["cross_entropy", "squared_error"])
def test_each_output_is_learned_by_itself(error):
    """Three outputs together equal three learners of one output each, to the last step."""
    steps = {"error": error, "max_iter": 40, "stop": "errors", "patience": 1000}
    with pytest.warns(match="stopped after 40 iterations"):
        together = IndependentSigmoids(0.01, **steps).fit(X, Y)
    for k in range(3):
        with pytest.warns(match="stopped after 40 iterations"):
            alone = LogisticDiscriminant(0.01, **steps).fit(X, Y[:, k])
        assert_allclose(together.coef_[k], alone.coef_[0], rtol=1e-10)
        assert_allclose(together.intercept_[k], alone.intercept_[0], rtol=1e-10)


@pytest.mark.capability("IML-10-22")
def test_the_optimum_is_that_of_scikit_learn():
    """Peer: LogisticRegression without a penalty, one for each label."""
    model = IndependentSigmoids(max_iter=20_000, tol=1e-7).fit(X, Y)
    for k in range(3):
        peer = Peer(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, Y[:, k])
        assert_allclose(model.predict_proba(X)[:, k], peer.predict_proba(X)[:, 1], atol=1e-6)


def test_labels_have_the_names_of_the_columns():
    model = IndependentSigmoids(tol=1e-2).fit(X, pd.DataFrame(Y, columns=["sport", "music", "art"]))
    assert model.classes_.tolist() == ["sport", "music", "art"]
    text = model.explain(X[:1])
    assert set(text.answer) == {c for c, there in zip(model.classes_, model.predict(X[:1])[0]) if there}
    assert "Terms of the log odds of sport" in str(text)
    assert_allclose(list(text.posterior.values()), model.predict_proba(X[:1])[0])


def test_sparse_tables():
    dense = IndependentSigmoids(tol=1e-2).fit(X, Y)
    sparse = IndependentSigmoids(tol=1e-2).fit(csr_array(X), csr_array(Y))
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)


def test_one_label_a_row():
    model = IndependentSigmoids(stop="errors", patience=100).fit(IRIS, KIND)
    assert not model.multilabel_ and model.coef_.shape == (3, 4)
    assert_allclose(model.predict_proba(IRIS).sum(axis=1), 1)
    assert model.score(IRIS, KIND) > 0.9


def test_batches_and_rates_of_each_label():
    model = IndependentSigmoids(
        np.array([0.1, 0.2, 0.1]), batch_size=5, schedule="inverse", max_iter=100, tol=2.0, random_state=0
    ).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.8


def test_a_label_that_nobody_has():
    none = Y.copy()
    none[:, 1] = 0
    model = IndependentSigmoids(0.05, stop="errors").fit(X, none)
    assert not model.predict(X)[:, 1].any() and np.isfinite(model.coef_).all()


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="y must be a table of 0 and 1"):
        IndependentSigmoids().fit(X, Y + 1)
    with pytest.raises(DataError, match="X has 150 rows and y has 149"):
        IndependentSigmoids().fit(X, Y[:-1])


def test_names_of_labels_in_tables_of_any_library():
    names = ["a", "b", "c"]
    frame = pd.DataFrame(Y, columns=names)
    for table in (frame, pl.DataFrame(Y, schema=names), pa.table(frame)):
        assert IndependentSigmoids(max_iter=2, tol=1e6).fit(X, table).classes_.tolist() == names


def test_each_label_has_a_hyperplane_of_its_own():
    model = IndependentSigmoids(tol=1e-2).fit(X, Y[:, :2])
    for k in (0, 1):
        assert_allclose(model.hyperplane(k).normal, model.coef_[k])
    assert_allclose(model.hyperplane(1).distance(X), model.signed_distance(X)[:, 1])
    assert model.weights(0)[0][1] == model.coef_[0][np.abs(model.coef_[0]).argmax()]
    for wrong in (model.hyperplane, lambda: model.hyperplane(0, 1), lambda: model.project(X)):
        with pytest.raises(ParameterError, match="labels do not exclude each other"):
            wrong()
    single = IndependentSigmoids(tol=1e-2).fit(X, Y[:, 0])
    assert_allclose(single.hyperplane().normal, single.coef_[0])
    assert single.project(X).shape == X.shape
