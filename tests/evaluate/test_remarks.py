"""What stands under the table: grouped, the worst first, with remedies that can be followed where they are read."""

import numpy as np
import pandas as pd

from assay.evaluate import Finding, compare, diagnose
from assay.evaluate.remarks import grouped, remarks


def test_findings_without_a_column_are_all_told_and_columns_of_one_kind_are_joined():
    told = grouped([Finding("odd", "note", "", f"oddity {i}.") for i in range(7)])
    assert [f.sentence for f in told] == [f"oddity {i}." for i in range(7)]
    told = grouped([Finding("odd", "note", f"c{i}", f"oddity {i}.") for i in range(7)])
    assert [f.sentence for f in told][3:] == ["the same holds for 4 more columns: c3, c4, c5, c6."]


def test_the_worst_comes_first_whatever_was_found_first():
    told = grouped(
        [Finding("a", "note", "", "n."), Finding("b", "error", "", "e."), Finding("c", "warning", "", "w.")]
    )
    assert [f.severity for f in told] == ["error", "warning", "note"]


def uneven(constant=8):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200)} | {f"k{i}": np.ones(200) for i in range(constant)})
    return X, np.where(np.arange(200) < 190, "usual", "rare")


def test_that_classes_are_uneven_is_not_lost_among_other_findings():
    X, y = uneven()
    X["row id"] = [f"r{i}" for i in range(200)]
    X["empty"] = None
    result = compare(["majority", "naive bayes"], X, y, design="5-fold")
    told = remarks(result, rope=0.01, most=1)
    assert sum("classes are uneven: usual has 95.0%" in sentence for _, sentence in told) == 1


def test_remedies_are_those_of_the_place_where_they_are_read():
    X, y = uneven(1)
    result = compare(["majority", "naive bayes"], X, y, design="5-fold")
    here = " ".join(sentence for _, sentence in remarks(result))
    assert "Drop it." in here and "--drop" not in here and "--metric" not in here
    result.settings["command"] = "assay compare uneven.csv"
    there = " ".join(sentence for _, sentence in remarks(result))
    assert "Leave it out with --drop k0." in there and "--metric 'balanced error'" in there


def test_no_finding_tells_the_command_line_to_use_python():
    """Words of Python's interface in a remedy ask for a remedy of the command line as well."""
    rng = np.random.default_rng(0)
    n = 300
    y = rng.integers(0, 2, n)
    X = pd.DataFrame(
        {
            "constant": np.ones(n),
            "person": [f"p{i // 3}" for i in range(n)],
            "leak": y + rng.normal(size=n) * 1e-3,
            "date": pd.date_range("2020-01-01", periods=n).astype(str),
            "when": pd.date_range("2020-01-01", periods=n),
            "missing value": np.where(y == 1, 1.0, np.nan),
            "name": [f"r{i}" for i in range(n)],
        }
    )
    found = diagnose(X, y)
    assert len({f.code for f in found}) >= 6
    for f in found:
        assert not any(word in f.said("command line") for word in ("groups=", "times=", "drop it", "Drop it"))
        assert f.said("command line").startswith(f.fact)


def test_learners_left_out_of_the_default_are_told_with_their_reason():
    X = pd.DataFrame({"taste": ["sweet", "sour"] * 20, "size": ["s", "m", "m", "l"] * 10})
    result = compare(None, X, ["a", "b", "b", "b"] * 10, design="2-fold")
    (note,) = [n for n in result.notes if n.startswith("Not tried")]
    assert "it needs numeric columns" in note and "more that are tried on request alone" in note
    assert not any(n.startswith("Not tried") for n in compare(["majority"], X, ["a", "b"] * 20).notes)


def test_findings_come_back_from_plain_data_also_of_earlier_versions():
    from dataclasses import asdict

    found = diagnose({"unit": ["g"] * 4})[0]
    assert Finding.read(asdict(found)) == found
    old = Finding.read({"code": "x", "severity": "note", "column": "a", "sentence": "It is."})
    assert (old.column, old.sentence, old.said("command line")) == ("a", "It is.", "It is.")
