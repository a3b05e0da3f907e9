"""Errors and warnings: one tree, and one full stop at the end of a sentence."""

import ast
import importlib.util
import io
import pathlib
import pickle
import warnings

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut

from assay import errors
from assay.bayes import GaussianNB, NaiveBayes
from assay.evaluate import compare, complexity_curve, learning_curve
from assay.neighbors import KNeighborsClassifier
from assay.tables import read_table

KINDS = [getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a.. b.", "a. b."),
        ("no such file.. Check it..", "no such file. Check it."),
        ("Columns: a, ....", "Columns: a, ..."),
        ("Columns: a, .... Give one.", "Columns: a, ... Give one."),
        ("to be continued ...", "to be continued ..."),
        ("../data/a..b", "../data/a..b"),
        ("1...", "1..."),
    ],
)
def test_a_sentence_ends_in_one_full_stop(kind, given, shown):
    error = kind(given)
    assert str(error) == shown
    assert str(pickle.loads(pickle.dumps(error))) == shown


def test_warnings_as_they_are_given():
    with pytest.warns(errors.SchemaWarning) as caught:
        warnings.warn("column a.. treated as missing..", errors.SchemaWarning, stacklevel=1)
    assert str(caught[0].message) == "column a. treated as missing."


def test_errors_that_quote_others_end_in_one_full_stop():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    with pytest.raises(errors.DataError, match="cannot split these rows") as caught:
        compare([NaiveBayes(), GaussianNB()], X, y, design=LeaveOneGroupOut())
    assert ".." not in str(caught.value)
    names = ",".join(f"c{i}" for i in range(40))
    with pytest.raises(errors.SchemaError, match=r"Columns: c0, .*, \.\.\.$"):
        read_table(io.StringIO(f"{names}\n{names.replace('c', '1')}\n"), target="nothing")


def test_the_sentence_is_made_of_the_fields():
    error = errors.ParameterError(
        "alpha must be below 1.", who="compare", where="row 3", got=1.5, remedy="Give 0.05.", code="bad-level"
    )
    assert str(error) == "compare: row 3: alpha must be below 1, got 1.5. Give 0.05."
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and type(again) is type(error)
    assert (again.who, again.where, again.got, again.remedy, again.code) == (
        "compare", "row 3", 1.5, "Give 0.05.", "bad-level",
    )  # fmt: skip
    assert str(error.with_remedy("Or 0.01.")).endswith("Give 0.05. Or 0.01.")


def test_errors_speak_in_the_name_of_the_function_that_was_called():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    calls = {
        "compare": lambda: compare(["lda"], X, y, design="often"),
        "learning_curve": lambda: learning_curve("lda", X, y, design="often"),
        "complexity_curve": lambda: complexity_curve(
            KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 2], design="often"
        ),
    }
    for who, call in calls.items():
        with pytest.raises(errors.ParameterError) as caught:
            call()
        assert caught.value.who == who and str(caught.value).startswith(f"{who}: design must be a name")
    with pytest.raises(errors.ParameterError, match=r"^complexity_curve: alpha must be"):
        complexity_curve(KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 2], alpha=2)
    with pytest.raises(errors.DataError, match=r"^complexity_curve: .* rows"):
        complexity_curve(KNeighborsClassifier(), X, y[:3], param_name="n_neighbors", param_range=[1, 2])


def test_the_nearest_known_word_is_suggested():
    assert errors.did_you_mean("agee", ["age", "job"]) == " Did you mean age?"
    assert errors.did_you_mean("AGEE", ["'age'", "job"]) == " Did you mean 'age'?"
    assert errors.did_you_mean("xyz", ["age", "job"]) == " There are: age, job."
    assert errors.did_you_mean("xyz", ["age", "job"], listed=False) == ""
    assert errors.did_you_mean("zzz", [f"c{i}" for i in range(30)]).endswith("c19, ....")


def test_the_house_rule_finds_branches_on_the_words_of_a_message():
    root = pathlib.Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location("check_house", root / "tools" / "check_house.py")
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    where = pathlib.Path("src/assay/some/module.py")
    branches = [
        "'too many' in str(error)", "str(error).startswith('compare: ')", "re.search('cells', str(error))",
        "error.args[0].removeprefix('x')", "result.test.startswith('McNemar')", "'group' not in found.sentence",
    ]  # fmt: skip
    fine = [
        "error.code == 'too-many'", "' '.join(str(error).split())", "str(name).startswith('x')",
        "why.endswith(('.', '!'))", "'x' in names", "str(error).splitlines()[0]",
    ]  # fmt: skip
    for line in branches + fine:
        tree = ast.parse(f"try:\n    pass\nexcept ValueError as error:\n    {line}\n")
        assert bool(house.branches_on_words(tree, where)) == (line in branches), line
