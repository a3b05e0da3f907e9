"""The trace of a search says what was tried, what it scored and what was taken."""

import numpy as np
import pytest

from assay.select.trace import Round, Trace

ADD = Round("add", (), ((0,), (1,)), np.array([[-0.3, -0.2], [-0.1, 0.0]]), 1, True, 2)
FAIL = Round("add", (1,), ((0,),), np.array([[-0.2, np.nan]]), 0, False, 3, "No column improves the error.")
TRACE = Trace([ADD, FAIL], ["age", "height"], "error", -1, (1,))


def test_rounds_know_their_subsets():
    assert (ADD.after, FAIL.after, FAIL.subset(0)) == ((1,), (1,), (0, 1))
    removal = Round("remove", (0, 1, 2), ((1,), (0, 2)), np.zeros((2, 1)), 1, True, 5)
    assert removal.after == (1,) and removal.subset(0) == (0, 2)
    assert FAIL.means.tolist() == [-np.inf]


@pytest.mark.capability("IML-6-06")
def test_every_candidate_of_every_round_is_in_the_table_in_the_units_of_the_measure():
    table = TRACE.table()
    assert [r["error"] for r in table] == [0.25, 0.05, np.inf]
    assert [r["chosen"] for r in table] == [False, True, False]
    assert table[1]["folds"] == [0.1, -0.0]
    assert TRACE.models == 3
    assert [(r["columns"], r["error"]) for r in TRACE.path()] == [(["height"], 0.05), (["height"], 0.05)]


def test_it_prints_what_was_taken_and_why_it_stopped():
    text = str(TRACE)
    assert text.splitlines()[0] == "Search over 2 columns by error: 3 subsets scored, 1 column chosen"
    assert "+ height" in text and "No column improves the error." in text
    assert "height" in TRACE.show().to_html()
