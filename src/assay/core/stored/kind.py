"""A kind of value, and the sizes by name that its attributes share."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

__all__ = ["Kind", "Size", "Sizes", "is_whole", "shape_text"]

Sizes = dict[str, int]


class Kind:
    """A set of values: ``fault(value, sizes)`` says what is wrong with one, or nothing."""

    def __or__(self, other: Kind | None) -> Kind:
        return _Either(self, _Nothing() if other is None else other)

    def bind(self, value: object, sizes: Sizes) -> None:
        """Note the sizes that this value determines."""

    def fault(self, value: object, sizes: Sizes) -> str:
        """What is wrong with the value, as the end of a sentence; empty if nothing is."""
        raise TypeError(f"{type(self).__name__} must say what is wrong")


class _Nothing(Kind):
    def fault(self, value: Any, sizes: Sizes) -> str:
        return "" if value is None else "is not None"


class _Either(Kind):
    def __init__(self, *kinds: Kind):
        self.kinds = kinds

    def bind(self, value: Any, sizes: Sizes) -> None:
        kinds = [kind for kind in self.kinds if not isinstance(kind, _Nothing)]
        for kind in kinds:  # the first of the right sort; sizes are checked later, when all are known
            if len(kinds) == 1 or not kind.fault(value, {}):
                kind.bind(value, sizes)
                return

    def fault(self, value: Any, sizes: Sizes) -> str:
        faults = [kind.fault(value, sizes) for kind in self.kinds]
        return "" if "" in faults else faults[0]


class Size:
    """A size by name or formula.

    >>> from assay.core.stored import Size
    >>> Size("m + 1").fits(4, {"m": 3}), Size("K | 1").fits(2, {"K": 3}), Size("*").fits(7, {})
    (True, False, True)
    """

    _TERM = re.compile(r"(?: ([+-]) )?(?:(\d+)(?: \* ([A-Za-z_]\w*))?|([A-Za-z_]\w*))")

    def __init__(self, text: str | int):
        self.text = str(text)
        self.any = self.text == "*"
        self.choices: list[tuple[dict[str, int], int]] = []  # how often each name is taken, and a number
        for part in [] if self.any else self.text.split(" | "):
            terms = list(self._TERM.finditer(part))
            if not terms or "".join(term[0] for term in terms) != part:
                raise ValueError(f"{text!r} is no size; write for example 'K', 'm + 1', 'K | 1', 3 or '*'")
            times: dict[str, int] = {}
            number = 0
            for sign, count, name, alone in (term.groups() for term in terms):
                amount = int(count or 1) * (-1 if sign == "-" else 1)
                if name or alone:
                    times[name or alone] = amount
                else:
                    number += amount
            self.choices.append((times, number))

    def bind(self, length: int, sizes: Sizes) -> None:
        """Note what the one name without a value in this formula must be."""
        if len(self.choices) == 1:
            times, number = self.choices[0]
            unknown = [name for name in times if name not in sizes]
            if len(unknown) == 1:
                amount = length - number - sum(t * sizes[name] for name, t in times.items() if name in sizes)
                if amount % times[unknown[0]] == 0:
                    sizes[unknown[0]] = amount // times[unknown[0]]

    def is_known(self, sizes: Sizes) -> bool:
        """Whether all its names have a value."""
        return all(name in sizes for times, _ in self.choices for name in times)

    def fits(self, length: int, sizes: Sizes) -> bool:
        """Whether a length is this size; a formula with a name that has no value fits every length."""
        return self.any or any(self._of(choice, sizes) in (None, length) for choice in self.choices)

    def value(self, sizes: Sizes) -> int | None:
        """The size as a number, None as long as one of its names has no value."""
        return self._of(self.choices[0], sizes) if len(self.choices) == 1 else None

    @staticmethod
    def _of(choice: tuple[dict[str, int], int], sizes: Sizes) -> int | None:
        times, number = choice
        for name, t in times.items():
            if name not in sizes:
                return None
            number += t * sizes[name]
        return number


def is_whole(value: Any) -> bool:
    """Whether a value is one whole number; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def shape_text(shape: tuple[Size, ...], sizes: Sizes) -> str:
    """(K, p) = (3, 4)"""
    names = ", ".join(size.text for size in shape) + ("," if len(shape) == 1 else "")
    numbers = ", ".join(str(n) if (n := size.value(sizes)) is not None else size.text for size in shape)
    numbers += "," if len(shape) == 1 else ""
    return f"({names})" + ("" if numbers == names else f" = ({numbers})")
