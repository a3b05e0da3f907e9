"""Constraints as users write them: what is understood, and what is refused in a sentence."""

import numpy as np
import pytest

from assay.ensembles.hist_constraints import interaction_groups, monotonic_signs, nominal_columns
from assay.errors import ParameterError, SchemaError
from assay.tables import Column, Schema

NAMED = Schema([Column("age"), Column("height"), Column("job", "nominal", ("a", "b"))])
BARE = Schema.numeric(3)


@pytest.mark.parametrize(
    ("wanted", "schema", "kinds"),
    [
        ("from_dtype", NAMED, {}),
        (["job"], NAMED, {}),
        (["age", "job"], NAMED, {"age": "nominal"}),
        ([0, 2], NAMED, {"age": "nominal"}),
        ([False, True, True], NAMED, {"height": "nominal"}),
        (np.array([False, True, False]), BARE, {"x1": "nominal"}),
        (np.array([2]), BARE, {"x2": "nominal"}),
        (None, BARE, {}),
        ([], BARE, {}),
    ],
)
def test_nominal_columns_are_found(wanted, schema, kinds):
    assert nominal_columns(wanted, schema, "Learner") == kinds


@pytest.mark.parametrize(
    ("wanted", "schema", "error", "words"),
    [
        ([0.5], BARE, ParameterError, "bool, int or str, got float64"),
        ([b"age", 1.0], BARE, ParameterError, "bool, int or str"),
        (["age"], BARE, ParameterError, "without feature names"),
        (["wage"], NAMED, ParameterError, "'wage' which is not a valid feature name"),
        ([3], BARE, ParameterError, r"must be in \[0, n_features - 1\]"),
        ([-1], BARE, ParameterError, r"must be in \[0, n_features - 1\]"),
        ([True], BARE, ParameterError, r"must have shape \(n_features,\)"),
        (None, NAMED, SchemaError, "'job' holds categories"),
        (["age"], NAMED, SchemaError, "'job' holds categories"),
    ],
)
def test_what_is_no_list_of_columns_is_refused(wanted, schema, error, words):
    with pytest.raises(error, match=words):
        nominal_columns(wanted, schema, "Learner")


def test_monotonic_signs_by_name_and_by_place():
    none = np.zeros(3, bool)
    assert monotonic_signs(None, NAMED, none, "L").tolist() == [0, 0, 0]
    assert monotonic_signs({"height": -1}, NAMED, none, "L").tolist() == [0, -1, 0]
    assert monotonic_signs([1, 0, -1], BARE, none, "L").tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("given", "schema", "words"),
    [
        ([1, 0], BARE, r"shape \(2,\) but the input data X has 3 features"),
        ([1, 2, 0], BARE, r"Observed values: \[2\]"),
        ({"age": 1}, BARE, "not fitted on data with feature names"),
        ({"wage": 1}, NAMED, r"1 unexpected feature names: \['wage'\]"),
        ({"age": 3}, NAMED, "got 3 for column 'age'"),
        ({"job": 1}, NAMED, "'job' has one"),
    ],
)
def test_what_is_no_sign_is_refused(given, schema, words):
    with pytest.raises(ParameterError, match=words):
        monotonic_signs(given, schema, np.array([False, False, True]), "Learner")


@pytest.mark.parametrize(
    ("given", "groups"),
    [
        (None, []),
        ("no_interactions", [[0], [1], [2], [3]]),
        ("pairwise", [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        ([(0, 1)], [[0, 1], [2, 3]]),
        ([{1, 0}, [2, 3]], [[0, 1], [2, 3]]),
    ],
)
def test_interaction_groups(given, groups):
    assert interaction_groups(given, 4, "Learner") == groups


@pytest.mark.parametrize("given", [[0, 1], [(0, 9)], [(-1, 2)], [("a",)]])
def test_what_is_no_group_is_refused(given):
    with pytest.raises(ParameterError, match="Interaction constraints must"):
        interaction_groups(given, 4, "Learner")
