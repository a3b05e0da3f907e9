"""Columns set apart: out of the table, in its rows' order, refused when they cannot play the part."""

import click
import numpy as np
import pytest

from assay.cli.data import LabelledTable
from assay.cli.roles import set_apart
from assay.tables import Table

DATA = LabelledTable(
    "it",
    Table.of({"w": [1.0, 2.0, 0.5], "who": ["b", "a", "b"], "gap": [1.0, None, 2.0]}),
    np.array([0, 1, 0]),
    "y",
)


def test_the_rest_keeps_its_columns_and_knows_whether_it_is_whole():
    rest, weights = set_apart(DATA, "w", "--weight")
    assert weights.tolist() == [1.0, 2.0, 0.5]
    assert rest.X.schema.names == ["who", "gap"] and not rest.X.complete
    assert rest.X.to_columns() == {"who": ["b", "a", "b"], "gap": [1.0, None, 2.0]}
    _, who = set_apart(DATA, "who", "--group")
    assert who[0] == who[2] != who[1]
    assert set_apart(DATA, None, "--time") == (DATA, None)


@pytest.mark.parametrize(
    ("column", "option", "words"),
    [("who", "--weight", "expected numbers"), ("gap", "--time", "has 1 missing value"),
     ("y", "--group", "is the target"), ("whom", "--group", "Did you mean who")],
)  # fmt: skip
def test_a_column_that_cannot_play_the_part_is_refused(column, option, words):
    with pytest.raises(click.BadParameter, match=words):
        set_apart(DATA, column, option)


def test_one_column_must_be_left():
    alone = LabelledTable("it", Table.of({"w": [1.0, 2.0]}), np.array([0, 1]), "y")
    with pytest.raises(click.BadParameter, match="the only column"):
        set_apart(alone, "w", "--weight")
