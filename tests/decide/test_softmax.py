"""A softmax layer over scores: its gradient, and that it is fitted on rows left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss

from assay.decide import CalibratedClassifierCV, SoftmaxCalibrator
from assay.errors import DataError
from assay.svm import SVC

X, Y = load_wine(return_X_y=True)


def scores_and_classes(seed=0, n=300, K=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    return 2.0 * np.eye(K)[y] + rng.normal(size=(n, K)), y


@pytest.mark.capability("IML-13-33")
@pytest.mark.parametrize("K", [2, 3, 5])
def test_rows_sum_to_one_and_the_mean_probability_is_the_share_of_a_class(K):
    """The derivatives by the intercepts are 0 at the minimum, those by the weights next to it."""
    f, y = scores_and_classes(K=K)
    layer = SoftmaxCalibrator().fit(f, y)
    P = layer.predict(f)
    assert_allclose(P.sum(axis=1), 1)
    assert_allclose(P.mean(axis=0), np.bincount(y) / len(y), atol=1e-6)
    residual = np.eye(K)[y] - P
    assert np.abs(residual.T @ f / len(f)).max() < 1e-2


@pytest.mark.capability("IML-13-33")
def test_the_layer_is_fitted_to_scores_of_rows_left_out():
    """With one machine of all rows the layer must not see the scores that these rows have in it."""
    settings = {"kernel": "rbf", "gamma": 5.0, "C": 100.0, "probability": False}  # remembers its rows
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    half = np.arange(0, len(Y), 2)
    others = np.arange(1, len(Y), 2)
    honest = CalibratedClassifierCV(SVC(**settings), method="softmax", ensemble=False).fit(Z[half], Y[half])
    machine = SVC(**settings).fit(Z[half], Y[half])
    blind = SoftmaxCalibrator().fit(machine.decision_function(Z[half]), Y[half])
    pair = honest.calibrated_classifiers_[0]
    assert_allclose(pair.estimator.decision_function(Z), machine.decision_function(Z))
    assert_allclose(
        honest.predict_proba(Z[others]), pair.calibrators[0].predict(machine.decision_function(Z[others]))
    )
    surprised = log_loss(Y[others], blind.predict(machine.decision_function(Z[others])))
    assert log_loss(Y[others], honest.predict_proba(Z[others])) < 0.7 * surprised


def test_a_class_without_rows_has_no_probability():
    f, y = scores_and_classes()
    layer = SoftmaxCalibrator().fit(f[y > 0], y[y > 0])
    assert (layer.predict(f)[:, 0] == 0).all()
    assert_allclose(SoftmaxCalibrator().fit(f[y == 1], y[y == 1]).predict(f), np.eye(3)[[1] * len(f)])


def test_a_weight_of_two_is_two_rows():
    f, y = scores_and_classes()
    w = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(y)), w.astype(int))
    weighted, repeated = SoftmaxCalibrator().fit(f, y, w), SoftmaxCalibrator().fit(f[twice], y[twice])
    assert_allclose(weighted.predict(f), repeated.predict(f), atol=1e-3)  # scales of a very small penalty


def test_what_is_no_table_of_scores_is_refused():
    with pytest.raises(DataError, match="finite scores"):
        SoftmaxCalibrator().fit([1.0, 2.0], [0, 1])
    with pytest.raises(DataError, match="class numbers from 0 to 1"):
        SoftmaxCalibrator().fit([[1.0, 2.0]], [2])
