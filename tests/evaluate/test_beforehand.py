"""Traces of preparation before the split."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from assay.evaluate import diagnose
from assay.tables.data import load_breast_cancer, load_iris, load_wine

X, Y = load_wine()
X = np.asarray(X)


def found(X, y=None, **settings):
    return {f.code: f for f in diagnose(X, y, **settings)}


@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_columns(ddof):
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=ddof)
    said = found(Z, Y)["scaled-before-split"]
    assert said.severity == "note"
    assert said.sentence.startswith(
        "columns x0, x1, x2, x3, x4 and 8 more have mean 0 and standard deviation 1"
    )
    assert "scaled-before-split" in found(np.round(Z, 6), Y)  # as a file would keep them
    one = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(b=Z[:, 1])
    assert found(one, Y)["scaled-before-split"].sentence.startswith("column b has mean 0")


def test_columns_from_zero_to_one():
    said = found(MinMaxScaler().fit_transform(X), Y)["scaled-before-split"]
    assert "0 as least and 1 as greatest value over all rows" in said.sentence
    assert "scaled-before-split" not in found(
        np.column_stack([MinMaxScaler().fit_transform(X)[:, :3], X[:, 3:]]), Y
    )


def test_scales_that_end_by_nature_are_no_trace():
    grey = np.clip(np.random.default_rng(0).normal(0.4, 0.3, (400, 5)), 0, 1)
    assert (
        grey.min() == 0 and grey.max() == 1 and "scaled-before-split" not in found(grey, np.arange(400) % 2)
    )


def test_a_scale_learned_from_some_rows_alone_is_no_trace():
    half = np.arange(len(X)) % 2 == 0
    assert "scaled-before-split" not in found(StandardScaler().fit(X[half]).transform(X), Y)


@pytest.mark.parametrize("seed", range(20))
def test_numbers_that_happen_to_be_standard_normal_are_not_accused(seed):
    Z = np.random.default_rng(seed).normal(size=(500, 10))
    assert diagnose(Z, np.arange(500) % 2) == []
    U = np.random.default_rng(seed).random((500, 5))
    assert diagnose(U, np.arange(500) % 2) == []


def test_missing_values_filled_by_the_mean_of_all_rows():
    with_missing = np.random.default_rng(0).random(len(X)) < 0.1
    filled = X.copy()
    filled[with_missing, 0] = X[~with_missing, 0].mean()
    said = found(filled, Y)["filled-before-split"]
    assert said.column == "x0" and said.sentence.startswith(
        f"{with_missing.sum()} rows ({with_missing.mean():.1%}) of column x0"
    )
    half = np.arange(len(X)) % 2 == 0
    filled[with_missing, 0] = X[
        half & ~with_missing, 0
    ].mean()  # the mean of training rows is not that of all
    assert "filled-before-split" not in found(filled, Y)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_data_as_they_were_measured_show_no_trace(load):
    data = load()
    assert not {"scaled-before-split", "filled-before-split", "oversampled-before-split"} & set(
        found(data.X, data.y)
    )


def uneven(seed=0):
    draw = np.random.default_rng(seed)
    table = np.round(draw.normal(50, 10, size=(300, 3)))
    table[:, 2] = draw.normal(size=300)
    return table, np.repeat([0, 1], [240, 60])


def test_rows_multiplied_until_the_classes_are_even():
    table, y = uneven()
    more = np.random.default_rng(1).choice(np.flatnonzero(y == 1), 180)
    rows = np.r_[np.arange(300), more]
    said = found(table[rows], y[rows])["oversampled-before-split"]
    assert said.severity == "warning" and "all classes have exactly 240 rows" in said.sentence
    assert "% of 1 are copies" in said.sentence
    assert "oversampled-before-split" not in found(table, y)
    once = np.r_[np.arange(60), 240 + np.arange(60)]  # fewer of the frequent class: no copies
    assert "oversampled-before-split" not in found(table[once], y[once])


def test_rows_put_between_others():
    """Synthetic rows on the line between two of the rare class have fractions where measured rows have none."""
    table, y = uneven()
    draw = np.random.default_rng(2)
    a, b = draw.choice(np.flatnonzero(y == 1), (2, 180))
    made = table[a] + draw.random((180, 1)) * (table[b] - table[a])
    said = found(np.vstack([table, made]), np.r_[y, np.ones(180, dtype=int)])["oversampled-before-split"]
    assert "the class 1 has numbers between whole ones, 0 has none" in said.sentence
    fraction = table + draw.random(table.shape)
    more = fraction[a] + draw.random((180, 3))
    assert "oversampled-before-split" not in found(np.vstack([fraction, more]), np.r_[y, np.ones(180)])


def test_missing_values_filled_by_the_median_of_all_rows():
    rng = np.random.default_rng(2)
    weight = rng.normal(70, 9, size=400)
    with_missing = rng.random(400) < 0.1
    weight[with_missing] = np.median(weight[~with_missing])
    said = found({"weight": weight})["filled-before-split"]
    assert said.sentence.startswith(
        f"{with_missing.sum()} rows ({with_missing.mean():.1%}) of column weight hold exactly its median"
    )
    gain = np.where(rng.random(400) < 0.4, 0.0, rng.normal(size=400))  # no gain, by nature, is the median too
    often = np.where(rng.random(400) < 0.6, 1.0, rng.normal(size=400))
    assert np.median(gain) == 0 and np.median(often) == 1
    assert "filled-before-split" not in found({"gain": gain, "often": often})
