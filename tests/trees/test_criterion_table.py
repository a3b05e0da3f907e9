"""The criterion tables that are printed or worked in the books."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.tables.data import load_apples, load_charity_donors
from assay.trees.criteria import gain, gain_ratio, gini, impurity_after
from assay.trees.criterion_table import criterion_table

# IML 9.2.1, eight rows.
EIGHT = pd.DataFrame(
    {
        "id": [f"r{i}" for i in range(1, 9)],
        "colour": ["red"] * 3 + ["blue"] * 3 + ["green"] * 2,
        "size": [1.0, 2.0, 3.5, 1.5, 4.0, 5.0, 2.5, 4.5],
    }
)
SIGN = ["+", "+", "-", "+", "-", "-", "+", "-"]


@pytest.mark.capability("C3-41")
def test_apples_by_category():
    """C3 3.2.3: gain, split information, gain ratio and average Gini of the three nominal columns."""
    apples = load_apples()
    table = criterion_table(apples.X, apples.y)
    assert_allclose([table.entropy, table.gini], [0.9709505944546686, 0.48], rtol=1e-14)
    oracle = {
        "colour": (0.6099865470, 1.4854752972, 0.4106339218, 0.16),
        "shape": (0.2812908992, 0.8812908992, 0.3191805333, 0.3428571429),
        "taste": (0.0058021490, 0.8812908992, 0.0065836933, 0.4761904762),
    }
    for column, numbers in oracle.items():
        (s,) = table.of(column)
        assert_allclose([s.gain, s.split_information, s.gain_ratio, s.gini], numbers, atol=5e-11)
    assert table.best("gain").column == table.best("gini").column == "colour"


@pytest.mark.capability("C3-41")
def test_apples_by_two_way_splits():
    apples = load_apples()
    table = criterion_table(apples.X, apples.y, nominal="one-vs-rest")
    found = {f"{s.column} {s.split}": (s.gain, s.gini) for s in table}
    oracle = {
        "colour = green": (0.5567796494, 0.1714285714),
        "colour = yellow": (0.1709505945, 0.4),
        "colour = yellow-green": (0.1245112498, 0.4),
        "shape = oblate": (0.2812908992, 0.3428571429),
        "weight <= 160": (0.1444843, 0.4),
        "weight <= 175": (0.3219281, 0.3),
        "weight <= 185": (0.5567796494, 0.1714285714),
        "weight <= 195": (0.2564259, 0.3166667),
        "weight <= 205": (0.0464393, 0.45),
        "weight <= 220": (0.2812909, 0.3428571),
        "weight <= 235": (0.1709506, 0.4),
        "weight <= 250": (0.0789821, 0.4444444),
    }
    for split, numbers in oracle.items():
        assert_allclose(found[split], numbers, atol=5e-8, err_msg=split)


@pytest.mark.capability("C3-41", "IML-9-10", "IML-9-11")
def test_charity_donors():
    """DC 10.3.1: every midpoint of both columns."""
    donors = load_charity_donors()
    table = criterion_table(donors.X, donors.y)
    oracle = {
        "Age": "24 .4364 .8827 32.5 .3636 .7513 40.5 .2727 .5900 43.5 .3961 .8443 47.5 .2970 .6827 52 .3879 .8290 "
        "54.5 .4481 .9220 57.5 .4848 .9777 60 .4040 .8109 62 .4545 .9091",
        "Salary": "27500 .4364 .8827 33500 .3636 .7513 39000 .2727 .5900 46000 .1558 .3765 53000 .2970 .6827 "
        "55500 .1515 .3546 58500 .2597 .5493 64500 .3409 .6941 69000 .4040 .8109 72000 .4545 .9091",
    }
    for column, numbers in oracle.items():
        wanted = np.array(numbers.split(), dtype=float).reshape(-1, 3)
        found = [(*s.thresholds, s.gini, s.entropy) for s in table.of(column)]
        assert_allclose(found, wanted, atol=5.1e-5)
    best = {s.thresholds: s for s in table.of("Salary")}
    assert_allclose([best[55500.0,].gain, best[46000.0,].gain], [0.639473, 0.617511], atol=5e-7)
    assert_allclose([best[55500.0,].gain_ratio, best[46000.0,].gain_ratio], [0.643313, 0.652995], atol=5e-7)
    assert_allclose([best[55500.0,].error, best[46000.0,].error], 1 / 11, rtol=1e-12)
    assert table.best("gain").thresholds == table.best("gini").thresholds == (55500.0,)
    assert table.best("gain_ratio").thresholds == (46000.0,)
    (half,) = [s for s in table.of("Age") if s.thresholds == (47.5,)]  # the same rows as Age at 50
    found = [half.gini, half.entropy, half.error, half.gain, half.split_information, half.gain_ratio]
    assert_allclose(found, [0.296970, 0.682707, 0.181818, 0.311323, 0.994030, 0.313193], atol=5e-7)


@pytest.mark.capability("IML-9-10", "IML-9-11")
def test_the_eight_rows():
    table = criterion_table(EIGHT, SIGN)
    (number,), (colour,) = table.of("id"), table.of("colour")
    assert (number.gain, number.entropy, number.split_information) == (1.0, 0.0, 3.0)
    assert_allclose(number.gain_ratio, 1 / 3)
    found = [colour.entropy, colour.gain, colour.split_information, colour.gain_ratio]
    assert_allclose(found, [0.938722, 0.061278, 1.561278, 0.039249], atol=5e-7)
    after = {s.thresholds[0]: s.entropy for s in table.of("size")}
    oracle = {
        3.0: 0,
        2.25: 0.451205,
        3.75: 0.451205,
        1.75: 0.688722,
        4.25: 0.688722,
        1.25: 0.862075,
        4.75: 0.862075,
    }
    assert after.keys() == oracle.keys()
    for threshold, value in oracle.items():
        assert after[threshold] == pytest.approx(value, abs=5e-7)
    assert table.best("gain").column == "id"  # ties with size, and comes first
    assert table.best("gain_ratio").column == "size"


def test_every_grouping_agrees_with_its_contingency_table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": rng.choice(list("abcde"), 60)})
    y = rng.integers(0, 3, 60)
    table = criterion_table(X, y, nominal="binary grouping")
    assert len(table) == 2 ** (5 - 1) - 1
    for s in table:
        names = s.split[2:] if s.split.startswith("=") else s.split[4:-1]
        inside = X["c"].isin(names.split(", ")).to_numpy()
        counts = np.array([np.bincount(y[inside], minlength=3), np.bincount(y[~inside], minlength=3)])
        assert_allclose(s.gain, gain(counts), atol=1e-12)
        assert_allclose(s.gain_ratio, gain_ratio(counts), atol=1e-12)
        assert_allclose(s.gini, impurity_after(counts, "gini"), atol=1e-12)
        assert_allclose(s.error, impurity_after(counts, "error"), atol=1e-12)
    assert table.gini == pytest.approx(gini(np.bincount(y)))


def test_weights_count_as_repetitions():
    rng = np.random.default_rng(1)
    X, y, w = rng.integers(0, 5, (20, 2)).astype(float), rng.integers(0, 2, 20), rng.integers(0, 4, 20)
    weighted, repeated = criterion_table(X, y, w), criterion_table(np.repeat(X, w, axis=0), np.repeat(y, w))
    for a, b in zip(weighted, repeated, strict=True):
        assert (a.column, a.split) == (b.column, b.split)
        assert_allclose([a.gain, a.gini, a.error], [b.gain, b.gini, b.error], atol=1e-12)


def test_rows_without_a_value_reduce_the_gain():
    whole = criterion_table([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).best()
    with_missing = criterion_table(
        [[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]], [0, 0, 1, 1, 0, 1]
    ).best()
    assert whole.gain == 1.0 and with_missing.gain == pytest.approx(4 / 6)


def test_a_table_prints_and_an_empty_one_says_so():
    text = str(criterion_table(EIGHT, SIGN))
    assert "(all rows)" in text.splitlines()[1] and "<= 3 " in text
    with pytest.raises(DataError, match="no column separates"):
        criterion_table([[1.0], [1.0]], [0, 1]).best()
    with pytest.raises(ParameterError, match="criterion must be one of 'gain', 'gain_ratio'"):
        criterion_table(EIGHT, SIGN).best("purity")
    with pytest.raises(ParameterError, match="nominal must be"):
        criterion_table(EIGHT, SIGN, nominal="both")


def test_the_gain_is_that_of_the_rows_that_have_a_value():
    """The rows without a value are all of one class; leaving them out is no merit of the column."""
    X = [[1.0], [2.0], [1.0], [2.0], [np.nan], [np.nan]]
    (only,) = criterion_table(X, [0, 0, 1, 1, 1, 1])
    assert only.gain == pytest.approx(0, abs=1e-15) and only.entropy == 1.0


@pytest.mark.capability("C3-41")
def test_shape_and_taste_of_the_yellow_green_apples_tie():
    apples = load_apples()
    rows = [1, 3, 5, 7, 9]
    schema, values = apples.X.schema, apples.X.values[rows]
    X = pd.DataFrame(
        {name: [schema.label(j, v) for v in values[:, j]] for j, name in enumerate(schema.names)}
    )
    assert set(X["colour"]) == {"yellow-green"}
    table = criterion_table(X[["shape", "taste"]], np.asarray(apples.y)[rows])
    assert_allclose([table.entropy, table.gini], [0.7219280949, 0.32], atol=5e-11)
    for s in table:
        assert_allclose([s.gain, s.gain_ratio, s.gini], [0.0729055953, 0.1009873363, 0.3], atol=5e-11)
    assert table.best().column == "shape"
