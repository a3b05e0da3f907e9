"""Errors after each round."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.adaboost_regressor import AdaBoostRegressor
from assay.errors import DataError
from assay.plots.staged_error_display import StagedErrorDisplay

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 2))


def test_errors_of_classes_are_those_of_each_stage():
    y = np.where(X[:, 0] * X[:, 1] > 0, "in", "out")
    model = AdaBoostClassifier(n_estimators=6).fit(X[:60], y[:60])
    display = StagedErrorDisplay.from_estimator(
        model, {"training": (X[:60], y[:60]), "test": (X[60:], y[60:])}
    )
    assert_allclose(display.errors["training"], 1 - np.array(list(model.staged_score(X[:60], y[:60]))))
    assert display.errors["test"][-1] == pytest.approx(1 - model.score(X[60:], y[60:]))
    assert [line.get_label() for line in display.ax_.lines] == ["training", "test"]
    assert display.ax_.get_ylabel() == "error rate"


def test_errors_of_numbers_are_mean_squares():
    y = X[:, 0] ** 2
    model = AdaBoostRegressor(n_estimators=4, random_state=0).fit(X, y)
    display = StagedErrorDisplay.from_estimator(model, {"training": (X, y)}, log=True)
    assert display.errors["training"][-1] == pytest.approx(np.mean((model.predict(X) - y) ** 2))
    assert display.ax_.get_ylabel() == "mean squared error" and display.ax_.get_xscale() == "log"


def test_the_best_round():
    display = StagedErrorDisplay.from_errors({"test": [0.4, 0.2, 0.2, 0.3]})
    assert display.best("test") == (2, 0.2)
    with pytest.raises(DataError, match=r"no curve 'training'\. There are: test"):
        display.best("training")


def test_what_has_no_stages_is_refused():
    with pytest.raises(TypeError, match="GaussianNB has no staged_predict"):
        StagedErrorDisplay.from_estimator(GaussianNB(), {})
