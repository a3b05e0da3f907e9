"""Distances of mixed tables: the formulas in plain NumPy, hand-worked cases, gaps, unseen categories."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.distances import HEOM, Gower, ValueDifference, metric_of
from assay.errors import DataError
from assay.tables import Column, Schema

RNG = np.random.default_rng(3)
CODED = np.array([False, True, False, True])


def table(n):
    X = np.column_stack(
        [RNG.normal(size=n), RNG.integers(0, 3, n), 100 * RNG.normal(size=n), RNG.integers(0, 2, n)]
    )
    X[RNG.random(X.shape) < 0.15] = np.nan
    return X


A, B, Y = table(60), table(25), RNG.integers(0, 3, 60)


def by_the_book(a, b, X, y, kind):
    """One distance, column by column."""
    deltas = []
    for j in range(X.shape[1]):
        there = X[~np.isnan(X[:, j]), j]
        if np.isnan(a[j]) or np.isnan(b[j]):
            if kind != "gower":
                deltas.append(1.0)
        elif not CODED[j]:
            deltas.append(abs(a[j] - b[j]) / (4 * there.std() if kind == "vdm" else np.ptp(there)))
        elif kind == "vdm":
            shares = [np.bincount(y[X[:, j] == v], minlength=3) / (X[:, j] == v).sum() for v in (a[j], b[j])]
            deltas.append(np.sqrt(((shares[0] - shares[1]) ** 2).sum()))
        else:
            deltas.append(float(a[j] != b[j]))
    if kind == "gower":
        return np.mean(deltas) if deltas else 1.0
    return np.sqrt(np.sum(np.square(deltas)))


@pytest.mark.parametrize(("kind", "cls"), [("heom", HEOM), ("gower", Gower), ("vdm", ValueDifference)])
def test_the_kernel_computes_the_formula(kind, cls):
    metric = cls(CODED).learn(A, Y)
    expected = [[by_the_book(a, b, A, Y, kind) for a in A] for b in B]
    assert_allclose(metric.between(B, A), expected, rtol=1e-12, atol=1e-14)


# Oracle: IML 8.6, (8-22): Hamming((red, 1, yes), (red, 2, no)) = 2, here as the square of the overlap distance.
@pytest.mark.capability("IML-8-16")
@pytest.mark.capability("IML-7-25")
def test_hamming_counts_the_columns_that_differ():
    schema = Schema([Column(name, "nominal", (0, 1)) for name in "abc"])
    metric = metric_of("heom", schema=schema).learn(np.array([[0.0, 0, 0], [0.0, 1, 1]]))
    assert_allclose(metric.between([[0.0, 0, 0]], [[0.0, 1, 1]]) ** 2, [[2.0]])


def test_a_constant_column_differs_by_one_or_not_at_all():
    X = np.array([[5.0, 0.0], [5.0, 10.0]])
    for cls in (HEOM, ValueDifference):
        metric = cls().learn(X, np.array([0, 1]))
        assert metric.between([[5.0, 0.0]], [[6.0, 0.0]]) == 1.0
        assert metric.between([[5.0, 0.0]], [[5.0, 0.0]]) == 0.0
    assert Gower().learn(X).between([[5.0, 0.0]], [[7.0, 5.0]]) == 0.75


def test_rows_that_share_nothing_and_empty_columns():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    assert Gower().learn(X).between([[1.0, np.nan]], [[np.nan, 3.0]]) == 1.0
    assert_allclose(HEOM().learn(X).between(X, X), np.sqrt([[1.0, 2.0], [2.0, 1.0]]))
    vdm = ValueDifference(np.array([False, True])).learn(X, np.array([0, 1]))
    assert vdm.between([[1.0, 0.0]], [[1.0, 1.0]]) == 1.0  # a category that training did not have


def test_ordinal_columns_are_ranks():
    schema = Schema([Column("size", "ordinal", ("S", "M", "L"))])
    metric = metric_of("gower", schema=schema).learn(np.array([[0.0], [2.0]]))
    assert_allclose(metric.between([[0.0]], [[1.0], [2.0]]), [[0.5, 1.0]])


def test_auto_takes_what_fits():
    nominal = Schema([Column("a", "nominal", ("x", "y"))])
    assert metric_of("auto", p=1).learn(np.ones((2, 2))).name == "manhattan"
    assert metric_of("auto").learn(np.array([[np.nan], [1.0]])).name == "heom"
    assert metric_of("auto", schema=nominal).learn(np.ones((2, 1))).name == "heom"


def test_what_is_refused():
    with pytest.raises(DataError, match="vdm: this metric looks at the classes"):
        ValueDifference().learn(A)
    with pytest.raises(DataError, match="knows 4 columns, the table has 2"):
        HEOM(CODED).learn(A).between(A[:, :2], A[:, :2])


def test_tables_of_a_strangers_file_are_checked():
    from dataclasses import replace

    sound = ValueDifference(CODED).learn(A, Y)
    sound._check_stored()
    wrong = [
        {"start_": sound.start_ + 1},
        {"start_": sound.start_[::-1].copy()},
        {"worth_": sound.worth_[:-1]},
        {"start_": np.array([0, 2, 2, 2, 2]), "worth_": np.zeros(2)},
        {"start_": None},
        {"scale_": sound.scale_[:2]},
    ]
    for change in wrong:
        with pytest.raises(ValueError, match="do not fit together"):
            replace(sound, **change)._check_stored()
    with pytest.raises(ValueError, match="table"):
        replace(sound, worth_=sound.worth_[:-1]).between(A, A)


@pytest.mark.parametrize("metric", [HEOM, Gower, ValueDifference])
def test_a_weight_of_two_is_a_row_that_came_twice(metric):
    rows, classes = table(40), RNG.integers(0, 3, 40)
    rows[0] = [50.0, 2, 9e4, 1]  # the ends of the ranges, of weight 0
    w = RNG.integers(0, 4, 40).astype(float)
    w[0] = 0
    again = np.repeat(np.arange(40), w.astype(int))
    weighed = metric(coded=CODED).learn(rows, classes, w)
    repeated = metric(coded=CODED).learn(rows[again], classes[again])
    assert_allclose(weighed.between(A, B), repeated.between(A, B), rtol=1e-12)
