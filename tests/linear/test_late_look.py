"""Large tables are looked at once."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from assay.linear.late_look import MAX_ENTRIES, shows_missing

RNG = np.random.default_rng(0)
X = RNG.normal(size=(MAX_ENTRIES // 4 + 1, 4))
CLASSES = (X[:, 0] + RNG.normal(size=len(X)) > 0).astype(int) + (X[:, 1] > 1)
NUMBERS = X @ [1.0, 2.0, 3.0, 4.0] + RNG.normal(size=len(X))


def fitted(cls):
    return cls().fit(X[:500], NUMBERS[:500] if cls in (LinearRegression, Ridge) else CLASSES[:500])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "bad, says", [(np.nan, "column x2 has 1 missing value"), (np.inf, "column x2, row 8")]
)
@pytest.mark.parametrize("cls", [LinearRegression, LogisticRegression, Perceptron, Ridge])
def test_an_entry_that_is_no_number_is_refused_by_name_in_a_large_table(cls, bad, says, dtype):
    spoiled = X.astype(dtype)
    spoiled[7, 2] = bad
    model = fitted(cls)
    assert shows_missing(model, spoiled)
    for way in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, way):
            with pytest.raises(ValueError, match=says):
                getattr(model, way)(spoiled)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_column_without_weight_is_looked_at_before(bad):
    model = fitted(LogisticRegression)
    model.coef_[:, 2] = 0.0
    spoiled = X.copy()
    spoiled[7, 2] = bad
    assert not shows_missing(model, spoiled)
    with pytest.raises(ValueError, match="column x2"):
        model.predict(spoiled)


@pytest.mark.parametrize("cls", [LinearRegression, LogisticRegression])
def test_large_and_small_tables_get_the_same_answers(cls):
    model = fitted(cls)
    parts = [model.predict(X[a : a + 1000]) for a in range(0, len(X), 1000)]
    assert_array_equal(np.round(np.concatenate(parts), 9), np.round(model.predict(X), 9))


def test_scores_that_overflow_are_answers_all_the_same():
    model = fitted(LinearRegression)
    huge = X * 1e307
    assert np.isfinite(model.predict(huge)).all()


def test_a_table_of_other_columns_is_refused():
    with pytest.raises(ValueError, match="5 features"):
        fitted(LogisticRegression).predict(np.ones((MAX_ENTRIES, 5)))
