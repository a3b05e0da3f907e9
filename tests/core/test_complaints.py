"""One way of saying what is wrong with a table."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from assay.core.complaints import missing_message, warn_unseen
from assay.errors import SchemaWarning
from assay.tables import Table


def test_unseen_categories_are_told_column_by_column():
    schema = Table.of(pd.DataFrame({"taste": ["sour", "sweet"], "size": ["s", "l"]})).schema
    odd = Table.like(pd.DataFrame({"taste": list("abcda"), "size": ["s", "s", "l", "xl", "s"]}), schema)
    with pytest.warns(SchemaWarning) as told:
        warn_unseen(odd, "Learner", "left out")
    assert [str(w.message) for w in told] == [
        "Learner: column 'taste' has 4 unseen categories ('a', 'b', 'c', ...) in 5 rows; left out.",
        "Learner: column 'size' has 1 unseen category ('xl') in 1 row; left out.",
    ]


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_the_column_with_the_most_missing_values_is_named(kind):
    X = np.array([[1.0, np.nan, 0.0], [0.0, np.nan, np.nan], [0.0, 0.0, 0.0]])
    said = missing_message("Learner", Table.of(kind(X)), "Drop it.")
    assert said == "Learner: column x1 has 2 missing values (NaN) (and 1 more column). Drop it."
