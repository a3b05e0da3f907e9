"""Run tables: levels between two ends, frames, text."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.experiments.designs.run_table import at_levels, two_ends


def test_levels_lie_on_the_line_through_the_ends():
    design = at_levels(
        "x", {"n": (2, 8), "r": (0.5, 1.5)}, np.array([[0.0, 0], [-1, 1], [2, -2], [0.5, 1]]), "x"
    )
    assert [list(r.values()) for r in design] == [[5, 1.0], [2, 1.5], [11, 0.0], [6.5, 1.5]]
    assert isinstance(design.runs[0]["n"], int) and isinstance(design.runs[3]["n"], float)
    assert len(design) == 4 and list(design) == design.runs
    assert str(design).splitlines()[:2] == ["x, 4 runs", "run    n    r"]


def test_ends_of_any_kind_serve_designs_that_stay_at_them():
    ends = two_ends({"criterion": ("gini", "entropy")}, "x")
    assert at_levels("x", ends, np.array([[1.0], [-1]]), "x").runs[0] == {"criterion": "entropy"}
    with pytest.raises(ParameterError, match="criterion needs numbers as levels"):
        at_levels("x", ends, np.array([[0.0]]), "x")
    with pytest.raises(ParameterError, match="flag needs numbers"):
        at_levels("x", {"flag": (False, True)}, np.array([[0.0]]), "x")


def test_letters_leave_out_the_identity():
    assert "I" not in two_ends(25, "x") and len(two_ends(25, "x")) == 25
