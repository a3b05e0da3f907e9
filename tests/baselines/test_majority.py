"""The majority classifier: shares of the classes, whatever the row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.dummy import DummyClassifier

from assay import compare
from assay.baselines import MajorityClassifier


def test_same_posterior_as_scikit_learns_dummy_also_with_weights():
    y, w = np.array(["b", "a", "b", "c", "c"]), np.array([1.0, 3.0, 0.5, 1.0, 0.2])
    X = np.zeros((5, 2))
    for weights in (None, w):
        ours = MajorityClassifier().fit(X, y, weights)
        peer = DummyClassifier(strategy="prior").fit(X, y, weights)
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
        assert ours.predict(X).tolist() == peer.predict(X).tolist()


def test_it_takes_every_table():
    for X in ([["sour", None], ["sweet", 1.0]], csr_array(np.eye(2)), np.array([[np.nan], [1.0]])):
        assert MajorityClassifier().fit(X, ["a", "b"]).predict(X).tolist() == ["a", "a"]


@pytest.mark.capability("C3-55")
def test_with_one_positive_in_a_hundred_it_is_nearly_always_right_and_finds_none():
    # Oracle: 99 % negative: accuracy 0.99, recall 0
    y = np.repeat(["benign", "malignant"], [990, 10])
    result = compare(["majority"], np.zeros((1000, 1)), y, design="10-fold", metrics=["accuracy"])
    assert_allclose(result.values("majority"), 0.99, rtol=1e-12)
    found = result.confusion("majority")
    assert found[1, 1] / found[1].sum() == 0
