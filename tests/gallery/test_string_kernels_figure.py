"""The figure of string kernels says what its text says."""

import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-13-21")
def test_runs_of_letters_tell_families_apart_and_letters_alone_do_not():
    variables = draw("plot_string_kernels.py")
    substrings, with_gaps = (dict(zip(variables["lengths"], a)) for a in variables["accuracy"].values())
    assert substrings[1] < 0.45 and substrings[6] > 0.9
    assert substrings[10] < substrings[6] - 0.1 and with_gaps[10] > substrings[10] + 0.1
