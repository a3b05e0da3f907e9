"""What linear regressors share: predictions and their terms."""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.testing import assert_allclose

from assay.core.learner import Regressor
from assay.linear.linear_regressor import LinearRegressor


class Given(LinearRegressor, Regressor):
    """Weights that are given."""

    def __init__(self, W=None, b=0.0):
        self.W, self.b = W, b

    def _learn(self, X, y, w):
        self.coef_, self.intercept_ = np.array(self.W, float), self.b


X = np.array([[1.0, 2.0], [3.0, -1.0]])


def test_predictions_are_weights_times_row_plus_constant():
    model = Given([2.0, -1.0], 0.5).fit(X, [0, 1])
    assert_allclose(model.predict(X), [0.5, 7.5], rtol=1e-12)
    assert_allclose(model.predict(sp.csr_array(X)), [0.5, 7.5], rtol=1e-12)
    several = Given([[2.0, -1.0], [1.0, 1.0]], np.array([0.5, 0.0])).fit(X, np.eye(2))
    assert_allclose(several.predict(X), [[0.5, 3.0], [7.5, 2.0]], rtol=1e-12)
    one = Given([[2.0, -1.0]], np.array([0.5])).fit(X, [0, 1])
    assert one.predict(X).shape == (2, 1)


def test_huge_numbers_have_predictions():
    model = Given([2.0, -3.0], 0.5).fit(X, [0, 1])
    assert np.isfinite(model.predict(np.array([[1.7e308, 1.7e308]]))).all()
    assert model.predict(np.array([[1.7e308, 1.7e308]]))[0] < 0


def test_terms_add_up_to_the_prediction():
    frame = pd.DataFrame({"size": [1.0, 3.0], "kind": ["thin", "wide"]})
    model = Given([2.0, -1.0, 4.0], 0.5).fit(frame, [0, 1])
    told = model.explain(frame.iloc[[1]])
    assert_allclose(told.answer, 10.5, rtol=1e-12)
    assert told.sections[0].rows == [
        ["size", 3.0, 2.0, 6.0],
        ["kind", "wide", 4.0, 4.0],
        ["constant", "", "", 0.5],
        ["sum", "", "", 10.5],
    ]
    several = Given([[2.0, -1.0], [1.0, 1.0]], np.array([0.5, 0.0])).fit(X, np.eye(2))
    told = several.explain(X[:1])
    assert told.answer == [0.5, 3.0] and told.sections[0].columns[-2:] == ["output 0", "output 1"]
