"""Promises that all learners of class association rules keep, on tables that have little to tell."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import ParameterError, SchemaWarning
from assay.rules.associative.associative_classifier import AssociativeClassifier
from assay.rules.associative.car_learner import CarClassifier
from assay.rules.associative.cba_classifier import CBAClassifier
from assay.rules.associative.cmar_classifier import CMARClassifier
from assay.rules.associative.cpar_classifier import CPARClassifier
from assay.rules.associative.maximal_pattern_classifier import MaximalPatternClassifier
from assay.rules.associative.pattern_features import PatternFeatures
from assay.tables.data import load_breast_cancer_ljubljana, load_german_credit, load_iris

LEARNERS = [AssociativeClassifier, CBAClassifier, CMARClassifier, CPARClassifier, MaximalPatternClassifier]
big = np.finfo(float).max / 4
rng = np.random.default_rng(0)

TABLES = {
    "one row": ([[1.0, 2.0]], ["a"]),
    "one class": (rng.normal(size=(20, 2)), ["a"] * 20),
    "constant columns": (np.ones((20, 3)), ["a", "b"] * 10),
    "a column that is all missing": (
        np.column_stack([np.full(20, np.nan), np.arange(20)]),
        np.arange(20) > 9,
    ),
    "all values missing": (np.full((6, 2), np.nan), ["a", "b", "b"] * 2),
    "categories only": (rng.choice(["x", "y", "z"], (40, 3)).astype(object), rng.integers(0, 2, 40)),
    "300 classes": (np.repeat(np.arange(300.0), 3)[:, None], np.repeat(np.arange(300), 3)),
    "equal rows of different classes": (np.zeros((30, 2)), np.arange(30) % 3),
    "huge numbers": (np.array([[-big], [big]] * 10), [0, 1] * 10),
    "numbers side by side": (np.array([[1.0], [np.nextafter(1.0, 2.0)]] * 10), [0, 1] * 10),
    "more columns than rows": (rng.integers(0, 2, (6, 9)).astype(float), [0, 1] * 3),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_little_to_tell_gets_a_sound_answer(learner, name):
    X, y = TABLES[name]
    model = learner().fit(X, y)
    posterior = model.predict_proba(X)
    assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    assert (posterior >= 0).all()
    assert_array_equal(model.predict(X), model.classes_[posterior.argmax(axis=1)])
    assert str(model)
    if name in ("huge numbers", "numbers side by side", "a column that is all missing"):
        assert model.score(X, y) == 1.0


@pytest.mark.parametrize("learner", [*LEARNERS, PatternFeatures])
def test_rows_of_weight_zero_are_no_rows(learner):
    data = load_iris()
    X, y = data.X.values[::3], np.asarray(data.y)[::3]
    w = (np.arange(len(y)) % 4 > 0).astype(float)
    weighed, fewer = learner().fit(X, y, sample_weight=w), learner().fit(X[w > 0], y[w > 0])
    assert str(weighed) == str(fewer)


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_of_the_rows_does_not_matter(learner):
    data = load_breast_cancer_ljubljana()
    frame = pd.DataFrame(data.X.values).astype(str)
    y, order = np.asarray(data.y), np.random.default_rng(1).permutation(len(data.y))
    assert str(learner().fit(frame.iloc[order], y[order])) == str(learner().fit(frame, y))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_category_that_nobody_has_seen_is_missing(learner):
    X = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10})
    model = learner().fit(X, X["a"])
    with pytest.warns(SchemaWarning, match="column 'a' has 1 unseen"):
        seen = model.predict_proba(pd.DataFrame({"a": ["new"], "b": ["u"]}))
    assert_array_equal(seen, model.predict_proba(pd.DataFrame({"a": [None], "b": ["u"]}, dtype=object)))


@pytest.mark.parametrize("learner", [*LEARNERS, PatternFeatures])
def test_a_model_survives_a_file(learner, tmp_path):
    data = load_german_credit()
    model = learner(min_support=0.25) if learner is not CPARClassifier else learner()
    model.fit(data.X, data.y)
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert str(again) == str(model)
    assert list(again.cuts_) == list(model.cuts_)
    answer = "transform" if learner is PatternFeatures else "predict_proba"
    assert_array_equal(getattr(again, answer)(data.X), getattr(model, answer)(data.X))


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_explanation_names_the_rules_that_fired(learner):
    data = load_iris()
    model = learner().fit(data.X, data.y)
    row = data.X.values[:1]
    text = model.explain(row)
    assert text.answer == model.predict(row)[0]
    fired = np.flatnonzero(model.rules_.covers(row)[0])
    assert f"R{fired[0] + 1}" in str(text)


@pytest.mark.parametrize("learner", LEARNERS)
def test_rules_can_be_changed_by_hand(learner):
    data = load_iris()
    model = learner().fit(data.X, data.y)
    none = model.with_rules(replace(model.rules_, rules=()))
    assert set(none.predict(data.X)) == {model.rules_.default}


@pytest.mark.parametrize("learner", LEARNERS)
def test_answers_are_right_where_they_should_be(learner):
    """Accuracy on the training rows of iris, whose columns are cut where the classes change."""
    data = load_iris()
    assert learner().fit(data.X, data.y).score(data.X, data.y) > 0.85


@pytest.mark.parametrize("learner", [*LEARNERS, PatternFeatures])
def test_cuts_of_a_column_that_is_not_there(learner):
    with pytest.raises(ValueError, match=f"{learner.__name__}: cuts name the column 'age'"):
        learner(cuts={"age": [3]}).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match=f"{learner.__name__}: cuts must be 'mdl' or a dict"):
        learner(cuts=3).fit([[1.0], [2.0]], [0, 1])


def test_a_base_without_a_way_to_select_says_so():
    class Half(CarClassifier):
        min_support, min_confidence, max_length, cuts, limit = 1, 0.5, 2, "mdl", 100

    with pytest.raises(TypeError, match="Half must define _select"):
        Half().fit([[1.0], [2.0]], [0, 1])
