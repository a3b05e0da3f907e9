"""Colours that readers with any colour vision can tell apart, for classes and for amounts."""

from __future__ import annotations

__all__ = ["CLASS_COLOURS", "class_colour", "ink_on", "shade"]

# Okabe and Ito's colours, ordered so that neighbours differ in lightness as well as in hue, and three more.
CLASS_COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#d55e00", "#f0e442", "#661100", "#555555", "#ddcc77"),
)
_AMOUNTS = ((0x1B, 0x3B, 0x6F), (0x7C, 0x7B, 0x78), (0xFD, 0xE7, 0x45))  # blue, grey, yellow: lightness rises


def class_colour(k: int) -> str:
    """The colour of class number k; the eleventh class has the first one's again.

    >>> from assay.core.palette import class_colour
    >>> class_colour(0), class_colour(10)
    ('#0072b2', '#0072b2')
    """
    return CLASS_COLOURS[k % len(CLASS_COLOURS)]


def shade(share: float) -> str:
    """The colour of an amount between 0 (dark blue) and 1 (yellow), its lightness rising steadily.

    >>> from assay.core.palette import shade
    >>> shade(0.0), shade(0.5), shade(1.0)
    ('#1b3b6f', '#7c7b78', '#fde745')
    """
    share = min(max(share, 0.0), 1.0) * (len(_AMOUNTS) - 1)
    i = min(int(share), len(_AMOUNTS) - 2)
    mixed = (a + (share - i) * (b - a) for a, b in zip(_AMOUNTS[i], _AMOUNTS[i + 1]))
    return "#" + "".join(f"{round(c):02x}" for c in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on a colour (by its relative luminance).

    >>> from assay.core.palette import ink_on
    >>> ink_on("#0072b2"), ink_on("#f0e442")
    ('#ffffff', '#15202b')
    """
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if luminance < 0.22 else "#15202b"
