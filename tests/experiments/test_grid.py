"""Learners and their settings."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.experiments.grid import as_entrants, runs_of
from assay.tables import Table

TABLE = Table.of([[1.0, 2.0], [2.0, 1.0]])


def names(learners, factors=None):
    return [e.name for e in as_entrants(learners, [TABLE], factors)]


def test_every_combination_of_levels_is_a_run():
    runs = runs_of({"a": [1, 2], "b": ["x", "y", "z"], "c": 0.5})
    assert len(runs) == 6
    assert runs[0] == {"a": 1, "b": "x", "c": 0.5} and runs[-1] == {"a": 2, "b": "z", "c": 0.5}


def test_runs_of_a_design_are_taken_as_they_are_and_once():
    runs = [{"a": 1}, {"a": 2}, {"a": 1}]
    assert runs_of(runs) == [{"a": 1}, {"a": 2}]

    class Design:
        pass

    design = Design()
    design.runs = runs
    assert runs_of(design) == [{"a": 1}, {"a": 2}]


def test_learners_by_name_as_objects_and_with_settings():
    found = names(["nb", GaussianNB(), (DecisionTreeClassifier(), {"max_depth": [2, 4]})])
    assert found == ["naive bayes", "GaussianNB", "DecisionTreeClassifier(max_depth=2)",
                     "DecisionTreeClassifier(max_depth=4)"]  # fmt: skip
    assert names({"t": ("decision tree", [{"max_depth": 1, "criterion": "gini"}])}) == [
        "t(max_depth=1, criterion=gini)"
    ]
    assert names(("nb", "lda")) == ["naive bayes", "lda"]
    assert names("lda") == ["lda"]


def test_equal_names_are_told_apart_by_settings_or_number():
    assert names([GaussianNB(), GaussianNB(var_smoothing=0.5)]) == [
        "GaussianNB",
        "GaussianNB(var_smoothing=0.5)",
    ]
    assert names(["lda", "lda"]) == ["lda", "lda (2)"]


def test_factors_hold_for_learners_without_settings_of_their_own():
    learners = {"a": "decision tree", "b": ("decision tree", {"max_depth": [1]})}
    assert names(learners, {"min_samples_leaf": [1, 5]}) == [
        "a(min_samples_leaf=1)", "a(min_samples_leaf=5)", "b(max_depth=1)",
    ]  # fmt: skip


def test_no_learners_means_all_that_suit_every_table():
    mixed = Table.of({"a": ["x", "y"], "b": [1.0, 2.0]})
    found = [e.name for e in as_entrants(None, [TABLE, mixed])]
    assert "naive bayes" in found and "qda" not in found  # qda wants numbers alone
    assert "qda" in names(None)


def test_settings_reach_the_learner_and_the_given_one_stays():
    given = DecisionTreeClassifier()
    (e,) = as_entrants([(given, {"max_depth": [3]})], [TABLE])
    candidate = e.candidate(TABLE)
    assert candidate.learner.max_depth == 3 and given.max_depth is None
    (e,) = as_entrants([("knn", {"n_neighbors": [1]})], [TABLE])
    assert e.candidate(TABLE).learner.n_neighbors == 1
    assert e.candidate(TABLE).words == "scaled"  # the short name knows that distances matter


@pytest.mark.parametrize(
    ("learners", "words"),
    [
        ([], "there is no learner"),
        (5, "must be a list or a dict"),
        ([GaussianNB], r"Give GaussianNB\(\)"),
        ([3], "a learner has fit and predict"),
        (["nonsense"], "There is no learner 'nonsense'"),
        ([("lda", {"depth": []})], "has no levels"),
        ([("lda", [1, 2])], "settings must be a dict"),
        ([("lda", [])], "settings must be a dict"),
    ],
)
def test_wrong_learners_are_explained(learners, words):
    with pytest.raises(ParameterError, match=words):
        as_entrants(learners, [TABLE])


def test_a_parameter_that_the_learner_lacks_is_named():
    (e,) = as_entrants([("decision tree", {"depth": [2]})], [TABLE])
    with pytest.raises(ParameterError, match=r"has no parameter 'depth'. It has: .*max_depth"):
        e.candidate(TABLE)
