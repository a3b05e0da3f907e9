"""Colours, line styles and names that all pictures of evidence share."""

import itertools

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from assay.core.palette import class_colour
from assay.plots.canvas import axes_for
from assay.plots.looks import (
    bare,
    coloured_axes,
    curve_legend,
    draw_literally,
    legend_name,
    line_look,
    short_labels,
)


def test_lines_of_new_axes_take_the_palette_in_turn():
    ax = coloured_axes(None, (3, 2))
    lines = [ax.plot([0, 1])[0] for _ in range(3)]
    assert [to_hex(line.get_color()) for line in lines] == [class_colour(k) for k in range(3)]
    given = plt.subplots()[1]
    assert coloured_axes(given, (3, 2)) is given


def test_neighbours_differ_in_colour_and_in_style():
    looks = [line_look(k) for k in range(8)]
    for a, b in itertools.pairwise(looks):
        assert a["color"] != b["color"] and a["linestyle"] != b["linestyle"]


def test_a_dollar_starts_no_formula_but_powers_of_ten_stay_formulas():
    ax = plt.subplots()[1]
    ax.plot([1, 10], [1, 100], label="$x_1$ and $")
    ax.set(xlabel=r"cost in $ of $x\frac$", title="$a$", yscale="log")
    ax.set_xticks([1, 10], ["$low$", r"$\oops$"])
    ax.text(2, 2, r"$\oops$")
    ax.legend(title=r"$\oops$")
    draw_literally(ax)
    ax.figure.canvas.draw()  # a formula that cannot be read would raise here
    assert not ax.xaxis.label.get_parse_math() and not ax.get_legend().get_texts()[0].get_parse_math()
    assert not any(t.get_parse_math() for t in ax.get_xticklabels())
    assert all(t.get_parse_math() for t in ax.get_yticklabels())


def test_names_fit_a_legend():
    assert legend_name("_hidden").lstrip() == "_hidden"
    ax = plt.subplots()[1]
    ax.plot([0, 1], label=legend_name("_hidden"))
    assert [t.get_text() for t in ax.legend().get_texts()] == [" _hidden"]
    assert legend_name("two\nlines") == r"two\nlines" and len(legend_name("x" * 999)) == 40


def test_bare_axes_keep_left_and_bottom():
    ax = plt.subplots()[1]
    bare(ax)
    assert [ax.spines[s].get_visible() for s in ("left", "bottom", "top", "right")] == [
        True,
        True,
        False,
        False,
    ]


def test_many_names_stand_beside_the_curves():
    for count, beside in ((6, False), (7, True)):
        ax = plt.subplots(figsize=(9, 5), layout="constrained")[1]
        for k in range(count):
            ax.plot([0, 1], label=f"curve {k} (AUC = 0.123, 0.123 to 0.123)")
        ax.set_aspect("equal")
        curve_legend(ax, "lower right")
        ax.figure.canvas.draw()
        names, square = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert (names.x0 > square.x1) == beside
        assert names.x1 <= ax.figure.bbox.x1  # inside the picture


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize(
    ("count", "words", "beside"), [(2, 1, False), (2, 9, True), (9, 1, True), (12, 9, True)]
)
def test_a_picture_of_our_own_grows_by_the_names_that_stand_beside_it(count, words, beside, square):
    ax = axes_for(None, (5.2, 5.0))
    for k in range(count):
        ax.plot([0, 1], label=f"curve {k}" + " and more" * words)
    if square:
        ax.set_aspect("equal")
    for _ in range(2):  # once more changes nothing
        curve_legend(ax, "lower right", frameon=False)
    ax.figure.canvas.draw()
    names, curves = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert (ax.figure.get_figwidth() > 5.2) == beside == (names.x0 > curves.x1)
    assert names.x1 <= ax.figure.bbox.x1 and curves.width > 0.7 * 5.2 * ax.figure.dpi


def test_a_class_of_several_lines_has_one_in_the_labels():
    ax = plt.subplots()[1]
    ax.set(xlabel="rate of two\nlines", ylabel="long " * 50)
    short_labels(ax)
    assert ax.get_xlabel() == "rate of two\\nlines" and len(ax.get_ylabel()) <= 70
