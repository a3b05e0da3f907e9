import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.densities.density_estimator import DensityEstimator, log
from assay.errors import DataError


class Uniform(DensityEstimator):
    """The smallest estimator: constant between the least and the greatest number of one column."""

    def _learn(self, X, w):
        self.low_, self.high_, self.total_ = X.min(), X.max(), w.sum()

    def _log_density(self, X):
        inside = (X[:, 0] >= self.low_) & (X[:, 0] <= self.high_)
        return log(inside / (self.high_ - self.low_))


def test_an_estimator_writes_two_methods():
    model = Uniform().fit([[0.0], [4.0], [1.0]])
    assert_array_equal(model.density([[2.0], [5.0]]), [0.25, 0])
    assert_array_equal(model.score_samples([[2.0], [5.0]]), [np.log(0.25), -np.inf])
    assert_allclose(model.score([[1.0], [2.0]]), 2 * np.log(0.25))


def test_rows_without_weight_are_not_there():
    model = Uniform().fit([[0.0], [4.0], [100.0]], sample_weight=[1, 2, 0])
    assert (model.high_, model.total_) == (4, 3)
    with pytest.raises(DataError, match="all are zero"):
        Uniform().fit([[0.0]], sample_weight=[0])


def test_categories_become_indicators_and_gaps_are_refused():
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"]})
    assert Uniform().fit(table).design_.names == ["size", "colour=blue", "colour=red"]
    with pytest.raises(DataError, match=r"size.*missing"):
        Uniform().fit(table.assign(size=[1.0, None, 2.0]))


def test_a_pipeline_and_an_unfitted_model():
    pipe = make_pipeline(StandardScaler(), Uniform()).fit([[0.0], [1.0], [2.0]])
    assert np.isfinite(pipe.score([[1.0]]))
    with pytest.raises(NotFittedError):
        Uniform().score_samples([[1.0]])
