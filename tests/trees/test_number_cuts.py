"""The best thresholds of a node with numbers as targets: native code, and the search that writes them all down."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.trees._number_cuts as _number_cuts
from assay.trees.node_measures import NumberMeasure
from assay.trees.split_search import SplitSearch

# Oracle: SplitSearch without its quick way, which lists every threshold with the errors of both sides.


def both(y, error="squared", **settings):
    slow, quick = (SplitSearch(NumberMeasure(y, error, "mean"), np.zeros(3, int), **settings) for _ in "ab")
    slow.quick = False
    assert quick.quick
    return slow, quick


@pytest.mark.parametrize("error", ["squared", "deviation"])
@pytest.mark.parametrize("candidates", ["midpoints", "boundary", "equal-depth"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_kernel_takes_the_threshold_that_the_list_of_all_takes(error, candidates, missing, order):
    rng = np.random.default_rng(0)
    for trial in range(40):
        n = int(rng.integers(2, 60))
        X = np.asarray(rng.integers(0, rng.integers(2, 40), (n, 3)) * 0.5 + 1e6, order=order)
        X[rng.random(X.shape) < missing] = np.nan
        y = rng.normal(size=n) + 1e3 * (trial % 2)
        rows = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
        w = rng.integers(1, 4, len(rows)) * 0.5
        settings = {"candidates": candidates, "max_candidates": 5, "min_weight": float(rng.integers(0, 4))}
        slow, quick = both(y, error, **settings)
        before = slow.measure.node(rows, w)
        expected, found = (search.best_of_each(X, rows, w, before) for search in (slow, quick))
        assert [(s.column, s.threshold) for s in found] == [(s.column, s.threshold) for s in expected]
        for name in ("after", "decrease", "score"):
            numbers = ([getattr(split, name) for split in splits] for splits in (found, expected))
            # a side without deviation has the root of a rounding error
            assert_allclose(*numbers, rtol=1e-9, atol=1e-7 if error == "deviation" else 1e-12)


def test_categories_and_numbers_stand_in_the_order_of_the_columns():
    X = np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 4.0], [1.0, 3.0, 3.0], [0.0, 4.0, 2.0]])
    search = SplitSearch(
        NumberMeasure(np.arange(4.0), "squared", "mean"), np.array([2, 0, 0]), "binary grouping"
    )
    assert search.quick
    assert [split.column for split in search.best_of_each(X, np.arange(4), np.ones(4), 1.25)] == [0, 1, 2]


def test_a_column_that_separates_nothing_has_no_threshold():
    X, found = np.array([[1.0, np.nan], [1.0, 2.0]]), np.empty((2, 4))
    _number_cuts.best_cuts(
        X=X,
        rows=np.arange(2),
        w=np.ones(2),
        y=np.arange(2.0),
        columns=np.arange(2),
        most=0,
        least=0.0,
        slack=0.0,
        root=False,
        out=found,
    )
    assert np.isnan(found[:, 0]).all()


def test_numbers_next_to_each_other_are_distinguished():
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    found = np.empty((1, 4))
    _number_cuts.best_cuts(
        X=X,
        rows=np.arange(2),
        w=np.ones(2),
        y=np.arange(2.0),
        columns=np.arange(1),
        most=0,
        least=0.0,
        slack=0.0,
        root=False,
        out=found,
    )
    assert found[0, 0] == 1.0 and found[0, 1] == 0.0


@pytest.mark.parametrize("rows, columns", [([0, 5], [0]), ([0, -1], [0]), ([0, 1], [1])])
def test_numbers_outside_of_the_table_are_refused(rows, columns):
    with pytest.raises(ValueError, match="out of range"):
        _number_cuts.best_cuts(
            X=np.zeros((2, 1)),
            rows=np.array(rows),
            w=np.ones(2),
            y=np.zeros(2),
            columns=np.array(columns),
            most=0,
            least=0.0,
            slack=0.0,
            root=False,
            out=np.empty((1, 4)),
        )
