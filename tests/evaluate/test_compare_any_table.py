"""Whatever the table: a result whose every face can be shown, or a sentence that says why not."""

import re

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import compare
from assay.errors import AssayError
from assay.report import render_report

cell = {
    "number": st.one_of(st.none(), st.floats(-1e3, 1e3, width=32), st.integers(-3, 3).map(float)),
    "word": st.one_of(st.none(), st.sampled_from(["a", "b", "", "é", "a b", "<i>"])),
    "whole": st.integers(0, 3).map(float),
    "empty": st.none(),
    "same": st.just(1.0),
}


@st.composite
def tables(draw):
    n = draw(st.integers(2, 24))
    kinds = draw(st.lists(st.sampled_from(sorted(cell)), min_size=1, max_size=4))
    columns = {f"{k}{j}": draw(st.lists(cell[k], min_size=n, max_size=n)) for j, k in enumerate(kinds)}
    frame = pd.DataFrame(
        {name: pd.Series(v, dtype=object if name[0] == "w" else float) for name, v in columns.items()}
    )
    y = draw(
        st.lists(st.one_of(st.none(), st.sampled_from(["yes", "no", "perhaps"])), min_size=n, max_size=n)
    )
    return frame, y


@given(tables(), st.sampled_from(["3-fold", "2x2", "holdout"]), st.sampled_from(["error", "auc", "brier"]))
@settings(deadline=None, max_examples=15)
def test_a_result_or_a_sentence(table, design, metric):
    frame, y = table
    try:
        result = compare(None, frame, y, design=design, metrics=[metric, "f1"])
    except AssayError as error:
        assert len(str(error)) > 20
        return
    assert len(result.places) >= 1 and "majority" not in result.failures
    text = str(result)
    assert not re.search(r"\bnan\b", text)  # messages may speak of NaN, numbers may not be one
    assert render_report(result).rstrip().endswith("</html>")
    for standing in result.ranking():
        known = [standing.low, standing.mean, standing.high]
        assert standing.failure or np.isnan(known).any() or known == sorted(known)
    assert all(np.isfinite(result.values("majority", "f1")))
