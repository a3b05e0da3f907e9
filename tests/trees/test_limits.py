"""The limits of trees: one table for trees, forests, boosting and multivariate trees."""

import numpy as np
import pytest

from assay.ensembles import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestRegressor
from assay.errors import ParameterError
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor, LinearMachineTreeClassifier
from assay.trees.limits import GROWTH, LIMITS, rows_of

OF_ONE_COLUMN = [
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestRegressor,
]
X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize("cls", [*OF_ONE_COLUMN, LinearMachineTreeClassifier])
def test_the_table_is_shared(cls):
    for name, accepted in (GROWTH if cls in OF_ONE_COLUMN else LIMITS).items():
        assert cls.accepts[name] is accepted


@pytest.mark.parametrize("cls", [*OF_ONE_COLUMN, LinearMachineTreeClassifier])
def test_one_row_and_all_rows_differ(cls):
    """A split needs two rows, so 1 is refused; 1.0 is all rows, as scikit-learn has it."""
    with pytest.raises(ParameterError, match="min_samples_split must be"):
        cls(min_samples_split=1).fit(X, y)
    cls(min_samples_split=1.0).fit(X, y)
    with pytest.raises(ParameterError, match="min_samples_leaf must be"):
        cls(min_samples_leaf=1.0).fit(X, y)


def test_a_share_of_the_rows_is_rounded_up():
    assert [rows_of(limit, 10, 2) for limit in (1, 4, 0.25, 0.01, 1.0)] == [1, 4, 3, 2, 10]
