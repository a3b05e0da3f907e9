from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.errors import ParameterError
from assay.rules.covering.covering import class_order, is_order, weighing


def learner(order):
    return SimpleNamespace(classes_=np.array(["a", "b", "c"]), order=order)


def test_classes_come_as_named_and_then_the_rarest_first():
    totals, y = np.array([5.0, 2, 9]), np.array([2, 0, 2, 1])
    assert class_order(learner("class"), totals, y) == [1, 0, 2]
    assert class_order(learner(["c"]), totals, y) == [2, 1, 0]
    assert class_order(learner(np.array(["a", "c", "b"])), totals, y) == [0, 2, 1]
    assert class_order(learner("class"), np.ones(3), y) == [2, 0, 1]  # equally rare: as the rows show them
    with pytest.raises(ParameterError, match="at most once"):
        class_order(learner(["a", "a"]), totals, y)


def test_a_list_of_labels_is_no_text():
    assert is_order(["a"]) and is_order(np.array(["a"])) and is_order(("a",))
    assert not is_order("a") and not is_order(3)


def test_rows_that_weigh_nothing_are_not_there():
    X, y = np.arange(3.0)[:, None], np.array([0, 1, 2])
    assert weighing(X, y, None)[2] is None
    kept = weighing(X, y, np.array([1.0, 0, 2]))
    assert_array_equal(kept[1], [0, 2])
    assert_array_equal(kept[2], [1, 2])
