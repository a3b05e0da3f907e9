"""Splits: every row tested once, classes and groups kept, the same for the same seed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling

labels = st.lists(st.integers(0, 3), min_size=6, max_size=60).map(
    lambda v: np.unique(v, return_inverse=True)[1]
)


@pytest.mark.capability("DC-109", "IML-19-05")
@given(y=labels, folds=st.integers(2, 6), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=60)
def test_in_each_repetition_every_row_is_tested_once_and_classes_are_even(y, folds, seed):
    design = Resampling(folds=folds, repetitions=2)
    tested = np.zeros((2, len(y)), dtype=int)
    for split in design.splits(y, seed):
        tested[split.repetition, split.test] += 1
        assert np.array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(len(y)))
        counts = np.bincount(y[split.test], minlength=y.max() + 1)
        assert (np.abs(counts - np.bincount(y) / folds) < 1).all()  # never a row more or less than its share
        assert abs(len(split.test) - len(y) / folds) < 1
    assert (tested == 1).all()


@pytest.mark.capability("IML-19-05")
def test_five_by_two_gives_ten_half_size_pairs():
    splits = list(Resampling.of("5x2").splits(np.repeat([0, 1], 10), seed=3))
    assert [(s.repetition, s.fold) for s in splits] == [(r, f) for r in range(5) for f in range(2)]
    assert all(len(s.train) == len(s.test) == 10 for s in splits)
    halves = {tuple(s.test) for s in splits}
    assert len(halves) == 10  # the repetitions differ


@pytest.mark.capability("DC-109", "IML-19-05")
def test_leave_one_out_tests_each_row_alone():
    splits = list(Resampling.of("leave-one-out").splits(np.array([0, 1, 0, 1, 1])))
    assert [s.test.tolist() for s in splits] == [[0], [1], [2], [3], [4]]
    assert splits[2].train.tolist() == [0, 1, 3, 4]


@pytest.mark.capability("DC-108")
def test_a_stratified_holdout_keeps_the_shares_of_the_classes():
    # Oracle: 1000 rows 990 + 10, 200 test rows: 198 + 2.
    y = np.repeat([0, 1], [990, 10])
    design = Resampling.of("5xholdout(0.2)")
    splits = list(design.splits(y, seed=1))
    assert len(splits) == 5 and len({tuple(s.test) for s in splits}) == 5
    for split in splits:
        assert np.bincount(y[split.test]).tolist() == [198, 2]
        assert not set(split.train) & set(split.test)
    # Oracle: plain sampling would miss the rare class with probability C(990, 200)/C(1000, 200) = 0.106164
    assert math.comb(990, 200) / math.comb(1000, 200) == pytest.approx(0.106164, abs=5e-7)


@pytest.mark.capability("IML-19-05")
def test_two_training_sets_of_ten_folds_share_eight_ninths():
    # Oracle: a fraction (K - 2)/(K - 1) of their content
    a, b, *_ = (set(s.train) for s in Resampling.of("10-fold").splits(np.arange(100) % 2))
    assert len(a & b) / len(a) == pytest.approx(8 / 9)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=12, max_size=60), st.integers(0, 50)
)
@settings(deadline=None, max_examples=40)
def test_a_group_is_never_on_both_sides(rows, seed):
    groups, y = np.array(rows).T
    y = np.unique(y, return_inverse=True)[1]
    if len(np.unique(groups)) < 3:
        return
    for design in (Resampling(folds=3), Resampling("holdout", 1, 2, 0.3), Resampling("holdout", 1, 1, 0.7)):
        for split in design.splits(y, seed, groups):
            assert not set(groups[split.train]) & set(groups[split.test])
            assert len(split.train) + len(split.test) == len(y)


@pytest.mark.parametrize("design", ["3x4", "5x2", "4xholdout", "leave-one-out", "bootstrap(7)", "5-time"])
def test_the_number_of_splits_is_known_beforehand_and_words_say_what_is_done(design):
    y = np.arange(40) % 2
    plan = Resampling.of(design)
    assert plan.count(40) == len(list(plan.splits(y, 1)))
    assert str(plan) and str(plan)[0] != "R"


def test_a_bootstrap_is_tested_on_what_it_did_not_draw():
    y = np.arange(60) % 3
    for split in Resampling.of("bootstrap(20)").splits(y, 3):
        assert len(split.train) == 60
        assert np.array_equal(np.setdiff1d(np.arange(60), split.train), split.test)


def test_a_class_that_only_later_rows_have_is_told():
    y = np.r_[[0, 1] * 10, [2] * 20]
    _, notes = Resampling.of("3-time").fitted_to(y, ["a", "b", "c"])
    assert notes == ["On 1 of 3 splits a class was tested that the earlier rows lack."]
    _, notes = Resampling.of("3-time").fitted_to(y, ["a", "b", "c"], times=np.arange(40) * 7 % 40)
    assert notes == []


def test_times_are_asked_for_only_where_they_are_not_given():
    y = np.r_[[0] * 30, [1] * 10]
    with pytest.raises(DataError, match="Ask for fewer blocks, or give the times of the rows"):
        Resampling.of("3-time").fitted_to(y, ["a", "b"])
    with pytest.raises(DataError, match=r"all of the class a\. Ask for fewer blocks\.$"):
        Resampling.of("3-time").fitted_to(y, ["a", "b"], times=np.arange(40))


def test_groups_of_one_class_are_spread_over_the_folds():
    groups = np.repeat(np.arange(20), 5)
    y = (groups >= 10).astype(int)
    for split in Resampling(folds=5).splits(y, 0, groups):
        assert np.bincount(y[split.test]).tolist() == [10, 10]


def test_the_seed_decides_alone():
    y = np.repeat([0, 1, 2], 20)
    tests = [[s.test.tolist() for s in Resampling.of("2x5").splits(y, seed)] for seed in (7, 7, 8)]
    assert tests[0] == tests[1] != tests[2]


def test_a_rare_class_lowers_the_number_of_folds_but_not_below_five():
    y = np.repeat([0, 1], [50, 7])
    design, notes = Resampling.of("10x10").fitted_to(y, ["good", "bad"])
    assert (design.folds, design.repetitions) == (7, 10)
    assert notes == ["10 folds were asked for, but class bad has 7 rows: 7 folds are used."]
    design, notes = Resampling.of("10-fold").fitted_to(np.repeat([0, 1], [50, 1]), ["good", "bad"])
    assert design.folds == 5
    assert any("no learner has seen its class" in note for note in notes)
    same, notes = Resampling.of("10-fold").fitted_to(np.repeat([0, 1], 30), ["a", "b"])
    assert same.folds == 10 and notes == []


def test_too_few_rows_and_one_group_are_refused():
    with pytest.raises(DataError, match="3 rows are too few"):
        Resampling.of("10-fold").fitted_to(np.array([0, 1, 1]), ["a", "b"])
    with pytest.raises(DataError, match="all rows are of one group"):
        Resampling.of("5-fold").fitted_to(np.array([0, 1] * 9), ["a", "b"], np.zeros(18))


@pytest.mark.parametrize(
    ("text", "name"),
    [("10-fold", "10-fold"), ("10 x 10", "10x10"), ("5×2", "5x2"), (4, "4-fold"), ("holdout", "holdout"),
     ("holdout 0.2", "holdout(0.2)"), ("20xholdout", "20xholdout"), ("LOO", "leave-one-out"),
     ("logo", "leave-one-group-out"), ("5-time", "5-time"), ("time(4)", "4-time"), ("time", "5-time"),
     ("time(3, gap=10, window=50)", "3-time(gap=10,window=50)"), ("6-time(window=9)", "6-time(window=9)"),
     ("bootstrap", "bootstrap(200)"), ("bootstrap(50)", "bootstrap(50)"), ("30-bootstrap", "bootstrap(30)")],
)  # fmt: skip
def test_names_are_read_and_written_back(text, name):
    design = Resampling.of(text)
    assert design.name == name
    assert Resampling.of(design.name) == design


@pytest.mark.parametrize(
    "wrong",
    [
        "ten",
        "1-fold",
        "0x10",
        "holdout(1.5)",
        "holdout(0.0)",
        None,
        True,
        "10xx10",
        "0-time",
        "time(3,gape=1)",
        "5-time(window=0)",
        "bootstrap(0)",
        "",
        [],
        [1, 2],
        0,
    ],
)
def test_a_design_that_is_none_is_refused_with_examples(wrong):
    with pytest.raises(ParameterError, match="compare: "):
        Resampling.of(wrong)
