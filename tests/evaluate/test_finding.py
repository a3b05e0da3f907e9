"""What a check looks at."""

import numpy as np

from assay.evaluate.design import Resampling
from assay.evaluate.finding import SAMPLE, Case, listed
from assay.evaluate.target import as_target
from assay.tables import Table


def case(n=200, **settings):
    X = np.random.default_rng(0).normal(size=(n, 2))
    X[::10, 1] = np.nan
    y = as_target(np.arange(n) % 2, n, "test")
    return Case(X, Table.of(X), y, 10, frozenset(), **settings)


def test_very_many_rows_are_sampled_in_order_and_always_alike():
    many = case(3 * SAMPLE)
    assert len(many.rows) == SAMPLE == len(many.y) and (np.diff(many.rows) > 0).all()
    np.testing.assert_array_equal(many.rows, case(3 * SAMPLE).rows)
    assert len(case(50).rows) == 50


def test_missing_values_are_left_out_of_known_values():
    assert len(case().known(0)) == 200 and len(case().known(1)) == 180


def test_the_plan_is_the_design_or_so_many_folds_and_only_its_first_repetition_is_dealt():
    assert case().plan == Resampling(folds=10) and len(case().splits()) == 10
    assert len(case(design=Resampling.of("4x5")).splits()) == 5
    assert (
        len(case(design=Resampling.of("5-time"), times=np.arange(200), groups=np.arange(200)).splits()) == 5
    )
    assert case(3).splits() == []


def test_lists_of_names_are_cut():
    assert listed([]) == "" and listed(range(7), 5) == "0, 1, 2, 3, 4 and 2 more" and listed("ab") == "a, b"
