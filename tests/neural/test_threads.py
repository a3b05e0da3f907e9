"""Weights, answers and reasons are the same whatever the number of threads."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from assay.neural import (
    Dense,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    TabularNetClassifier,
    TabularNetRegressor,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(2600, 300))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
SETTINGS = {"max_iter": 2, "random_state": 0}
LEARNERS = [
    MLPClassifier(**SETTINGS),
    MLPClassifier(solver="lbfgs", **SETTINGS),
    MLPRegressor(**SETTINGS),
    NetworkClassifier([Dense(100, "tanh")], **SETTINGS),
    NetworkRegressor([Dense(100, "tanh")], **SETTINGS),
    TabularNetClassifier([32], 4, **SETTINGS),
    TabularNetRegressor(hidden_layer_sizes=[32], members=4, **SETTINGS),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_number_of_threads_changes_nothing(learner, monkeypatch):
    results = []
    for limit in (1, 2):
        monkeypatch.setenv("ASSAY_NUM_THREADS", str(limit))
        with threadpool_limits(limit):
            model = learner.fit(X, y)
            answer = model.predict_proba if hasattr(model, "predict_proba") else model.predict
            parts = model.coefs_ if hasattr(model, "coefs_") else [model.network_.theta]
            reasons = model.explain(X[:3]).contributions().values
            results.append(
                [part.copy() for part in (*parts, answer(X), answer(X[:1500]), answer(X[:1]), reasons)]
            )
    for one, two in zip(*results):
        assert_array_equal(one, two)
