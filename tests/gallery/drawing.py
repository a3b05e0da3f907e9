"""Run a script of the gallery without a screen."""

import pathlib
import runpy

import pytest

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"
SCRIPTS = {
    path.name: path for path in sorted(GALLERY.rglob("plot_*.py"))
}  # by name alone, whatever their section


def draw(name):
    """The variables that a script leaves."""
    return draw_and_count(name)[0]


def draw_and_count(name):
    """The variables that a script leaves, and how many figures it drew."""
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")
    import matplotlib.pyplot as plt

    plt.close("all")
    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        variables = runpy.run_path(str(SCRIPTS[name]))
    figures = len(plt.get_fignums())
    plt.close("all")
    return variables, figures
