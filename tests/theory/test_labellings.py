"""Labellings, and the classes that need no linear programme."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.theory.labellings import FiniteClass, LookUp, Stumps, labellings
from assay.theory.shatter import shatters


def test_stumps_reach_their_dimension():
    """Four points in three dimensions: each pair, each single point and each three are one end of an order."""
    places = np.array([[0, 1, 2, 3], [2, 0, 3, 1], [0, 2, 3, 1]], dtype=float).T
    assert shatters("stumps", places).count == 16
    assert [Stumps().vc(d) for d in (1, 2, 3, 4, 5)] == [2, 3, 4, 4, 5]


def test_a_list_of_hypotheses():
    rules = [lambda X, t=t: X[:, 0] >= t for t in (0, 1, 2, 3)]
    result = shatters(FiniteClass(rules), [0.5, 1.5])
    assert result.count == 3 and FiniteClass(rules).vc(1) == 2
    assert shatters(LookUp(), [1.0, 1.0]).count == 2  # one place cannot have two labels


def test_all_labellings_are_there_once_and_number_themselves():
    result = labellings(4)
    assert result.shape == (16, 4) and (result @ (1 << np.arange(4)) == np.arange(16)).all()


@pytest.mark.parametrize("rules", [[], [3]])
def test_a_class_without_functions_is_refused(rules):
    with pytest.raises(ParameterError, match="functions of points"):
        FiniteClass(rules)
