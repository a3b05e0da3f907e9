"""What class_weight means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.utils.class_weight import compute_class_weight

from assay.errors import ParameterError
from assay.linear.class_factors import class_factors

CLASSES = np.array(["a", "b", "c"])
WEIGHT = np.array([5.0, 2.0, 3.0])


def test_balanced_is_as_scikit_learn_has_it():
    y = np.repeat(CLASSES, WEIGHT.astype(int))
    expected = compute_class_weight("balanced", classes=CLASSES, y=y)
    assert_allclose(class_factors("balanced", CLASSES, WEIGHT, "L"), expected)
    assert_allclose(class_factors("balanced", CLASSES, WEIGHT, "L") * WEIGHT, 10 / 3)


def test_a_dict_names_some_classes():
    assert class_factors(None, CLASSES, WEIGHT, "L") is None
    assert class_factors({"b": 4, "a": 0}, CLASSES, WEIGHT, "L").tolist() == [0, 4, 1]
    assert class_factors({np.int64(1): 3.0}, np.array([0, 1]), np.ones(2), "L").tolist() == [1, 3]
    assert class_factors({"a": 1, "b": 2, "c": 3, "gone": 9}, CLASSES, WEIGHT, "L").tolist() == [1, 2, 3]


def test_a_class_without_rows_keeps_its_weight():
    assert class_factors("balanced", CLASSES, np.array([2.0, 0.0, 2.0]), "L").tolist() == [2 / 3, 1, 2 / 3]


@pytest.mark.parametrize(
    "wrong", ["even", 3, {"a": -1.0}, {"z": 1.0}, {"a": np.nan}, {"a": 0, "b": 0, "c": 0}, {"a": np.inf}]
)
def test_anything_else_is_refused(wrong):
    with pytest.raises(ValueError, match=r"L: .*class_weight"):
        class_factors(wrong, CLASSES, WEIGHT, "L")


@pytest.mark.parametrize("factor", ["much", None, [1.0]])
def test_factors_that_are_no_numbers_are_refused(factor):
    with pytest.raises(ParameterError, match="class_weight must hold numbers"):
        class_factors({0: factor, 1: 2.0}, np.array([0, 1]), np.ones(2), "Learner")
