"""Copies with noise are found; rows that are dense by nature are not."""

import numpy as np
import pandas as pd
import pytest

from assay.evaluate import diagnose
from assay.tables.data import load_breast_cancer, load_digits, load_iris, load_wine

rng = np.random.default_rng(0)


def found(X, y=None, **settings):
    return {f.code: f for f in diagnose(X, y, **settings)}


def with_copies(n, d, copies, noise, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d)) * 10 ** draw.uniform(-3, 3, d)
    again = X[:copies] + noise * X.std(axis=0) * draw.uniform(-1, 1, (copies, d))
    return np.vstack([X, again])


@pytest.mark.parametrize("d", [4, 30])
def test_copies_with_a_little_noise(d):
    X = with_copies(500, d, 40, 1e-4)
    said = found(X)["near-copies"]
    assert said.severity == "warning" and said.sentence.startswith(
        "80 of 540 distinct rows looked at are nearly equal"
    )
    first, second = (int(v) - 1 for v in said.sentence.split("(rows ")[1].split(", for")[0].split(", "))
    assert second == first + 500
    assert "near-copies" not in found(
        with_copies(500, d, 40, 0.05)
    )  # a twentieth of the spread is another row
    assert "near-copies" not in found(X[:500])


def test_copies_in_other_units_or_rounding():
    X = with_copies(400, 5, 30, 0.0)
    X[400:] = np.round(X[400:] / X.std(axis=0), 4) * X.std(axis=0)
    assert "near-copies" in found(X)
    exact = with_copies(400, 5, 30, 0.0)
    assert "near-copies" not in found(exact) and "duplicate-rows" in found(exact)


def test_near_copies_that_are_kept_together_do_no_harm():
    X = with_copies(500, 5, 40, 1e-4)
    assert "near-copies" not in found(X, groups=np.r_[np.arange(500), np.arange(40)])


def test_the_other_columns_must_agree():
    X = pd.DataFrame(with_copies(400, 5, 30, 1e-4)).add_prefix("x")
    assert "near-copies" in found(X.assign(kind="a"))
    assert "near-copies" not in found(X.assign(kind=np.where(np.arange(430) < 400, "a", "b")))


@pytest.mark.parametrize("n", [2000, 30_000])
def test_rows_that_are_dense_by_nature_are_not_accused(n):
    """Five columns that say one thing: thousands of pairs are near, and thrice as many a little farther."""
    t = np.random.default_rng(1).normal(size=n)
    assert "near-copies" not in found(np.column_stack([t, t**3, np.exp(t), np.tanh(t), 2 * t]))
    assert "near-copies" not in found(np.random.default_rng(2).normal(size=(n, 4)))


@pytest.mark.parametrize("kind", ["many zeros", "huge tails", "one outlier"])
def test_columns_that_are_no_bell_do_not_make_rows_near(kind):
    draw = np.random.default_rng(3)
    X = draw.normal(size=(5000, 6))
    if kind == "many zeros":
        X = np.where(draw.random(X.shape) < 0.9, 0.0, X)
    elif kind == "huge tails":
        X = np.exp(5 * X)
    else:
        X[0] = 1e9
    assert "near-copies" not in found(X)


def test_of_very_many_rows_some_are_looked_at():
    said = found(with_copies(30_000, 5, 3000, 1e-5, seed=4))["near-copies"]
    assert "of 20000 distinct rows looked at" in said.sentence


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_respectable_data_have_none(load):
    data = load()
    assert "near-copies" not in found(data.X, data.y)
