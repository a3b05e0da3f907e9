"""The colours of classes can be told apart, also by readers who do not see red and green as different."""

import itertools

import numpy as np
import pytest

from assay.core.palette import CLASS_COLOURS, class_colour, ink_on, shade

# Viénot, Brettel and Mollon (1999): linear RGB as a protanope and a deuteranope see it.
SEEN = {
    "protanopia": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deuteranopia": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def linear(colour):
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear sRGB (white point D65)."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", [None, "protanopia", "deuteranopia"])
def test_colours_of_classes_differ_for_all_eyes(eyes):
    """A difference of 10 in L*a*b* is seen at a glance."""
    seen = [lab(linear(c) if eyes is None else np.array(SEEN[eyes]) @ linear(c)) for c in CLASS_COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 15


def contrast(a, b):
    light = sorted(float([0.2126, 0.7152, 0.0722] @ linear(c)) + 0.05 for c in (a, b))
    return light[1] / light[0]


@pytest.mark.parametrize("colour", [*CLASS_COLOURS, *(shade(s / 10) for s in range(11))])
def test_text_on_a_colour_has_contrast(colour):
    assert contrast(colour, ink_on(colour)) >= 4
    assert contrast(colour, ink_on(colour)) >= contrast(
        colour, {"#ffffff": "#15202b", "#15202b": "#ffffff"}[ink_on(colour)]
    )


def test_amounts_grow_lighter():
    light = [lab(linear(shade(s / 20)))[0] for s in range(21)]
    assert np.all(np.diff(light) > 0)
    assert shade(-1.0) == shade(0.0) and shade(7.0) == shade(1.0)


def test_classes_beyond_the_palette_begin_again():
    assert class_colour(len(CLASS_COLOURS)) == class_colour(0)
