"""The data sets of an experiment."""

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.experiments.problem import Problem, named_sources
from assay.tables import write_arff
from assay.tables.data import load_iris

PAIR = (np.arange(20.0).reshape(10, 2), np.arange(10) % 2)


def problem(source, design="2-fold", seed=0):
    return Problem.of("it", source, Resampling.of(design), seed)


def file(tmp_path, text):
    path = tmp_path / "loans.csv"
    path.write_text(text)
    return path


ROWS = "age,who,when,late\n" + "".join(
    f"{20 + i},p{i // 2},2024-01-{i + 1:02},{'yes' if i % 2 else 'no'}\n" for i in range(12)
)


def test_all_ways_of_giving_data(tmp_path):
    path = file(tmp_path, ROWS)
    assert problem("iris").print == problem(load_iris()).print
    assert problem(PAIR).print == problem({"X": PAIR[0], "y": PAIR[1]}).print
    assert problem({"file": path, "target": "late"}).about.rows == 12
    arff = tmp_path / "a.arff"
    write_arff({"x": list(range(8))}, arff, y=["a", "b"] * 4)
    assert problem(arff).about.rows == problem(str(arff)).about.rows == 8


def test_columns_to_drop_are_no_features(tmp_path):
    path = file(tmp_path, ROWS)
    for drop in ("who", ["who", "when"]):
        dropped = problem({"file": path, "target": "late", "drop": drop})
        assert [c.name for c in dropped.about.columns] == [c for c in ("age", "who", "when") if c not in drop]
    with pytest.raises(DataError, match="patinet"):
        problem({"file": path, "target": "late", "drop": ["patinet"]})


def test_columns_of_groups_and_times_are_apart(tmp_path):
    path = file(tmp_path, ROWS)
    grouped = problem({"file": path, "target": "late", "group": "who"}, "3-fold")
    assert [c.name for c in grouped.about.columns] == ["age", "when"]
    for split in grouped.splits:
        assert not set(grouped.data.groups[split.train]) & set(grouped.data.groups[split.test])
    timed = problem({"file": path, "target": "late", "time": "when"}, "3-time")
    for split in timed.splits:
        assert timed.data.times[split.train].max() < timed.data.times[split.test].min()


def test_names_of_data_sets(tmp_path):
    given = [
        "iris",
        load_iris().__class__("own", load_iris().X, load_iris().y),
        PAIR,
        {"file": tmp_path / "a.b.csv"},
    ]
    assert list(named_sources(given)) == ["iris", "own", "data 3", "a"]
    assert list(named_sources("iris")) == ["iris"]
    assert list(named_sources(PAIR)) == ["data 1"]
    assert list(named_sources(("iris", "wine"))) == ["iris", "wine"]
    assert list(named_sources({"one": "iris", "two": PAIR})) == ["one", "two"]


def test_rows_without_a_class_and_rare_classes_are_noted():
    y = np.array(["a"] * 7 + ["b"] * 2 + [None], dtype=object)
    found = problem((PAIR[0], y), "10-fold")
    assert found.about.rows == 9 and found.design.folds == 5
    assert found.notes[0] == "it: 1 of 10 rows has no class and was left out."
    assert "5 folds are used" in found.notes[1]


def test_a_seed_deals_other_splits_of_the_same_rows():
    one, other = problem(PAIR, seed=0), problem(PAIR, seed=1)
    assert one.print == other.print
    assert one.split_prints != other.split_prints


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "there is no data set"),
        ({}, "there is no data set"),
        (5, "must be a list or a dict of data sets"),
        ([5], "is 5, expected rows"),
        (["iris", "iris"], "two data sets are called 'iris'"),
        ({"a": {"file": "x.csv", "tarjet": "y"}}, "expected rows"),
        ({"a": (1, 2, 3)}, "expected rows"),
    ],
)
def test_wrong_data_are_explained(data, words):
    with pytest.raises(ParameterError, match=words):
        named_sources(data)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("irs", "no file and no built-in data set 'irs'. Did you mean iris"),
        ("transactions", "has no classes"),
        ((PAIR[0], np.ones(10)), "data 'it': all rows of class have the class 1"),
        ((PAIR[0], np.arange(9)), "data 'it': X has 10 rows, so y must have 10"),
        (
            (PAIR[0], np.where(np.arange(10) == 1, np.inf, 0.5)),
            "data 'it': .* is infinite in row 2; expected finite numbers",
        ),
        ({"X": PAIR[0], "y": PAIR[1], "groups": [1, 2]}, "groups must have 10 entries"),
    ],
)
def test_rows_that_cannot_be_used_are_explained(source, words):
    with pytest.raises(DataError, match=words):
        problem(source)


def test_a_file_without_a_target_names_its_columns(tmp_path):
    with pytest.raises(
        DataError, match=r"which column of .*loans\.csv is to be predicted.*age, who, when, late"
    ):
        problem(file(tmp_path, ROWS))


def test_other_processes_get_rows_as_they_came_only_if_a_learner_wants_them():
    found = problem(PAIR)
    assert found.sent is found.data
    lean = problem(PAIR)
    lean.raw = False
    assert lean.sent.raw is None and lean.data.raw is not None
    assert lean.sent.table is lean.data.table


@pytest.mark.parametrize("design", ["2x5", "leave-one-out", "3xholdout", "bootstrap(4)", "3-time"])
def test_splits_come_back_as_they_were_dealt(design):
    found = problem(PAIR, design)
    dealt = list(found.design.splits(found.data.codes, 0, None, None))
    assert len(found.splits) == len(dealt)
    for kept, split in zip(found.splits, dealt):
        assert kept[:2] == split[:2]
        assert (kept.train == split.train).all() and (kept.test == split.test).all()
        assert kept.train.dtype == split.train.dtype
