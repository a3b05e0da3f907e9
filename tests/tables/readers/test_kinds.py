"""Types of columns: a lattice, so that blocks can be joined in any order."""

import itertools

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tables.readers.kinds import (
    DATE,
    MARKS,
    MOMENT,
    NO_VALUES,
    NUMBER,
    TEXT,
    WHOLE,
    ZONED,
    convert,
    infer,
    join,
)

ALL = (NO_VALUES, MARKS, WHOLE, NUMBER, DATE, MOMENT, ZONED, TEXT)
CELLS = st.sampled_from(
    [
        *(
            None,
            "1",
            "-2",
            "2.5",
            "+3",
            " 4 ",
            "1,234",
            "5 678",
            "1e3",
            "inf",
            "Nan",
            "nan",
            "NA",
            "?",
            "  ",
            "0x1",
        ),
        *(
            "1_0",
            "x",
            "-",
            "1,5",
            "2020-01-01",
            "2020-01-01 10:00",
            "2020-01-01T10:00:00",
            "2020-01-01T10:00:00Z",
        ),
        *("2020-13-01", "99999999999999999999"),
    ]
)


def test_join_is_a_lattice():
    for a, b, c in itertools.product(ALL, repeat=3):
        assert join(a, b) == join(b, a)
        assert join(join(a, b), c) == join(a, join(b, c))
    for a in ALL:
        assert (join(a, a), join(a, NO_VALUES), join(a, TEXT)) == (a, a, TEXT)


@pytest.mark.parametrize("decimal", [".", ","])
@settings(max_examples=300, deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=8), cut=st.integers(0, 8))
def test_blocks_join_to_the_type_and_values_of_the_whole(decimal, cells, cut):
    whole = pa.array(cells, pa.string())
    kind, values = infer(whole, decimal)
    parts = [p for p in (whole.slice(0, cut), whole.slice(cut)) if len(p)]
    joined = NO_VALUES
    for part in parts:
        joined = join(joined, infer(part, decimal)[0])
    assert joined == kind
    converted = [v for part in parts for v in convert(part, kind, decimal).to_pylist()]
    assert repr(converted) == repr(values.to_pylist())


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([None, None], NO_VALUES),
        (["NA", None], MARKS),
        (["1", "NA"], WHOLE),
        (["1", "2.5", " "], NUMBER),
        (["2020-01-01", "?"], DATE),
        (["2020-01-01", "2020-01-01 10:00"], MOMENT),
        (["2020-01-01T10:00:00Z"], ZONED),
        (["2020-01-01T10:00:00Z", "2020-01-01"], TEXT),
        (["1", "x"], TEXT),
        (["Nan", "1"], NUMBER),
        (["x", "1"], TEXT),
    ],
)
def test_what_cells_make_of_a_column(cells, kind):
    assert infer(pa.array(cells, pa.string()))[0] == kind
    assert infer(pa.array(cells[::-1], pa.string()))[0] == kind
