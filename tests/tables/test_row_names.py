"""One name for a row, wherever it is told: the frame's index, else the number counted from 1."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import DataError
from assay.evaluate import compare
from assay.evaluate.mislabelled import mislabelled
from assay.neighbors import (
    AdaptiveNeighborsClassifier,
    CondensedNearestNeighbor,
    KNeighborsClassifier,
    KNeighborsRegressor,
    ParzenClassifier,
)
from assay.outliers import LocalOutlierFactor
from assay.prepare import Prepared
from assay.tables import Design, RowNames, Table, row_name

PEOPLE = pd.DataFrame(
    {"age": [20.0, 30.0, 60.0, 61.0, 25.0, 59.0], "town": list("aabbab")},
    index=["ann", "bob", "cy", "dee", "eve", "fay"],
)
PAYS = list("nnyyny")


def test_an_index_names_rows_and_numbers_count_from_one():
    assert RowNames.of(PEOPLE)(4) == "index eve" and RowNames.of(PEOPLE).listed([0, 4]) == "index ann, eve"
    for kind in (pl.DataFrame({"age": [1, 2]}), np.ones((2, 2)), [[1], [2]], {"age": [1, 2]}):
        assert row_name(1, kind) == "row 2"
    assert RowNames.of(PEOPLE.reset_index(drop=True))(4) == "index 4"
    several = PEOPLE.set_index("town", append=True)
    assert RowNames.of(several)(1) == "index ('bob', 'a')" == RowNames.of(several).stored()(1)


def test_names_stay_with_their_rows():
    table = Table.of(PEOPLE)
    assert RowNames.of(table[[4, 1]])(0) == "index eve"
    plain = Table.of(PEOPLE.to_numpy())
    for kept in ([2, 5], np.array([0, 0, 1, 0, 0, 1], bool), slice(2, 6, 3)):
        assert RowNames.of(plain[kept]).listed([0, 1]) == "rows 3, 6"
    assert RowNames.of(plain[3])(0) == "row 4"


def test_places_without_a_name_are_refused():
    with pytest.raises(DataError, match="no row at place 2"):
        RowNames(np.array([1, 2])).label(2)
    with pytest.raises(DataError, match="a column"):
        RowNames(np.ones((2, 2)))


@pytest.mark.parametrize("drop_first", [False, True])
def test_a_design_is_undone_exactly(drop_first):
    table = Table.of(
        {"a": [1.0, 2.0, None], "b": ["x", "y", "z"], "c": ["u", None, "v"], "d": ["p", "q", "p"]}
    )
    design = Design(table.schema, drop_first)
    np.testing.assert_array_equal(design.contract(design.expand(table.values)), table.values)


@pytest.mark.capability("IML-8-34")
@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(3),
        KNeighborsClassifier(3, metric="heom"),
        Prepared(KNeighborsClassifier(3), scale=True),
        ParzenClassifier(),
        AdaptiveNeighborsClassifier(3),
        CondensedNearestNeighbor(),
        LocalOutlierFactor(3, novelty=True),
        KNeighborsRegressor(3),
    ],
    ids=lambda m: type(getattr(m, "learner", None) or m).__name__,
)
def test_cases_have_their_index_and_their_values_also_after_load(model, tmp_path):
    y = np.arange(6.0) if isinstance(model, KNeighborsRegressor) else PAYS
    assay.save(model.fit(PEOPLE, y), tmp_path / "cases.assay")
    told = assay.load(tmp_path / "cases.assay").explain(PEOPLE.loc[["eve"]])
    cases = next(s for s in told.sections if s.columns[0].endswith("index"))
    assert set(next(zip(*cases.rows))) <= set(PEOPLE.index)
    beside = next(s for s in told.sections if s.title == "Their values beside this row's")
    assert beside.columns[1] == "this row"
    shown = {line[0]: line[1:] for line in beside.rows}
    assert shown["age"][0] == pytest.approx(25.0) and shown["town"][0] == "a"
    for t, head in enumerate(beside.columns[2:], 1):
        name = head.removeprefix("index ")
        assert (
            shown["age"][t] == pytest.approx(PEOPLE.loc[name, "age"])
            and shown["town"][t] == PEOPLE.loc[name, "town"]
        )


def test_distances_that_were_given_have_no_values_to_show():
    X = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    told = KNeighborsClassifier(2, metric="precomputed").fit(X, list("aabb")).explain(X[:1])
    assert [s.columns[0] for s in told.sections] == ["row"] and told.sections[0].rows[0][0] == 1


def test_many_columns_are_cut_and_counted():
    X = np.random.default_rng(0).normal(size=(30, 40))
    told = KNeighborsClassifier().fit(X, np.arange(30) % 2).explain(X[:1])
    assert len(told.sections[1].rows) == 20 and told.sections[1].note == "20 more columns are not shown."


def test_rows_left_out_do_not_shift_the_numbers_of_the_others():
    """Row 3 has no class; the wrong label of the last row is still found at its own number."""
    X = np.r_[np.linspace(0, 1, 10), np.linspace(9, 10, 11)][:, None]
    y = np.array([None if i == 2 else "low" if i < 10 else "high" for i in range(21)], dtype=object)
    result = compare(["lda"], X, y, design="5-fold")
    assert result.row_names(19) == "row 21" and result.row_names(1) == "row 2"
    framed = compare(["lda"], pd.DataFrame(X, index=[f"r{i}" for i in range(21)]), y, design="5-fold")
    assert framed.row_names(19) == "index r20"


def test_rows_of_a_test_table_are_named_as_such():
    train, test = np.arange(20.0)[:, None], np.arange(4.0)[:, None]
    result = compare(["lda"], train, np.arange(20) % 2, test=(test, [0, 1, 0, 1]))
    assert result.row_names(int(result.out_of_fold("lda").rows[1])) == "row 2 of the test table"


def test_mislabelled_rows_have_their_index():
    X = pd.DataFrame({"x": [*range(10), *range(30, 40)]}, index=[f"p{i}" for i in range(20)])
    y = ["high" if i == 3 else "low" for i in range(10)] + ["high"] * 10
    found = mislabelled(X, y)
    assert found.table(1)[0]["index"] == "p3" and found.suspects.tolist() == [3]
    assert mislabelled(X.to_numpy(), y).table(1)[0]["row"] == 4
