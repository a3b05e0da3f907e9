"""Rows set aside: those that scikit-learn draws, and words when there are too few."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import train_test_split

from assay.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from assay.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.ensembles.set_aside import set_aside
from assay.errors import DataError, DegenerateError

X = np.arange(40.0).reshape(20, 2)
STOPPING = [
    HistGradientBoostingClassifier(early_stopping=True, max_iter=3, random_state=0),
    GradientBoostingClassifier(n_iter_no_change=2, n_estimators=3, random_state=0),
]
OF_NUMBERS = [
    HistGradientBoostingRegressor(early_stopping=True, max_iter=3, random_state=0),
    GradientBoostingRegressor(n_iter_no_change=2, n_estimators=3, random_state=0),
]


@pytest.mark.parametrize("share", [0.1, 0.35, 7])
@pytest.mark.parametrize("codes", [None, np.repeat([0, 1], [8, 12])])
def test_the_rows_are_those_of_scikit_learn(share, codes):
    labels = None if codes is None else np.array(["a", "b"])
    ours = set_aside(20, share, 5, "Me", "do without", codes, labels)
    theirs = train_test_split(np.arange(20), test_size=share, random_state=5, stratify=codes)
    for a, b in zip(ours, theirs):
        assert_array_equal(a, b)


@pytest.mark.parametrize("model", STOPPING)
def test_a_class_of_one_row_is_named(model):
    y = np.array(["often"] * 19 + ["once"])
    with pytest.raises(DataError, match=f"{type(model).__name__}: the class 'once' has one row, too few"):
        model.fit(X, y)


@pytest.mark.parametrize("model", [*STOPPING, *OF_NUMBERS])
def test_too_few_rows_are_said_to_be_too_few(model):
    share = 0.99 if model in OF_NUMBERS else 0.01
    who = type(model)(**{**model.get_params(), "validation_fraction": share})
    with pytest.raises(DataError, match=rf"with validation_fraction={share} the 20 rows cannot be divided"):
        who.fit(X, np.arange(20) % 3)


@pytest.mark.parametrize("model", [*STOPPING, *OF_NUMBERS])
def test_rows_that_judge_but_weigh_nothing_are_refused(model):
    with pytest.raises(DegenerateError, match="set aside to judge by, weigh 0"):
        model.fit(X, np.arange(20) % 2, sample_weight=np.r_[np.zeros(19), 1.0])
