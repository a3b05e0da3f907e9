"""One answer out of several hypotheses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.rules.version_spaces.one_answer import answers_with_reject, believed, refuse_label_of_a_class


def test_memberships_weigh_the_class_shares():
    P = believed(np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]]), np.array([0.2, 0.4, 0.4]))
    assert_allclose(P, [[0.5, 0.5, 0], [0.2, 0.4, 0.4]])


def test_the_type_of_answers_with_refusals():
    assert answers_with_reject(np.array(["a", "b"]), np.array([0, -1]), "reject").dtype.kind == "U"
    assert_array_equal(answers_with_reject(np.array([1, 2]), np.array([1, -1]), -1), [2, -1])
    mixed = answers_with_reject(np.array([1, 2]), np.array([1, -1]), "?")
    assert mixed.dtype == object and mixed.tolist() == [2, "?"]


def test_a_refusal_needs_a_name_of_its_own():
    refuse_label_of_a_class("x", np.array(["a"]), "reject")
    with pytest.raises(ParameterError, match="x: reject_label 'a' is the name of a class"):
        refuse_label_of_a_class("x", np.array(["a"]), "a")
