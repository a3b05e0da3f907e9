"""Promises that all meta-classifiers of the room keep."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, dok_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import load, save
from assay.bayes import GaussianNB, NaiveBayes
from assay.core.meta_estimator import aligned
from assay.core.targets import EncodedLabels
from assay.decide import (
    CalibratedClassifierCV,
    ConformalClassifier,
    DecisionRule,
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
)
from assay.decide._meta import folds
from assay.errors import DataError, SchemaError

X, y = load_breast_cancer(return_X_y=True)
X, NAMES = X[::4, :6], np.array(["ill", "well"])[y[::4]]

METAS = [
    DecisionRule(loss={("well", "ill"): 5}, reject=0.4),
    DecisionRule(priors=[0.2, 0.8]),
    FixedThresholdClassifier(threshold=0.3, pos_label="ill"),
    TunedThresholdClassifierCV(loss={("well", "ill"): 5}, cv=3),
    CalibratedClassifierCV(method="sigmoid", cv=3),
    CalibratedClassifierCV(method="isotonic", cv=3, ensemble=False),
    CalibratedClassifierCV(method="temperature", cv=3),
    CalibratedClassifierCV(method="venn_abers", cv=3),
    ConformalClassifier(random_state=0),
    ConformalClassifier(nonconformity="aps", cv=3, class_conditional=True, random_state=0),
]
every = pytest.mark.parametrize("meta", METAS, ids=lambda m: f"{type(m).__name__}-{getattr(m, 'method', '')}")


def mixed(kind=pd.DataFrame):
    """A raw table: text, numbers, missing values in both."""
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=90).astype(object)
    size = rng.normal(size=90) + 2 * (colour == "red")
    label = np.where((colour == "red") ^ (rng.random(90) < 0.1), "ill", "well")
    colour[::13] = None
    columns = {
        "size": [None if i % 17 == 0 else float(v) for i, v in enumerate(size)],
        "colour": colour.tolist(),
    }
    return kind(columns), label


@every
def test_a_model_file_gives_back_the_same_model(meta, tmp_path):
    model = clone(meta).fit(X, NAMES)
    save(model, tmp_path / "model.assay")
    again = load(tmp_path / "model.assay")
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@every
def test_a_clone_fits_alike_and_the_wrapped_object_stays_untouched(meta):
    inner = GaussianNB()
    model = clone(meta).set_params(estimator=inner).fit(X, NAMES)
    assert not hasattr(inner, "classes_")
    assert_array_equal(clone(model).fit(X, NAMES).predict(X), model.predict(X))


@every
@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_missing_values_and_text_reach_naive_bayes(meta, kind):
    frame, label = mixed()
    table, _ = mixed(kind)
    model = clone(meta).set_params(estimator=NaiveBayes())
    expected = clone(model).fit(frame, label).predict_proba(frame)
    model.fit(table, label)
    assert_allclose(model.predict_proba(table), expected, rtol=1e-12)
    assert list(model.feature_names_in_) == ["size", "colour"]
    reordered = frame[["colour", "size"]]
    assert_allclose(model.predict_proba(reordered), expected, rtol=1e-12)
    with pytest.raises(SchemaError, match="missing: colour"):
        model.predict(frame[["size"]])


@every
def test_posteriors_are_probabilities(meta):
    P = clone(meta).fit(X, NAMES).predict_proba(X)
    assert P.shape == (len(X), 2) and (P >= 0).all()
    assert_allclose(P.sum(axis=1), 1)


@every
@pytest.mark.parametrize("kind", [csr_array, dok_array, np.ndarray.tolist], ids=["csr", "dok", "list"])
def test_sparse_matrices_and_lists_reach_a_classifier_that_takes_them(meta, kind):
    Z = np.where(np.median(X, axis=0) < X, 1.0, 0.0)
    model = clone(meta).set_params(estimator=LogisticRegression())
    if isinstance(meta, DecisionRule) and meta.priors is not None:
        model.set_params(trained_priors=[0.4, 0.6])
    dense = clone(model).fit(Z, NAMES).predict(Z)
    assert_array_equal(model.fit(kind(Z), NAMES).predict(csr_array(Z)), dense)


@every
def test_arguments_of_fit_reach_a_pipeline_cut_to_the_fold(meta):
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    w = np.where(NAMES == "ill", 20.0, 1.0)
    plain = clone(meta).set_params(estimator=inner).fit(X, NAMES).predict_proba(X)
    weighed = clone(meta).set_params(estimator=inner).fit(X, NAMES, logisticregression__sample_weight=w)
    calibrated = isinstance(meta, CalibratedClassifierCV)  # which undoes the weights
    assert calibrated or weighed.predict_proba(X)[:, 0].mean() > plain[:, 0].mean() + 0.01


def test_a_model_of_fewer_classes_is_given_room():
    found = aligned(np.array([[0.3, 0.7]]), np.array(["a", "c"]), np.array(["a", "b", "c"]))
    assert_array_equal(found, [[0.3, 0, 0.7]])


def test_folds_that_cannot_be_made_are_told():
    with pytest.raises(DataError, match="3 folds need at least 3 rows of each class, one class has 1"):
        folds(3, np.zeros((4, 1)), EncodedLabels(np.array([0, 0, 0, 1]), np.arange(2)), "Meta")
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array"):
        DecisionRule().fit(3, [0, 1])
