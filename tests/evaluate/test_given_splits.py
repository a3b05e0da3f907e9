"""Splits made by others: taken as they are, refused when they would deceive."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
)

from assay import compare
from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.evaluate.given_splits import GivenSplits
from assay.tables.data import load_iris, load_wine


@pytest.mark.capability("IML-19-03")
@pytest.mark.parametrize(
    "splitter",
    [KFold(4, shuffle=True, random_state=1), StratifiedKFold(3), ShuffleSplit(3, random_state=0),
     PredefinedSplit(np.arange(150) % 4), GroupKFold(3), LeaveOneGroupOut()],
)  # fmt: skip
def test_a_splitter_of_scikit_learn_gives_its_own_splits_to_every_learner(splitter):
    X, y = load_iris()
    groups = np.arange(150) % 5 if "Group" in type(splitter).__name__ else None
    result = compare(["majority", "lda"], X.values, y, design=splitter, groups=groups)
    wanted = list(splitter.split(X.values, y, groups))
    for split, test, (train, wanted_test) in zip(result.splits, result.tests, wanted, strict=True):
        assert_array_equal(split.train, train)
        assert_array_equal(test, wanted_test)
    assert all(len(result.cells[name]) == len(wanted) for name in result.learners)


def test_rows_are_tested_once_in_each_repetition():
    given = GivenSplits(ShuffleSplit(6, test_size=0.2, random_state=0)).dealt(
        np.zeros((20, 1)), None, None, 20
    )
    numbers = given.repetitions()
    for r in set(numbers):
        tested = np.concatenate([test for k, (_, test) in zip(numbers, given.pairs) if k == r])
        assert len(np.unique(tested)) == len(tested)
    kfold = GivenSplits(KFold(5)).dealt(np.zeros((20, 1)), None, None, 20)
    assert kfold.repetitions() == [0] * 5


def test_pairs_of_rows_or_masks_count_rows_as_they_were_given():
    X, y = load_wine()
    y = y.astype(object)
    y[:5] = None  # left out, so that row 10 becomes row 5
    test = np.zeros(178, dtype=bool)
    test[::2] = True
    result = compare(
        ["lda"], X.values, y, design=[(~test, test), (np.flatnonzero(test), np.flatnonzero(~test))]
    )
    assert len(result.places) == 2
    assert_array_equal(result.tests[0], np.flatnonzero(test[5:]))
    assert str(result.design) == "2 given splits"


@pytest.mark.parametrize(
    ("design", "words"),
    [([([0, 1, 2], [2, 3])], "split 0 tests 1 row that it also trains on .row number 2"),
     ([([0, 1], [])], "has no row to test"), ([([], [1])], "has no row to teach"),
     ([([0, 1], [2, 2])], "tests a row twice"), ([([0, 200], [1])], "row numbers go from 0 to 149"),
     ([([0.5], [1])], "whole numbers or a mask"), ([([True, False], [False, True])], "a mask of rows needs 150"),
     (GroupKFold(3), "If it needs groups, give groups=")],
)  # fmt: skip
def test_splits_that_would_deceive_are_refused(design, words):
    with pytest.raises(DataError, match=words):
        compare(["majority"], *load_iris(), design=design)


def test_a_splitter_without_splits_is_refused():
    class Nothing:
        def split(self, X, y, groups):
            return iter(())

    with pytest.raises(ParameterError, match="gives no split"):
        compare(["majority"], *load_iris(), design=Nothing())
    assert Resampling.of(Nothing()).kind == "given"


def test_the_iterator_that_a_splitter_returns_will_do():
    X, y = load_iris()
    result = compare(["majority"], X.values, y, design=StratifiedKFold(3).split(X.values, y))
    assert len(result.places) == 3 and len(result.splits) == 3
    with pytest.raises(ParameterError, match="gives no split"):
        compare(["majority"], X.values, y, design=iter(()))
    with pytest.raises(DataError, match="must be a pair"):
        compare(["majority"], X.values, y, design=iter([([0], [1], [2])]))


def test_a_design_that_parts_groups_is_refused():
    X, y = load_iris()
    groups = np.arange(150) // 5
    half = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    for design in (KFold(4), half):
        with pytest.raises(DataError, match=r"split 0 parts \d+ group.* teach and test"):
            compare(["majority"], X, y, design=design, groups=groups)
    with pytest.raises(DataError, match="parts 30 groups"):
        compare(["majority"], X, y, test=np.arange(150) % 2 == 0, groups=groups)
    with pytest.raises(ParameterError, match=r"KFold is its class. Give KFold\(\)"):
        compare(["majority"], X, y, design=KFold)


def test_a_splitter_is_asked_once():
    class Counting(KFold):
        asked = 0

        def split(self, X, y=None, groups=None):
            self.asked += 1
            return super().split(X, y)

    design = Counting(3)
    compare(["majority"], *load_iris(), design=design)
    assert design.asked == 1
