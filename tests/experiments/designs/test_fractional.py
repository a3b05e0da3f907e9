"""Fractions: defining relations, aliases, resolution, and the published minimum aberration designs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.experiments.designs.fractional import fractional_factorial


@pytest.mark.capability("IML-19-01")
def test_half_of_two_to_the_three():
    # Oracle: IML 19.2, I = ABC holds the runs a, b, c, abc.
    half = fractional_factorial(["A", "B", "C"], ["C=AB"])
    named = {"".join(n for n in half.names if r[n] == 1).lower() for r in half.runs}
    assert named == {"a", "b", "c", "abc"}
    assert half.defining_relation == "I = ABC" and half.resolution == 3 and half.roman == "III"
    assert half.aliases() == {"A": ["BC"], "B": ["AC"], "C": ["AB"], "AB": ["C"], "AC": ["B"], "BC": ["A"]}
    assert "resolution III: I = ABC" in str(half)


def test_a_negative_generator_takes_the_other_half():
    other = fractional_factorial(["A", "B", "C"], ["C=-AB"])
    assert other.defining_relation == "I = -ABC" and other.aliases()["A"] == ["-BC"]
    both = np.vstack([other.coded, fractional_factorial(3, ["C=AB"]).coded])
    assert len(np.unique(both, axis=0)) == 8


def test_two_generators_multiply():
    """Montgomery, 2^(6-2) with E = ABC, F = BCD: I = ABCE = BCDF = ADEF, resolution IV."""
    design = fractional_factorial(6, ["E=ABC", "F=BCD"])
    assert design.defining_relation == "I = ABCE = ADEF = BCDF" and design.roman == "IV"
    assert design.aliases()["AB"] == ["CE"] and design.aliases()["AF"] == ["DE"]
    assert design.aliases()["A"] == []


def test_long_names():
    design = fractional_factorial({"depth": (2, 8), "rate": (0.1, 0.3), "leaf": (1, 9)}, ["leaf=depth*rate"])
    assert design.defining_relation == "I = depth*rate*leaf"
    assert design.runs[0] == {"depth": 2, "rate": 0.1, "leaf": 9}


# Oracle: minimum aberration two-level designs (Box, Hunter and Hunter; Fries and Hunter 1980): runs, and how many
# words of length resolution, resolution + 1, ...
@pytest.mark.parametrize(
    ("F", "resolution", "runs", "words"),
    [
        (4, 4, 8, [1]),
        (5, 3, 8, [2, 1]),
        (5, 5, 16, [1]),
        (6, 3, 8, [4, 3]),
        (6, 4, 16, [3]),
        (7, 3, 8, [7, 7, 0, 0, 1]),
        (7, 4, 16, [7]),
        (8, 4, 16, [14, 0, 0, 0, 1]),
        (8, 5, 64, [2, 1]),
        (9, 4, 32, [6, 8, 0, 0, 1]),
        (10, 5, 128, [3, 3, 1]),
    ],
)
def test_published_designs_are_found(F, resolution, runs, words):
    design = fractional_factorial(F, resolution=resolution)
    assert len(design) == runs and design.resolution == resolution
    lengths = [len(w) for w in design.relation]
    found = [lengths.count(k) for k in range(resolution, F + 1)]
    assert found[: len(words)] == words and not any(found[len(words) :])


def test_a_resolution_out_of_reach_is_the_full_factorial():
    design = fractional_factorial(3, resolution=4)
    assert len(design) == 8 and design.resolution is None and design.roman == "full"
    assert not any(design.aliases().values())


def test_many_factors_are_found_in_time():
    """Twenty factors of resolution IV in 64 runs: fourteen generated from triples of six."""
    design = fractional_factorial(20, resolution=4)
    assert len(design) == 64 and design.resolution == 4 and len(design.relation) == 2**14 - 1
    with pytest.raises(ParameterError, match="at most 14 factors"):
        names = [f"x{j}" for j in range(20)]
        fractional_factorial(names, [f"x{j}=x0*x1*x{j % 3 + 2}" for j in range(5, 20)])


@given(st.integers(3, 8), st.integers(3, 5))
@settings(max_examples=20, deadline=None)
def test_relation_aliases_and_columns_say_the_same(F, resolution):
    design = fractional_factorial(F, resolution=resolution)
    X, n = design.coded, len(design)
    for word, sign in design.relation.items():
        assert (np.prod(X[:, sorted(word)], axis=1) == sign).all()
    assert np.array_equal(X.T @ X, n * np.eye(F))
    if resolution == 5:
        pairs = np.column_stack([X, *(X[:, i] * X[:, j] for i, j in combinations(range(F), 2))])
        assert np.array_equal(pairs.T @ pairs, n * np.eye(pairs.shape[1]))
    names = list(design.names)
    for effect, mixed in design.aliases().items():
        column = np.prod(X[:, [names.index(c) for c in effect]], axis=1)
        for other in mixed:
            sign = -1 if other[0] == "-" else 1
            assert (np.prod(X[:, [names.index(c) for c in other.lstrip("-")]], axis=1) * sign == column).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either generators or the resolution"),
        ({"generators": ["C=AB"], "resolution": 3}, "either generators or the resolution"),
        ({"resolution": 2}, "3 or more"),
        ({"generators": "C=AB"}, "must be a list"),
        ({"generators": ["AB"]}, "a generator such as D=A"),
        ({"generators": ["E=AB"]}, "a generator such as"),
        ({"generators": ["D=AX"]}, "different factors out of A, B, C, D"),
        ({"generators": ["D=AA"]}, "different factors"),
        ({"generators": ["D=A"]}, "a copy of one factor"),
        ({"generators": ["C=AB", "D=AC"]}, "itself generated"),
        ({"generators": ["C=AB", "D=AB"]}, "would be aliased"),
        ({"generators": ["D=AB", "D=BC"]}, "generated twice"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ParameterError, match=message):
        fractional_factorial(4, **options)
