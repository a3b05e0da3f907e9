"""Full factorials and Plackett-Burman designs: counts, order, balance, orthogonality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.experiments.designs.factorial import full_factorial, plackett_burman, three_level


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_every_combination_once_the_first_factor_fastest(counts, replicates):
    levels = {f"f{j}": list(range(c)) for j, c in enumerate(counts)}
    design = full_factorial(levels, replicates=replicates)
    runs = [tuple(r.values()) for r in design]
    n = int(np.prod(counts))
    assert len(runs) == n * replicates and len(set(runs)) == n
    assert runs[:n] == sorted(runs[:n], key=lambda r: r[::-1])
    assert np.abs(design.coded).max() == 1 and np.allclose(design.coded.sum(axis=0), 0)


def test_two_levels_are_minus_and_plus():
    design = full_factorial({"depth": [2, 8], "leaf": ["few", "many"], "rate": [0.1, 0.3]})
    assert len(design) == 8 and design.names == ("depth", "leaf", "rate")
    assert np.array_equal(design.coded.T @ design.coded, 8 * np.eye(3))
    assert design.runs[3] == {"depth": 8, "leaf": "many", "rate": 0.1}
    frame = design.to_pandas()
    assert frame.shape == (8, 3) and design.to_arrow().column_names == list(design.names)
    assert list(frame["depth"]) == [2, 8] * 4


def test_same_runs_as_pydoe():
    """Peer: pyDOE3 1.6.2, fullfact([2, 3]): rows (0,0), (1,0), (0,1), (1,1), (0,2), (1,2)."""
    runs = [tuple(r.values()) for r in full_factorial({"a": 2, "b": 3})]
    assert runs == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]


def test_three_levels_have_a_middle():
    design = three_level({"depth": (2, 8), "rate": (0.1, 0.2)})
    assert len(design) == 9 and set(np.unique(design.coded)) == {-1, 0, 1}
    assert design.runs[4] == {"depth": 5, "rate": pytest.approx(0.15)}
    with pytest.raises(ParameterError, match="leaf needs numbers as levels"):
        three_level({"leaf": ("few", "many")})


@pytest.mark.parametrize("F", [*range(1, 48), 60, 75, 99])
def test_plackett_burman_columns_are_balanced_and_orthogonal(F):
    design = plackett_burman(F)
    n = len(design)
    assert n % 4 == 0 and n > F and np.array_equal(design.coded.T @ design.coded, n * np.eye(F))
    assert not design.coded.sum(axis=0).any()
    if F < 48:
        assert n == 4 * (F // 4 + 1)  # no run more than needed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: full_factorial({}), "there is no factor"),
        (lambda: full_factorial({"a": [1]}), "a needs two or more different levels"),
        (lambda: full_factorial({"a": [1, 1]}), "different levels"),
        (lambda: full_factorial({"a": "xy"}), "list of levels"),
        (lambda: full_factorial({"a": None}), "list of levels"),
        (lambda: full_factorial(2, replicates=0), "replicates must be at least 1"),
        (lambda: full_factorial(22), "fractional_factorial, plackett_burman"),
        (lambda: full_factorial(0), "1 to 999, got 0"),
        (lambda: full_factorial(["A", "A"]), "named twice"),
        (lambda: full_factorial(1.5), "a list of names or a number"),
        (lambda: plackett_burman({"a": (1, 1)}), "two different levels"),
        (lambda: plackett_burman({"a": (1, 2, 3)}), "two different levels"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
