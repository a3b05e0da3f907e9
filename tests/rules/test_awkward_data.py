"""Tables that have broken learners before: each has a sound answer, without a warning."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.rules import AQClassifier, CN2Classifier, PrismClassifier, SequentialCoveringClassifier

DRAW = np.random.default_rng(0)
X, Y = DRAW.normal(size=(30, 3)), DRAW.integers(0, 2, 30)
WITH_MISSING = X.copy()
WITH_MISSING[:, 1] = np.nan

TABLES = {
    "one class": (X, np.zeros(30, int), None),
    "one row": (X[:1], np.array([1]), None),
    "constant columns": (np.ones((30, 3)), Y, None),
    "a column without any value": (WITH_MISSING, Y, None),
    "no value at all": (np.full((30, 2), np.nan), Y, None),
    "as many classes as rows": (X, np.arange(30), None),
    "equal rows, different labels": (np.repeat(X[:5], 6, axis=0), Y, None),
    "weights of zero": (X, Y, (np.arange(30) % 3 == 0).astype(float)),
    "one class weighs nothing": (X, Y, (Y == 0).astype(float)),
    "tiny weights": (X, Y, np.full(30, 1e-200)),
    "huge weights": (X, Y, np.full(30, 1e200)),
    "huge numbers": (X * 1e300, Y, None),
    "neighbouring floats": (1 + np.arange(30)[:, None] * 2.0**-52, Y, None),
    "only categories": (pd.DataFrame({"a": list("xyz") * 10, "b": list("pq") * 15}), Y, None),
}
LEARNERS = {
    "AQ": AQClassifier(),
    "CN2": CN2Classifier(),
    "CN2, a set": CN2Classifier(ordered=False, residual_priors=True),
    "PRISM": PrismClassifier(),
    "covering": SequentialCoveringClassifier(),
    "covering by quality": SequentialCoveringClassifier(order="quality", measure="likelihood-ratio", beam=2),
    "covering, pruned": SequentialCoveringClassifier(
        pruning="greedy", validation_fraction=0.3, mdl_bits=8, random_state=0
    ),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("table", TABLES)
def test_awkward_tables_have_sound_answers(learner, table):
    X, y, w = TABLES[table]
    model = LEARNERS[learner].fit(X, y, sample_weight=w)
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    assert len(str(model).splitlines()) == model.n_rules_ + 1
    model.explain(X.iloc[:1] if isinstance(X, pd.DataFrame) else X[:1])


@pytest.mark.filterwarnings("ignore::assay.errors.SchemaWarning")  # that a category is new is said
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_category_that_training_did_not_have_is_missing(learner):
    table, y, _ = TABLES["only categories"]
    model = LEARNERS[learner].fit(table, (table["a"] == "x").astype(int))
    new = pd.DataFrame({"a": ["never seen", None], "b": ["p", "p"]})
    p = model.predict_proba(new)
    assert_allclose(p[0], p[1], rtol=1e-12)
