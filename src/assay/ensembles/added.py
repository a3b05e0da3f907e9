"""Several sums at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Added", "Largest"]


class Added:
    """Several sums at a time: what each block adds to each of them."""

    def __init__(self, *parts: Any):
        self.parts = parts

    def __add__(self, other: Added) -> Added:
        return Added(*(a + b for a, b in zip(self.parts, other.parts)))


class Largest:
    """A maximum, as a sum."""

    def __init__(self, value: Any):
        self.value = value

    def __add__(self, other: Largest) -> Largest:
        return Largest(np.maximum(self.value, other.value))
