"""Axes, colours and names that the pictures share."""

import sys

import numpy as np
import pytest

from assay.bayes import GaussianNB
from assay.core.palette import shade
from assay.plots.canvas import amounts, axes_for, names_of


def test_axes_are_made_only_if_none_are_given():
    ax = axes_for(None, (3, 2))
    assert tuple(ax.figure.get_size_inches()) == (3, 2)
    assert axes_for(ax, (9, 9)) is ax


def test_without_matplotlib_the_way_to_get_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "assay\[plot\]"'):
        axes_for(None, (3, 2))


def test_the_colour_map_is_the_palette_s():
    from matplotlib.colors import to_hex

    assert [to_hex(amounts()(s)) for s in (0.0, 1.0)] == [shade(0.0), shade(1.0)]


def test_names():
    X = np.arange(8.0).reshape(4, 2)
    assert names_of(GaussianNB().fit(X, [0, 0, 1, 1]), 2) == ["x0", "x1"]
    assert names_of(GaussianNB().fit({"a": X[:, 0], "b": X[:, 1]}, [0, 0, 1, 1]), 2) == ["a", "b"]
    assert names_of(object(), 2) == ["x0", "x1"]
