"""The plane that displays look at: a grid over two columns, all others where the data are."""

import numpy as np
import pandas as pd
import pytest

from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression
from assay.plots.plane import codes_of, plane_over

FRAME = pd.DataFrame(
    {
        "kind": pd.Categorical(["a", "c", "c", "a", "c"], ["a", "b", "c"]),
        "size": [1.0, 2.0, 3.0, np.nan, 9.0],
        "age": [10.0, 20.0, 30.0, 40.0, 50.0],
        "worth": [5.0, 4.0, 3.0, 2.0, 1.0],
    }
)


def test_columns_that_are_not_shown_stay_at_medians_and_commonest_categories():
    """The median of the codes 0, 2, 2, 0 would be a category that no row has."""
    plane = plane_over("Display", None, FRAME.iloc[:4], ["age", "worth"], grid=3, margin=0.0)
    assert plane.middle[:2].tolist() == [0.0, 2.0]
    assert plane_over("Display", None, FRAME, ["age", "worth"], grid=3, margin=0.0).middle[0] == 2.0
    assert plane.x.tolist() == [10.0, 25.0, 40.0] and plane.y.tolist() == [2.0, 3.5, 5.0]
    assert plane.names == ["age", "worth"] and plane.columns == [2, 3] and len(plane.grid_rows) == 9


def test_a_learner_of_tables_is_asked_about_tables():
    frame, y = FRAME[["kind", "age", "worth"]], ["n", "n", "y", "y", "y"]
    model = LogisticRegression().fit(frame, y)
    plane = plane_over("Display", model, frame, [1, 2], grid=2, margin=0.1)
    expected = frame.iloc[[1, 1, 1, 1]].assign(age=[6.0, 54.0, 6.0, 54.0], worth=[0.6, 0.6, 5.4, 5.4])
    np.testing.assert_allclose(
        model.predict_proba(plane.grid_rows), model.predict_proba(expected), rtol=1e-12
    )


def test_what_spans_no_plane_is_told_by_who_was_asked():
    with pytest.raises(DataError, match="BoundaryDisplay: the table has 4 columns"):
        plane_over("BoundaryDisplay", None, FRAME, None, 5, 0.1)
    with pytest.raises(DataError, match="Display: column 'kind' holds categories"):
        plane_over("Display", None, FRAME, ["kind", "age"], 5, 0.1)
    with pytest.raises(ParameterError, match="Display: grid must be a whole number from 2 up, got 1"):
        plane_over("Display", None, FRAME, ["size", "age"], 1, 0.1)


def test_labels_that_are_no_class_have_no_code():
    assert codes_of(np.array(["b", "a", "z"]), ["a", "b"]).tolist() == [1, 0, -1]
