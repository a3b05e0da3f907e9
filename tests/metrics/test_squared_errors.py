"""Squared errors: by hand, like scikit-learn, at the ends of the range of numbers, with their intervals."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.metrics import (
    Outcome,
    mean_squared_error,
    mean_squared_log_error,
    measures,
    root_mean_squared_error,
    root_mean_squared_log_error,
    with_interval,
)

NAMES = (
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_squared_log_error",
    "root_mean_squared_log_error",
)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), columns=st.integers(1, 3), weighted=st.booleans())
def test_same_as_scikit_learn(seed, columns, weighted):
    import assay.metrics as ours

    rng = np.random.default_rng(seed)
    y, z = rng.gamma(2, size=(2, 17, columns))
    w = rng.uniform(0.1, 2, 17) if weighted else None
    for name in NAMES:
        for multioutput in (
            "uniform_average",
            "raw_values",
            *([np.arange(1.0, columns + 1)] if columns > 1 else []),
        ):
            options = {"sample_weight": w, "multioutput": multioutput}
            assert_allclose(
                getattr(ours, name)(y, z, **options), getattr(peers, name)(y, z, **options), rtol=1e-12
            )


def test_numbers_of_any_kind_are_taken():
    for make in (list, np.float32, np.int64, np.uint8, pd.Series, pd.DataFrame):
        assert mean_squared_error(make([5, 2, 3]), make([5, 2, 1])) == 4 / 3


def test_numbers_at_the_ends_of_their_range():
    """Errors of 3 and 4 units, in units of any size: the mean square is 12.5 units squared."""
    for unit in (1e-300, 1e-160, 1.0, 1e150, 1e160, 1e300):
        y, z = np.array([0.0, 0.0]), np.array([3.0, 4.0]) * unit
        assert_allclose(root_mean_squared_error(y, z), np.sqrt(12.5) * unit, rtol=1e-14)
        estimate = with_interval("rmse", np.zeros(4), np.array([3.0, 4.0, 3.0, 4.0]) * unit)
        plain = with_interval("rmse", np.zeros(4), np.array([3.0, 4.0, 3.0, 4.0]))
        assert_allclose([estimate.low, estimate.high], [plain.low * unit, plain.high * unit], rtol=1e-12)
    assert_allclose(mean_squared_error([0.0], [3e150]), 9e300)
    assert mean_squared_error([0.0], [3e-200]) == 0 and mean_squared_error([0.0], [3e200]) == np.inf


def test_the_interval_of_the_rmse_is_that_of_the_mse():
    rng = np.random.default_rng(3)
    y = rng.normal(size=40)
    z = y + rng.normal(size=40)
    for weight in (None, rng.uniform(size=40)):
        square, root = (with_interval(name, y, z, sample_weight=weight) for name in ("mse", "rmse"))
        assert square.method == root.method == "t of the logarithm"
        assert_allclose([root.value, root.low, root.high], np.sqrt([square.value, square.low, square.high]))


def test_logarithms_need_numbers_above_minus_one():
    for function in (mean_squared_log_error, root_mean_squared_log_error):
        with pytest.raises(DataError, match="values less than or equal to -1"):
            function([1.0, -2.0], [1.0, 2.0])
    outcome = Outcome.of_numbers([1.0, 2.0], [0.0, -1.0])
    estimate = measures()["msle"].estimate(outcome)
    assert np.isnan(estimate.value) and "-1 or below" in estimate.why
    assert "-1 or below" in with_interval("rmsle", [1.0, 2.0], [0.0, -1.0]).why


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 2], [1]), "inconsistent numbers of samples: 2 true values, 1 predictions"),
        (([[1, 2]], [1]), r"different number of output \(2!=1\)"),
        (([1, np.nan], [1, 2]), "y_true of row 2 is NaN or infinite"),
        (([], []), "there are no rows"),
        ((["a", "b"], [1, 2]), "y_true must be numbers"),
    ],
)
def test_what_is_no_pair_of_numbers_is_refused(arguments, sentence):
    with pytest.raises(DataError, match=sentence):
        mean_squared_error(*arguments)


def test_columns_are_put_together_as_asked_or_refused():
    two = np.eye(2)
    for multioutput, sentence in (
        ("variance_weighted", "one of raw_values, uniform_average or weights"),
        ([1, 2, 3], r"equally many custom weights \(3\) as outputs \(2\)"),
        ([1, -1], "add up to 0"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            mean_squared_error(two, two, multioutput=multioutput)
    with pytest.raises(ParameterError, match="useful only in multi-output"):
        mean_squared_error([1, 2], [1, 2], multioutput=[1.0])


def test_the_interval_of_squares_is_students_on_the_scale_of_the_logarithm():
    """By hand: squares 9, 16, 1; mean 26/3, its logarithm -+ t(2) times the standard error over the mean."""
    squares = np.array([9.0, 16.0, 1.0])
    factor = np.exp(4.302652729911275 * np.std(squares, ddof=1) / np.sqrt(3) / squares.mean())
    estimate = with_interval("mse", [3.0, 1.0, 0.0], [0.0, 5.0, 1.0])
    assert_allclose([estimate.low, estimate.high], [26 / 3 / factor, 26 / 3 * factor], rtol=1e-9)
    exact = with_interval("mse", [1.0, 2.0], [1.0, 2.0])
    assert exact.value == exact.low == exact.high == 0
