"""Basis functions: values, names, and where they are not zero (IML exercise 10-1)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.prepare.bases import (
    Gaussian1D,
    Log,
    ObliqueStep,
    Power,
    Product,
    RadialGaussian,
    Sine,
    Step,
    UserFunction,
)

ROWS = np.array([[0.5, 1.0, 2.0], [np.pi, 2.0, -1.0], [4.0, 0.25, 3.0]])
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("basis", "formula", "label"),
    [
        (Sine("a"), lambda a, b, c: np.sin(a), "sin(a)"),
        (Sine(0, 2, 0.5), lambda a, b, c: np.sin(2 * a + 0.5), "sin(2 a + 0.5)"),
        (Gaussian1D("b", 1, 2), lambda a, b, c: np.exp(-((b - 1) ** 2) / 2), "exp(-(b - 1)^2 / 2)"),
        (
            RadialGaussian((1, -2), 3, ("a", "c")),
            lambda a, b, c: np.exp(-((a - 1) ** 2 + (c + 2) ** 2) / 3),
            "exp(-((a - 1)^2 + (c + 2)^2) / 3)",
        ),
        (Log(1), lambda a, b, c: np.log(b), "log(b)"),
        (Step("c", 2), lambda a, b, c: 1.0 * (c > 2), "1(c > 2)"),
        (
            ObliqueStep(("a", "c"), (1, -2), 0.5),
            lambda a, b, c: 1.0 * (a - 2 * c > 0.5),
            "1(1 a - 2 c > 0.5)",
        ),
        (Product(("a", -1)), lambda a, b, c: a * c, "a c"),
        (Product((0, 1), (0.5, -1), 4), lambda a, b, c: 4 * (a - 0.5) * (b + 1), "4 (a - 0.5) (b + 1)"),
        (Power("b", 3), lambda a, b, c: b**3, "b^3"),
        (UserFunction(lambda c: np.abs(c), ("c",), "size of c"), lambda a, b, c: np.abs(c), "size of c"),
        (UserFunction(np.hypot, (0, 1)), lambda a, b, c: np.hypot(a, b), "hypot(a, b)"),
        (UserFunction(lambda *columns: 7.0, name="seven"), lambda a, b, c: np.full(3, 7.0), "seven"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_values_and_names(basis, formula, label):
    assert_allclose(basis.values(ROWS, NAMES), formula(*ROWS.T), rtol=1e-14)
    assert basis.label(NAMES) == label
    assert isinstance(basis.region(NAMES), str)


@pytest.mark.capability("IML-10-04")
@settings(max_examples=50, deadline=None)
@given(x1=st.floats(-8, 8), x2=st.floats(-8, 8), far=st.floats(-1e6, 1e6))
def test_where_each_basis_is_not_zero(x1, x2, far):
    """IML exercise 10-1: everywhere but multiples of pi; a band; a ball; x2 > 0 but not 1; half-spaces."""
    X = np.array([[x1, x2]])
    (there,) = Sine(0).nonzero(X)
    assert there == (abs(np.sin(x1)) > 1e-12)
    reach = np.sqrt(-np.log(1e-3))  # where the Gaussian of width 1 falls to a thousandth
    assert Gaussian1D(0, 2.0).nonzero(X)[0] == (abs(x1 - 2) < reach)
    assert Gaussian1D(0, 2.0).nonzero([[x1, far]])[0] == Gaussian1D(0, 2.0).nonzero(X)[0]  # x2 is free
    assert RadialGaussian((2.0, 1.0)).nonzero(X)[0] == (np.hypot(x1 - 2, x2 - 1) < reach)
    assert Log(1).nonzero(X)[0] == (x2 > 0 and abs(np.log(x2)) > 1e-12)
    assert Step(0, 2.0).nonzero(X)[0] == (x1 > 2)
    assert ObliqueStep((0, 1), (2.0, 3.0), 1.0).nonzero(X)[0] == (X @ [2.0, 3.0] > 1)[0]


@pytest.mark.capability("IML-10-04")
def test_the_exceptions_of_exercise_1():
    assert_array_equal(Sine(0).nonzero([[0.0], [np.pi], [-2 * np.pi], [1.0]]), [False, False, False, True])
    assert_array_equal(Log(0).nonzero([[1.0], [0.0], [-3.0], [2.0]]), [False, False, False, True])
    assert Log("income").region(["income"]) == "where income > 0 and income is not 1"
    assert "band around a = 2" in Gaussian1D("a", 2).region(NAMES)
    assert "ball" in RadialGaussian((1, 2, 3)).region(NAMES)
    assert "orthogonal to the axis of a" in Step("a", 2).region(NAMES)
    assert "oblique" in ObliqueStep(("a", "b"), (1, 1), 2).region(NAMES)


@pytest.mark.parametrize(
    ("basis", "said"),
    [
        (Sine("d"), "there is no column 'd'. Columns: a, b, c"),
        (Power(3), "there is no column number 3"),
        (Log("c"), "column c is -1 in row 2"),
        (Gaussian1D("a", 0, 0), "width must be a number above 0"),
        (RadialGaussian((1, 2)), "one number for each of 3 columns, got 2"),
        (ObliqueStep(("a",), (1, 2), 0), "one weight for each of 1 columns, got 2"),
        (Product(("a", "b"), (1,)), "one shift for each of 2 columns, got 1"),
        (Power("a", -1), "exponent must be a whole number"),
        (UserFunction(lambda a, b, c: np.zeros(2)), "expected one number for each of 3 rows"),
    ],
    ids=lambda v: v[:20] if isinstance(v, str) else "",
)
def test_what_cannot_be_computed_is_said(basis, said):
    with pytest.raises((DataError, ParameterError), match=said):
        basis.values(ROWS, NAMES)
